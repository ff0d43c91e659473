// The objects that SUNDIALS works with: vectors, and the linear system of Newton's method. To SUNDIALS the
// latter is a matrix and a linear solver; both refer to one LinearSystem (linear/linear_system.h), which is
// filled and factorised here. Where the Jacobian is not formed, the solver is GMRES, without a
// preconditioner, and there is fixed-point iteration in place of Newton's method.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/failure.h"
#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/vector.h"
#include "runtime/linear/linear_system.h"

struct _generic_SUNMatrix;
struct _generic_SUNLinearSolver;
struct _generic_SUNNonlinearSolver;
struct _SUNContext;

namespace runtime {

struct KeptSolver;
using Matrix = _generic_SUNMatrix*;
using LinearSolver = _generic_SUNLinearSolver*;
using NonlinearSolver = _generic_SUNNonlinearSolver*;

class SolverObjects {
 public:
  SolverObjects();
  ~SolverObjects();
  SolverObjects(const SolverObjects&) = delete;
  SolverObjects& operator=(const SolverObjects&) = delete;

  /// False when SUNDIALS cannot be set up.
  bool make(const ReducedSystem& system, Ordering ordering, ThreadPool* thread_pool, KeptSolver* kept);
  /// The linear system; nothing can be solved afterwards.
  std::optional<LinearSystem> take_linear_system() { return std::exchange(system_, std::nullopt); }

  _SUNContext* context() const { return context_; }
  Vector new_vector();                       // zero; owned here
  Matrix matrix() const { return matrix_; }  // null if it is not formed
  LinearSolver linear_solver() const { return linear_solver_; }
  NonlinearSolver newton() const { return newton_; }  // null if the matrix is formed: CVODE has its own
  NonlinearSolver fixed_point() const { return fixed_point_; }  // likewise
  std::string_view linear_solver_name() const {
    return system_ ? system_->method() : matrix_free_ ? "GMRES" : std::string_view();
  }

  /// "AMD", "METIS", "leaves first" or "both ends first"; empty for a dense matrix.
  std::string_view ordering_name() const {
    if (!system_ || system_->is_dense()) return {};
    switch (system_->ordered_by()) {
      case Ordering::Metis: return "METIS";
      case Ordering::Leaves: return "leaves first";
      case Ordering::Ends: return "both ends first";
      case Ordering::Auto:
      case Ordering::Amd: return "AMD";
    }
    return {};
  }

  /// Sets the matrix to `factor * values + diagonal_value * I`, values in the system's pattern.
  void fill(std::span<const std::uint32_t> diagonal, std::span<const double> values, double factor,
            double diagonal_value);

  /// Adds the variables with the largest weighted errors to a failure, largest first.
  static void add_worst(const ReducedSystem& system, const double* y, const double* errors,
                        const double* weights, Failure& failure);
  /// The largest of the weighted errors, one for each unknown.
  static Integrator::LargestError largest(const ReducedSystem& system, const double* errors,
                                          const double* weights);

 private:
  static int factor(LinearSolver self, Matrix);
  static int solve(LinearSolver self, Matrix, Vector x, Vector right_hand_side, double);

  _SUNContext* context_ = nullptr;
  std::size_t size_ = 0;
  bool matrix_free_ = false;
  ThreadPool* thread_pool_ = nullptr;
  std::vector<Vector> vectors_;
  std::optional<LinearSystem> system_;
  Matrix matrix_ = nullptr;
  LinearSolver linear_solver_ = nullptr;
  NonlinearSolver newton_ = nullptr, fixed_point_ = nullptr;
};

}  // namespace runtime
