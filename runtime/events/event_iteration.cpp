#include "runtime/events/event_iteration.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {
// From this iteration on what is taken for rounding is doubled in each, up to this multiple: differences that
// contradict each other without end may be rounding errors that are larger than estimated.
constexpr int kTolerantIterations = 40;
constexpr double kMostRoundings = 1e5;

double roundings(int iteration) {
  return std::clamp(std::ldexp(1.0, iteration - kTolerantIterations), 1.0, kMostRoundings);
}
// Times between events that are errors: this part of a moment, and of the time; this multiple of the time in
// which what is compared moves by its rounding error, as the times may shrink much from one to the next.
constexpr double kShortest = 1e-3, kRoundingTime = 1e-14, kUnresolved = 100;
// What states may change by in a time that is negligible, relative to their magnitude or nominal value; such
// a time is this multiple of the rounding error of the time, or more.
constexpr double kNegligible = 1e-6, kLeastRoundings = 128;
// Crossings that are located by rounding on the wrong side are passed in parts of a moment, from the first
// one on, each so much longer than the one before.
constexpr double kFirstPart = 1e-9, kLongerPart = 10;
// The rounds of one instant: at least the first, and several for each handler, so that each may drive the
// next one.
constexpr std::size_t kLeastRounds = 1000, kRoundsOfHandler = 2;
}  // namespace

EventIteration::EventIteration(ModelInstance& instance, double moment)
    : instance_(instance),
      moment_(moment),
      zero_crossings_(instance.model, instance.nominal),
      watched_differences_(zero_crossings_.functions(), zero_crossings_.nominal()),
      time_events_(zero_crossings_.time_functions()),
      handler_(instance.model),
      accumulation_(instance.model.events.triggers),
      history_(instance.model),
      record_(instance.model) {
  if (!handler_.empty()) zero_crossings_.find_readers(handler_.read_parameters());
}

/// After changes of the values of zero crossings what equations give is still known if events alone read
/// these.
void EventIteration::drop_outdated() {
  const bool equations_changed = zero_crossings_.take_equations_changed();
  const bool has_values =
      evaluated_ == Evaluated::Nothing || evaluated_ == Evaluated::Consistent || all_finite(instance_.values);
  if (equations_changed || !has_values) evaluated_ = Evaluated::Nothing;
}

bool EventIteration::make_consistent(const Point& point, std::span<const Step> initial, Stage stage,
                                     StateSelection* states) {
  Evaluator& evaluator = instance_.evaluator;
  auto solve_initial = [&] {
    if (!evaluator.run_checked(initial, point)) return false;
    if (states) states->select(point.time);
    return true;
  };
  zero_crossings_changed_ = false;
  zero_crossings_.tolerate(1);  // the last call may have failed
  if (zero_crossings_.empty()) {
    if (!solve_initial() || (!handler_.empty() && !evaluate_inputs(point))) return false;
    if (stage == Stage::Assigned) handler_.rearm(point);
    return true;
  }
  const bool start = !initial.empty();
  if (start) zero_crossings_.update_by_guesses(point, instance_.parameters);
  bool rearm = stage == Stage::Assigned;
  for (int iteration = 0; iteration < ZeroCrossings::kIterations; ++iteration) {
    drop_outdated();
    if (start) evaluated_ = Evaluated::Nothing;
    if (evaluated_ == Evaluated::Nothing) {
      evaluator.parameters_changed();
      if (!solve_initial() || !evaluate_inputs(point)) {
        if (!start || !update_where_known(initial, point)) return false;
        zero_crossings_changed_ = true;
        continue;
      }
      evaluated_ = Evaluated::Inputs;
    }
    zero_crossings_.tolerate(roundings(iteration));
    const bool one_at_a_time = iteration >= ZeroCrossings::kSimultaneousIterations;
    const bool agree = evaluated_ == Evaluated::Consistent || !update(point, one_at_a_time, start);
    // Conditions change by what is assigned, and by what follows from it, before comparisons at zero leave
    // it.
    if (agree && std::exchange(rearm, false)) handler_.rearm(point);
    if (agree && !look_ahead(point, stage == Stage::Settled, one_at_a_time)) {
      zero_crossings_.tolerate(1);
      return true;
    }
    zero_crossings_changed_ = true;
  }
  zero_crossings_.tolerate(1);
  evaluator.failure() = zero_crossings_.endless(point);
  return false;
}

