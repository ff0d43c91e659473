// Tearing of large blocks, in which the few unknowns that are left must not depend on everything.
//
// Solving an equation of r unknowns for a variable that c equations contain takes r + c - 1 entries out of
// the incidence matrix and puts at most (r - 1)(c - 1) in: Markowitz, The elimination form of the inverse
// (1957). Variables are taken out, the cheapest first, as long as the matrix gets no more entries by that;
// those that stay are torn. Then equations with a single unknown that is not known yet give it, one after the
// other (Cellier and Kofman, Continuous System Simulation (2006), section 7.7); where none is left, one more
// variable is torn. Time is near-linear.
//
// Example: a mesh of resistors, per resistor u = v - w and u = R i, per node the sum of four currents. u
// occurs twice, then i in three equations of three; both go. In place of the currents a node would get its
// neighbours' potentials for others: these stay, and nodal analysis is what comes out: known v and w give u,
// u gives i, and the sums are the residues.
#pragma once
#include "compiler/graph/tearing.h"

namespace sigrel::graph {

/// Tears systems of one graph. `columns` is the transpose of `graph`.
class SparseTearing {
 public:
  static constexpr std::uint32_t kMostInputs =
      8;  // unknowns of which a variable that is taken out may be made
  static constexpr std::uint32_t kMostUses = 16;  // equations that may contain it

  SparseTearing(const Bipartite& graph, const Bipartite& columns);
  /// Variables for which `keep` holds are taken out last.
  Torn tear(std::span<const std::uint32_t> equations, std::span<const std::uint32_t> variables,
            const Tearing::Solvable& solvable, const std::vector<bool>& keep);

 private:
  std::vector<bool> take_out(std::span<const std::uint32_t> equations,
                             std::span<const std::uint32_t> variables, const Tearing::Solvable& solvable,
                             const std::vector<bool>& keep);

  const Bipartite& graph_;
  const Bipartite& columns_;
  std::vector<std::uint32_t> row_, column_;  // the place in the system, or kNone
};

}  // namespace sigrel::graph
