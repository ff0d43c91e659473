#include "compiler/ir/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sigrel::system {
namespace {

std::uint32_t owner(const System& s, std::uint32_t unknown) {
  auto it = std::upper_bound(s.instances.begin(), s.instances.end(), unknown,
                             [](std::uint32_t u, const Instance& i) { return u < i.first_unknown; });
  // Instances without unknowns share the number with the next one; the last of them is the owner.
  return static_cast<std::uint32_t>(it - s.instances.begin() - 1);
}

}  // namespace

std::string instance_name(const System& s, std::uint32_t instance) {
  std::vector<LocalName> parts;
  for (std::uint32_t i = instance; i != kRoot; i = s.instances[i].parent)
    parts.push_back(s.templates[s.instances[s.instances[i].parent].body].children[s.instances[i].child].name);
  std::string name;
  for (auto it = parts.rbegin(); it != parts.rend(); ++it) {
    if (!name.empty()) name += '.';
    append_text(*it, name);
  }
  return name;
}

const LoneNode* lone_node(const Template& body, std::uint32_t local) {
  const auto after = std::ranges::upper_bound(body.lone_nodes, local, {}, &LoneNode::local);
  if (after == body.lone_nodes.begin()) return nullptr;
  const LoneNode& node = *std::prev(after);
  return local < node.local + node.scalars ? &node : nullptr;
}

const LocalInfo& unknown_info(const System& s, std::uint32_t unknown) {
  const Instance& i = s.instances[owner(s, unknown)];
  return s.templates[i.body].locals[unknown - i.first_unknown];
}

std::string unknown_name(const System& s, std::uint32_t unknown) {
  std::string prefix = instance_name(s, owner(s, unknown));
  if (!prefix.empty()) prefix += '.';
  append_text(unknown_info(s, unknown).name, prefix);
  return prefix;
}

namespace {

std::uint64_t hash(LocalName name) { return mixed(0x9E3779B97F4A7C15ull, name.value); }

/// The name of an entry of Names::Index::columns.
LocalName column_name(const Template& t, std::uint32_t entry) {
  return entry < t.locals.size() ? t.locals[entry].name : t.synonyms[entry - t.locals.size()].first;
}

}  // namespace

const Names::Index& Names::index(std::uint32_t body) {
  auto [it, fresh] = indices_.try_emplace(body);
  Index& x = it->second;
  if (!fresh) return x;
  const Template& t = system_.templates[body];
  // Of several entries with the same name the first one counts.
  for (std::uint32_t k = 0; k < t.interface.size(); ++k) x.interface.try_emplace(t.interface[k], k);
  auto fill = [](IndexTable& table, std::size_t count, auto name) {
    for (std::uint32_t k = 0; k < count; ++k)
      table.find_or_add(
          hash(name(k)), k, [&](std::uint32_t e) { return name(e) == name(k); },
          [&](std::uint32_t e) { return hash(name(e)); });
  };
  fill(x.columns, t.locals.size() + t.synonyms.size(), [&](std::uint32_t k) { return column_name(t, k); });
  fill(x.children, t.children.size(), [&](std::uint32_t k) { return t.children[k].name; });
  return x;
}

std::optional<std::uint32_t> Names::column(std::uint32_t body, std::string_view name) {
  const Index& x = index(body);
  if (auto it = x.interface.find(name); it != x.interface.end()) return it->second;
  const auto local = find_local_name(name);
  return local ? column(body, *local) : std::nullopt;
}

std::optional<std::uint32_t> Names::column(std::uint32_t body, LocalName name) {
  const Template& t = system_.templates[body];
  const std::uint32_t found =
      index(body).columns.find(hash(name), [&](std::uint32_t e) { return column_name(t, e) == name; });
  if (found == IndexTable::kMissing) return std::nullopt;
  return found < t.locals.size() ? static_cast<std::uint32_t>(t.interface.size()) + found
                                 : t.synonyms[found - t.locals.size()].second;
}

std::optional<std::uint32_t> Names::child(std::uint32_t body, std::string_view name) {
  const Index& x = index(body);
  const Template& t = system_.templates[body];
  const auto local = find_local_name(name);
  if (!local) return std::nullopt;
  const std::uint32_t found =
      x.children.find(hash(*local), [&](std::uint32_t e) { return t.children[e].name == *local; });
  return found == IndexTable::kMissing ? std::nullopt : std::optional(found);
}

std::optional<Names::Step> Names::step(std::uint32_t body, std::string_view name) {
  if (auto found = column(body, name)) return Step{*found, 0, {}};
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; dot = name.find('.', dot + 1))
    if (auto found = child(body, name.substr(0, dot))) return Step{{}, *found, name.substr(dot + 1)};
  return std::nullopt;
}

std::pair<std::uint32_t, std::string_view> Names::descend(std::uint32_t instance, std::string_view name) {
  for (;;) {
    const Instance& i = system_.instances[instance];
    auto next = step(i.body, name);
    if (!next || next->column) return {instance, name};
    instance = i.first_child + next->child;
    name = next->rest;
  }
}

