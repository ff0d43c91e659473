#include "compiler/order/schedule.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace sigrel::order {
namespace {
constexpr std::uint32_t kNone = graph::kNone;
// The key of sums; other batches have their Solve kernel for a key.
constexpr std::uint32_t kSum = 0xFFFFFFFEu;

std::uint64_t hash_of(std::span<const std::uint32_t> rows) {
  std::uint64_t hash = rows.size();
  for (std::uint32_t row : rows) hash = mixed(hash, row);
  return hash;
}

}  // namespace

const runtime::KernelBatch* KnownBatches::find_or_add(const runtime::Model& model,
                                                      const runtime::KernelBatch& batch,
                                                      std::span<const std::uint32_t> rows,
                                                      std::span<const std::uint32_t> positions) {
  auto rows_of = [&](std::uint32_t k) {
    const runtime::KernelBatch& other = model.batches[batches_[k]];
    return std::span(model.equations).subspan(other.equations, other.count);
  };
  auto same = [&](std::uint32_t k) {
    if (!std::ranges::equal(rows, rows_of(k))) return false;
    const runtime::KernelBatch& other = model.batches[batches_[k]];
    const std::uint32_t* solved = model.tables.data() + other.table + other.count + 1;
    return batch.kernel != runtime::kNone ||
           (batch.role == other.role && std::ranges::equal(positions, std::span(solved, positions.size())));
  };
  const auto next = static_cast<std::uint32_t>(batches_.size());
  const std::uint32_t found =
      index_.find_or_add(hash_of(rows), next, same, [&](std::uint32_t k) { return hash_of(rows_of(k)); });
  if (found != next) return &model.batches[batches_[found]];
  batches_.push_back(static_cast<std::uint32_t>(model.batches.size()));
  return nullptr;
}

Scheduler::Scheduler(plan::Plan& plan, Kernels& kernels, KnownBatches& known,
                     const incidence::EquationList& equations, std::span<const std::uint32_t> row_of_variable,
                     const TearingHints& hints)
    : plan_(plan),
      kernels_(kernels),
      equations_(equations),
      known_(known),
      hints_(hints),
      row_of_variable_(row_of_variable) {
  for (const incidence::EquationList::Section& s : equations.sections())
    shape_of_section_.push_back(s.table && s.rows > 0 ? kernels.shape(*s.table) : ShapeId{kNone});
  variable_of_row_.assign(equations.count(), kNone);
  for (std::uint32_t v = 0; v < row_of_variable_.size(); ++v)
    if (row_of_variable_[v] != kNone) variable_of_row_[row_of_variable_[v]] = v;
  const graph::TableGraph graph = equations.graph(static_cast<std::uint32_t>(row_of_variable_.size()));
  blocks_ = graph::blt(graph, row_of_variable_);
  levels_ = graph::levels(graph, row_of_variable_, blocks_);
}

std::vector<bool> Scheduler::needed_for(const std::vector<std::uint32_t>& variables) const {
  std::vector<bool> wanted(row_of_variable_.size(), false), needed(blocks_.count(), false);
  for (std::uint32_t v : variables) wanted[v] = true;
  for (std::uint32_t b = blocks_.count(); b-- > 0;) {
    auto rows = blocks_.block(b);
    needed[b] = std::ranges::any_of(rows, [&](std::uint32_t r) { return wanted[variable_of_row_[r]]; });
    if (!needed[b]) continue;
    for (std::uint32_t r : rows) equations_.each_variable(r, [&](std::uint32_t v) { wanted[v] = true; });
  }
  return needed;
}

std::vector<bool> Scheduler::invariant_blocks(const std::vector<std::uint32_t>& constants,
                                              const std::vector<std::uint32_t>& rates) const {
  std::vector<bool> timed;  // per section
  for (const incidence::EquationList::Section& s : equations_.sections()) {
    const std::vector<ExprId> nodes = s.table && s.rows > 0
                                          ? topological(plan_.exprs, std::span(&s.table->residual, 1))
                                          : std::vector<ExprId>{};
    timed.push_back(std::ranges::any_of(nodes, [&](ExprId id) { return plan_.exprs[id].op == Op::Time; }));
  }
  std::vector<bool> known(row_of_variable_.size(), false), written(known), invariant(blocks_.count(), false);
  for (std::uint32_t v : rates) written[v] = true;
  for (std::uint32_t v : constants) known[v] = true;
  auto fixed = [&](std::uint32_t row) {
    const std::uint32_t section = equations_.section_of(row);
    const incidence::EquationList::Section& s = equations_.sections()[section];
    if (timed[section] || written[variable_of_row_[row]]) return false;
    if (s.table && std::ranges::any_of(s.table->parameters_of(row - s.first),
                                       [&](std::uint32_t p) { return hints_.moving[p]; }))
      return false;
    bool all = true;
    equations_.each_variable(row, [&](std::uint32_t v) { all = all && known[v]; });
    return all;
  };
  for (std::uint32_t b = 0; b < blocks_.count(); ++b) {
    const auto rows = blocks_.block(b);
    for (std::uint32_t r : rows) known[variable_of_row_[r]] = true;
    invariant[b] = std::ranges::all_of(rows, fixed);
    for (std::uint32_t r : rows) known[variable_of_row_[r]] = invariant[b];
  }
  return invariant;
}

