#include "compiler/structural_types/transversal.h"

#include <algorithm>
#include <cassert>

namespace sigrel::structural_types {

std::optional<std::vector<std::size_t>> transversal_rows(const std::vector<std::uint8_t>& ranks) {
  const std::size_t full = ranks.size() - 1;
  const auto n = static_cast<unsigned>(std::popcount(full));
  assert(n <= 16);
  const int rank = ranks[full];
  std::vector<std::size_t> cyclic_flats;
  for (std::size_t set = 0; set <= full; ++set) {
    bool keep = true;
    for (std::size_t bit = 1; bit <= full && keep; bit <<= 1)
      keep = set & bit ? ranks[set & ~bit] == ranks[set] : ranks[set | bit] > ranks[set];
    if (keep) cyclic_flats.push_back(set);
  }
  std::ranges::stable_sort(cyclic_flats,
                           [](std::size_t a, std::size_t b) { return std::popcount(a) > std::popcount(b); });

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

  Dense<1> form = dense_of<1>(n, 0, static_cast<std::uint32_t>(rows.size()));
  for (unsigned r = 0; r < rows.size(); ++r)
    for (unsigned k = 0; k < n; ++k)
      if (rows[r] >> k & 1) form.insert(r, k);
  auto add = [&](Pairing<1>& p, unsigned k) { return augment(form, p, kColumn, k, form.live[kRow]); };
  const std::vector<std::uint8_t> presented = ranks_of_subsets(n, Pairing<1>{}, add);
  for (std::size_t set = 0; set <= full; ++set)
    if (std::popcount(set) == rank && (ranks[set] == rank) != (presented[set] == rank)) return std::nullopt;
  return rows;
}

}  // namespace sigrel::structural_types
