#include "runtime/linear/frontal_factors.h"

#include <algorithm>
#include <cmath>

#include "runtime/linear/elimination_tree.h"
#include "runtime/linear/ordering.h"
#include "runtime/linear/sparse_pattern.h"

namespace runtime {

namespace {

constexpr std::uint32_t kNone = EliminationTree::kNoParent;

std::uint32_t padded(std::size_t count) {
  return static_cast<std::uint32_t>((count + kWidth - 1) / kWidth * kWidth);
}

}  // namespace

/// The diagonal blocks in pivot order, and their elimination tree.
struct FrontalFactors::Symbolic {
  struct Position {
    std::uint32_t row, column, value;
  };
  EliminationTree tree;
  std::vector<Position> all;
  Lists entries;  // numbers into `all`, by the earlier of row and column
};

std::optional<FrontalFactors> FrontalFactors::of(const SparsePattern& pattern,
                                                 std::span<const std::int64_t> row_order,
                                                 std::span<const std::int64_t> column_order,
                                                 std::span<const std::int64_t> blocks, double most) {
  std::optional<FrontalFactors> result{FrontalFactors()};
  result->n_ = pattern.n;
  result->row_order_.assign(row_order.begin(), row_order.end());
  result->column_order_.assign(column_order.begin(), column_order.end());
  result->blocks_.assign(blocks.begin(), blocks.end());
  result->odd_ = is_odd(result->row_order_) != is_odd(result->column_order_);
  Symbolic symbolic;
  if (result->analyse(pattern, symbolic) > most) return std::nullopt;
  result->lay_out(symbolic);
  return result;
}

/// Permutes the order into a postorder of the elimination tree. The number of entries of the factors.
double FrontalFactors::analyse(const SparsePattern& pattern, Symbolic& symbolic) {
  const auto n = static_cast<std::uint32_t>(n_);
  std::vector<std::uint32_t> block(n), position(n);
  for (std::uint32_t b = 0; b + 1 < blocks_.size(); ++b)
    std::fill(block.begin() + blocks_[b], block.begin() + blocks_[b + 1], b);
  auto each_entry = [&](auto use) {
    for (std::uint32_t i = 0; i < n; ++i) position[row_order_[i]] = i;
    for (std::uint32_t c = 0; c < n; ++c)
      for (std::int64_t k = pattern.starts[column_order_[c]]; k < pattern.starts[column_order_[c] + 1]; ++k)
        use(position[static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)])], c,
            static_cast<std::uint32_t>(k));
  };

  symbolic.tree = elimination_tree(lists(n_, [&](auto use) {
    each_entry([&](std::uint32_t row, std::uint32_t column, std::uint32_t) {
      if (row != column && block[row] == block[column]) use(std::max(row, column), std::min(row, column));
    });
  }));
  double touched = 0;
  for (std::uint32_t count : symbolic.tree.touched) touched += count;
  // Every postorder has the same fill-in. Blocks stay in place: no tree crosses their boundaries.
  const std::vector<std::uint32_t> order = postorder(symbolic.tree);
  const EliminationTree before = symbolic.tree;
  std::vector<std::uint32_t> place(n), rows = row_order_, columns = column_order_;
  for (std::uint32_t k = 0; k < n; ++k) place[order[k]] = k;
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t parent = before.parent[order[k]];
    symbolic.tree.parent[k] = parent == kNone ? kNone : place[parent];
    symbolic.tree.touched[k] = before.touched[order[k]];
    row_order_[k] = rows[order[k]];
    column_order_[k] = columns[order[k]];
  }
  std::vector<Symbolic::Position> above;
  each_entry([&](std::uint32_t row, std::uint32_t column, std::uint32_t k) {
    (block[row] == block[column] ? symbolic.all : above).push_back({row, column, k});
  });
  symbolic.entries = lists(n_, [&](auto use) {
    for (std::uint32_t k = 0; k < symbolic.all.size(); ++k)
      use(std::min(symbolic.all[k].row, symbolic.all[k].column), k);
  });
  if (!above.empty()) {
    Lists by_row = lists(n_, [&](auto use) {
      for (std::uint32_t k = 0; k < above.size(); ++k) use(above[k].row, k);
    });
    above_.starts = std::move(by_row.starts);
    for (const std::uint32_t k : by_row.items) {
      above_.columns.push_back(above[k].column);
      above_.value.push_back(above[k].value);
    }
    above_.values.resize(above.size());
  }
  return 2 * touched + n;
}

