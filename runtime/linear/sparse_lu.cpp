#include "runtime/linear/sparse_lu.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace runtime {

namespace {

// Multiplications of a factorisation for each entry of a factor, from which on dense fronts are faster than
// rows.
constexpr double kDenseWork = 12;
// Limits of the growth of factors (SparseFactors::factor): with pivots that KLU chose, whose factors are at
// most 100; and with the diagonal as pivots.
constexpr double kGrowth = 1e5, kDiagonalGrowth = 1e3;

std::span<const std::int64_t> view(const SuiteSparse_long* from, std::size_t count) {
  static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));
  return {reinterpret_cast<const std::int64_t*>(from), count};
}

SuiteSparse_long* longs(std::vector<std::int64_t>& v) {
  return reinterpret_cast<SuiteSparse_long*>(v.data());
}

/// KLU takes pointers to constant data without const.
SuiteSparse_long* longs(const std::vector<std::int64_t>& v) {
  return longs(const_cast<std::vector<std::int64_t>&>(v));
}

}  // namespace

SparseLu::SparseLu(Ordering ordering) : ordering_(ordering) {
  klu_l_defaults(&common_);
  // Our own ordering, of the symmetrised pattern: better than COLAMD on the nearly symmetric patterns of
  // networks.
  common_.ordering = 3;
  common_.user_order = order;
  common_.user_data = this;
  common_.scale = 2;  // rows by their largest entry
  // Least ratio of a pivot to the largest entry of its column: with the default of 0.001 a bad diagonal costs
  // six digits.
  common_.tol = 0.01;
}

/// Called by KLU for each diagonal block.
SuiteSparse_long SparseLu::order(SuiteSparse_long n, SuiteSparse_long* starts, SuiteSparse_long* rows,
                                 SuiteSparse_long* result, klu_l_common* common) {
  auto& self = *static_cast<SparseLu*>(common->user_data);
  const auto size = static_cast<std::size_t>(n);
  const EliminationOrder found = elimination_order(
      view(starts, size + 1), view(rows, static_cast<std::size_t>(starts[n])), self.ordering_);
  std::ranges::copy(found.order, result);
  self.entries_ += static_cast<double>(found.entries);
  self.multiplications_ += found.multiplications;
  if (size > std::exchange(self.largest_block_, std::max(self.largest_block_, size)))
    self.ordered_by_ = found.by;
  return static_cast<SuiteSparse_long>(found.entries);
}

bool SparseLu::fills_in() const { return multiplications_ > kDenseWork * entries_; }

bool SparseLu::use_fronts(const SparsePattern& pattern, std::span<const std::int64_t> row_order,
                          std::span<const std::int64_t> column_order, std::span<const std::int64_t> blocks,
                          double most) {
  auto fronts = FrontalFactors::of(pattern, row_order, column_order, blocks, most);
  if (fronts) factors_.emplace<FrontalFactors>(std::move(*fronts));
  return fronts.has_value();
}

/// Fronts with the diagonal of the ordered blocks as pivots, chosen without regard to values.
bool SparseLu::use_diagonal(const SparsePattern& pattern) {
  const std::size_t n = pattern.n, blocks = static_cast<std::size_t>(symbolic_->nblocks) + 1;
  return fills_in() && use_fronts(pattern, view(symbolic_->P, n), view(symbolic_->Q, n),
                                  view(symbolic_->R, blocks), HUGE_VAL);
}

/// The pivots of a factorisation by KLU.
void SparseLu::use_pivots(const SparsePattern& pattern, klu_l_numeric* numeric) {
  const std::size_t n = pattern.n;
  std::vector<std::int64_t> row_order(n), column_order(n),
      blocks(static_cast<std::size_t>(symbolic_->nblocks) + 1);
  if (fills_in()) {
    klu_l_extract(numeric, symbolic_, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, longs(row_order), longs(column_order), nullptr, longs(blocks), &common_);
    if (use_fronts(pattern, row_order, column_order, blocks,
                   2.0 * static_cast<double>(numeric->lnz + numeric->unz)))
      return;
  }
  SparseFactors::Columns lower, upper;
  lower.starts.resize(n + 1);
  lower.rows.resize(static_cast<std::size_t>(numeric->lnz));
  upper.starts.resize(n + 1);
  upper.rows.resize(static_cast<std::size_t>(numeric->unz));
  // The values are not used, but without them KLU extracts nothing.
  std::vector<double> values(std::max(lower.rows.size(), upper.rows.size()));
  klu_l_extract(numeric, symbolic_, longs(lower.starts), longs(lower.rows), values.data(),
                longs(upper.starts), longs(upper.rows), values.data(), nullptr, nullptr, nullptr,
                longs(row_order), longs(column_order), nullptr, longs(blocks), &common_);
  factors_.emplace<SparseFactors>(pattern, lower, upper, row_order, column_order, blocks);
}

/// False without pivots, or when they are bad for these values.
bool SparseLu::factor_with_pivots(std::span<const double> values, std::span<const double> row_scale,
                                  std::span<const double> least, double limit) {
  if (auto* rows = std::get_if<SparseFactors>(&factors_))
    return rows->factor(values, row_scale, least, limit);
  if (auto* fronts = std::get_if<FrontalFactors>(&factors_))
    return fronts->factor(values, row_scale, least, limit);
  return false;
}

std::optional<std::uint32_t> SparseLu::factor(const SparsePattern& pattern, std::span<const double> values,
                                              std::span<const double> row_scale, std::span<double> column_max,
                                              double least) {
  const std::span<double> least_pivot = column_max;
  for (double& v : least_pivot) v *= 8 * least;
  if (factor_with_pivots(values, row_scale, least_pivot, kGrowth)) return std::nullopt;
  factors_.emplace<std::monostate>();
  const auto n = static_cast<SuiteSparse_long>(pattern.n);
  SuiteSparse_long *starts = longs(pattern.starts), *rows = longs(pattern.rows);
  if (!symbolic_) {
    symbolic_ = klu_l_analyze(n, starts, rows, &common_);
    if (!symbolic_) return 0;
    if (use_diagonal(pattern) && factor_with_pivots(values, row_scale, least_pivot, kDiagonalGrowth))
      return std::nullopt;
    factors_.emplace<std::monostate>();
  }
  klu_l_numeric* numeric =
      klu_l_factor(starts, rows, const_cast<double*>(values.data()), symbolic_, &common_);
  std::optional<std::uint32_t> singular;
  if (!numeric || common_.status == KLU_SINGULAR)
    singular = static_cast<std::uint32_t>(std::clamp<SuiteSparse_long>(common_.singular_col, 0, n - 1));
  for (SuiteSparse_long k = 0; !singular && k < n; ++k) {
    const SuiteSparse_long column = symbolic_->Q[k];
    if (!(std::abs(static_cast<const double*>(numeric->Udiag)[k]) > least_pivot[column]))
      singular = static_cast<std::uint32_t>(column);
  }
  if (!singular) {
    use_pivots(pattern, numeric);
    // Only a pivot at the limit can fail here, by rounding; which one is not known.
    if (!factor_with_pivots(values, row_scale, least_pivot, HUGE_VAL)) singular = 0;
  }
  klu_l_free_numeric(&numeric, &common_);
  return singular;
}

void SparseLu::solve(const double* right_hand_side, double* solution) {
  if (auto* rows = std::get_if<SparseFactors>(&factors_)) rows->solve(right_hand_side, solution);
  if (auto* fronts = std::get_if<FrontalFactors>(&factors_)) fronts->solve(right_hand_side, solution);
}

}  // namespace runtime