std::uint32_t Scheduler::position_in_row(std::uint32_t row, std::uint32_t variable, bool& once) const {
  std::uint32_t position = 0, at = 0, found = 0;
  equations_.each_variable(row, [&](std::uint32_t v) {
    if (v == variable && found++ == 0) position = at;
    ++at;
  });
  once = found == 1;
  return position;
}

std::uint32_t Scheduler::key_of(std::uint32_t row) {
  bool once = false;
  std::uint32_t position = position_in_row(row, variable_of_row_[row], once);
  if (!once) return kLoop;
  std::uint32_t section = equations_.section_of(row);
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

void Scheduler::schedule(const std::vector<bool>& selected, std::vector<runtime::Step>& steps) {
  if (std::ranges::find(selected, true) == selected.end()) return;
  std::vector<std::uint32_t> blocks, rows;
  for (const Group& g : grouped(selected, blocks)) {
    const auto members = std::span(blocks).subspan(g.end - g.size, g.size);
    if (g.key == kLoop) {
      for (std::uint32_t b : members) emit_loop(b, steps);
    } else {
      rows.clear();
      rows.reserve(members.size());
      for (std::uint32_t b : members) rows.push_back(blocks_.block(b)[0]);
      steps.push_back({runtime::Step::Assign, static_cast<std::uint32_t>(plan_.model.batches.size())});
      emit_assign(rows, g.key);
    }
  }
}

/// The selected blocks by level and key, those of a group in the order of their lowest rows. Linear in the
/// blocks; the groups are sorted, and they are few in large models as a rule.
std::vector<Scheduler::Group> Scheduler::grouped(const std::vector<bool>& selected,
                                                 std::vector<std::uint32_t>& blocks) {
  std::vector<std::uint32_t> block_of_row(equations_.count(), kNone), group_of(blocks_.count());
  for (std::uint32_t b = 0; b < blocks_.count(); ++b)
    if (selected[b]) block_of_row[*std::ranges::min_element(blocks_.block(b))] = b;
  std::vector<Group> groups;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::uint32_t last = kNone;  // group of the block before: neighbours are often of one group
  for (std::uint32_t b : block_of_row) {
    if (b == kNone) continue;
    const auto rows = blocks_.block(b);
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
  blocks.resize(first);
  for (std::uint32_t b : block_of_row)
    if (b != kNone) blocks[groups[group_of[b]].end++] = b;
  std::vector<Group> result;
  result.reserve(groups.size());
  for (std::uint32_t g : order) result.push_back(groups[g]);
  return result;
}

void Scheduler::emit_assign(std::span<const std::uint32_t> rows, std::uint32_t key) {
  if (key == kSum) {
    emit_batch(rows, runtime::Role::Solve, runtime::kNone, 0);
  } else {
    emit_batch(rows, runtime::Role::Solve, key, plan_.kernels[key].solved);
  }
}

std::pair<std::uint32_t, std::uint32_t> Scheduler::residuals(std::vector<std::uint32_t> rows) {
  const auto first = static_cast<std::uint32_t>(plan_.model.batches.size());
  auto section_of = [&](std::uint32_t row) { return equations_.section_of(row); };
  std::ranges::sort(rows);  // ascending numbers: the rows of a section stand together
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && section_of(rows[end]) == section_of(rows[begin])) ++end;
    std::uint32_t section = section_of(rows[begin]);
    bool sum = !equations_.sections()[section].table;
    emit_batch(std::span(rows).subspan(begin, end - begin), runtime::Role::Residual,
               sum ? runtime::kNone : kernels_.residual(shape_of_section_[section]).value, 0);
    begin = end;
  }
  return {first, static_cast<std::uint32_t>(plan_.model.batches.size()) - first};
}