void FrontalFactors::lay_out(const Symbolic& symbolic) {
  const auto n = static_cast<std::uint32_t>(n_);
  const std::vector<PivotGroup> groups = relaxed_supernodes(symbolic.tree);
  std::vector<std::uint32_t> front_of(n), place(n), seen(n, kNone);
  for (std::uint32_t f = 0; f < groups.size(); ++f)
    for (std::uint32_t i = groups[f].begin; i < groups[f].end; ++i) front_of[i] = f;
  const Lists children = lists(groups.size(), [&](auto use) {
    for (std::uint32_t f = 0; f < groups.size(); ++f)
      if (const std::uint32_t parent = symbolic.tree.parent[groups[f].end - 1]; parent != kNone)
        use(front_of[parent], f);
  });
  children_ = children.items;

  std::vector<std::vector<std::uint32_t>> touched(groups.size());  // freed when the parent is laid out
  std::vector<std::size_t> later_of_panels;
  std::size_t numbers = 0, rests = 0, all_rests = 0, largest = 0;
  fronts_.resize(groups.size());
  for (std::uint32_t f = 0; f < groups.size(); ++f) {
    Front& front = fronts_[f];
    front.begin = groups[f].begin;
    front.end = groups[f].end;
    const auto below = children.of(f);
    auto& mine = touched[f];
    auto touch = [&](std::uint32_t unknown) {
      if (unknown < front.end || seen[unknown] == f) return;
      seen[unknown] = f;
      mine.push_back(unknown);
    };
    for (std::uint32_t child : below)
      for (std::uint32_t unknown : touched[child]) touch(unknown);
    for (std::uint32_t i = front.begin; i < front.end; ++i)
      for (std::uint32_t k : symbolic.entries.of(i))
        touch(std::max(symbolic.all[k].row, symbolic.all[k].column));
    std::ranges::sort(mine);
    front.touched = static_cast<std::uint32_t>(mine.size());
    front.size = padded(front.pivots()) + front.left();
    for (std::uint32_t i = front.begin; i < front.end; ++i) place[i] = i - front.begin;
    for (std::uint32_t k = 0; k < front.touched; ++k) place[mine[k]] = front.first_touched() + k;

    // An entry below the panel of its column belongs to L.
    for (std::uint32_t i = front.begin; i < front.end; ++i)
      for (std::uint32_t k : symbolic.entries.of(i)) {
        const std::uint32_t row = place[symbolic.all[k].row], column = place[symbolic.all[k].column];
        const std::uint32_t at = row / kWidth > column / kWidth ? (front.pivots() + column) * front.size + row
                                                                : row * front.size + column;
        entries_.push_back({at, row_order_[symbolic.all[k].row], symbolic.all[k].value});
      }
    front.entries = static_cast<std::uint32_t>(entries_.size());
    // The contributions of children are on a stack: that of their parent replaces them.
    front.rest = below.empty() ? rests : fronts_[below.front()].rest;
    front.children = children.starts[f + 1];
    for (std::uint32_t child : below) {
      Front& other = fronts_[child];
      other.places = places_.size();
      for (std::uint32_t unknown : touched[child]) {
        places_.push_back(place[unknown]);
        rest_places_.push_back(unknown < front.end ? 0 : place[unknown]);
        if (unknown < front.end) ++other.shared;
      }
      places_.resize(other.places + other.left(), 0);
      rest_places_.resize(other.places + other.left(), 0);
      touched[child] = {};
    }
    rests = front.rest + std::size_t{front.left()} * front.left() / kWidth;
    all_rests = std::max(all_rests, rests);
    largest = std::max(largest, std::size_t{front.rows()} * front.size);

    const std::size_t unknowns = later_.size();
    later_.resize(unknowns + front.size, n);
    for (std::uint32_t i = front.begin; i < front.end; ++i) later_[unknowns + place[i]] = i;
    std::ranges::copy(mine, later_.begin() + static_cast<std::ptrdiff_t>(unknowns + front.first_touched()));
    for (std::uint32_t k = 0; k < front.pivots(); k += kWidth) {
      const std::uint32_t next = k + static_cast<std::uint32_t>(kWidth),
                          pivots = std::min(next, front.pivots()) - k;
      panels_.push_back({front.begin + k, pivots, front.size - next, nullptr, nullptr, nullptr});
      later_of_panels.push_back(unknowns + next);
      numbers += pivots * (kWidth + front.size - next);
    }
    front.panels = static_cast<std::uint32_t>(panels_.size());
  }
  for (std::size_t b = 0, p = 0; b < blocks_.size(); ++b) {
    while (p < panels_.size() && panels_[p].first < blocks_[b]) ++p;
    block_panels_.push_back(static_cast<std::uint32_t>(p));
  }
  lower_.resize(numbers / kWidth);
  upper_.resize(numbers / kWidth);
  rests_.resize(all_rests);
  front_.resize(largest / kWidth);
  scale_.assign(n, 1.0);
  work_.assign(n + kWidth, 0.0);
  numbers = 0;
  for (std::size_t p = 0; p < panels_.size(); ++p) {
    Panel& panel = panels_[p];
    panel.later = later_.data() + later_of_panels[p];
    panel.lower = at(lower_, numbers / kWidth);
    panel.upper = at(upper_, numbers / kWidth);
    numbers += panel.pivots * (kWidth + panel.length);
  }
}

