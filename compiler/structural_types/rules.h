// The reference rules K1 to K9 as an executable specification: a system as a matrix of bits, each rule in a
// few lines that restate its definition by matchings. Nothing here is fast; tests compare the fast forms with
// it (admissible.h K1, merge.h K2–K4, surplus.h K5, presentation.h K6, transversal.h K8, dominance.h K9, and
// reduce.cpp for all together). README.md of this folder explains the rules.
//
// Every rule keeps B, the family of sets of interface columns that can be matched with the rows in addition
// to all hidden columns. A rule returns whether it has changed something.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types::rules {

using Columns = std::uint64_t;  // a set of columns, one bit each

/// Interface columns are the lower bits, hidden columns the bits above them; numbers never change.
struct Matrix {
  Columns interface = 0, hidden = 0;  // the columns that are left
  std::vector<Columns> rows;
  Columns coloops = 0;  // interface columns that K1 has found to be in every set of B
  bool operator==(const Matrix&) const = default;
};
/// At most 64 columns.
Matrix matrix_of(const Incidence& incidence);
/// The canonical sparse form of a matrix without hidden columns, over `interface` columns.
StructuralType canonical_type(Matrix matrix, std::uint32_t interface);

/// B, ascending; by trying all sets of interface columns.
std::vector<Columns> family(const Matrix& matrix);

/// Deletes every edge that no covering matching uses, then takes away the connected components with as many
/// rows as columns: they are matched with each other whatever the context is.
bool k1(Matrix& matrix);
/// A hidden column that occurs in one row only, or a row of one hidden column: both go.
bool k2(Matrix& matrix);
/// A hidden column that occurs in two rows only: it goes, and the rows become their union.
bool k3(Matrix& matrix);
/// A row {z, y} with z hidden: the row goes, and y takes the place of z.
bool k4(Matrix& matrix);
/// Hidden columns Z that occur in |Z| + 1 rows: Z goes, and the rows become their union. After K1.
bool k5(Matrix& matrix);
/// Rows X that contain |X| + 1 columns, at most one of them of the interface: X goes, and the columns become
/// one. After K1.
bool k5_dual(Matrix& matrix);
/// An edge of a row with hidden columns without which the transversal matroid of the rows is the same.
bool k6(Matrix& matrix);
/// The presentation of B without hidden columns, if there is one.
bool k8(Matrix& matrix);
/// A hidden column and a row that contains it and is contained in every row that contains it: both go.
bool k9(Matrix& matrix);

/// Adds every edge that leaves the transversal matroid of the rows unchanged: the maximal presentation.
void maximise(Matrix& matrix);

/// All rules until none applies.
Matrix reduce(Matrix matrix);

}  // namespace sigrel::structural_types::rules
