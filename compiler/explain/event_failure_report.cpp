#include "compiler/explain/event_failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "compiler/explain/failure_names.h"
#include "compiler/explain/feedback.h"
#include "compiler/pipeline/cyclic_assignments.h"

namespace sigrel::explain {
namespace {

using runtime::FailureKind;

// Of a thousand events that change back at once, the first and the last are no further apart than this part
// of the time.
constexpr double kChatter = 1e-11;

class EventReport : FailureNames {
 public:
  EventReport(const FailureContext& context, const runtime::Outcome& outcome, Diagnostics& diagnostics)
      : FailureNames(context, outcome), diagnostics_(diagnostics) {}

  void write() {
    switch (f_.kind) {
      case FailureKind::EndlessEvents: return endless_events();
      case FailureKind::AssignmentsDisagree: return assignments_disagree();
      case FailureKind::AssignmentsConflict: return assignments_conflict();
      case FailureKind::AssignmentLost: return assignment_lost();
      case FailureKind::IntegerRange: return integer_range();
      case FailureKind::NotFinite: return not_finite();
      case FailureKind::UndefinedCondition: return undefined_condition();
      case FailureKind::BadClock: return bad_clock();
      default: return;  // is_event_failure
    }
  }

 private:
  Origin trigger_origin(std::uint32_t trigger) const { return c_.system.events.triggers[trigger].origin; }
  Span trigger_span(std::uint32_t trigger) const { return span_of(trigger_origin(trigger)); }
  std::string trigger_instance(std::uint32_t trigger) const {
    return system::describe_origin(c_.system, trigger_origin(trigger));
  }

  void bad_clock() {
    const runtime::Clock& clock =
        *std::ranges::find(c_.plan.model.events.clocks, f_.triggers[0], &runtime::Clock::trigger);
    Diagnostic& d = diagnostics_.report(Code::ClockSettings, trigger_span(f_.triggers[0]),
                                        "this clock has invalid settings");
    if (!f_.parameters.empty()) {
      const auto [parameter, value] = f_.parameters[0];
      const std::string_view name = parameter == clock.period   ? "period"
                                    : parameter == clock.offset ? "offset"
                                    : parameter == clock.start  ? "start"
                                                                : "stop";
      d.label(fmt::format("its {} is {}", name, number(value)));
    }
    d.note(
         "the period must be positive and above the rounding error of the time, the other settings finite "
         "numbers, and jitter must not change the order of the ticks")
        .note(trigger_instance(f_.triggers[0]));
  }

  void assignments_disagree() {
    const std::string when = " at t = " + seconds(f_.time);
    if (!f_.assignments.empty()) {
      keep(pipeline::report_cyclic_assignments(c_.system, c_.dae, f_.assignments, when, diagnostics_));
      return;
    }
    Diagnostic& d = diagnostics_.report(Code::AssignmentsDisagree, trigger_span(f_.triggers[0]),
                                        "assignments" + when + " depend on their own results");
    std::string names;
    for (const runtime::FailedVariable& v : f_.variables)
      names += (names.empty() ? "" : ", ") + variable(v.variable);
    d.label("this assigns " + names);
    d.note("an assigned value depends on itself through equations: `pre x` is the value before the event");
    d.help("write `pre` where the value before the event is meant");
    keep(d);
  }

  /// The origin of the value of an assigned value, by the number of its assignment.
  Origin origin_of_assignment(std::uint32_t assignment) const {
    return dae::origin(c_.dae.values, assignment);
  }

  /// Whether a clock, and no condition, executes the assignment.
  bool is_clock(std::uint32_t assignment) const {
    return c_.system.events.triggers[c_.plan.model.events.assignments[assignment].trigger].kind ==
           system::Trigger::Every;
  }

  void assignments_conflict() {
    const Span first = span_of(origin_of_assignment(f_.assignments[0]));
    const Origin second = origin_of_assignment(f_.assignments[1]);
    Diagnostic& d = diagnostics_.report(Code::AssignmentsConflict, span_of(second),
                                        fmt::format("{} is assigned different values at t = {}",
                                                    variable(f_.variables[0].variable), seconds(f_.time)));
    d.label("this assigns " + value(f_.variables[1]))
        .also(first, "and this assigns " + value(f_.variables[0]));
    if (const std::string instance = system::instance_name(c_.system, second.instance); !instance.empty())
      d.note("in `" + instance + "`");
    const int clocks = is_clock(f_.assignments[0]) + is_clock(f_.assignments[1]);
    d.note(fmt::format("{} in the same round, and assignments of a round are simultaneous",
                       clocks == 0   ? "both conditions became true"
                       : clocks == 1 ? "the clock ticked and the condition became true"
                                     : "both clocks ticked"));
    const std::string v = variable(f_.variables[0].variable);
    if (clocks == 0)
      d.help("write one of them as `elsewhen` of the other: the first branch that fires is executed");
    else if (clocks == 1)
      d.help("assign " + v +
             " at the clock only, and choose the value there by the condition: "
             "`x := if c then a else b`");
    else
      d.help("let the clocks tick at different times, by `offset`, or assign " + v + " at one of them only");
    keep(d);
  }

