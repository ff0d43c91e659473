// K8: a type with few interface columns whose B needs no hidden column, although the other rules have left
// some.
//
// The ranks of all sets of interface columns give the cyclic flats: F is a flat if every column outside adds
// to its rank, and cyclic if no column inside is needed for it. Let β(F) = r − r(F) − Σ β(G) over the cyclic
// flats G that are larger than F and contain it. If B is transversal, then the complements of the cyclic
// flats, each β(F) times, are its maximal presentation. Mason, A characterization of transversal independence
// spaces (1971); Brylawski, An affine representation for transversal geometries (1975). Otherwise some β is
// negative, or what they present is another matroid: both are looked at.
//
// Example: rank 2 on x, y, u with every pair a basis: the cyclic flats are {} and {x y u}; β({x y u}) = 0,
// β({}) = 2, rows {x y u} {x y u}.
#pragma once
#include <optional>

#include "compiler/structural_types/dense.h"

namespace sigrel::structural_types {

/// The rank in M/L of every subset of n interface columns; bit k of a subset is the column that
/// `add(matching, k)` adds, if it can. `start` is a matching of the hidden columns.
template <class Matching, class Add>
std::vector<std::uint8_t> ranks_of_subsets(unsigned n, const Matching& start, const Add& add) {
  // What the bits from k on have matched and how many; a subset shares them with the one before it down to
  // its last bit.
  std::vector<Matching> matching(n + 1, start);
  std::vector<std::uint8_t> rank(n + 1, 0), ranks(std::size_t{1} << n);
  for (std::size_t subset = 0; subset < ranks.size(); ++subset) {
    unsigned first_change = subset == 0 ? n : static_cast<unsigned>(std::countr_zero(subset)) + 1;
    for (unsigned k = first_change; k-- > 0;) {
      matching[k] = matching[k + 1];
      rank[k] = rank[k + 1];
      if (subset >> k & 1 && add(matching[k], k)) ++rank[k];
    }
    ranks[subset] = rank[0];
  }
  return ranks;
}

/// The rows of the maximal presentation as subsets of at most 16 columns; nothing if the family is not
/// transversal.
std::optional<std::vector<std::size_t>> transversal_rows(const std::vector<std::uint8_t>& ranks);

/// The same family without hidden columns, as its maximal presentation; nothing if there is none.
template <unsigned W>
std::optional<Dense<W>> transversal_form(const Dense<W>& d) {
  std::vector<unsigned> columns;
  for (unsigned c : d.visible()) columns.push_back(c);
  Pairing<W> start;
  cover_hidden(d, start);
  auto add = [&](Pairing<W>& p, unsigned k) { return augment(d, p, kColumn, columns[k], d.live[kRow]); };
  auto rows = transversal_rows(ranks_of_subsets(static_cast<unsigned>(columns.size()), start, add));
  if (!rows) return std::nullopt;
  Dense<W> form = dense_of<W>(d.interface, 0, static_cast<std::uint32_t>(rows->size()));
  form.label = d.label;
  form.live[kColumn] = d.visible();
  for (unsigned r = 0; r < rows->size(); ++r)
    for (unsigned k = 0; k < columns.size(); ++k)
      if ((*rows)[r] >> k & 1) form.insert(r, columns[k]);
  return form;
}

}  // namespace sigrel::structural_types