/// Changes the values of zero crossings that contradict their differences. Whether there were any.
bool EventIteration::update(const Point& point, bool one_at_a_time, bool start) {
  const bool evaluated = std::exchange(evaluated_, Evaluated::Functions) >= Evaluated::Functions;
  return evaluated ? zero_crossings_.update_evaluated(point, instance_.parameters, one_at_a_time)
                   : zero_crossings_.update(point, instance_.parameters, one_at_a_time, start);
}

/// At the start a value that is held from a guess may leave no value to what reads it, such as a divisor of
/// zero. Changes the values whose arguments are known all the same. False: there are none, and the failure
/// stands.
bool EventIteration::update_where_known(std::span<const Step> initial, const Point& point) {
  Evaluator& evaluator = instance_.evaluator;
  const Failure failure = evaluator.failure();
  evaluator.failure() = {};
  const bool known = evaluator.run(initial, point) && evaluator.run(instance_.model.dynamic, point) &&
                     evaluator.run(instance_.model.compared, point) &&
                     zero_crossings_.update_by_guesses(point, instance_.parameters);
  evaluator.failure() = known ? Failure{} : failure;
  return known;
}

/// A moment, or a part of it after which all states are nearly what they are at the point: a moment is a part
/// of the time range, which may be long beside what happens in the model.
double EventIteration::negligible_time(const Point& from) const {
  double time = moment_;
  for (const State& state : instance_.model.states) {
    const double size = std::max(std::abs(from.values[state.variable]), instance_.nominal[state.variable]);
    const double rate = std::abs(from.values[state.derivative]);
    if (rate * time > kNegligible * size) time = kNegligible * size / rate;
  }
  return std::min(moment_, std::max(time, kLeastRoundings * time_rounding(from.time)));
}

/// Advances the current values by this time from the point, which has a copy of them, by one step of Heun's
/// method: an error of the second order would decide where sides remain equal. The change of a rate in the
/// step counts up to half of the rate, so that a state which is fast beside it goes where its rate says.
/// Whether they can be evaluated there.
bool EventIteration::advance(const Point& from, Point& later, double length) {
  const std::vector<State>& states = instance_.model.states;
  later = instance_.point(from.time + length);
  const auto evaluate = [&] {
    history_.evaluate(later.time, instance_.values);
    return instance_.evaluator.run(instance_.model.dynamic, later) &&
           instance_.evaluator.run(instance_.model.compared, later);
  };
  const auto follow = [&](bool corrected) {
    for (std::size_t k = 0; k < states.size(); ++k) {
      const double rate = from.values[states[k].derivative], most = std::abs(rate) / 2;
      const double correction = corrected ? std::clamp((rates_later_[k] - rate) / 2, -most, most) : 0;
      instance_.values[states[k].variable] =
          from.values[states[k].variable] + length * (std::isnan(correction) ? rate : rate + correction);
    }
    return evaluate();
  };
  bool known = follow(false);
  if (known && !states.empty()) {
    rates_later_.clear();
    for (const State& state : states) rates_later_.push_back(instance_.values[state.derivative]);
    known = follow(true);
    if (!known) {
      instance_.failure() = {};
      known = follow(false);
    }
  }
  if (!known) instance_.failure() = {};
  return known;
}

/// Decides comparisons that are at zero by their differences a moment later, or sooner where that shows more
/// than rounding error; where the change in a moment is rounding error, as of a velocity at rest whose force
/// is just beginning, by two moments. Whether one changed.
bool EventIteration::look_ahead(const Point& point, bool after_assignment, bool first_only) {
  const bool undecided = zero_crossings_.undecided(after_assignment);
  evaluated_ = undecided ? Evaluated::Inputs : Evaluated::Consistent;
  if (!undecided) return false;
  here_ = instance_.values;
  const Point here{point.time, here_.data(), point.parameters};
  Point later = point;
  const double soon = negligible_time(here);
  bool known = advance(here, later, soon);
  bool any_small = known && zero_crossings_.measure_rates_after(later, soon / moment_);
  if ((any_small || !known) && soon < moment_) {
    std::ranges::copy(here_, instance_.values.begin());
    if (advance(here, later, moment_)) {
      any_small = known ? zero_crossings_.measure_small_rates_after(later)
                        : zero_crossings_.measure_rates_after(later, 1);
      known = true;
    } else {
      any_small = false;
    }
  }
  if (any_small) {
    later_ = instance_.values;
    if (advance({later.time, later_.data(), point.parameters}, later, moment_))
      zero_crossings_.measure_small_rates_after_two(later);
  }
  const bool changes = known ? zero_crossings_.look_ahead(instance_.parameters, first_only)
                             : zero_crossings_.hold_equal(instance_.parameters, first_only);
  std::ranges::copy(here_, instance_.values.begin());
  return changes;
}

