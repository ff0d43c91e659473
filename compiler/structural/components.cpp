#include "compiler/structural/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "compiler/structural/definition.h"
#include "compiler/structural/unbalanced.h"

namespace sigrel::structural {
namespace {

// Columns that are opened go to the end of the interface.
Definition definition_of(const components::Component& c, const std::vector<components::Component>& all) {
  auto opened = static_cast<std::uint32_t>(c.opened.size());
  std::vector<std::uint32_t> renamed(c.interface + c.locals);
  for (std::uint32_t v = 0, read = 0; v < renamed.size(); ++v) {
    bool in_sight = read < opened && c.opened[read] == v;
    renamed[v] = v < c.interface ? v : in_sight ? c.interface + read : v + opened - read;
    read += in_sight;
  }
  Definition d(c.interface + opened, c.locals - opened);
  std::vector<std::uint32_t> row;
  for (std::size_t e = 0; e < c.sources.size(); ++e) {
    row.clear();
    for (std::uint32_t k = c.offsets[e]; k < c.offsets[e + 1]; ++k) row.push_back(renamed[c.variables[k]]);
    d.equation(row);
  }
  for (auto& application : c.applications) {
    d.application(application.component);
    const components::Component& child = all[application.component];
    for (std::uint32_t i = 0; i < child.interface + child.opened.size(); ++i)
      d.variable(renamed[c.arguments[application.first_argument + i]]);
  }
  return d;
}

class Report {
 public:
  Report(const components::Library& library, std::uint32_t component, const Type& type, Diagnostics& diagnostics)
      : library_(library), component_(library.components[component]), template_(library.system.templates[component_.body]),
        type_(type), diagnostics_(diagnostics) {}

  /// `kernels` of the components before this one.
  void run(const std::vector<std::optional<Kernel>>& kernels) {
    const Incidence& whole = type_.composition.incidence;
    const int equations = static_cast<int>(whole.rows.rows()) - static_cast<int>(whole.hidden);
    if (auto part = unbalanced_part(library_, kernels, component_, equations)) return unbalanced(*part, *kernels[part->component]);
    if (type_.excess) return excess(*type_.excess);
    undetermined(*type_.undetermined);
  }

 private:
  struct Place {
    Span span;
    std::string part;  // the instance that contributes the equations
    std::uint32_t equations;
  };

  std::string name(std::uint32_t variable) const {
    return variable < component_.interface ? template_.interface[variable] : local(variable - component_.interface).name;
  }
  Span declaration(std::uint32_t variable) const {
    return variable < component_.interface ? template_.interface_spans[variable] : local(variable - component_.interface).span;
  }
  const system::LocalInfo& local(std::uint32_t index) const {
    return index < template_.locals.size() ? template_.locals[index] : component_.reads[index - template_.locals.size()];
  }
  std::string relation() const { return fmt::format("`{}`", text(template_.relation)); }

  std::string names(std::span<const std::uint32_t> columns) const {
    std::vector<std::string> list;
    for (std::uint32_t c : columns)
      if (c < component_.interface + component_.locals) list.push_back("`" + name(c) + "`");
    if (list.size() > 4) {
      std::size_t more = list.size() - 3;
      list.resize(3);
      return fmt::format("{} and {} more", fmt::join(list, ", "), more);
    }
    if (list.size() < 2) return list.empty() ? "" : list[0];
    return fmt::format("{} and {}", fmt::join(list.begin(), list.end() - 1, ", "), list.back());
  }

  // Where the rows are written, in the order of the text; those of one application together.
  std::vector<Place> places(std::span<const std::uint32_t> rows) const {
    std::vector<Place> result;
    for (std::uint32_t r : rows) {
      const RowOrigin& origin = type_.composition.rows[r];
      Place place;
      if (origin.kind == RowOrigin::Kind::Own) {
        place = {library_.system.sources[component_.sources[origin.index]].span, {}, 1};
      } else {
        const system::ChildInfo& child = template_.children[origin.application];
        place = {child.span, child.name, 1};
      }
      auto same = std::ranges::find(result, place.span, &Place::span);
      if (same == result.end()) result.push_back(std::move(place));
      else ++same->equations;
    }
    std::ranges::stable_sort(result, {}, [](const Place& p) { return p.span.begin; });
    return result;
  }

  static std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

  void label(Diagnostic& d, std::span<const Place> others, std::string_view text) {
    for (const Place& p : others)
      d.also(p.span, p.part.empty() ? std::string(text) : fmt::format("`{}` contributes {}", p.part, counted(p.equations, "equation")));
  }

