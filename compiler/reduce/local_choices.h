// Cuts the choice of states of a large connected part into choices among few candidates.
//
// The matrix of the part has more columns than rows; a choice of as many columns as rows is good where their
// matrix is regular. Columns whose entries are all in a small group of rows are private to the group. If they
// determine its rows, with a column to spare, the group is a choice by itself, and its rows are left out from
// then on, which makes other columns private. So the matrix becomes block triangular, with wide blocks on the
// diagonal; it is regular wherever each block is, whatever is chosen in each of them.
//
// A group begins with one row. While it is no choice it takes the row that comes nearest to making another
// column private.
//
// Example: rods of a chain, row i between the ends i - 1 and i, with the columns x_i-1, y_i-1, x_i, y_i. x_n
// and y_n are private to the last row: the first choice. Without this row x_n-1 and y_n-1 are private to the
// one before, and so on. Where both ends of the chain are fixed nothing is private to one row; three rods
// have two joints between them, four columns, and the other rods follow one by one.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sigrel::reduce {

struct LocalChoice {
  std::vector<std::uint32_t> rows, columns;  // ascending
};

/// The choices of which the matrix consists, no one with more than `largest` rows, a power of four: groups of
/// 1, 4, 16, … rows are tried one after the other. `columns`: the rows of the entries of each column, none of
/// them twice; no column is empty. `suitable`: whether a group of rows is a choice by itself with these
/// columns. Nothing if there are rows that belong to no such group.
std::optional<std::vector<LocalChoice>> local_choices(
    std::uint32_t rows, std::span<const std::vector<std::uint32_t>> columns, std::size_t largest,
    const std::function<bool(const LocalChoice&)>& suitable);

}  // namespace sigrel::reduce
