// Tearing: in a block of equations that must be solved together, which variables to guess (tear) so that all
// others follow one after the other. Elmqvist and Otter, Methods for tearing systems of equations in
// object-oriented modeling (1994); Otter and Elmqvist, Transformation of differential algebraic array
// equations to index one form (2017), section 4.
//
// Equation by equation, the first variable for which the equation can be solved without closing a cycle is
// solved for. The solved equations form a directed acyclic graph at all times; variables for which no
// equation is solved are the tearing variables, and the other equations are the residual equations. To solve
// equation e for v closes a cycle exactly when e contains a variable that depends on v. Two searches
// alternate, one edge each: forwards from v, and backwards from e. There is no cycle as soon as one of them
// ends, so that a long sequence can grow at its head and at its tail. (Bender, Fineman, Gilbert and Tarjan, A
// new approach to incremental cycle detection (2016), discuss the search in both directions.) In order
// FewestFirst the searches in one system share an allowance in proportion to its edges; when that is used up,
// a search that does not end within kSearchAlways edges counts as a cycle. The solved equations stay acyclic;
// a few variables more may be torn then, in systems of tens of thousands of equations without an order.
//
// Example (ModiaBase, 1-based): G = [[1,2,4],[1,7],[3,4],[3,7],[6,7],[2]], equations [3,4,2,1] for variables
// [3,7,1,4]: with v4 given, equation 3 gives v3, 4 gives v7, 2 gives v1, and equation 1 remains. eSolved =
// [3,4,2], vSolved = [3,7,1], eResidue = [1], vTear = [4].
#pragma once
#include <functional>

#include "compiler/graph/bipartite.h"

namespace sigrel::graph {

enum class TearingOrder : std::uint8_t {
  AsGiven,      // equations in the order given, their variables in the order of the row: as ModiaBase does
  FewestFirst,  // equations with few unknowns first, solved for variables that occur in few equations: those
                // in many are torn
};

struct Torn {
  std::vector<std::uint32_t>
      solved_equations;  // solved_equations[i] gives solved_variables[i] from torn and earlier ones
  std::vector<std::uint32_t> solved_variables;
  std::vector<std::uint32_t> residual_equations;  // in the order given
  std::vector<std::uint32_t> torn;                // in the order given
};

/// Tears systems of one graph, one after the other, without allocation for each. `columns` is the transpose
/// of `graph`.
class Tearing {
 public:
  /// Whether an equation can be solved for a variable explicitly, without loss or gain of solutions.
  using Solvable = std::function<bool(std::uint32_t equation, std::uint32_t variable)>;
  struct System {
    std::span<const std::uint32_t> equations;
    /// Each group is tried on all remaining equations before the next group. Other variables are known.
    std::span<const std::vector<std::uint32_t>> variables;
    /// Solved beforehand: fixed_equations[i] gives fixed_variables[i]; without cycles, and none of
    /// `equations` or `variables`.
    std::span<const std::uint32_t> fixed_equations{}, fixed_variables{};
  };

  Tearing(const Bipartite& graph, const Bipartite& columns);
  Torn tear(const System& system, const Solvable& solvable, TearingOrder order = TearingOrder::FewestFirst);

 private:
  static constexpr std::uint64_t kSearchAlways = 50, kSearchPerEdge = 20;
  struct Frame {
    std::uint32_t variable, next;
  };
  void assign(std::uint32_t equation, std::uint32_t variable);
  bool closes_cycle(std::uint32_t equation, std::uint32_t variable);
  void solve_for_group(std::span<const std::uint32_t> equations, const Solvable& solvable,
                       TearingOrder order);
  void sort_into(Torn& result);

  const Bipartite& graph_;
  const Bipartite& columns_;
  std::vector<bool> unknown_, candidate_;  // per variable: of the system; of the group
  std::vector<std::uint32_t> equation_of_variable_, variable_of_equation_, occurrences_;
  std::vector<std::uint32_t> contained_, ahead_, behind_;  // per variable: the last mark it got
  std::uint32_t row_mark_ = 0, search_mark_ = 0;
  std::uint64_t allowance_ = 0;          // edges that searches may still visit beyond kSearchAlways each
  std::vector<std::uint32_t> assigned_;  // variables, in the order in which they were assigned
  std::vector<Frame> forward_, backward_;
  std::vector<std::uint32_t> choices_;
};

}  // namespace sigrel::graph
