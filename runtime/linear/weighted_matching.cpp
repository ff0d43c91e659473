#include "runtime/linear/weighted_matching.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "runtime/linear/sparse_pattern.h"

namespace runtime {

namespace {

constexpr std::int64_t kNone = -1;
constexpr double kZeroCost = 1e4;     // of an entry of zero; more than the logarithm of any quotient
constexpr std::size_t kVisits = 200;  // of entries, for each entry of the matrix

class Matching {
 public:
  Matching(const SparsePattern& pattern, std::vector<double> costs)
      : pattern_(pattern),
        cost_(std::move(costs)),
        price_(pattern.n, std::numeric_limits<double>::infinity()),
        column_of_(pattern.n, kNone),
        entry_of_(pattern.n, kNone),
        distance_(pattern.n),
        reached_by_(pattern.n),
        stamp_(pattern.n, kNone),
        left_(kVisits * pattern.nonzeros()) {}

  bool run() {
    begin();
    for (std::size_t c = 0; c < pattern_.n; ++c)
      if (entry_of_[c] == kNone && !augment(static_cast<std::int64_t>(c))) return false;
    return true;
  }
  std::vector<std::int64_t> take() { return std::move(entry_of_); }

 private:
  std::int64_t row(std::int64_t entry) const { return pattern_.rows[static_cast<std::size_t>(entry)]; }
  double& price(std::int64_t entry) { return price_[static_cast<std::size_t>(row(entry))]; }
  /// The cost beyond the price of the row: that of the column is the least of its entries, or, if it is
  /// matched, that of its own.
  double net(std::int64_t entry) { return cost_[static_cast<std::size_t>(entry)] - price(entry); }
  template <class Use>
  void each_entry(std::int64_t column, Use use) {
    const auto c = static_cast<std::size_t>(column);
    for (std::int64_t k = pattern_.starts[c]; k < pattern_.starts[c + 1]; ++k) use(k);
  }

  /// Prices of the rows, and the entries that are the cheapest both of their row and of their column.
  void begin() {
    for (std::size_t k = 0; k < cost_.size(); ++k)
      price(static_cast<std::int64_t>(k)) = std::min(price(static_cast<std::int64_t>(k)), cost_[k]);
    for (std::size_t c = 0; c < pattern_.n; ++c) {
      const double least = least_of(static_cast<std::int64_t>(c));
      std::int64_t found = kNone;
      each_entry(static_cast<std::int64_t>(c), [&](std::int64_t k) {
        if (column_of_[static_cast<std::size_t>(row(k))] == kNone && net(k) <= least &&
            (found == kNone || static_cast<std::size_t>(row(k)) == c))
          found = k;
      });
      if (found != kNone) match(static_cast<std::int64_t>(c), found);
    }
  }
  double least_of(std::int64_t column) {
    double least = std::numeric_limits<double>::infinity();
    each_entry(column, [&](std::int64_t k) { least = std::min(least, net(k)); });
    return least;
  }
  void match(std::int64_t column, std::int64_t entry) {
    entry_of_[static_cast<std::size_t>(column)] = entry;
    column_of_[static_cast<std::size_t>(row(entry))] = column;
  }

  /// The shortest path (Dijkstra) from an unmatched column to an unmatched row.
  bool augment(std::int64_t root) {
    queue_ = {};
    done_.clear();
    std::int64_t column = root, end = kNone;
    double reached = 0;
    const double of_root = least_of(root);
    while (true) {
      const std::int64_t own = entry_of_[static_cast<std::size_t>(column)];
      const double of_column = column == root ? of_root : net(own);
      std::size_t visited = 0;
      each_entry(column, [&](std::int64_t k) {
        ++visited;
        const auto r = static_cast<std::size_t>(row(k));
        const double way = reached + std::max(0.0, net(k) - of_column);
        if (stamp_[r] == root && way >= distance_[r]) return;
        stamp_[r] = root;
        distance_[r] = way;
        reached_by_[r] = {column, k};
        queue_.emplace(way, row(k));
      });
      if (left_ < visited) return false;
      left_ -= visited;
      while (!queue_.empty() && queue_.top().first > distance_[static_cast<std::size_t>(queue_.top().second)])
        queue_.pop();
      if (queue_.empty()) return false;
      const auto [way, r] = queue_.top();
      queue_.pop();
      reached = way;
      end = r;
      column = column_of_[static_cast<std::size_t>(r)];
      if (column == kNone) break;
      done_.push_back(r);
    }
    for (const std::int64_t r : done_)
      price_[static_cast<std::size_t>(r)] += distance_[static_cast<std::size_t>(r)] - reached;
    while (end != kNone) {
      const auto [from, entry] = reached_by_[static_cast<std::size_t>(end)];
      const std::int64_t before = entry_of_[static_cast<std::size_t>(from)];
      match(from, entry);
      end = before == kNone ? kNone : row(before);
    }
    return true;
  }

  const SparsePattern& pattern_;
  std::vector<double> cost_;
  std::vector<double> price_;                                      // of each row
  std::vector<std::int64_t> column_of_, entry_of_;                 // of each row; of each column
  std::vector<double> distance_;                                   // of each row
  std::vector<std::pair<std::int64_t, std::int64_t>> reached_by_;  // of each row: column and entry
  std::vector<std::int64_t> stamp_, done_;  // of each row: the search that reached it; rows that are settled
  std::priority_queue<std::pair<double, std::int64_t>, std::vector<std::pair<double, std::int64_t>>,
                      std::greater<>>
      queue_;
  std::size_t left_;  // visits
};

}  // namespace

std::optional<std::vector<std::int64_t>> weighted_matching(const SparsePattern& pattern,
                                                           std::span<const double> values,
                                                           std::span<const double> row_scale) {
  std::vector<double> costs(pattern.nonzeros());
  for (std::size_t c = 0; c < pattern.n; ++c) {
    const auto begin = static_cast<std::size_t>(pattern.starts[c]),
               end = static_cast<std::size_t>(pattern.starts[c + 1]);
    double largest = 0;
    for (std::size_t k = begin; k < end; ++k)
      largest = std::max(
          largest, costs[k] = std::abs(values[k]) * row_scale[static_cast<std::size_t>(pattern.rows[k])]);
    for (std::size_t k = begin; k < end; ++k)
      costs[k] = costs[k] > 0 ? std::log(largest / costs[k]) : kZeroCost;
  }
  Matching matching(pattern, std::move(costs));
  if (!matching.run()) return std::nullopt;
  return matching.take();
}

}  // namespace runtime
