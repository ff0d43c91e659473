#include "compiler/explain/failure_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/explain/dependence_report.h"
#include "compiler/explain/event_failure_report.h"
#include "compiler/explain/failure_names.h"
#include "compiler/explain/start_report.h"
#include "compiler/singularity/singular_system.h"
#include "compiler/singularity/source_names.h"
#include "compiler/singularity/wording.h"
#include "runtime/solve/schedule.h"

namespace sigrel::explain {
namespace {

using runtime::FailureKind;

class Report : FailureNames {
 public:
  Report(const FailureContext& context, const runtime::Outcome& outcome, Diagnostics& diagnostics)
      : FailureNames(context, outcome), diagnostics_(diagnostics) {}

  void write() {
    switch (f_.kind) {
      case FailureKind::None: return;
      case FailureKind::LoopNotConverged:
      case FailureKind::LoopSingular: return loop();
      case FailureKind::BranchEnds: return branch_ends();
      case FailureKind::StartUndetermined: return report_undetermined_start(c_, f_, diagnostics_);
      case FailureKind::StartContradicts: {
        std::vector<singularity::Contradiction> found;
        for (const runtime::FailedEquation& e : f_.dependent ? f_.violated : f_.equations)
          found.push_back({e.equation, e.residual});
        if (f_.dependent && (found.empty() || numbers_blame_fewer(found)))
          return report_contradicting_start(c_, f_, diagnostics_);
        return singularity::report_overdetermined_start(c_.system, c_.dae, c_.plan, found, diagnostics_);
      }
      case FailureKind::ZeroPivot: return zero_pivot();
      case FailureKind::NotFinite: return not_finite();
      case FailureKind::ErrorTest:
      case FailureKind::Convergence:
      case FailureKind::NoProgress: return no_progress();
      case FailureKind::ToleranceTooSmall:
        keep(diagnostics_
                 .report(Code::BadExperiment,
                         "the tolerance is too small for this model at t = " + seconds(f_.time))
                 .note("double precision has about 16 digits: at this tolerance rounding errors dominate")
                 .help("choose a larger `tolerance`"));
        return;
      case FailureKind::TooDense:
        keep(diagnostics_
                 .report(Code::SolverDoesNotFit, "the solver `" + c_.solver + "` does not fit this model")
                 .note("it needs explicit equations for the derivatives, whose Jacobian is too dense for the "
                       "memory")
                 .help("use `ida`, or `auto`"));
        return;
      case FailureKind::QuantisedStateSet:
      case FailureKind::QuantisedDelay: return not_quantised();
      case FailureKind::BadExperiment:
        diagnostics_
            .report(Code::BadExperiment, "the settings of the experiment are invalid" +
                                             (f_.error.empty() ? std::string() : ": " + f_.error))
            .help(
                "`stop` must be after `start`, `tolerance` a positive number below 1, "
                "and `maxStep` positive");
        return;
      case FailureKind::StatesLost: return states_lost();
      case FailureKind::Assertion: return assertion();
      case FailureKind::EndlessEvents:
      case FailureKind::AssignmentsDisagree:
      case FailureKind::AssignmentsConflict:
      case FailureKind::AssignmentLost:
      case FailureKind::IntegerRange:
      case FailureKind::UndefinedCondition:
      case FailureKind::BadClock: return;  // is_event_failure
      case FailureKind::BadDelay: {
        const runtime::FailedParameter& length = f_.parameters[0];
        auto delay = std::ranges::find(c_.system.delays, length.parameter, &system::Delay::length);
        Diagnostic& d =
            diagnostics_.report(Code::DelayLength, c_.system.sources[delay->origin.source].span,
                                fmt::format("the length of this delay is {:.6g} s", length.value));
        const std::string instance = system::instance_name(c_.system, delay->origin.instance);
        d.note("the length of a delay must be positive");
        if (!instance.empty()) d.note("in `" + instance + "`");
        return;
      }
      case FailureKind::Output:
        diagnostics_
            .report(Code::ResultNotWritten,
                    "the results cannot be written" + (f_.path.empty() ? "" : " to `" + f_.path + "`"))
            .note(f_.error)
            .note(f_.kept_rows > 0
                      ? fmt::format("the {} rows up to t = {} are kept", f_.kept_rows, seconds(f_.kept_until))
                      : std::string("no rows were written"));
        return;
      case FailureKind::Structure: return;  // reported when it was found
      case FailureKind::Checkpoint:
        if (f_.initial)
          diagnostics_.report(Code::CheckpointUnusable, fmt::format("`{}` {}", f_.path, f_.error));
        else
          diagnostics_
              .report(Code::ResultNotWritten,
                      fmt::format("the checkpoint cannot be written to `{}`", f_.path))
              .note(f_.error)
              .help(
                  "the results and the checkpoint before this one are kept: `--continue` goes on from there");
        return;
      case FailureKind::Internal: return;  // a bug of Sigrel, which the session throws
    }
  }

