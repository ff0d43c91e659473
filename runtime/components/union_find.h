// Disjoint sets of numbers (Tarjan, Efficiency of a good but not linear set union algorithm, 1975), with path
// halving.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace runtime {

class UnionFind {
 public:
  explicit UnionFind(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t find(std::uint32_t k) {
    while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
    return k;
  }
  /// The smaller number becomes the representative.
  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace runtime