void EventIteration::record_rates(const Point& point, bool evaluated) {
  if (!evaluated) zero_crossings_.functions().evaluate(point);
  here_ = instance_.values;
  const Point here{point.time, here_.data(), point.parameters};
  Point later = point;
  const bool known = advance(here, later, moment_);
  if (known) zero_crossings_.record_rates(later);
  std::ranges::copy(here_, instance_.values.begin());
  if (known) zero_crossings_.functions().evaluate(point);
}

/// By rounding a crossing may be located where the new values of zero crossings give no value to what they
/// guard, as in `if x > 0.0 then sqrt x else 0.0` at x = -1e-16. Then states are where they come to, by the
/// rates before the event, in the shortest part of a moment after which the equations have values. `before`:
/// the values before the event. False: they have none, and the failure stands.
bool EventIteration::pass_guards(const Point& point, std::span<const double> before) {
  const Failure failure = instance_.failure();
  std::vector<double>& values = instance_.values;
  for (double part = kFirstPart; part <= 1 && instance_.failure().kind == FailureKind::NotFinite;
       part *= kLongerPart) {
    instance_.failure() = {};
    std::ranges::copy(before, values.begin());
    for (const State& state : instance_.model.states)
      if (std::isfinite(before[state.derivative]))
        values[state.variable] += part * moment_ * before[state.derivative];
    evaluated_ = Evaluated::Nothing;
    if (make_consistent(point, {}, Stage::Crossings)) return true;
  }
  std::ranges::copy(before, values.begin());
  instance_.failure() = failure;
  return false;
}

/// At a crossing, also where what the values before guard has none any more by rounding: these are no
/// numbers.
bool EventIteration::evaluate_at_crossing(const Point& point) {
  if (evaluate_inputs(point)) return true;
  if (instance_.failure().kind != FailureKind::NotFinite) return false;
  const Failure failure = std::exchange(instance_.failure(), Failure{});
  if (instance_.evaluator.run(instance_.model.dynamic, point) &&
      instance_.evaluator.run(instance_.model.compared, point))
    return true;
  instance_.failure() = failure;
  return false;
}

bool EventIteration::process(double time, std::span<const int> directions, bool& changed,
                             const Instant& instant) {
  if (empty()) return true;
  const Point point = instance_.point(time);
  begin_instant(time);
  record_.begin(time, instance_.values, instant.reversal);
  if (!handler_.empty()) {
    const auto evaluate = [&] {
      return directions.empty() ? evaluate_inputs(point) : evaluate_at_crossing(point);
    };
    if (!instant.evaluated && !evaluate()) return false;
    if (!instant.continued) handler_.begin_instant();
    handler_.record_previous(instance_.values);
    only_ticked_ = handler_.tick(time, instance_.parameters) && directions.empty();
    if (zero_crossings_.any_at_zero()) {
      zero_crossings_.functions().evaluate(point);
      zero_crossings_.find_left_zero();
    }
    if (!directions.empty()) record_rates(point, instant.evaluated);
  }
  const bool jump_arrived = history_.arrive(time);
  if (jump_arrived) history_.evaluate(time, instance_.values);
  parameters_before_ = instance_.parameters;
  const std::vector<double>& before = parameters_before_;
  if (handler_.empty() && !directions.empty() && !instant.evaluated) {
    if (!evaluate_at_crossing(point)) return false;
    zero_crossings_.functions().evaluate(point);
  }
  zero_crossings_.take_equations_changed();
  if (!jump_arrived && (instant.evaluated || !handler_.empty() || !directions.empty()))
    evaluated_ = instant.evaluated && directions.empty() && zero_crossings_.functions().none_to_evaluate()
                     ? Evaluated::Functions
                     : Evaluated::Inputs;
  if (!directions.empty()) values_before_ = instance_.values;
  zero_crossings_.crossed(directions, instance_.parameters);
  bool done = make_consistent(point, {}, Stage::Crossings) ||
              (!directions.empty() && pass_guards(point, values_before_));
  done = done && handle_events(point);
  zero_crossings_.end_instant(instance_.parameters, instance_.values);
  const std::span<const std::uint8_t> read = handler_.read_parameters();
  changed = handler_.take_changed() || jump_arrived;
  for (std::size_t k = 0; k < before.size() && !changed; ++k)
    changed = before[k] != instance_.parameters[k] && (read.empty() || read[k]);
  counts_.count(zero_crossings_.functions(), before, instance_.parameters);
  if (done) record_.end(zero_crossings_.functions(), before, instance_.parameters, jump_arrived);
  if (done && !history_.empty()) {
    done = evaluate_inputs(point);
    history_.end_instant(instance_.values, changed);
  }
  record_consistent_values(time);
  return done;
}

