#include "compiler/structural_types/definition_view.h"

#include <algorithm>

namespace sigrel::structural_types {

using singularity::Place;
using system::UnknownKind;

namespace {

std::vector<std::uint32_t> unknowns_in(const Incidence& incidence, std::uint32_t row) {
  auto columns = incidence.rows.row(row);
  std::vector<std::uint32_t> result(columns.begin(), columns.end());
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

}  // namespace

std::string DefinitionView::relation(Scope) const {
  std::string name(text(template_.relation));
  return name.empty() ? "the model" : "`" + name + "`";
}

Place DefinitionView::own_equation(std::uint32_t equation) const {
  return singularity::equation_place(library_.system.sources[component_.sources[equation]]);
}
Place DefinitionView::use(std::uint32_t application) const {
  const system::ChildInfo& child = template_.children[application];
  return {child.span, text(child.name)};
}

const system::LocalInfo& DefinitionView::local(const components::Component& component,
                                               std::uint32_t variable) const {
  const std::uint32_t index = variable - component.interface;
  const std::vector<system::LocalInfo>& locals = template_of(component).locals;
  return index < locals.size() ? locals[index] : component.reads[index - locals.size()];
}
std::string DefinitionView::name_in(const components::Component& component, std::uint32_t variable) const {
  return variable < component.interface ? template_of(component).interface[variable]
                                        : text(local(component, variable).name);
}
UnknownKind DefinitionView::kind_in(const components::Component& component, std::uint32_t variable) const {
  return variable < component.interface ? UnknownKind::Source : local(component, variable).kind;
}
const system::LocalInfo* DefinitionView::local_in(const components::Component& component,
                                                  std::uint32_t variable) const {
  return variable < component.interface ? nullptr : &local(component, variable);
}
std::optional<DefinitionView::Local> DefinitionView::place_in(const components::Component& component,
                                                              std::uint32_t variable) const {
  const system::Template& body = template_of(component);
  if (variable < component.interface || variable - component.interface >= body.locals.size())
    return std::nullopt;
  return Local{&body, variable - component.interface};
}
Span DefinitionView::declaration_in(const components::Component& component, std::uint32_t variable) const {
  return variable < component.interface ? template_of(component).interface_spans[variable]
                                        : local(component, variable).span;
}

std::vector<Place> CompositionView::places(Numbers equations, Scope) const {
  auto is_open = [&](const components::Component& part) {
    return std::ranges::any_of(part.holes,
                               [&](std::uint32_t h) { return !library_.holes[h].parameter.contract; });
  };
  std::vector<Place> result;
  for (std::uint32_t r : equations) {
    const RowOrigin& origin = composition_.rows[r];
    if (origin.kind == RowOrigin::Kind::Own) {
      result.push_back(own_equation(origin.index));
      continue;
    }
    result.push_back(use(origin.application));
    if (is_open(library_.components[component_.applications[origin.application].component]))
      result.back().bound = open_parts_;
  }
  return singularity::in_order_of_blame(std::move(result));
}

std::optional<singularity::SourceView::SameUse> CompositionView::same_use(std::uint32_t equation,
                                                                          std::uint32_t other) const {
  using Kind = RowOrigin::Kind;
  const RowOrigin &a = composition_.rows[equation], &b = composition_.rows[other];
  if (a.kind == Kind::Own || b.kind == Kind::Own || a.application == b.application) return std::nullopt;
  const auto &first = component_.applications[a.application],
             &second = component_.applications[b.application];
  const auto uses = [&](bool same_relation) {
    return SameUse{std::string(text(template_.children[a.application].name)),
                   std::string(text(template_.children[b.application].name)), same_relation};
  };
  if (first.component != second.component) {
    // Different parts between the same nodes, such as a source and an ammeter.
    const std::set<std::uint32_t> here = potentials(first), there = potentials(second);
    return here.size() > 1 && here == there ? std::optional(uses(false)) : std::nullopt;
  }
  // Each use of a node has a flow of its own.
  auto is_flow = [&](std::uint32_t v) { return has_name(v) && kind(v) == UnknownKind::Flow; };
  for (std::uint32_t k = 0; k < library_.components[first.component].interface; ++k) {
    const std::uint32_t x = component_.arguments[first.first_argument + k],
                        y = component_.arguments[second.first_argument + k];
    if (x != y && !(is_flow(x) && is_flow(y))) return std::nullopt;
  }
  return uses(true);
}

/// The potentials of the nodes that a use joins.
std::set<std::uint32_t> CompositionView::potentials(const components::Component::Application& use) const {
  std::set<std::uint32_t> found;
  for (std::uint32_t k = 0; k < library_.components[use.component].interface; ++k) {
    const std::uint32_t v = component_.arguments[use.first_argument + k];
    // The potentials of a node are variables with a dot in their names.
    const system::LocalInfo* local =
        has_name(v) && kind(v) == UnknownKind::Source ? declared_local(v) : nullptr;
    if (local && text(local->name).find('.') != std::string_view::npos) found.insert(v);
  }
  return found;
}

std::vector<std::uint32_t> CompositionView::unknowns_of(std::uint32_t equation) const {
  return unknowns_in(composition_.incidence, equation);
}

std::optional<std::uint32_t> ExpansionView::application_of(std::uint32_t instance) const {
  const std::vector<Instance>& instances = flat_.expansion.instances;
  if (instance == 0) return std::nullopt;
  while (instances[instance].parent != 0) instance = instances[instance].parent;
  return instances[instance].application;
}

std::vector<Place> ExpansionView::places(Numbers equations, Scope) const {
  std::vector<Place> result;
  for (std::uint32_t r : equations) {
    const FlatRow& row = flat_.expansion.rows[r];
    const std::optional<std::uint32_t> application = application_of(row.instance);
    result.push_back(application ? use(*application) : own_equation(row.index));
  }
  return singularity::in_order_of_blame(std::move(result));
}

std::vector<std::uint32_t> ExpansionView::unknowns_of(std::uint32_t equation) const {
  return unknowns_in(flat_.expansion.incidence, equation);
}

std::string ExpansionView::name(std::uint32_t unknown, Scope) const {
  const FlatColumn& column = flat_.expansion.columns[unknown];
  std::string result = name_in(component_of(column.instance), column.index);
  for (std::uint32_t i = column.instance; i != 0; i = flat_.expansion.instances[i].parent) {
    const Instance& instance = flat_.expansion.instances[i];
    const components::Component& parent = component_of(instance.parent);
    result = std::string(text(template_of(parent).children[instance.application].name)) + "." + result;
  }
  return result;
}

UnknownKind ExpansionView::kind(std::uint32_t unknown) const {
  const FlatColumn& column = flat_.expansion.columns[unknown];
  return kind_in(component_of(column.instance), column.index);
}

const system::LocalInfo* ExpansionView::declared_local(std::uint32_t unknown) const {
  const FlatColumn& column = flat_.expansion.columns[unknown];
  return local_in(component_of(column.instance), column.index);
}

std::optional<DefinitionView::Local> ExpansionView::local(std::uint32_t unknown) const {
  const FlatColumn& column = flat_.expansion.columns[unknown];
  return column.argument ? std::nullopt : place_in(component_of(column.instance), column.index);
}

Span ExpansionView::declaration(std::uint32_t unknown, Scope) const {
  const FlatColumn& column = flat_.expansion.columns[unknown];
  const std::optional<std::uint32_t> application = application_of(column.instance);
  return application ? use(*application).span : declaration_in(component_, column.index);
}

}  // namespace sigrel::structural_types
