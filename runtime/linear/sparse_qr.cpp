#include "runtime/linear/sparse_qr.h"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>

#include "runtime/linear/pivoted_qr.h"
#include "runtime/numbers.h"

namespace runtime {

namespace {
constexpr int kProbes = 2;
}  // namespace

struct SparseQr::Factors {
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
};

SparseQr::SparseQr(std::size_t rows, std::size_t columns, std::span<const SparseMatrixEntry> entries)
    : factors_(std::make_unique<Factors>()) {
  Eigen::SparseMatrix<double> matrix(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  std::vector<Eigen::Triplet<double>> triplets;
  triplets.reserve(entries.size());
  std::vector<double> squares(columns, 0.0);
  for (const SparseMatrixEntry& e : entries) {
    triplets.emplace_back(static_cast<int>(e.row), static_cast<int>(e.column), e.value);
    squares[e.column] += e.value * e.value;
  }
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  matrix.makeCompressed();
  double largest = 1;
  for (const double s : squares) largest = std::max(largest, std::sqrt(s));
  factors_->qr.setPivotThreshold(PivotedQr::kRank * largest);
  factors_->qr.compute(matrix);
}
SparseQr::~SparseQr() = default;

std::size_t SparseQr::rank() const { return static_cast<std::size_t>(factors_->qr.rank()); }

std::vector<double> SparseQr::solve(std::span<const double> b) const {
  const Eigen::VectorXd right =
      Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size()));
  const Eigen::VectorXd x = factors_->qr.solve(right);
  return {x.begin(), x.end()};
}

std::vector<bool> SparseQr::determined() const {
  const auto& qr = factors_->qr;
  const Eigen::Index rank = qr.rank(), n = qr.cols();
  std::vector<bool> result(static_cast<std::size_t>(n), true);
  if (rank == n) return result;
  // A P = Q (R S): the null space is spanned by the columns of (-R^-1 S, 1). An unknown with a part in one of
  // them has one in combinations with generic factors.
  const Eigen::SparseMatrix<double> r = qr.matrixR();
  const auto& place = qr.colsPermutation().indices();
  for (int probe = 0; probe < kProbes; ++probe) {
    Eigen::VectorXd free = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = rank; k < n; ++k)
      free[k] = 0.5 + golden_fraction(static_cast<double>(k + 1 + probe * n));
    const Eigen::VectorXd right = (r * free).head(rank);
    const Eigen::VectorXd bound = r.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(right);
    for (Eigen::Index k = 0; k < n; ++k)
      if (k >= rank || std::abs(bound[k]) > PivotedQr::kIndependent)
        result[static_cast<std::size_t>(place[k])] = false;
  }
  return result;
}

}  // namespace runtime
