// The change of the integrator of the automatic choice, where it cannot go on.
//
// IDA predicts and corrects the unknowns of algebraic loops together with the states, CVODE solves the loops
// in every evaluation with damped steps. There are systems that only one of them passes: IDA with a loop
// whose unknowns turn within microseconds, CVODE where a loop is badly conditioned and its rounding errors
// disturb the derivatives. So a run that `auto` has begun goes on from the end of the last step with the
// other one, once.
//
// Where the solution of a loop ends (BranchCheck) the other one ends as well, as a rule. But the states that
// CVODE tries are inexact, and a loop may have no solution for one that is off by its tolerance, such as a
// small negative current through two diodes.
#include "runtime/integrate/time_loop.h"

namespace runtime {

namespace {

bool may_be_of_the_integrator(FailureKind kind) {
  switch (kind) {
    case FailureKind::ErrorTest:
    case FailureKind::Convergence:
    case FailureKind::NoProgress:
    case FailureKind::ToleranceTooSmall:
    case FailureKind::NotFinite:
    case FailureKind::LoopNotConverged:
    case FailureKind::LoopSingular:
    case FailureKind::BranchEnds: return true;
    default: return false;
  }
}

}  // namespace

bool TimeLoop::change_solver(const Failure& failure) {
  const Form form = problem_.system.form();
  const bool possible = experiment_.solver == Solver::Auto && !outcome_.solver_change && search_ &&
                        form != Form::Static && may_be_of_the_integrator(failure.kind);
  if (!possible) return false;
  const double time = integrator_->time();
  if (!branches_->output(time) ||
      !problem_.prepare(form == Form::Explicit ? FormChoice::Implicit : FormChoice::Explicit)) {
    problem_.instance.failure() = {};
    return false;
  }
  outcome_.solver_change = SolverChange{.time = time,
                                        .from = form == Form::Explicit ? "cvode" : "ida",
                                        .to = form == Form::Explicit ? "ida" : "cvode",
                                        .kind = failure.kind};
  failure_before_change_ = failure;
  count_integrator();
  search_.reset();
  check_.reset();
  branches_.reset();
  resumed_.reset();
  describe_system(problem_.system, outcome_.statistics);
  if (!make_integrator(time)) return false;
  watch_steps(time);
  // If they cannot be evaluated, neither can the next step.
  if (!search_->begin(time)) problem_.instance.failure() = {};
  return true;
}

}  // namespace runtime
