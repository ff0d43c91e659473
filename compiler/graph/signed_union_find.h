// Classes of things that are equal or opposite. Tarjan, Efficiency of a good but not linear set union
// algorithm (1975), with path halving (Tarjan and van Leeuwen 1984); every link carries a sign.
//
// Example: unite(0, 1, false) for a = b, unite(1, 2, true) for b = -c. Then find(0) and find(2) have the same
// root and different signs; unite(0, 2, false), a = c, is a Conflict: all three must be zero.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace sigrel::graph {

class SignedUnionFind {
 public:
  struct Member {
    std::uint32_t root;
    bool negative;  // it is the opposite of the root
  };
  enum class Outcome { Merged, Known, Conflict };
  struct Union {
    Outcome outcome;
    std::uint32_t winner = 0, loser = 0;  // roots before; only the winner is one after a merge
  };

  explicit SignedUnionFind(std::uint32_t size) : link_(size), weight_(size, 1) {
    for (std::uint32_t x = 0; x < size; ++x) link_[x] = x << 1;
  }
  std::uint32_t size() const { return static_cast<std::uint32_t>(link_.size()); }
  /// The heavier root wins a union; 1 by default.
  void set_weight(std::uint32_t x, std::uint32_t weight) { weight_[x] = weight; }

  Member find(std::uint32_t x) {
    std::uint32_t sign = 0;
    while (true) {
      std::uint32_t up = link_[x];
      if (up >> 1 == x) return {x, sign != 0};
      std::uint32_t upper = link_[up >> 1] ^ (up & 1);  // the grandparent as seen from x
      link_[x] = upper;
      sign ^= upper & 1;
      x = upper >> 1;
    }
  }

  /// States a = b, or a = -b.
  Union unite(std::uint32_t a, std::uint32_t b, bool opposite) {
    Member ra = find(a), rb = find(b);
    bool sign = (ra.negative != rb.negative) != opposite;
    if (ra.root == rb.root) return {sign ? Outcome::Conflict : Outcome::Known, ra.root, ra.root};
    std::uint32_t winner = ra.root, loser = rb.root;
    if (weight_[loser] > weight_[winner]) std::swap(winner, loser);
    link_[loser] = winner << 1 | (sign ? 1u : 0u);
    weight_[winner] += weight_[loser];
    return {Outcome::Merged, winner, loser};
  }

 private:
  std::vector<std::uint32_t> link_;  // parent << 1 | opposite; a root is its own parent
  std::vector<std::uint32_t> weight_;
};

}  // namespace sigrel::graph
