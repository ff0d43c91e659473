// Integration by quantised states: every state has its own times of update, and every event touches the rows
// that depend on it only.
//
//   the earliest of the next times of all states, zero crossings and local clocks (event_queue.h):
//     a state: choose its line anew (quantiser.h); evaluate the derivatives that read it, along the lines of
//              the states, now and at two times a little later: their polynomials (state_trajectory.h);
//              predict their next updates, and the crossings of the differences that read these states
//     a crossing: evaluate the argument there; if it has left the piece that is held, hold the next one, and
//              evaluate what reads it (update_plan.h), as above
//     a clock: assign, and evaluate what reads the assigned variables (local_clocks.h)
//
// Arguments are evaluated along the polynomials of the states, which are continuous, and not along the
// lines, which jump. Crossings of time alone are not predicted but known (events/time_events.h). A crossing
// that conditions of event handlers depend on ends the advance: it is an event of the whole model, handled by
// the event iteration.
//
// What depends on the time other than through states is evaluated at least every kLongestOfTime of the time
// range, because nothing else would notice a pulse.
//
// For a linear model with matrix A = V L V^-1, stable, the error of the solution never exceeds
// |V| |Re(L)^-1 L| |V^-1| times the quanta, however long the run (Cellier, Kofman: Continuous System
// Simulation, 2006, section 12.6).
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/events/event_handler.h"
#include "runtime/events/event_observer.h"
#include "runtime/events/time_events.h"
#include "runtime/events/zero_crossings.h"
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

struct QuantisedOptions {
  double tolerance = 1e-6;  // quanta relative to the state, and to its nominal value where that is larger
  double range = 1;         // seconds of the simulation
  double stop = 1;          // its end
  double longest = std::numeric_limits<double>::infinity();  // seconds without evaluation of a state
  EventObserver* observer = nullptr;                         // of what changes here; outlives the solver
};

class QuantisedSolver {
 public:
  /// The model has states and `quantised_refusal` gives none.
  QuantisedSolver(ModelInstance& instance, ZeroCrossings& zero_crossings, EventHandler& handler,
                  const QuantisedOptions& options);

  /// Whether all zero crossings of time alone change here, and none of them is left to the event iteration.
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
  void derivatives(const UpdatePart& part, double shortest);
  bool cross(std::uint32_t crossing);
  void note_crossed(std::uint32_t crossing);
  bool find_simultaneous();
  bool cross_time_function(std::uint32_t crossing);
  bool crosses_early();
  bool tick_at_stop();
  bool change_held(std::uint32_t crossing, double value);
  bool tick(std::uint32_t clock);
  bool is_valid(std::uint32_t number, double value);
  void assign(std::uint32_t variable, double value);
  bool evaluate_held(std::uint32_t crossing);
  void read_held(std::uint32_t crossing);
  bool accept_held(std::uint32_t crossing);
  bool rests_outside(std::uint32_t crossing) const;
  double next_piece(std::uint32_t crossing) const;
  double right_value(std::uint32_t crossing);
  bool jump(const UpdatePlan& plan);
  bool predict(const UpdatePart& part, bool jumped = false);
  bool evaluate_derivatives(const UpdatePart& part, double time, std::vector<double>& out);
  bool evaluate_arguments(const UpdatePart& part, double time, std::vector<double>& out);
  bool evaluate_rows(const UpdatePart& part, const Point& point);
  void schedule(std::uint32_t state);
  void schedule_crossing(std::uint32_t crossing);
  void schedule_time_function(std::uint32_t crossing);
  bool of_time(std::uint32_t crossing) const { return functions_.time_function(crossing) != kNone; }
  std::uint32_t event_of_crossing(std::uint32_t k) const {
    return static_cast<std::uint32_t>(states_.size()) + k;
  }
  std::uint32_t event_of_clock(std::uint32_t c) const {
    return static_cast<std::uint32_t>(states_.size() + crossings_.size()) + c;
  }
  double probe(double interval) const;
  double later(double interval) const;
  double quantum(std::uint32_t state) const;
  Point point(double time, std::vector<double>& values);
  bool explain();
  bool advances(std::uint32_t event);
  bool fail_as_endless(std::uint32_t crossing);

  ModelInstance& instance_;
  const Model& model_;
  ZeroCrossingFunctions& functions_;
  TimeFunctions& time_functions_;
  TimeEvents time_events_;
  EventHandler& handler_;
  EventObserver* const observer_;
  const double tolerance_, range_, stop_, stop_rounding_, longest_, longest_of_time_;
  RowGraph graph_;
  LocalClocks clocks_;
  UpdatePlans plans_;
  EventQueue queue_;  // states, then crossings, then clocks
  double time_ = 0;
  bool times_are_local_ = true;
  std::vector<std::uint8_t> global_;                            // per crossing: left to the event iteration
  std::vector<std::uint32_t> watched_number_;                   // per crossing, or kNone
  std::vector<double> longest_of_state_, longest_of_crossing_;  // seconds without evaluation
  std::vector<StateTrajectory> states_;                         // by state
  std::vector<CrossingPrediction> crossings_;                   // by crossing
  std::vector<double> quantised_, continuous_;  // values of all variables, from lines and from polynomials
  std::vector<double> now_, soon_, later_;      // of targets, at the three times
  std::vector<int> crossed_;
  std::vector<Jump> jumps_;             // of a tick
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
