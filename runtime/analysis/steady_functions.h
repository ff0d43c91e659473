// The conditions and the objective of a steady state (steady.h) as functions of the free values z, each
// measured in a unit of its own.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/analysis/steady.h"
#include "runtime/events/zero_crossings.h"
#include "runtime/failure.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class SteadyFunctions {
 public:
  using Vector = Eigen::VectorXd;
  using Matrix = Eigen::MatrixXd;

  /// Of find_steady.
  SteadyFunctions(const Model& model, double time, std::vector<double> values, std::vector<double> parameters,
                  const Overrides& overrides, const SteadyProblem& problem);

  std::size_t size() const { return problem_.free.size(); }
  std::size_t conditions() const { return conditions_; }
  /// Of the last evaluation that succeeded.
  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& parameters() const { return parameters_; }
  /// Goes back to values and parameters of an evaluation before.
  void restore(const std::vector<double>& values, const std::vector<double>& parameters) {
    values_ = values, parameters_ = parameters;
  }
  const Failure& failure() const { return evaluator_.failure(); }

  /// Finds the equations that define inputs. A free value whose input no equation assigns; kNone: there is
  /// none.
  std::uint32_t find_inputs();

  /// z at the current values, and its bounds; `size()` entries.
  Vector start() const;
  Vector lower() const { return bound(&FreeValue::lower); }
  Vector upper() const { return bound(&FreeValue::upper); }

  /// Evaluates the conditions, `conditions()` entries, and the objective. False: a value cannot be computed
  /// or is not finite; the current values are then unchanged.
  bool evaluate(const Vector& z, Vector& conditions, double& objective);
  /// Whether in the last evaluation an algebraic loop may have gone over to another solution than the one on
  /// the branch of the values before (AlgebraicLoopSolver::branch_uncertain).
  bool branch_uncertain();
  /// Derivatives at the current values, which are those of z: conditions × size, and the gradient of the
  /// objective. False: one is not finite.
  bool derivatives(const Vector& z, Matrix& jacobian, Vector& gradient);

 private:
  struct Cut {  // a variable that is not computed by its equation, in a step of a schedule
    std::uint32_t step, variable;
  };
  double now(std::size_t k) const;
  Vector bound(double FreeValue::* which) const;
  Point point() { return {time_, values_.data(), parameters_.data()}; }
  bool set(const Vector& z);
  bool run();
  bool run(const std::vector<Step>& steps, const std::vector<Cut>& cuts);
  double value(const Column& column) const;
  void read(Vector& conditions, double& objective) const;
  bool differences(const Vector& z, std::size_t k, Matrix& jacobian, Vector& gradient);

  const Model& model_;
  const SteadyProblem& problem_;
  double time_;
  std::vector<double> values_, parameters_;
  const Overrides& overrides_;
  std::vector<double> nominal_;
  Evaluator evaluator_;
  ZeroCrossings zero_crossings_;
  std::vector<double> unit_;  // of each free value
  std::vector<std::uint32_t> nonlinear_loops_;
  std::vector<Cut> invariant_cuts_, dynamic_cuts_, observed_cuts_;
  std::size_t conditions_ = 0;
};

}  // namespace runtime
