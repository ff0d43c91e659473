#include "compiler/structural_types/cover.h"

#include "compiler/structural_types/in_order.h"

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

std::optional<graph::HallSet> first_excess(const Bipartite& graph) {
  InOrder search(graph);
  for (std::uint32_t r = 0; r < graph.rows(); ++r)
    if (!search.add(r)) return search.blame();
  return std::nullopt;
}

/// `columns` is the transpose; its rows from `interface` on are the hidden columns.
std::optional<graph::HallSet> first_undetermined(const Bipartite& columns, std::uint32_t interface,
                                                 std::uint32_t locals) {
  InOrder search(columns);
  auto blame = [&] {
    graph::HallSet set = search.blame();
    std::swap(set.rows, set.columns);
    return set;
  };
  for (std::uint32_t c = interface + locals; c < columns.rows(); ++c)
    if (!search.add(c)) return blame();
  for (std::uint32_t c = interface; c < interface + locals; ++c)
    if (!search.add(c)) return blame();
  return std::nullopt;
}

}  // namespace

Cover cover(const Incidence& incidence, std::uint32_t locals) {
  const Bipartite& graph = incidence.rows;
  Bipartite columns = graph::transpose(graph);
  Matching of_hidden =
      graph::maximum_matching(rows_between(columns, incidence.interface, incidence.columns()));

  Cover result{Matching::empty(graph.rows(), graph.columns), {}, {}};
  std::uint32_t hidden_matched = 0;
  for (std::uint32_t h = 0; h < incidence.hidden; ++h)
    if (of_hidden.column_of_row[h] != kNone) {
      result.matching.match(of_hidden.column_of_row[h], incidence.interface + h);
      ++hidden_matched;
    }
  graph::augment(graph, result.matching);
  if (hidden_matched < incidence.hidden)
    result.undetermined = first_undetermined(columns, incidence.interface, locals);
  if (result.matching.size() < graph.rows()) result.excess = first_excess(graph);
  return result;
}

}  // namespace sigrel::structural_types
