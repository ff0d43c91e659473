#include "compiler/structural_types/cover.h"

namespace sigrel::structural_types {
namespace {

using graph::Bipartite;
using graph::kNone;
using graph::Matching;

/// The rows of `graph` from `first` to `last` - 1 as a graph of their own.
Bipartite rows_between(const Bipartite& graph, std::uint32_t first, std::uint32_t last) {
  Bipartite part;
  part.columns = graph.columns;
  part.offsets.resize(last - first + 1);
  for (std::uint32_t r = first; r <= last; ++r)
    part.offsets[r - first] = graph.offsets[r] - graph.offsets[first];
  part.targets.assign(graph.targets.begin() + graph.offsets[first],
                      graph.targets.begin() + graph.offsets[last]);
  return part;
}

}  // namespace

Cover cover(const Incidence& incidence) {
  const Bipartite& graph = incidence.rows;
  Bipartite columns = graph::transpose(graph);
  Matching of_hidden =
      graph::maximum_matching(rows_between(columns, incidence.interface, incidence.columns()));

  Cover result{Matching::empty(graph.rows(), graph.columns)};
  for (std::uint32_t h = 0; h < incidence.hidden; ++h)
    if (of_hidden.column_of_row[h] != kNone)
      result.matching.match(of_hidden.column_of_row[h], incidence.interface + h);
    else
      result.under_determined = true;
  graph::augment(graph, result.matching);
  result.over_determined = result.matching.size() < graph.rows();
  return result;
}

}  // namespace sigrel::structural_types
