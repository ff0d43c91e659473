#include "runtime/linear/linear_system.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <random>
#include <utility>

#include "runtime/linear/sparse_lu.h"

namespace runtime {

LinearSystem::LinearSystem(SparsePattern pattern, std::size_t dense_limit, Ordering ordering)
    : pattern_(std::move(pattern)),
      values_(pattern_.nonzeros(), 0.0),
      row_scale_(pattern_.n),
      column_max_(pattern_.n) {
  if (pattern_.n > dense_limit) sparse_ = std::make_unique<SparseLu>(ordering);
}
LinearSystem::~LinearSystem() = default;
LinearSystem::LinearSystem(LinearSystem&&) noexcept = default;
LinearSystem& LinearSystem::operator=(LinearSystem&&) noexcept = default;

std::string_view LinearSystem::method() const {
  if (!sparse_) return "dense";
  return sparse_->multifrontal() ? "multifrontal" : "sparse rows";
}

Ordering LinearSystem::ordered_by() const { return sparse_ ? sparse_->ordered_by() : Ordering::Auto; }

std::size_t LinearSystem::factor_entries() const {
  return sparse_ ? sparse_->entries() : pattern_.n * pattern_.n;
}

std::uint64_t LinearSystem::pivot_choices() const { return sparse_ ? sparse_->pivot_choices() : 0; }

LinearSystem::Status LinearSystem::factor(double least) {
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
  const std::optional<std::uint32_t> singular =
      sparse_ ? sparse_->factor(pattern_, values_, row_scale_, column_max_, least)
              : dense_.factor(pattern_, values_, row_scale_, column_max_, least);
  if (!singular) return Status::Ok;
  singular_column_ = *singular;
  return Status::Singular;
}

int LinearSystem::determinant_sign() const {
  return sparse_ ? sparse_->determinant_sign() : dense_.determinant_sign();
}

double LinearSystem::smallest_pivot() const {
  return sparse_ ? sparse_->smallest_pivot() : dense_.smallest_pivot();
}

double LinearSystem::condition_estimate() {
  const std::size_t n = pattern_.n;
  std::vector<double> largest(n, 0.0), x(n);
  for (std::size_t c = 0; c < n; ++c)
    for (std::int64_t k = pattern_.starts[c]; k < pattern_.starts[c + 1]; ++k)
      largest[c] = std::max(largest[c], std::abs(values_[k]) * row_scale_[pattern_.rows[k]]);
  std::minstd_rand random(1);
  double estimate = 0;
  for (int sample = 0; sample < 3; ++sample) {
    for (std::size_t r = 0; r < n; ++r) x[r] = (random() & 64 ? 1 : -1) / row_scale_[r];
    solve(x.data());
    for (std::size_t c = 0; c < n; ++c) {
      if (!std::isfinite(x[c])) return HUGE_VAL;
      estimate = std::max(estimate, std::abs(x[c]) * largest[c]);
    }
  }
  return estimate;
}

void LinearSystem::solve(const double* right_hand_side, double* solution) {
  if (sparse_)
    sparse_->solve(right_hand_side, solution);
  else
    dense_.solve(right_hand_side, row_scale_, solution);
}

}  // namespace runtime
