#include "compiler/order/schedule.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace sigrel::order {
namespace {
constexpr std::uint32_t kNone = graph::kNone;
// The key of sums; other batches have their Solve kernel for a key.
constexpr std::uint32_t kSum = 0xFFFFFFFEu;

/// Of equation numbers, as ids or as the model has them.
template <class Rows, class Number = std::identity>
std::uint64_t hash_of(const Rows& rows, Number number = {}) {
  std::uint64_t hash = rows.size();
  for (const auto& row : rows) hash = mixed(hash, std::invoke(number, row));
  return hash;
}

}  // namespace

const runtime::KernelBatch* KnownBatches::find_or_add(const runtime::Model& model,
                                                      const runtime::KernelBatch& batch,
                                                      std::span<const EquationId> rows,
                                                      std::span<const std::uint32_t> positions) {
  auto rows_of = [&](std::uint32_t k) {
    const runtime::KernelBatch& other = model.batches[batches_[k]];
    return std::span(model.equations).subspan(other.equations, other.count);
  };
  auto same = [&](std::uint32_t k) {
    if (!std::ranges::equal(rows, rows_of(k), {}, &EquationId::value)) return false;
    const runtime::KernelBatch& other = model.batches[batches_[k]];
    const std::uint32_t* solved = model.tables.data() + other.table + other.count + 1;
    return batch.kernel != runtime::kNone ||
           (batch.role == other.role && std::ranges::equal(positions, std::span(solved, positions.size())));
  };
  const auto next = static_cast<std::uint32_t>(batches_.size());
  const std::uint32_t found = index_.find_or_add(hash_of(rows, &EquationId::value), next, same,
                                                 [&](std::uint32_t k) { return hash_of(rows_of(k)); });
  if (found != next) return &model.batches[batches_[found]];
  batches_.push_back(static_cast<std::uint32_t>(model.batches.size()));
  return nullptr;
}

Scheduler::Scheduler(plan::Plan& plan, Kernels& kernels, KnownBatches& known, KnownLoops& loops,
                     const incidence::EquationList& equations, std::span<const std::uint32_t> row_of_variable,
                     const TearingHints& hints)
    : plan_(plan),
      kernels_(kernels),
      equations_(equations),
      known_(known),
      loops_(loops),
      hints_(hints),
      row_of_variable_(row_of_variable) {
  for (const incidence::EquationList::Section& s : equations.sections())
    shape_of_section_.push_back(s.table && s.rows > 0 ? kernels.shape(*s.table) : ShapeId{kNone});
  variable_of_.resize(equations.count());
  for (VariableId v : ids<VariableId>(0, row_of_variable_.size()))
    if (const std::uint32_t row = row_of_variable_[v.value]; row != kNone) variable_of_[EquationId{row}] = v;
  const graph::TableGraph graph = equations.graph(static_cast<std::uint32_t>(row_of_variable_.size()));
  blocks_ = graph::blt(graph, row_of_variable_);
  levels_ = IdVector<BlockId, std::uint32_t>(graph::levels(graph, row_of_variable_, blocks_));
}

IdVector<BlockId, bool> Scheduler::needed_for(std::span<const std::uint32_t> variables) const {
  IdVector<VariableId, bool> required(row_of_variable_.size(), false);
  IdVector<BlockId, bool> needed(block_count(), false);
  for (std::uint32_t v : variables) required[VariableId{v}] = true;
  for (BlockId b : ids<BlockId>(0, block_count()) | std::views::reverse) {
    needed[b] = std::ranges::any_of(equations(b), [&](EquationId e) { return required[variable_of(e)]; });
    if (!needed[b]) continue;
    for (EquationId e : equations(b)) equations_.each_variable(e, [&](VariableId v) { required[v] = true; });
  }
  return needed;
}

