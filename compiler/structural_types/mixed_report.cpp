#include "compiler/structural_types/mixed_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace sigrel::structural_types {
namespace {

std::string listed(std::vector<std::string> names) {
  for (std::string& name : names) name = "`" + name + "`";
  constexpr std::size_t kShown = 5;
  std::string last;
  if (names.size() > kShown) {
    last = fmt::format("{} more", names.size() - kShown);
    names.resize(kShown);
  } else {
    last = names.back();
    names.pop_back();
  }
  return names.empty() ? last : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class Report {
 public:
  Report(const Singularity& singularity, const components::Library& library, std::uint32_t component,
         Diagnostics& diagnostics)
      : singularity_(singularity),
        flat_(singularity.flat),
        library_(library),
        component_(library.components[component]),
        template_(library.system.templates[component_.body]),
        diagnostics_(diagnostics) {}

  void run() {
    const auto& free = singularity_.free;
    if (singularity_.harmless()) return arbitrary();
    // Without a reference it is the flows that are balanced once too often. Where equations of the levels
    // themselves depend on each other, x = y, y = z, z = x, one of them is the mistake.
    bool levels = !free.empty() && std::ranges::all_of(free, &NullVector::level);
    if (levels && (singularity_.redundant.empty() || !touches(singularity_.redundant.front(), free))) {
      for (std::size_t k = 0; k < std::min<std::size_t>(free.size(), 3); ++k) no_reference(free[k]);
    } else if (!singularity_.redundant.empty()) {
      redundant(singularity_.redundant.front());
    } else {
      combinations(free.front());
    }
  }

 private:
  bool touches(const NullVector& equations, const std::vector<NullVector>& free) const {
    return std::ranges::any_of(equations.support, [&](std::uint32_t r) {
      return std::ranges::any_of(flat_.expansion.incidence.rows.row(r), [&](std::uint32_t c) {
        return std::ranges::any_of(
            free, [&](const NullVector& v) { return std::ranges::binary_search(v.support, c); });
      });
    });
  }

  struct Place {
    Span span;
    std::string
        part;  // the use of a relation that contributes the equations; empty for an equation of the body
    std::size_t equations = 1;
  };

  const components::Component& component_of(std::uint32_t instance) const {
    return library_.components[flat_.components[flat_.expansion.instances[instance].definition]];
  }
  const system::Template& template_of(std::uint32_t instance) const {
    return library_.system.templates[component_of(instance).body];
  }
  std::string relation() const { return fmt::format("`{}`", text(template_.relation)); }

  const system::LocalInfo& local(std::uint32_t instance, std::uint32_t index) const {
    const components::Component& c = component_of(instance);
    const system::Template& t = template_of(instance);
    return index < t.locals.size() ? t.locals[index] : c.reads[index - t.locals.size()];
  }
  bool is_source(std::uint32_t column) const {
    const FlatColumn& c = flat_.expansion.columns[column];
    const components::Component& own = component_of(c.instance);
    return c.index < own.interface ||
           local(c.instance, c.index - own.interface).kind == system::UnknownKind::Source;
  }
  std::string name(std::uint32_t column) const {
    const FlatColumn& c = flat_.expansion.columns[column];
    const components::Component& own = component_of(c.instance);
    std::string result = c.index < own.interface ? template_of(c.instance).interface[c.index]
                                                 : text(local(c.instance, c.index - own.interface).name);
    for (std::uint32_t i = c.instance; i != 0; i = flat_.expansion.instances[i].parent) {
      const Instance& instance = flat_.expansion.instances[i];
      result = text(template_of(instance.parent).children[instance.application].name) + "." + result;
    }
    return result;
  }
  /// What was declared in the source first.
  std::vector<std::string> names(std::vector<std::uint32_t> columns) const {
    std::ranges::stable_partition(columns, [&](std::uint32_t c) { return is_source(c); });
    std::vector<std::string> result;
    for (std::uint32_t c : columns) result.push_back(name(c));
    return result;
  }

  /// Where the rows are written, seen from the definition: uses of relations first, then its own equations,
  /// in the order of the text.
  std::vector<Place> places(std::span<const std::uint32_t> rows) const {
    std::vector<Place> own, parts;
    for (std::uint32_t r : rows) {
      const FlatRow& row = flat_.expansion.rows[r];
      std::uint32_t at = row.instance, use = 0;
      for (; at != 0; at = flat_.expansion.instances[at].parent) use = at;
      bool is_own = row.instance == 0;
      Place place;
      if (is_own) {
        place.span = library_.system.sources[component_.sources[row.index]].span;
      } else {
        const system::ChildInfo& child = template_.children[flat_.expansion.instances[use].application];
        place = {child.span, text(child.name)};
      }
      auto& list = is_own ? own : parts;
      auto same = std::ranges::find(list, place.span, &Place::span);
      if (same == list.end())
        list.push_back(std::move(place));
      else
        ++same->equations;
    }
    auto by_span = [](const Place& a, const Place& b) { return a.span < b.span; };
    std::ranges::stable_sort(own, by_span);
    std::ranges::stable_sort(parts, by_span);
    parts.insert(parts.end(), own.begin(), own.end());
    return parts;
  }

  void in_any_use(Diagnostic& d) const {
    if (component_.interface > 0) d.note("whatever it is used in: no other relation can make up for it");
  }

  std::string nothing_fixes(const NullVector& level) const {
    return fmt::format("nothing fixes the level of {}: every equation contains only their differences",
                       listed(names(level.support)));
  }
  static constexpr const char* kGround = "connect one of the nodes to `ground`, or give one of these a value";

  void no_reference(const NullVector& level) {
    Diagnostic& d = diagnostics_.report(Code::NoReferenceLevel, template_.span, "no reference potential");
    d.label(nothing_fixes(level));
    if (singularity_.decides)
      d.also(places(std::array{*singularity_.decides})[0].span, "a condition here depends on the level");
    else if (singularity_.depends)
      d.also(places(std::array{*singularity_.depends})[0].span,
             "this follows from the other flows, or contradicts them: that depends on its numbers");
    d.help(kGround);
  }

  /// Of each level its part that is not told where a part of this relation is defined.
  void arbitrary() {
    std::size_t told = 0;
    for (const NullVector& level : singularity_.free) {
      if (inside_a_part(level)) continue;
      if (++told > 3) break;
      std::vector<std::string> sources;
      for (std::uint32_t c : level.support)
        if (is_source(c)) sources.push_back(name(c));
      if (sources.empty()) sources = names(level.support);
      diagnostics_
          .report(
              Code::ArbitraryLevel, template_.span,
              fmt::format("no reference potential: `{}` is taken as 0", *std::ranges::max_element(sources)))
          .label(nothing_fixes(level))
          .help(kGround);
    }
  }
  bool inside_a_part(const NullVector& level) const {
    std::optional<std::uint32_t> part;
    for (std::uint32_t c : level.support) {
      std::uint32_t use = 0;
      for (std::uint32_t i = flat_.expansion.columns[c].instance; i != 0;
           i = flat_.expansion.instances[i].parent)
        use = i;
      if (use == 0 || (part && *part != use)) return false;
      part = use;
    }
    return true;
  }

  void redundant(const NullVector& equations) {
    std::vector<Place> where = places(equations.support);
    const Place& last = where.back();
    Diagnostic& d =
        diagnostics_.report(Code::RedundantEquation, last.span,
                            where.size() == 2 && equations.support.size() == 2
                                ? fmt::format("2 equations of {} say the same", relation())
                                : fmt::format("an equation of {} says what others say already", relation()));
    const bool one = equations.support.size() == 2;
    std::string follows = fmt::format("follows from the other equation{}, or contradicts {}", one ? "" : "s",
                                      one ? "it" : "them");
    if (last.part.empty()) {
      auto row = flat_.expansion.incidence.rows.row(equations.support.back());
      std::vector<std::uint32_t> mentioned(row.begin(), row.end());
      std::ranges::sort(mentioned);
      mentioned.erase(std::ranges::unique(mentioned).begin(), mentioned.end());
      d.label(fmt::format("what this says of {} {}", listed(names(mentioned)), follows));
    } else {
      d.label(fmt::format("`{}` contributes {}; one {}", last.part, counted(last.equations, "equation"),
                          follows));
    }
    constexpr std::size_t kShown = 6;
    std::size_t left_out = 0;
    for (std::size_t k = 0; k + 1 < where.size(); ++k) {
      const Place& p = where[k];
      if (k >= kShown)
        left_out += p.equations;
      else
        d.also(p.span, p.part.empty()
                           ? "together with this"
                           : fmt::format("`{}` contributes {}", p.part, counted(p.equations, "equation")));
    }
    if (left_out > 0)
      d.note(
          fmt::format("{} more belong{} to them", counted(left_out, "equation"), left_out == 1 ? "s" : ""));
    in_any_use(d);
    std::vector<std::uint32_t> loose;
    for (const NullVector& v : singularity_.free)
      loose.insert(loose.end(), v.support.begin(), v.support.end());
    std::ranges::sort(loose);
    loose.erase(std::ranges::unique(loose).begin(), loose.end());
    if (!loose.empty()) d.note(fmt::format("so nothing determines {}", listed(names(loose))));
    d.help("replace one of them by an equation that says something new");
  }

  void combinations(const NullVector& free) {
    auto unknowns = names(free.support);
    Diagnostic& d =
        diagnostics_.report(Code::Undetermined, template_.span,
                            fmt::format("nothing determines {} in {}", listed(unknowns), relation()));
    d.label(unknowns.size() == 1
                ? "no equation changes with it"
                : "its equations determine only combinations of these, never each by itself");
    in_any_use(d);
    d.help(unknowns.size() == 1
               ? fmt::format("an equation is missing that relates {} to other unknowns", listed(unknowns))
               : "an equation is missing that contains another combination of them");
  }

  const Singularity& singularity_;
  const Flat& flat_;
  const components::Library& library_;
  const components::Component& component_;
  const system::Template& template_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report(const Singularity& singularity, const components::Library& library, std::uint32_t component,
            Diagnostics& diagnostics) {
  Report(singularity, library, component, diagnostics).run();
}

}  // namespace sigrel::structural_types
