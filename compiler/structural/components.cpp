#include "compiler/structural/components.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "compiler/structural/flat.h"
#include "compiler/structural/mixed_report.h"
#include "compiler/structural/unbalanced.h"

namespace sigrel::structural {
namespace {

std::string counted(std::size_t n, std::string_view what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

// What the sizes of the holes are in the type that is reported.
enum class Of : std::uint8_t { Given, Smallest, Largest };

class Report {
 public:
  Report(const components::Library& library, std::uint32_t component, const Type& type, Diagnostics& diagnostics, Of sizes = Of::Given)
      : library_(library), component_(library.components[component]), template_(library.system.templates[component_.body]),
        type_(type), diagnostics_(diagnostics), sizes_(sizes) {}

  /// `kernels` of the components before this one.
  void run(const std::vector<std::optional<Kernel>>& kernels) {
    const Incidence& whole = type_.composition.incidence;
    const int equations = static_cast<int>(whole.rows.rows()) - static_cast<int>(whole.hidden);
    if (auto part = unbalanced_part(library_, kernels, component_, equations)) return unbalanced(*part, *kernels[part->component]);
    run();
  }
  void run() {
    if (type_.excess && sizes_ != Of::Largest) return excess(*type_.excess);
    undetermined(*type_.undetermined);
  }

  /// The sets that compete for too few unknowns with the smallest relations that leave none undetermined.
  Diagnostic& whatever(std::string_view parameters) {
    auto where = places(type_.excess->rows);
    const Place& last = where.back();
    Diagnostic& d = diagnostics_.report(Code::NoRelationFits, last.span, fmt::format("{} cannot be completed, whatever {}", relation(), parameters));
    std::string found = fmt::format("{} determine only {}", counted(type_.excess->rows.size(), "equation"), counted(type_.excess->columns.size(), "unknown"));
    if (!type_.excess->columns.empty()) found += fmt::format(": {}", names(type_.excess->columns));
    if (!last.part.empty()) found = contributes(last) + "; " + found;
    d.label(std::move(found));
    label(d, std::span(where).first(where.size() - 1), "together with this");
    return d;
  }
  std::string undetermined_names() const { return names(type_.undetermined->columns); }

 private:
  struct Place {
    Span span;
    std::string part;  // the instance that contributes the equations
    std::uint32_t equations;
    bool open = false;  // how many depends on a hole
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
        place = {child.span, child.name, 1, !library_.components[component_.applications[origin.application].component].holes.empty()};
      }
      auto same = std::ranges::find(result, place.span, &Place::span);
      if (same == result.end()) result.push_back(std::move(place));
      else ++same->equations;
    }
    std::ranges::stable_sort(result, {}, [](const Place& p) { return p.span.begin; });
    return result;
  }

  std::string contributes(const Place& p) const {
    std::string_view bound = !p.open || sizes_ == Of::Given ? "" : sizes_ == Of::Smallest ? "at least " : "at most ";
    return fmt::format("`{}` contributes {}{}", p.part, bound, counted(p.equations, "equation"));
  }

  void label(Diagnostic& d, std::span<const Place> others, std::string_view text) {
    for (const Place& p : others)
      d.also(p.span, p.part.empty() ? std::string(text) : contributes(p));
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
    if (!last.part.empty()) found = contributes(last) + "; " + found;
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
  Of sizes_;
};

class Check {
 public:
  Check(const components::Library& library, Diagnostics& diagnostics, Withheld* withheld)
      : library_(library), reported_to_(diagnostics), withheld_(withheld), holes_(library, result_.kernels) {}

  Checked run() {
    auto count = static_cast<std::uint32_t>(library_.components.size());
    result_.kernels.resize(count);
    result_.fits.resize(count);
    for (std::uint32_t c = 0; c < count; ++c) {
      diagnostics_.clear();
      component(c);
      if (c < library_.plain) reported_to_.append(diagnostics_);
      else if (withheld_ && diagnostics_.has_errors()) withheld_->emplace_back(c, diagnostics_.all().front());
    }
    return std::move(result_);
  }

 private:
  void component(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    if (component.holes.empty()) return closed(c, component);
    const Fit& fit = result_.fits[c] = holes_.fit(c);
    // Applied to a parameter of another definition, it has the same fault again.
    if (fit.kind == Fit::None && component.opened.empty() && reported_.insert(component.literal).second) nothing_fits(c, fit);
    if (fit.only) result_.kernels[c] = holes_.kernel_at(c, *fit.only);
  }

  void closed(std::uint32_t c, const components::Component& component) {
    if (!std::ranges::all_of(component.applications, [&](auto& a) { return result_.kernels[a.component].has_value(); })) return;
    Definition definition = definition_of(component, library_.components);
    Type type = type_of(definition, [&](std::uint32_t r) -> const Kernel& { return *result_.kernels[r]; });
    // One that is opened for somebody who reads inside it is singular only if it is so by itself.
    const bool judged = component.opened.empty();
    if (!type.kernel) {
      if (judged) Report(library_, c, type, diagnostics_).run(result_.kernels);
    } else if (auto singularity = mixed_.check(c, definition)) {
      type.kernel.reset();
      if (judged) report(*singularity, library_, c, diagnostics_);
    }
    result_.kernels[c] = std::move(type.kernel);
  }