void Scheduler::emit_loop(std::uint32_t block, std::vector<runtime::Step>& steps) {
  auto rows = blocks_.block(block);
  std::vector<std::uint32_t> variables;
  for (std::uint32_t row : rows) variables.push_back(variable_of_row_[row]);
  if (!tearing_) {
    graph_ = incidence::incidence(equations_, static_cast<std::uint32_t>(row_of_variable_.size()));
    tearing_ = std::make_unique<BlockTearing>(plan_, kernels_, equations_, graph_, shape_of_section_, hints_);
  }
  const TornBlock torn = tearing_->tear(rows, variables);
  // From here on the block is matched as it is torn.
  struct Inner {
    std::uint32_t level, key, row;
    auto operator<=>(const Inner&) const = default;
  };
  std::vector<Inner> inner;
  inner.reserve(torn.inner.size());
  for (const TornBlock::Inner& i : torn.inner) {
    variable_of_row_[i.row.value] = i.variable.value;
    inner.push_back({i.level, key_of(i.row.value), i.row.value});
  }
  for (std::size_t k = 0; k < torn.residual_equations.size(); ++k)
    variable_of_row_[torn.residual_equations[k]] = torn.unknowns[k];

  runtime::AlgebraicLoop loop;
  loop.kind = torn.kind;
  loop.first_batch = static_cast<std::uint32_t>(plan_.model.batches.size());
  std::ranges::sort(inner);
  auto alike = [&](std::size_t x, std::size_t y) {
    return inner[x].level == inner[y].level && inner[x].key == inner[y].key;
  };
  std::vector<std::uint32_t> together;
  gather(inner.size(), alike, [&](std::size_t begin, std::size_t end) {
    together.clear();
    for (std::size_t i = begin; i < end; ++i) together.push_back(inner[i].row);
    emit_assign(together, inner[begin].key);
    runtime::KernelBatch& batch = plan_.model.batches.back();
    if (batch.kernel != runtime::kNone)
      batch.residual = kernels_.rare_residual(shape_of_section_[equations_.section_of(together[0])]).value;
  });
  residuals(torn.residual_equations);
  loop.batches = static_cast<std::uint32_t>(plan_.model.batches.size()) - loop.first_batch;
  loop.first_unknown = static_cast<std::uint32_t>(plan_.model.tearing_variables.size());
  loop.unknowns = static_cast<std::uint32_t>(torn.unknowns.size());
  plan_.model.tearing_variables.insert(plan_.model.tearing_variables.end(), torn.unknowns.begin(),
                                       torn.unknowns.end());
  steps.push_back({runtime::Step::Solve, static_cast<std::uint32_t>(plan_.model.loops.size())});
  plan_.model.loops.push_back(loop);
}

void Scheduler::emit_batch(std::span<const std::uint32_t> rows, runtime::Role role, std::uint32_t kernel,
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
  bool once = false;
  if (kernel == runtime::kNone && role == runtime::Role::Solve)
    for (std::uint32_t row : rows) positions.push_back(position_in_row(row, variable_of_row_[row], once));
  const runtime::KernelBatch* same =
      batch.count < KnownBatches::kFewest ? nullptr : known_.find_or_add(model, batch, rows, positions);
  if (same) {
    batch.table = same->table;
    batch.equations = same->equations;
  } else {
    batch.table = model.tables.size();
    batch.equations = model.equations.size();
    model.equations.insert(model.equations.end(), rows.begin(), rows.end());
    if (kernel == runtime::kNone)
      add_sums(rows, positions);
    else
      add_table(rows, batch.slots, batch.params);
  }
  model.batches.push_back(batch);
}

void Scheduler::add_sums(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> positions) {
  std::vector<std::uint32_t>& tables = plan_.model.tables;
  auto terms_of = [&](std::uint32_t row) {
    const incidence::EquationList::Section& s = equations_.sections()[equations_.section_of(row)];
    return s.sums->terms_of(row - s.first);
  };
  std::uint32_t offset = 0;
  tables.push_back(0);
  for (std::uint32_t row : rows) tables.push_back(offset += static_cast<std::uint32_t>(terms_of(row).size()));
  tables.insert(tables.end(), positions.begin(), positions.end());
  for (std::uint32_t row : rows)
    for (Term term : terms_of(row)) tables.push_back(term.code);
}

void Scheduler::add_table(std::span<const std::uint32_t> rows, std::uint32_t slot_columns,
                          std::uint32_t parameter_columns) {
  std::vector<std::uint32_t>& tables = plan_.model.tables;
  const std::size_t first = tables.size(), count = rows.size();
  tables.resize(first + (std::size_t{slot_columns} + parameter_columns) * count);
  std::uint32_t* out = tables.data() + first;
  for (std::size_t i = 0; i < count; ++i) {
    const incidence::EquationList::Section& s = equations_.sections()[equations_.section_of(rows[i])];
    auto slots = s.table->unknowns_of(rows[i] - s.first);
    auto params = s.table->parameters_of(rows[i] - s.first);
    for (std::size_t k = 0; k < slots.size(); ++k) out[k * count + i] = slots[k];
    for (std::size_t k = 0; k < params.size(); ++k) out[(slot_columns + k) * count + i] = params[k];
  }
}

}  // namespace sigrel::order
