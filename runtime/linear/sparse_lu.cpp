#include "runtime/linear/sparse_lu.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "runtime/linear/weighted_matching.h"

namespace runtime {

namespace {

// Multiplications of a factorisation for each entry of a factor, from which on dense fronts are faster than
// rows.
constexpr double kDenseWork = 12;
// Limits of the growth of factors (SparseFactors::factor): with old pivots, or this multiple of the growth
// when they were chosen; and with the diagonal as pivots.
constexpr double kGrowth = 1e5, kMoreGrowth = 100, kDiagonalGrowth = 1e3;
// The entries of the largest product are brought to the diagonal if factors then take at most this multiple
// of the work.
constexpr double kMatchedWork = 1.1;
// Pivots of KLU that leave this multiple of the entries of the diagonal's factors are chosen again, with the
// entries of the largest product on the diagonal.
constexpr double kMoreFill = 2;
// From this size on the entries of the largest product are brought to the diagonal before KLU chooses pivots,
// if this fraction of the diagonal is below its threshold: factors that fill in take seconds.
constexpr std::size_t kMatchedFirst = 500;
constexpr double kRejected = 0.1;
// Of the search for a maximum matching, for each entry of the matrix: it takes a time that may grow with the
// square of the size. A matching by values is found in less time.
constexpr double kMatchingWork = 20;

std::span<const std::int64_t> view(const SuiteSparse_long* from, std::size_t count) {
  static_assert(sizeof(SuiteSparse_long) == sizeof(std::int64_t));
  return {reinterpret_cast<const std::int64_t*>(from), count};
}

SuiteSparse_long* longs(std::vector<std::int64_t>& v) {
  return reinterpret_cast<SuiteSparse_long*>(v.data());
}

/// KLU takes pointers to constant data without const.
SuiteSparse_long* longs(std::span<const std::int64_t> v) {
  return reinterpret_cast<SuiteSparse_long*>(const_cast<std::int64_t*>(v.data()));
}

/// The rows of the pattern, in each column first the one at this place.
std::vector<std::int64_t> with_first(const SparsePattern& pattern, std::span<const std::int64_t> places) {
  std::vector<std::int64_t> rows = pattern.rows;
  for (std::size_t c = 0; c < pattern.n; ++c)
    std::swap(rows[static_cast<std::size_t>(pattern.starts[c])], rows[static_cast<std::size_t>(places[c])]);
  return rows;
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
  Analysis& analysis = self.analysis_;
  analysis.entries += static_cast<double>(found.entries);
  analysis.multiplications += found.multiplications;
  if (size > std::exchange(analysis.largest_block, std::max(analysis.largest_block, size)))
    analysis.by = found.by;
  return static_cast<SuiteSparse_long>(found.entries);
}

/// `rows`: those of the pattern; of each column the first one is preferred for the diagonal.
void SparseLu::analyse(const SparsePattern& pattern, std::span<const std::int64_t> rows) {
  analysis_ = {};
  analysis_.symbolic =
      klu_l_analyze(static_cast<SuiteSparse_long>(pattern.n), longs(pattern.starts), longs(rows), &common_);
}

/// Brings entries with the largest product to the diagonal. False: they are there, or factors take more than
/// `most` multiplications with them.
bool SparseLu::match(const SparsePattern& pattern, std::span<const double> values,
                     std::span<const double> row_scale, double most) {
  const auto matched = weighted_matching(pattern, values, row_scale);
  if (!matched) return false;
  const std::size_t n = pattern.n;
  const auto row_order = view(analysis_.symbolic->P, n), column_order = view(analysis_.symbolic->Q, n);
  bool same = true;
  for (std::size_t i = 0; i < n && same; ++i)
    same = pattern.rows[static_cast<std::size_t>((*matched)[static_cast<std::size_t>(column_order[i])])] ==
           row_order[i];
  if (same) return false;
  Analysis before = std::exchange(analysis_, {});
  analyse(pattern, with_first(pattern, *matched));
  const bool better = analysis_.symbolic && analysis_.multiplications <= most;
  if (!better) std::swap(analysis_, before);
  klu_l_free_symbolic(&before.symbolic, &common_);
  return better;
}

/// The fraction of the diagonal that is below the threshold of pivots of KLU, before elimination.
double SparseLu::rejected_diagonal(const SparsePattern& pattern, std::span<const double> values,
                                   std::span<const double> row_scale) const {
  const auto row_order = view(analysis_.symbolic->P, pattern.n),
             column_order = view(analysis_.symbolic->Q, pattern.n);
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < pattern.n; ++i) {
    const auto column = static_cast<std::size_t>(column_order[i]);
    double largest = 0, diagonal = 0;
    for (std::int64_t k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
      const std::int64_t row = pattern.rows[static_cast<std::size_t>(k)];
      const double size =
          std::abs(values[static_cast<std::size_t>(k)]) * row_scale[static_cast<std::size_t>(row)];
      largest = std::max(largest, size);
      if (row == row_order[i]) diagonal = size;
    }
    rejected += diagonal < common_.tol * largest;
  }
  return static_cast<double>(rejected) / static_cast<double>(pattern.n);
}

bool SparseLu::fills_in() const { return analysis_.multiplications > kDenseWork * analysis_.entries; }

bool SparseLu::use_fronts(const SparsePattern& pattern, std::span<const std::int64_t> row_order,
                          std::span<const std::int64_t> column_order, std::span<const std::int64_t> blocks,
                          double most) {
  auto fronts = FrontalFactors::of(pattern, row_order, column_order, blocks, most);
  if (fronts) factors_.emplace<FrontalFactors>(std::move(*fronts));
  return fronts.has_value();
}

/// Fronts with the diagonal of the ordered blocks as pivots, chosen without regard to values.
bool SparseLu::use_diagonal(const SparsePattern& pattern) {
  const std::size_t n = pattern.n, blocks = static_cast<std::size_t>(analysis_.symbolic->nblocks) + 1;
  return fills_in() && use_fronts(pattern, view(analysis_.symbolic->P, n), view(analysis_.symbolic->Q, n),
                                  view(analysis_.symbolic->R, blocks), HUGE_VAL);
}

/// The pivots of a factorisation by KLU.
void SparseLu::use_pivots(const SparsePattern& pattern, klu_l_numeric* numeric) {
  const std::size_t n = pattern.n;
  std::vector<std::int64_t> row_order(n), column_order(n),
      blocks(static_cast<std::size_t>(analysis_.symbolic->nblocks) + 1);
  if (fills_in()) {
    klu_l_extract(numeric, analysis_.symbolic, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                  nullptr, nullptr, longs(row_order), longs(column_order), nullptr, longs(blocks), &common_);
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
  klu_l_extract(numeric, analysis_.symbolic, longs(lower.starts), longs(lower.rows), values.data(),
                longs(upper.starts), longs(upper.rows), values.data(), nullptr, nullptr, nullptr,
                longs(row_order), longs(column_order), nullptr, longs(blocks), &common_);
  factors_.emplace<SparseFactors>(pattern, lower, upper, row_order, column_order, blocks);
}

/// The growth of the factors; infinite without pivots.
double SparseLu::factor_with_pivots(std::span<const double> values, std::span<const double> row_scale,
                                    std::span<const double> least) {
  if (auto* rows = std::get_if<SparseFactors>(&factors_)) return rows->factor(values, row_scale, least);
  if (auto* fronts = std::get_if<FrontalFactors>(&factors_)) return fronts->factor(values, row_scale, least);
  return HUGE_VAL;
}

std::optional<std::uint32_t> SparseLu::factor(const SparsePattern& pattern, std::span<const double> values,
                                              std::span<const double> row_scale, std::span<double> column_max,
                                              double least) {
  const std::span<double> least_pivot = column_max;
  for (double& v : least_pivot) v *= 8 * least;
  if (factor_with_pivots(values, row_scale, least_pivot) <= limit_) return std::nullopt;
  factors_.emplace<std::monostate>();
  ++pivot_choices_;
  const bool first = !analysis_.symbolic;
  if (first) {
    common_.maxwork = kMatchingWork;
    analyse(pattern, pattern.rows);
    common_.maxwork = 0;
    if (common_.work < 0) {
      const auto matched = weighted_matching(pattern, values, row_scale);
      klu_l_free_symbolic(&analysis_.symbolic, &common_);
      analyse(pattern, matched ? with_first(pattern, *matched) : pattern.rows);
    }
  }
  if (!analysis_.symbolic) return 0;
  const double most = kMatchedWork * analysis_.multiplications;
  const bool matches = fills_in() || (first && pattern.n >= kMatchedFirst &&
                                      rejected_diagonal(pattern, values, row_scale) > kRejected);
  const bool matched = matches && match(pattern, values, row_scale, most);
  if ((matched || first) && use_diagonal(pattern) &&
      factor_with_pivots(values, row_scale, least_pivot) <= kDiagonalGrowth) {
    limit_ = kGrowth;
    return std::nullopt;
  }
  factors_.emplace<std::monostate>();
  return choose_pivots(pattern, values, row_scale, least_pivot);
}

klu_l_numeric* SparseLu::factor_by_klu(const SparsePattern& pattern, std::span<const double> values) {
  return klu_l_factor(longs(pattern.starts), longs(pattern.rows), const_cast<double*>(values.data()),
                      analysis_.symbolic, &common_);
}

/// Whether factors of KLU are much larger than those with the diagonal as pivots, because the pattern alone
/// has brought small entries there: pivots beside them disregard the order.
bool SparseLu::has_pivots_that_fill_in(const klu_l_numeric* numeric) const {
  return numeric && common_.status != KLU_SINGULAR &&
         static_cast<double>(numeric->lnz + numeric->unz) > kMoreFill * 2 * analysis_.entries;
}

/// By KLU.
std::optional<std::uint32_t> SparseLu::choose_pivots(const SparsePattern& pattern,
                                                     std::span<const double> values,
                                                     std::span<const double> row_scale,
                                                     std::span<const double> least) {
  const auto n = static_cast<SuiteSparse_long>(pattern.n);
  klu_l_numeric* numeric = factor_by_klu(pattern, values);
  if (has_pivots_that_fill_in(numeric)) {
    klu_l_flops(analysis_.symbolic, numeric, &common_);
    if (match(pattern, values, row_scale, common_.flops / 2)) {
      klu_l_free_numeric(&numeric, &common_);
      numeric = factor_by_klu(pattern, values);
    }
  }
  std::optional<std::uint32_t> singular;
  if (!numeric || common_.status == KLU_SINGULAR)
    singular = static_cast<std::uint32_t>(std::clamp<SuiteSparse_long>(common_.singular_col, 0, n - 1));
  for (SuiteSparse_long k = 0; !singular && k < n; ++k) {
    const SuiteSparse_long column = analysis_.symbolic->Q[k];
    if (!(std::abs(static_cast<const double*>(numeric->Udiag)[k]) > least[static_cast<std::size_t>(column)]))
      singular = static_cast<std::uint32_t>(column);
  }
  if (!singular) {
    use_pivots(pattern, numeric);
    const double growth = factor_with_pivots(values, row_scale, least);
    limit_ = std::max(kGrowth, kMoreGrowth * growth);
    // Only a pivot at the limit can fail here, by rounding; which one is not known.
    if (!std::isfinite(growth)) singular = 0;
  }
  klu_l_free_numeric(&numeric, &common_);
  return singular;
}

void SparseLu::solve(const double* right_hand_side, double* solution) {
  assert(!std::holds_alternative<std::monostate>(factors_) && "solve before factor");
  if (auto* rows = std::get_if<SparseFactors>(&factors_)) rows->solve(right_hand_side, solution);
  if (auto* fronts = std::get_if<FrontalFactors>(&factors_)) fronts->solve(right_hand_side, solution);
}

double SparseLu::smallest_pivot() const {
  if (const auto* rows = std::get_if<SparseFactors>(&factors_)) return rows->smallest_pivot();
  const auto* fronts = std::get_if<FrontalFactors>(&factors_);
  return fronts ? fronts->smallest_pivot() : 0;
}

std::size_t SparseLu::entries() const {
  if (const auto* rows = std::get_if<SparseFactors>(&factors_)) return rows->entries();
  const auto* fronts = std::get_if<FrontalFactors>(&factors_);
  return fronts ? fronts->entries() : 0;
}

int SparseLu::determinant_sign() const {
  if (const auto* rows = std::get_if<SparseFactors>(&factors_)) return rows->determinant_sign();
  const auto* fronts = std::get_if<FrontalFactors>(&factors_);
  return fronts ? fronts->determinant_sign() : 0;
}

}  // namespace runtime
