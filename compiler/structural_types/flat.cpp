#include "compiler/structural_types/flat.h"

#include <algorithm>

namespace sigrel::structural_types {

std::vector<std::uint32_t> renamed_variables(const components::Component& c) {
  auto exposed = static_cast<std::uint32_t>(c.exposed.size());
  std::vector<std::uint32_t> renamed(c.interface + c.locals);
  for (std::uint32_t v = 0, read = 0; v < renamed.size(); ++v) {
    bool in_sight = read < exposed && c.exposed[read] == v;
    renamed[v] = v < c.interface ? v : in_sight ? c.interface + read : v + exposed - read;
    read += in_sight;
  }
  return renamed;
}

namespace {

template <class Number>
Definition numbered(const components::Component& c, const std::vector<components::Component>& all,
                    Number number) {
  const std::vector<std::uint32_t> renamed = renamed_variables(c);
  auto exposed = static_cast<std::uint32_t>(c.exposed.size());
  Definition d(c.interface + exposed, c.locals - exposed);
  std::vector<std::uint32_t> row;
  for (std::size_t e = 0; e < c.sources.size(); ++e) {
    row.clear();
    for (std::uint32_t k = c.offsets[e]; k < c.offsets[e + 1]; ++k) row.push_back(renamed[c.variables[k]]);
    d.equation(row);
  }
  for (auto& application : c.applications) {
    d.application(number(application.component));
    const components::Component& child = all[application.component];
    for (std::uint32_t i = 0; i < child.interface + child.exposed.size(); ++i)
      d.variable(renamed[c.arguments[application.first_argument + i]]);
  }
  return d;
}

/// What the component is made of, ascending.
std::vector<std::uint32_t> reached_from(const components::Library& library, std::uint32_t component) {
  std::vector<std::uint32_t> found{component};
  std::vector<bool> met(component + 1, false);
  met[component] = true;
  for (std::size_t k = 0; k < found.size(); ++k)
    for (auto& application : library.components[found[k]].applications)
      if (!met[application.component]) {
        met[application.component] = true;
        found.push_back(application.component);
      }
  std::ranges::sort(found);
  return found;
}

}  // namespace

Definition definition_of(const components::Component& component,
                         const std::vector<components::Component>& all) {
  return numbered(component, all, [](std::uint32_t c) { return c; });
}

Definition definition_by_application(const components::Component& component,
                                     const std::vector<components::Component>& all) {
  std::uint32_t next = 0;
  return numbered(component, all, [&](std::uint32_t) { return next++; });
}

std::optional<Flat> flatten(const components::Library& library, std::uint32_t component,
                            std::size_t most_rows) {
  Flat flat;
  flat.components = reached_from(library, component);
  if (std::ranges::any_of(flat.components,
                          [&](std::uint32_t c) { return !library.components[c].combinations.empty(); }))
    return std::nullopt;
  auto number = [&](std::uint32_t c) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(flat.components, c) - flat.components.begin());
  };
  std::vector<std::size_t> rows, instances;  // a component without equations has a size, too
  for (std::uint32_t c : flat.components) {
    rows.push_back(library.components[c].sources.size());
    instances.push_back(1);
    for (auto& application : library.components[c].applications) {
      rows.back() += rows[number(application.component)];
      instances.back() += instances[number(application.component)];
      if (std::max(rows.back(), instances.back()) > most_rows) return std::nullopt;
    }
  }
  std::vector<Definition> definitions;
  std::vector<std::vector<std::uint32_t>> variables;
  for (std::uint32_t c : flat.components) {
    definitions.push_back(numbered(library.components[c], library.components, number));
    std::vector<std::uint32_t> renamed = renamed_variables(library.components[c]);
    std::vector<std::uint32_t>& original = variables.emplace_back(renamed.size());
    for (std::uint32_t v = 0; v < renamed.size(); ++v) original[renamed[v]] = v;
  }
  flat.expansion = expand(definitions, number(component));
  for (const FlatRow& row : flat.expansion.rows) {
    const components::Component& c =
        library.components[flat.components[flat.expansion.instances[row.instance].definition]];
    flat.coefficients.insert(flat.coefficients.end(), c.coefficients.begin() + c.offsets[row.index],
                             c.coefficients.begin() + c.offsets[row.index + 1]);
  }
  for (FlatColumn& column : flat.expansion.columns)
    column.index = variables[flat.expansion.instances[column.instance].definition][column.index];
  return flat;
}

}  // namespace sigrel::structural_types
