#include "compiler/structural_types/sparse.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "compiler/graph/blt.h"
#include "compiler/structural_types/cover.h"

namespace sigrel::structural_types {
namespace {

using graph::Bipartite;
using graph::kNone;

/// Sets of numbers; the smaller number stands for the set.
class Sets {
 public:
  explicit Sets(std::uint32_t size) : up_(size) { std::iota(up_.begin(), up_.end(), 0u); }
  std::uint32_t find(std::uint32_t x) {
    while (up_[x] != x) x = up_[x] = up_[up_[x]];
    return x;
  }
  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a);
    b = find(b);
    up_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> up_;
};

/// Leaves out the columns that `keep` denies, and numbers the others anew. Rows are sorted and without
/// repetition.
Part with_columns(const Part& from, const Bipartite& rows, const std::vector<bool>& keep) {
  Part to;
  std::vector<std::uint32_t> number(from.incidence.columns(), kNone);
  std::uint32_t next = 0;
  for (std::uint32_t c = 0; c < from.incidence.columns(); ++c) {
    if (!keep[c]) continue;
    number[c] = next++;
    if (c < from.incidence.interface) to.label.push_back(from.label[c]);
  }
  to.incidence.interface = static_cast<std::uint32_t>(to.label.size());
  to.incidence.hidden = next - to.incidence.interface;
  to.incidence.rows.columns = next;
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    auto& targets = to.incidence.rows.targets;
    auto start = static_cast<std::ptrdiff_t>(targets.size());
    for (std::uint32_t c : rows.row(r)) targets.push_back(number[c]);
    std::sort(targets.begin() + start, targets.end());
    targets.erase(std::unique(targets.begin() + start, targets.end()), targets.end());
    to.incidence.rows.end_row();
  }
  return to;
}

/// K1: the core.
Part core_of(const Part& part, std::vector<std::uint32_t>& coloops) {
  const Incidence& system = part.incidence;
  const std::uint32_t context = system.rows.rows(), context_column = system.columns();
  std::vector<std::uint32_t> row_of = cover(system).matching.row_of_column;

  Bipartite graph;  // with the context as a row that is matched with a column of its own, which stands for
                    // the free ones
  graph.columns = context_column + 1;
  bool any_free = false;
  for (std::uint32_t r = 0; r < system.rows.rows(); ++r) {
    for (std::uint32_t c : system.rows.row(r))
      graph.targets.push_back(row_of[c] == kNone ? context_column : c);
    graph.end_row();
  }
  for (std::uint32_t c = 0; c < system.interface; ++c)
    if (row_of[c] == kNone)
      any_free = true;
    else
      graph.targets.push_back(c);
  graph.end_row();
  std::vector<std::uint32_t> matched = row_of;
  matched.push_back(context);
  graph::Blocks blocks = graph::blt(graph, matched);
  std::vector<std::uint32_t> block_of(context + 1);
  for (std::uint32_t b = 0; b < blocks.count(); ++b)
    for (std::uint32_t r : blocks.block(b)) block_of[r] = b;
  const std::uint32_t core = any_free ? block_of[context] : kNone;

  auto in_core = [&](std::uint32_t c) { return row_of[c] == kNone ? any_free : block_of[row_of[c]] == core; };
  Bipartite rows;
  std::vector<bool> keep(system.columns(), false);
  for (std::uint32_t r = 0; r < system.rows.rows(); ++r) {
    if (block_of[r] != core) continue;
    for (std::uint32_t c : system.rows.row(r)) {
      if (!in_core(c)) continue;
      rows.targets.push_back(c);
      keep[c] = true;
    }
    rows.end_row();
  }
  for (std::uint32_t c = 0; c < system.interface; ++c)
    if (row_of[c] != kNone && !in_core(c)) coloops.push_back(part.label[c]);
  return with_columns(part, rows, keep);
}

