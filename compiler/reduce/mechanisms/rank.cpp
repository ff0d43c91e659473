#include "compiler/reduce/mechanisms/rank.h"

#include <Eigen/QR>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

#include "compiler/graph/signed_union_find.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kDense = 400;  // rows or columns
// Of the largest number of a column. Derivatives of constraints are known to some 1e-12.
constexpr double kZero = 1e-7;

Eigen::SparseMatrix<double> sparse(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                   std::uint32_t columns) {
  std::vector<Eigen::Triplet<double>> list;
  for (const MatrixEntry& e : entries)
    list.emplace_back(static_cast<int>(e.row), static_cast<int>(e.column), e.value);
  Eigen::SparseMatrix<double> matrix(static_cast<int>(rows), static_cast<int>(columns));
  matrix.setFromTriplets(list.begin(), list.end());
  matrix.makeCompressed();
  return matrix;
}

/// Gaussian elimination, always in a column with few entries, by a row with few ones among those whose entry
/// is not much smaller than the largest (Markowitz, Management Science 3, 1957).
class SparseElimination {
 public:
  SparseElimination(std::span<const MatrixEntry> entries, std::uint32_t rows, std::uint32_t columns)
      : rows_(rows), places_(columns), count_(columns, 0), size_(columns, 0.0), value_(columns, 0.0) {
    std::vector<std::vector<Entry>> all(rows);
    for (const MatrixEntry& e : entries) all[e.row].push_back({e.column, e.value});
    for (std::uint32_t r = 0; r < rows; ++r) {
      for (const Entry& e : all[r]) value_[e.column] += e.value;
      for (const Entry& e : all[r]) {
        if (value_[e.column] == 0) continue;
        size_[e.column] = std::max(size_[e.column], std::abs(value_[e.column]));
        add(r, {e.column, value_[e.column]});
        value_[e.column] = 0;
      }
    }
  }

  /// The columns without a pivot.
  std::vector<std::uint32_t> run(std::span<const Preference> preferences) {
    auto item = [&](std::uint32_t c) { return Item{preferences[c], count_[c], c}; };
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    for (std::uint32_t c = 0; c < count_.size(); ++c) queue.push(item(c));
    std::vector<std::uint32_t> result;
    while (!queue.empty()) {
      const Item next = queue.top();
      const std::uint32_t c = std::get<2>(next);
      queue.pop();
      if (next != item(c))
        queue.push(item(c));
      else if (!eliminate(c))
        result.push_back(c);
    }
    return result;
  }

 private:
  struct Entry {
    std::uint32_t column = 0;
    double value = 0;
  };
  using Item = std::tuple<Preference, std::uint32_t, std::uint32_t>;  // with its entries, and the column
  static constexpr double kRounding = 1e-13, kThreshold = 0.1;

  void add(std::uint32_t row, Entry entry) {
    rows_[row].push_back(entry);
    places_[entry.column].push_back(row);
    ++count_[entry.column];
  }
  double in(std::uint32_t row, std::uint32_t column) const {
    const auto at = std::ranges::find(rows_[row], column, &Entry::column);
    return at == rows_[row].end() ? 0.0 : at->value;
  }

  bool eliminate(std::uint32_t column) {
    std::vector<std::uint32_t> rows = std::move(places_[column]);  // some have lost their entry
    std::ranges::sort(rows);
    rows.erase(std::ranges::unique(rows).begin(), rows.end());
    std::vector<double> values;
    double largest = 0;
    for (const std::uint32_t r : rows) {
      values.push_back(in(r, column));
      largest = std::max(largest, std::abs(values.back()));
    }
    if (!(largest > kZero * size_[column])) return false;
    std::size_t best = rows.size();
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (std::abs(values[k]) >= kThreshold * largest &&
          (best == rows.size() || rows_[rows[k]].size() < rows_[rows[best]].size()))
        best = k;
    const std::vector<Entry> pivots = std::move(rows_[rows[best]]);
    rows_[rows[best]].clear();
    for (const Entry& e : pivots) --count_[e.column];
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (k != best && values[k] != 0) subtract(rows[k], values[k] / values[best], pivots, column);
    return true;
  }

  void subtract(std::uint32_t row, double factor, const std::vector<Entry>& pivots, std::uint32_t column) {
    for (const Entry& e : pivots) value_[e.column] = -factor * e.value;
    std::erase_if(rows_[row], [&](Entry& e) {
      e.value += std::exchange(value_[e.column], 0.0);
      const bool gone = e.column == column || std::abs(e.value) <= kRounding * size_[e.column];
      if (gone) --count_[e.column];
      return gone;
    });
    for (const Entry& e : pivots)
      if (const double value = std::exchange(value_[e.column], 0.0); value != 0) add(row, {e.column, value});
  }

  std::vector<std::vector<Entry>> rows_;            // empty after its pivot
  std::vector<std::vector<std::uint32_t>> places_;  // of columns: rows that have had an entry
  std::vector<std::uint32_t> count_;                // of columns: entries
  std::vector<double> size_, value_;                // of columns: the largest entry at first; scratch
};

