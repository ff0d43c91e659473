#include "compiler/structure/schedule.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace sigrel::structure {
namespace {
constexpr std::uint32_t kNone = graph::kNone;
// A run's key is its Solve kernel, or this for sums.
constexpr std::uint32_t kSum = 0xFFFFFFFEu;
}  // namespace

Scheduler::Scheduler(plan::Plan& plan, Kernels& kernels, const EquationList& equations,
                     std::vector<std::uint32_t> row_of_variable, const TearingHints& hints)
    : plan_(plan), kernels_(kernels), equations_(equations), hints_(hints), row_of_variable_(std::move(row_of_variable)) {
  for (const EquationList::Section& s : equations.sections())
    shape_of_section_.push_back(s.table && s.rows > 0 ? kernels.shape(*s.table) : kNone);
  variable_of_row_.assign(equations.count(), kNone);
  for (std::uint32_t v = 0; v < row_of_variable_.size(); ++v)
    if (row_of_variable_[v] != kNone) variable_of_row_[row_of_variable_[v]] = v;
  graph_ = incidence(equations, static_cast<std::uint32_t>(row_of_variable_.size()));
  blocks_ = graph::blt(graph_, row_of_variable_);
  levels_ = graph::levels(graph_, row_of_variable_, blocks_);
}

std::vector<bool> Scheduler::needed_for(const std::vector<std::uint32_t>& variables) const {
  std::vector<bool> wanted(row_of_variable_.size(), false), needed(blocks_.count(), false);
  for (std::uint32_t v : variables) wanted[v] = true;
  for (std::uint32_t b = blocks_.count(); b-- > 0;) {
    auto rows = blocks_.block(b);
    needed[b] = std::ranges::any_of(rows, [&](std::uint32_t r) { return wanted[variable_of_row_[r]]; });
    if (!needed[b]) continue;
    for (std::uint32_t r : rows)
      for (std::uint32_t v : graph_.row(r)) wanted[v] = true;
  }
  return needed;
}

