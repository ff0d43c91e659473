#include "compiler/singularity/structural_causes.h"

#include <algorithm>

#include "compiler/graph/augmenting_path.h"
#include "compiler/graph/matching.h"

namespace sigrel::singularity {
namespace {

using graph::Bipartite;
using graph::kNone;
using graph::Matching;

/// Only rows of the over-determined part can belong to the set: the search in their order is restricted to
/// them.
OverDetermined over_determined(const Bipartite& graph, const Matching& matching) {
  const graph::Parts parts = graph::dulmage_mendelsohn(graph, matching);
  std::vector<std::uint32_t> rows;
  Bipartite part;
  part.columns = graph.columns;
  for (std::uint32_t r = 0; r < graph.rows(); ++r) {
    if (parts.rows[r] != graph::Part::Over) continue;
    rows.push_back(r);
    part.targets.insert(part.targets.end(), graph.row(r).begin(), graph.row(r).end());
    part.end_row();
  }
  // Rows that are matched later do not change which columns the set has: no augmenting path leads out of it.
  const Matching in_order = graph::matching_in_order(part, std::vector<bool>(part.columns, true));
  const auto first = static_cast<std::uint32_t>(std::ranges::find(in_order.column_of_row, kNone) -
                                                in_order.column_of_row.begin());
  OverDetermined result{graph::too_many_rows(part, in_order, first), graph.rows() - matching.size()};
  for (std::uint32_t& r : result.set.rows) r = rows[r];
  return result;
}

/// The smallest set around one unknown of a connected part, one equation too few: that of the first column
/// that finds no row when the columns are matched in descending order, which puts the unknowns of parts
/// before those of the relation itself. A part of more than kLargest columns stays as it is: each search may
/// visit all of it.
graph::HallSet smallest_set(const Bipartite& columns, const graph::HallSet& part) {
  constexpr std::size_t kLargest = 10'000;
  if (part.columns.size() > kLargest) return part;
  const std::vector<std::uint32_t> descending(part.columns.rbegin(), part.columns.rend());
  Bipartite graph;
  graph.columns = columns.columns;
  for (std::uint32_t c : descending) {
    graph.targets.insert(graph.targets.end(), columns.row(c).begin(), columns.row(c).end());
    graph.end_row();
  }
  const Matching matching = graph::matching_in_order(graph, std::vector<bool>(graph.columns, true));
  const auto first = static_cast<std::uint32_t>(std::ranges::find(matching.column_of_row, kNone) -
                                                matching.column_of_row.begin());
  graph::HallSet found = graph::too_many_rows(graph, matching, first);
  graph::HallSet set;
  for (std::uint32_t r : found.rows) set.columns.push_back(descending[r]);
  set.rows = std::move(found.columns);
  std::ranges::sort(set.columns);
  std::ranges::sort(set.rows);
  return set;
}

constexpr std::size_t kRefined = 100;

/// Connected components of the under-determined part of the hidden columns.
std::vector<UnderDetermined> under_determined(const Bipartite& hidden, const Matching& matching) {
  const graph::Parts parts = graph::dulmage_mendelsohn(hidden, matching);
  const Bipartite columns = graph::transpose(hidden);
  std::vector<bool> row_seen(hidden.rows(), false), column_seen(hidden.columns, false);
  std::vector<UnderDetermined> result;
  for (std::uint32_t start = 0; start < hidden.columns; ++start) {
    if (column_seen[start] || parts.columns[start] != graph::Part::Under) continue;
    UnderDetermined& part = result.emplace_back();
    std::vector<std::uint32_t> work{start};
    column_seen[start] = true;
    while (!work.empty()) {
      const std::uint32_t c = work.back();
      work.pop_back();
      part.set.columns.push_back(c);
      for (std::uint32_t r : columns.row(c)) {
        if (row_seen[r]) continue;
        row_seen[r] = true;
        part.set.rows.push_back(r);
        for (std::uint32_t next : hidden.row(r))
          if (!column_seen[next] && parts.columns[next] == graph::Part::Under) {
            column_seen[next] = true;
            work.push_back(next);
          }
      }
    }
    std::ranges::sort(part.set.rows);
    std::ranges::sort(part.set.columns);
    part.missing = part.set.columns.size() - part.set.rows.size();
    part.undetermined = part.set.columns;
    // Looking for it takes time for all columns; a report shows the first parts.
    if (part.set.columns.size() > 1 && result.size() <= kRefined) part.set = smallest_set(columns, part.set);
    for (std::uint32_t c : part.set.columns)
      part.occurrences.push_back(static_cast<std::uint32_t>(columns.row(c).size()));
  }
  return result;
}

/// The columns from `interface` on, numbered from 0.
Bipartite without_interface(const Bipartite& graph, std::uint32_t interface) {
  Bipartite result;
  result.columns = graph.columns - interface;
  for (std::uint32_t r = 0; r < graph.rows(); ++r) {
    for (std::uint32_t c : graph.row(r))
      if (c >= interface) result.targets.push_back(c - interface);
    result.end_row();
  }
  return result;
}

}  // namespace

StructuralCauses structural_causes(const Bipartite& incidence, std::uint32_t interface) {
  StructuralCauses result;
  const Matching matching = graph::maximum_matching(incidence);
  if (matching.size() < incidence.rows()) result.over = over_determined(incidence, matching);
  if (interface == 0) {
    if (matching.size() < incidence.columns) result.under = under_determined(incidence, matching);
    return result;
  }
  const Bipartite hidden = without_interface(incidence, interface);
  const Matching of_hidden = graph::maximum_matching(hidden);
  if (of_hidden.size() == hidden.columns) return result;
  result.under = under_determined(hidden, of_hidden);
  for (UnderDetermined& part : result.under) {
    for (std::uint32_t& c : part.set.columns) c += interface;
    for (std::uint32_t& c : part.undetermined) c += interface;
  }
  return result;
}

}  // namespace sigrel::singularity
