#include "compiler/session/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/singularity/singular_system.h"

namespace sigrel::session {
namespace {

using runtime::Failure;
using runtime::FailureKind;

std::string number(double value) {
  if (std::isnan(value)) return "no number";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return fmt::format("{:.6g}", value);
}
std::string counted(std::uint64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}
std::string seconds(double value) { return fmt::format("{:.9g} s", value); }

class Report {
 public:
  Report(const FailureContext& context, const runtime::Outcome& outcome, Diagnostics& diagnostics)
      : c_(context), outcome_(outcome), f_(outcome.failure), diagnostics_(diagnostics) {}

  void write() {
    switch (f_.kind) {
      case FailureKind::None: return;
      case FailureKind::LoopNotConverged:
      case FailureKind::LoopSingular: return loop();
      case FailureKind::StartContradicts: {
        std::vector<singularity::Contradiction> found;
        for (const runtime::FailedEquation& e : f_.equations) found.push_back({e.equation, e.residual});
        return singularity::report_overdetermined_start(c_.system, c_.dae, c_.plan, found, diagnostics_);
      }
      case FailureKind::ZeroPivot: return zero_pivot();
      case FailureKind::NotFinite: return not_finite();
      case FailureKind::ErrorTest:
      case FailureKind::Convergence:
      case FailureKind::NoProgress: return no_progress();
      case FailureKind::ToleranceTooSmall:
        keep(
            diagnostics_
                .report(Code::BadExperiment,
                        "the tolerance is too small for this model at t = " + seconds(f_.time))
                .note(
                    "numbers have about 16 digits; near that, a step sees rounding errors instead of its own")
                .help("choose a larger `tolerance`"));
        return;
      case FailureKind::TooDense:
        keep(diagnostics_
                 .report(Code::SolverDoesNotFit, "the solver `" + c_.solver + "` does not fit this model")
                 .note("it works on explicit equations for the derivatives, and here each of them depends on "
                       "so many states "
                       "that their Jacobian does not fit into memory")
                 .help("use `ida`, or leave the choice of the solver to Sigrel"));
        return;
      case FailureKind::BadExperiment:
        diagnostics_
            .report(Code::BadExperiment, "the settings of the experiment do not make sense" +
                                             (f_.error.empty() ? std::string() : ": " + f_.error))
            .help("`stop` is after `start`, and `tolerance` is a positive number below 1");
        return;
      case FailureKind::StatesLost: return states_lost();
      case FailureKind::Assertion: return assertion();
      case FailureKind::EndlessEvents: return endless_events();
      case FailureKind::AssignmentsDisagree: return assignments_disagree();
      case FailureKind::BadClock: {
        Diagnostic& d = diagnostics_.report(Code::ClockSettings, trigger_span(f_.triggers[0]),
                                            "this clock cannot tick as it is set");
        d.note("its period is a positive number, and with their jitter its ticks must stay in order")
            .note(trigger_instance(f_.triggers[0]));
        return;
      }
      case FailureKind::BadDelay: {
        const runtime::FailedParameter& length = f_.parameters[0];
        auto delay = std::ranges::find(c_.system.delays, length.parameter, &system::Delay::length);
        Diagnostic& d = diagnostics_.report(Code::DelayLength, c_.system.sources[delay->origin.source].span,
                                            fmt::format("this delay would be {:.6g} s long", length.value));
        const std::string instance = system::instance_name(c_.system, delay->origin.instance);
        d.note("a delay is longer than zero: what it gives is known before what it delays")
            .note(instance.empty() ? "" : "in `" + instance + "`");
        return;
      }
      case FailureKind::Output:
        diagnostics_
            .report(Code::ResultNotWritten,
                    "the results cannot be written" + (f_.path.empty() ? "" : " to `" + f_.path + "`"))
            .note(f_.error)
            .note(f_.kept_rows > 0
                      ? fmt::format("the {} rows up to t = {} are kept", f_.kept_rows, seconds(f_.kept_until))
                      : std::string("nothing could be kept"));
        return;
      case FailureKind::Internal: return;  // a bug of ours: the caller aborts
    }
  }

 private:
  std::string variable(std::uint32_t v) const { return "`" + dae::variable_name(c_.system, c_.dae, v) + "`"; }

  Origin origin_of(std::uint32_t equation) const {
    std::size_t dynamic = c_.dae.equations.count();
    return equation < dynamic ? dae::origin(c_.dae.equations, equation)
                              : dae::origin(c_.dae.initial, equation - static_cast<std::uint32_t>(dynamic));
  }
  bool known(std::uint32_t equation) const {
    return equation < c_.dae.equations.count() + c_.dae.initial.count();
  }

