// The vectors, matrices and linear solvers that the integrators work with: the one place where they are made, so that own
// kinds can replace SUNDIALS' stock ones.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/problem.h"

struct _generic_N_Vector;
struct _generic_SUNMatrix;
struct _generic_SUNLinearSolver;
struct _SUNContext;

namespace runtime {

using Vector = _generic_N_Vector*;
using Matrix = _generic_SUNMatrix*;
using LinearSolver = _generic_SUNLinearSolver*;

class SolverObjects {
 public:
  SolverObjects();
  ~SolverObjects();
  SolverObjects(const SolverObjects&) = delete;
  SolverObjects& operator=(const SolverObjects&) = delete;

  /// False when SUNDIALS cannot be set up.
  bool make(const Problem& problem);

  _SUNContext* context() const { return context_; }
  Vector new_vector();  // zero; owned here
  Matrix matrix() const { return matrix_; }
  LinearSolver linear_solver() const { return linear_solver_; }
  bool dense() const { return dense_; }

  static double* data(Vector vector);

  /// Fills a matrix with `factor * values + diagonal * I`, values in the problem's pattern.
  void fill(Matrix matrix, const SparsePattern& pattern, std::span<const std::uint32_t> diagonal,
            const std::vector<double>& values, double factor, double diagonal_value) const;

  /// The variables with the largest weighted errors first.
  static void worst(const Problem& problem, const double* y, const double* errors, const double* weights, Failure& failure);

 private:
  _SUNContext* context_ = nullptr;
  std::size_t size_ = 0;
  bool dense_ = false;
  std::vector<Vector> vectors_;
  Matrix matrix_ = nullptr;
  LinearSolver linear_solver_ = nullptr;
};

}  // namespace runtime
