// Which equations must be differentiated, and how often, so that the highest derivatives are determined.
// Pantelides, The consistent initialization of differential-algebraic systems, SIAM J. Sci. Stat. Comput. 9
// (1988).
//
// A system is a graph of equations (rows) and variables (columns) with an association vector A: A[v] is the
// derivative of variable v, kNone when it has none. The algorithm matches every equation with a variable that
// has no derivative. Where a set of equations has fewer such variables than it needs, all of the set are
// differentiated. B[e] is the derivative of equation e. The result is the smallest number of
// differentiations, and the same whichever matching is used.
//
// Example (a pendulum, ModiaBase, 1-based): variables x y w z x' y' w' z' T, A = [5,6,7,8,0,0,0,0,0],
// G = [[3,5],[4,6],[1,7,9],[2,8,9],[1,2]]. The last equation, x^2 + y^2 = L^2, contains no variable without a
// derivative. It is differentiated twice, and x' = w and y' = z once: B = [7,8,0,0,6,9,0,0,0], A =
// [5,6,7,8,10,11,0,0,0,0,0]; the new equations are 6 = [1,2,5,6], 7 = [3,5,7,10], 8 = [4,6,8,11], 9 =
// [1,2,5,6,10,11].
//
// The differentiations end exactly when the equations can be matched in the extended system, in which each
// pair v, A[v] has an equation of its own (Pantelides, theorem 4.1). check_consistency looks at that first.
#pragma once
#include <optional>

#include "compiler/graph/dulmage_mendelsohn.h"

namespace sigrel::graph {

/// The inverse of A: the variable whose derivative is v, kNone where v is not a derivative.
std::vector<std::uint32_t> inverse(std::span<const std::uint32_t> association);

enum class Consistency : std::uint8_t {
  Consistent,
  TooManyEquations,  // equations are left over, variables are not
  TooManyVariables,  // variables are left over, equations are not
  Singular,          // both
};
struct ConsistencyReport {
  Consistency verdict = Consistency::Consistent;
  std::vector<std::uint32_t>
      equations;  // left over by one matching, ascending; never an equation of a derivative
  std::vector<std::uint32_t> variables;
  /// For each of the first kExplained `equations`: the smallest set of equations that contains it and has too
  /// few variables.
  static constexpr std::size_t kExplained = 20;
  std::vector<HallSet> competing_equations;
  /// For each of the first kExplained `variables`: the smallest set of variables that contains it and has too
  /// few equations.
  std::vector<HallSet> competing_variables;
};

/// The graph with a row {v, A[v]} at its end for each variable that has a derivative, v ascending.
Bipartite extended_system(const Bipartite& graph, std::span<const std::uint32_t> derivative);
/// `known`: per variable, whether it is given (an input). Empty: none is.
ConsistencyReport check_consistency(const Bipartite& graph, std::span<const std::uint32_t> derivative,
                                    const std::vector<bool>& known = {});

enum class SearchOrder : std::uint8_t {
  Fast,       // from a maximum matching of the highest derivatives that the model contains
  Published,  // equation by equation, as Pantelides and ModiaBase do: reproduces the numbers that they print
};

struct Differentiated {
  Bipartite graph;                                 // original equations, then derivatives
  std::vector<std::uint32_t> variable_derivative;  // A
  std::vector<std::uint32_t> equation_derivative;  // B
  std::vector<bool> known;                         // per variable: given, or a derivative of one that is
  /// Equations with B = none are matched with variables with A = none; others may still have the partner from
  /// before their differentiation.
  Matching matching;
  /// An equation whose differentiation does not end; all else is incomplete then.
  std::optional<std::uint32_t> endless;

  std::uint32_t equations() const { return graph.rows(); }
  std::uint32_t variables() const { return graph.columns; }
  /// Per variable: an unknown without a derivative.
  std::vector<bool> highest() const;
};

/// The system should not have too many equations (check_consistency); of one that has, `endless` names an
/// equation. A given variable gets a derivative, given too, where an equation that contains it is
/// differentiated.
Differentiated pantelides(Bipartite graph, std::vector<std::uint32_t> derivative,
                          std::vector<bool> known = {}, SearchOrder order = SearchOrder::Fast);

}  // namespace sigrel::graph