/// One round of K2 to K4; whether anything has changed.
bool merge_round(Part& part) {
  const Incidence& system = part.incidence;
  const Bipartite columns = graph::transpose(system.rows);
  Sets rows(system.rows.rows()), names(system.columns());
  std::vector<bool> row_gone(system.rows.rows(), false), row_grown(system.rows.rows(), false),
      column_gone(system.columns(), false);
  bool any = false;
  struct Two {
    std::uint32_t line[2];
    std::uint32_t count = 0;
  };
  /// The different lines of a list of two that are still there.
  auto present = [](std::span<const std::uint32_t> list, Sets& sets, const std::vector<bool>& gone) {
    Two two;
    for (std::uint32_t x : list) {
      x = sets.find(x);
      if (!gone[x] && !(two.count == 1 && two.line[0] == x)) two.line[two.count++] = x;
    }
    return two;
  };
  for (std::uint32_t z = system.interface; z < system.columns(); ++z) {
    if (columns.row(z).size() > 2) continue;
    Two two = present(columns.row(z), rows, row_gone);
    assert(two.count > 0);
    column_gone[z] = any = true;
    if (two.count == 1) {
      row_gone[two.line[0]] = true;
    } else {
      rows.unite(two.line[0], two.line[1]);
      row_grown[two.line[0]] = row_grown[two.line[1]] = true;
    }
  }
  for (std::uint32_t e = 0; e < system.rows.rows(); ++e) {
    if (rows.find(e) != e || row_gone[e] || row_grown[e] || system.rows.row(e).size() > 2) continue;
    Two two = present(system.rows.row(e), names, column_gone);
    assert(two.count > 0);
    if (std::max(two.line[0], two.line[two.count - 1]) < system.interface) continue;
    row_gone[e] = any = true;
    if (two.count == 1)
      column_gone[two.line[0]] = true;
    else
      names.unite(two.line[0], two.line[1]);  // an interface column has the smaller number
  }
  if (!any) return false;

  std::vector<std::uint32_t> next(system.rows.rows(), kNone);  // the rows that are one now, as lists
  Bipartite merged;
  std::vector<bool> keep(system.columns(), false);
  for (std::uint32_t r = system.rows.rows(); r-- > 0;)
    if (std::uint32_t root = rows.find(r); root != r) {
      next[r] = next[root];
      next[root] = r;
    }
  for (std::uint32_t root = 0; root < system.rows.rows(); ++root) {
    if (rows.find(root) != root || row_gone[root]) continue;
    for (std::uint32_t r = root; r != kNone; r = next[r])
      for (std::uint32_t c : system.rows.row(r))
        if (c = names.find(c); !column_gone[c]) {
          merged.targets.push_back(c);
          keep[c] = true;
        }
    merged.end_row();
  }
  part = with_columns(part, merged, keep);
  return true;
}

}  // namespace

Part close_sparse(const Incidence& incidence, std::vector<std::uint32_t>& coloops) {
  Part part{incidence, std::vector<std::uint32_t>(incidence.interface)};
  std::iota(part.label.begin(), part.label.end(), 0u);
  do {
    part = core_of(part, coloops);
  } while (merge_round(part));
  return part;
}

std::vector<Part> connected_parts(const Part& whole) {
  const Incidence& system = whole.incidence;
  Sets columns(system.columns());
  for (std::uint32_t r = 0; r < system.rows.rows(); ++r)
    for (std::uint32_t c : system.rows.row(r)) columns.unite(system.rows.row(r)[0], c);
  std::vector<std::uint32_t> part_of(system.columns(), kNone), number(system.columns());
  std::vector<Part> parts;
  for (std::uint32_t c = 0; c < system.columns(); ++c) {
    std::uint32_t& p = part_of[columns.find(c)];
    if (p == kNone) {
      p = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    part_of[c] = p;
    Part& part = parts[p];
    number[c] = part.incidence.rows.columns++;
    if (c < system.interface) part.label.push_back(whole.label[c]);
  }
  for (std::uint32_t r = 0; r < system.rows.rows(); ++r) {
    Incidence& part = parts[part_of[system.rows.row(r)[0]]].incidence;
    for (std::uint32_t c : system.rows.row(r)) part.rows.targets.push_back(number[c]);
    part.rows.end_row();
  }
  for (Part& part : parts) {
    part.incidence.interface = static_cast<std::uint32_t>(part.label.size());
    part.incidence.hidden = part.incidence.rows.columns - part.incidence.interface;
  }
  return parts;
}

}  // namespace sigrel::structural_types
