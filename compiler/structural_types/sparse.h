// K1 to K4 for systems of any size, in nearly linear time, and the connected parts that are left. On
// components of ordinary size the bit sets of dense.h do the same faster; here are the models that somebody
// writes as one flat relation.
//
// K1 is admissible.h with the blocks of graph::blt for the strongly connected components. K2 to K4 are
// merge.h in rounds: in a round, rows and columns that had at most two entries at its start are merged by
// union-find, whatever has happened to their neighbours meanwhile (entries only get fewer); then all lists
// are written anew. Tarjan (1975) for union-find.
//
// Example: a = b, b = c, c = d in one round: three rows {a b} {b c} {c d} with b, c hidden become the row {a
// d}.
#pragma once
#include <vector>

#include "compiler/structural_types/incidence.h"

namespace sigrel::structural_types {

/// A system over some interface columns of a definition: `label` says which. Ascending.
struct Part {
  Incidence incidence;
  std::vector<std::uint32_t> label;
};

/// K1 to K4 until none applies. The columns that are in every basis go to `coloops` and out of the system;
/// there is a covering matching.
Part close_sparse(const Incidence& incidence, std::vector<std::uint32_t>& coloops);

/// Rows that are connected by columns, each group with its columns.
std::vector<Part> connected_parts(const Part& whole);

}  // namespace sigrel::structural_types
