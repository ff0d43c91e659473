#include "compiler/graph/sparse_tearing.h"

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>

namespace sigrel::graph {
namespace {

/// The entries of a matrix, as a hash table with open addressing, and whether the row of an entry can be
/// solved for its column.
class Entries {
 public:
  enum Solvable : std::uint8_t { Unknown, Yes, No };

  /// Whether it is new.
  bool insert(std::uint32_t row, std::uint32_t column) {
    if (++count_ * 2 > keys_.size()) grow();
    const std::uint64_t entry = key(row, column);
    const std::size_t at = find(entry);
    if (keys_[at] == entry) return --count_, false;
    keys_[at] = entry;
    return true;
  }
  /// Of an entry that has been inserted.
  Solvable& solvable(std::uint32_t row, std::uint32_t column) { return solvable_[find(key(row, column))]; }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  static std::uint64_t key(std::uint32_t row, std::uint32_t column) {
    return std::uint64_t{row} << 32 | column;
  }
  /// The place of the entry, or the empty one where it belongs.
  std::size_t find(std::uint64_t entry) const {
    const std::size_t mask = keys_.size() - 1;
    std::size_t at = (entry * 0x9E3779B97F4A7C15ull >> 20) & mask;
    while (keys_[at] != kEmpty && keys_[at] != entry) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<std::uint64_t> keys(std::max<std::size_t>(1024, keys_.size() * 2), kEmpty);
    std::vector<Solvable> solvable(keys.size(), Unknown);
    keys.swap(keys_);
    solvable.swap(solvable_);
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (keys[k] == kEmpty) continue;
      const std::size_t at = find(keys[k]);
      keys_[at] = keys[k];
      solvable_[at] = solvable[k];
    }
  }

  std::vector<std::uint64_t> keys_;
  std::vector<Solvable> solvable_;
  std::size_t count_ = 0;
};

}  // namespace

SparseTearing::SparseTearing(const Bipartite& graph, const Bipartite& columns)
    : graph_(graph), columns_(columns), row_(graph.rows(), kNone), column_(graph.columns, kNone) {}

std::vector<bool> SparseTearing::eliminate(std::span<const std::uint32_t> equations,
                                           std::span<const std::uint32_t> variables,
                                           const Tearing::Solvable& solvable, const std::vector<bool>& keep) {
  const auto n = static_cast<std::uint32_t>(variables.size());
  // Entries of eliminated rows and columns stay in the lists until these are next traversed.
  std::vector<std::vector<std::uint32_t>> rows(n), columns(n);
  std::vector<std::uint32_t> in_row(n, 0), in_column(n, 0);
  std::vector<bool> row_gone(n, false), gone(n, false);
  Entries entries;
  auto add = [&](std::uint32_t r, std::uint32_t c) {
    if (!entries.insert(r, c)) return false;
    rows[r].push_back(c);
    columns[c].push_back(r);
    ++in_row[r];
    ++in_column[c];
    return true;
  };
  for (std::uint32_t r = 0; r < n; ++r)
    for (std::uint32_t v : graph_.row(equations[r]))
      if (column_[v] != kNone) add(r, column_[v]);
  auto solves = [&](std::uint32_t r, std::uint32_t c) {
    Entries::Solvable& known = entries.solvable(r, c);
    if (known == Entries::Unknown) known = solvable(equations[r], variables[c]) ? Entries::Yes : Entries::No;
    return known == Entries::Yes;
  };

  // To be eliminated last, cost, uses in the original equations, column: of two that cost the same, the one
  // with more uses is the better tearing variable, a potential rather than a voltage.
  using Candidate = std::tuple<bool, std::uint32_t, std::uint32_t, std::uint32_t>;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue;
  const std::vector<std::uint32_t> inputs = in_row, uses_of = in_column;  // in the original equations
  std::uint32_t pivot = kNone;
  auto cost_of = [&](std::uint32_t c) -> std::optional<std::uint32_t> {
    if (in_column[c] > kMostUses) return std::nullopt;
    std::erase_if(columns[c], [&](std::uint32_t r) { return row_gone[r]; });
    pivot = kNone;
    for (std::uint32_t r : columns[c]) {
      const std::uint32_t others = in_row[r] - 1, uses = in_column[c] - 1;
      if (others > kMostInputs || others * uses > others + uses + 1) continue;
      if (pivot != kNone && std::pair(in_row[r], inputs[r]) >= std::pair(in_row[pivot], inputs[pivot]))
        continue;
      if (!solves(r, c)) continue;
      pivot = r;
    }
    if (pivot == kNone) return std::nullopt;
    return (in_row[pivot] - 1) * (in_column[c] - 1);
  };
  // A candidate in the queue needs another place only when it has become cheaper; one that has become dearer
  // is recognised when it is popped.
  std::vector<std::uint32_t> offered(n, kNone), examined(n, kNone);
  std::uint32_t round = 0;
  auto offer = [&](std::uint32_t c) {
    if (gone[c] || std::exchange(examined[c], round) == round) return;
    auto cost = cost_of(c);
    if (!cost || *cost >= offered[c]) return;
    offered[c] = *cost;
    queue.emplace(keep[variables[c]], *cost, uses_of[c], c);
  };
  for (std::uint32_t c = 0; c < n; ++c) offer(c);
  while (!queue.empty()) {
    auto [kept, then, used, c] = queue.top();
    queue.pop();
    if (gone[c] || then != offered[c]) continue;
    offered[c] = kNone;
    auto cost = cost_of(c);
    if (!cost) continue;
    if (*cost > then) {
      offered[c] = *cost;
      queue.emplace(kept, *cost, used, c);
      continue;
    }
    ++round;
    const std::uint32_t r = pivot;
    std::erase_if(rows[r], [&](std::uint32_t d) { return gone[d]; });
    gone[c] = row_gone[r] = true;
    for (std::uint32_t d : rows[r]) --in_column[d];
    for (std::uint32_t s : columns[c]) {
      if (s == r) continue;
      --in_row[s];
      for (std::uint32_t d : rows[r])
        if (d != c && add(s, d))
          entries.solvable(s, d) = solves(s, c) && solves(r, d) ? Entries::Yes : Entries::No;
    }
    for (std::uint32_t d : rows[r]) offer(d);
    for (std::uint32_t s : columns[c]) {
      if (s == r || in_row[s] > kMostInputs + 1) continue;
      std::erase_if(rows[s], [&](std::uint32_t d) { return gone[d]; });
      for (std::uint32_t d : rows[s]) offer(d);
    }
  }
  return gone;
}

