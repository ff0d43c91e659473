#include "compiler/explain/start_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/singularity/source_names.h"

namespace sigrel::explain {
namespace {

using singularity::SourceNames;

/// The origins of the model's equations, and of the initial ones, among those of a failure.
struct Origins {
  std::vector<Origin> model, initial;

  Origins(const dae::System& dae, const runtime::Failure& failure) {
    const auto dynamic = static_cast<std::uint32_t>(dae.equations.count());
    for (const runtime::FailedEquation& e : failure.equations)
      if (e.equation < dynamic)
        model.push_back(dae::origin(dae.equations, e.equation));
      else if (e.equation < dynamic + dae.initial.count())
        initial.push_back(dae::origin(dae.initial, e.equation - dynamic));
  }
};

}  // namespace

void report_contradicting_start(const FailureContext& context, const runtime::Failure& failure,
                                Diagnostics& diagnostics) {
  const Origins origins(context.dae, failure);
  SourceNames names(context.system);
  std::vector<Origin> all = origins.initial;
  all.insert(all.end(), origins.model.begin(), origins.model.end());
  const std::uint32_t where = names.common_instance(all);
  const std::size_t count = origins.initial.size();
  const auto places = names.places(count > 0 ? origins.initial : all, where);
  const std::string message =
      count == 0 ? fmt::format("{} contradict each other at the start",
                               singularity::counted(origins.model.size(), "equation"))
      : origins.model.empty()
          ? fmt::format("{} contradict each other", singularity::counted(count, "initial equation"))
          : fmt::format("the equations contradict {}",
                        count == 1 ? "an initial equation" : singularity::counted(count, "initial equation"));
  Diagnostic& d = diagnostics.report(count > 0 ? Code::TooManyInitialEquations : Code::LinearBlockSingular,
                                     places.back().span, message);
  d.label(places.size() > 1 ? "contradicts the others" : "contradicts the equations");
  singularity::label_others(d, places, "together with this");
  if (count > 0 && !origins.model.empty())
    for (const singularity::Place& place : names.places(origins.model, where))
      if (std::ranges::find(places, place.span, &singularity::Place::span) == places.end())
        d.also(place.span, "and this");
  names.note_instance(d, where);
  d.note(fmt::format(
      "at the values of this start, {} of the equations, linearised, contains no unknown, and its "
      "sides differ by {:.6g}",
      failure.dependent_equations == 1 ? "one" : "a combination", std::abs(failure.left_over)));
  d.help(count == 0   ? "check the parameters, and what the conditions are at the start"
         : count == 1 ? "drop it, or make it a `guess`"
                      : "drop one of them, or make it a `guess`, or let their values agree");
}

void report_undetermined_start(const FailureContext& context, const runtime::Failure& failure,
                               Diagnostics& diagnostics) {
  const Origins origins(context.dae, failure);
  std::vector<std::string> open;
  for (const runtime::FailedVariable& v : failure.variables)
    open.push_back(dae::variable_name(context.system, context.dae, v.variable));
  std::string what = singularity::listed(open, 4);
  if (failure.unknowns > open.size())
    what = fmt::format("`{}` and {} more", open.front(), failure.unknowns - 1);
  const std::uint32_t unknown = context.dae.variables[failure.variables.front().variable].unknown;
  SourceNames names(context.system);
  Diagnostic& d = diagnostics.report(Code::StartUndetermined, names.declaration(unknown, system::kRoot),
                                     fmt::format("the start does not determine {}", what));
  d.label(fmt::format("any value of `{}` would satisfy the equations", open.front()));
  const std::vector<Origin>& equations = origins.model.empty() ? origins.initial : origins.model;
  if (!equations.empty()) {
    const auto places = names.places(equations, system::kRoot);
    for (std::size_t k = 0; k < std::min<std::size_t>(places.size(), 3); ++k)
      d.also(places[k].span, "holds whatever it is: its coefficient vanishes at these values");
  }
  d.help("start from other values, or add an initial equation that contains it");
}

}  // namespace sigrel::explain
