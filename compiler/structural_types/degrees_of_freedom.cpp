#include "compiler/structural_types/degrees_of_freedom.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <queue>

#include "compiler/graph/matching.h"
#include "compiler/structural_types/flat.h"

namespace sigrel::structural_types {
namespace {

using graph::kNone;

/// Rows to columns by shortest augmenting paths: Jonker and Volgenant, A shortest augmenting path algorithm
/// for dense and sparse linear assignment problems (1987). Every row is matched; the sum of costs is the
/// least. There is such a matching.
class Assignment {
 public:
  Assignment(const graph::Bipartite& graph, std::vector<std::int64_t> cost)
      : graph_(graph),
        cost_(std::move(cost)),
        row_price_(graph.rows()),
        column_price_(graph.columns, 0),
        distance_(graph.columns, kFar),
        from_(graph.columns, kNone) {
    start();
    for (std::uint32_t r = 0; r < graph.rows(); ++r)
      if (matching_.column_of_row[r] == kNone) augment(r);
  }
  const graph::Matching& matching() const { return matching_; }

 private:
  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();

  std::int64_t reduced(std::uint32_t row, std::uint32_t edge) const {
    return cost_[edge] - row_price_[row] - column_price_[graph_.targets[edge]];
  }

  /// As many rows as possible get an edge of the least cost that they have: in models that is nearly all of
  /// them.
  void start() {
    graph::Bipartite cheapest;
    cheapest.columns = graph_.columns;
    for (std::uint32_t r = 0; r < graph_.rows(); ++r) {
      row_price_[r] =
          *std::min_element(cost_.begin() + graph_.offsets[r], cost_.begin() + graph_.offsets[r + 1]);
      for (std::uint32_t e = graph_.offsets[r]; e < graph_.offsets[r + 1]; ++e)
        if (cost_[e] == row_price_[r]) cheapest.targets.push_back(graph_.targets[e]);
      cheapest.end_row();
    }
    matching_ = graph::maximum_matching(cheapest);
  }

  void augment(std::uint32_t start) {
    using Item = std::pair<std::int64_t, std::uint32_t>;  // distance, column
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    std::vector<std::uint32_t> touched, settled;
    auto relax = [&](std::uint32_t row, std::int64_t base) {
      for (std::uint32_t e = graph_.offsets[row]; e < graph_.offsets[row + 1]; ++e) {
        std::uint32_t c = graph_.targets[e];
        std::int64_t d = base + reduced(row, e);
        if (d >= distance_[c]) continue;
        if (distance_[c] == kFar) touched.push_back(c);
        distance_[c] = d;
        from_[c] = row;
        queue.emplace(d, c);
      }
    };
    relax(start, 0);
    std::uint32_t end = kNone;
    while (!queue.empty()) {
      auto [d, c] = queue.top();
      queue.pop();
      if (d > distance_[c]) continue;
      std::uint32_t row = matching_.row_of_column[c];
      if (row == kNone) {
        end = c;
        break;
      }
      settled.push_back(c);
      relax(row, d);
    }
    assert(end != kNone);
    const std::int64_t length = distance_[end];
    row_price_[start] += length;
    for (std::uint32_t c : settled) {
      row_price_[matching_.row_of_column[c]] += length - distance_[c];
      column_price_[c] -= length - distance_[c];
    }
    for (std::uint32_t c = end; c != kNone;) {
      std::uint32_t row = from_[c], next = matching_.column_of_row[row];
      matching_.match(row, c);
      c = next;
    }
    for (std::uint32_t c : touched) distance_[c] = kFar;
  }

  const graph::Bipartite& graph_;
  std::vector<std::int64_t> cost_, row_price_, column_price_, distance_;
  std::vector<std::uint32_t> from_;
  graph::Matching matching_ = graph::Matching::empty(0, 0);
};

}  // namespace

std::optional<std::uint32_t> degrees_of_freedom(const components::Library& library, std::uint32_t component) {
  constexpr std::size_t kMostRows = 100'000;
  if (!library.components[component].holes.empty()) return std::nullopt;
  std::optional<Flat> flat = flatten(library, component, kMostRows);
  if (!flat) return std::nullopt;
  const Incidence& whole = flat->expansion.incidence;
  // To cover a hidden unknown is worth more than all derivatives together.
  std::int64_t hidden = 1;
  for (const components::Coefficient& s : flat->coefficients) hidden += s.order;
  std::vector<std::int64_t> cost;
  for (std::size_t e = 0; e < flat->coefficients.size(); ++e)
    cost.push_back(-std::int64_t{flat->coefficients[e].order} -
                   (whole.rows.targets[e] >= whole.interface ? hidden : 0));
  Assignment assignment(whole.rows, cost);
  std::uint32_t weight = 0;
  for (std::uint32_t r = 0; r < whole.rows.rows(); ++r) {
    std::uint32_t order = 0;
    for (std::uint32_t e = whole.rows.offsets[r]; e < whole.rows.offsets[r + 1]; ++e)
      if (whole.rows.targets[e] == assignment.matching().column_of_row[r])
        order = std::max(order, flat->coefficients[e].order);
    weight += order;
  }
  return weight;
}

}  // namespace sigrel::structural_types
