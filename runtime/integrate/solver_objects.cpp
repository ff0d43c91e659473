#include "runtime/integrate/solver_objects.h"

#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nvector.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>
#include <sunnonlinsol/sunnonlinsol_newton.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "runtime/integrate/kept_solver.h"

namespace runtime {
namespace {
// Of GMRES. There are no restarts: a step that needs more is tried again with half its length.
constexpr int kKrylovVectors = 30;
}  // namespace

SolverObjects::SolverObjects() {
  if (SUNContext_Create(nullptr, &context_) != 0) context_ = nullptr;
}

SolverObjects::~SolverObjects() {
  for (NonlinearSolver solver : {newton_, fixed_point_})
    if (solver) SUNNonlinSolFree(solver);
  if (linear_solver_) matrix_free_ ? (void)SUNLinSolFree(linear_solver_) : SUNLinSolFreeEmpty(linear_solver_);
  if (matrix_) SUNMatFreeEmpty(matrix_);
  for (Vector vector : vectors_) N_VDestroy(vector);
  if (context_) SUNContext_Free(&context_);
}

bool SolverObjects::make(const ReducedSystem& system, Ordering ordering, ThreadPool* thread_pool,
                         KeptSolver* kept) {
  size_ = system.size();
  thread_pool_ = thread_pool;
  if (!context_) return false;
  if (system.matrix_free()) {
    matrix_free_ = true;
    const Vector like = new_vector();
    linear_solver_ = like ? SUNLinSol_SPGMR(like, SUN_PREC_NONE, kKrylovVectors, context_) : nullptr;
    newton_ = like ? SUNNonlinSol_Newton(like, context_) : nullptr;
    fixed_point_ = like ? SUNNonlinSol_FixedPoint(like, 0, context_) : nullptr;
    return linear_solver_ && newton_ && fixed_point_;
  }
  if (kept && kept->linear)
    system_ = std::move(*std::exchange(kept->linear, std::nullopt));
  else
    system_.emplace(system.jacobian().pattern(), kDenseLimit, ordering);
  matrix_ = SUNMatNewEmpty(context_);
  linear_solver_ = SUNLinSolNewEmpty(context_);
  if (!matrix_ || !linear_solver_) return false;
  matrix_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
  matrix_->ops->zero = [](SUNMatrix) { return 0; };  // `fill` writes every value
  linear_solver_->content = this;
  linear_solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  linear_solver_->ops->getid = [](SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; };
  linear_solver_->ops->setup = factor;
  linear_solver_->ops->solve = solve;
  return true;
}

Vector SolverObjects::new_vector() {
  Vector vector =
      vectors_.empty() ? runtime::new_vector(size_, context_, thread_pool_) : N_VClone(vectors_.front());
  if (!vector) return nullptr;
  if (!vectors_.empty()) std::fill_n(data(vector), size_, 0.0);
  vectors_.push_back(vector);
  return vector;
}

int SolverObjects::factor(LinearSolver self, Matrix) {
  auto& me = *static_cast<SolverObjects*>(self->content);
  // With a short step some rows and columns are far larger than others, and that is not a singular matrix.
  return me.system_->factor(0) == LinearSystem::Status::Ok
             ? 0
             : SUNLS_LUFACT_FAIL;  // the integrator tries another step
}

int SolverObjects::solve(LinearSolver self, Matrix, Vector x, Vector right_hand_side, double) {
  auto& me = *static_cast<SolverObjects*>(self->content);
  me.system_->solve(data(right_hand_side), data(x));
  return 0;
}

void SolverObjects::fill(std::span<const std::uint32_t> diagonal, std::span<const double> values,
                         double factor, double diagonal_value) {
  std::span<double> to = system_->values();
  for (std::size_t k = 0; k < values.size(); ++k) to[k] = factor * values[k];
  if (diagonal_value != 0)
    for (std::uint32_t k : diagonal) to[k] += diagonal_value;
}

void SolverObjects::add_worst(const ReducedSystem& system, const double* y, const double* errors,
                              const double* weights, Failure& failure) {
  std::vector<std::uint32_t> order(system.size());
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
    failure.variables.push_back({system.unknowns()[order[k]], y[order[k]], weighted(order[k])});
}

Integrator::LargestError SolverObjects::largest(const ReducedSystem& system, const double* errors,
                                                const double* weights) {
  Integrator::LargestError largest;
  for (std::size_t k = 0; k < system.size(); ++k)
    if (const double error = std::abs(errors[k] * weights[k]); error > largest.error) largest = {k, error};
  return largest;
}

}  // namespace runtime
