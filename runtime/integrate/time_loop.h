// The loop over the steps of an integrator, and what happens at the end of each.
//
//   step: of the integrator, up to the next time event or the stop time; repeated with a shorter one where it
//     has missed what the equations do inside, or an algebraic loop has left its branch
//   find_crossing: the first zero crossing in the step; what follows is done for the part before it, and then
//     for the rest, unless the integrator has to restart
//   verify_crossings: those of the last event; after a reversal the loop is back at the time of that event
//   record_history, check_states: delayed signals; the states of a selection that are fixed
//   write_rows: of results within the step; at an event, show_before_event keeps the row before it
//     (results/recorder.h)
//   process_event: at an event, with the assertions before and after it; else assertions_hold
//   reselect_states: where the selection has become bad
//   restart of the integrator if equations or states changed, with a short step after crowded events
//   show_after_event: a row of the grid at the time of an event shows what holds after it
//
// time_loop.cpp has the loop, time_loop_events.cpp what happens at events, time_loop_rows.cpp the rows.
//
// The loop ends at the stop time, by a terminating trigger, by cancellation, or with a failure, also when
// steps or events no longer advance time.
#pragma once
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "runtime/integrate/branch_check.h"
#include "runtime/integrate/crossing_search.h"
#include "runtime/integrate/experiment.h"
#include "runtime/integrate/initial_value_problem.h"
#include "runtime/integrate/integrator.h"
#include "runtime/integrate/row_time.h"
#include "runtime/integrate/state_scales.h"
#include "runtime/integrate/step_check.h"
#include "runtime/results/recorder.h"

namespace runtime {

/// The tolerance of a step and of a history, as a part of the experiment's. That is a promise about results,
/// while an integrator controls the error of each step, and these errors add up: over some hundred steps of a
/// lightly damped model to ten times as much and more.
constexpr double kLocalTolerance = 0.1;

/// A part of a simulation, from its start or from a change of structure on.
struct Part {
  double begin = 0;            // seconds
  std::uint32_t next_row = 0;  // of results; 0: at the start
  void visit(Archive& archive) { archive(begin, next_row); }
};

class TimeLoop {
 public:
  /// What the loop remembers at a checkpoint, beside the problem; all else begins anew.
  struct Memory {
    double time = 0;
    std::uint32_t next_row = 1;
    bool adams = false;     // the present method
    double first_step = 0;  // of the integrator; 0: its choice
    int immediate = 0;
    CloseSequences close{};
    std::uint32_t reversals = 0;
    std::uint64_t crossings = 0;
    std::vector<double> largest{};  // StateScales
    void visit(Archive& archive) {
      archive(time, next_row, adams, first_step, immediate, close, reversals, crossings, largest);
    }
  };

  /// `observed`: the steps of the observed schedule that results need. All arguments outlive the loop.
  TimeLoop(InitialValueProblem& problem, const Experiment& experiment, const Control& control,
           std::span<const Step> observed, Recorder& recorder, Outcome& outcome);
  /// From an instant in the simulation on.
  TimeLoop(InitialValueProblem& problem, const Experiment& experiment, const Control& control,
           std::span<const Step> observed, Recorder& recorder, Outcome& outcome, const Part& part);

  /// Rows show these variables alone (per variable: 1), and need not set others. To be called before `run`.
  void show_only(std::vector<std::uint8_t> variables) { shown_ = std::move(variables); }
  /// Runs from the initialised problem to the end; writes status, failure, `reached` and statistics of the
  /// outcome.
  void run();
  /// Where the next part begins, if transitions ended this one (Outcome::transitions).
  Part next_part() const { return {outcome_.changed_at, next_row_}; }
  /// From a checkpoint, with the problem as it was there.
  void resume(const Memory& memory);
  /// Whether the run ended at a checkpoint that is due: everything is to be saved now, with this.
  const std::optional<Memory>& suspended() const { return suspended_; }
  /// What the integrator takes from the one before it, and then leaves; outlives the loop.
  void use(KeptSolver& kept) { kept_ = &kept; }