  std::string where(std::uint32_t equation) const {
    return system::describe_origin(c_.system, origin_of(equation));
  }

  /// Reports at the worst equation; the others are secondary.
  Diagnostic& at_equations(Code code, const std::string& message, bool residuals) {
    std::vector<std::uint32_t> shown;
    for (const runtime::FailedEquation& e : f_.equations)
      if (known(e.equation) && shown.size() < 3) shown.push_back(e.equation);
    if (shown.empty()) return diagnostics_.report(code, message);
    auto label = [&](std::uint32_t equation) {
      double residual = 0;
      for (const runtime::FailedEquation& e : f_.equations)
        if (e.equation == equation) residual = e.residual;
      std::string instance = system::instance_name(c_.system, origin_of(equation).instance);
      std::string text =
          residuals && residual != 0
              ? fmt::format("{} by {}", singularity::sides_differ(c_.dae, equation), number(residual))
              : "";
      if (!instance.empty()) text += (text.empty() ? "in `" : ", in `") + instance + "`";
      return text;
    };
    auto span = [&](std::uint32_t equation) { return c_.system.sources[origin_of(equation).source].span; };
    Diagnostic& d = diagnostics_.report(code, span(shown[0]), message).label(label(shown[0]));
    for (std::size_t i = 1; i < shown.size(); ++i)
      if (span(shown[i]) != span(shown[0])) d.also(span(shown[i]), label(shown[i]));
    std::size_t n = shown.size();
    for (const runtime::Follower& f : f_.followers)
      if (known(f.equation) && n < 3 && span(f.equation) != span(shown[0])) {
        d.also(span(f.equation), "gives " + variable(f.variable));
        ++n;
      }
    return d;
  }

  /// Reports at the declaration of the variable that stands out most.
  Diagnostic& at_variable(Code code, const std::string& message) {
    std::uint32_t unknown = c_.dae.variables[f_.variables[0].variable].unknown;
    Diagnostic& d = diagnostics_.report(code, system::unknown_info(c_.system, unknown).span, message)
                        .label(variable(f_.variables[0].variable) + " = " + number(f_.variables[0].value) +
                               " changes fastest there");
    if (f_.variables.size() > 1) d.note("the variables with the largest errors are " + variables(3, true));
    return d;
  }

  std::string variables(std::size_t limit, bool values) const {
    std::string text;
    std::size_t n = std::min(limit, f_.variables.size());
    for (std::size_t i = 0; i < n; ++i)
      text += (i ? ", " : "") + variable(f_.variables[i].variable) +
              (values ? " = " + number(f_.variables[i].value) : "");
    std::size_t all = std::max<std::size_t>(f_.unknowns, f_.variables.size());
    if (all > n) text += fmt::format(" and {} more", all - n);
    return text;
  }

  void states_lost() {
    Diagnostic& d = at_equations(Code::StatesLost,
                                 fmt::format("the states do not determine {} any more, at t = {}",
                                             variables(3, false), seconds(f_.time)),
                                 false);
    if (d.primary)
      d.label(d.primary->text + (d.primary->text.empty() ? "" : ", ") +
              "of two solutions that meet here, nothing tells which one goes on");
    for (const system::Attribute& a : c_.system.attributes) {
      if (a.kind != system::AttributeKind::StatePreference) continue;
      if (double preference = c_.system.parameters[a.parameter].value; std::abs(preference) < 2) continue;
      d.note(fmt::format("`{}` has `state = {}`, so the choice of states is not made again",
                         system::unknown_name(c_.system, a.unknown),
                         c_.system.parameters[a.parameter].value > 0 ? "Always" : "Never"));
      break;
    }
    keep(d.help("with `state = Prefer` or `Avoid` the choice follows the motion"));
  }

  /// "block of 4 unknowns: `x` = 1, `y` = 2, from which follow `z` = 3 and 1 more"
  std::string block() const {
    std::string text = "block of " + counted(f_.unknowns + f_.inner, "unknown") + ": " + variables(6, true);
    const std::size_t n = std::min<std::size_t>(f_.followers.size(), 4);
    for (std::size_t i = 0; i < n; ++i)
      text += (i        ? ", "
               : n == 1 ? ", from which follows "
                        : ", from which follow ") +
              variable(f_.followers[i].variable) + " = " + number(f_.followers[i].value);
    if (f_.inner > n) text += fmt::format(" and {} more", f_.inner - n);
    return text;
  }