IdVector<BlockId, bool> Scheduler::invariant_blocks(std::span<const std::uint32_t> constants,
                                                    std::span<const std::uint32_t> rates) const {
  IdVector<SectionId, bool> timed;
  for (const incidence::EquationList::Section& s : equations_.sections()) {
    const std::vector<ExprId> nodes = s.table && s.rows > 0
                                          ? topological(plan_.exprs, std::span(&s.table->residual, 1))
                                          : std::vector<ExprId>{};
    timed.push_back(std::ranges::any_of(nodes, [&](ExprId id) { return plan_.exprs[id].op == Op::Time; }));
  }
  IdVector<VariableId, bool> known(row_of_variable_.size(), false), written(known);
  for (std::uint32_t v : rates) written[VariableId{v}] = true;
  for (std::uint32_t v : constants) known[VariableId{v}] = true;
  auto fixed = [&](EquationId equation) {
    const SectionId number = equations_.section_of(equation);
    const incidence::EquationList::Section& s = equations_.sections()[number];
    if (timed[number] || written[variable_of(equation)]) return false;
    if (s.table && std::ranges::any_of(s.table->parameters_of(s.row_of(equation)),
                                       [&](std::uint32_t p) { return hints_.discrete[p]; }))
      return false;
    bool all = true;
    equations_.each_variable(equation, [&](VariableId v) { all = all && known[v]; });
    return all;
  };
  IdVector<BlockId, bool> invariant(block_count(), false);
  for (BlockId b : ids<BlockId>(0, block_count())) {
    for (EquationId e : equations(b)) known[variable_of(e)] = true;
    invariant[b] = std::ranges::all_of(equations(b), fixed);
    for (EquationId e : equations(b)) known[variable_of(e)] = invariant[b];
  }
  return invariant;
}

std::pair<std::uint32_t, bool> Scheduler::position_of(EquationId equation, VariableId variable) const {
  std::uint32_t position = 0, at = 0, found = 0;
  equations_.each_variable(equation, [&](VariableId v) {
    if (v == variable && found++ == 0) position = at;
    ++at;
  });
  return {position, found == 1};
}

std::uint32_t Scheduler::key_of(EquationId equation, VariableId variable) {
  const auto [position, once] = position_of(equation, variable);
  if (!once) return kLoop;
  const SectionId section = equations_.section_of(equation);
  if (!equations_.sections()[section].table) return kSum;
  return kernels_.solve(shape_of_section_[section], position).value_or(KernelId{kLoop}).value;
}

namespace {

/// Calls emit(first, last) for each group of neighbours that are `alike`.
template <class Alike, class Emit>
void gather(std::size_t count, Alike alike, Emit emit) {
  for (std::size_t begin = 0; begin < count;) {
    std::size_t end = begin + 1;
    while (end < count && alike(begin, end)) ++end;
    emit(begin, end);
    begin = end;
  }
}

}  // namespace

void Scheduler::schedule(const IdVector<BlockId, bool>& selected, std::vector<runtime::Step>& steps) {
  if (std::ranges::find(selected, true) == selected.end()) return;
  std::vector<BlockId> blocks;
  std::vector<EquationId> rows;
  for (const Group& g : grouped(selected, blocks)) {
    const auto members = std::span(blocks).subspan(g.end - g.size, g.size);
    if (g.key == kLoop) {
      for (BlockId b : members) emit_loop(b, steps);
    } else {
      rows.clear();
      rows.reserve(members.size());
      for (BlockId b : members) rows.push_back(equations(b)[0]);
      steps.push_back({runtime::Step::Assign, static_cast<std::uint32_t>(plan_.model.batches.size())});
      emit_assign(rows, g.key);
    }
  }
}

/// The selected blocks by level and key, those of a group in the order of their lowest rows. Linear in the
/// blocks; the groups are sorted, and they are few in large models as a rule.
std::vector<Scheduler::Group> Scheduler::grouped(const IdVector<BlockId, bool>& selected,
                                                 std::vector<BlockId>& by_group) {
  constexpr BlockId none{kNone};
  IdVector<EquationId, BlockId> block_from(equations_.count(), none);  // by lowest row
  for (BlockId b : ids<BlockId>(0, block_count()))
    if (selected[b]) block_from[std::ranges::min(equations(b))] = b;
  IdVector<BlockId, std::uint32_t> group_of(block_count());
  std::vector<Group> groups;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::uint32_t last = kNone;  // group of the block before: neighbours are often of one group
  for (BlockId b : block_from) {
    if (b == none) continue;
    const auto rows = equations(b);
    const std::uint32_t key = rows.size() == 1 ? key_of(rows[0]) : kLoop;
    if (last == kNone || groups[last].level != levels_[b] || groups[last].key != key) {
      auto [found, fresh] = numbers.try_emplace(std::uint64_t{levels_[b]} << 32 | key,
                                                static_cast<std::uint32_t>(groups.size()));
      last = found->second;
      if (fresh) groups.push_back({levels_[b], key, 0, 0});
    }
    ++groups[last].size;
    group_of[b] = last;
  }
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t g) { return std::tuple(groups[g].level, groups[g].key); });
  std::uint32_t first = 0;
  for (std::uint32_t g : order) {
    groups[g].end = first;
    first += groups[g].size;
  }
  by_group.resize(first);
  for (BlockId b : block_from)
    if (b != none) by_group[groups[group_of[b]].end++] = b;
  std::vector<Group> result;
  result.reserve(groups.size());
  for (std::uint32_t g : order) result.push_back(groups[g]);
  return result;
}

