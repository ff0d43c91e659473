#include "compiler/structural_types/definition_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "compiler/singularity/lone_nodes.h"
#include "compiler/singularity/report.h"
#include "compiler/structural_types/components.h"
#include "compiler/structural_types/unbalanced.h"

namespace sigrel::structural_types {
namespace {

using singularity::counted;

void report_unbalanced(const components::Library& library, const Unbalanced& part,
                       const CompositionView& view, std::uint32_t component, const StructuralType& type,
                       const Incidence& whole, Diagnostics& diagnostics) {
  const components::Component& at_fault = library.components[part.component];
  const system::Template& body = library.system.templates[at_fault.body];
  const auto n = static_cast<std::size_t>(std::abs(part.surplus));
  const bool more = part.surplus > 0;
  Diagnostic& d = diagnostics.report(more ? Code::TooManyEquations : Code::Undetermined, body.span,
                                     fmt::format("`{}` has {} {} than flows", text(body.relation),
                                                 counted(n, "equation"), more ? "more" : "fewer"));
  const std::string shown = at_fault.exposed.empty() ? to_text(type, body.interface) + ": " : "";
  d.label(shown + counted(type.rank() - at_fault.exposed.size(), "equation") + " for " +
          counted(*at_fault.flows, "flow"));
  const system::Template& user = library.system.templates[library.components[component].body];
  d.also(user.children[part.application].span,
         fmt::format("so {} has {} for {}", view.relation(), counted(whole.rows.rows(), "equation"),
                     counted(whole.columns(), "unknown")));
  d.note(
      "the relations that a connector is connected with supply one equation for each of its flows: every "
      "other "
      "part here has as many equations as flows");
  if (!more && !body.unused_nodes.empty()) {
    const std::string node = text(body.unused_nodes.front());
    d.note(fmt::format("nothing in `{}` is connected to `{}`", text(body.relation), node));
    d.help(fmt::format("connect `{}` to a part, or give it the equations that it lacks", node));
    return;
  }
  d.help(more ? "drop an equation, or let it contain another unknown"
              : "an equation is missing: often it is the balance of the flows, which sum to 0");
}

/// A signal in the interface of a part that no equation of the part contains.
struct UnusedSignal {
  std::uint32_t application, variable;  // of the definition; of the interface of the part
};

/// The first one to which an unknown is passed that nothing determines. Fields of connectors are no signals:
/// a source has no equation for its potential or for its flow.
std::optional<UnusedSignal> unused_signal(const components::Library& library,
                                          const components::Component& component,
                                          const std::vector<singularity::UnderDetermined>& under) {
  std::map<std::uint32_t, std::vector<bool>> used_in;  // by component: of its interface
  auto used = [&](std::uint32_t c) -> const std::vector<bool>& {
    const components::Component& part = library.components[c];
    auto [at, fresh] = used_in.try_emplace(c, part.interface, false);
    if (fresh)
      for (const std::vector<std::uint32_t>* list : {&part.variables, &part.arguments})
        for (const std::uint32_t v : *list)
          if (v < part.interface) at->second[v] = true;
    return at->second;
  };
  for (const singularity::UnderDetermined& cause : under)
    for (std::uint32_t a = 0; a < component.applications.size(); ++a) {
      const std::uint32_t c = component.applications[a].component;
      const components::Component& part = library.components[c];
      if (part.hole || !part.combinations.empty()) continue;
      const std::vector<std::string>& names = library.system.templates[part.body].interface;
      for (std::uint32_t k = 0; k < part.interface; ++k) {
        const std::uint32_t passed = component.arguments[component.applications[a].first_argument + k];
        if (std::ranges::binary_search(cause.undetermined, passed) &&
            names[k].find('.') == std::string::npos && !used(c)[k])
          return UnusedSignal{a, k};
      }
    }
  return std::nullopt;
}

/// Adds it to the report about a definition whose unknown it is.
void label_unused_signal(const components::Library& library, const components::Component& component,
                         const UnusedSignal& signal, Diagnostic& report) {
  const components::Component& part =
      library.components[component.applications[signal.application].component];
  const system::Template& body = library.system.templates[part.body];
  report.also(
      body.interface_spans[signal.variable],
      fmt::format("`{}` is in no equation of `{}`", body.interface[signal.variable], text(body.relation)));
}

/// Those inside the parts that a definition applies: the flat system knows them.
std::vector<singularity::LoneNodes> lone_nodes_of_parts(const components::Library& library,
                                                        std::uint32_t component) {
  constexpr std::size_t kMostRows = 1'000'000;
  const std::optional<Flat> flat = flatten(library, component, kMostRows);
  if (!flat) return {};
  const Incidence& incidence = flat->expansion.incidence;
  return singularity::lone_nodes(ExpansionView(library, component, *flat),
                                 singularity::structural_causes(incidence.rows, incidence.interface).under);
}

/// Whether all unknowns belong to one part: then the definition of that part has the warning.
bool inside_a_part(const Flat& flat, const ExpansionView& view, const std::vector<std::uint32_t>& unknowns) {
  std::optional<std::uint32_t> part;
  for (std::uint32_t c : unknowns) {
    const auto application = view.application_of(flat.expansion.columns[c].instance);
    if (!application || (part && part != application)) return false;
    part = application;
  }
  return true;
}

}  // namespace

void report_structure(const components::Library& library,
                      const std::vector<std::optional<StructuralType>>& types, std::uint32_t component,
                      const Typing& typing, Diagnostics& diagnostics) {
  const Incidence& whole = typing.composition.incidence;
  const CompositionView view(library, component, typing.composition);
  const singularity::StructuralCauses causes = typing.causes();
  if (!causes.under.empty() && singularity::lone_nodes(view, causes.under).empty()) {
    const std::vector<singularity::LoneNodes> inside = lone_nodes_of_parts(library, component);
    if (!inside.empty()) {
      singularity::report_lone_nodes(inside.front(), diagnostics)
          .note(fmt::format("because of this, {} has fewer equations than unknowns", view.relation()));
      return;
    }
  }
  const int equations = static_cast<int>(whole.rows.rows()) - static_cast<int>(whole.hidden);
  if (auto part = unbalanced_part(library, types, library.components[component], equations))
    return report_unbalanced(library, *part, view, component, *types[part->component], whole, diagnostics);
  Diagnostics reports;
  singularity::report_structural(view, causes, reports);
  const auto signal = unused_signal(library, library.components[component], causes.under);
  bool first = true;
  for (Diagnostic d : reports.all()) {
    if (signal && d.code == Code::Undetermined && std::exchange(first, false))
      label_unused_signal(library, library.components[component], *signal, d);
    diagnostics.append(std::move(d));
  }
}

void warn_of_lone_nodes(const components::Library& library,
                        const std::vector<std::optional<StructuralType>>& types, std::uint32_t component,
                        Diagnostics& diagnostics) {
  const components::Component& c = library.components[component];
  const system::Template& body = library.system.templates[c.body];
  if (!c.flows || !types[component] || !c.exposed.empty() || body.lone_nodes.empty()) return;
  const std::uint32_t rank = types[component]->rank();
  if (rank >= *c.flows) return;
  const std::optional<Composition> composition = composition_of(library, types, component);
  if (!composition) return;
  singularity::LoneNodes lone{&body, 0, {}};
  Incidence incidence = composition->incidence;
  for (const system::LoneNode& node : body.lone_nodes) {
    if (lone.nodes.size() == *c.flows - rank) break;
    Incidence with = incidence;  // where nothing is connected, the flow is zero
    with.rows.targets.push_back(c.interface + node.local + node.first_flow);
    with.rows.end_row();
    if (!cover(with).complete()) continue;
    incidence = std::move(with);
    lone.nodes.push_back({&node, true});
  }
  if (lone.nodes.empty()) return;
  std::ranges::stable_sort(lone.nodes, {},
                           [](const singularity::LoneNodes::Node& n) { return n.node->span; });
  Diagnostics found;
  Diagnostic d = singularity::report_lone_nodes(lone, found);
  d.severity = Severity::Warning;
  d.note(fmt::format("`{}` has {} for {}: models of parts with as many equations as flows cannot use it",
                     text(body.relation), counted(rank, "equation"), counted(*c.flows, "flow")));
  diagnostics.append(std::move(d));
}

void report_coefficients(const Singularity& s, const components::Library& library, std::uint32_t component,
                         Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  const ExpansionView view(library, component, s.flat);
  if (s.harmless()) {
    std::vector<std::vector<std::uint32_t>> floating;
    for (const NullVector& v : s.free)
      if (!inside_a_part(s.flat, view, v.support)) floating.push_back(v.support);
    return singularity::report_chosen_references(view, floating, diagnostics);
  }
  if (s.verdict.floats) {
    auto span = [&](const std::optional<std::uint32_t>& row) {
      return row ? std::optional(view.places(std::array{*row}).front().span) : std::nullopt;
    };
    const singularity::FloatingPotentialUse use{span(s.verdict.condition), span(s.verdict.start),
                                                span(s.verdict.numbers)};
    for (std::size_t k = 0; k < std::min(s.free.size(), kShown); ++k)
      singularity::report_no_reference(view, s.free[k].support, use, diagnostics);
    return;
  }
  if (s.redundant.empty()) return singularity::report_combination(view, s.free.front().support, diagnostics);
  // Where potentials float, flows are balanced once too often: the mistake is an equation of the potentials.
  std::vector<std::uint32_t> undetermined;
  for (const NullVector& v : s.free)
    undetermined.insert(undetermined.end(), v.support.begin(), v.support.end());
  std::ranges::sort(undetermined);
  undetermined.erase(std::ranges::unique(undetermined).begin(), undetermined.end());
  const bool only_potentials = std::ranges::all_of(s.free, &NullVector::floating);
  auto mistake = std::ranges::find_if(s.redundant, [&](const NullVector& equations) {
    return only_potentials && std::ranges::any_of(equations.support, [&](std::uint32_t r) {
             return std::ranges::any_of(s.flat.expansion.incidence.rows.row(r), [&](std::uint32_t c) {
               return std::ranges::binary_search(undetermined, c);
             });
           });
  });
  if (mistake == s.redundant.end()) mistake = s.redundant.begin();
  singularity::report_redundant(view, {mistake->support, true, std::move(undetermined)}, diagnostics);
}

}  // namespace sigrel::structural_types
