#include "runtime/linear/sparse.h"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "runtime/linear/frontal_factors.h"
#include "runtime/linear/sparse_factors.h"

namespace runtime {

namespace {

// Multiplications of a factorisation for each entry of a factor, from which on dense fronts take less time
// than rows.
constexpr double kDense = 12;

}  // namespace

SparsePattern compress(std::size_t n, std::span<const Entry> entries, std::vector<std::uint32_t>& positions) {
  // Two bucket passes, by row and then by column, leave every column with ascending rows.
  std::vector<std::uint32_t> starts(n + 1, 0), by_row(entries.size()), order(entries.size());
  for (const Entry& e : entries) ++starts[e.row + 1];
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  for (std::uint32_t k = 0; k < entries.size(); ++k) by_row[starts[entries[k].row]++] = k;
  starts.assign(n + 1, 0);
  for (const Entry& e : entries) ++starts[e.column + 1];
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  for (std::uint32_t k : by_row) order[starts[entries[k].column]++] = k;

  SparsePattern pattern;
  pattern.n = n;
  pattern.starts.assign(n + 1, 0);
  pattern.rows.reserve(entries.size());
  positions.assign(entries.size(), 0);
  const Entry* last = nullptr;
  for (std::uint32_t k : order) {
    const Entry& e = entries[k];
    if (!last || last->row != e.row || last->column != e.column) {
      pattern.rows.push_back(e.row);
      ++pattern.starts[e.column + 1];
    }
    positions[k] = static_cast<std::uint32_t>(pattern.rows.size() - 1);
    last = &e;
  }
  for (std::size_t i = 0; i < n; ++i) pattern.starts[i + 1] += pattern.starts[i];
  return pattern;
}

struct LinearSystem::Klu {
  klu_l_common common;
  klu_l_symbolic* symbolic = nullptr;
  std::variant<std::monostate, SparseFactors, FrontalFactors> factors;
  double entries = 1, multiplications = 0;  // of factors in the order found
  Ordering wanted, by = Ordering::Amd;
  std::size_t largest = 0;  // block that was ordered

  explicit Klu(Ordering ordering) : wanted(ordering) {
    klu_l_defaults(&common);
    common.ordering =
        3;  // ours: as if symmetric, which is better than COLAMD on the nearly symmetric patterns of networks
    common.user_order = order;
    common.user_data = this;
    common.scale = 2;   // rows by their largest entry
    common.tol = 0.01;  // a pivot to the largest entry of its column: with the usual 0.001 a bad diagonal
                        // costs six digits
  }
  static std::span<const std::int64_t> view(const SuiteSparse_long* from, std::size_t count) {
    static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));
    return {reinterpret_cast<const std::int64_t*>(from), count};
  }
  static SuiteSparse_long order(SuiteSparse_long n, SuiteSparse_long* starts, SuiteSparse_long* rows,
                                SuiteSparse_long* result, klu_l_common* common) {
    auto& me = *static_cast<Klu*>(common->user_data);
    const auto size = static_cast<std::size_t>(n);
    const EliminationOrder found =
        elimination_order(view(starts, size + 1), view(rows, static_cast<std::size_t>(starts[n])), me.wanted);
    std::ranges::copy(found.order, result);
    me.entries += static_cast<double>(found.entries);
    me.multiplications += found.multiplications;
    if (size > std::exchange(me.largest, std::max(me.largest, size))) me.by = found.by;
    return static_cast<SuiteSparse_long>(found.entries);
  }
  ~Klu() { klu_l_free_symbolic(&symbolic, &common); }

  bool fills_in() const { return multiplications > kDense * entries; }
  bool take_fronts(const SparsePattern& pattern, std::span<const std::int64_t> row_order,
                   std::span<const std::int64_t> column_order, std::span<const std::int64_t> blocks,
                   double most) {
    auto fronts = FrontalFactors::of(pattern, row_order, column_order, blocks, most);
    if (fronts) factors.emplace<FrontalFactors>(std::move(*fronts));
    return fronts.has_value();
  }
  /// Pivots as they were ordered, before anyone has looked at values.
  bool take_diagonal(const SparsePattern& pattern) {
    const std::size_t n = pattern.n, blocks = static_cast<std::size_t>(symbolic->nblocks) + 1;
    return fills_in() && take_fronts(pattern, view(symbolic->P, n), view(symbolic->Q, n),
                                     view(symbolic->R, blocks), HUGE_VAL);
  }
  /// Those of KLU.
  void take_over(const SparsePattern& pattern, klu_l_numeric* numeric) {
    const std::size_t n = pattern.n;
    auto longs = [](std::vector<std::int64_t>& v) { return reinterpret_cast<SuiteSparse_long*>(v.data()); };
    std::vector<std::int64_t> row_order(n), column_order(n),
        blocks(static_cast<std::size_t>(symbolic->nblocks) + 1);
    if (fills_in()) {
      klu_l_extract(numeric, symbolic, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                    nullptr, longs(row_order), longs(column_order), nullptr, longs(blocks), &common);
      if (take_fronts(pattern, row_order, column_order, blocks,
                      2.0 * static_cast<double>(numeric->lnz + numeric->unz)))
        return;
    }
    SparseFactors::Columns lower, upper;
    lower.starts.resize(n + 1);
    lower.rows.resize(static_cast<std::size_t>(numeric->lnz));
    upper.starts.resize(n + 1);
    upper.rows.resize(static_cast<std::size_t>(numeric->unz));
    std::vector<double> values(
        std::max(lower.rows.size(), upper.rows.size()));  // of no use, yet without them nothing is extracted
    klu_l_extract(numeric, symbolic, longs(lower.starts), longs(lower.rows), values.data(),
                  longs(upper.starts), longs(upper.rows), values.data(), nullptr, nullptr, nullptr,
                  longs(row_order), longs(column_order), nullptr, longs(blocks), &common);
    factors.emplace<SparseFactors>(pattern, lower, upper, row_order, column_order, blocks);
  }

  /// False without factors, or when other pivots are needed.
  bool factor(std::span<const double> values, std::span<const double> row_scale,
              std::span<const double> least, double limit) {
    if (auto* rows = std::get_if<SparseFactors>(&factors))
      return rows->factor(values, row_scale, least, limit);
    if (auto* fronts = std::get_if<FrontalFactors>(&factors))
      return fronts->factor(values, row_scale, least, limit);
    return false;
  }
  void solve(const double* right_hand_side, double* solution) {
    if (auto* rows = std::get_if<SparseFactors>(&factors)) rows->solve(right_hand_side, solution);
    if (auto* fronts = std::get_if<FrontalFactors>(&factors)) fronts->solve(right_hand_side, solution);
  }
};

