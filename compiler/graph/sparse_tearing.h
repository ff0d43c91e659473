// Tearing of large blocks, which must leave a sparse system of residual equations in the tearing variables.
//
// Solving an equation of r unknowns for a variable that c equations contain removes r + c - 1 entries from
// the incidence matrix and adds at most (r - 1)(c - 1): Markowitz, The elimination form of the inverse
// (1957). Variables are eliminated, the cheapest first, as long as the matrix gets no more entries by that;
// the others are torn. An entry that is filled in can be solved for if both entries that it comes from can:
// then the combined equation is linear in the variable. Of variables that cost the same, one with more uses
// is the better tearing variable. Then equations with a single unknown that is not known yet are solved for
// it, one after the other (Cellier and Kofman, Continuous System Simulation (2006), section 7.7); where there
// is none, one more variable is torn. Time is near-linear.
//
// Example: a mesh of resistors, per resistor u = v - w and u = R i, per node the sum of four currents. u
// occurs twice, then i in three equations of three; both are eliminated. To eliminate a potential would add
// those of its neighbours to other nodes, so potentials are torn. The result is nodal analysis: u follows
// from v and w, i from u, and the sums are the residual equations.
#pragma once
#include "compiler/graph/tearing.h"

namespace sigrel::graph {

/// Tears systems of one graph. `columns` is the transpose of `graph`.
class SparseTearing {
 public:
  /// Unknowns on which a variable may depend in the equation by which it is eliminated, and equations that
  /// may contain it.
  static constexpr std::uint32_t kMostInputs = 8, kMostUses = 16;

  SparseTearing(const Bipartite& graph, const Bipartite& columns);
  /// Variables for which `keep` holds are eliminated last.
  Torn tear(std::span<const std::uint32_t> equations, std::span<const std::uint32_t> variables,
            const Tearing::Solvable& solvable, const std::vector<bool>& keep);

 private:
  /// By place: which of the variables are eliminated.
  std::vector<bool> eliminate(std::span<const std::uint32_t> equations,
                              std::span<const std::uint32_t> variables, const Tearing::Solvable& solvable,
                              const std::vector<bool>& keep);

  const Bipartite& graph_;
  const Bipartite& columns_;
  std::vector<std::uint32_t> row_, column_;  // the place in the system, or kNone
};

}  // namespace sigrel::graph
