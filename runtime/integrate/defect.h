// The defect of a step: at a time inside, the difference between the derivatives of the states by the
// equations, f(t, p(t)), and that of the interpolant p'(t) (Enright, Continuous numerical methods for ODEs
// with defect control, J. Comput. Appl. Math. 125 (2000), section 2; Shampine, Solving ODEs and DDEs with
// residual control, Appl. Numer. Math. 52 (2005), section 2). Times a length of time it is the change of a
// state that has been missed; in units of what the tolerance allows, the largest of all states.
//
// In a stiff model the defect says little: where equations change by 1e6 times the change of a state, an
// error within the tolerance is a defect of 1e6 times the tolerance. So a large defect is compared with the
// change of derivatives by changes of the states that the tolerance allows, to both sides in different
// patterns. A defect that is of this order is explained by stiffness and no evidence of anything.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

class Defect {
 public:
  /// `tolerance`: of a step, relative.
  Defect(ModelInstance& instance, ReducedSystem& system, double tolerance);

  /// Evaluates the model with the states of the dense output at a time within the last step. The values of
  /// the instance are then those there. False: the equations have no solution there.
  bool evaluate(double time, Integrator& integrator);
  /// Relative to what the tolerance allows, per second. 0 where it is not finite: the integrator decides
  /// about such points.
  double largest() const { return largest_; }
  /// Whether stiffness explains all that exceeds `allowed` over a `length` of time, in seconds. Changes the
  /// values of the instance.
  bool is_explained(double length, double allowed, Integrator& integrator);
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  bool derivatives(const double* y, Integrator& integrator, std::vector<double>& out);

  ModelInstance& instance_;
  ReducedSystem& system_;
  double tolerance_, time_ = 0, largest_ = 0;
  std::uint64_t evaluations_ = 0;
  std::vector<double> allowed_;      // by state: error
  std::vector<double> defects_;      // by state
  std::vector<double> derivatives_;  // by state: those of the equations
  std::vector<double> changed_;      // the same with other states
  std::vector<double> slopes_, y_;   // by unknown
};

}  // namespace runtime