 private:
  bool suspend();
  bool make_integrator(double time);
  /// What examines the steps of the integrator, which begins at this time.
  void watch_steps(double time);
  void count_integrator();
  void integrate();
  /// After a failure of the integrator: whether the run goes on with another one (solver_change.cpp).
  bool change_solver(const Failure& failure);
  bool advance();
  bool step();
  bool find_crossing(double& time);
  bool verify_crossings(double& time);
  double first_step(double time);
  double last_event() const;
  bool record_history(double time);
  void note_limit(Profile& profile);
  bool check_states(double time);
  bool process_event(double time);
  std::span<const std::uint32_t> tied() const;
  void note_before_event(double time);
  bool note_jump(double time);
  bool agrees(std::uint32_t variable, double value) const;
  bool jump(double time);
  double next_time_event(double time);
  bool finish(double time);
  bool assertions_hold(double time);
  bool check_assertions_before_event(double time);
  bool check_assertions_after_event(double time);
  double before_crossing(double time) const;
  bool reselect_states(double time);
  bool makes_progress(double time);
  bool leave_solver(double time);
  bool write_rows(double time, bool inclusive);
  bool write_row(double time);
  void show_step(double time);
  void show_before_event(double time);
  bool show_after_event(double time, bool changed);
  bool take_row_after(double time, bool changed);
  double row_time(double time) const;
  // Each sets the status of the outcome where it ends the loop. Whether it does.
  bool end_by_trigger(double time);
  bool end_by_transition(double time);
  bool end_with_rows();
  bool end_if_cancelled();
  bool begin();
  Failure cause(Failure failure);
  bool fail(Failure failure);

  double shortest_step(double time) const;
  double after(double time, double instant) const;
  double output_time(std::uint32_t row) const { return rows_.at(row); }
  void report(double time) const {
    if (control_.progress && range_ > 0) control_.progress((time - experiment_.start) / range_);
  }

  InitialValueProblem& problem_;
  const Experiment& experiment_;
  const RowTimes rows_{experiment_.start, experiment_.stop, experiment_.steps};
  const Control& control_;
  std::span<const Step> observed_;
  std::vector<std::uint8_t> shown_;  // empty: all
  std::vector<Step> tied_;           // which compute StructureSource::tied
  Recorder& recorder_;
  Outcome& outcome_;
  double range_;
  double begin_;  // of the part
  std::unique_ptr<Integrator> integrator_;
  std::optional<CrossingSearch> search_;  // unless the integrator locates crossings itself
  std::optional<StepCheck> check_;        // with `search_`
  std::optional<BranchCheck> branches_;
  std::optional<StateScales> scales_;  // with `search_`
  double time_;  // reached; within the last step of the integrator, if an event did not change the equations
  double time_event_ = 0;   // the next one
  double first_step_ = 0;   // the length of the next step; 0: as the integrator chooses
  std::uint32_t next_row_;  // of results
  // Of the step that ended last:
  std::vector<double> before_;       // the event at its end: of all variables, where it may change tied ones
  std::span<const int> crossed_;     // directions at its end, by watched number; empty: none crossed
  bool event_ = false;               // there is an event at its end
  bool turned_back_ = false;         // verification returned to the event before
  bool restart_ = false;             // the integrator must restart
  std::optional<Failure> violated_;  // an assertion at an event that is not confirmed yet
  // Detection of a simulation that no longer advances:
  double step_mark_;  // the time at which the counter of steps was last reset
  double last_time_;
  int slow_steps_ = 0, standing_steps_ = 0;
  struct FailingSteps {
    double begin = 0;            // their time
    std::uint64_t failures = 0;  // of Newton's method, before them
    int steps = 0;
  };
  FailingSteps failing_;
  CloseSequences close_;
  std::uint32_t reversals_ = 0;
  std::uint64_t crossings_ = 0;  // events that were no ticks
  int immediate_ = 0;            // successive events at the beginning of a step
  std::optional<Memory> resumed_, suspended_;
  Failure failure_before_change_;  // which the integrator ended with
  KeptSolver* kept_ = nullptr;
};

}  // namespace runtime
