#include "compiler/reduce/rotations/rank.h"

#include <Eigen/QR>
#include <Eigen/SparseQR>

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kDense = 400;  // rows or columns
// Of the largest number of a column: constraints are normalised, and their derivatives known to some 1e-12.
constexpr double kZero = 1e-7;

using Triplets = std::vector<Eigen::Triplet<double>>;

Triplets triplets(std::span<const MatrixEntry> entries, std::span<const double> weights) {
  Triplets result;
  for (const MatrixEntry& e : entries)
    result.emplace_back(static_cast<int>(e.row), static_cast<int>(e.column),
                        weights.empty() ? e.value : e.value * weights[e.column]);
  return result;
}

Eigen::SparseMatrix<double> sparse(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                   std::uint32_t columns, std::span<const double> weights) {
  Eigen::SparseMatrix<double> matrix(static_cast<int>(rows), static_cast<int>(columns));
  const Triplets list = triplets(entries, weights);
  matrix.setFromTriplets(list.begin(), list.end());
  matrix.makeCompressed();
  return matrix;
}

}  // namespace

std::vector<std::uint32_t> dependent_columns(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                             std::uint32_t columns, std::span<const double> weights) {
  std::vector<std::uint32_t> result;
  if (columns == 0) return result;
  const Eigen::SparseMatrix<double> matrix = sparse(entries, rows, columns, weights);
  auto take = [&](const auto& permutation, Eigen::Index rank) {
    for (Eigen::Index k = rank; k < static_cast<Eigen::Index>(columns); ++k)
      result.push_back(static_cast<std::uint32_t>(permutation.indices()[k]));
  };
  if (std::max(rows, columns) <= kDense) {
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
    qr.setThreshold(kZero);
    qr.compute(Eigen::MatrixXd(matrix));
    take(qr.colsPermutation(), qr.rank());
  } else {
    Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
    qr.setPivotThreshold(kZero);
    qr.compute(matrix);
    take(qr.colsPermutation(), qr.rank());
  }
  return result;
}

std::vector<double> least_squares(std::span<const MatrixEntry> entries, std::uint32_t rows,
                                  std::uint32_t columns, std::span<const double> b) {
  if (columns == 0 || rows == 0) return std::vector<double>(columns, 0.0);
  const Eigen::SparseMatrix<double> matrix = sparse(entries, rows, columns, {});
  const Eigen::Map<const Eigen::VectorXd> right(b.data(), static_cast<Eigen::Index>(b.size()));
  Eigen::VectorXd x;
  if (std::max(rows, columns) <= kDense) {
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> qr;
    qr.setThreshold(kZero);
    qr.compute(Eigen::MatrixXd(matrix));
    x = qr.solve(right);
  } else {
    Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr;
    qr.setPivotThreshold(kZero);
    qr.compute(matrix);
    x = qr.solve(right);
  }
  return {x.data(), x.data() + x.size()};
}

}  // namespace sigrel::reduce
