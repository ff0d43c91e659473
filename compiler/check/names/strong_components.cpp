#include "compiler/check/names/strong_components.h"

#include <algorithm>

namespace sigrel::check {

std::vector<std::vector<std::uint32_t>> strong_components(const DependencyGraph& graph) {
  const std::uint32_t n = graph.size();
  std::vector<std::vector<std::uint32_t>> result;
  std::vector<std::uint32_t> index(n, 0), low(n, 0);  // 0: not visited; else 1 + order of discovery
  std::vector<bool> on_stack(n, false);
  std::vector<std::uint32_t> stack;
  struct Frame {
    std::uint32_t vertex, next;
  };
  std::vector<Frame> frames;
  std::uint32_t counter = 0;
  auto open = [&](std::uint32_t v) {
    index[v] = low[v] = ++counter;
    stack.push_back(v);
    on_stack[v] = true;
    frames.push_back({v, graph.starts[v]});
  };
  for (std::uint32_t root = 0; root < n; ++root) {
    if (index[root]) continue;
    open(root);
    while (!frames.empty()) {
      auto& [v, next] = frames.back();
      if (next < graph.starts[v + 1]) {
        std::uint32_t w = graph.targets[next++];
        if (!index[w])
          open(w);
        else if (on_stack[w])
          low[v] = std::min(low[v], index[w]);
        continue;
      }
      std::uint32_t done = v;
      frames.pop_back();
      if (!frames.empty()) low[frames.back().vertex] = std::min(low[frames.back().vertex], low[done]);
      if (low[done] != index[done]) continue;
      std::vector<std::uint32_t> component;
      std::uint32_t w;
      do {
        w = stack.back();
        stack.pop_back();
        on_stack[w] = false;
        component.push_back(w);
      } while (w != done);
      std::ranges::sort(component);
      result.push_back(std::move(component));
    }
  }
  return result;
}

}  // namespace sigrel::check
