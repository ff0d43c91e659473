#include "compiler/order/initial.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "compiler/exact/random_point.h"
#include "compiler/graph/column_release.h"
#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "compiler/symbolic/symbolic.h"
#include "compiler/symbolic/work_pool.h"

namespace sigrel::order {
namespace {

/// The slots on which partial derivatives depend.
std::vector<std::uint32_t> slots_of(const ExprPool& pool, const std::vector<ExprId>& partials) {
  std::vector<std::uint32_t> slots;
  for (ExprId id : topological(pool, partials))
    if (pool[id].op == Op::Slot) slots.push_back(pool[id].a);
  return slots;
}

/// The variables that are zero by an equation of their own, from equation `first` on.
exact::Zeros find_zeros(const ExprPool& pool, const system::System& system,
                        const incidence::EquationList& equations, const graph::Bipartite& graph,
                        std::uint32_t first) {
  exact::Zeros zeros;
  zeros.variables.resize(graph.columns, false);
  zeros.parameters.reserve(system.parameters.size());
  for (const system::Parameter& p : system.parameters)
    zeros.parameters.push_back(p.op == Op::Const && p.value == 0);
  std::vector<std::uint32_t> found;
  for (const incidence::EquationList::Section& s : equations.sections()) {
    if (s.first.value < first || !s.table || s.table->slots != 1) continue;
    exact::Zeros here{std::vector<bool>(1, true), {}};
    exact::PointEvaluator at_zero(pool, {s.table->residual}, &here);
    std::vector<std::uint32_t> places;
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      here.parameters.clear();
      places.clear();
      for (std::uint32_t p : s.table->parameters_of(row)) {
        places.push_back(static_cast<std::uint32_t>(places.size()));
        here.parameters.push_back(zeros.parameter(p));
      }
      const std::uint32_t only = 0;
      if (at_zero.row({&only, 1}, places)[0].zero()) found.push_back(s.table->unknowns_of(row)[0]);
    }
  }
  for (std::uint32_t v : found) zeros.variables[v] = true;
  zeros.parameters.clear();  // a coefficient may be given another value
  return zeros;
}

/// Whether a partial derivative of some row depends on a zero.
bool partials_read(ExprPool& pool, const incidence::EquationList& equations, const exact::Zeros& zeros) {
  symbolic::WorkPool of_one(pool);
  for (const incidence::EquationList::Section& s : equations.sections()) {
    if (!s.table || s.rows == 0) continue;
    ExprId residual = s.table->residual;
    ExprPool& work = of_one.begin(residual);
    const std::vector<std::uint32_t> inside =
        slots_of(work, symbolic::gradient(work, residual, s.table->slots));
    for (std::uint32_t row = 0; row < s.rows && !inside.empty(); ++row) {
      auto unknowns = s.table->unknowns_of(row);
      if (std::ranges::any_of(inside, [&](std::uint32_t k) { return zeros.variables[unknowns[k]]; }))
        return true;
    }
  }
  return false;
}

/// The incidence without the edges whose partial derivatives vanish at the zeros.
graph::Bipartite incidence_at(ExprPool& pool, const incidence::EquationList& equations, std::uint32_t columns,
                              const exact::Zeros& zeros) {
  graph::Bipartite g;
  g.columns = columns;
  g.offsets.reserve(equations.count() + 1);
  g.targets.reserve(equations.entries());
  symbolic::WorkPool of_one(pool);
  for (const incidence::EquationList::Section& s : equations.sections()) {
    ExprPool& work = of_one.begin();
    std::vector<ExprId> partials;
    std::vector<bool> generic;  // per slot: whether the partial derivative is not zero everywhere
    if (s.table && s.rows > 0) {
      ExprId residual = s.table->residual;
      of_one.begin(residual);
      partials = symbolic::gradient(work, residual, s.table->slots);
    }
    for (ExprId partial : partials)
      generic.push_back(work[partial].op != Op::Const || work[partial].value != 0);
    const std::vector<std::uint32_t> inside = slots_of(work, partials);
    std::optional<exact::PointEvaluator> at_zeros;  // seldom needed
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      if (s.table) {
        auto unknowns = s.table->unknowns_of(row);
        const bool special =
            std::ranges::any_of(inside, [&](std::uint32_t k) { return zeros.variables[unknowns[k]]; });
        std::vector<exact::Field> there;
        if (special && !at_zeros) at_zeros.emplace(work, partials, &zeros);
        if (special) there = at_zeros->row(unknowns, s.table->parameters_of(row));
        for (std::size_t k = 0; k < unknowns.size(); ++k)
          if (special ? !there[k].zero() : generic[k]) g.targets.push_back(unknowns[k]);
      } else {
        for (Term t : s.sums->terms_of(row)) g.targets.push_back(t.unknown());
      }
      g.end_row();
    }
  }
  return g;
}

/// By row: the unknowns in which the equation is linear, with coefficients that do not vary.
graph::Bipartite linear_incidence(ExprPool& pool, const incidence::EquationList& equations,
                                  std::uint32_t columns) {
  graph::Bipartite g;
  g.columns = columns;
  symbolic::WorkPool of_one(pool);
  for (const incidence::EquationList::Section& s : equations.sections()) {
    std::vector<std::uint32_t> linear;
    if (s.table && s.rows > 0) {
      ExprId residual = s.table->residual;
      ExprPool& work = of_one.begin(residual);
      const std::vector<ExprId> partials = symbolic::gradient(work, residual, s.table->slots);
      for (std::uint32_t k = 0; k < partials.size(); ++k)
        if (const Node& n = work[partials[k]]; n.op == Op::Const ? n.value != 0 : n.op == Op::Param)
          linear.push_back(k);
    }
    for (std::uint32_t row = 0; row < s.rows; ++row) {
      if (s.table)
        for (std::uint32_t k : linear) g.targets.push_back(s.table->unknowns_of(row)[k]);
      else
        for (Term t : s.sums->terms_of(row)) g.targets.push_back(t.unknown());
      g.end_row();
    }
  }
  return g;
}

