// Elimination trees of symmetric patterns, and the groups of pivots that dense fronts eliminate together.
//
// The parent of a pivot is the first later one in its column of the factor. Example, a chain 0 - 1 - 2: the
// parent of 0 is 1, that of 1 is 2.
//
// Liu, The role of elimination trees in sparse factorization, SIAM J. Matrix Anal. Appl. 11 (1990).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace runtime {

/// Lists of items, one for each of n owners, end to end.
struct Lists {
  std::vector<std::uint32_t> starts, items;
  std::span<const std::uint32_t> of(std::uint32_t owner) const {
    return std::span(items).subspan(starts[owner], starts[owner + 1] - starts[owner]);
  }
};

/// `each_pair(use)` calls use(owner, item) for every item, in the same order each time.
template <class EachPair>
Lists lists(std::size_t n, EachPair each_pair) {
  Lists result{std::vector<std::uint32_t>(n + 1, 0), {}};
  each_pair([&](std::uint32_t owner, std::uint32_t) { ++result.starts[owner + 1]; });
  for (std::size_t i = 0; i < n; ++i) result.starts[i + 1] += result.starts[i];
  result.items.resize(result.starts[n]);
  std::vector<std::uint32_t> next(result.starts.begin(), result.starts.end() - 1);
  each_pair([&](std::uint32_t owner, std::uint32_t item) { result.items[next[owner]++] = item; });
  return result;
}

struct EliminationTree {
  std::vector<std::uint32_t> parent;   // by pivot; kNoParent for a root
  std::vector<std::uint32_t> touched;  // by pivot: number of later unknowns in its column of the factor
  static constexpr std::uint32_t kNoParent = 0xFFFFFFFFu;
};

/// `earlier`: the earlier neighbours of each pivot.
EliminationTree elimination_tree(const Lists& earlier);

/// An order with children directly before their parents, those that touch most last: they have most in common
/// with the parent.
std::vector<std::uint32_t> postorder(const EliminationTree& tree);

struct PivotGroup {
  std::uint32_t begin, end;
};

/// Relaxed supernodes: pivots, in postorder, whose columns have the same pattern up to a few zeros, which
/// cost less than a further front; also such as are independent of each other, siblings in the tree.
///
/// Ashcraft, Grimes, The influence of relaxed supernode partitions on the multifrontal method, ACM TOMS 15
/// (1989).
std::vector<PivotGroup> relaxed_supernodes(const EliminationTree& tree);

}  // namespace runtime
