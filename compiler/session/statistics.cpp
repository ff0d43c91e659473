#include "compiler/session/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "compiler/pipeline/structures.h"

namespace sigrel::session {
namespace {

constexpr std::size_t kEventLines = 5;  // of conditions, at most

/// Why `auto` chose the form, and with it the solver; empty: it had no choice.
std::string_view reason_of(runtime::FormReason reason) {
  switch (reason) {
    case runtime::FormReason::Requested: break;
    case runtime::FormReason::Sparse: return "the Jacobian is sparse, and nonlinear loops are small";
    case runtime::FormReason::WideLoops: return "linear loops have many unknowns for each state";
    case runtime::FormReason::Krylov:
      return "linear loops have many unknowns for each state, and the Jacobian is too large to be formed";
    case runtime::FormReason::LargeLoop: return "a nonlinear loop has many tearing variables";
    case runtime::FormReason::FillIn: return "the Jacobian of the explicit form has much fill-in";
  }
  return {};
}

/// The quantised states with most steps. Variables are those of `model`, which has not changed its structure.
std::string busiest_states(const Compiled& model, const runtime::Statistics& s) {
  std::string text;
  for (const runtime::Statistics::StateSteps& state : s.busiest)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        dae::variable_name(model.system, model.dae, state.variable), state.steps);
  return text;
}

}  // namespace

