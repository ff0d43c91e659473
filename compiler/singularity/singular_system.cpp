#include "compiler/singularity/singular_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "compiler/incidence/incidence.h"
#include "compiler/singularity/source_names.h"

namespace sigrel::singularity {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
using Places = std::vector<SourceNames::Place>;

std::vector<Origin> origins_of(const incidence::EquationList& list,
                               std::span<const std::uint32_t> equations) {
  std::vector<Origin> result;
  for (std::uint32_t e : equations) result.push_back(list.origin(e));
  return result;
}

/// A system of equations as a graph whose columns can be named by unknowns of the system.
struct Structure {
  incidence::EquationList equations;
  graph::Bipartite graph;
  graph::Matching matching;
  std::vector<std::uint32_t> unknown_of;  // by column

  bool perfect() const { return matching.size() == graph.rows() && matching.size() == graph.columns; }
  std::vector<std::uint32_t> unmatched_rows() const { return unmatched(matching.column_of_row); }
  std::vector<std::uint32_t> unmatched_columns() const { return unmatched(matching.row_of_column); }
  std::vector<std::uint32_t> unknowns(std::span<const std::uint32_t> columns) const {
    std::vector<std::uint32_t> result;
    for (std::uint32_t c : columns) result.push_back(unknown_of[c]);
    std::ranges::sort(result);
    return result;
  }

 private:
  static std::vector<std::uint32_t> unmatched(const std::vector<std::uint32_t>& partner) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t k = 0; k < partner.size(); ++k)
      if (partner[k] == kNone) result.push_back(k);
    return result;
  }
};

/// As the source says it: x and der x are one column.
Structure original(const system::System& system) {
  Structure s;
  s.equations.append(system.equations);
  s.graph = incidence::incidence(s.equations, system.unknowns);
  s.matching = graph::maximum_matching(s.graph);
  for (std::uint32_t u = 0; u < system.unknowns; ++u) s.unknown_of.push_back(u);
  return s;
}

/// After alias elimination; x and der x are one column.
Structure reduced(const dae::System& dae) {
  Structure s;
  s.equations.append(dae.equations);
  std::vector<std::uint32_t> column_of(dae.variables.size(), kNone);
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    const dae::Variable& variable = dae.variables[v];
    if (variable.integral != dae::kNone) {
      column_of[v] = column_of[variable.integral];
    } else {
      column_of[v] = static_cast<std::uint32_t>(s.unknown_of.size());
      s.unknown_of.push_back(variable.unknown);
    }
  }
  ExprPool pool = dae.exprs;
  s.graph = incidence::determining_incidence(pool, s.equations,
                                             static_cast<std::uint32_t>(s.unknown_of.size()), column_of);
  s.matching = graph::maximum_matching(s.graph);
  return s;
}

class Blame {
 public:
  Blame(const system::System& system, Diagnostics& diagnostics)
      : system_(system), terms_(system), diagnostics_(diagnostics) {}

  /// Too many equations here, too few there.
  void report_parts(const Structure& s) {
    auto rows = s.unmatched_rows(), columns = s.unmatched_columns();
    std::optional<std::uint32_t> over_instance;
    Diagnostic* first = nullptr;
    if (!rows.empty()) {
      graph::HallSet set = graph::too_many_rows(s.graph, s.matching, rows.front());
      first = &too_many(s, set, over_instance);
      if (rows.size() > 1)
        first->note(fmt::format("in all, {} too many",
                                counted(rows.size(), "equation") + (rows.size() == 1 ? " is" : " are")));
    }
    if (!columns.empty()) too_few(s, columns, over_instance, first);
  }

  /// Equations that follow from others: structurally everything is in order, but only before aliases are
  /// eliminated.
  void report_redundant(const dae::System& dae, const std::vector<std::uint32_t>& redundant,
                        FloatingPotentials floating) {
    Structure blind = reduced(dae);
    if (redundant.empty()) floating = find_floating_potentials(system_, dae, {});
    for (const FloatingPotential& level : floating.floating) no_reference(level, floating);
    if (!floating.floating.empty()) return;
    if (redundant.empty()) return report_parts(blind);
    says_nothing_new(blind, redundant);
  }