std::optional<std::uint32_t> Names::find(std::uint32_t instance, std::string_view name) {
  auto [where, rest] = descend(instance, name);
  const auto found = column(system_.instances[where].body, rest);
  return found ? std::optional(unknown(where, *found)) : std::nullopt;
}

std::optional<std::uint32_t> Names::find(std::uint32_t instance, LocalName name) {
  if (const auto found = column(system_.instances[instance].body, name)) return unknown(instance, *found);
  return find(instance, text(name));
}

std::uint32_t Names::unknown(std::uint32_t instance, std::uint32_t column) const {
  const Instance& i = system_.instances[instance];
  const auto interface = static_cast<std::uint32_t>(system_.templates[i.body].interface.size());
  return column < interface ? system_.arguments[i.first_argument + column]
                            : i.first_unknown + column - interface;
}

std::vector<std::string> Names::candidates(std::uint32_t instance, std::string_view name) {
  auto [where, rest] = descend(instance, name);
  std::string prefix(name.substr(0, name.size() - rest.size()));
  const Template& t = system_.templates[system_.instances[where].body];
  std::vector<std::string> result;
  for (const std::string& n : t.interface) result.push_back(prefix + n);
  for (const LocalInfo& l : t.locals) result.push_back(prefix + text(l.name));
  for (const auto& [n, c] : t.synonyms) result.push_back(prefix + text(n));
  for (const ChildInfo& c : t.children) result.push_back(prefix + text(c.name));
  std::ranges::sort(result);
  return result;
}

std::optional<std::uint32_t> find_unknown(const System& system, std::string_view name) {
  return Names(system).find(kRoot, name);
}

std::string describe_origin(const System& s, Origin origin) {
  const SourceEquation& e = s.sources[origin.source];
  const Instance& i = s.instances[origin.instance];
  std::string_view relation = text(s.templates[i.body].relation);
  std::string where = instance_name(s, origin.instance);
  std::string what;
  switch (e.kind) {
    case EquationKind::Written:
      what = e.component == LocalName{} ? "an equation"
                                        : fmt::format("component `{}` of an equation", text(e.component));
      break;
    case EquationKind::Argument: what = "an argument"; break;
    case EquationKind::NodeSum: what = fmt::format("the sum of flows at `{}`", text(e.component)); break;
    case EquationKind::Potential: what = fmt::format("the equal potential `{}`", text(e.component)); break;
    case EquationKind::Initial: what = "an initial equation"; break;
    case EquationKind::Assertion: what = "an assertion"; break;
    case EquationKind::Event: what = "an event"; break;
  }
  return where.empty() ? fmt::format("{} of `{}`", what, relation)
                       : fmt::format("{} of `{}` in `{}`", what, relation, where);
}

namespace {

/// Without a dump of the system: the printer follows the numbers that are out of range.
[[noreturn]] void broken(const std::string& what) {
  std::fprintf(stderr, "internal error: system::System: %s\n", what.c_str());
  std::abort();
}

void verify(const System& s, const Equations& equations) {
  for (const EquationTable& t : equations.tables) {
    if (t.unknowns.size() != t.rows() * t.slots || t.parameters.size() != t.rows() * t.params)
      broken("the columns of a table have different lengths");
    for (std::uint32_t u : t.unknowns)
      if (u >= s.unknowns) broken("a row refers to no unknown");
    for (std::uint32_t p : t.parameters)
      if (p >= s.parameters.size()) broken("a row refers to no parameter");
    for (ExprId id : topological(s.exprs, {&t.residual, 1})) {
      const Node& n = s.exprs[id];
      if ((n.op == Op::Slot || n.op == Op::Der) && n.a >= t.slots)
        broken("a shape uses a slot that its table lacks");
      if (n.op == Op::Param && n.a >= t.params) broken("a shape uses a parameter that its table lacks");
    }
  }
  for (const Term& t : equations.sums.terms)
    if (t.unknown() >= s.unknowns) broken("a sum refers to no unknown");
}

}  // namespace