  /// Two assignments of one round that each start from the value before it: counts, or toggles of a Bool.
  void assignment_lost() {
    const Origin second = origin_of_assignment(f_.assignments[1]);
    const std::string v = variable(f_.variables[0].variable);
    Diagnostic& d = diagnostics_.report(
        Code::AssignmentsConflict, span_of(second),
        fmt::format("one of two assignments of one round to {} is lost at t = {}", v, seconds(f_.time)));
    d.label("this assigns " + value(f_.variables[1]));
    if (const Origin first = origin_of_assignment(f_.assignments[0]); first.source != second.source)
      d.also(span_of(first), "and this assigns " + value(f_.variables[0]) + ", too");
    const std::string one =
        system::instance_name(c_.system, origin_of_assignment(f_.assignments[0]).instance);
    const std::string other = system::instance_name(c_.system, second.instance);
    if (one != other) d.note(fmt::format("in `{}` and in `{}`", one, other));
    d.note(
        "each starts from the value before the round, and both come to the same: one after the other they "
        "would "
        "have counted twice");
    d.help("let each assign a variable of its own, and combine these where the result is read");
    d.help("if such an instant is to count once, write one `when` with all conditions: `when a, b do`");
    keep(d);
  }

  /// An Int that may have been rounded: the value of an assignment, or something in it, which makes the value
  /// infinite (reduce/value_guards.h).
  void integer_range() {
    const runtime::FailedVariable& v = f_.variables[0];
    const Origin origin = origin_of_assignment(f_.assignments[0]);
    const bool intermediate = std::isinf(v.value);
    Diagnostic& d = diagnostics_.report(
        Code::IntegerOverflow, span_of(origin),
        intermediate ? fmt::format("an intermediate result for {} is too large for an Int signal {}",
                                   variable(v.variable), when())
                     : fmt::format("{} is too large for an Int signal {}: {}", variable(v.variable), when(),
                                   number(v.value)));
    if (const std::string instance = system::instance_name(c_.system, origin.instance); !instance.empty())
      d.note("in `" + instance + "`");
    d.note("an Int signal is exact below 2^53 = 9007199254740992 in absolute value");
    d.help(intermediate ? "compute with smaller numbers, or with Reals where rounding is meant"
                        : "let it be a Real, or let it start anew, by `mod`, before it becomes so large");
    keep(d);
  }

  /// Variables that change in every round, because they depend on their own value in the round before.
  bool endless_rounds() {
    if (!f_.equations.empty() || !f_.triggers.empty() || f_.variables.empty()) return false;
    const std::uint32_t v = f_.variables[0].variable;
    const std::uint32_t equation = v < c_.dae.assign.size() ? c_.dae.assign[v] : dae::kNone;
    const Span span = equation != dae::kNone
                          ? span_of(origin_of(equation))
                          : system::unknown_info(c_.system, c_.dae.variables[v].unknown).span;
    Diagnostic& d = diagnostics_.report(Code::EndlessEvents, span,
                                        fmt::format("{} changes endlessly {}", variable(v), when()));
    d.label("the result of each round changes that of the next one");
    if (f_.variables.size() > 1) d.note("with " + variables(4, true));
    d.note("`pre x` in an equation is the value of the round before; rounds continue until it equals `x`");
    d.help("let the equation have a value that it keeps, as a latch has: `q = s || (not r && pre q)`");
    keep(d);
    return true;
  }

  /// The places to name: triggers that drive a zero crossing first, as they are more informative than it,
  /// then the equations that do, or, where none does, what has changed.
  std::vector<Origin> endless_places() const {
    if (f_.equations.empty()) {
      std::vector<Origin> places;
      for (const std::uint32_t t : f_.triggers) places.push_back(trigger_origin(t));
      return places;
    }
    const Drivers drivers = find_drivers(c_.plan.model, f_);
    std::vector<Origin> places;
    for (const std::uint32_t t : drivers.triggers) places.push_back(trigger_origin(t));
    for (const std::uint32_t e : drivers.equations)
      if (known(e)) places.push_back(origin_of(e));
    if (places.empty()) places.push_back(crossing_origin(f_.equations[0].equation));
    return places;
  }

  Origin crossing_origin(std::uint32_t number) const {
    const dae::ZeroCrossing* crossing = c_.dae.zero_crossings.data();
    for (; number >= crossing->differences.rows(); ++crossing)
      number -= static_cast<std::uint32_t>(crossing->differences.rows());
    return crossing->differences.origins[number];
  }