LinearSystem::LinearSystem(SparsePattern pattern, std::size_t dense_limit, Ordering ordering)
    : pattern_(std::move(pattern)), values_(pattern_.nonzeros(), 0.0), is_dense_(pattern_.n <= dense_limit) {
  row_scale_.resize(pattern_.n);
  column_max_.resize(pattern_.n);
  if (is_dense_) {
    dense_.resize(pattern_.n * pattern_.n);
    pivots_.resize(pattern_.n);
  } else {
    klu_ = std::make_unique<Klu>(ordering);
  }
}
LinearSystem::~LinearSystem() = default;
Ordering LinearSystem::ordered_by() const { return klu_ ? klu_->by : Ordering::Auto; }
LinearSystem::LinearSystem(LinearSystem&&) noexcept = default;
LinearSystem& LinearSystem::operator=(LinearSystem&&) noexcept = default;

LinearSystem::Status LinearSystem::factor(double least) {
  // Rows are scaled by their largest entry, so that a pivot can be judged against its column whatever the
  // units of the rows.
  const std::size_t n = pattern_.n;
  row_scale_.assign(n, 0.0);
  std::size_t empty = n;
  for (std::size_t c = 0; c < n; ++c) {
    double largest = 0;
    for (std::int64_t k = pattern_.starts[c]; k < pattern_.starts[c + 1]; ++k) {
      const double magnitude = std::abs(values_[k]);
      if (!(magnitude <= std::numeric_limits<double>::max())) return Status::NotFinite;
      double& scale = row_scale_[pattern_.rows[k]];
      scale = std::max(scale, magnitude);
      largest = std::max(largest, magnitude);
    }
    if (largest == 0) empty = std::min(empty, c);
  }
  if (empty < n) {
    singular_column_ = static_cast<std::uint32_t>(empty);
    return Status::Singular;
  }
  for (double& scale : row_scale_) scale = scale > 0 ? 1 / scale : 0;
  column_max_.assign(n, 0.0);
  for (std::size_t c = 0; least > 0 && c < n; ++c)
    for (std::int64_t k = pattern_.starts[c]; k < pattern_.starts[c + 1]; ++k)
      column_max_[c] = std::max(column_max_[c], std::abs(values_[k]) * row_scale_[pattern_.rows[k]]);
  return is_dense_ ? factor_dense(least) : factor_klu(least);
}

