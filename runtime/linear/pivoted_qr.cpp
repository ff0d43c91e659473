#include "runtime/linear/pivoted_qr.h"

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace runtime {

namespace {

constexpr double kNoPart = 1e-9;  // of the largest entry: zero up to rounding errors

Eigen::Map<const Eigen::MatrixXd> mapped(const DenseMatrix& matrix) {
  return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
          static_cast<Eigen::Index>(matrix.columns)};
}

}  // namespace

struct PivotedQr::Factors {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
};

PivotedQr::PivotedQr(const DenseMatrix& matrix) : factors_(std::make_unique<Factors>()) {
  auto& qr = factors_->qr;
  qr.compute(mapped(matrix));
  const double largest = qr.maxPivot();
  qr.setThreshold(largest > kRank ? kRank / std::min(largest, 1.0) : 1.0);
}
PivotedQr::~PivotedQr() = default;
PivotedQr::PivotedQr(PivotedQr&&) noexcept = default;
PivotedQr& PivotedQr::operator=(PivotedQr&&) noexcept = default;

std::size_t PivotedQr::rank() const { return static_cast<std::size_t>(factors_->qr.rank()); }

std::vector<double> PivotedQr::solve(std::span<const double> b) const {
  // Not `qr.solve`, which divides by pivots that are no more than rounding errors.
  const auto& qr = factors_->qr;
  const Eigen::Index rank = qr.rank();
  Eigen::VectorXd c = Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  c.applyOnTheLeft(qr.householderQ().adjoint());
  Eigen::VectorXd y = Eigen::VectorXd::Zero(qr.cols());
  const auto triangle = qr.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>();
  y.head(rank) = triangle.solve(c.head(rank));
  if (const Eigen::Index free = qr.cols() - rank; free > 0 && rank > 0) {
    // Less its part in the null space, which the columns of (-R^-1 S, 1) span.
    Eigen::MatrixXd null_space(qr.cols(), free);
    null_space << -triangle.solve(qr.matrixQR().topRightCorner(rank, free)),
        Eigen::MatrixXd::Identity(free, free);
    y -= null_space * (null_space.transpose() * null_space).ldlt().solve(null_space.transpose() * y);
  }
  const Eigen::VectorXd x = qr.colsPermutation() * y;
  return {x.begin(), x.end()};
}

std::vector<bool> PivotedQr::determined() const {
  const auto& qr = factors_->qr;
  const Eigen::Index rank = qr.rank(), n = qr.cols();
  std::vector<bool> result(static_cast<std::size_t>(n), true);
  if (rank == n) return result;
  // A P = Q (R S): the null space is spanned by the columns of (-R^-1 S, 1).
  Eigen::MatrixXd dependence = qr.matrixQR().topRightCorner(rank, n - rank);
  qr.matrixQR().topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solveInPlace(dependence);
  const auto& place = qr.colsPermutation().indices();
  for (Eigen::Index k = 0; k < n; ++k)
    result[static_cast<std::size_t>(place[k])] =
        k < rank && dependence.row(k).cwiseAbs().maxCoeff() <= kIndependent;
  return result;
}

std::vector<double> row_combination(const DenseMatrix& matrix, std::span<const double> b) {
  const auto rows = static_cast<Eigen::Index>(matrix.rows);
  Eigen::MatrixXd kernel;
  if (matrix.columns == 0) {
    kernel = Eigen::MatrixXd::Identity(rows, rows);
  } else {
    Eigen::FullPivLU<Eigen::MatrixXd> factors(mapped(matrix).transpose());
    factors.setThreshold(PivotedQr::kRank);
    if (factors.dimensionOfKernel() == 0) return {};
    kernel = factors.kernel();
  }
  std::vector<double> best;
  Eigen::Index fewest = rows + 1;
  bool best_differs = false;
  for (Eigen::Index k = 0; k < kernel.cols(); ++k) {
    Eigen::VectorXd factor = kernel.col(k) / kernel.col(k).cwiseAbs().maxCoeff();
    double sum = 0, terms = 0;
    for (Eigen::Index r = 0; r < rows; ++r) {
      if (std::abs(factor[r]) <= kNoPart) factor[r] = 0;
      sum += factor[r] * b[static_cast<std::size_t>(r)];
      terms += std::abs(factor[r] * b[static_cast<std::size_t>(r)]);
    }
    const bool differs = std::abs(sum) > kNoPart * terms;
    const Eigen::Index parts = (factor.array() != 0).count();
    if (best_differs > differs || (best_differs == differs && parts >= fewest)) continue;
    best_differs = differs;
    fewest = parts;
    best.assign(factor.begin(), factor.end());
  }
  return best;
}

}  // namespace runtime
