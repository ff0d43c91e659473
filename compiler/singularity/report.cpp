#include "compiler/singularity/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "compiler/singularity/lone_nodes.h"

namespace sigrel::singularity {

using Scope = SourceView::Scope;
using Numbers = SourceView::Numbers;

namespace {

/// Unknowns that have a name, source unknowns first.
std::vector<std::uint32_t> in_order_of_names(const SourceView& view, Numbers unknowns) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t u : unknowns)
    if (view.has_name(u)) result.push_back(u);
  std::ranges::stable_sort(result, {}, [&](std::uint32_t u) { return view.kind(u); });
  return result;
}

std::string are_too(std::size_t n, const char* few_or_many) {
  return fmt::format("{} {} too {}", counted(n, "equation"), n == 1 ? "is" : "are", few_or_many);
}

void note_every_use(Diagnostic& d, const SourceView& view, Scope scope) {
  if (view.for_every_use(scope))
    d.note("this is an error in every use of the relation: no other relation can repair it");
}

}  // namespace

std::string listed(const SourceView& view, Numbers unknowns, Scope scope) {
  constexpr std::size_t kEnough = 20;  // no message shows more: the others are only counted
  const std::vector<std::uint32_t> named = in_order_of_names(view, unknowns);
  std::vector<std::string> names(named.size());
  for (std::size_t k = 0; k < std::min(kEnough, names.size()); ++k) names[k] = view.name(named[k], scope);
  return listed(names);
}