Torn SparseTearing::tear(std::span<const std::uint32_t> equations, std::span<const std::uint32_t> variables,
                         const Tearing::Solvable& solvable, const std::vector<bool>& keep) {
  const auto n = static_cast<std::uint32_t>(variables.size());
  for (std::uint32_t k = 0; k < n; ++k) {
    row_[equations[k]] = k;
    column_[variables[k]] = k;
  }
  std::vector<bool> open = eliminate(equations, variables, solvable, keep);  // not known yet

  Torn result;
  std::vector<std::uint32_t> left(n, 0), queue, order;  // left: open variables of an equation
  std::vector<bool> used(n, false);
  // Equations may contain a variable twice: they are counted, and gone through, by their entries.
  for (std::uint32_t r = 0; r < n; ++r) {
    for (std::uint32_t v : graph_.row(equations[r])) left[r] += column_[v] != kNone && open[column_[v]];
    if (left[r] == 1) queue.push_back(r);
  }
  auto know = [&](std::uint32_t c) {
    open[c] = false;
    for (std::uint32_t e : columns_.row(variables[c])) {
      const std::uint32_t r = row_[e];
      if (r != kNone && --left[r] == 1) queue.push_back(r);
    }
  };
  for (std::uint32_t c = 0; c < n; ++c)
    if (open[c])
      order.push_back(c);
    else
      result.torn.push_back(variables[c]);
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::uint32_t c) { return columns_.row(variables[c]).size(); });
  std::size_t next = 0;
  for (std::size_t at = 0;;) {
    if (at == queue.size()) {
      while (next < order.size() && !open[order[next]]) ++next;
      if (next == order.size()) break;
      result.torn.push_back(variables[order[next]]);
      know(order[next]);
      continue;
    }
    const std::uint32_t r = queue[at++];
    if (used[r] || left[r] != 1) continue;
    for (std::uint32_t v : graph_.row(equations[r])) {
      if (column_[v] == kNone || !open[column_[v]]) continue;
      if (!solvable(equations[r], v)) break;
      used[r] = true;
      result.solved_equations.push_back(equations[r]);
      result.solved_variables.push_back(v);
      know(column_[v]);
      break;
    }
  }
  for (std::uint32_t r = 0; r < n; ++r)
    if (!used[r]) result.residual_equations.push_back(equations[r]);
  for (std::uint32_t k = 0; k < n; ++k) row_[equations[k]] = column_[variables[k]] = kNone;
  return result;
}

}  // namespace sigrel::graph