void verify(const System& s) {
  verify(s, s.equations);
  verify(s, s.initial);
  verify(s, s.assertions);
  verify(s, s.events.conditions);
  verify(s, s.events.values);
  for (const EquationTable& t : s.events.conditions.tables)
    if (t.tags.size() != t.rows() ||
        std::ranges::any_of(t.tags, [&](std::uint32_t k) { return k >= s.events.triggers.size(); }))
      broken("a condition has no trigger");
  for (const EquationTable& t : s.events.values.tables)
    if (t.tags.size() != t.rows() ||
        std::ranges::any_of(t.tags, [&](std::uint32_t k) { return k >= s.events.assignments.size(); }))
      broken("a value is not assigned");
  for (std::size_t t = 0; t < s.events.triggers.size(); ++t)
    if (s.events.triggers[t].preceding && *s.events.triggers[t].preceding >= t)
      broken("an `elsewhen` is before its `when`");
  for (const Assignment& a : s.events.assignments)
    if (a.trigger >= s.events.triggers.size() || a.target >= s.unknowns)
      broken("an assignment has no trigger or no target");
  for (const Previous& p : s.events.previous)
    if (p.unknown >= s.unknowns || p.of >= s.unknowns) broken("a `pre` is of no unknown");
  for (const Delay& d : s.delays)
    if (d.unknown >= s.unknowns || d.of >= s.unknowns || d.length >= s.parameters.size())
      broken("a `delay` is of no unknown, or has no length");
  for (const Transition& t : s.transitions)
    if (t.trigger >= s.events.triggers.size() || t.of >= s.switches.size() ||
        t.first_number + t.numbers > s.mode_numbers.size())
      broken("a transition has no trigger or no switch");
  for (const ModeNumber& n : s.mode_numbers)
    if (n.index >= (n.is_unknown ? s.unknowns : s.parameters.size())) broken("a mode has no number");
  for (const Template& t : s.templates)
    for (const LoneNode& n : t.lone_nodes)
      if (n.part >= t.children.size() || n.local + n.scalars > t.locals.size())
        broken("a node with one part has no part or no unknowns");
  if (s.instances.empty()) broken("no instance");
  for (std::size_t i = 1; i < s.instances.size(); ++i) {
    if (s.instances[i].first_unknown < s.instances[i - 1].first_unknown)
      broken("instances are not in the order of their unknowns");
    if (s.instances[i].parent >= i) broken("an instance comes before its parent");
  }
  for (std::size_t i = 0; i < s.parameters.size(); ++i) {
    const Parameter& p = s.parameters[i];
    int k = arity(p.op);
    if (p.op == Op::PowInt || (k == 0 && p.op != Op::Const))
      broken("a parameter is neither a number nor computed from parameters");
    if ((k > 0 && p.a >= i) || (k > 1 && p.b >= i) || (k > 2 && p.c >= i))
      broken("a parameter is computed from a later one");
  }
}

std::string print(const System& s) {
  std::string out = fmt::format(
      "{} unknowns, {} equations, {} initial equations, {} shapes, {} instances of {} relation bodies\n",
      s.unknowns, s.equations.count(), s.initial.count(), s.equations.tables.size(), s.instances.size(),
      s.templates.size());
  constexpr std::size_t kMost = 200;  // rows of a table, at most
  auto tables = [&](const Equations& equations, const char* title) {
    out += fmt::format("\n{}\n", title);
    auto where = [&](Origin o) {
      return s.sources.size() > o.source ? describe_origin(s, o) : std::string("?");
    };
    for (const EquationTable& t : equations.tables) {
      if (!t.rows()) continue;
      out += fmt::format("  shape {} = 0: {} rows\n", print(s.exprs, t.residual), t.rows());
      for (std::size_t r = 0; r < std::min(t.rows(), kMost); ++r) {
        std::string text = print(
            s.exprs, t.residual,
            [&](std::uint32_t k, std::uint32_t order) {
              std::string n = unknown_name(s, t.unknowns_of(r)[k]);
              for (; order; --order) n = "der(" + n + ")";
              return n;
            },
            [&](std::uint32_t k) { return fmt::format("%{}", t.parameters_of(r)[k]); });
        out += fmt::format("    {} = 0    -- {}\n", text, where(t.origins[r]));
      }
    }
    for (std::size_t r = 0; r < std::min(equations.sums.rows(), kMost); ++r) {
      out += "    ";
      bool first = true;
      for (Term t : equations.sums.terms_of(r)) {
        out += fmt::format("{}{}",
                           t.negative() ? (first ? "-" : " - ")
                           : first      ? ""
                                        : " + ",
                           unknown_name(s, t.unknown()));
        first = false;
      }
      out += fmt::format(" = 0    -- {}\n", where(equations.sums.origins[r]));
    }
  };
  tables(s.equations, "equations");
  if (s.initial.count()) tables(s.initial, "initial equations");
  if (s.assertions.count()) tables(s.assertions, "assertions");
  if (s.events.conditions.count()) tables(s.events.conditions, "event conditions");
  if (s.events.values.count()) tables(s.events.values, "assigned values");
  if (!s.delays.empty()) out += "\ndelays\n";
  for (std::size_t k = 0; k < std::min(s.delays.size(), kMost); ++k)
    out += fmt::format("  {} = delay({}, %{})\n", unknown_name(s, s.delays[k].unknown),
                       unknown_name(s, s.delays[k].of), s.delays[k].length);
  if (!s.parameters.empty()) out += "\nparameters\n";
  for (std::size_t i = 0; i < std::min(s.parameters.size(), kMost); ++i) {
    const Parameter& p = s.parameters[i];
    if (p.op == Op::Const)
      out += fmt::format("  %{} = {}\n", i, p.value);
    else
      out += fmt::format("  %{} = {}(%{}{}{})\n", i, spelling(p.op), p.a,
                         arity(p.op) > 1 ? fmt::format(", %{}", p.b) : "",
                         arity(p.op) > 2 ? fmt::format(", %{}", p.c) : "");
  }
  for (const NamedParameter& n : s.named_parameters) out += fmt::format("  {} = %{}\n", n.name, n.parameter);
  return out;
}

}  // namespace sigrel::system