namespace {

/// The unknowns for the first line of a message: those in `preferred` first, and only the first few.
std::string first_names(const SourceView& view, Numbers unknowns, Numbers preferred, Scope scope) {
  constexpr std::size_t kShown = 3;
  std::vector<std::uint32_t> named = in_order_of_names(view, unknowns);
  std::ranges::stable_partition(named, [&](std::uint32_t u) {
    return view.kind(u) == system::UnknownKind::Source && std::ranges::binary_search(preferred, u);
  });
  std::vector<std::string> names(named.size());
  for (std::size_t k = 0; k < std::min(kShown + 1, names.size()); ++k) names[k] = view.name(named[k], scope);
  return listed(names, kShown);
}

/// "the flows at `b`" if the unknowns are flows, which have no names in the source; else empty.
std::string flows_at(const SourceView& view, Numbers unknowns, std::span<const Place> places) {
  std::vector<std::string> nodes;
  for (const Place& p : places)
    if (!p.node.empty() && std::ranges::find(nodes, p.node) == nodes.end()) nodes.push_back(p.node);
  const bool flows = std::ranges::all_of(unknowns, [&](std::uint32_t u) {
    return !view.has_name(u) || view.kind(u) == system::UnknownKind::Flow;
  });
  return flows && !nodes.empty() ? "the flows at " + listed(nodes, 3) : std::string();
}

/// Two uses of one relation that are applied to the same signals, if a set of equations that is small
/// contains some of both: their names.
std::optional<SourceView::SameUse> same_uses(const SourceView& view, Numbers equations) {
  constexpr std::size_t kSmall = 6;
  if (equations.size() > kSmall) return std::nullopt;
  for (std::size_t a = 0; a < equations.size(); ++a)
    for (std::size_t b = a + 1; b < equations.size(); ++b)
      if (auto same = view.same_use(equations[a], equations[b])) return same;
  return std::nullopt;
}

/// Two parts that meet at a node alone, each of which determines its flow there: sources in series.
struct FlowTwice {
  std::string first, second, node;
};
std::optional<FlowTwice> both_give_flow(std::span<const Place> places, std::size_t equations) {
  const auto is_node = [](const Place& p) { return !p.node.empty(); };
  if (equations != 3 || places.size() != 3 || std::ranges::count_if(places, is_node) != 1)
    return std::nullopt;
  FlowTwice found;
  for (const Place& p : places) {
    if (is_node(p))
      found.node = p.node;
    else if (p.part.empty())
      return std::nullopt;
    else
      (found.first.empty() ? found.first : found.second) = p.part;
  }
  return found;
}

/// A name of the body that an implicit local with this one was perhaps meant to have.
std::optional<std::string> meant(const SourceView& view, std::uint32_t unknown) {
  const auto at = view.local(unknown);
  if (!at || view.kind(unknown) != system::UnknownKind::Source) return std::nullopt;
  const system::LocalInfo& local = at->body->locals[at->index];
  const std::string name = text(local.name);
  auto simple = [](const std::string& n) { return n.find_first_of(".[") == std::string::npos; };
  const bool implicit = std::ranges::any_of(at->body->children, [&](const system::ChildInfo& c) {
    return c.span.begin <= local.span.begin && local.span.end <= c.span.end;
  });
  if (!implicit || !simple(name)) return std::nullopt;
  std::vector<std::string> others;
  for (const std::string& other : at->body->interface)
    if (simple(other)) others.push_back(other);
  for (const system::LocalInfo& other : at->body->locals)
    if (std::string n = text(other.name); other.kind == system::UnknownKind::Source && n != name && simple(n))
      others.push_back(std::move(n));
  return near_name(name, others);
}

/// The unknown of a set that is a discrete variable, whose declaration is one of the equations.
const system::LocalInfo* discrete_among(const SourceView& view, const graph::HallSet& set,
                                        std::span<const Place> places) {
  for (const std::uint32_t unknown : set.columns) {
    const system::LocalInfo* local = view.declared_local(unknown);
    // A name alone is no equation that the user writes.
    if (!local || text(local->name).find_first_of(".[ ") != std::string::npos) continue;
    auto declares = [&](const Place& p) { return p.part.empty() && p.span == local->span; };
    if (std::ranges::any_of(places, declares)) return local;
  }
  return nullptr;
}

constexpr std::string_view kRemoveOne =
    "one of these equations is redundant or contradicts the others: remove it, or add another unknown to it";

Diagnostic& report_over(const SourceView& view, const OverDetermined& over, Scope scope,
                        Diagnostics& diagnostics) {
  const graph::HallSet& set = over.set;
  std::vector<Place> places = view.places(set.rows, scope);
  const auto same = same_uses(view, set.rows);
  if (same)  // the second of them is to blame
    std::ranges::stable_partition(places, [&](const Place& p) { return p.part != same->second; });
  const Place& last = places.back();
  if (set.columns.empty()) {
    Diagnostic& d =
        diagnostics.report(Code::NoUnknown, last.span,
                           fmt::format("an equation of {} contains no unknown", view.relation(scope)));
    d.label("only numbers and parameters, whose values are given: nothing is left to determine");
    view.note_instance(d, scope);
    return d.help(
        "give a parameter its value where the relation is used; what must hold can be stated with `assert`");
  }
  const std::string unknowns = counted(set.columns.size(), "unknown");
  std::string names = flows_at(view, set.columns, places);
  const std::vector<std::uint32_t> blamed = view.unknowns_of(set.rows.back());
  if (names.empty()) names = first_names(view, set.columns, same ? set.columns : blamed, scope);
  Diagnostic& d =
      diagnostics.report(Code::TooManyEquations, last.span,
                         fmt::format("{} of {} determine only {}{}{}", counted(set.rows.size(), "equation"),
                                     view.relation(scope), unknowns, names.empty() ? "" : ": ", names));
  std::string found = fmt::format("only {} can be found from these", listed(view, set.columns, scope));
  if (!last.part.empty()) found = contributes(last) + "; " + found;
  d.label(std::move(found));
  label_others(d, places, "together with this");
  view.note_instance(d, scope);
  note_every_use(d, view, scope);
  if (same && !same->same_relation)
    d.help(fmt::format(
        "`{}` and `{}` both determine what is between the nodes that they join: remove one of them, "
        "or connect them in series",
        same->first, same->second));
  else if (same)
    d.help(fmt::format(
        "`{}` is applied to the same signals as `{}`: remove one of them, or add an unknown to it",
        same->second, same->first));
  else if (const auto both = both_give_flow(places, set.rows.size()))
    d.help(fmt::format(
        "`{}` and `{}` both determine the flow at `{}`, where nothing else is connected: remove one of "
        "them, or connect another part there",
        both->first, both->second, both->node));
  else if (const system::LocalInfo* discrete = discrete_among(view, set, places))
    d.help(fmt::format(
        "`discrete`: only `:=` changes `{0}`; if an equation determines `{0}`, declare it with `local`",
        text(discrete->name)));
  else
    d.help(std::string(kRemoveOne));
  return d;
}

/// All equations of a small set; of a large one those that contain the unknown that the message names.
void label_occurrences(Diagnostic& d, const SourceView& view, const graph::HallSet& set, std::uint32_t named,
                       Scope scope) {
  constexpr std::size_t kShown = 6;
  std::vector<std::uint32_t> rows = set.rows;
  std::string here = "here";
  const bool filtered = rows.size() > kShown;
  if (filtered) {
    std::erase_if(rows,
                  [&](std::uint32_t r) { return !std::ranges::binary_search(view.unknowns_of(r), named); });
    here = fmt::format("`{}` occurs here", view.name(named, scope));
  }
  if (rows.empty()) return;
  const std::vector<Place> places = view.places(rows, view.common(scope, view.scope_of_equations(rows)));
  for (std::size_t k = 0; k < places.size() && k < kShown; ++k)
    d.also(places[k].span,
           places[k].part.empty() ? here
           : filtered             ? fmt::format("`{}` occurs in {} of `{}`", view.name(named, scope),
                                    places[k].equations == 1 ? "an equation" : "equations", places[k].part)
                                  : contributes(places[k]));
}

/// For a variable without an equation that is assigned at events.
std::string declare_discrete(const system::LocalInfo& local) {
  const std::string_view unit = text(local.unit).substr(0, text(local.unit).find('|'));
  const std::string type = local.type == system::SignalType::Bool ? "Bool = False"
                           : local.type == system::SignalType::Real
                               ? fmt::format("Real{} = 0.0", unit.empty() ? "" : fmt::format("<{}>", unit))
                           : unit.empty() ? "Int = 0"
                                          : fmt::format("… = {}", unit.substr(0, unit.find(' ')));
  return fmt::format("declare it `discrete {} :: {}`", text(local.name), type);
}

/// A frame of bodies in space whose orientation is among the unknowns; empty if there is none.
std::string frame_with_orientation(const SourceView& view, std::span<const std::uint32_t> unknowns,
                                   Scope scope) {
  constexpr std::size_t kExamined = 1000;
  for (const std::uint32_t u : unknowns.first(std::min(unknowns.size(), kExamined))) {
    if (!view.has_name(u)) continue;
    const std::string name = view.name(u, scope);
    if (const std::size_t end = name.find(".rot["); end != std::string::npos) return name.substr(0, end);
  }
  return {};
}

Diagnostic& report_under(const SourceView& view, const UnderDetermined& part, Scope scope,
                         Diagnostics& diagnostics) {
  const graph::HallSet& set = part.set;
  const std::string frame = part.missing > 1 ? frame_with_orientation(view, set.columns, scope) : "";
  std::vector<std::uint32_t> unknowns = in_order_of_names(view, set.columns);
  const std::string relation = view.relation(scope);
  const bool one = unknowns.size() == 1;
  auto occurrences = [&](std::uint32_t u) {
    const auto k = static_cast<std::size_t>(std::ranges::lower_bound(set.columns, u) - set.columns.begin());
    return part.occurrences[k];
  };
  // Of several unknowns one that may be misspelt, or the one in the fewest equations: the missing equation is
  // most likely about it.
  constexpr std::size_t kExamined = 100;
  const auto first = std::span(unknowns).first(std::min(unknowns.size(), kExamined));
  const auto misspelt =
      std::ranges::find_if(first, [&](std::uint32_t u) { return occurrences(u) <= 1 && meant(view, u); });
  const bool any_misspelt = misspelt != first.end();
  const std::uint32_t named = any_misspelt ? *misspelt : *std::ranges::min_element(unknowns, {}, occurrences);
  const auto at = std::ranges::find(unknowns, named);
  std::rotate(unknowns.begin(), at, at + 1);
  std::vector<std::string> all_names;
  for (std::uint32_t u : unknowns) all_names.push_back(view.name(u, scope));
  const std::string names = listed(all_names);
  Diagnostic& d =
      diagnostics.report(Code::Undetermined, view.declaration(named, scope),
                         fmt::format("nothing determines {}{} in {}", one ? "" : "all of ", names, relation));
  if (set.rows.empty())
    d.label("occurs in no equation");
  else
    d.label(fmt::format("{} occur only in {}", names, counted(set.rows.size(), "equation")));
  label_occurrences(d, view, set, named, scope);
  view.note_instance(d, scope);
  const system::LocalInfo* local = view.declared_local(named);
  if (set.rows.empty() && one && local && local->assigned && view.name(named, scope) == text(local->name))
    d.note("`:=` changes discrete variables and states").help(declare_discrete(*local));
  else if (const auto other = set.rows.size() <= 1 || any_misspelt ? meant(view, named) : std::nullopt)
    d.help(fmt::format("did you mean `{}`?", *other));
  else if (part.missing == 1)
    d.help(
        fmt::format("an equation is missing that relates {} to other unknowns", one ? names : "one of them"));
  else if (!frame.empty())
    d.help(fmt::format(
        "does nothing hold the bodies at `{0}`? Connect them to the world by a joint, or let them "
        "fly: `freeMotion <> (z, {0})` from a fixed frame `z`",
        frame));
  else
    d.help("an equation is missing that relates one of them to other unknowns");
  if (part.missing > 1)
    d.note(fmt::format("with the unknowns that these equations are connected to, {} are missing",
                       counted(part.missing, "equation")));
  return d;
}

/// The node whose potentials are all of the unknowns that have no equation; empty if they are not those of
/// one.
std::string node_without_equations(const SourceView& view, std::span<const std::uint32_t> unknowns,
                                   Scope scope) {
  std::string node;
  constexpr std::size_t kExamined = 100;
  const std::vector<std::uint32_t> named = in_order_of_names(view, unknowns);
  if (named.size() > kExamined) return {};
  for (const std::uint32_t u : named) {
    const std::string name = view.name(u, scope);
    const std::string base = name.substr(0, name.rfind('.'));
    if (view.kind(u) == system::UnknownKind::Flow || base.size() == name.size()) continue;
    if (!node.empty() && node != base) return {};
    node = base;
  }
  return node;
}

}  // namespace