/// Matches rows in which one column is not matched with that column, if they are linear in it, one after the
/// other.
void match_linear(const graph::Bipartite& g, const graph::Bipartite& linear, graph::Matching& m) {
  auto given = [&](std::uint32_t v) { return m.row_of_column[v] != graph::kNone; };
  const graph::Bipartite rows_of = graph::transpose(g);
  std::vector<std::uint32_t> open, ready;
  for (std::uint32_t e = 0; e < g.rows(); ++e) {
    open.push_back(static_cast<std::uint32_t>(std::ranges::count_if(g.row(e), std::not_fn(given))));
    if (open.back() == 1) ready.push_back(e);
  }
  for (std::size_t next = 0; next < ready.size(); ++next) {
    const std::uint32_t e = ready[next];
    if (open[e] != 1 || m.column_of_row[e] != graph::kNone) continue;
    const std::uint32_t v = *std::ranges::find_if_not(g.row(e), given);
    if (std::ranges::find(linear.row(e), v) == linear.row(e).end()) continue;
    m.match(e, v);
    for (std::uint32_t other : rows_of.row(v))
      if (--open[other] == 1) ready.push_back(other);
  }
}

/// A maximum matching of the hard equations.
graph::Matching match_hard(const graph::Bipartite& g, const dae::System& dae,
                           const graph::Bipartite* linear = nullptr) {
  const std::uint32_t variables = g.columns;
  graph::Matching m = graph::Matching::empty(g.rows(), variables);
  auto has = [&](std::uint32_t e, std::uint32_t v) {
    return std::ranges::find(g.row(e), v) != g.row(e).end();
  };
  // An equation with one variable determines that one: where there are too many equations, not `x = 1` and
  // `y = 0` are checked but `x^2 + y^2 = 1`, which might be hard to solve there, or have another solution.
  // So do linear equations from there on.
  for (auto e = static_cast<std::uint32_t>(dae.equations.count()); e < g.rows(); ++e)
    if (auto columns = g.row(e); columns.size() == 1 && m.row_of_column[columns[0]] == graph::kNone)
      m.match(e, columns[0]);
  if (linear) match_linear(g, *linear, m);
  // The matching of the dynamic system leaves exactly the states free: few augmenting paths are missing.
  for (std::uint32_t v = 0; v < variables; ++v)
    if (dae.assign[v] != dae::kNone && m.row_of_column[v] == graph::kNone &&
        m.column_of_row[dae.assign[v]] == graph::kNone && has(dae.assign[v], v))
      m.match(dae.assign[v], v);
  graph::augment(g, m);
  return m;
}

/// Completes a matching of the hard equations: states take their guesses as long as they fit.
InitialMatching with_guesses(const graph::Bipartite& g, graph::Matching m,
                             const std::vector<VariableId>& preference) {
  InitialMatching result;
  for (std::uint32_t e = 0; e < g.rows(); ++e)
    if (m.column_of_row[e] == graph::kNone) result.unmatched.push_back(EquationId{e});
  if (m.size() < g.columns) {
    graph::Parts parts = graph::dulmage_mendelsohn(g, m);
    for (std::uint32_t v = 0; v < g.columns; ++v)
      if (parts.columns[v] == graph::Part::Under) result.undetermined.push_back(VariableId{v});
  }
  graph::ColumnRelease columns(g, m);
  for (VariableId state : preference)
    if (columns.release(state.value)) {
      m.row_of_column[state.value] = g.rows() + static_cast<std::uint32_t>(result.guessed.size());
      result.guessed.push_back(state);
    }
  result.row_of_variable = std::move(m.row_of_column);
  return result;
}

}  // namespace

InitialMatching match_initial(ExprPool& pool, const system::System& system, const dae::System& dae,
                              const incidence::EquationList& hard,
                              const std::vector<VariableId>& preference) {
  auto variables = static_cast<std::uint32_t>(dae.variables.size());
  const graph::Bipartite g = incidence::determining_incidence(pool, hard, variables);
  graph::Matching m = match_hard(g, dae);
  std::optional<graph::Bipartite> linear;  // where there is a choice of equations
  if (m.size() < g.rows()) {
    linear = linear_incidence(pool, hard, variables);
    m = match_hard(g, dae, &*linear);
  }
  if (const exact::Zeros zeros =
          find_zeros(pool, system, hard, g, static_cast<std::uint32_t>(dae.equations.count()));
      std::ranges::find(zeros.variables, true) != zeros.variables.end() && partials_read(pool, hard, zeros)) {
    const graph::Bipartite there = incidence_at(pool, hard, variables, zeros);
    if (graph::Matching likely = match_hard(there, dae, linear ? &*linear : nullptr);
        likely.size() == m.size()) {
      // A variable that is no state, and whose factor is zero, would not be determined by anything.
      InitialMatching result = with_guesses(there, std::move(likely), preference);
      if (std::ranges::find(result.row_of_variable, graph::kNone) == result.row_of_variable.end())
        return result;
    }
  }
  return with_guesses(g, std::move(m), preference);
}

}  // namespace sigrel::order