/// Adds up the front: entries of the matrix, and the contributions of its children.
void FrontalFactors::assemble(std::size_t f, std::span<const double> values,
                              std::span<const double> row_scale) {
  const Front &front = fronts_[f], before = f ? fronts_[f - 1] : Front{};
  const std::size_t size = front.size, pivots = front.pivots();
  double *upper = at(front_, 0), *lower = upper + pivots * size, *rest = lower + pivots * size;
  std::fill_n(upper, front.rows() * size, 0.0);
  for (std::uint32_t k = before.entries; k < front.entries; ++k) {
    const Entry& entry = entries_[k];
    upper[entry.place] = row_scale[entry.row] * values[entry.value];
  }
  // In groups of kWidth; those beyond the end are added to places that are not read.
  auto add = [](const double* from, std::size_t distance, const std::uint32_t* places, std::size_t begin,
                std::size_t end, double* to) {
    for (std::size_t k = begin / kWidth * kWidth; k < end; k += kWidth)
      for (std::size_t lane = 0; lane < kWidth; ++lane) to[places[k + lane]] += from[(k + lane) * distance];
  };
  for (std::uint32_t c = before.children; c < front.children; ++c) {
    const Front& child = fronts_[children_[c]];
    const std::uint32_t *places = places_.data() + child.places,
                        *rest_places = rest_places_.data() + child.places;
    const double* from = at(rests_, child.rest);
    const std::size_t distance = child.left();
    for (std::uint32_t i = 0; i < child.shared; ++i) {
      add(from + i * distance, 1, places, 0, child.touched, upper + places[i] * size);
      add(from + i, distance, rest_places, child.shared, child.touched, lower + places[i] * size);
    }
    for (std::uint32_t i = child.shared; i < child.touched; ++i)
      add(from + i * distance, 1, rest_places, child.shared, child.touched,
          rest + (places[i] - front.first_touched()) * size);
  }
  // Where a contribution spans pivots of several panels, its part of L was added to the rows of U.
  for (std::size_t i = kWidth; i < pivots; ++i)
    for (std::size_t k = 0; k < i / kWidth * kWidth; ++k) {
      lower[k * size + i] += upper[i * size + k];
      upper[i * size + k] = 0;
    }
}

