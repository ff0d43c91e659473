#include "compiler/session/structural_types.h"

#include "compiler/elaborate/components.h"
#include "compiler/structural/components.h"

namespace sigrel::session {

std::unordered_map<core::GlobalId, std::string> structural_types(const core::Program& program, Diagnostics& diagnostics) {
  std::unordered_map<core::GlobalId, std::string> result;
  components::Library library = elaborate::library(program);
  std::vector<std::optional<structural::Kernel>> types = structural::check(library, diagnostics);
  for (auto& [definition, component] : library.definitions)
    if (component && types[*component]) result[definition] = structural::to_text(*types[*component], library, *component);
  return result;
}

}  // namespace sigrel::session
