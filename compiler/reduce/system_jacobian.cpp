#include "compiler/reduce/system_jacobian.h"

#include <algorithm>
#include <tuple>

#include "compiler/graph/blt.h"
#include "compiler/graph/single_columns.h"
#include "compiler/singularity/random_jacobian.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
constexpr std::size_t kMostWork = 20'000'000;  // entries of a block

/// For each element of the chains of derivatives: how many follow it, and the last one.
struct Chains {
  std::vector<std::uint32_t> following, last;
  explicit Chains(std::span<const std::uint32_t> derivative)
      : following(derivative.size(), 0), last(derivative.size()) {
    const std::vector<std::uint32_t> below = graph::inverse(derivative);
    for (std::uint32_t top = 0; top < derivative.size(); ++top) {
      if (derivative[top] != kNone) continue;
      std::uint32_t count = 0;
      for (std::uint32_t k = top; k != kNone; k = below[k], ++count) {
        following[k] = count;
        last[k] = top;
      }
    }
  }
};

/// The blocks of the core, each a matrix of its own.
class Blocks {
 public:
  Blocks(const system::System& system, dae::System& dae, const incidence::EquationList& equations,
         const Offsets& offsets)
      : equations_(equations),
        offsets_(offsets),
        jacobian_(dae.exprs, equations, exact::parameter_values(system)) {}

  Dependencies run(const graph::Bipartite& graph, const graph::Matching& matching,
                   const std::vector<std::uint32_t>& core) {
    number_core(graph, matching, core);
    std::vector<std::uint32_t> row_of_column(core.size());
    for (std::uint32_t k = 0; k < core.size(); ++k) row_of_column[k] = k;  // a column has its row's number
    const graph::Blocks blocks = graph::blt(core_, row_of_column);
    for (std::uint32_t b = 0; b < blocks.count(); ++b) {
      if (blocks.block(b).size() == 1) continue;
      const std::size_t before = result_.found.size();
      eliminate(core, blocks.block(b));
      if (result_.found.size() == before) continue;
      result_.block_of_column.resize(graph.columns, kNone);
      for (std::uint32_t row : blocks.block(b))
        result_.block_of_column[matching.column_of_row[core[row]]] = b;
      for (std::size_t k = before; k < result_.found.size(); ++k) result_.found[k].block = b;
    }
    return std::move(result_);
  }

 private:
  void number_core(const graph::Bipartite& graph, const graph::Matching& matching,
                   const std::vector<std::uint32_t>& core) {
    place_.assign(graph.columns, kNone);
    for (std::uint32_t k = 0; k < core.size(); ++k) place_[matching.column_of_row[core[k]]] = k;
    core_.columns = static_cast<std::uint32_t>(core.size());
    for (std::uint32_t row : core) {
      for (std::uint32_t c : graph.row(row))
        if (place_[c] != kNone) core_.targets.push_back(place_[c]);
      core_.end_row();
    }
    row_in_block_.assign(core.size(), kNone);
  }

  void eliminate(const std::vector<std::uint32_t>& core, std::span<const std::uint32_t> block) {
    for (std::uint32_t k = 0; k < block.size(); ++k) row_in_block_[block[k]] = k;
    std::vector<exact::SparseRow> columns(block.size());
    std::vector<std::size_t> entries(block.size(), 0);
    for (std::uint32_t k = 0; k < block.size(); ++k) {
      const EquationId e{core[block[k]]};
      jacobian_.row(e, [&](VariableId v, exact::Field value, bool) {
        ++entries[k];
        if (!offsets_.reaches(e, v)) return;
        const std::uint32_t place = place_[offsets_.column[v]];
        if (place == kNone || row_in_block_[place] == kNone) return;
        columns[row_in_block_[place]].push_back({k, value});
      });
    }
    for (exact::SparseRow& column : columns) exact::tidy(column);
    const std::vector<std::uint32_t> preferred = in_order_of_preference(core, block, entries);
    for (const exact::Dependency& d : exact::row_dependencies(std::move(columns), preferred, kMostWork)) {
      DependentEquations found{EquationId{core[block[d.row]]}, {}, 0};
      for (const exact::Entry& f : d.factors)
        found.parts.push_back({EquationId{core[block[f.column]]}, f.value});
      result_.found.push_back(std::move(found));
    }
    for (std::uint32_t row : block) row_in_block_[row] = kNone;
  }