void report_structural(const SourceView& view, const StructuralCauses& causes, Diagnostics& diagnostics) {
  constexpr std::size_t kReports = 3;
  if (std::vector<LoneNodes> lone = lone_nodes(view, causes.under); !lone.empty()) {
    lone.resize(std::min(lone.size(), kReports));
    for (const LoneNodes& of_body : lone)
      view.note_instance(report_lone_nodes(of_body, diagnostics), of_body.scope);
    return;
  }
  std::optional<Scope> over_scope;
  Diagnostic* over = nullptr;
  if (causes.over) {
    over_scope = view.scope_of_equations(causes.over->set.rows);
    over = &report_over(view, *causes.over, *over_scope, diagnostics);  // a deque: it stays where it is
    if (causes.over->surplus > 1) over->note("in all, " + are_too(causes.over->surplus, "many"));
  }
  std::size_t reports = 0, left_out = 0;
  Diagnostic* last = nullptr;
  UnderDetermined same_scope;
  std::size_t same_declaration = 0;  // elements of one vector have one report, `last`
  auto note_same_declaration = [&] {
    if (same_declaration > 0)
      last->note(
          fmt::format("the same is true of {} declared here", counted(same_declaration, "other unknown")));
    same_declaration = 0;
  };
  for (const UnderDetermined& part : causes.under) {
    const Scope scope = view.scope_of_unknowns(part.set.columns);
    if (over_scope == scope) {
      std::vector<std::uint32_t>& all = same_scope.set.columns;
      all.insert(all.end(), part.set.columns.begin(), part.set.columns.end());
      same_scope.missing += part.missing;
    } else if (last && last->primary->span == view.declaration(part.set.columns.front(), scope)) {
      same_declaration += part.missing;
    } else if (reports == kReports) {
      left_out += part.missing;
    } else {
      note_same_declaration();
      last = &report_under(view, part, scope, diagnostics);
      ++reports;
    }
  }
  note_same_declaration();
  // Flows without an equation follow from potentials with too many: the note would mislead.
  const bool about_flows = std::ranges::all_of(
      same_scope.set.columns, [&](std::uint32_t u) { return view.kind(u) == system::UnknownKind::Flow; });
  const bool general = over && !over->helps.empty() && over->helps.front().text == kRemoveOne;
  if (general && same_scope.missing > 0 && about_flows &&
      !frame_with_orientation(view, causes.over->set.columns, *over_scope).empty()) {
    over->helps.clear();
    over->help(
        "joints form a loop here, and each of them states how bodies are turned: replace one by a part that "
        "closes a "
        "loop: `closingPlane` if all axes are parallel, else `closingRevolute`, `closingSpherical` or "
        "`closingLink`");
  } else if (const std::string node =
                 node_without_equations(view, same_scope.set.columns, over_scope.value_or(Scope{}));
             general && same_scope.missing > 0 && !about_flows && !node.empty() &&
             same_scope.missing == causes.over->surplus) {
    over->note(fmt::format("at the same time nothing determines the potentials of `{}`", node));
    over->helps.clear();
    over->help(fmt::format(
        "the flows at `{}` are given, and no part there relates them to its potentials: connect one that "
        "does, such as a mass, a capacity or a spring",
        node));
  } else if (same_scope.missing > 0 && !about_flows) {
    const std::size_t names = in_order_of_names(view, same_scope.set.columns).size();
    over->note(
        fmt::format("at the same time {} for {}: perhaps one of these equations was meant to contain {}",
                    are_too(same_scope.missing, "few"), listed(view, same_scope.set.columns, *over_scope),
                    names == 1 ? "it" : "one of them"));
  }
  if (left_out > 0 && last)
    last->note(
        fmt::format("{} not determined for other reasons",
                    left_out == 1 ? "1 more unknown is" : fmt::format("{} more unknowns are", left_out)));
}