/// The rounds of an instant; equations and zero crossings are consistent before and after.
bool EventIteration::handle_events(const Point& point) {
  if (handler_.empty()) return true;
  std::size_t last_fired = 0;
  const std::size_t most =
      std::max(kLeastRounds, kRoundsOfHandler * std::size_t{instance_.model.events.triggers});
  for (std::size_t round = 0; round < most; ++round) {
    const bool fired = handler_.fire(point);
    if (const auto failure = handler_.undefined_condition(point.time)) {
      instance_.failure() = *failure;
      return false;
    }
    if (fired) {
      record_.fired(handler_.fired());
      counts_.fired(handler_.fired());
      last_fired = round;
      if (!assign(point)) return false;
      if (accumulates(point.time)) return false;
      record_.assigned(instance_.values);
      handler_.record_previous(instance_.values);
    } else {
      if (!handler_.advance_previous(instance_.values)) return true;
      evaluated_ = Evaluated::Nothing;
      if (!make_consistent(point, {}, Stage::Crossings)) return false;
    }
  }
  instance_.failure() = endless(point.time);
  instance_.failure().events = static_cast<std::uint32_t>(most);
  for (const std::uint32_t t : counts_.triggers())  // those that fired in other rounds drive these
    if (std::ranges::find(instance_.failure().triggers, t) == instance_.failure().triggers.end())
      instance_.failure().triggers.push_back(t);
  if (last_fired < most / 2) {  // equations alone change in each round
    instance_.failure().triggers.clear();
    handler_.add_unsettled(instance_.values, instance_.failure());
  }
  return false;
}

/// Whether triggers fire after ever shorter times, until the last one is below the errors of the time, or the
/// difference that the assignment leaves is rounding error, and so is the time until it crosses again.
bool EventIteration::accumulates(double time) {
  const double least = std::max({kShortest * moment_, kRoundingTime * std::abs(time),
                                 kUnresolved * zero_crossings_.unresolved_moments() * moment_});
  const auto trigger = accumulation_.fired(handler_.fired(), time, least);
  if (!trigger) return false;
  Failure failure = zero_crossings_.endless(instance_.point(time), {});
  failure.triggers.push_back(*trigger);
  failure.events = accumulation_.events(*trigger);
  failure.interval = accumulation_.interval(*trigger);
  instance_.failure() = failure;
  return true;
}