 private:
  /// The model has what quantised states cannot integrate.
  void not_quantised() {
    const std::string message = "the solver `" + c_.solver + "` does not fit this model";
    if (f_.kind == FailureKind::QuantisedDelay) {
      auto delay = std::ranges::find(c_.system.delays, f_.parameters[0].parameter, &system::Delay::length);
      diagnostics_.report(Code::SolverDoesNotFit, c_.system.sources[delay->origin.source].span, message)
          .label("quantised states have no history for this delay")
          .help("use `auto`");
      return;
    }
    const std::uint32_t unknown = c_.dae.variables[f_.variables[0].variable].unknown;
    diagnostics_.report(Code::SolverDoesNotFit, system::unknown_info(c_.system, unknown).span, message)
        .label("states are selected anew during the run, among " + variables(3, false))
        .note("quantised states must be the same ones for the whole run")
        .help("use `auto`");
  }
  bool is_in_model(Span span) const { return span.file == c_.system.templates[0].span.file; }
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
        d.also(span(f.equation), "determines " + variable(f.variable));
        ++n;
      }
    // Of an equation in another file, such as the library: where the model uses its part.
    if (const auto part = singularity::SourceNames(c_.system).use_in_model(origin_of(shown[0]));
        part && !is_in_model(span(shown[0])))
      d.also(*part, "in this part");
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

  /// Of a start that contradicts itself: whether the combination of equations names fewer initial equations
  /// than structure does.
  bool numbers_blame_fewer(const std::vector<singularity::Contradiction>& violated) const {
    const auto dynamic = static_cast<std::uint32_t>(c_.dae.equations.count());
    const auto count = std::ranges::count_if(
        f_.equations, [&](const runtime::FailedEquation& e) { return e.equation >= dynamic; });
    return static_cast<std::size_t>(count) <
           singularity::overdetermined_start_size(c_.dae, c_.plan, violated);
  }

  void states_lost() {
    Diagnostic& d = at_equations(
        Code::StatesLost,
        fmt::format("the states no longer determine {} at t = {}", variables(3, false), seconds(f_.time)),
        false);
    if (d.primary)
      d.label(d.primary->text + (d.primary->text.empty() ? "" : ", ") +
              "two solutions meet here: the continuation is not unique");
    for (const system::Attribute& a : c_.system.attributes) {
      if (a.kind != system::AttributeKind::StatePreference) continue;
      if (double preference = c_.system.parameters[a.parameter].value; std::abs(preference) < 2) continue;
      d.note(fmt::format("`{}` has `state = {}`, so the selection of states is fixed",
                         system::unknown_name(c_.system, a.unknown),
                         c_.system.parameters[a.parameter].value > 0 ? "Always" : "Never"));
      break;
    }
    keep(d.help("with `state = Prefer` or `Avoid` the states are selected again during the run"));
  }

  /// "algebraic loop of 4 unknowns: `x` = 1, `y` = 2, which determine `z` = 3 and 1 more"
  std::string block() const {
    std::string text = "algebraic loop of " + singularity::counted(f_.unknowns + f_.inner, "unknown") + ": " +
                       variables(6, true);
    const std::size_t n = std::min<std::size_t>(f_.followers.size(), 4);
    for (std::size_t i = 0; i < n; ++i)
      text += (i                  ? ", "
               : f_.unknowns == 1 ? ", which determines "
                                  : ", which determine ") +
              variable(f_.followers[i].variable) + " = " + number(f_.followers[i].value);
    if (f_.inner > n) text += fmt::format(" and {} more", f_.inner - n);
    return text;
  }