void report_redundant(const SourceView& view, const RedundantEquations& redundant, Diagnostics& diagnostics) {
  const std::vector<std::uint32_t>& equations = redundant.equations;
  const Scope scope = view.scope_of_equations(equations);
  const std::vector<Place> places = view.places(equations, scope);
  const Place& last = places.back();
  const bool pair = redundant.complete && equations.size() == 2;
  const std::string relation = view.relation(scope);
  const std::vector<std::uint32_t> contained = view.unknowns_of(equations.back());
  std::string about = first_names(view, contained, contained, scope);
  if (!about.empty()) about = " about " + about;
  Diagnostic& d = diagnostics.report(
      Code::RedundantEquation, last.span,
      pair && places.size() == 2 ? fmt::format("2 equations of {} say the same{}", relation, about)
      : redundant.complete || equations.size() == 1
          ? fmt::format("an equation of {}{} is redundant", relation, about)
          : fmt::format("{} equations of {} are redundant", equations.size(), relation));
  const std::string follows = pair ? "follows from the other equation, or contradicts it"
                                   : "follows from the other equations, or contradicts them";
  if (last.part.empty())
    d.label(fmt::format("what this says of {} {}", listed(view, view.unknowns_of(equations.back()), scope),
                        follows));
  else
    d.label(fmt::format("{}; one, about {}, {}", contributes(last),
                        listed(view, view.unknowns_of(equations.back()), scope), follows));
  label_others(d, places, redundant.complete ? "together with this" : "and so does this");
  view.note_instance(d, scope);
  note_every_use(d, view, scope);
  if (redundant.undetermined.empty()) {
    d.help(view.for_every_use(scope) ? "replace one of them by an equation that is independent of the others"
                                     : "drop it");
    return;
  }
  d.note(fmt::format("so nothing determines {}", listed(view, redundant.undetermined, scope)));
  const auto is_flow = [&](std::uint32_t u) { return view.kind(u) == system::UnknownKind::Flow; };
  if (std::ranges::any_of(contained, is_flow) && std::ranges::none_of(redundant.undetermined, is_flow))
    d.help(
        "flows here, as forces are, follow from others whatever the potentials do: connect a part that "
        "relates "
        "them, such as a body with a mass behind a joint, a capacity or a spring");
  else
    d.help("replace one of them by an equation that is independent of the others");
}

