#include "compiler/graph/bipartite.h"

namespace sigrel::graph {

Bipartite transpose(const Bipartite& graph) {
  Bipartite t;
  t.columns = graph.rows();
  t.offsets.assign(graph.columns + 1, 0);
  for (std::uint32_t c : graph.targets) ++t.offsets[c + 1];
  for (std::uint32_t c = 0; c < graph.columns; ++c) t.offsets[c + 1] += t.offsets[c];
  t.targets.resize(graph.targets.size());
  std::vector<std::uint32_t> at(t.offsets.begin(), t.offsets.end() - 1);
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    for (std::uint32_t c : graph.row(r)) t.targets[at[c]++] = r;
  return t;
}

}  // namespace sigrel::graph