  void loop() {
    bool singular = f_.kind == FailureKind::LoopSingular;
    if (singular && f_.linear) return dependent();
    Code code = f_.initial ? Code::InitialValuesNotFound : Code::LoopNotSolved;
    std::string message =
        f_.initial ? "the initial values could not be found"
                   : "a simultaneous block of equations could not be solved at t = " + seconds(f_.time);
    Diagnostic& d = at_equations(code, message, true);
    d.note(block());
    if (singular && !f_.variables.empty())
      d.note("its equations do not determine " + variable(f_.variables[0].variable) +
             " at this point: their derivatives depend on each other");
    else if (!singular)
      d.note("Newton's method gave up after " + counted(f_.iterations, "iteration"));
    std::string unguessed;
    int n = 0;
    if (f_.initial)
      for (const runtime::FailedVariable& v : f_.variables)
        if (c_.plan.model.start_of(v.variable) == runtime::kNone && n < 4)
          unguessed += (n++ ? ", " : "") + variable(v.variable);
    if (f_.initial && singular && !c_.plan.guessed_states.empty())
      d.help(
          "the start of " + variable(c_.plan.guessed_states.front()) +
          " was taken from its guess, because nothing says where it is; an initial equation or a guess for " +
          variable(f_.variables[0].variable) + " may be what is missing");
    else if (n > 0)
      d.help(unguessed + (n == 1 ? " starts" : " start") +
             " from 0.0, because no guess is given; a guess near the expected value usually helps");
    else if (f_.initial)
      d.help("other guesses, nearer to the expected values, may help");
    keep(d);
  }

  /// Linear equations: no guess helps.
  void dependent() {
    const std::string when = f_.initial ? "at the start" : "at t = " + seconds(f_.time);
    if (f_.unknowns + f_.inner == 1 && !f_.variables.empty()) {
      const std::string v = variable(f_.variables[0].variable);
      Diagnostic& d = at_equations(Code::LinearBlockSingular,
                                   fmt::format("an equation does not determine {} {}", v, when), false);
      d.note(fmt::format(
          "the other equations leave it to this one to give {}, and there its coefficient is 0", v));
      d.help("look for parameters, values of other variables or conditions for which it drops out");
      return keep(d);
    }
    Diagnostic& d =
        at_equations(Code::LinearBlockSingular, "linear equations depend on each other " + when, true);
    d.note(block());
    if (!f_.variables.empty())
      d.note("with the present coefficients they contradict each other, or leave " +
             variable(f_.variables[0].variable) + " open");
    d.help(
        "look for parameters, or values of other variables, for which one of the equations says the same as "
        "the others");
    keep(d);
  }

  void zero_pivot() {
    const std::uint32_t v = f_.variables[0].variable;
    Diagnostic& d = at_equations(Code::ZeroPivot,
                                 "an equation no longer gives " + variable(v) + ": its coefficient is " +
                                     number(std::fabs(f_.equations[0].residual)),
                                 false);
    std::string values;
    for (const runtime::FailedParameter& p : f_.parameters)
      for (const system::NamedParameter& named : c_.system.named_parameters)
        if (named.parameter == p.parameter)
          values += fmt::format("{}`{}` = {}", values.empty() ? "" : ", ", named.name, number(p.value));
    if (!values.empty()) d.note("there " + values);
    d.note(
        fmt::format("a block of {} is solved with this equation for {}, because the model was compiled with "
                    "other parameter values",
                    counted(f_.unknowns + f_.inner, "unknown"), variable(v)));
    d.help("compile the model with these values: then it is solved in another way");
    keep(d);
  }

  void assertion() {
    Origin origin = dae::origin(c_.dae.assertions, f_.equations[0].equation);
    const system::SourceEquation& source = c_.system.sources[origin.source];
    std::string instance = system::instance_name(c_.system, origin.instance);
    Diagnostic& d = diagnostics_.report(Code::AssertionFailed, source.span, text(source.component))
                        .label("this is false at t = " + seconds(f_.time) +
                               (instance.empty() ? "" : ", in `" + instance + "`"));
    if (!f_.variables.empty()) d.note("there " + variables(6, true));
    keep(d);
  }

  Origin trigger_origin(std::uint32_t trigger) const { return c_.system.events.triggers[trigger].origin; }
  Span trigger_span(std::uint32_t trigger) const {
    return c_.system.sources[trigger_origin(trigger).source].span;
  }
  std::string trigger_instance(std::uint32_t trigger) const {
    return system::describe_origin(c_.system, trigger_origin(trigger));
  }

  void assignments_disagree() {
    Diagnostic& d = diagnostics_.report(Code::AssignmentsDisagree, trigger_span(f_.triggers[0]),
                                        "what happens at t = " + seconds(f_.time) + " needs its own result");
    std::string names;
    for (const runtime::FailedVariable& v : f_.variables)
      names += (names.empty() ? "" : ", ") + variable(v.variable);
    d.label("this assigns " + names);
    d.note(
        "all that is assigned at one instant is assigned at once: a plain name is the value after it, `pre "
        "x` the value before");
    d.help("write `pre` where the value before the event is meant");
    keep(d);
  }

