#include "runtime/linear/elimination_tree.h"

#include <algorithm>
#include <numeric>

namespace runtime {

namespace {

constexpr std::uint32_t kNone = EliminationTree::kNoParent;

/// Whether a front with this number of pivots and this part of zeros among its entries costs less than two.
bool worth_it(std::uint32_t pivots, double zeros) {
  return pivots <= 8 || (pivots <= 16 && zeros < 0.5) || (pivots <= 48 && zeros < 0.1) || zeros < 0.05;
}

/// The same for two fronts that touch the same unknowns and not each other: each contribution that is not
/// made costs as many additions at scattered places as it has entries.
bool worth_it_beside(std::uint32_t pivots, double zeros, std::uint32_t touched) {
  return pivots <= 8 || (pivots <= 48 && pivots <= touched && zeros < 0.35);
}

}  // namespace

// From each earlier neighbour upwards in the tree, until a pivot is met that is known to touch this one.
EliminationTree elimination_tree(const Lists& earlier) {
  const auto n = static_cast<std::uint32_t>(earlier.starts.size() - 1);
  EliminationTree tree{std::vector<std::uint32_t>(n, kNone), std::vector<std::uint32_t>(n, 0)};
  std::vector<std::uint32_t> last(n, kNone);
  for (std::uint32_t k = 0; k < n; ++k) {
    last[k] = k;
    for (std::uint32_t i : earlier.of(k))
      for (; last[i] != k; i = tree.parent[i]) {
        last[i] = k;
        ++tree.touched[i];
        if (tree.parent[i] == kNone) tree.parent[i] = k;
      }
  }
  return tree;
}

std::vector<std::uint32_t> postorder(const EliminationTree& tree) {
  const auto n = static_cast<std::uint32_t>(tree.parent.size());
  std::vector<std::uint32_t> by_touched(n), order, waiting;
  std::iota(by_touched.begin(), by_touched.end(), 0u);
  std::ranges::stable_sort(by_touched, {}, [&](std::uint32_t i) { return tree.touched[i]; });
  const Lists children = lists(n, [&](auto use) {
    for (std::uint32_t i : by_touched)
      if (tree.parent[i] != kNone) use(tree.parent[i], i);
  });
  // Backwards: a pivot, then its children from the last.
  for (std::uint32_t root = n; root-- > 0;) {
    if (tree.parent[root] != kNone) continue;
    waiting.assign(1, root);
    while (!waiting.empty()) {
      const std::uint32_t i = waiting.back();
      waiting.pop_back();
      order.push_back(i);
      const auto below = children.of(i);
      waiting.insert(waiting.end(), below.begin(), below.end());
    }
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<PivotGroup> relaxed_supernodes(const EliminationTree& tree) {
  struct Group {
    PivotGroup pivots;
    double zeros;
  };
  const auto n = static_cast<std::uint32_t>(tree.parent.size());
  auto entries = [&](const PivotGroup& p) {
    const double s = p.end - p.begin, r = tree.touched[p.end - 1];
    return s * (s + 1) / 2 + s * r;
  };
  // A pivot touches its parent, and else only what this one touches.
  auto same_touched = [&](const PivotGroup& a, const PivotGroup& b) {
    const std::uint32_t parent = tree.parent[a.end - 1], touched = tree.touched[a.end - 1];
    return tree.parent[b.end - 1] == parent && touched == tree.touched[b.end - 1] &&
           touched == tree.touched[parent] + 1;
  };
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < n; ++i) {
    groups.push_back({{i, i + 1}, 0});
    while (groups.size() > 1) {
      const Group &child = groups[groups.size() - 2], &group = groups.back();
      const std::uint32_t parent = tree.parent[child.pivots.end - 1];
      const bool beside = parent != kNone && parent >= group.pivots.end;
      if (parent == kNone || (beside && !same_touched(child.pivots, group.pivots))) break;
      const PivotGroup both{child.pivots.begin, group.pivots.end};
      const double zeros =
          child.zeros + group.zeros + entries(both) - entries(child.pivots) - entries(group.pivots);
      const std::uint32_t pivots = both.end - both.begin;
      const double part = zeros / entries(both);
      if (zeros > 0 &&
          !(beside ? worth_it_beside(pivots, part, tree.touched[both.end - 1]) : worth_it(pivots, part)))
        break;
      groups.pop_back();
      groups.back() = {both, zeros};
    }
  }
  std::vector<PivotGroup> result;
  for (const Group& group : groups) result.push_back(group.pivots);
  return result;
}

}  // namespace runtime
