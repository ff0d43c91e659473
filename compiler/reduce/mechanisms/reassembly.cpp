#include "compiler/reduce/mechanisms/reassembly.h"

#include <cmath>

#include "compiler/reduce/mechanisms/assemble_loops.h"

namespace sigrel::reduce {

std::optional<Reassembly::Overrides> Reassembly::positions(const system::System& compiled,
                                                           const Overrides& changes,
                                                           Diagnostics& diagnostics) const {
  system::System system = system_;
  for (const auto& [parameter, value] : changes)
    if (parameter < system.parameters.size()) system.parameters[parameter] = {.value = value};
  RowValues rows(system, system.equations, start_time_);
  Kinematics kinematics(system, rows);
  ConfigurationSearch search(system, rows, kinematics);
  const std::size_t errors = diagnostics.error_count();
  const std::optional<Configuration> start =
      find_position(system, rows, kinematics, search, loops_, diagnostics);
  if (diagnostics.error_count() != errors) return std::nullopt;
  std::vector<double> values(system.unknowns, 0.0);
  if (start) {
    values = start->values;
  } else {
    const std::vector<double> parameters = parameter_values(system);
    for (const system::Attribute& a : system.attributes)
      if (a.kind == system::AttributeKind::Guess && std::isfinite(parameters[a.parameter]))
        values[a.unknown] = parameters[a.parameter];
  }
  Overrides result;
  for (const system::Attribute& a : compiled.attributes)
    if (a.kind == system::AttributeKind::Position || a.kind == system::AttributeKind::FirstIterate)
      result.emplace_back(a.parameter, values[a.unknown]);
  return result;
}

}  // namespace sigrel::reduce