void Scheduler::emit_assign(std::span<const EquationId> rows, std::uint32_t key) {
  if (key == kSum) {
    emit_batch(rows, runtime::Role::Solve, runtime::kNone, 0);
  } else {
    emit_batch(rows, runtime::Role::Solve, key, plan_.kernels[key].solved);
    runtime::KernelBatch& batch = plan_.model.batches.back();
    const auto& coefficient = plan_.exprs[plan_.kernels[batch.partials].outputs[batch.solved]];
    if (keep_residuals_ && (coefficient.op != Op::Const || coefficient.value == 0))
      batch.residual = kernels_.rare_residual(shape_of_section_[equations_.section_of(rows[0])]).value;
  }
}

std::uint32_t Scheduler::guess_key_of(EquationId equation, VariableId variable) {
  const std::uint32_t key = key_of(equation, variable);
  const auto [position, once] = position_of(equation, variable);
  if (key != kLoop || !once) return key;
  return kernels_.quotient(shape_of_section_[equations_.section_of(equation)], position)
      .value_or(KernelId{kLoop})
      .value;
}

std::uint32_t Scheduler::guess(EquationId equation, VariableId variable) {
  const VariableId matched = std::exchange(variable_of_[equation], variable);
  emit_assign({&equation, 1}, guess_key_of(equation, variable));
  variable_of_[equation] = matched;
  return static_cast<std::uint32_t>(plan_.model.batches.size() - 1);
}

std::pair<std::uint32_t, std::uint32_t> Scheduler::residuals(std::vector<EquationId> equations) {
  const auto first = static_cast<std::uint32_t>(plan_.model.batches.size());
  std::ranges::sort(equations);  // ascending numbers: those of a section stand together
  auto alike = [&](std::size_t a, std::size_t b) {
    return equations_.section_of(equations[a]) == equations_.section_of(equations[b]);
  };
  gather(equations.size(), alike, [&](std::size_t begin, std::size_t end) {
    const SectionId section = equations_.section_of(equations[begin]);
    const bool sum = !equations_.sections()[section].table;
    emit_batch(std::span(equations).subspan(begin, end - begin), runtime::Role::Residual,
               sum ? runtime::kNone : kernels_.residual(shape_of_section_[section]).value, 0);
  });
  return {first, static_cast<std::uint32_t>(plan_.model.batches.size()) - first};
}

void Scheduler::emit_loop(BlockId block, std::vector<runtime::Step>& steps) {
  std::vector<EquationId> rows;
  std::vector<VariableId> variables;
  for (EquationId e : equations(block)) {
    rows.push_back(e);
    variables.push_back(variable_of(e));
  }
  std::ranges::sort(rows);
  std::ranges::sort(variables);
  if (const KnownLoops::Loop* known = loops_.find(rows, variables)) {
    for (std::size_t k = 0; k < rows.size(); ++k) variable_of_[known->equations[k]] = known->variables[k];
    steps.push_back({runtime::Step::Solve, known->number});
    return;
  }
  if (!tearing_) {
    graph_ = incidence::incidence(equations_, static_cast<std::uint32_t>(row_of_variable_.size()));
    tearing_ = std::make_unique<BlockTearing>(plan_, kernels_, equations_, graph_, shape_of_section_, hints_);
  }
  const TornBlock torn = tearing_->tear(rows, variables);
  // From here on the block is matched as it is torn.
  struct Inner {
    std::uint32_t level, key;
    EquationId equation;
    auto operator<=>(const Inner&) const = default;
  };
  std::vector<Inner> inner;
  inner.reserve(torn.inner.size());
  for (const TornBlock::Inner& i : torn.inner) {
    variable_of_[i.equation] = i.variable;
    inner.push_back({i.level, key_of(i.equation), i.equation});
  }
  for (std::size_t k = 0; k < torn.residual_equations.size(); ++k)
    variable_of_[torn.residual_equations[k]] = torn.tearing_variables[k];

  runtime::AlgebraicLoop loop;
  loop.kind = torn.kind;
  loop.first_batch = static_cast<std::uint32_t>(plan_.model.batches.size());
  std::ranges::sort(inner);
  auto alike = [&](std::size_t x, std::size_t y) {
    return inner[x].level == inner[y].level && inner[x].key == inner[y].key;
  };
  std::vector<EquationId> together;
  gather(inner.size(), alike, [&](std::size_t begin, std::size_t end) {
    together.clear();
    for (std::size_t i = begin; i < end; ++i) together.push_back(inner[i].equation);
    emit_assign(together, inner[begin].key);
    runtime::KernelBatch& batch = plan_.model.batches.back();
    if (batch.kernel != runtime::kNone)
      batch.residual = kernels_.rare_residual(shape_of_section_[equations_.section_of(together[0])]).value;
  });
  residuals(torn.residual_equations);
  loop.batches = static_cast<std::uint32_t>(plan_.model.batches.size()) - loop.first_batch;
  loop.first_unknown = static_cast<std::uint32_t>(plan_.model.tearing_variables.size());
  loop.unknowns = static_cast<std::uint32_t>(torn.tearing_variables.size());
  for (VariableId v : torn.tearing_variables) plan_.model.tearing_variables.push_back(v.value);
  const auto number = static_cast<std::uint32_t>(plan_.model.loops.size());
  loops_.add(number, torn);
  steps.push_back({runtime::Step::Solve, number});
  plan_.model.loops.push_back(loop);
}