  void excess(const graph::HallSet& set) {
    auto where = places(set.rows);
    const Place& last = where.back();
    if (set.columns.empty()) {
      diagnostics_.report(Code::NoUnknown, last.span, fmt::format("an equation of {} contains no unknown", relation()))
          .label("only numbers and parameters, whose values are given: nothing is left to determine")
          .help("give a parameter its value where the relation is used; what must hold can be stated with `assert`");
      return;
    }
    Diagnostic& d = diagnostics_.report(Code::TooManyEquations, last.span,
                                        fmt::format("{} of {} determine only {}", counted(set.rows.size(), "equation"), relation(),
                                                    counted(set.columns.size(), "unknown")));
    std::string found = fmt::format("only {} can be found from {}", names(set.columns), set.rows.size() > 1 ? "these" : "this");
    if (!last.part.empty()) found = fmt::format("`{}` contributes {}; ", last.part, counted(last.equations, "equation")) + found;
    d.label(std::move(found));
    label(d, std::span(where).first(where.size() - 1), "together with this");
    if (component_.interface) d.note("whatever it is used in: no other relation can make up for it");
    d.help("one of these says the same as the others, or contradicts them: drop it, or let it contain another unknown");
  }

  void undetermined(const graph::HallSet& set) {
    std::vector<std::uint32_t> own;
    for (std::uint32_t c : set.columns)
      if (c < component_.interface + component_.locals) own.push_back(c);
    Span span = own.empty() ? template_.span : declaration(own[0]);
    std::string what = own.size() == 1 ? "`" + name(own[0]) + "`" : names(own);
    if (set.rows.empty()) {
      diagnostics_.report(Code::Undetermined, span, fmt::format("nothing determines {} in {}", what, relation()))
          .label("occurs in no equation")
          .help(fmt::format("an equation is missing that relates {} to other unknowns", what));
      return;
    }
    Diagnostic& d = diagnostics_.report(Code::Undetermined, span,
                                        own.size() == 1 ? fmt::format("nothing determines {} in {}", what, relation())
                                                        : fmt::format("nothing determines all of {} in {}", what, relation()));
    d.label(set.columns.size() == 1 ? "occurs in no equation that is free to determine it"
                                    : fmt::format("{} occur only in {}", names(own), counted(set.rows.size(), "equation")));
    label(d, places(set.rows), "here");
    d.help(fmt::format("an equation is missing that relates {} to other unknowns", own.size() == 1 ? what : "one of them"));
  }

  void unbalanced(const Unbalanced& part, const Kernel& kernel) {
    const components::Component& at_fault = library_.components[part.component];
    const system::Template& body = library_.system.templates[at_fault.body];
    const std::size_t n = static_cast<std::size_t>(std::abs(part.surplus));
    Diagnostic& d = diagnostics_.report(part.surplus > 0 ? Code::TooManyEquations : Code::Undetermined, body.span,
                                        fmt::format("`{}` has {} {} than flows", text(body.relation), counted(n, "equation"), part.surplus > 0 ? "more" : "less"));
    std::string type = at_fault.opened.empty() ? to_text(kernel, body.interface) + ": " : "";
    d.label(type + counted(kernel.rank() - at_fault.opened.size(), "equation") + " for " + counted(*at_fault.flows, "flow"));
    const Incidence& whole = type_.composition.incidence;
    d.also(template_.children[part.application].span,
           fmt::format("so {} has {} for {}", relation(), counted(whole.rows.rows(), "equation"), counted(whole.columns(), "unknown")));
    d.note("what a connector is connected with gives one equation for each of its flows, and all other parts here count on that");
    d.help(part.surplus > 0 ? "drop an equation, or let it contain another unknown" : "an equation is missing: often it is the balance of the flows, which sum to 0");
  }

  const components::Library& library_;
  const components::Component& component_;
  const system::Template& template_;
  const Type& type_;
  Diagnostics& diagnostics_;
};

}  // namespace

std::vector<std::optional<Kernel>> check(const components::Library& library, Diagnostics& diagnostics) {
  std::vector<std::optional<Kernel>> kernels;
  kernels.reserve(library.components.size());
  for (std::uint32_t c = 0; c < library.components.size(); ++c) {
    const components::Component& component = library.components[c];
    bool complete = std::ranges::all_of(component.applications, [&](auto& a) { return kernels[a.component].has_value(); });
    if (!complete) {
      kernels.emplace_back();
      continue;
    }
    Type type = type_of(definition_of(component, library.components), [&](std::uint32_t r) -> const Kernel& { return *kernels[r]; });
    // One that is opened for somebody who reads inside it is singular only if it is so by itself.
    if (!type.kernel && component.opened.empty()) Report(library, c, type, diagnostics).run(kernels);
    kernels.push_back(std::move(type.kernel));
  }
  return kernels;
}

std::string to_text(const Kernel& kernel, const components::Library& library, std::uint32_t component) {
  return to_text(kernel, library.system.templates[library.components[component].body].interface);
}

}  // namespace sigrel::structural
