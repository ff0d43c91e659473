// Structural types of components as text.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/structural_types/components.h"

namespace sigrel::structural_types {

std::string to_text(const StructuralType& type, const components::Library& library, std::uint32_t component) {
  return to_text(type, library.system.templates[library.components[component].body].interface);
}

std::string to_text(const std::optional<StructuralType>& type, const Fit& fit,
                    const components::Library& library, std::uint32_t component,
                    std::optional<std::uint32_t> names_of) {
  std::string shown = type ? to_text(*type, library, names_of.value_or(component)) : std::string();
  std::string sizes;
  auto& holes = library.components[component].holes;
  for (std::size_t i = 0; i < fit.sizes.size(); ++i) {
    const components::Hole& hole = library.holes[holes[i]];
    auto [first, last] = fit.sizes[i];
    if (hole.parameter.contract && first == last) continue;                            // it is in the type
    if (first == 0 && last == library.components[hole.component].interface) continue;  // any relation
    sizes += fmt::format("{} {} {{#{}}}", sizes.empty() ? " for" : ",", text(hole.parameter.parameter),
                         first == last ? fmt::format("{}", first) : fmt::format("{} .. {}", first, last));
  }
  auto promised = static_cast<std::size_t>(std::ranges::count_if(
      holes, [&](std::uint32_t h) { return library.holes[h].parameter.contract.has_value(); }));
  if (holes.empty()) return shown;
  if (promised == holes.size()) return shown.empty() ? shown : shown + " at least";
  if (promised) shown.clear();  // neither at least nor at most
  if (shown.empty() && sizes.empty()) return shown;
  return shown.empty() ? sizes.substr(1) : shown + " at most" + (sizes.empty() ? "" : "," + sizes);
}

std::string to_text(const Checked& checked, const components::Library& library, std::uint32_t component,
                    std::optional<std::uint32_t> names_of) {
  constexpr std::size_t kShown = 4;
  const components::Component& c = library.components[component];
  if (c.combinations.empty()) {
    std::string shown =
        to_text(checked.types[component], checked.fits[component], library, component, names_of);
    if (c.holes.empty() && checked.at_most[component] && c.interface > 0 && !shown.empty())
      shown += " at most";
    return shown;
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> kinds;  // a type and its combinations
  for (const components::Component::Combination& combination : c.combinations) {
    if (!combination.component) return {};
    if (checked.unknown[*combination.component]) return {};
    std::string type = to_text(checked, library, *combination.component, names_of);
    if (type.empty()) type = "none";
    auto kind = std::ranges::find(kinds, type, [](auto& k) { return k.first; });
    if (kind == kinds.end()) kind = kinds.insert(kinds.end(), {type, {}});
    kind->second.push_back(modes(library.components[*combination.component]));
  }
  if (kinds.size() == 1) return kinds[0].first;
  std::string result;
  for (std::size_t k = 0; k < std::min(kinds.size(), kShown); ++k)
    result += fmt::format("{}{} in {}", k > 0 ? ", " : "", kinds[k].first,
                          fmt::join(kinds[k].second, kinds[k].second.size() > 2 ? ", " : " and "));
  return result + (kinds.size() > kShown ? ", …" : "");
}

std::string modes(const components::Component& component) {
  std::vector<std::string_view> names;
  for (Name name : component.modes) names.push_back(text(name));
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace sigrel::structural_types