  /// The rows of a block as they should stand for a dependency: the lowest offset first, because the others
  /// are differentiated more often; then those that cost more, because a combination contains them once
  /// already.
  std::vector<std::uint32_t> in_order_of_preference(const std::vector<std::uint32_t>& core,
                                                    std::span<const std::uint32_t> block,
                                                    const std::vector<std::size_t>& entries) const {
    std::vector<std::uint32_t> rows(block.size());
    for (std::uint32_t k = 0; k < rows.size(); ++k) rows[k] = k;
    std::ranges::sort(rows, {}, [&](std::uint32_t k) {
      const EquationId e{core[block[k]]};
      return std::tuple(offsets_.equation[e], equations_.section(e).table == nullptr, ~entries[k], ~e.value);
    });
    return rows;
  }

  const incidence::EquationList& equations_;
  const Offsets& offsets_;
  singularity::RandomJacobian jacobian_;
  graph::Bipartite core_;             // columns are numbered by the rows that they are matched with
  std::vector<std::uint32_t> place_;  // by column of the graph: its column in the core
  std::vector<std::uint32_t> row_in_block_;
  Dependencies result_;
};

}  // namespace

Offsets offsets_without_differentiation(const dae::System& dae) {
  Offsets offsets;
  offsets.equation.assign(dae.equations.count(), 0);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    offsets.variable.push_back(dae.variables[v].derivative == dae::kNone ? 0 : 1);
    offsets.column.push_back(v);
  }
  return offsets;
}

Offsets offsets_of(const dae::System& dae, const incidence::EquationList& equations,
                   const graph::Differentiated& graph) {
  const Chains rows(graph.equation_derivative), columns(graph.variable_derivative);
  Offsets offsets;
  for (std::uint32_t e = 0; e < equations.count(); ++e) offsets.equation.push_back(rows.following[e]);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    offsets.variable.push_back(columns.following[v]);
    offsets.column.push_back(columns.last[v]);
  }
  return offsets;
}

Dependencies dependent_equations(const system::System& system, dae::System& dae,
                                 const incidence::EquationList& equations, const Offsets& offsets,
                                 const graph::Bipartite& graph, const graph::Matching& matching,
                                 const std::vector<std::uint32_t>& core) {
  if (core.empty()) return {};
  return Blocks(system, dae, equations, offsets).run(graph, matching, core);
}

Dependencies dependent_equations(const system::System& system, dae::System& dae,
                                 const incidence::EquationList& equations, const Offsets& offsets,
                                 const graph::Differentiated& graph) {
  graph::Bipartite highest;
  highest.columns = graph.variables();
  highest.offsets.reserve(equations.count() + 1);
  highest.targets.reserve(graph.graph.offsets[equations.count()]);
  for (EquationId e : ids<EquationId>(0, equations.count())) {
    for (std::uint32_t v : graph.graph.row(e.value))
      if (offsets.reaches(e, VariableId{v})) highest.targets.push_back(offsets.column[VariableId{v}]);
    highest.end_row();
  }
  const std::vector<std::uint32_t> rows = graph::rows_without_single_columns(highest);
  if (rows.empty()) return {};
  graph::Bipartite rest;
  rest.columns = highest.columns;
  std::vector<bool> left(highest.rows(), false);
  for (std::uint32_t row : rows) left[row] = true;
  for (std::uint32_t row = 0; row < highest.rows(); ++row) {
    if (left[row])
      for (std::uint32_t c : highest.row(row)) rest.targets.push_back(c);
    rest.end_row();
  }
  std::vector<std::uint32_t> core;
  const graph::Matching matching = graph::maximum_matching(rest, &core);
  std::erase_if(core, [&](std::uint32_t row) { return !left[row]; });
  if (matching.size() < rows.size()) return {};  // not reached: pantelides() matched them
  return dependent_equations(system, dae, equations, offsets, rest, matching, core);
}

}  // namespace sigrel::reduce