  void loop() {
    bool singular = f_.kind == FailureKind::LoopSingular;
    if (singular && f_.linear)
      return contradicts_start() ? report_contradicting_start(c_, f_, diagnostics_) : dependent();
    Code code = f_.initial ? Code::InitialValuesNotFound : Code::LoopNotSolved;
    std::string message = f_.initial ? "the initial values could not be found"
                                     : "an algebraic loop could not be solved at t = " + seconds(f_.time);
    Diagnostic& d = at_equations(code, message, true);
    d.note(block());
    if (singular && !f_.variables.empty())
      d.note("the Jacobian is singular at this point: the equations do not determine " +
             variable(f_.variables[0].variable));
    else if (!singular)
      d.note("Newton's method did not converge in " + singularity::counted(f_.iterations, "iteration"));
    std::string unguessed;
    int n = 0;
    if (f_.initial)
      for (const runtime::FailedVariable& v : f_.variables)
        if (!has_guess(v.variable) && !is_computed(v.variable) && n < 4)
          unguessed += (n++ ? ", " : "") + variable(v.variable);
    if (f_.initial && singular && !c_.plan.guessed_states.empty())
      d.help("the initial value of " + variable(c_.plan.guessed_states.front()) +
             " was taken from its guess, because no equation determines it; an initial equation or a guess "
             "for " +
             variable(f_.variables[0].variable) + " may be missing");
    else if (n > 0)
      d.help(unguessed + (n == 1 ? " starts" : " start") +
             " from 0.0, because no guess is given; a guess near the expected value usually helps");
    else if (f_.initial)
      d.help("guesses nearer to the expected values may help");
    keep(d);
  }

  void branch_ends() {
    keep(at_equations(Code::LoopNotSolved,
                      "the solution of an algebraic loop ends at t = " + seconds(f_.time), false)
             .note(block())
             .note("the solution that the run has followed cannot be continued: it turns back in time there, "
                   "or meets another one")
             .help("a state that the model neglects, such as a small capacitance or mass, determines what "
                   "follows"));
  }

  /// Of its own, or from others (order/propagate_guesses.h).
  bool has_guess(std::uint32_t variable) const {
    const runtime::Model& model = c_.plan.model;
    return model.has_guess(variable) || std::ranges::any_of(model.initial, [&](const runtime::Step& step) {
             return step.kind == runtime::Step::Guess &&
                    runtime::solved_variable(model, model.batches[step.index], 0) == variable;
           });
  }

  /// Where the joints close.
  bool is_computed(std::uint32_t variable) const {
    const std::vector<std::uint8_t>& computed = c_.plan.model.start_is_computed;
    return !computed.empty() && computed[variable] != 0;
  }

  /// Whether linear equations contradict each other at the start, and initial ones are among them.
  bool contradicts_start() const {
    return f_.initial && f_.dependent && std::abs(f_.left_over) > f_.rounding &&
           std::ranges::any_of(f_.equations, [&](const runtime::FailedEquation& e) {
             return known(e.equation) && e.equation >= c_.dae.equations.count();
           });
  }

