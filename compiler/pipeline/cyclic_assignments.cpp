#include "compiler/pipeline/cyclic_assignments.h"

#include <fmt/format.h>

#include "runtime/events/assignment_cycles.h"

namespace sigrel::pipeline {

Diagnostic& report_cyclic_assignments(const system::System& system, const dae::System& dae,
                                      std::span<const std::uint32_t> assignments, std::string_view when,
                                      Diagnostics& diagnostics) {
  std::vector<std::uint32_t> variables;  // by assignment
  for (const EquationTable& table : dae.values.tables)
    for (const std::uint32_t assignment : table.tags)
      variables.push_back(dae.assignments[assignment].variable);
  auto needs = [&](std::size_t k) {
    auto name = [&](std::size_t at) {
      return dae::variable_name(system, dae, variables[assignments[at % assignments.size()]]);
    };
    return fmt::format("`{}` needs the new `{}`", name(k), name(k + 1));
  };
  auto span = [&](std::size_t k) {
    return system.sources[dae::origin(dae.values, assignments[k]).source].span;
  };
  Diagnostic& d = diagnostics.report(Code::AssignmentsDisagree, span(0),
                                     fmt::format("assignments{} depend on their own results", when));
  d.label(needs(0));
  for (std::size_t k = 1; k < assignments.size(); ++k) d.also(span(k), needs(k));
  const std::string instance =
      system::instance_name(system, dae::origin(dae.values, assignments[0]).instance);
  if (!instance.empty()) d.note("in `" + instance + "`");
  d.note(
      "assignments at one instant are simultaneous: a plain name is the value after the event, `pre x` the "
      "value before it");
  return d.help("write `pre` where the value before the event is meant");
}

void check_assignments(const system::System& system, const dae::System& dae, const runtime::Model& model,
                       Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 8;
  runtime::AssignmentCycles cycles(model);
  const std::span<const std::uint32_t> cycle = cycles.find_of_one_trigger();
  if (!cycle.empty())
    report_cyclic_assignments(system, dae, cycle.first(std::min(cycle.size(), kShown)), "", diagnostics);
}

}  // namespace sigrel::pipeline