LinearSystem::Status LinearSystem::factor_dense(double least) {
  const std::size_t n = pattern_.n;
  dense_.assign(n * n, 0.0);
  for (std::size_t c = 0; c < n; ++c)
    for (std::int64_t k = pattern_.starts[c]; k < pattern_.starts[c + 1]; ++k)
      dense_[c * n + pattern_.rows[k]] = values_[k] * row_scale_[pattern_.rows[k]];
  const double epsilon = least * static_cast<double>(n);
  for (std::size_t k = 0; k < n; ++k) {
    double* column = &dense_[k * n];
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(column[i]) > std::abs(column[pivot])) pivot = i;
    if (!(std::abs(column[pivot]) > epsilon * column_max_[k])) {
      singular_column_ = static_cast<std::uint32_t>(k);
      return Status::Singular;
    }
    pivots_[k] = static_cast<std::uint32_t>(pivot);
    if (pivot != k)
      for (std::size_t c = 0; c < n; ++c) std::swap(dense_[c * n + k], dense_[c * n + pivot]);
    const double inverse = 1 / column[k];
    for (std::size_t i = k + 1; i < n; ++i) column[i] *= inverse;
    for (std::size_t c = k + 1; c < n; ++c) {
      double* other = &dense_[c * n];
      const double factor = other[k];
      if (factor == 0) continue;
      for (std::size_t i = k + 1; i < n; ++i) other[i] -= factor * column[i];
    }
  }
  return Status::Ok;
}

LinearSystem::Status LinearSystem::factor_klu(double least) {
  constexpr double kGrowth = 1e5;    // KLU chooses pivots with factors of at most 100
  constexpr double kDiagonal = 1e3;  // where it has not been asked yet
  std::vector<double>& least_pivot = column_max_;
  for (double& v : least_pivot) v *= 8 * least;
  if (klu_->factor(values_, row_scale_, least_pivot, kGrowth)) return Status::Ok;
  klu_->factors.emplace<std::monostate>();  // other pivots are needed
  const auto n = static_cast<SuiteSparse_long>(pattern_.n);
  auto* starts = reinterpret_cast<SuiteSparse_long*>(pattern_.starts.data());
  auto* rows = reinterpret_cast<SuiteSparse_long*>(pattern_.rows.data());
  klu_l_common& common = klu_->common;
  if (!klu_->symbolic) {
    klu_->symbolic = klu_l_analyze(n, starts, rows, &common);
    if (!klu_->symbolic) {
      singular_column_ = 0;
      return Status::Singular;
    }
    if (klu_->take_diagonal(pattern_) && klu_->factor(values_, row_scale_, least_pivot, kDiagonal))
      return Status::Ok;
    klu_->factors.emplace<std::monostate>();
  }
  klu_l_numeric* numeric = klu_l_factor(starts, rows, values_.data(), klu_->symbolic, &common);
  bool fine = numeric && common.status != KLU_SINGULAR;
  if (!fine)
    singular_column_ =
        static_cast<std::uint32_t>(std::clamp<SuiteSparse_long>(common.singular_col, 0, n - 1));
  for (SuiteSparse_long k = 0; fine && k < n; ++k) {
    const SuiteSparse_long column = klu_->symbolic->Q[k];
    if (std::abs(static_cast<const double*>(numeric->Udiag)[k]) > least_pivot[column]) continue;
    singular_column_ = static_cast<std::uint32_t>(column);
    fine = false;
  }
  if (fine) {
    klu_->take_over(pattern_, numeric);
    fine = klu_->factor(values_, row_scale_, least_pivot, HUGE_VAL);
  }
  klu_l_free_numeric(&numeric, &common);
  return fine ? Status::Ok : Status::Singular;
}

void LinearSystem::solve(const double* right_hand_side, double* x) {
  const std::size_t n = pattern_.n;
  if (!is_dense_) {
    klu_->solve(right_hand_side, x);
    return;
  }
  for (std::size_t i = 0; i < n; ++i) x[i] = right_hand_side[i] * row_scale_[i];
  // Whole rows were exchanged, the multipliers in them too: all exchanges come before the elimination.
  for (std::size_t k = 0; k < n; ++k) std::swap(x[k], x[pivots_[k]]);
  for (std::size_t k = 0; k < n; ++k) {
    const double* column = &dense_[k * n];
    const double value = x[k];
    for (std::size_t i = k + 1; i < n; ++i) x[i] -= column[i] * value;
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* column = &dense_[k * n];
    const double value = x[k] /= column[k];
    for (std::size_t i = 0; i < k; ++i) x[i] -= column[i] * value;
  }
}

}  // namespace runtime