void Scheduler::emit_batch(std::span<const EquationId> rows, runtime::Role role, std::uint32_t kernel,
                           std::uint32_t solved) {
  runtime::Model& model = plan_.model;
  runtime::KernelBatch batch;
  batch.role = role;
  batch.kernel = kernel;
  batch.solved = solved;
  batch.count = static_cast<std::uint32_t>(rows.size());
  if (kernel != runtime::kNone) {  // one kernel can serve tables of several sections that have the same shape
    batch.slots = plan_.kernels[kernel].slots;
    batch.params = plan_.kernels[kernel].params;
    batch.partials = kernels_.partials(shape_of_section_[equations_.section_of(rows[0])]).value;
  }
  std::vector<std::uint32_t> positions;  // by row: the term for which a sum is solved
  if (kernel == runtime::kNone && role == runtime::Role::Solve)
    for (EquationId row : rows) positions.push_back(position_of(row, variable_of(row)).first);
  const runtime::KernelBatch* same =
      batch.count < KnownBatches::kFewest ? nullptr : known_.find_or_add(model, batch, rows, positions);
  if (same) {
    batch.table = same->table;
    batch.equations = same->equations;
  } else {
    batch.table = model.tables.size();
    batch.equations = model.equations.size();
    for (EquationId row : rows) model.equations.push_back(row.value);
    if (kernel == runtime::kNone)
      add_sums(rows, positions);
    else
      add_table(rows, batch.slots, batch.params);
  }
  model.batches.push_back(batch);
}

void Scheduler::add_sums(std::span<const EquationId> rows, std::span<const std::uint32_t> positions) {
  std::vector<std::uint32_t>& tables = plan_.model.tables;
  auto terms_of = [&](EquationId row) {
    const incidence::EquationList::Section& s = equations_.section(row);
    return s.sums->terms_of(s.row_of(row));
  };
  std::uint32_t offset = 0;
  tables.push_back(0);
  for (EquationId row : rows) tables.push_back(offset += static_cast<std::uint32_t>(terms_of(row).size()));
  tables.insert(tables.end(), positions.begin(), positions.end());
  for (EquationId row : rows)
    for (Term term : terms_of(row)) tables.push_back(term.code);
}

void Scheduler::add_table(std::span<const EquationId> rows, std::uint32_t slot_columns,
                          std::uint32_t parameter_columns) {
  std::vector<std::uint32_t>& tables = plan_.model.tables;
  const std::size_t first = tables.size(), count = rows.size();
  tables.resize(first + (std::size_t{slot_columns} + parameter_columns) * count);
  std::uint32_t* out = tables.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    const incidence::EquationList::Section& s = equations_.section(rows[i]);
    auto slots = s.table->unknowns_of(s.row_of(rows[i]));
    auto params = s.table->parameters_of(s.row_of(rows[i]));
    for (std::size_t k = 0; k < slots.size(); ++k) out[k * count + i] = slots[k];
    for (std::size_t k = 0; k < params.size(); ++k) out[(slot_columns + k) * count + i] = params[k];
  }
}

}  // namespace sigrel::order
