#include "compiler/explain/run_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "compiler/singularity/source_names.h"
#include "runtime/integrate/state_scales.h"

namespace sigrel::explain {
namespace {

std::optional<Span> equation_span(const pipeline::Compiled& model, std::uint32_t equation) {
  const auto dynamic = static_cast<std::uint32_t>(model.dae.equations.count());
  if (equation < dynamic) return model.system.sources[dae::origin(model.dae.equations, equation).source].span;
  if (equation < dynamic + model.dae.initial.count())
    return model.system.sources[dae::origin(model.dae.initial, equation - dynamic).source].span;
  return std::nullopt;
}

}  // namespace

bool refuse_analysis(const system::System& system, const char* analysis, Diagnostics& diagnostics) {
  if (system.delays.empty()) return false;
  const Origin origin = system.delays[0].origin;
  const std::string instance = system::instance_name(system, origin.instance);
  diagnostics
      .report(Code::DelayWithoutPast, system.sources[origin.source].span,
              fmt::format("{} is not supported for models with delays", analysis))
      .label("this value depends on the past" + (instance.empty() ? "" : ", in `" + instance + "`"))
      .note("the derivatives are not a function of the states alone")
      .help("replace the delay by an approximation for this analysis, for example `Blocks.padeDelay`");
  return true;
}

void note_end(const system::System& system, std::uint32_t trigger, double time, Diagnostics& diagnostics) {
  const Origin origin = system.events.triggers[trigger].origin;
  const std::string instance = system::instance_name(system, origin.instance);
  diagnostics
      .report(Code::Terminated, system.sources[origin.source].span,
              "the model terminated the run at t = " + fmt::format("{:.9g} s", time))
      .label("this became true" + (instance.empty() ? "" : ", in `" + instance + "`"));
}

void note_continuation(const pipeline::Compiled& model, const runtime::Continued& block,
                       Diagnostics& diagnostics) {
  const std::string name = dae::variable_name(model.system, model.dae, block.variable);
  const std::string message =
      block.unknowns == 1 ? fmt::format("the start of `{}` was found by continuation", name)
                          : fmt::format("the start of `{}` and {} other unknown{} was found by continuation",
                                        name, block.unknowns - 1, block.unknowns == 2 ? "" : "s");
  const std::optional<Span> span = equation_span(model, block.equation);
  Diagnostic& note = span ? diagnostics.report(Code::StartByContinuation, *span, message)
                          : diagnostics.report(Code::StartByContinuation, message);
  note.note("Newton's method did not converge from the guesses")
      .help(
          "check that this is the intended solution; a guess near it makes the initialisation robust and "
          "fast");
}

void note_other_solutions(const pipeline::Compiled& model, std::span<const runtime::OtherSolution> loops,
                          Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  for (const runtime::OtherSolution& loop : loops.first(std::min(loops.size(), kShown))) {
    const std::string name = dae::variable_name(model.system, model.dae, loop.variable);
    const std::string message =
        fmt::format("the equations at the start have several solutions, and no guess chooses: `{}` = {:.6g}",
                    name, loop.value);
    const std::optional<Span> span = equation_span(model, loop.equation);
    Diagnostic& note = span ? diagnostics.report(Code::SeveralSolutions, *span, message)
                            : diagnostics.report(Code::SeveralSolutions, message);
    note.note(loop.unknowns == 1
                  ? fmt::format("another solution is `{}` = {:.6g}", name, loop.other)
                  : fmt::format("another solution of this loop of {} unknowns has `{}` = {:.6g}",
                                loop.unknowns, name, loop.other));
    note.help(fmt::format("choose by a guess near the intended one, such as `guess {} = {:.6g}`", name,
                          loop.value));
  }
}

void note_start_in_other_modes(const system::System& system, Origin origin, const std::string& modes,
                               Diagnostics& diagnostics) {
  const std::vector<singularity::Place> places =
      singularity::SourceNames(system).places({&origin, 1}, system::kRoot);
  diagnostics
      .report(Code::StartsInOtherModes,
              places.empty() ? system.sources[origin.source].span : places.front().span,
              fmt::format("the run starts in other modes than the initial ones: {}", modes))
      .note("the initial equations contradict the equations of the initial modes");
}

void warn_of_guesses_without_value(const pipeline::Compiled& model, std::span<const double> parameters,
                                   Diagnostics& diagnostics) {
  std::set<Span> reported;  // of a vector, or of a part that is used several times
  for (const system::Attribute& a : model.system.attributes)
    if (a.kind == system::AttributeKind::Guess && !std::isfinite(parameters[a.parameter]) &&
        reported.insert(a.span).second)
      diagnostics
          .report(Code::UnusedGuess, a.span,
                  fmt::format("the guess of `{}` has no finite value",
                              system::unknown_name(model.system, a.unknown)))
          .label(std::isnan(parameters[a.parameter]) ? "this is not a number" : "this is infinite");
}

void note_guessed_start(const pipeline::Compiled& model, const runtime::GuessedStart& start,
                        Diagnostics& diagnostics) {
  const auto declaration = [&](std::uint32_t variable) {
    return singularity::SourceNames(model.system)
        .declaration(model.dae.variables[variable].unknown, system::kRoot);
  };
  const auto name = [&](std::uint32_t v) { return dae::variable_name(model.system, model.dae, v); };
  std::vector<std::uint32_t> determined = start.refused;
  for (const runtime::GuessedStart::Moved& moved : start.moved) {
    std::erase(determined, moved.variable);
    diagnostics
        .report(Code::UnusedGuess, declaration(moved.variable),
                fmt::format("no start was found with `{}` = {:.6g}, its guess", name(moved.variable),
                            moved.guess))
        .note(fmt::format(
            "the equations contradict it; `{}` starts from {:.6g}, of a solution found from the guesses",
            name(moved.variable), moved.start))
        .help("give a value that the equations allow, in an `initially` block");
  }
  if (start.taken.empty()) {
    for (const std::uint32_t v : determined)
      diagnostics
          .report(Code::UnusedGuess, declaration(v), fmt::format("the guess of `{}` is not used", name(v)))
          .note("at the values of this start the equations determine it")
          .help("drop it; `initially` says what must hold at the start");
    return;
  }
  auto names = [&](const std::vector<std::uint32_t>& variables) {
    std::vector<std::string> result;
    for (const std::uint32_t v : variables) result.push_back(name(v));
    return singularity::listed(result);
  };
  Diagnostic& note = diagnostics.report(
      Code::InitialFromGuesses, declaration(start.taken.front()),
      fmt::format("the start of {} is taken from {} guess{}", names(start.taken),
                  start.taken.size() == 1 ? "its" : "their", start.taken.size() == 1 ? "" : "es"));
  note.note(determined.empty() ? std::string("at the values of this start the equations do not determine it")
                               : fmt::format("at the values of this start the equations determine {} instead",
                                             names(determined)));
  note.help("give the start in an `initially` block");
}

void warn_of_jumps(const pipeline::Compiled& model, std::span<const runtime::BranchJump> jumps,
                   Diagnostics& diagnostics) {
  if (jumps.empty()) return;
  constexpr std::size_t kShown = 3;
  const std::string message =
      fmt::format("the solution of an algebraic loop jumps at t = {:.9g} s", jumps.front().time);
  const std::optional<Span> span = equation_span(model, jumps.front().equation);
  Diagnostic& warning = span ? diagnostics.report(Code::BranchJump, *span, message)
                             : diagnostics.report(Code::BranchJump, message);
  for (std::size_t k = 0; k < std::min(jumps.size(), kShown); ++k)
    warning.note(fmt::format("`{}` changes from {:.6g} to {:.6g}{}",
                             dae::variable_name(model.system, model.dae, jumps[k].variable), jumps[k].before,
                             jumps[k].after, k == 0 ? "" : fmt::format(" at t = {:.9g} s", jumps[k].time)));
  if (jumps.size() > kShown)
    warning.note(fmt::format("and {}{} more jumps",
                             jumps.size() >= runtime::BranchJump::kMost ? "at least " : "",
                             jumps.size() - kShown));
  warning
      .note(
          "the solution that the run has followed ends there; the rows after it show another one, of which "
          "the equations may have several")
      .help("a state that the model neglects, such as a small capacitance or mass, determines what follows");
}

void warn_of_tied_states(const pipeline::Compiled& model, std::uint32_t variable, Diagnostics& diagnostics) {
  const std::string name = dae::variable_name(model.system, model.dae, variable);
  diagnostics
      .report(Code::TiedJump,
              singularity::SourceNames(model.system)
                  .declaration(model.dae.variables[variable].unknown, system::kRoot),
              fmt::format("the states that `{}` is tied to do not jump with it", name))
      .note(
          "where a source jumps inside the equations, the solver `qss` keeps all states: charge, flux or "
          "momentum may not be conserved")
      .help("another solver takes such jumps; `--solver auto`");
}

void note_constant_conditions(const system::System& system, std::span<const std::uint32_t> triggers,
                              bool continues, Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  std::vector<std::uint32_t> places;  // sources: instances of one relation share them
  for (const std::uint32_t t : triggers) {
    const Origin origin = system.events.triggers[t].origin;
    if (std::ranges::find(places, origin.source) != places.end()) continue;
    if (places.size() == kShown) return;
    places.push_back(origin.source);
    const auto same = std::ranges::count_if(triggers, [&](std::uint32_t other) {
      return system.events.triggers[other].origin.source == origin.source;
    });
    const std::string instance = system::instance_name(system, origin.instance);
    Diagnostic& note = diagnostics.report(
        Code::HandlerNotExecuted, system.sources[origin.source].span,
        "this was true from the start to the end of the run, so its block was not executed");
    if (!instance.empty())
      note.note(same > 1 ? fmt::format("in `{}` and {} more", instance, same - 1) : "in `" + instance + "`");
    if (continues)
      note.note("it may have become true in the earlier run, which executed the block then");
    else
      note.help("write `when initial, … do` if the block is to be executed at the start, too");
  }
}

void note_solver_change(const runtime::SolverChange& change, Diagnostics& diagnostics) {
  diagnostics
      .report(Code::SolverChanged,
              fmt::format("from t = {:.9g} s the run uses the solver `{}`", change.time, change.to))
      .note(fmt::format("`{}`, which `auto` had chosen, {}", change.from,
                        change.kind == runtime::FailureKind::LoopNotConverged ||
                                change.kind == runtime::FailureKind::BranchEnds
                            ? "did not solve an algebraic loop there"
                            : "made no progress there"))
      .help(fmt::format(
          "write `solver = \"{0}\"` in the experiment, or `--solver {0}`, to use it from the start",
          change.to));
}

void note_hidden_states(const pipeline::Compiled& model, std::span<const runtime::StateScale> scales,
                        double tolerance, Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  auto declaration = [&](const runtime::StateScale& s) {
    const Span span = system::unknown_info(model.system, model.dae.variables[s.variable].unknown).span;
    return (std::uint64_t{span.file.value} << 32) + span.begin;
  };
  auto has_name = [&](const runtime::StateScale& s) {
    return model.dae.variables[s.variable].set == dae::kNone;
  };
  std::unordered_set<std::uint64_t> large;
  for (const runtime::StateScale& s : scales)
    if (has_name(s) && !runtime::is_far_below(s)) large.insert(declaration(s));
  std::vector<runtime::StateScale> hidden;
  for (const runtime::StateScale& s : scales)
    if (has_name(s) && runtime::is_hidden(s, tolerance) && !large.contains(declaration(s)))
      hidden.push_back(s);
  if (hidden.empty()) return;
  std::ranges::stable_sort(hidden, {}, [](const runtime::StateScale& s) { return s.largest / s.nominal; });
  auto name = [&](const runtime::StateScale& s) {
    return dae::variable_name(model.system, model.dae, s.variable);
  };
  const runtime::StateScale& worst = hidden.front();
  Diagnostic& note = diagnostics.report(
      Code::ScaleBelowTolerance,
      singularity::SourceNames(model.system)
          .declaration(model.dae.variables[worst.variable].unknown, system::kRoot),
      hidden.size() == 1
          ? fmt::format("the state `{}` is small beside its absolute tolerance", name(worst))
          : fmt::format("{} states are small beside their absolute tolerances", hidden.size()));
  for (std::size_t k = 0; k < std::min(hidden.size(), kShown); ++k)
    note.note(fmt::format(
        "`{}` reaches {:.3g}; its errors may be {:.2g}, the tolerance {:.2g} times its nominal "
        "value {:.2g}",
        name(hidden[k]), hidden[k].largest, tolerance * hidden[k].nominal, tolerance, hidden[k].nominal));
  const bool of_part = name(worst).find('.') != std::string::npos;
  note.help(of_part ? fmt::format("declare its scale: `local x with {{ nominal = {:.0e} }}` and `x = {}`",
                                  worst.largest, name(worst))
                    : fmt::format("declare its scale, `with {{ nominal = {:.0e} }}`", worst.largest));
}

}  // namespace sigrel::explain
