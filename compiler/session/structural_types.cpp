#include "compiler/session/structural_types.h"

#include "compiler/elaborate/components.h"
#include "compiler/structural/components.h"

namespace sigrel::session {

std::string StructuralTypes::text(core::GlobalId definition) const {
  auto at = components.find(definition);
  return at == components.end() ? std::string() : structural::to_text(kernels[at->second], fits[at->second], library, at->second);
}

StructuralTypes structural_types(const core::Program& program, Diagnostics& diagnostics) {
  StructuralTypes result;
  result.library = elaborate::library(program);
  structural::Checked checked = structural::check(result.library, diagnostics);
  result.kernels = std::move(checked.kernels);
  result.fits = std::move(checked.fits);
  for (auto& [definition, component] : result.library.definitions)
    if (component) result.components[definition] = *component;
  return result;
}

bool report_singular_parts(const core::Program& program, Diagnostics& diagnostics) {
  std::size_t before = diagnostics.error_count();
  structural::check(elaborate::model(program), diagnostics);
  return diagnostics.error_count() != before;
}

}  // namespace sigrel::session
