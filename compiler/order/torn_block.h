// How a simultaneous block is solved: its tearing variables, on which the solver iterates, and the equations
// from which the other variables follow.
//
// An equation may be solved for a variable when it is linear in it and the coefficient is a number, or made
// of parameters with values that keep it well away from zero. Since the structure is chosen for these values,
// the runtime checks the coefficient again at the start, in case a parameter has changed. Coefficients that
// contain variables are not used.
//
// A block of up to kSmallBlock equations is solved with dense matrices, and the fewer unknowns the better
// (graph/tearing.h). A larger one must stay sparse: it is torn only as far as the incidence matrix of the
// rest has no more entries than before (graph/sparse_tearing.h), and no variable may depend on more than
// kMostUnknowns unknowns.
//
// A variable follows from the tearing variables through others. Each step may amplify an error, and long
// chains through a ladder or a multiple pendulum would make the few tearing variables that remain
// ill-conditioned (as with shooting methods). Therefore a variable whose chain would be longer than
// kLongestWay equations becomes a tearing variable itself. In a block without an equation that can be solved,
// all variables are tearing variables.
#pragma once
#include <optional>
#include <ranges>
#include <span>
#include <vector>

#include "compiler/graph/bipartite.h"
#include "compiler/graph/sparse_tearing.h"
#include "compiler/graph/tearing.h"
#include "compiler/incidence/coefficients.h"
#include "compiler/incidence/ids.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"

namespace sigrel::order {

struct TornBlock {
  struct Inner {
    EquationId equation;
    VariableId variable;
    std::uint32_t level;  // evaluated after all of lower levels
  };
  std::vector<Inner> inner;
  std::vector<EquationId> residual_equations;  // ascending
  std::vector<VariableId> tearing_variables;   // as many, ascending
  runtime::AlgebraicLoop::Kind kind = runtime::AlgebraicLoop::Nonlinear;
};

/// Properties of variables and parameters that matter for tearing.
struct TearingHints {
  std::vector<bool> preferred;  // by variable: becomes a tearing variable rather than others
  std::vector<bool> discrete;   // by parameter: the runtime changes it at events
};

/// Tears blocks of one system, one after the other.
class BlockTearing {
 public:
  static constexpr std::uint32_t kLongestWay = 16;
  /// Equations of a block that is torn for dense matrices, at most. It must not have more tearing variables
  /// than runtime::kDenseLimit, which counts what is left after tearing: so this is a limit of its own, and
  /// the smaller one (tests/unit/reduce/plan_test.cpp).
  static constexpr std::size_t kSmallBlock = 50;
  /// Tearing variables on which a variable of a larger block may depend.
  static constexpr std::size_t kMostUnknowns = 8;

  /// `shape_of_section` as numbered by the kernels.
  BlockTearing(plan::Plan& plan, Kernels& kernels, const incidence::EquationList& equations,
               const graph::Bipartite& graph, const IdVector<SectionId, ShapeId>& shape_of_section,
               const TearingHints& hints);

  TornBlock tear(std::span<const EquationId> equations, std::span<const VariableId> variables);

 private:
  incidence::Coefficients& coefficients(SectionId section);
  auto variables_of(EquationId equation) const {
    return graph_.row(equation.value) | std::views::transform([](std::uint32_t v) { return VariableId{v}; });
  }
  bool in_block(VariableId variable) const { return mark_[variable] == clock_; }
  bool solvable(EquationId equation, VariableId variable);
  runtime::AlgebraicLoop::Kind kind_of(std::span<const EquationId> equations);
  void shorten(const graph::Torn& torn, std::size_t size, TornBlock& block);

  plan::Plan& plan_;
  Kernels& kernels_;
  const incidence::EquationList& equations_;
  const graph::Bipartite& graph_;  // rows are equations, columns are variables
  graph::Bipartite columns_;
  const IdVector<SectionId, ShapeId>& shape_of_section_;
  const TearingHints& hints_;
  graph::Tearing tearing_;
  graph::SparseTearing sparse_;
  IdVector<SectionId, std::optional<incidence::Coefficients>> coefficients_;
  std::vector<double> parameters_;
  IdVector<VariableId, std::uint32_t> mark_, level_, first_, last_;
  std::uint32_t clock_ = 0;
};

}  // namespace sigrel::order