bool FrontalFactors::eliminate_front(std::size_t f, std::span<const double> least, Largest& largest) {
  const Front& front = fronts_[f];
  const std::size_t size = front.size, pivots = front.pivots(), left = front.left(),
                    first = front.first_touched();
  double *upper = at(front_, 0), *lower = upper + pivots * size, *rest = lower + pivots * size;
  for (std::uint32_t p = f ? fronts_[f - 1].panels : 0; p < front.panels; ++p) {
    const Panel& panel = panels_[p];
    const std::size_t begin = panel.first - front.begin, next = begin + kWidth;
    const Block square{upper + begin * size + begin, size}, columns{lower + begin * size + next, size};
    if (begin > 0) {  // the updates by earlier panels
      subtract_product(begin, {lower + begin, size}, {upper + begin, size}, panel.pivots, size - begin,
                       square, square);
      subtract_product(begin, {upper + begin, size}, {lower + next, size}, panel.pivots, size - next, columns,
                       columns);
    }
    double least_of[kWidth];
    for (std::uint32_t k = 0; k < panel.pivots; ++k) least_of[k] = least[column_order_[panel.first + k]];
    if (!invert(panel, square, least_of, largest)) return false;
    eliminate(panel, {square.at + kWidth, size}, columns, largest);
  }
  subtract_product(pivots, {lower + first, size}, {upper + first, size}, front.touched, left,
                   {rest + first, size}, {at(rests_, front.rest), left});
  return true;
}

double FrontalFactors::factor(std::span<const double> values, std::span<const double> row_scale,
                              std::span<const double> least) {
  Largest largest;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    assemble(f, values, row_scale);
    if (!eliminate_front(f, least, largest)) return HUGE_VAL;
  }
  for (std::uint32_t i = 0; i < n_; ++i) scale_[i] = row_scale[row_order_[i]];
  for (std::uint32_t i = 0; i + 1 < above_.starts.size(); ++i)
    for (std::uint32_t k = above_.starts[i]; k < above_.starts[i + 1]; ++k)
      above_.values[k] = scale_[i] * values[above_.value[k]];
  return largest.lower * largest.upper;
}

void FrontalFactors::solve(const double* right_hand_side, double* solution) {
  double* y = work_.data();
  for (std::uint32_t i = 0; i < n_; ++i) y[i] = right_hand_side[row_order_[i]] * scale_[i];
  std::fill(work_.begin() + static_cast<std::ptrdiff_t>(n_), work_.end(), 0.0);
  for (std::size_t b = blocks_.size() - 1; b-- > 0;) {
    if (!above_.starts.empty())
      for (std::uint32_t i = blocks_[b]; i < blocks_[b + 1]; ++i)
        for (std::uint32_t k = above_.starts[i]; k < above_.starts[i + 1]; ++k)
          y[i] -= above_.values[k] * y[above_.columns[k]];
    const std::span panels(panels_.data() + block_panels_[b], panels_.data() + block_panels_[b + 1]);
    solve_lower(panels, y);
    solve_upper(panels, y);
  }
  for (std::uint32_t i = 0; i < n_; ++i) solution[column_order_[i]] = y[i];
}

double FrontalFactors::smallest_pivot() const {
  double largest = 0;  // reciprocal
  for (const Panel& panel : panels_)
    for (std::size_t k = 0; k < panel.pivots; ++k)
      largest = std::max(largest, std::abs(panel.upper[k * kWidth + k]));
  return 1 / largest;
}

int FrontalFactors::determinant_sign() const {
  bool negative = odd_;
  for (const Panel& panel : panels_)
    for (std::size_t k = 0; k < panel.pivots; ++k) negative ^= panel.upper[k * kWidth + k] < 0;
  return negative ? -1 : 1;
}

}  // namespace runtime