 private:
  Diagnostic& too_many(const Structure& s, const graph::HallSet& set,
                       std::optional<std::uint32_t>& instance) {
    auto origins = origins_of(s.equations, set.rows);
    std::uint32_t where = terms_.common_instance(origins);
    instance = where;
    Places places = terms_.places(origins, where);
    auto names = terms_.names(s.unknowns(set.columns), where);
    std::string relation = terms_.relation(where);
    if (set.columns.empty()) {
      Diagnostic& d = diagnostics_.report(Code::NoUnknown, places.back().span,
                                          fmt::format("an equation of {} contains no unknown", relation));
      d.label("only numbers and parameters, whose values are given: nothing is left to determine");
      terms_.note_instance(d, where);
      return d.help(
          "give a parameter its value where the relation is used; what must hold can be stated with "
          "`assert`");
    }
    Diagnostic& d =
        diagnostics_.report(Code::TooManyEquations, places.back().span,
                            fmt::format("{} of {} determine only {}", counted(set.rows.size(), "equation"),
                                        relation, counted(names.size(), "unknown")));
    std::string found = fmt::format("only {} can be found from {}", listed(names),
                                    places.size() > 1 || set.rows.size() > 1 ? "these" : "this");
    if (!places.back().part.empty())
      found = fmt::format("`{}` contributes {}; ", places.back().part,
                          counted(places.back().equations, "equation")) +
              found;
    d.label(std::move(found));
    terms_.label(d, places, "together with this");
    terms_.note_instance(d, where);
    return d.help(set.rows.size() == 1 ? "drop it"
                                       : "one of these says the same as the others, or contradicts them: "
                                         "drop it, or let it contain another unknown");
  }

  /// The unmatched columns by connected components of the under-determined part: one cause each.
  void too_few(const Structure& s, const std::vector<std::uint32_t>& unmatched,
               std::optional<std::uint32_t> over_instance, Diagnostic* over) {
    graph::Parts parts = graph::dulmage_mendelsohn(s.graph, s.matching);
    graph::Bipartite columns = graph::transpose(s.graph);
    std::vector<bool> row_seen(s.graph.rows(), false), column_seen(s.graph.columns, false);
    constexpr std::size_t kReports = 3;
    std::size_t reports = 0, left_out = 0;
    Diagnostic* last = nullptr;
    for (std::uint32_t start : unmatched) {
      if (column_seen[start]) continue;
      if (reports == kReports) {
        ++left_out;
        continue;
      }
      graph::HallSet part;
      std::size_t missing = 0;
      std::vector<std::uint32_t> work{start};
      column_seen[start] = true;
      while (!work.empty()) {
        std::uint32_t c = work.back();
        work.pop_back();
        part.columns.push_back(c);
        missing += s.matching.row_of_column[c] == kNone;
        for (std::uint32_t r : columns.row(c)) {
          if (row_seen[r]) continue;
          row_seen[r] = true;
          part.rows.push_back(r);
          for (std::uint32_t next : s.graph.row(r))
            if (!column_seen[next] && parts.columns[next] == graph::Part::Under) {
              column_seen[next] = true;
              work.push_back(next);
            }
        }
      }
      std::ranges::sort(part.rows);
      std::ranges::sort(part.columns);
      std::vector<std::uint32_t> unknowns = s.unknowns(part.columns);
      std::uint32_t where = terms_.common_owner(unknowns);
      if (over && over_instance == where) {
        auto names = terms_.names(unknowns, where);
        over->note(fmt::format(
            "at the same time {} too few for {}: perhaps one of these equations was meant to contain {}",
            counted(missing, "equation") + (missing == 1 ? " is" : " are"), listed(names),
            names.size() == 1 ? "it" : "one of them"));
        over = nullptr;
        continue;
      }
      last = &report_missing(s, columns, part, missing, where);
      ++reports;
    }
    if (left_out > 0 && last)
      last->note(
          fmt::format("{} not determined for other reasons",
                      left_out == 1 ? "1 more unknown is" : fmt::format("{} more unknowns are", left_out)));
  }

