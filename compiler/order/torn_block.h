// How a simultaneous block is solved: on which variables the solver works, and what follows from them.
//
// An equation may give a variable when it is linear in it and the coefficient is a number, or made of
// parameters with values that leave it well away from zero: as the structure is chosen for these values, the
// runtime looks at the coefficient again when it begins, in case a parameter has become another. Coefficients
// that contain variables are not used.
//
// A block of up to kSmall equations is solved with dense matrices, and the fewer unknowns the better
// (graph/tearing.h). A larger one must stay sparse: it is torn only as far as the incidence matrix of what is
// left has no more entries than before (graph/sparse_tearing.h), and no variable may depend on more than
// kMostUnknowns unknowns.
//
// A variable follows from the unknowns by way of others. Each step may enlarge an error, and long ways
// through a ladder or a multiple pendulum would make the few unknowns that remain a bad question to ask (as
// with shooting methods). Therefore a variable whose way would be longer than kLongestWay equations is made
// an unknown itself. In a block with nothing that can be solved for, all variables are unknowns.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/graph/bipartite.h"
#include "compiler/graph/sparse_tearing.h"
#include "compiler/graph/tearing.h"
#include "compiler/incidence/coefficients.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"

namespace sigrel::order {

struct TornBlock {
  struct Inner {
    std::uint32_t row, variable;
    std::uint32_t level;  // evaluated after all of lower levels
  };
  std::vector<Inner> inner;
  std::vector<std::uint32_t> residual_equations;  // rows, ascending
  std::vector<std::uint32_t> unknowns;            // as many, ascending
  runtime::AlgebraicLoop::Kind kind = runtime::AlgebraicLoop::Nonlinear;
};

/// What a system says of its variables and parameters that matters for tearing.
struct TearingHints {
  std::vector<bool> preferred;  // per variable: rather an unknown than others
  std::vector<bool> moving;     // per parameter: the runtime changes it while it runs
};

/// Tears blocks of one system, one after the other.
class BlockTearing {
 public:
  static constexpr std::uint32_t kLongestWay = 16;
  static constexpr std::size_t kMostUnknowns =
      8;  // in blocks larger than kSmall, which are solved with dense matrices
  static constexpr std::size_t kSmall = 50;

  /// `shape_of_section` as numbered by the kernels.
  BlockTearing(plan::Plan& plan, Kernels& kernels, const incidence::EquationList& equations,
               const graph::Bipartite& graph, const std::vector<std::uint32_t>& shape_of_section,
               const TearingHints& hints);

  TornBlock tear(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> variables);

 private:
  incidence::Coefficients& coefficients(std::uint32_t section);
  bool solvable(std::uint32_t row, std::uint32_t variable);
  runtime::AlgebraicLoop::Kind kind_of(std::span<const std::uint32_t> rows);
  void shorten(const graph::Torn& torn, std::size_t size, TornBlock& block);

  plan::Plan& plan_;
  Kernels& kernels_;
  const incidence::EquationList& equations_;
  const graph::Bipartite& graph_;
  graph::Bipartite columns_;
  const std::vector<std::uint32_t>& shape_of_section_;
  const TearingHints& hints_;
  graph::Tearing tearing_;
  graph::SparseTearing sparse_;
  std::vector<std::optional<incidence::Coefficients>> coefficients_;  // by section
  std::vector<double> parameters_;
  std::vector<std::uint32_t> mark_, level_, first_, last_;  // per variable
  std::uint32_t clock_ = 0;
};

}  // namespace sigrel::order
