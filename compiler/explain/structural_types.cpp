#include "compiler/explain/structural_types.h"

#include <algorithm>

#include "compiler/elaborate/components.h"
#include "compiler/structural_types/components.h"
#include "compiler/structural_types/families.h"

namespace sigrel::explain {

std::string StructuralTypes::text(core::GlobalId definition) const {
  auto at = components.find(definition);
  if (at != components.end()) return structural_types::to_text(checked, library, at->second);
  auto first = std::ranges::find(library.families, definition, &components::Family::definition);
  auto last =
      std::find_if(first, library.families.end(), [&](auto& f) { return f.definition != definition; });
  return structural_types::to_text(
      {first, last}, std::span(families).subspan(static_cast<std::size_t>(first - library.families.begin())),
      checked, library);
}

StructuralTypes structural_types(const core::Program& program, Diagnostics& diagnostics) {
  StructuralTypes result;
  result.library = elaborate::library(program);
  structural_types::Withheld withheld;
  result.checked = structural_types::check(result.library, diagnostics, &withheld);
  result.families = structural_types::types_of_families(result.library, result.checked);
  structural_types::report_families(result.library, result.checked.types, result.families, withheld,
                                    diagnostics);
  for (auto& [definition, component] : result.library.definitions)
    if (component) result.components[definition] = *component;
  return result;
}

}  // namespace sigrel::explain
