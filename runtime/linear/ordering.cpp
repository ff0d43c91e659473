#include "runtime/linear/ordering.h"

#include <amd.h>
#include <dlfcn.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace runtime {

namespace {

constexpr double kMuchWork = 1e8;    // multiplications: some hundredths of a second for each factorisation
constexpr std::size_t kNarrow = 8;   // largest number of unknowns in a level of a chain
constexpr double kLittleFill = 1.1;  // entries of a factor for each of the matrix
constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// The neighbours of each unknown in the symmetrised pattern, without itself.
struct Graph {
  std::vector<std::int32_t> starts, neighbours;
};

Graph neighbours(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows) {
  const std::size_t n = starts.size() - 1;
  std::vector<std::uint32_t> count(n + 1, 0);
  auto each = [&](auto use) {
    for (std::size_t c = 0; c < n; ++c)
      for (std::int64_t k = starts[c]; k < starts[c + 1]; ++k)
        if (const auto r = static_cast<std::size_t>(rows[k]); r != c) {
          use(r, c);
          use(c, r);
        }
  };
  each([&](std::size_t a, std::size_t) { ++count[a + 1]; });
  for (std::size_t i = 0; i < n; ++i) count[i + 1] += count[i];
  std::vector<std::int32_t> twice(count[n]);
  std::vector<std::uint32_t> at(count.begin(), count.end() - 1);
  each([&](std::size_t a, std::size_t b) { twice[at[a]++] = static_cast<std::int32_t>(b); });
  Graph graph;
  graph.starts.push_back(0);
  std::vector<std::uint32_t> seen(n, kNone);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = count[i]; k < count[i + 1]; ++k) {
      if (seen[twice[k]] == i) continue;
      seen[twice[k]] = i;
      graph.neighbours.push_back(twice[k]);
    }
    graph.starts.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

/// The leaves of a forest, then those of the rest, and so on; nullopt if there is a cycle.
std::optional<std::vector<std::int64_t>> leaves_first(std::span<const std::int64_t> starts,
                                                      std::span<const std::int64_t> rows) {
  const std::size_t n = starts.size() - 1;
  if (rows.size() > 3 * n) return std::nullopt;  // more edges than a tree has
  const Graph graph = neighbours(starts, rows);
  std::vector<std::int32_t> degree(n);
  std::vector<std::int64_t> order;  // also the queue of leaves
  order.reserve(n);
  for (std::size_t i = 0; i < n; ++i) {
    degree[i] = graph.starts[i + 1] - graph.starts[i];
    if (degree[i] <= 1) order.push_back(static_cast<std::int64_t>(i));
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto leaf = static_cast<std::size_t>(order[k]);
    degree[leaf] = 0;
    for (std::int32_t e = graph.starts[leaf]; e < graph.starts[leaf + 1]; ++e)
      if (const std::int32_t next = graph.neighbours[e]; degree[next] > 0 && --degree[next] == 1)
        order.push_back(next);
  }
  if (order.size() < n) return std::nullopt;
  return order;
}

using NodeNd = int (*)(std::int32_t* n, std::int32_t* starts, std::int32_t* neighbours, std::int32_t* weights,
                       std::int32_t* options, std::int32_t* order, std::int32_t* inverse);

/// METIS as Debian builds it, with 32-bit indices; null if it is missing.
NodeNd metis() {
  static const NodeNd found = []() -> NodeNd {
    void* library = dlopen("libmetis.so.5", RTLD_NOW | RTLD_LOCAL);
    auto function = library ? reinterpret_cast<NodeNd>(dlsym(library, "METIS_NodeND")) : nullptr;
    if (!function) return nullptr;
    // A graph of two nodes, encoded so that a library with 64-bit indices reads the same graph and reveals
    // itself by its results.
    std::int64_t n = 2, starts[3] = {0}, neighbours[2] = {0}, order[2] = {-1, -1}, inverse[2] = {-1, -1};
    auto narrow = [](std::int64_t* wide) { return reinterpret_cast<std::int32_t*>(wide); };
    if (function(narrow(&n), narrow(starts), narrow(neighbours), nullptr, nullptr, narrow(order),
                 narrow(inverse)) != 1)
      return nullptr;
    return order[1] == -1 && inverse[1] == -1 ? function : nullptr;
  }();
  return found;
}

std::optional<std::vector<std::int64_t>> nested_dissection(std::span<const std::int64_t> starts,
                                                           std::span<const std::int64_t> rows) {
  const std::size_t n = starts.size() - 1;
  if (2 * rows.size() > std::numeric_limits<std::int32_t>::max() || !metis()) return std::nullopt;
  Graph graph = neighbours(starts, rows);
  auto count = static_cast<std::int32_t>(n);
  std::vector<std::int32_t> order(n, -1), inverse(n);
  if (metis()(&count, graph.starts.data(), graph.neighbours.data(), nullptr, nullptr, order.data(),
              inverse.data()) != 1)
    return std::nullopt;
  std::vector<std::int64_t> result(order.begin(), order.end());
  return result;
}

}  // namespace

std::optional<Ordering> ordering_named(std::string_view name) {
  if (name == "auto") return Ordering::Auto;
  if (name == "amd") return Ordering::Amd;
  if (name == "metis") return Ordering::Metis;
  return std::nullopt;
}