/// A part of a least-squares problem.
struct Block {
  std::vector<std::uint32_t> columns;
  std::vector<MatrixEntry> entries;
  std::vector<double> b;  // by row
};

Eigen::VectorXd solve(const Block& block, double zero) {
  const auto rows = static_cast<std::uint32_t>(block.b.size()),
             columns = static_cast<std::uint32_t>(block.columns.size());
  const Eigen::SparseMatrix<double> matrix = sparse(block.entries, rows, columns);
  const Eigen::Map<const Eigen::VectorXd> right(block.b.data(), static_cast<Eigen::Index>(rows));
  if (std::max(rows, columns) <= kDense) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr;
    qr.setThreshold(zero);
    qr.compute(Eigen::MatrixXd(matrix));
    return qr.solve(right);
  }
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
  qr.setPivotThreshold(zero);
  qr.compute(matrix);
  return qr.solve(right);
}

}  // namespace

std::vector<std::uint32_t> dependent_columns(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                             std::uint32_t columns, std::span<const Preference> preferences) {
  if (columns == 0) return {};
  if (std::max(rows, columns) > kDense) return SparseElimination(entries, rows, columns).run(preferences);
  Eigen::MatrixXd rest(sparse(entries, rows, columns));
  const double zero = kZero * rest.colwise().norm().maxCoeff();
  std::vector<std::uint32_t> left(columns), result;
  std::iota(left.begin(), left.end(), 0u);
  for (const Preference now : {Preference::Independent, Preference::None, Preference::Dependent}) {
    const auto end = std::stable_partition(left.begin(), left.end(),
                                           [&](std::uint32_t c) { return preferences[c] == now; });
    for (auto next = left.begin(); next != end; ++next) {
      const auto best = std::max_element(next, end, [&](std::uint32_t a, std::uint32_t b) {
        return rest.col(a).squaredNorm() < rest.col(b).squaredNorm();
      });
      if (!(rest.col(*best).norm() > zero)) {
        result.insert(result.end(), next, end);
        break;
      }
      std::iter_swap(next, best);
      const Eigen::VectorXd q = rest.col(*next).normalized();
      for (auto c = next + 1; c != left.end(); ++c) rest.col(*c) -= q * q.dot(rest.col(*c));
    }
    left.erase(left.begin(), end);
  }
  std::ranges::sort(result);
  return result;
}

std::vector<std::uint32_t> dependent_on_earlier(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                                std::span<const std::uint32_t> order, double threshold) {
  constexpr double kClear = 1e-3;
  Eigen::MatrixXd basis(rows, 0);
  const Eigen::MatrixXd matrix(sparse(entries, rows, static_cast<std::uint32_t>(order.size())));
  std::vector<std::uint32_t> left(order.begin(), order.end());
  const double largest = order.empty() ? 0.0 : matrix.colwise().norm().maxCoeff();
  for (const bool clear : {true, false})
    std::erase_if(left, [&](std::uint32_t k) {
      const double least = clear ? kClear * matrix.col(k).norm() : 0.0;
      Eigen::VectorXd rest = matrix.col(k);
      for (int twice = 0; twice < 2; ++twice) rest -= basis * (basis.transpose() * rest);
      if (!(rest.norm() > std::max(least, threshold * largest))) return false;
      basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
      basis.col(basis.cols() - 1) = rest.normalized();
      return true;
    });
  return left;
}

std::vector<double> least_squares(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                  std::uint32_t columns, std::span<const double> b, double zero) {
  std::vector<double> result(columns, 0.0);
  // Blocks that share no row, as of mechanisms beside each other.
  graph::SignedUnionFind blocks(columns + rows);
  for (const MatrixEntry& e : entries) blocks.unite(e.column, columns + e.row, false);
  std::vector<std::uint32_t> place(columns + rows), number(columns + rows, kNone);
  std::vector<Block> all;
  auto block_of = [&](std::uint32_t k) -> Block& {
    std::uint32_t& block = number[blocks.find(k).root];
    if (block == kNone) {
      block = static_cast<std::uint32_t>(all.size());
      all.emplace_back();
    }
    return all[block];
  };
  for (std::uint32_t k = 0; k < columns; ++k) {
    Block& block = block_of(k);
    place[k] = static_cast<std::uint32_t>(block.columns.size());
    block.columns.push_back(k);
  }
  for (std::uint32_t k = 0; k < rows; ++k) {
    Block& block = block_of(columns + k);
    place[columns + k] = static_cast<std::uint32_t>(block.b.size());
    block.b.push_back(b[k]);
  }
  for (const MatrixEntry& e : entries)
    block_of(e.column).entries.push_back({place[columns + e.row], place[e.column], e.value});
  for (const Block& block : all) {
    if (block.columns.empty() || block.b.empty()) continue;
    const Eigen::VectorXd x = solve(block, zero);
    for (std::size_t k = 0; k < block.columns.size(); ++k)
      result[block.columns[k]] = x[static_cast<Eigen::Index>(k)];
  }
  return result;
}

}  // namespace sigrel::reduce