std::string statistics_text(const Compiled& model, const Run& run, explain::EventLog& events) {
  std::string out;
  const runtime::Statistics& s = run.outcome.statistics;
  const pipeline::Executable& code = model.executable;
  auto row = [&](std::string_view name, const std::string& value) {
    out += fmt::format("  {:<22} {}\n", name, value);
  };
  const char* form = s.form == runtime::Form::Static
                         ? (s.exact_components > 0 ? "formulas of independent parts" : "no states")
                     : s.form == runtime::Form::Explicit ? "explicit (y' = f(t, y))"
                                                         : "implicit (F(t, y, y') = 0)";
  out += fmt::format("model\n");
  row("equations",
      fmt::format("{} in {} shapes", model.system.equations.count(), model.system.equations.tables.size()));
  row("unknowns", fmt::format("{}", model.system.unknowns));
  row("after reduction",
      fmt::format("{} equations, {} variables", model.dae.equations.count(), model.dae.variables.size()));
  row("states", fmt::format("{}", model.plan.model.states.size()));
  row("algebraic loops", fmt::format("{}", model.plan.model.loops.size()));
  out += fmt::format("code\n");
  const jit::Statistics generated = code.statistics();
  std::string kernels = fmt::format("{}", model.plan.kernels.size());
  if (generated.compiled > 0) kernels += fmt::format(", {} compiled", generated.compiled);
  if (generated.cached > 0) kernels += fmt::format(", {} from the cache", generated.cached);
  if (generated.reused > 0) kernels += fmt::format(", {} reused", generated.reused);
  row("kernels", kernels + fmt::format(", {} interpreted", generated.interpreted));
  if (generated.functions > 0)
    row("LLVM", fmt::format("{} functions, {:.1f} ms", generated.functions, 1e3 * generated.llvm_seconds()));
  if (!generated.cache_failure.empty()) row("cache", generated.cache_failure);
  for (const std::string& reason : {code.why_interpreted, generated.failure})
    if (!reason.empty()) row("interpreter", reason);
  out += fmt::format("run\n");
  row("form", form);
  if (const std::string_view reason = reason_of(s.form_reason); !reason.empty())
    row("chosen because", std::string(reason));
  const bool quantised = !s.busiest.empty();
  if (quantised)
    row("solver", fmt::format("{}, quantised states", s.solver));
  else if (!s.solver.empty())
    row("solver",
        fmt::format(
            "{}{}, {}", s.solver, s.method_changes == 0 ? "" : fmt::format(" ({} changes)", s.method_changes),
            s.fixed_point ? "fixed-point iteration"
                          : fmt::format("{} linear algebra{}", s.linear_solver,
                                        s.ordering.empty() ? "" : fmt::format(", {} ordering", s.ordering))));
  row("unknowns", s.exact_components > 0
                      ? fmt::format("{} of the integrator; {} states in all", s.unknowns, s.states)
                      : fmt::format("{}, {} of them states", s.unknowns, s.states));
  if (quantised) {
    row("steps", fmt::format("{} of single states, order {}", s.steps, s.last_order));
    row("evaluations", fmt::format("{}, each of what one state or comparison affects", s.evaluations));
    if (s.structure_changes == 0) row("most steps", busiest_states(model, s));
  } else {
    row("Jacobian",
        s.form_reason == runtime::FormReason::Krylov ? "not formed" : fmt::format("{} nonzeros", s.nonzeros));
    row("steps", fmt::format("{}, {} rejected, last order {}, last step {:.3g} s", s.steps,
                             s.error_test_failures, s.last_order, s.last_step));
    if (s.initial_step > 0)
      row("step size", fmt::format("first {:.3g} s, longest allowed {}", s.initial_step,
                                   std::isfinite(s.max_step) ? fmt::format("{:.6g} s", s.max_step) : "any"));
    if (s.revised_steps > 0)
      row("revised steps", fmt::format("{}, because of what the equations do inside", s.revised_steps));
    row("evaluations", fmt::format("{}, {} more to check steps, Jacobians {}, factorisations {}",
                                   s.evaluations, s.check_evaluations, s.jacobians, s.factorisations));
  }
  if (events.events() > 0) {
    row("events", fmt::format("{}", events.events()));
    if (!quantised) row("restarts", fmt::format("{}, of the integrator", s.events - s.exact_events));
  }
  if (s.exact_components > 0) {
    row("exact components",
        fmt::format("{} in {} forms, {} events of single ones, {:.3f} ms with their rows", s.exact_components,
                    s.exact_forms, s.exact_events, 1e3 * s.seconds_exact));
    auto kind = [&](const char* name, const runtime::Statistics::ExactKind& k) {
      if (k.components > 0)
        row(name, fmt::format("{} in {} form{}, {} events, {:.3f} ms", k.components, k.forms,
                              k.forms == 1 ? "" : "s", k.events, 1e3 * k.seconds));
    };
    kind("  of one state", s.exact_of_one);
    kind("  of several states", s.exact_of_several);
    row("other components",
        fmt::format("{}, {:.3f} ms", s.other_components, 1e3 * (s.seconds_integrate - s.seconds_exact)));
  }
  const std::vector<std::string> lines = events.lines();
  for (const std::string& line : std::span(lines).first(std::min(lines.size(), kEventLines)))
    out += fmt::format("{}\n", line);
  if (s.structure_changes > 0) {
    const auto counted = [](std::uint64_t n, const char* what) {
      return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
    };
    row("structure", fmt::format("{}, {} compiled{}", counted(s.structure_changes, "change"),
                                 counted(model.structures ? model.structures->compiled() : 0, "structure"),
                                 model.structures && model.structures->given_up() > 0
                                     ? fmt::format(", {} of them given up", model.structures->given_up())
                                     : ""));
  }
  if (s.state_changes > 0) row("state selections", fmt::format("{} changes", s.state_changes));
  if (!quantised)
    row(s.fixed_point ? "fixed point" : "Newton",
        fmt::format("{} iterations, {} failures", s.newton_iterations, s.newton_failures));
  if (s.loop_factorisations > 0)
    row("algebraic loops", fmt::format("{} factorisations", s.loop_factorisations));
  if (s.threads > 1) row("threads", fmt::format("{}", s.threads));
  row("result rows", fmt::format("{}", s.rows));
  row("time", fmt::format("{:.3f} ms to initialise, {:.3f} ms to integrate, {:.3f} ms to write results",
                          1e3 * s.seconds_initialise, 1e3 * s.seconds_integrate, 1e3 * s.seconds_write));
  return out;
}

}  // namespace sigrel::session
