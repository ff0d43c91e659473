// The reduced problem that an integrator solves: y' = f(t, y) or F(t, y, y') = 0, and its sparse Jacobian.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/events/event_handler.h"
#include "runtime/events/history.h"
#include "runtime/events/state_choice.h"
#include "runtime/events/zero_crossings.h"
#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/solve/chain_rule.h"
#include "runtime/solve/schedule.h"

namespace runtime {

enum class Form : std::uint8_t {
  Static,    // no states: the schedule is evaluated at the output points
  Explicit,  // y' = f(t, y): unknowns are the states; loops, if any, are solved inside
  Implicit,  // F(t, y, y') = 0: states, loop unknowns and kept variables
};

enum class FormChoice : std::uint8_t { Auto, Explicit, Implicit };

class Problem {
 public:
  /// `moment`: a time in which nothing happens, yet long enough to see where things go.
  /// `team`, if any, works on long runs.
  Problem(const Model& model, std::vector<double> parameters, std::vector<double> nominal,
          double moment = 1e-9, ThreadPool* thread_pool = nullptr);

  /// Chooses the form and works out the Jacobian's pattern. False: TooDense.
  bool prepare(FormChoice choice);

  /// Finds the initial values: guesses, the initial schedule, a choice of states, then the dynamic and the
  /// observed schedule; all must be finite, and the initial equations that are too many must hold. Without
  /// `from` (see Experiment::from).
  bool initialise(double time, std::span<const double> from = {});

  Form form() const { return form_; }
  std::size_t size() const { return layout_.unknowns.size(); }
  std::span<const std::uint32_t> unknowns() const { return layout_.unknowns; }
  double nominal(std::size_t unknown) const { return nominal_[layout_.unknowns[unknown]]; }
  const ChainRule& jacobian() const { return chain_; }
  std::uint32_t kept_variables() const { return kept_variables_; }

  /// The unknowns (and their rates) at the present values.
  void read(double* y, double* rates) const;

  // Callbacks of integrators: false when a value is not finite or a loop inside fails (`failure()`); no
  // allocation.
  bool derivatives(double time, const double* y, double* out);
  bool residuals(double time, const double* y, const double* rates, double* out);
  /// Explicit: df/dy. Implicit: dF/dy + rate * dF/dy'. `out` as jacobian().pattern().
  bool jacobian(double time, const double* y, const double* rates, double rate, double* out);

  /// Sets all variables from the unknowns: loops are solved again, so that results satisfy the equations and
  /// not only the integrator's tolerance; then what else is asked for. False: a value could not be computed.
  bool output(double time, const double* y, const double* rates, std::span<const Step> observed);
  /// From the present values of the states; nothing happens.
  bool observe(double time, std::span<const Step> observed);

  /// False: states that were chosen for good have become a bad choice on the way to this point (`failure()`).
  bool states_hold(double time, const double* y, const double* rates);
  /// Why an integrator does not get on from here, where it is the choice of states.
  std::optional<Failure> states_nearly_lost(double time) const;
  // Comparisons that are events.
  std::size_t watched() const { return zero_crossings_.watched(); }
  bool differences(double time, const double* y, const double* rates,
                   double* out);  // callback: `watched()` of them
  bool nearest(double time, const double* y, const double* rates,
               double& out);  // callback: Relations::nearest
  /// Relations::crossings, and where an integrator begins.
  bool crossings(double time, const double* y, const double* rates, std::vector<int>& directions);
  void watch_from(double time) { zero_crossings_.watch_from(time); }
  /// The next instant after `time` at which a comparison of time alone changes, a clock ticks, or a jump or
  /// kink of the past arrives.
  double next_instant(double time) {
    return std::min({zero_crossings_.next(point(time), time), event_handler_.next(), history_.next()});
  }
  /// Starts the clocks, and does what those that tick at once ask for (unless that `happened` before); and
  /// the past, which is kept to the tolerance. False: `failure()`.
  bool begin(double time, bool happened, double tolerance);
  /// What the model delays was, during a step of the integrator that ends at `time`: it is interpolated by
  /// `interpolate(time, y, rates)`. False: `failure()`.
  using Interpolate = std::function<void(double time, const double*& y, const double*& rates)>;
  bool remember(double time, const Interpolate& interpolate);
  /// No step may be longer.
  double longest_step() const { return history_.shortest(); }
  /// The trigger that ends the run here.
  std::optional<std::uint32_t> ended() const {
    return event_handler_.empty() ? std::nullopt : event_handler_.ended();
  }
  /// Whether `outlook` may find something.
  bool watchful() const { return zero_crossings_.watchful(); }
  /// Whether comparisons that were decided at zero are right up to here, the end of a step. `TurnedBack`:
  /// they are not, the present values are again those of `calm_time()`, and what `turned()` says has happened
  /// there. `Missed`: `endless_events` names them.
  ZeroCrossings::Outlook outlook(double time, const double* y, const double* rates);
  double calm_time() const { return calm_time_; }
  std::span<const int> turned() const { return zero_crossings_.turned(); }
  /// Takes the point over and makes the comparisons consistent there, the watched ones having passed zero in
  /// these directions (empty: none). `changed`: equations are others now, and the integrator must start again
  /// from the present values.
  bool settle(double time, const double* y, const double* rates, std::span<const int> directions,
              bool& changed);
  /// Why events do not come to an end.
  Failure endless_events(double time);

