// Integration by quantised states: every state has its own times of update, and every event touches the rows
// that depend on it only.
//
//   the earliest of the next times of all states, zero crossings and local clocks (event_queue.h):
//     a state: choose its line anew (quantiser.h); evaluate the derivatives that read it, along the lines of
//              the states, now and at two times a little later: their polynomials (state_trajectory.h);
//              predict their next updates, and the crossings of the differences that read these states
//     a crossing: evaluate the difference there; if it has crossed, change the held value, and evaluate
//              what reads it (update_plan.h), as above
//     a clock: assign, and evaluate what reads the assigned variables (local_clocks.h)
//
// Differences are evaluated along the polynomials of the states, which are continuous, and not along the
// lines, which jump. A crossing that conditions of event handlers depend on ends the advance: it is an event
// of the whole model, handled by the event iteration.
//
// For a linear model with matrix A = V L V^-1, stable, the error of the solution never exceeds
// |V| |Re(L)^-1 L| |V^-1| times the quanta, however long the run (Cellier, Kofman: Continuous System
// Simulation, 2006, section 12.6).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/event_handler.h"
#include "runtime/events/zero_crossing_functions.h"
#include "runtime/failure.h"
#include "runtime/quantised/crossing_prediction.h"
#include "runtime/quantised/event_queue.h"
#include "runtime/quantised/local_clocks.h"
#include "runtime/quantised/row_graph.h"
#include "runtime/quantised/state_trajectory.h"
#include "runtime/quantised/update_plan.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

/// What prevents a model from being simulated by quantised states: delays, state sets.
Failure quantised_refusal(const Model& model);

class QuantisedSolver {
 public:
  /// `tolerance`: quanta relative to the state, and to its nominal value where that is larger. `range`:
  /// seconds of the simulation. The model has states and `quantised_refusal` gives none.
  QuantisedSolver(ModelInstance& instance, ZeroCrossingFunctions& functions, EventHandler& handler,
                  double tolerance, double range);

  /// Whether all comparisons that are linear in time change here, and none of them is left to the event
  /// iteration.
  bool times_are_local() const { return times_are_local_; }

  // False: `failure()`.
  /// Begins at the current values of the instance.
  bool start(double time);
  /// Continues after an event that has not changed the equations.
  bool resume();
  /// Processes events up to `limit`, or until a crossing is to be handled by the event iteration
  /// (`crossed()`), or, now and then, before that.
  bool advance(double limit);

  double time() const { return time_; }
  /// Per watched function: the direction of its crossing at `time()`; empty: none.
  const std::vector<int>& crossed() const { return crossed_; }
  /// Writes the states at this time, which is not before the last event.
  void states(double time, double* out) const;
  const Failure& failure() const { return failure_; }

  struct Counters {
    std::uint64_t updates = 0;      // of states
    std::uint64_t evaluations = 0;  // of what an update or event affects
    std::uint64_t events = 0;       // held values that changed here, and ticks
  };
  const Counters& counters() const { return counters_; }
  /// Per state: its updates.
  std::span<const std::uint64_t> updates() const { return updates_; }

 private:
  bool update(std::uint32_t state);
  bool choose(std::uint32_t state, const UpdatePart& part);
  bool derivatives(const UpdatePart& part, double shortest);
  bool cross(std::uint32_t crossing);
  bool tick(std::uint32_t clock);
  void assign(std::uint32_t variable, double value);
  bool change_held(std::uint32_t crossing);
  bool jump(const UpdatePlan& plan);
  bool predict(const UpdatePart& part);
  bool evaluate_derivatives(const UpdatePart& part, double time, std::vector<double>& out);
  bool evaluate_differences(const UpdatePart& part, double time, std::vector<double>& out);
  bool evaluate_rows(const UpdatePart& part, const Point& point);
  void schedule(std::uint32_t state);
  void schedule_crossing(std::uint32_t crossing);
  double probe(double interval) const;
  double later(double interval) const;
  double quantum(std::uint32_t state) const;
  Point point(double time, std::vector<double>& values);
  bool explain();
  bool advances(std::uint32_t event);

  ModelInstance& instance_;
  const Model& model_;
  ZeroCrossingFunctions& functions_;
  EventHandler& handler_;
  const double tolerance_, range_, longest_;
  RowGraph graph_;
  LocalClocks clocks_;
  UpdatePlans plans_;
  EventQueue queue_;  // states, then crossings, then clocks
  double time_ = 0;
  bool times_are_local_ = true;
  std::vector<std::uint8_t> global_;            // per crossing: left to the event iteration
  std::vector<std::uint32_t> watched_number_;   // per crossing, or kNone
  std::vector<StateTrajectory> states_;         // by state
  std::vector<CrossingPrediction> crossings_;   // by crossing
  std::vector<double> quantised_, continuous_;  // values of all variables, from lines and from polynomials
  std::vector<double> now_, soon_, later_;      // of targets, at the three times
  std::vector<int> crossed_;
  std::vector<std::uint64_t> updates_;  // by state
  struct Window {
    double begin = -std::numeric_limits<double>::infinity();
    std::uint32_t count = 0;
  };
  std::vector<Window> windows_;  // by event: how often it occurred since a time
  Counters counters_;
  Failure failure_;
};

}  // namespace runtime