  Diagnostic& report_missing(const Structure& s, const graph::Bipartite& columns, const graph::HallSet& part,
                             std::size_t missing, std::uint32_t where) {
    auto unknowns = s.unknowns(part.columns);
    // The one to name: in the fewest equations, declared in the source, first.
    auto rank = [&](std::uint32_t c) {
      return std::tuple(columns.row(c).size(), system::unknown_info(system_, s.unknown_of[c]).kind,
                        s.unknown_of[c]);
    };
    std::uint32_t named = *std::ranges::min_element(part.columns, {}, rank);
    std::uint32_t unknown = s.unknown_of[named];
    std::string name = terms_.name(unknown, where), relation = terms_.relation(where);
    auto names = terms_.names(unknowns, where);
    Diagnostic& d = diagnostics_.report(
        Code::Undetermined, terms_.declaration(unknown, where),
        missing == 1
            ? fmt::format("nothing determines `{}` in {}", name, relation)
            : fmt::format("nothing determines {} unknowns of {}, for example `{}`", missing, relation, name));
    auto own_rows = columns.row(named);
    if (own_rows.empty()) {
      d.label("occurs in no equation");
    } else {
      d.label(fmt::format("{} have only {}", listed(names), counted(part.rows.size(), "equation")));
      std::vector<Origin> origins = origins_of(s.equations, own_rows);
      Places places = terms_.places(origins, terms_.common(where, terms_.common_instance(origins)));
      for (std::size_t k = 0; k < places.size() && k < 3; ++k)
        d.also(places[k].span,
               fmt::format(
                   "`{}` occurs {}{}", name,
                   places[k].part.empty() ? "here" : fmt::format("in an equation of `{}`", places[k].part),
                   own_rows.size() == 1 ? ", and nowhere else" : ""));
    }
    terms_.note_instance(d, where);
    // A node that only one part uses has a potential and a flow of its own, both without an equation too
    // many.
    std::string node = name.substr(0, std::min(name.size(), name.rfind('.')));
    bool is_node =
        node != name && std::ranges::any_of(part.columns, [&](std::uint32_t c) {
          std::string sibling = terms_.name(s.unknown_of[c], where);
          return c != named && sibling.starts_with(node + ".") && sibling.rfind('.') == node.size();
        });
    bool flows =
        std::ranges::any_of(part.columns, [&](std::uint32_t c) { return terms_.is_flow(s.unknown_of[c]); });
    if (terms_.is_flow(unknown) || (is_node && flows))
      d.help(fmt::format("connect `{}` to something else, or close it with `open <> {}`", node, node));
    else
      d.help(fmt::format("an equation is missing that relates `{}` to other unknowns", name));
    return d;
  }

  void no_reference(const FloatingPotential& level, const FloatingPotentials& all) {
    std::uint32_t where = terms_.common_owner(level.unknowns);
    Diagnostic& d =
        diagnostics_.report(Code::NoReferenceLevel, terms_.body(where).span, "no reference potential");
    d.label(fmt::format("nothing fixes the level of {}: every equation contains only their differences",
                        listed(terms_.names(level.unknowns, where))));
    auto also = [&](const std::optional<Origin>& origin, const char* why) {
      if (origin)
        d.also(terms_.places(std::array{*origin}, terms_.common(where, origin->instance))[0].span, why);
    };
    also(all.decides, "a condition here depends on the level");
    also(all.starts, "its start depends on the level, and after it nothing does");
    also(all.depends, "this follows from the other flows, or contradicts them: that depends on its numbers");
    terms_.note_instance(d, where);
    d.help("connect one of the nodes to `ground`, or give one of these a value");
  }

  void says_nothing_new(const Structure& blind, const std::vector<std::uint32_t>& redundant) {
    incidence::EquationList list;
    list.append(system_.equations);
    std::vector<std::uint32_t> mentioned;
    list.each_variable(redundant.back(), [&](std::uint32_t u) { mentioned.push_back(u); });
    std::ranges::sort(mentioned);
    mentioned.erase(std::ranges::unique(mentioned).begin(), mentioned.end());
    auto origins = origins_of(list, redundant);
    std::uint32_t where = terms_.common_instance(origins);
    Places places = terms_.places(origins, where);
    Diagnostic& d = diagnostics_.report(
        Code::RedundantEquation, places.back().span,
        redundant.size() == 1
            ? fmt::format("an equation of {} says what others say already", terms_.relation(where))
            : fmt::format("{} equations of {} say what others say already", redundant.size(),
                          terms_.relation(where)));
    d.label(fmt::format("what this says of {} follows from the other equations",
                        listed(terms_.names(mentioned, where))));
    terms_.label(d, places, "and so does this");
    terms_.note_instance(d, where);
    auto columns = blind.unmatched_columns();
    if (!columns.empty()) {
      auto names = terms_.names(blind.unknowns(columns), where);
      d.note(
          fmt::format("so {} too few: nothing determines {}",
                      columns.size() == 1 ? "1 equation is" : fmt::format("{} equations are", columns.size()),
                      listed(names)));
      d.help("replace the redundant equation by one that says something new");
    } else {
      d.help("drop it");
    }
  }

  const system::System& system_;
  SourceNames terms_;
  Diagnostics& diagnostics_;
};

}  // namespace

void report_singular(const system::System& system, const dae::System& dae,
                     const std::vector<std::uint32_t>& redundant, const FloatingPotentials& floating,
                     Diagnostics& diagnostics) {
  Blame blame(system, diagnostics);
  Structure source = original(system);
  if (!source.perfect()) return blame.report_parts(source);
  blame.report_redundant(dae, redundant, floating);
}

}  // namespace sigrel::singularity