// Column counts by the elimination tree: from each earlier neighbour upwards in the tree, until a column is
// met in which this row has been counted.
EliminationOrder elimination_cost(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                  std::vector<std::int64_t> order) {
  const std::size_t n = starts.size() - 1;
  const Graph graph = neighbours(starts, rows);
  std::vector<std::uint32_t> position(n), parent(n, kNone), below(n, 0), row_of(n, kNone);
  for (std::uint32_t k = 0; k < n; ++k) position[static_cast<std::size_t>(order[k])] = k;
  for (std::uint32_t k = 0; k < n; ++k) {
    row_of[k] = k;
    const auto unknown = static_cast<std::size_t>(order[k]);
    for (std::int32_t e = graph.starts[unknown]; e < graph.starts[unknown + 1]; ++e)
      for (std::uint32_t c = position[graph.neighbours[e]]; c < k && row_of[c] != k; c = parent[c]) {
        row_of[c] = k;
        ++below[c];
        if (parent[c] == kNone) parent[c] = k;
      }
  }
  EliminationOrder result{.order = std::move(order)};
  for (std::uint32_t count : below) {
    result.entries += count + 1;
    result.multiplications += static_cast<double>(count) * count;
  }
  return result;
}

namespace {

/// The breadth-first levels of a long and narrow graph, alternately from both ends; nullopt if it is not
/// narrow or has much fill-in.
std::optional<EliminationOrder> from_both_ends(std::span<const std::int64_t> starts,
                                               std::span<const std::int64_t> rows) {
  const std::size_t n = starts.size() - 1;
  const Graph graph = neighbours(starts, rows);
  std::vector<std::int32_t> visited, seen(n, -1);
  std::vector<std::size_t> levels;  // first of each in `visited`
  for (std::int32_t sweep = 0; sweep < 3;
       ++sweep) {  // the last node of a sweep starts the next one: it is farther out
    const std::int32_t start = visited.empty() ? 0 : visited.back();
    visited.assign(1, start);
    levels.clear();
    seen[start] = sweep;
    for (std::size_t end = 0; end < visited.size();) {
      levels.push_back(end);
      end = visited.size();
      for (std::size_t k = levels.back(); k < end; ++k)
        for (std::int32_t e = graph.starts[visited[k]]; e < graph.starts[visited[k] + 1]; ++e)
          if (std::int32_t& mark = seen[graph.neighbours[e]]; std::exchange(mark, sweep) != sweep)
            visited.push_back(graph.neighbours[e]);
    }
    if (visited.size() < n) return std::nullopt;
  }
  levels.push_back(n);
  for (std::size_t level = 1; level < levels.size(); ++level)
    if (levels[level] - levels[level - 1] > kNarrow) return std::nullopt;
  std::vector<std::int64_t> order;
  order.reserve(n);
  auto take = [&](std::size_t level) {  // nodes with few neighbours first
    const auto begin = order.insert(order.end(), visited.begin() + static_cast<std::ptrdiff_t>(levels[level]),
                                    visited.begin() + static_cast<std::ptrdiff_t>(levels[level + 1]));
    std::stable_sort(begin, order.end(), [&](std::int64_t a, std::int64_t b) {
      return graph.starts[a + 1] - graph.starts[a] < graph.starts[b + 1] - graph.starts[b];
    });
  };
  for (std::size_t low = 0, high = levels.size() - 1; low < high;) {
    take(low++);
    if (low < high) take(--high);
  }
  EliminationOrder result = elimination_cost(starts, rows, std::move(order));
  result.by = Ordering::Ends;
  const std::size_t entries = n + graph.neighbours.size() / 2;
  return static_cast<double>(result.entries) <= kLittleFill * static_cast<double>(entries)
             ? std::optional(std::move(result))
             : std::nullopt;
}

}  // namespace

EliminationOrder elimination_order(std::span<const std::int64_t> starts, std::span<const std::int64_t> rows,
                                   Ordering wanted) {
  const std::size_t n = starts.size() - 1;
  if (wanted == Ordering::Auto)
    if (auto order = leaves_first(starts, rows)) {
      EliminationOrder result = elimination_cost(starts, rows, std::move(*order));
      result.by = Ordering::Leaves;
      return result;
    }
  if (wanted == Ordering::Auto)
    if (auto order = from_both_ends(starts, rows)) return std::move(*order);
  EliminationOrder amd;
  amd.order.resize(n);
  double info[AMD_INFO];
  static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));
  const int status =
      amd_l_order(static_cast<SuiteSparse_long>(n), reinterpret_cast<const SuiteSparse_long*>(starts.data()),
                  reinterpret_cast<const SuiteSparse_long*>(rows.data()),
                  reinterpret_cast<SuiteSparse_long*>(amd.order.data()), nullptr, info);
  if (status < 0) {
    std::iota(amd.order.begin(), amd.order.end(), std::int64_t{0});
    return elimination_cost(starts, rows, std::move(amd.order));
  }
  amd.entries = static_cast<std::int64_t>(info[AMD_LNZ]) + static_cast<std::int64_t>(n);
  amd.multiplications = info[AMD_NMULTSUBS_LU];
  if (wanted == Ordering::Amd || (wanted == Ordering::Auto && amd.multiplications < kMuchWork)) return amd;
  auto dissected = nested_dissection(starts, rows);
  if (!dissected) return amd;
  EliminationOrder result = elimination_cost(starts, rows, std::move(*dissected));
  result.by = Ordering::Metis;
  return wanted == Ordering::Metis || result.multiplications < amd.multiplications ? result : amd;
}

bool is_odd(std::span<const std::uint32_t> permutation) {
  std::vector<std::uint8_t> seen(permutation.size(), 0);
  std::size_t cycles = 0;
  for (std::uint32_t k = 0; k < permutation.size(); ++k) {
    if (seen[k]) continue;
    ++cycles;
    for (std::uint32_t at = k; !seen[at]; at = permutation[at]) seen[at] = 1;
  }
  return (permutation.size() - cycles) % 2 == 1;
}

}  // namespace runtime