  void endless_events() {
    if (endless_rounds()) return;
    // Events that follow each other, at intervals that are not those of rounding.
    const bool closer = f_.interval > 0;
    const bool sequence = closer || (f_.events > 0 && f_.step > kChatter * std::abs(f_.time));
    const std::uint32_t rounds = closer || sequence || f_.step > 0 ? 0 : f_.events;
    const std::string message =
        f_.initial ? "conditions contradict each other at the start"
        : closer   ? "events follow each other ever more closely until t = " + seconds(f_.time)
        : sequence ? "events follow each other too closely at t = " + seconds(f_.time)
                   : "conditions change endlessly at t = " + seconds(f_.time);
    const std::vector<Origin> places = endless_places();
    Diagnostic& d = places.empty() ? diagnostics_.report(Code::EndlessEvents, message)
                                   : diagnostics_.report(Code::EndlessEvents, span_of(places[0]), message);
    if (!places.empty()) {
      std::string instance = system::instance_name(c_.system, places[0].instance);
      d.label((sequence     ? "most of the events come from here"
               : rounds > 0 ? "a condition here becomes true again and again"
                            : "a condition here changes back as soon as it has changed") +
              (instance.empty() ? std::string() : ", in `" + instance + "`"));
    }
    // Handlers that make each other's conditions true.
    for (std::size_t p = 1; p < std::min<std::size_t>(places.size(), 3); ++p)
      if (places[p].source != places[0].source) d.also(span_of(places[p]), "and here");
    if (closer)
      d.note(
          fmt::format("{} events, each after a shorter time than the one before; the last one after {:.3g} s",
                      f_.events, f_.interval));
    else if (rounds > 0)
      d.note(fmt::format("after {} rounds at this instant", rounds));
    else if (sequence)
      d.note(fmt::format("{} events in the last {:.3g} s", f_.events, f_.step));
    if (!f_.variables.empty()) d.note("with " + variables(4, true));
    const bool handled = std::ranges::any_of(
        f_.triggers, [&](std::uint32_t t) { return trigger_origin(t).source == places[0].source; });
    // Where nothing crosses zero, a clock that ticks too often (runtime::Clocks::endless).
    const bool clock = f_.equations.empty() && !f_.triggers.empty() &&
                       std::ranges::all_of(f_.triggers, [&](std::uint32_t t) {
                         return c_.system.events.triggers[t].kind == system::Trigger::Every;
                       });
    d.help(
        clock ? "the simulation would have more than 10^12 ticks: give the clock a longer period"
        : sequence || handled
            ? "let a condition end the sequence, as a ball comes to rest after its last bounce; dry "
              "friction, "
              "`sign v`, is `dryFriction` of the library, which sticks, or smooth, `tanh (v / 1.0e-3)`; "
              "`noEvent` makes a comparison no event"
            : "add hysteresis, or make the transition smooth: `tanh (v / 1.0e-3)` for the `sign v` of a "
              "friction that comes to rest, or `dryFriction` of the library, which sticks; larger losses for "
              "ideal switches and diodes; `noEvent` makes a comparison no event");
    keep(d);
  }

  /// The value of an assignment is NaN or infinite.
  void not_finite() {
    const Origin origin = origin_of_assignment(f_.assignments[0]);
    const std::string instance = system::instance_name(c_.system, origin.instance);
    Diagnostic& d = diagnostics_.report(
        Code::NotFinite, span_of(origin),
        fmt::format("{} is assigned no finite value {}", variable(f_.variables[0].variable), when()));
    d.label("this gives " + number(f_.variables[0].value) +
            (instance.empty() ? "" : ", in `" + instance + "`"));
    d.help(
        "check for a division by zero, also by `div` or `mod`, a root or logarithm of a negative number, or "
        "an "
        "overflow");
    keep(d);
  }

  void undefined_condition() {
    Diagnostic& d = diagnostics_.report(Code::NotFinite, trigger_span(f_.triggers[0]),
                                        "a condition has no value " + when());
    if (const std::string instance = trigger_instance(f_.triggers[0]); !instance.empty()) d.note(instance);
    d.note(std::string(kNoValueOfIntegers));
    d.help("exclude it first: what follows `n /= 0 && …` is not needed where `n` is zero");
    keep(d);
  }

  Diagnostics& diagnostics_;
};

}  // namespace

bool is_event_failure(const runtime::Failure& failure) {
  switch (failure.kind) {
    case FailureKind::EndlessEvents:
    case FailureKind::AssignmentsDisagree:
    case FailureKind::AssignmentsConflict:
    case FailureKind::AssignmentLost:
    case FailureKind::IntegerRange:
    case FailureKind::UndefinedCondition:
    case FailureKind::BadClock: return true;
    case FailureKind::NotFinite: return !failure.assignments.empty();
    default: return false;
  }
}

void report_event_failure(const FailureContext& context, const runtime::Outcome& outcome,
                          Diagnostics& diagnostics) {
  EventReport(context, outcome, diagnostics).write();
}

}  // namespace sigrel::explain
