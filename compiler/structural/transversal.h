// K8: a kernel with few interface columns whose B needs no hidden column, although the other rules have left some.
//
// The ranks of all sets of interface columns give the cyclic flats: F is a flat if every column outside adds to its rank, and
// cyclic if no column inside is needed for it. Let β(F) = r − r(F) − Σ β(G) over the cyclic flats G that are larger than F
// and contain it. If B is transversal, then the complements of the cyclic flats, each β(F) times, are its maximal
// presentation. Mason, A characterization of transversal independence spaces (1971); Brylawski, An affine representation for
// transversal geometries (1975). Otherwise some β is negative, or what they present is another matroid: both are looked at.
//
// Example: rank 2 on x, y, u with every pair a basis: the cyclic flats are {} and {x y u}; β({x y u}) = 0, β({}) = 2, rows
// {x y u} {x y u}.
#pragma once
#include <algorithm>
#include <optional>

#include "compiler/structural/dense.h"

namespace sigrel::structural {

/// The rank in M/L of every subset of `columns`, interface columns; bit k of a subset is columns[k].
template <unsigned W>
std::vector<std::uint8_t> ranks_of_subsets(const Dense<W>& d, const std::vector<unsigned>& columns) {
  const unsigned n = static_cast<unsigned>(columns.size());
  // What the bits from k on have matched and how many; a subset shares them with the one before it down to its last bit.
  std::vector<Pairing<W>> matching(n + 1);
  std::vector<std::uint8_t> rank(n + 1, 0), ranks(std::size_t{1} << n);
  cover_hidden(d, matching[n]);
  for (std::size_t subset = 0; subset < ranks.size(); ++subset) {
    unsigned first_change = subset == 0 ? n : static_cast<unsigned>(std::countr_zero(subset)) + 1;
    for (unsigned k = first_change; k-- > 0;) {
      matching[k] = matching[k + 1];
      rank[k] = rank[k + 1];
      if (subset >> k & 1 && augment(d, matching[k], kColumn, columns[k], d.live[kRow])) ++rank[k];
    }
    ranks[subset] = rank[0];
  }
  return ranks;
}

/// The same family without hidden columns, as its maximal presentation; nothing if there is none.
template <unsigned W>
std::optional<Dense<W>> transversal_form(const Dense<W>& d) {
  std::vector<unsigned> columns;
  for (unsigned c : d.visible()) columns.push_back(c);
  const std::size_t n = columns.size(), full = (std::size_t{1} << n) - 1;
  const std::vector<std::uint8_t> ranks = ranks_of_subsets(d, columns);
  const int rank = ranks[full];

  std::vector<std::size_t> cyclic_flats;
  for (std::size_t set = 0; set <= full; ++set) {
    bool keep = true;
    for (std::size_t bit = 1; bit <= full && keep; bit <<= 1)
      keep = set & bit ? ranks[set & ~bit] == ranks[set] : ranks[set | bit] > ranks[set];
    if (keep) cyclic_flats.push_back(set);
  }
  std::ranges::stable_sort(cyclic_flats, [](std::size_t a, std::size_t b) { return std::popcount(a) > std::popcount(b); });

  std::vector<int> beta;
  std::vector<std::size_t> rows;
  for (std::size_t f : cyclic_flats) {
    int b = rank - ranks[f];
    for (std::size_t g = 0; g < beta.size(); ++g)
      if ((cyclic_flats[g] & f) == f) b -= beta[g];
    if (b < 0) return std::nullopt;
    beta.push_back(b);
    rows.insert(rows.end(), static_cast<std::size_t>(b), full & ~f);
    if (rows.size() > static_cast<std::size_t>(rank)) return std::nullopt;
  }
  if (rows.size() != static_cast<std::size_t>(rank)) return std::nullopt;

  Dense<W> form = dense_of<W>(d.interface, 0, static_cast<std::uint32_t>(rows.size()));
  form.label = d.label;
  form.live[kColumn] = d.visible();
  for (unsigned r = 0; r < rows.size(); ++r)
    for (unsigned k = 0; k < n; ++k)
      if (rows[r] >> k & 1) form.insert(r, columns[k]);
  const std::vector<std::uint8_t> presented = ranks_of_subsets(form, columns);
  for (std::size_t set = 0; set <= full; ++set)
    if (std::popcount(set) == rank && (ranks[set] == rank) != (presented[set] == rank)) return std::nullopt;
  return form;
}

}  // namespace sigrel::structural
