#include "compiler/session/structural_types.h"

#include <algorithm>

#include "compiler/elaborate/components.h"
#include "compiler/structural/components.h"
#include "compiler/structural/families.h"

namespace sigrel::session {

std::string StructuralTypes::text(core::GlobalId definition) const {
  auto at = components.find(definition);
  if (at != components.end())
    return structural::to_text(kernels[at->second], fits[at->second], library, at->second);
  auto first = std::ranges::find(library.families, definition, &components::Family::definition);
  auto last =
      std::find_if(first, library.families.end(), [&](auto& f) { return f.definition != definition; });
  return structural::to_text(
      {first, last}, std::span(families).subspan(static_cast<std::size_t>(first - library.families.begin())),
      kernels, fits, library);
}

StructuralTypes structural_types(const core::Program& program, Diagnostics& diagnostics) {
  StructuralTypes result;
  result.library = elaborate::library(program);
  structural::Withheld withheld;
  structural::Checked checked = structural::check(result.library, diagnostics, &withheld);
  result.families = structural::types_of_families(result.library, checked);
  structural::report_families(result.library, checked.kernels, result.families, withheld, diagnostics);
  result.kernels = std::move(checked.kernels);
  result.fits = std::move(checked.fits);
  for (auto& [definition, component] : result.library.definitions)
    if (component) result.components[definition] = *component;
  return result;
}

void report_singular_parts(const core::Program& program, Diagnostics& diagnostics) {
  structural::check(elaborate::model(program), diagnostics);
}

}  // namespace sigrel::session
