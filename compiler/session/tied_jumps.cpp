#include "compiler/session/tied_jumps.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compiler/pipeline/structures.h"
#include "runtime/solve/parameters.h"

namespace sigrel::session {
namespace {

// What changes by less is not told.
constexpr double kContinuous = 1e-7;
constexpr std::size_t kNamed = 5;  // unknowns in a message

/// The variable of the derivative of an unknown of this order, and its sign; kNone if there is none.
struct Place {
  std::uint32_t variable = dae::kNone;
  double sign = 1;
};
Place place_of(const dae::System& dae, std::uint32_t unknown, std::uint32_t order) {
  const dae::Alias alias = dae.aliases[unknown];
  if (alias.kind == dae::Alias::Zero) return {};
  std::uint32_t v = alias.variable;
  for (; order > 0 && v != dae::kNone; --order) v = dae.variables[v].derivative;
  return {v, alias.kind == dae::Alias::Negated ? -1.0 : 1.0};
}

}  // namespace

TiedJumps::TiedJumps(const pipeline::Compiled& model, Diagnostics& diagnostics)
    : model_(model), diagnostics_(diagnostics), discrete_(model.dae.variables.size(), false) {
  if (!pipeline::may_jump(model.system, model.dae)) return;
  tied_ = tied_to_states(model.dae, model.plan.model.states);
  if (tied_.empty()) return;
  for (const Differentiated& d : differentiated(model.system))
    if (const Place at = place_of(model.dae, d.unknown, d.order); d.discrete && at.variable != dae::kNone)
      discrete_[at.variable] = true;
  std::erase_if(tied_, [&](std::uint32_t v) { return discrete_[v]; });
}

bool TiedJumps::jump(double time, std::span<const double> before, std::span<double> values,
                     std::span<const double> parameters) {
  const dae::System* kept = model_.jump_equations.of(model_);
  if (!kept) {
    report(time, "the equations do not determine them", {});
    return false;
  }
  const dae::System& dae = model_.dae;
  const std::vector<double> nominal =
      runtime::nominal_values(model_.plan.model, {parameters.begin(), parameters.end()});
  const Jumps jumps = solve_jumps(
      *kept, time, parameters,
      [&](std::uint32_t unknown, std::uint32_t order, bool is_before) {
        const Place at = place_of(dae, unknown, order);
        if (at.variable == dae::kNone) return 0.0;
        return at.sign * (is_before && !discrete_[at.variable] ? before : values)[at.variable];
      },
      [&](std::uint32_t unknown) {
        const Place at = place_of(dae, unknown, 0);
        return at.variable == dae::kNone ? 1.0 : nominal[at.variable];
      });
  if (!jumps.failure.empty()) {
    report(time, jumps.failure, jumps.unknowns);
    return false;
  }
  for (const std::uint32_t v : tied_) values[v] = before[v];
  for (const Jump& j : jumps.jumps) {
    const Place at = place_of(dae, j.unknown, j.order);
    if (at.variable != dae::kNone && !discrete_[at.variable]) values[at.variable] = at.sign * j.after;
  }
  tell(time, jumps);
  return true;
}

void TiedJumps::tell(double time, const Jumps& jumps) const {
  if (!took_place) return;
  explain::StructureChange change{.time = time, .model = &model_, .modes = {}, .jumps = {}, .impulses = {}};
  double largest = 0;
  for (const Impulse& i : jumps.impulses) largest = std::max(largest, std::abs(i.value));
  for (const Jump& j : jumps.jumps) {
    if (std::abs(j.after - j.before) <= kContinuous * std::max(std::abs(j.before), std::abs(j.after)))
      continue;
    std::string name = system::unknown_name(model_.system, j.unknown);
    for (std::uint32_t order = j.order; order > 0; --order) name = "der(" + name + ")";
    change.jumps.push_back({std::move(name), j.before, j.after});
  }
  for (const Impulse& i : jumps.impulses)
    if (std::abs(i.value) > kContinuous * largest)
      change.impulses.push_back({system::unknown_name(model_.system, i.unknown), i.value});
  took_place(change);
}

void TiedJumps::report_impossible(double time, std::uint32_t variable) {
  const std::uint32_t unknown = model_.dae.variables[variable].unknown;
  report(time, "constraints tie values that cannot jump, such as positions", {&unknown, 1});
}

void TiedJumps::report(double time, const std::string& why, std::span<const std::uint32_t> unknowns) {
  std::vector<std::string> names;
  for (const std::uint32_t u : unknowns)
    if (names.size() < kNamed) names.push_back("`" + system::unknown_name(model_.system, u) + "`");
  const std::uint32_t first =
      unknowns.empty() ? model_.dae.variables[tied_.front()].unknown : unknowns.front();
  diagnostics_
      .report(Code::JumpNotDetermined, system::unknown_info(model_.system, first).span,
              fmt::format("the jumps of {} at t = {:.9g} s are not determined",
                          names.empty() ? "values that are tied to each other"
                                        : fmt::format("{}", fmt::join(names, ", ")),
                          time))
      .note(why)
      .note("an event changes something that constraints tie to it and to states")
      .help("let the source change continuously, or set the states in the block of a `when`");
}

}  // namespace sigrel::session
