// Small graphs written as lists of rows, random ones, and brute force.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "compiler/graph/bipartite.h"

using Rows = std::vector<std::vector<std::uint32_t>>;

inline sigrel::graph::Bipartite make(const Rows& rows, std::uint32_t columns, std::uint32_t base = 0) {
  sigrel::graph::Bipartite g;
  g.columns = columns;
  for (const auto& row : rows) {
    for (std::uint32_t c : row) g.targets.push_back(c - base);
    g.end_row();
  }
  return g;
}

inline sigrel::graph::Bipartite random_graph(std::mt19937& random, std::uint32_t rows, std::uint32_t columns,
                                             double density) {
  std::bernoulli_distribution edge(density);
  Rows list(rows);
  for (auto& row : list)
    for (std::uint32_t c = 0; c < columns; ++c)
      if (edge(random)) row.push_back(c);
  return make(list, columns);
}

/// The size of a maximum matching, by the recursion over sets of used columns.
inline std::uint32_t brute_force_matching(const sigrel::graph::Bipartite& g, std::uint32_t row = 0,
                                          std::uint32_t used = 0) {
  if (row == g.rows()) return 0;
  std::uint32_t best = brute_force_matching(g, row + 1, used);
  for (std::uint32_t c : g.row(row))
    if (!(used >> c & 1)) best = std::max(best, 1 + brute_force_matching(g, row + 1, used | 1u << c));
  return best;
}

/// n rows; row i contains columns i-width+1 … i+width-1, or its own only.
inline sigrel::graph::Bipartite band(std::uint32_t n, std::uint32_t width) {
  sigrel::graph::Bipartite g;
  g.columns = n;
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t c = i >= width ? i - width + 1 : 0; c < std::min(n, i + width); ++c)
      g.targets.push_back(c);
    g.end_row();
  }
  return g;
}

/// Numbers as published: from 1, 0 for none.
using Numbers = std::vector<std::uint32_t>;
inline Numbers one_based(const std::vector<std::uint32_t>& numbers) {
  Numbers result;
  for (std::uint32_t x : numbers) result.push_back(x == sigrel::graph::kNone ? 0 : x + 1);
  return result;
}
inline std::vector<std::uint32_t> zero_based(const Numbers& numbers) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t x : numbers) result.push_back(x == 0 ? sigrel::graph::kNone : x - 1);
  return result;
}
