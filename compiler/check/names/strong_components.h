// Strongly connected components in dependency order: Tarjan, SIAM J. Comput. 1 (1972), without recursion.
#pragma once
#include <cstdint>
#include <vector>

namespace sigrel::check {

/// A directed graph in compressed rows: the successors of v are targets[starts[v] .. starts[v+1]].
struct DependencyGraph {
  std::vector<std::uint32_t> starts{0};
  std::vector<std::uint32_t> targets;

  void add(std::uint32_t target) { targets.push_back(target); }
  /// Ends the successors of one vertex; vertices are finished in order 0, 1, ….
  void finish_vertex() { starts.push_back(static_cast<std::uint32_t>(targets.size())); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(starts.size() - 1); }
  bool has_edge(std::uint32_t from, std::uint32_t to) const {
    for (std::uint32_t i = starts[from]; i < starts[from + 1]; ++i)
      if (targets[i] == to) return true;
    return false;
  }
};

/// The components of `graph`; a component comes after those that it points to. Members are in vertex order.
/// Example: 0 -> 1, 1 -> 2, 2 -> 1 gives {1, 2}, {0}.
std::vector<std::vector<std::uint32_t>> strong_components(const DependencyGraph& graph);

}  // namespace sigrel::check