  // One cause, one error: what is wrong even with the smallest or the largest relations does not depend on them.
  void nothing_fits(std::uint32_t c, const Fit& fit) {
    const components::Component& component = library_.components[c];
    Sizes smallest, largest;
    for (std::uint32_t h : component.holes) {
      smallest.push_back(0);
      largest.push_back(library_.components[library_.holes[h].component].interface);
    }
    if (holes_.parts_fit(c, smallest))
      if (Type type = holes_.type_at(c, smallest); type.excess) return Report(library_, c, type, diagnostics_, Of::Smallest).run();
    if (holes_.parts_fit(c, largest))
      if (Type type = holes_.type_at(c, largest); type.undetermined) return Report(library_, c, type, diagnostics_, Of::Largest).run();
    if (!fit.nearest) return parts_disagree(c);
    Sizes sizes = *fit.nearest;
    for (std::uint32_t& size : sizes)
      while (size > 0) {
        --size;
        if (holes_.parts_fit(c, sizes) && !holes_.type_at(c, sizes).undetermined) continue;
        ++size;
        break;
      }
    Type type = holes_.type_at(c, sizes);
    Diagnostic& d = Report(library_, c, type, diagnostics_).whatever(parameters(component));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0) continue;
      Sizes fewer = sizes;
      --fewer[i];
      if (!holes_.parts_fit(c, fewer)) continue;
      Type less = holes_.type_at(c, fewer);
      if (less.undetermined)
        d.note(fmt::format("`{}` is taken to have {}; with fewer, nothing determines {}", parameter(component.holes[i]), counted(sizes[i], "equation"),
                           Report(library_, c, less, diagnostics_).undetermined_names()));
    }
    d.help("no argument can make up for both: drop one of the equations, or relate the unknowns that are left to others");
  }

  std::string_view parameter(std::uint32_t hole) const { return text(library_.holes[hole].parameter.parameter); }
  std::string parameters(const components::Component& component) const {
    std::string list;
    auto& holes = component.holes;
    for (std::size_t i = 0; i < holes.size(); ++i) list += fmt::format("{}`{}`", i == 0 ? "" : i + 1 < holes.size() ? ", " : " and ", parameter(holes[i]));
    return list + (holes.size() > 1 ? " are" : " is");
  }

  // Two parts need different relations in one place.
  void parts_disagree(std::uint32_t c) {
    const components::Component& component = library_.components[c];
    auto& children = library_.system.templates[component.body].children;
    for (std::size_t i = 0; i < component.holes.size(); ++i) {
      std::uint32_t hole = component.holes[i];
      std::optional<std::size_t> most, least;  // the application that needs the largest, and the one that allows the smallest
      auto interval = [&](std::size_t a) -> std::optional<Interval> {
        std::uint32_t part = component.applications[a].component;
        auto& holes = library_.components[part].holes;
        auto at = std::ranges::lower_bound(holes, hole);
        if (at == holes.end() || *at != hole) return std::nullopt;
        return result_.fits[part].sizes[static_cast<std::size_t>(at - holes.begin())];
      };
      for (std::size_t a = 0; a < component.applications.size(); ++a) {
        auto mine = interval(a);
        if (!mine) continue;
        if (!most || mine->first > interval(*most)->first) most = a;
        if (!least || mine->last < interval(*least)->last) least = a;
      }
      if (!most || interval(*most)->first <= interval(*least)->last) continue;
      std::size_t later = std::max(*most, *least), earlier = std::min(*most, *least);
      auto needs = [&](std::size_t a) {
        return fmt::format("`{}` needs {} {} of `{}`", children[a].name, a == *most ? "at least" : "at most",
                           counted(a == *most ? interval(a)->first : interval(a)->last, "equation"), parameter(hole));
      };
      diagnostics_.report(Code::NoRelationFits, children[later].span,
                          fmt::format("`{}` cannot be completed, whatever {}", text(library_.system.templates[component.body].relation), parameters(component)))
          .label(needs(later))
          .also(children[earlier].span, needs(earlier));
      return;
    }
  }

  const components::Library& library_;
  Diagnostics& reported_to_;
  Withheld* withheld_;
  Diagnostics diagnostics_;  // of one component
  Checked result_;
  Holes holes_;
  MixedLayer mixed_{library_};
  std::set<std::uint32_t> reported_;  // literals
};

}  // namespace

Checked check(const components::Library& library, Diagnostics& diagnostics, Withheld* withheld) { return Check(library, diagnostics, withheld).run(); }

std::optional<Composition> composition_of(const components::Library& library, std::span<const std::optional<Kernel>> kernels, std::uint32_t component) {
  const components::Component& c = library.components[component];
  if (!std::ranges::all_of(c.applications, [&](auto& a) { return kernels[a.component].has_value(); })) return std::nullopt;
  return compose(definition_of(c, library.components), [&](std::uint32_t r) -> const Kernel& { return *kernels[r]; });
}

std::string to_text(const Kernel& kernel, const components::Library& library, std::uint32_t component) {
  return to_text(kernel, library.system.templates[library.components[component].body].interface);
}

std::string to_text(const std::optional<Kernel>& kernel, const Fit& fit, const components::Library& library, std::uint32_t component) {
  std::string type = kernel ? to_text(*kernel, library, component) : std::string();
  std::string sizes;
  auto& holes = library.components[component].holes;
  for (std::size_t i = 0; i < fit.sizes.size(); ++i) {
    const components::Hole& hole = library.holes[holes[i]];
    auto [first, last] = fit.sizes[i];
    if (first == 0 && last == library.components[hole.component].interface) continue;  // any relation
    sizes += fmt::format("{} {} {{#{}}}", sizes.empty() ? " for" : ",", text(hole.parameter.parameter),
                         first == last ? fmt::format("{}", first) : fmt::format("{} .. {}", first, last));
  }
  if (holes.empty() || (type.empty() && sizes.empty())) return type;
  return type.empty() ? sizes.substr(1) : type + " at most" + (sizes.empty() ? "" : "," + sizes);
}

}  // namespace sigrel::structural
