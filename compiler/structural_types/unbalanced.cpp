#include "compiler/structural_types/unbalanced.h"

namespace sigrel::structural_types {
namespace {

/// The application whose relation has `surplus` equations more than flows, if all others have as many.
std::optional<std::uint32_t> only_one(const components::Library& library,
                                      const std::vector<std::optional<StructuralType>>& types,
                                      const components::Component& component, int surplus) {
  std::optional<std::uint32_t> found;
  for (std::uint32_t a = 0; a < component.applications.size(); ++a) {
    const std::uint32_t part = component.applications[a].component;
    const components::Component& applied = library.components[part];
    if (!applied.flows || !types[part]) continue;
    const int has =
        static_cast<int>(types[part]->rank()) - static_cast<int>(applied.exposed.size() + *applied.flows);
    if (has == 0) continue;
    if (found || has != surplus) return std::nullopt;
    found = a;
  }
  return found;
}

}  // namespace

std::optional<Unbalanced> unbalanced_part(const components::Library& library,
                                          const std::vector<std::optional<StructuralType>>& types,
                                          const components::Component& component, int equations) {
  if (!component.flows) return std::nullopt;
  const int surplus = equations - static_cast<int>(*component.flows);
  if (surplus == 0) return std::nullopt;
  std::optional<std::uint32_t> first = only_one(library, types, component, surplus);
  if (!first) return std::nullopt;
  std::uint32_t part = component.applications[*first].component;
  while (auto below = only_one(library, types, library.components[part], surplus))
    part = library.components[part].applications[*below].component;
  return Unbalanced{*first, part, surplus};
}

}  // namespace sigrel::structural_types