std::vector<bool> Scheduler::invariant_blocks(const std::vector<std::uint32_t>& constants, const std::vector<std::uint32_t>& rates) const {
  std::vector<bool> timed;  // per section
  for (const EquationList::Section& s : equations_.sections()) {
    const std::vector<ExprId> nodes = s.table && s.rows > 0 ? topological(plan_.exprs, std::span(&s.table->residual, 1)) : std::vector<ExprId>{};
    timed.push_back(std::ranges::any_of(nodes, [&](ExprId id) { return plan_.exprs[id].op == Op::Time; }));
  }
  std::vector<bool> known(row_of_variable_.size(), false), written(known), invariant(blocks_.count(), false);
  for (std::uint32_t v : rates) written[v] = true;
  for (std::uint32_t v : constants) known[v] = true;
  auto fixed = [&](std::uint32_t row) {
    const std::uint32_t section = equations_.section_of(row);
    const EquationList::Section& s = equations_.sections()[section];
    if (timed[section] || written[variable_of_row_[row]]) return false;
    if (s.table && std::ranges::any_of(s.table->parameters_of(row - s.first), [&](std::uint32_t p) { return hints_.moving[p]; })) return false;
    return std::ranges::all_of(graph_.row(row), [&](std::uint32_t v) { return known[v]; });
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
  auto variables = graph_.row(row);
  auto at = std::ranges::find(variables, variable);
  once = at != variables.end() && std::find(at + 1, variables.end(), variable) == variables.end();
  return static_cast<std::uint32_t>(at - variables.begin());
}

std::uint32_t Scheduler::key_of(std::uint32_t row) {
  bool once = false;
  std::uint32_t position = position_in_row(row, variable_of_row_[row], once);
  if (!once) return kLoop;
  std::uint32_t section = equations_.section_of(row);
  if (!equations_.sections()[section].table) return kSum;
  return kernels_.solve(shape_of_section_[section], position).value_or(kLoop);
}

namespace {

/// Of elements in ascending order: calls emit(first, last) for each group that is `alike`.
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
  std::vector<std::uint32_t> key(blocks_.count()), block_of_row(equations_.count(), kNone);
  for (std::uint32_t b = 0; b < blocks_.count(); ++b) {
    if (!selected[b]) continue;
    auto rows = blocks_.block(b);
    key[b] = rows.size() == 1 ? key_of(rows[0]) : kLoop;
    block_of_row[*std::ranges::min_element(rows)] = b;
  }
  const std::vector<std::uint32_t> blocks = sorted(block_of_row, key);
  auto alike = [&](std::size_t x, std::size_t y) { return levels_[blocks[x]] == levels_[blocks[y]] && key[blocks[x]] == key[blocks[y]]; };
  std::vector<std::uint32_t> rows;
  gather(blocks.size(), alike, [&](std::size_t begin, std::size_t end) {
    if (key[blocks[begin]] == kLoop) {
      for (std::size_t i = begin; i < end; ++i) emit_loop(blocks[i], steps);
    } else {
      rows.clear();
      for (std::size_t i = begin; i < end; ++i) rows.push_back(blocks_.block(blocks[i])[0]);
      steps.push_back({runtime::Step::Assign, static_cast<std::uint32_t>(plan_.model.runs.size())});
      emit_assign(rows, key[blocks[begin]]);
    }
  });
}

/// The blocks by level, key and row, in linear time but for the groups of one level and key, which are few in large models as a rule.
/// `block_of_row` has each at its lowest row.
std::vector<std::uint32_t> Scheduler::sorted(std::span<const std::uint32_t> block_of_row, std::span<const std::uint32_t> key) const {
  struct Group {
    std::uint32_t level, key, first, size;
  };
  std::vector<Group> groups;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers;
  std::vector<std::uint32_t> group_of(blocks_.count());
  std::uint32_t last = kNone, count = 0;  // neighbours are often of one group
  for (std::uint32_t b : block_of_row) {
    if (b == kNone) continue;
    if (last == kNone || groups[last].level != levels_[b] || groups[last].key != key[b]) {
      auto [found, fresh] = numbers.try_emplace(std::uint64_t{levels_[b]} << 32 | key[b], static_cast<std::uint32_t>(groups.size()));
      last = found->second;
      if (fresh) groups.push_back({levels_[b], key[b], 0, 0});
    }
    ++groups[last].size;
    ++count;
    group_of[b] = last;
  }
  std::vector<std::uint32_t> order(groups.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t g) { return std::tuple(groups[g].level, groups[g].key); });
  std::uint32_t first = 0;
  for (std::uint32_t g : order) {
    groups[g].first = first;
    first += groups[g].size;
  }
  std::vector<std::uint32_t> blocks(count);
  for (std::uint32_t b : block_of_row)
    if (b != kNone) blocks[groups[group_of[b]].first++] = b;
  return blocks;
}

void Scheduler::emit_assign(std::span<const std::uint32_t> rows, std::uint32_t key) {
  if (key == kSum) {
    emit_run(rows, runtime::Role::Solve, runtime::kNone, 0);
  } else {
    emit_run(rows, runtime::Role::Solve, key, plan_.kernels[key].solved);
  }
}

std::pair<std::uint32_t, std::uint32_t> Scheduler::residuals(std::vector<std::uint32_t> rows) {
  const auto first = static_cast<std::uint32_t>(plan_.model.runs.size());
  auto section_of = [&](std::uint32_t row) { return equations_.section_of(row); };
  std::ranges::sort(rows);  // ascending numbers: the rows of a section stand together
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && section_of(rows[end]) == section_of(rows[begin])) ++end;
    std::uint32_t section = section_of(rows[begin]);
    bool sum = !equations_.sections()[section].table;
    emit_run(std::span(rows).subspan(begin, end - begin), runtime::Role::Residual,
             sum ? runtime::kNone : kernels_.residual(shape_of_section_[section]), 0);
    begin = end;
  }
  return {first, static_cast<std::uint32_t>(plan_.model.runs.size()) - first};
}