/// Executes the assignments of the triggers that fired. They may read what they assign, through the equations
/// too, so they are repeated with the equations solved until no value changes. The round is one step for
/// zero crossings and conditions: each repetition leads from the values before to the new ones, and what
/// earlier repetitions gave has no effect.
bool EventIteration::assign(const Point& point) {
  handler_.restore_previous(instance_.values);
  zero_crossings_.get_decisions(decisions_);
  conditions_before_ = handler_.conditions_before();
  parameters_at_round_ = instance_.parameters;
  if (const auto failure = handler_.assignments().cyclic(handler_.fired(), point.time)) {
    instance_.failure() = *failure;
    return false;
  }
  // Where equations have no values because an assignment gave none, it is the cause.
  const auto fail = [&] {
    const auto invalid = handler_.assignments().invalid(point.time);
    if (invalid && (invalid->kind == FailureKind::NotFinite || invalid->kind == FailureKind::IntegerRange))
      instance_.failure() = *invalid;
    return false;
  };
  // An assignment that depends on others, through equations, is right after as many repetitions.
  std::size_t most = ZeroCrossings::kIterations;
  for (std::size_t iteration = 0; iteration < most; ++iteration) {
    const bool again = iteration > 0;
    if (!assign_directly(point, again)) return settle(point);
    most = std::min<std::size_t>(most, handler_.assignments().executed() + 2);
    if (again) {
      zero_crossings_.set_decisions(decisions_);
      handler_.set_conditions_before(conditions_before_);
      std::ranges::copy(parameters_at_round_, instance_.parameters.begin());
    }
    if (!evaluate_inputs(point)) return fail();
    zero_crossings_.take_equations_changed();
    zero_crossings_.assigned(point, handler_.assignments().assigned(), handler_.changed());
    evaluated_ = Evaluated::Functions;
    if (!update(point, false, false)) evaluated_ = Evaluated::Consistent;
    if (!make_consistent(point, {}, Stage::Assigned)) return fail();
  }
  // Values that follow from an iteration may go on changing by rounding errors.
  if (!disagree_) return settle(point);
  // NaN equals nothing, so that an assignment of it never settles.
  const auto invalid = handler_.assignments().invalid(point.time);
  instance_.failure() = invalid && invalid->kind == FailureKind::NotFinite
                            ? *invalid
                            : handler_.failure(FailureKind::AssignmentsDisagree, point.time);
  return false;
}

/// The end of a round whose assignments no longer change.
bool EventIteration::settle(const Point& point) {
  if (const auto failure = handler_.assignments().invalid(point.time)) {
    instance_.failure() = *failure;
    return false;
  }
  if (!make_consistent(point, {}, Stage::Settled)) return false;
  if (!zero_crossings_.unresolvable()) return true;
  instance_.failure() = endless(point.time);
  return false;
}

/// Executes the assignments until those that read each other directly agree, without solving equations. A
/// value that is computed from the old value of another one is never used. Whether a value changed, or this
/// is the first execution.
bool EventIteration::assign_directly(const Point& point, bool again) {
  bool any = !again;
  disagree_ = false;
  for (int repetition = 0; repetition < ZeroCrossings::kIterations; ++repetition) {
    const bool changed = handler_.assign(point, instance_.nominal, again || repetition > 0);
    any = any || changed;
    disagree_ = disagree_ || handler_.assignments().disagree();
    if ((!changed && (again || repetition > 0)) || !handler_.reads_assigned()) break;
  }
  return any;
}

std::optional<Failure> EventIteration::count_close(double time, double range, double stop, bool advances,
                                                   CloseSequences& sequences) {
  CloseEvents& sequence = only_ticked_ ? sequences.ticks : sequences.events;
  if (advances && sequence.begins(time, range)) {
    if (!only_ticked_) counts_.clear();
    return std::nullopt;
  }
  if (sequence.add()) return std::nullopt;
  Failure failure{.kind = FailureKind::EndlessEvents, .time = time};
  if (only_ticked_) {
    const auto clock = handler_.clocks().endless(stop, instance_.parameters);
    if (!clock) return std::nullopt;
    failure.triggers.push_back(*clock);
  } else {
    failure = endless_sequence(time);
  }
  failure.events = sequence.count;
  failure.step = time - sequence.begin;
  return failure;
}

Failure EventIteration::endless_sequence(double time) {
  const ZeroCrossingFunctions& functions = zero_crossings_.functions();
  std::vector<std::uint32_t> crossings = counts_.crossings();
  const std::vector<std::uint32_t> triggers = counts_.triggers();
  // Where nothing changes, an instant was one at which something might have.
  if (crossings.empty() && triggers.empty())
    if (const auto f = time_events_.most_touches())
      for (std::uint32_t k = 0; k < functions.size(); ++k)
        if (functions.time_function(k) == *f) crossings.push_back(k);
  Failure failure = zero_crossings_.endless(instance_.point(time), crossings);
  failure.triggers = triggers;
  for (const Clock& clock : instance_.model.events.clocks)  // their ticks belong to another sequence
    std::erase(failure.triggers, clock.trigger);
  return failure;
}

Failure EventIteration::endless(double time) {
  Failure failure = zero_crossings_.endless(instance_.point(time));
  if (!handler_.empty()) failure.triggers = handler_.failure(FailureKind::EndlessEvents, time).triggers;
  return failure;
}

}  // namespace runtime
