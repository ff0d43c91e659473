#include "compiler/elaborate/exposed_components.h"

#include <algorithm>

namespace sigrel::elaborate {

// The depth of the recursion is bounded by the names: a name of n parts goes through n - 1 relations.
std::optional<ExposedComponents::Exposed> ExposedComponents::expose(std::uint32_t number,
                                                                    std::vector<std::string> names) {
  auto key = std::make_pair(number, names);
  if (auto it = known_.find(key); it != known_.end()) return it->second;
  components::Component c = library_.components[number];
  if (!c.combinations.empty()) return expose_combinations(std::move(c), std::move(key));
  std::vector<std::uint32_t> columns(names.size());
  struct Inner {
    std::vector<std::string> names;
    std::vector<std::size_t> of;  // of `names` above
  };
  std::map<std::uint32_t, Inner> inner;
  for (std::size_t n = 0; n < names.size(); ++n) {
    auto step = names_.step(c.body, names[n]);
    if (!step) return std::nullopt;
    if (step->column) {
      columns[n] = *step->column;
      continue;
    }
    inner[step->child].names.emplace_back(step->rest);
    inner[step->child].of.push_back(n);
  }
  for (auto& [child, below] : inner) {
    auto found = read(c, child, below.names);
    if (!found) return std::nullopt;
    for (std::size_t k = 0; k < below.of.size(); ++k) columns[below.of[k]] = (*found)[k];
  }
  for (std::uint32_t column : columns)
    if (column >= c.interface) c.exposed.push_back(column);
  std::ranges::sort(c.exposed);
  c.exposed.erase(std::ranges::unique(c.exposed).begin(), c.exposed.end());

  Exposed result;
  for (std::uint32_t column : columns)
    result.arguments.push_back(
        column < c.interface ? column
                             : c.interface +
                                   static_cast<std::uint32_t>(std::ranges::lower_bound(c.exposed, column) -
                                                              c.exposed.begin()));
  result.component = static_cast<std::uint32_t>(library_.components.size());
  if (c.exposed == library_.components[number].exposed)
    result.component = number;
  else
    library_.components.push_back(std::move(c));
  known_.emplace(std::move(key), result);
  return result;
}

/// The same in each combination of modes.
std::optional<ExposedComponents::Exposed> ExposedComponents::expose_combinations(components::Component c,
                                                                                 Key key) {
  std::optional<Exposed> result;
  for (components::Component::Combination& combination : c.combinations) {
    if (!combination.component) return std::nullopt;
    const auto in_modes = expose(*combination.component, key.second);
    if (!in_modes || (result && result->arguments != in_modes->arguments)) return std::nullopt;
    if (!result) result = in_modes;
    combination.component = in_modes->component;
  }
  c.exposed = library_.components[result->component].exposed;
  result->component = static_cast<std::uint32_t>(library_.components.size());
  library_.components.push_back(std::move(c));
  known_.emplace(std::move(key), *result);
  return result;
}

std::optional<std::vector<std::uint32_t>> ExposedComponents::read(components::Component& c,
                                                                  std::uint32_t child,
                                                                  std::vector<std::string> names) {
  const std::vector<std::string> wanted = names;
  auto& application = c.applications[child];
  auto found = expose(application.component, std::move(names));
  if (!found) return std::nullopt;
  const components::Component& part = library_.components[found->component];
  const components::Component& before = library_.components[application.component];
  if (part.exposed != before.exposed) {
    auto first = static_cast<std::uint32_t>(c.arguments.size());
    for (std::uint32_t i = 0; i < part.interface; ++i)
      c.arguments.push_back(c.arguments[application.first_argument + i]);
    const system::Template& own = library_.system.templates[c.body];
    for (std::uint32_t i = 0; i < part.exposed.size(); ++i) {
      auto at = std::ranges::find(before.exposed, part.exposed[i]);
      if (at != before.exposed.end()) {
        auto old = static_cast<std::uint32_t>(at - before.exposed.begin());
        c.arguments.push_back(c.arguments[application.first_argument + before.interface + old]);
        continue;
      }
      c.arguments.push_back(c.interface + c.locals++);
      std::size_t n = 0;
      while (found->arguments[n] != part.interface + i) ++n;
      c.reads.push_back({field(own.children[child].name, intern(wanted[n])), own.children[child].span});
    }
    application = {found->component, first};
  }
  std::vector<std::uint32_t> columns;
  for (std::uint32_t argument : found->arguments)
    columns.push_back(c.arguments[application.first_argument + argument]);
  return columns;
}

}  // namespace sigrel::elaborate
