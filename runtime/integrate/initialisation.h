// Initialisation: consistent values of all variables at the start.
//
// The initial schedule is solved from the guesses, with the values of zero crossings iterated until both
// agree. When the values that the guesses suggest lead to no solution, zero crossings follow every iteration
// of Newton's method instead, and continuation is allowed in algebraic loops. Then the redundant initial
// equations are checked. Where that fails because equations do not determine their variables at these values,
// all equations are solved at once (solve/consistent_start.h). At the end states are selected, the
// dynamic and the observed schedule evaluated, and all initial equations compared with the result.
#pragma once
#include <span>
#include <vector>

#include "runtime/events/event_iteration.h"
#include "runtime/events/state_selection.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class Initialisation {
 public:
  Initialisation(ModelInstance& instance, EventIteration& events, StateSelection& states)
      : instance_(instance), events_(events), states_(states) {}

  /// Sets all current values; they are finite. `from`: Experiment::from. False: `failure()` of the instance.
  /// `seek_other_solutions`: looks for some that the model's own initialisation might have found as well.
  bool run(double time, std::span<const double> from = {}, bool seek_other_solutions = false);
  const GuessedStart& guessed() const { return guessed_; }
  const std::vector<OtherSolution>& other_solutions() const { return others_; }

 private:
  bool solve(const Point& point);
  bool solve_schedule(const Point& point);
  bool solve_at_once(const Point& point);
  bool start_from(const Point& point, std::span<const double> from);
  bool initial_equations_hold(const Point& point, bool all);
  bool constants_determine_invariants(const Point& point);
  bool advance_previous(const Point& point);
  bool states_are_finite(double time);

  ModelInstance& instance_;
  EventIteration& events_;
  StateSelection& states_;
  GuessedStart guessed_;
  bool seeks_others_ = false;
  std::vector<OtherSolution> others_;
};

}  // namespace runtime