void report_combination(const SourceView& view, Numbers unknowns, Diagnostics& diagnostics) {
  const Scope scope = view.scope_of_unknowns(unknowns);
  const std::string names = listed(view, unknowns, scope);
  const bool one = unknowns.size() == 1;
  Diagnostic& d = diagnostics.report(Code::Undetermined, view.definition(scope),
                                     fmt::format("nothing determines {} in {}", names, view.relation(scope)));
  d.label(one ? "no equation changes with it"
              : "its equations determine only combinations of these, never each by itself");
  view.note_instance(d, scope);
  note_every_use(d, view, scope);
  d.help(one ? fmt::format("an equation is missing that relates {} to other unknowns", names)
             : "an equation is missing that contains another combination of them");
}

namespace {

/// Which part fixes a potential: the domain is known by the unit of the unknowns, where they have one.
std::string_view reference_advice(const SourceView& view, Numbers unknowns) {
  for (const std::uint32_t unknown : unknowns) {
    const system::LocalInfo* local = view.declared_local(unknown);
    const std::string_view unit = local ? text(local->unit) : std::string_view();
    if (unit == "V") return "connect one of the nodes to `ground`";
    if (unit == "K") return "connect one of the nodes to a part with a given temperature";
    if (unit == "rad" || unit == "m") return "connect one of the nodes to a part with a given position";
    if (unit == "Pa") return "connect one of the nodes to a part with a given pressure";
  }
  return "connect one of the nodes to a part that fixes its potential (in a circuit `ground`)";
}

Diagnostic& report_floating(const SourceView& view, Code code, Numbers unknowns, Scope scope,
                            std::string message, Diagnostics& diagnostics) {
  Diagnostic& d = diagnostics.report(code, view.definition(scope), std::move(message));
  d.label(fmt::format(
      "nothing determines the common reference of {}: every equation contains only their differences",
      listed(view, unknowns, scope)));
  view.note_instance(d, scope);
  d.help(fmt::format("{}, or give one of these a value", reference_advice(view, unknowns)));
  return d;
}

}  // namespace

