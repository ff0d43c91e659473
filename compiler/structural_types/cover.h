// Whether a definition can be completed: one matching covers all rows and all hidden columns.
//
// Mendelsohn and Dulmage, Some generalizations of the problem of distinct representatives (1958): if one
// matching covers the hidden columns and another one all rows, then one covers both. It is found by covering
// the hidden columns first; augmenting paths for the rows never uncover a column.
//
// If there is none, Hall (1935) gives a set to blame on at least one side. Both sets are minimal: leave out
// one member and the rest can be matched.
//
// Example: interface x, hidden z; rows {z} {z} {x}: rows 0 and 1 have one column between them, `excess` is
// {rows 0 1, columns z}.
#pragma once
#include <optional>

#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/structural_types/incidence.h"

namespace sigrel::structural_types {

struct Cover {
  graph::Matching matching;
  std::optional<graph::HallSet> excess;        // more rows than columns that occur in them
  std::optional<graph::HallSet> undetermined;  // more hidden columns than rows that contain them
  bool complete() const { return !excess && !undetermined; }
};

/// Rows are tried in their order, so that the excess found is the one which is complete first and its last
/// row is the one that is too much. Of the hidden columns, the first `locals` are tried after the others.
Cover cover(const Incidence& incidence, std::uint32_t locals = 0);

}  // namespace sigrel::structural_types
