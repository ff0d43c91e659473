#include "runtime/solver_objects.h"

#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace runtime {

SolverObjects::SolverObjects() {
  if (SUNContext_Create(nullptr, &context_) != 0) context_ = nullptr;
}

SolverObjects::~SolverObjects() {
  if (linear_solver_) SUNLinSolFree(linear_solver_);
  if (matrix_) SUNMatDestroy(matrix_);
  for (Vector vector : vectors_) N_VDestroy(vector);
  if (context_) SUNContext_Free(&context_);
}

bool SolverObjects::make(const Problem& problem) {
  size_ = problem.size();
  dense_ = size_ <= kDenseLimit;
  if (!context_) return false;
  const auto n = static_cast<sunindextype>(size_);
  Vector y = new_vector();
  if (!y) return false;
  if (dense_) {
    matrix_ = SUNDenseMatrix(n, n, context_);
    linear_solver_ = matrix_ ? SUNLinSol_Dense(y, matrix_, context_) : nullptr;
  } else {
    const auto nonzeros = static_cast<sunindextype>(problem.jacobian().pattern().nonzeros());
    matrix_ = SUNSparseMatrix(n, n, nonzeros, CSC_MAT, context_);
    linear_solver_ = matrix_ ? SUNLinSol_KLU(y, matrix_, context_) : nullptr;
    if (linear_solver_) SUNLinSol_KLUSetOrdering(linear_solver_, 0);  // AMD
  }
  return matrix_ && linear_solver_;
}

Vector SolverObjects::new_vector() {
  Vector vector = N_VNew_Serial(static_cast<sunindextype>(size_), context_);
  if (!vector) return nullptr;
  N_VEnableFusedOps_Serial(vector, SUNTRUE);
  N_VConst(0.0, vector);
  vectors_.push_back(vector);
  return vector;
}

double* SolverObjects::data(Vector vector) { return NV_DATA_S(vector); }

void SolverObjects::fill(Matrix matrix, const SparsePattern& pattern, std::span<const std::uint32_t> diagonal,
                         const std::vector<double>& values, double factor, double diagonal_value) const {
  if (dense_) {
    double* data = SM_DATA_D(matrix);
    std::fill(data, data + size_ * size_, 0.0);
    for (std::size_t c = 0; c < size_; ++c) {
      for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
        data[c * size_ + pattern.rows[k]] = factor * values[k];
      data[c * size_ + c] += diagonal_value;
    }
    return;
  }
  // SUNDIALS may have cleared the pattern together with the values.
  static_assert(sizeof(sunindextype) == sizeof(std::int64_t));
  std::copy(pattern.starts.begin(), pattern.starts.end(), SM_INDEXPTRS_S(matrix));
  std::copy(pattern.rows.begin(), pattern.rows.end(), SM_INDEXVALS_S(matrix));
  double* data = SM_DATA_S(matrix);
  for (std::size_t k = 0; k < values.size(); ++k) data[k] = factor * values[k];
  if (diagonal_value != 0)
    for (std::uint32_t k : diagonal) data[k] += diagonal_value;
}

void SolverObjects::worst(const Problem& problem, const double* y, const double* errors, const double* weights,
                          Failure& failure) {
  std::vector<std::uint32_t> order(problem.size());
  std::iota(order.begin(), order.end(), 0u);
  auto weighted = [&](std::uint32_t k) {
    const double value = std::abs(errors[k] * weights[k]);
    return std::isfinite(value) ? value : HUGE_VAL;
  };
  const std::size_t shown = std::min<std::size_t>(order.size(), 4);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(shown), order.end(),
                    [&](std::uint32_t a, std::uint32_t b) {
                      const double x = weighted(a), z = weighted(b);
                      return x != z ? x > z : a < b;
                    });
  for (std::size_t k = 0; k < shown; ++k)
    failure.variables.push_back({problem.unknowns()[order[k]], y[order[k]], weighted(order[k])});
}

}  // namespace runtime