  void endless_events() {
    std::string message = f_.initial ? "conditions contradict each other at the start"
                                     : "conditions change without end at t = " + seconds(f_.time);
    std::vector<Origin> origins;
    for (const runtime::FailedEquation& e : f_.equations) {
      std::uint32_t row = e.equation;
      for (const dae::ZeroCrossing& r : c_.dae.zero_crossings) {
        if (row < r.differences.rows()) {
          origins.push_back(r.differences.origins[row]);
          break;
        }
        row -= static_cast<std::uint32_t>(r.differences.rows());
      }
    }
    // What fired says more than what it compares.
    for (std::size_t k = 0; k < f_.triggers.size(); ++k)
      origins.insert(origins.begin() + static_cast<std::ptrdiff_t>(k), trigger_origin(f_.triggers[k]));
    Diagnostic& d = origins.empty() ? diagnostics_.report(Code::EndlessEvents, message)
                                    : diagnostics_.report(Code::EndlessEvents,
                                                          c_.system.sources[origins[0].source].span, message);
    if (!origins.empty()) {
      std::string instance = system::instance_name(c_.system, origins[0].instance);
      d.label("a condition in this changes again as soon as it has changed" +
              (instance.empty() ? "" : ", in `" + instance + "`"));
    }
    if (!f_.variables.empty()) d.note("there " + variables(4, true));
    d.help(
        "let it change back only at another value (a hysteresis), or pass smoothly from one case to the "
        "other; `noEvent` makes it no event");
    keep(d);
  }

  void not_finite() {
    std::string message = f_.initial ? "an equation gives no finite number at the start"
                                     : "an equation gives no finite number at t = " + seconds(f_.time);
    Diagnostic& d = at_equations(Code::NotFinite, message, false);
    if (!f_.variables.empty()) d.note("there " + variables(4, true));
    d.help("look for a division by zero, a root or logarithm of a negative number, or an overflow" +
           std::string(f_.initial ? "; a guess or another initial value may avoid it" : ""));
    keep(d);
  }

  void no_progress() {
    std::string message = "the integration does not get beyond t = " + seconds(f_.time);
    Diagnostic& d = f_.variables.empty() ? at_equations(Code::NoProgress, message, false)
                                         : at_variable(Code::NoProgress, message);
    switch (f_.kind) {
      case FailureKind::ErrorTest:
        d.note("no step, down to " + seconds(f_.step) + ", meets the tolerance");
        break;
      case FailureKind::Convergence:
        d.note("the equations of a step, down to one of " + seconds(f_.step) + ", could not be solved");
        break;
      default: d.note("the steps became as small as " + seconds(f_.step)); break;
    }
    d.help(
        "a value that grows without bound or jumps at this time stops any solver; look at these variables "
        "shortly before");
    keep(d);
  }

  void keep(Diagnostic& d) const {
    if (!c_.kept_results.empty() && !f_.initial)
      d.note("results up to t = " + seconds(outcome_.reached) + " are kept in " + c_.kept_results);
  }

  const FailureContext& c_;
  const runtime::Outcome& outcome_;
  const Failure& f_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_failure(const FailureContext& context, const runtime::Outcome& outcome,
                    Diagnostics& diagnostics) {
  Report(context, outcome, diagnostics).write();
}

bool refuse_delays(const system::System& system, const char* what, Diagnostics& diagnostics) {
  if (system.delays.empty()) return false;
  const Origin origin = system.delays[0].origin;
  const std::string instance = system::instance_name(system, origin.instance);
  diagnostics
      .report(Code::DelayWithoutPast, system.sources[origin.source].span,
              fmt::format("{} is not computed of a model with delays", what))
      .label("what this gives depends on the past" + (instance.empty() ? "" : ", in `" + instance + "`"))
      .note(
          "between the present states and their derivatives there is no function then, of which a matrix or "
          "a zero could be found")
      .help("replace the delay for this purpose, for example by `Blocks.padeDelay`");
  return true;
}

void note_end(const system::System& system, std::uint32_t trigger, double time, Diagnostics& diagnostics) {
  const Origin origin = system.events.triggers[trigger].origin;
  const std::string instance = system::instance_name(system, origin.instance);
  diagnostics
      .report(Code::Terminated, system.sources[origin.source].span,
              "the model ended the run at t = " + seconds(time))
      .label("this became true" + (instance.empty() ? "" : ", in `" + instance + "`"));
}

}  // namespace sigrel::session
