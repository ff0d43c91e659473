// Whether a definition can be completed: one matching covers all rows and all hidden columns.
//
// Mendelsohn and Dulmage, Some generalizations of the problem of distinct representatives (1958): if one
// matching covers the hidden columns and another one all rows, then one covers both. It is found by covering
// the hidden columns first; augmenting paths for the rows never uncover a column.
//
// If there is none, singularity/structural_causes.h finds the equations or unknowns that are the cause.
//
// Example: interface x, hidden z; rows {z} {z} {x}: rows 0 and 1 have one column between them, the definition
// is over-determined.
#pragma once
#include "compiler/graph/matching.h"
#include "compiler/structural_types/incidence.h"

namespace sigrel::structural_types {

struct Cover {
  graph::Matching matching;
  bool over_determined = false;   // the rows cannot all be matched
  bool under_determined = false;  // the hidden columns cannot
  bool complete() const { return !over_determined && !under_determined; }
};

Cover cover(const Incidence& incidence);

}  // namespace sigrel::structural_types