  /// Linear equations: better guesses do not help.
  void dependent() {
    if (Diagnostic* d = report_constrained_states(c_, f_, diagnostics_)) return keep(*d);
    if (f_.unknowns + f_.inner == 1 && !f_.variables.empty()) {
      const std::string v = variable(f_.variables[0].variable);
      Diagnostic& d = at_equations(Code::LinearBlockSingular,
                                   fmt::format("an equation does not determine {} {}", v, when()), false);
      d.note(fmt::format("the equation is solved for {}, whose coefficient is 0 there", v));
      d.help("check for parameters, values of other variables or conditions that make the coefficient 0");
      return keep(d);
    }
    if (Diagnostic* d = report_floating(c_, f_, diagnostics_)) return keep(*d);
    if (Diagnostic* d = report_massless(c_, f_, diagnostics_)) return keep(*d);
    Diagnostic& d =
        at_equations(Code::LinearBlockSingular, "linear equations are dependent " + when(), !f_.dependent);
    if (f_.dependent) combination(d);
    d.note(block());
    if (!f_.dependent && !f_.variables.empty())
      d.note("with the present coefficients they contradict each other, or do not determine " +
             variable(f_.variables[0].variable));
    if (std::ranges::any_of(f_.equations,
                            [&](const auto& e) { return dae::has_branches(c_.dae, e.equation); }))
      d.help(
          "conditions choose these equations: an ideal switch or diode needs small losses, a resistance "
          "while it "
          "conducts and a conductance while it blocks, such as those of `Electrical.switchingDiode`");
    else
      d.help(
          "check for parameters, or values of other variables, that make one of the equations a combination "
          "of "
          "the others");
    keep(d);
  }

  /// How dependent equations add up.
  void combination(Diagnostic& d) const {
    std::string factors;
    for (std::size_t k = 0; k < f_.equations.size(); ++k)
      factors += (k ? ", " : "") + number(f_.equations[k].residual);
    if (f_.dependent_equations > f_.equations.size())
      factors += fmt::format(" and {} more", f_.dependent_equations - f_.equations.size());
    const std::string sum = fmt::format("added up with the factors {}, {} leave no unknown", factors,
                                        singularity::counted(f_.dependent_equations, "equation"));
    if (std::abs(f_.left_over) > f_.rounding)
      d.note(fmt::format("{}, and their sides differ by {}: they contradict each other", sum,
                         number(std::abs(f_.left_over))));
    else
      d.note(sum + ": one of them follows from the others, and " +
             (f_.variables.empty() ? "the unknowns are" : variable(f_.variables[0].variable) + " is") +
             " not determined");
  }

  void zero_pivot() {
    const std::uint32_t v = f_.variables[0].variable;
    Diagnostic& d = at_equations(Code::ZeroPivot,
                                 "an equation no longer determines " + variable(v) + ": its coefficient is " +
                                     number(std::fabs(f_.equations[0].residual)),
                                 false);
    std::string values;
    for (const runtime::FailedParameter& p : f_.parameters)
      for (const system::NamedParameter& named : c_.system.named_parameters)
        if (named.parameter == p.parameter)
          values += fmt::format("{}`{}` = {}", values.empty() ? "" : ", ", named.name, number(p.value));
    if (!values.empty()) d.note("with " + values);
    d.note(
        fmt::format("an algebraic loop of {} solves this equation for {}, as selected by tearing for other "
                    "parameter values",
                    singularity::counted(f_.unknowns + f_.inner, "unknown"), variable(v)));
    d.help("compile the model with these values: tearing then selects another equation");
    keep(d);
  }

  void assertion() {
    Origin origin = dae::origin(c_.dae.assertions, f_.equations[0].equation);
    const system::SourceEquation& source = c_.system.sources[origin.source];
    std::string instance = system::instance_name(c_.system, origin.instance);
    const std::optional<Span> part = singularity::SourceNames(c_.system).use_in_model(origin);
    const bool in_library = part && !is_in_model(source.span);
    Diagnostic& d =
        diagnostics_.report(Code::AssertionFailed, in_library ? *part : source.span, text(source.component))
            .label(std::string(in_library ? "" : "this ") +
                   (std::isfinite(f_.equations[0].residual) ? "is false" : "has no value") +
                   " at t = " + seconds(f_.time) + (instance.empty() ? "" : ", in `" + instance + "`"));
    if (in_library)
      d.also(source.span, "the assertion");
    else if (part)
      d.also(*part, "in this part");
    if (!std::isfinite(f_.equations[0].residual)) d.note(std::string(kNoValueOfIntegers));
    if (!f_.variables.empty()) d.note("with " + variables(6, true));
    keep(d);
  }