  /// Whether sets of states have chosen anew at this point (`y` null: the present values): then the
  /// integrator must start again from the present values.
  bool choose_states(double time, const double* y, const double* rates);

  /// Whether all assertions hold at this point. False: `failure()` names the first that does not.
  bool assertions_hold(double time, const double* y, const double* rates);
  /// The same at the present values, of which all that are observed are up to date.
  bool assertions_hold(double time);

  const std::vector<double>& values() const { return values_; }
  const std::vector<double>& parameters() const { return parameters_; }
  const Failure& failure() const { return evaluator_.failure(); }
  const std::vector<Continued>& continued() const { return evaluator_.continued(); }
  /// Names the equations that fail at this point, when a callback said no.
  Failure explain(double time, const double* y, const double* rates);

 private:
  bool choose_form(FormChoice choice);
  Failure lost(const StateSet& states, double time) const;
  void set(double time, const double* y, const double* rates);
  bool start_from(const Point& at, std::span<const double> from);
  bool start_agrees(const Point& at);
  bool place(double time, const double* y, const double* rates);
  bool place_watched(double time, const double* y, const double* rates);
  bool settle(const Point& at, std::span<const Step> first, bool& changed, bool leaving = false);
  bool look_ahead(const Point& at, bool leaving);
  bool move_on(const Point& at, Point& later);
  bool see(const Point& at) {
    return evaluator_.run_checked(model_.dynamic, at) && evaluator_.run_checked(model_.compared, at);
  }
  bool react(const Point& at, bool& changed);
  void keep_calm(double time);
  bool happen(const Point& at, bool& changed);
  Point point(double time) { return {time, values_.data(), parameters_.data(), nullptr, thread_pool_}; }

  struct KeptRow {  // of a run, in order
    std::uint32_t variable, row;
    bool rate;
    std::uint32_t source;  // unknown or state
  };
  struct StateRow {
    std::uint32_t state, derivative;
  };
  struct Rate {
    std::uint32_t variable, state;
  };

  const Model& model_;
  std::vector<double> parameters_, nominal_;
  double moment_ = 0;
  std::vector<double> calm_;  // values at the last point where comparisons were right
  double calm_time_ = 0;
  ThreadPool* thread_pool_;
  Evaluator evaluator_;
  Form form_ = Form::Static;
  Layout layout_;
  ChainRule chain_;
  ZeroCrossings zero_crossings_;
  EventHandler event_handler_;
  History history_;
  std::vector<Step> watched_steps_;   // what watched comparisons read, from what the integrator knows
  std::vector<Step> past_steps_;      // what is delayed, from what the integrator knows
  std::vector<StateChoice> choices_;  // one per set
  std::vector<Rate> rates_;           // variables that are y' of a state
  std::vector<StateRow> state_rows_;  // implicit: derivative - y'
  std::vector<KeptRow> kept_rows_;
  /// Implicit: the runs of the dynamic schedule, those of blocks among them, in order.
  struct OpenRun {
    std::uint32_t batch;
    std::uint32_t kept_end;  // in kept_rows_: after this run
  };
  std::vector<OpenRun> open_runs_;
  std::vector<double> run_residuals_;
  std::vector<double> conditions_;
  std::vector<double> values_;
  std::uint32_t kept_variables_ = 0;
};

}  // namespace runtime
