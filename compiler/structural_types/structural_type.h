// The structural type of a relation: an exact, small representation of the sets of interface columns that it
// can determine.
//
// B = { Y : the hidden columns and Y are perfectly matched with the rows }, a family of sets of one size, the
// rank. A parent depends on a child only through B. A StructuralType comes from `reduce`; what it guarantees:
//  - there is a covering matching (cover.h);
//  - interface columns that are in every set of B have a row of their own and occur nowhere else;
//  - an edge is in some covering matching, unless the type was too large for the rules;
//  - without hidden columns it is the canonical sparse form (presentation.h): equal families have equal rows;
//  - rows are in the order in which they are shown.
//
// Example: a resistor's u = p.v - n.v, i = p.i, p.i + n.i = 0, u = R·i over p.v p.i n.v n.i has the type
// {p.v p.i n.v; p.i n.i}: rank 2, and B is every pair but {p.v, n.v}.
#pragma once
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/structural_types/incidence.h"

namespace sigrel::structural_types {

class StructuralType {
 public:
  StructuralType() = default;
  /// Rows of ascending columns, taken as they are.
  explicit StructuralType(Incidence incidence) : incidence_(std::move(incidence)) {}

  std::uint32_t interface() const { return incidence_.interface; }
  std::uint32_t hidden() const { return incidence_.hidden; }
  std::uint32_t columns() const { return incidence_.columns(); }
  std::uint32_t rows() const { return incidence_.rows.rows(); }
  /// How many interface unknowns it determines.
  std::uint32_t rank() const { return rows() - hidden(); }
  /// Ascending columns.
  std::span<const std::uint32_t> row(std::uint32_t r) const { return incidence_.rows.row(r); }
  bool contains(std::uint32_t r, std::uint32_t column) const {
    return std::ranges::binary_search(row(r), column);
  }
  const Incidence& incidence() const { return incidence_; }

  /// The same representation. For the same type see `same_type`.
  friend bool operator==(const StructuralType& a, const StructuralType& b) {
    return a.interface() == b.interface() && a.hidden() == b.hidden() &&
           a.incidence_.rows.offsets == b.incidence_.rows.offsets &&
           a.incidence_.rows.targets == b.incidence_.rows.targets;
  }

 private:
  Incidence incidence_;
};

/// Size limits of the rules that cost more than linear time. A type beyond them stays larger, never less
/// exact.
struct Limits {
  std::uint32_t surplus_columns = 256;       // K5, K5'
  std::uint32_t presentation_columns = 256;  // K6, K9 on the maximal presentation
  // K8, of one connected part: so few that it is the cheapest rule, and at most.
  std::uint32_t transversal_first = 5, transversal_interface = 10;
  std::uint64_t transversal_size =
      100'000'000;  // K8 beyond the bit sets: subsets of the interface times columns
};

/// K1 to K9 until none applies. There is a covering matching.
StructuralType reduce(const Incidence& incidence, const Limits& limits = {});

/// "{p.v p.i n.v; p.i n.i}". Hidden columns are shown as ~1, ~2, …
std::string to_text(const StructuralType& type, std::span<const std::string> names);

}  // namespace sigrel::structural_types