  void not_finite() {
    Diagnostic& d = at_equations(Code::NotFinite, "an equation has no finite value " + when(), false);
    if (!f_.variables.empty()) d.note("with " + variables(4, true));
    const bool of_integers = std::ranges::any_of(f_.variables, [&](const runtime::FailedVariable& v) {
      return system::unknown_info(c_.system, c_.dae.variables[v.variable].unknown).type ==
             system::SignalType::Int;
    });
    d.help(std::string(of_integers
                           ? "check for a division by zero, also by `div` or `mod`, an Int beyond 2^53 in "
                             "the equation, or an overflow"
                           : "check for a division by zero, a root or logarithm of a negative number, "
                             "or an overflow") +
           std::string(f_.initial ? "; a guess or another initial value may avoid it" : ""));
    keep(d);
  }

  void no_progress() {
    std::string message = "the integration makes no progress at t = " + seconds(f_.time);
    Diagnostic& d = f_.variables.empty() ? at_equations(Code::NoProgress, message, false)
                                         : at_variable(Code::NoProgress, message);
    switch (f_.kind) {
      case FailureKind::ErrorTest:
        d.note("no step size down to " + seconds(f_.step) + " meets the tolerance");
        break;
      case FailureKind::Convergence:
        d.note("the equations of a step could not be solved, with step sizes down to " + seconds(f_.step));
        break;
      default: d.note("the step size decreased to " + seconds(f_.step)); break;
    }
    d.help(
        "a value that grows without bound or jumps stops any solver; inspect these variables shortly before "
        "this time");
    if (any_root())
      d.help(
          "a root has an infinite slope at zero, where a flow comes to rest: make it linear there, "
          "`x / sqrt (abs x + small)`");
    keep(d);
  }

  /// Whether an equation has a root, or a power that may be one.
  bool any_root() const {
    const auto is_root = [&](const EquationTable& table) {
      return std::ranges::any_of(topological(c_.dae.exprs, {&table.residual, 1}), [&](ExprId id) {
        return c_.dae.exprs[id].op == Op::Sqrt || c_.dae.exprs[id].op == Op::Pow;
      });
    };
    return std::ranges::any_of(c_.dae.equations.tables, is_root);
  }

  Diagnostics& diagnostics_;
};

/// A coordinate of a mechanism that its loops leave free at the start, although no equation is missing that
/// would let it take its guess, may be why the run fails.
void warn_of_singular_start(const FailureContext& c, const runtime::Outcome& outcome,
                            Diagnostics& diagnostics) {
  constexpr std::uint64_t kFewSteps = 50;
  switch (outcome.failure.kind) {
    case FailureKind::LoopNotConverged:
    case FailureKind::LoopSingular:
    case FailureKind::BranchEnds:
    case FailureKind::StartUndetermined:
    case FailureKind::StartContradicts:
    case FailureKind::NoProgress: break;
    default: return;
  }
  if (outcome.statistics.steps > kFewSteps) return;
  for (const system::Attribute& a : c.system.attributes) {
    if (a.kind != system::AttributeKind::Independent) continue;
    if (c.dae.aliases[a.unknown].kind == dae::Alias::Zero) continue;
    const std::uint32_t v = c.dae.aliases[a.unknown].variable;
    if (std::ranges::find(c.plan.guessed_states, v) != c.plan.guessed_states.end()) continue;
    diagnostics
        .report(Code::SingularStart, singularity::SourceNames(c.system).declaration(a.unknown, system::kRoot),
                fmt::format("the loops of joints do not determine `{}` at the start",
                            dae::variable_name(c.system, c.dae, v)))
        .note(
            "with these initial values it can change without leaving the position, although no equation is "
            "missing: a singular position, or an initial value of a coordinate that others determine")
        .help(
            "start from another position, which may be near this one, or give the initial value of another "
            "coordinate");
    return;
  }
}

}  // namespace

void report_failure(const FailureContext& context, const runtime::Outcome& outcome,
                    Diagnostics& diagnostics) {
  if (is_event_failure(outcome.failure)) return report_event_failure(context, outcome, diagnostics);
  Report(context, outcome, diagnostics).write();
  warn_of_singular_start(context, outcome, diagnostics);
}

}  // namespace sigrel::explain
