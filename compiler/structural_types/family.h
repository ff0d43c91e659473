// Questions about B: its sets, whether two types have the same, whether one has everything that the other
// has.
//
// Every set of B(contract) is in B(actual) iff no set X of interface columns has a larger rank in the
// contract than in the actual (the families have sets of one size, and a set is in B iff it has that size and
// that rank). The rank of X in a type with rows E and hidden columns L is, by König's theorem, the least
// over sets J of rows of
//   |N(J) ∩ X| + |N(J) ∩ L| + |E| − |J| − |L|,
// so it is enough to look at the X that lie outside all of N(J): the rank in the contract of I − N(J) is at
// most |N(J) ∩ L| + |E| − |J| − |L| for every J. Only unions of rows matter; and if the actual falls apart
// into connected parts, the contract must do so too (their ranks add up), and each part is a question of its
// own. Parts of engineering components have two or three rows.
//
// Example: contract {p.i; n.i} and actual {p.v p.i n.v; p.i n.i}: B(contract) = {{p.i n.i}}, a set of the
// actual: yes. Contract {p.v; n.v}: J = {row 1} leaves p.v n.v outside, of rank 2 in the contract, 1 allowed:
// no.
#pragma once
#include <optional>
#include <vector>

#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

/// All sets of B, in lexicographic order of ascending columns; nothing if there are more than `limit`.
std::optional<std::vector<std::vector<std::uint32_t>>> bases(const StructuralType& type,
                                                             std::size_t limit = 1'000'000);

/// How many of the columns it can determine at once.
std::uint32_t rank(const StructuralType& type, const std::vector<std::uint32_t>& columns);

/// B(contract) ⊆ B(actual), over the same interface. Nothing: more than `limit` unions of rows in one part of
/// the actual.
std::optional<bool> included(const StructuralType& contract, const StructuralType& actual,
                             std::size_t limit = 1'000'000);

/// B(a) = B(b). Decided by the canonical sparse forms unless hidden columns are left.
std::optional<bool> same_type(const StructuralType& a, const StructuralType& b,
                              std::size_t limit = 1'000'000);

/// The unique maximal presentation of a type without hidden columns, rows in the order in which they are
/// shown.
StructuralType maximal_presentation(const StructuralType& type);

}  // namespace sigrel::structural_types