void Scheduler::emit_loop(std::uint32_t block, std::vector<runtime::Step>& steps) {
  auto rows = blocks_.block(block);
  std::vector<std::uint32_t> variables;
  for (std::uint32_t row : rows) variables.push_back(variable_of_row_[row]);
  if (!tearing_) tearing_ = std::make_unique<BlockTearing>(plan_, kernels_, equations_, graph_, shape_of_section_, hints_);
  const TornBlock torn = tearing_->tear(rows, variables);
  // From here on the block is matched as it is torn.
  struct Inner {
    std::uint32_t level, key, row;
    auto operator<=>(const Inner&) const = default;
  };
  std::vector<Inner> inner;
  inner.reserve(torn.inner.size());
  for (const TornBlock::Inner& i : torn.inner) {
    variable_of_row_[i.row] = i.variable;
    inner.push_back({i.level, key_of(i.row), i.row});
  }
  for (std::size_t k = 0; k < torn.residues.size(); ++k) variable_of_row_[torn.residues[k]] = torn.unknowns[k];

  runtime::Loop loop;
  loop.kind = torn.kind;
  loop.first_run = static_cast<std::uint32_t>(plan_.model.runs.size());
  std::ranges::sort(inner);
  auto alike = [&](std::size_t x, std::size_t y) { return inner[x].level == inner[y].level && inner[x].key == inner[y].key; };
  std::vector<std::uint32_t> together;
  gather(inner.size(), alike, [&](std::size_t begin, std::size_t end) {
    together.clear();
    for (std::size_t i = begin; i < end; ++i) together.push_back(inner[i].row);
    emit_assign(together, inner[begin].key);
  });
  residuals(torn.residues);
  loop.runs = static_cast<std::uint32_t>(plan_.model.runs.size()) - loop.first_run;
  loop.first_unknown = static_cast<std::uint32_t>(plan_.model.loop_unknowns.size());
  loop.unknowns = static_cast<std::uint32_t>(torn.unknowns.size());
  plan_.model.loop_unknowns.insert(plan_.model.loop_unknowns.end(), torn.unknowns.begin(), torn.unknowns.end());
  steps.push_back({runtime::Step::Solve, static_cast<std::uint32_t>(plan_.model.loops.size())});
  plan_.model.loops.push_back(loop);
}

void Scheduler::emit_run(std::span<const std::uint32_t> rows, runtime::Role role, std::uint32_t kernel, std::uint32_t solved) {
  runtime::Model& model = plan_.model;
  runtime::Run run;
  run.role = role;
  run.kernel = kernel;
  run.solved = solved;
  run.count = static_cast<std::uint32_t>(rows.size());
  run.table = model.tables.size();
  run.equations = model.equations.size();
  model.equations.insert(model.equations.end(), rows.begin(), rows.end());
  if (kernel == runtime::kNone) {
    std::uint32_t offset = 0;
    auto terms_of = [&](std::uint32_t row) {
      const EquationList::Section& s = equations_.sections()[equations_.section_of(row)];
      return s.sums->terms_of(row - s.first);
    };
    model.tables.push_back(0);
    for (std::uint32_t row : rows) model.tables.push_back(offset += static_cast<std::uint32_t>(terms_of(row).size()));
    bool once = false;
    if (role == runtime::Role::Solve)
      for (std::uint32_t row : rows) model.tables.push_back(position_in_row(row, variable_of_row_[row], once));
    for (std::uint32_t row : rows)
      for (Term term : terms_of(row)) model.tables.push_back(term.code);
  } else {
    // One kernel can serve tables of several sections that have the same shape.
    run.slots = plan_.kernels[kernel].slots;
    run.params = plan_.kernels[kernel].params;
    run.partials = kernels_.partials(shape_of_section_[equations_.section_of(rows[0])]);
    std::size_t columns = std::size_t{run.slots} + run.params, count = rows.size();
    model.tables.resize(run.table + columns * count);
    std::uint32_t* out = model.tables.data() + run.table;
    for (std::size_t i = 0; i < count; ++i) {
      const EquationList::Section& s = equations_.sections()[equations_.section_of(rows[i])];
      auto slots = s.table->unknowns_of(rows[i] - s.first);
      auto params = s.table->parameters_of(rows[i] - s.first);
      for (std::size_t k = 0; k < slots.size(); ++k) out[k * count + i] = slots[k];
      for (std::size_t k = 0; k < params.size(); ++k) out[(run.slots + k) * count + i] = params[k];
    }
  }
  model.runs.push_back(run);
}

}  // namespace sigrel::structure
