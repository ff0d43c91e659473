#include "runtime/linear/dependent_rows.h"

#include <Eigen/LU>
#include <cmath>

namespace runtime {

namespace {

constexpr double kRank = 1e-12;    // pivots below, relative to the largest, are zero
constexpr double kNoPart = 1e-10;  // of the largest factor: the row does not take part

}  // namespace

std::vector<double> dependent_rows(const SparsePattern& pattern, std::span<const double> values) {
  const auto n = static_cast<Eigen::Index>(pattern.n);
  if (pattern.n > kMostDependentRows) return {};
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index c = 0; c < n; ++c)
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      matrix(pattern.rows[k], c) = values[k];
  if (!matrix.allFinite()) return {};
  Eigen::VectorXd row_scale = matrix.cwiseAbs().rowwise().maxCoeff();
  for (double& scale : row_scale) scale = scale > 0 ? 1 / scale : 1;
  matrix = row_scale.asDiagonal() * matrix;
  Eigen::VectorXd column_scale = matrix.cwiseAbs().colwise().maxCoeff();
  for (double& scale : column_scale) scale = scale > 0 ? 1 / scale : 1;
  matrix = matrix * column_scale.asDiagonal();

  Eigen::FullPivLU<Eigen::MatrixXd> factors(matrix.transpose());
  factors.setThreshold(kRank);
  if (factors.dimensionOfKernel() == 0) return {};
  const Eigen::MatrixXd kernel = factors.kernel();
  std::vector<double> best;
  Eigen::Index fewest = n + 1;
  for (Eigen::Index k = 0; k < kernel.cols(); ++k) {
    Eigen::VectorXd factor = kernel.col(k);
    const double largest = factor.cwiseAbs().maxCoeff();
    for (double& f : factor)
      if (std::abs(f) <= kNoPart * largest) f = 0;
    const Eigen::Index parts = (factor.array() != 0).count();
    if (parts >= fewest) continue;
    fewest = parts;
    factor = factor.cwiseProduct(row_scale);
    factor /= factor.cwiseAbs().maxCoeff();
    best.assign(factor.begin(), factor.end());
  }
  return best;
}

}  // namespace runtime