void report_no_reference(const SourceView& view, Numbers unknowns, const FloatingPotentialUse& use,
                         Diagnostics& diagnostics) {
  Diagnostic& d = report_floating(view, Code::NoReferenceLevel, unknowns, view.scope_of_unknowns(unknowns),
                                  "no reference potential", diagnostics);
  if (use.condition) d.also(*use.condition, "a condition here depends on the absolute value");
  if (use.start) d.also(*use.start, "its start depends on the absolute value, and nothing else does");
  if (use.numbers)
    d.also(*use.numbers,
           "this follows from the other flows, or contradicts them: that depends on its numbers");
}

void report_chosen_references(const SourceView& view, std::span<const std::vector<std::uint32_t>> floating,
                              Diagnostics& diagnostics) {
  constexpr std::size_t kShown = 3;
  for (std::size_t k = 0; k < floating.size() && k < kShown; ++k) {
    const Scope scope = view.scope_of_unknowns(floating[k]);
    Diagnostic& d = report_floating(view, Code::ArbitraryLevel, floating[k], scope,
                                    fmt::format("no reference potential: `{}` is taken as 0",
                                                view.name(reference_of(view, floating[k]), scope)),
                                    diagnostics);
    if (k + 1 == kShown && floating.size() > kShown)
      d.note(fmt::format("{} more groups of potentials have no reference either", floating.size() - kShown));
  }
}

std::uint32_t reference_of(const SourceView& view, Numbers unknowns) {
  const Scope scope = view.scope_of_unknowns(unknowns);
  auto rank = [&](std::uint32_t u) {
    return std::pair(view.kind(u) == system::UnknownKind::Source, view.name(u, scope));
  };
  return *std::ranges::max_element(unknowns, {}, rank);
}

}  // namespace sigrel::singularity
