#include "compiler/ir/dae.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sigrel::dae {
namespace {

std::string print_row(const system::System& system, const System& dae, const EquationTable& table,
                      std::size_t row) {
  return sigrel::print(
      dae.exprs, table.residual,
      [&](std::uint32_t k, std::uint32_t) { return variable_name(system, dae, table.unknowns_of(row)[k]); },
      [&](std::uint32_t k) { return fmt::format("p{}", table.parameters_of(row)[k]); });
}

void print_equations(const system::System& system, const System& dae, const Equations& equations,
                     std::uint32_t first, std::string& out) {
  auto name = [&](std::uint32_t v) { return variable_name(system, dae, v); };
  std::uint32_t e = first;
  auto derived = [&] {
    return e < dae.derivative_of.size() && dae.derivative_of[e] != kNone
               ? fmt::format("   derivative of {}", dae.derivative_of[e])
               : "";
  };
  for (const EquationTable& table : equations.tables)
    for (std::size_t row = 0; row < table.rows(); ++row, ++e)
      out += fmt::format("  {}: 0 = {}{}\n", e, print_row(system, dae, table, row), derived());
  for (std::size_t row = 0; row < equations.sums.rows(); ++row, ++e) {
    out += fmt::format("  {}: 0 =", e);
    bool first_term = true;
    for (Term term : equations.sums.terms_of(row)) {
      out += fmt::format(" {}{}", term.negative() ? (first_term ? "-" : "- ") : (first_term ? "" : "+ "),
                         name(term.unknown()));
      first_term = false;
    }
    out += derived() + "\n";
  }
}

}  // namespace

void broken(const system::System& system, const System& dae, const std::string& what) {
  std::fprintf(stderr, "internal error: dae::System: %s\n", what.c_str());
  if (dae.variables.size() < 1000) std::fputs(print(system, dae).c_str(), stderr);
  std::abort();
}

std::string variable_name(const system::System& system, const System& dae, std::uint32_t variable) {
  const Variable& v = dae.variables[variable];
  std::string name;
  if (v.axis != 0) {  // of `b.rot[2,2]`
    const std::string element = system::unknown_name(system, v.unknown);
    return fmt::format("angular {} {} of {}", v.order == 0 ? "velocity" : "acceleration", v.axis,
                       element.substr(0, element.rfind('[')));
  }
  if (v.set == kNone) {
    name = system::unknown_name(system, v.unknown);
  } else {
    const StateSet& set = dae.sets[v.set];
    std::uint32_t base = v.integral == kNone ? variable : v.integral;
    name = set.states.size() == 1
               ? "one of "
               : fmt::format("no. {} of ", std::ranges::find(set.states, base) - set.states.begin() + 1);
    for (std::size_t k = 0; k < set.candidates.size(); ++k)
      name += (k ? ", " : "(") + variable_name(system, dae, dae.variables[set.candidates[k]].integral);
    name += ")";
  }
  for (std::uint32_t k = 0; k < v.order; ++k) name = "der(" + name + ")";
  return name;
}

std::vector<bool> constants(const System& dae) {
  std::vector<bool> result(dae.variables.size(), false);
  for (const EquationTable& table : dae.equations.tables) {
    if (table.slots != 1 || dae.exprs[table.residual].op != Op::Slot) continue;
    for (std::uint32_t rate : table.unknowns) {
      const std::uint32_t integral = dae.variables[rate].integral;
      if (integral != kNone && dae.variables[integral].state && dae.variables[integral].set == kNone)
        result[integral] = true;
    }
  }
  return result;
}

std::uint32_t differentiations(const System& dae, std::uint32_t equation) {
  std::uint32_t n = 0;
  for (; equation < dae.derivative_of.size() && dae.derivative_of[equation] != kNone;
       equation = dae.derivative_of[equation])
    ++n;
  return n;
}

Origin origin(const Equations& equations, std::uint32_t equation) {
  std::size_t e = equation;
  for (const EquationTable& table : equations.tables) {
    if (e < table.rows()) return table.origins[e];
    e -= table.rows();
  }
  return equations.sums.origins[e];
}

bool has_branches(const System& dae, std::uint32_t equation) {
  std::size_t row = equation;
  for (const EquationTable& table : dae.equations.tables) {
    if (row < table.rows())
      return std::ranges::any_of(topological(dae.exprs, {&table.residual, 1}),
                                 [&](ExprId id) { return dae.exprs[id].op == Op::Select; });
    row -= table.rows();
  }
  return false;
}

void verify(const system::System& system, const System& dae) {
  const std::size_t n = dae.variables.size();
  // Without a dump of the system: the printer follows the numbers that are out of range.
  auto fail = [](const std::string& what) {
    std::fprintf(stderr, "internal error: dae::System: %s\n", what.c_str());
    std::abort();
  };
  auto check_table = [&](const EquationTable& table, const std::string& name) {
    if (table.residual.value >= dae.exprs.size()) fail(name + " has no residual");
    if (table.unknowns.size() != table.rows() * table.slots)
      fail(fmt::format("{} has {} unknowns", name, table.unknowns.size()));
    if (table.parameters.size() != table.rows() * table.params)
      fail(fmt::format("{} has {} parameters", name, table.parameters.size()));
    for (std::uint32_t v : table.unknowns)
      if (v >= n) fail(fmt::format("{} refers to variable {} of {}", name, v, n));
    for (std::uint32_t p : table.parameters)
      if (p >= system.parameters.size() + dae.discrete_parameters)
        fail(fmt::format("{} refers to parameter {}", name, p));
    for (ExprId id : topological(dae.exprs, std::span<const ExprId>(&table.residual, 1))) {
      const Node& node = dae.exprs[id];
      if (node.op == Op::Der) fail(name + " still has a derivative");
      if (node.op == Op::Slot && node.a >= table.slots)
        fail(fmt::format("{} has slot {} of {}", name, node.a, table.slots));
      if (node.op == Op::Param && node.a >= table.params)
        fail(fmt::format("{} has parameter {} of {}", name, node.a, table.params));
    }
  };
  for (const Equations* equations :
       {&dae.equations, &dae.initial, &dae.assertions, &dae.conditions, &dae.values}) {
    for (std::size_t t = 0; t < equations->tables.size(); ++t)
      check_table(equations->tables[t], fmt::format("table {}", t));
    const SumTable& sums = equations->sums;
    if (sums.offsets.size() != sums.rows() + 1 || sums.offsets.back() != sums.terms.size())
      fail("the sums have wrong offsets");
    for (Term term : sums.terms)
      if (term.unknown() >= n) fail(fmt::format("a sum refers to variable {} of {}", term.unknown(), n));
  }
  for (const ZeroCrossing& r : dae.zero_crossings) {
    check_table(r.differences, "a zero crossing");
    if (r.first < system.parameters.size() ||
        r.first + r.held() > system.parameters.size() + dae.discrete_parameters)
      fail("a zero crossing has no parameter of its own");
  }
  for (const Assignment& a : dae.assignments)
    if (a.variable >= n || !dae.variables[a.variable].state) fail("an assignment is not of a state");
  for (std::uint32_t v = 0; v < n; ++v) {
    const Variable& variable = dae.variables[v];
    if (variable.derivative != kNone &&
        (variable.derivative >= n || dae.variables[variable.derivative].integral != v))
      fail(fmt::format("variable {} and its derivative disagree", v));
    if ((variable.order > 0) != (variable.integral != kNone))
      fail(fmt::format("variable {} has a wrong order", v));
  }
  if (dae.aliases.size() != system.unknowns) fail("not every unknown has an alias");
  for (const Alias& a : dae.aliases)
    if (a.kind != Alias::Zero && (a.variable >= n || dae.variables[a.variable].order != 0))
      fail("an alias refers to no variable");
  if (dae.assign.size() != n) fail("not every variable has an assignment");
  if (!dae.derivative_of.empty() && dae.derivative_of.size() != dae.equations.count())
    fail("not every equation has an entry in derivative_of");
  std::vector<bool> used(dae.equations.count(), false);
  for (std::uint32_t v = 0; v < n; ++v) {
    bool state = dae.variables[v].state;
    if (state && dae.variables[v].derivative == kNone) fail(fmt::format("state {} has no derivative", v));
    if (state != (dae.assign[v] == kNone))
      fail(fmt::format("variable {} is {} by an equation", v,
                       state ? "a state and assigned" : "not assigned"));
    if (state) continue;
    if (dae.assign[v] >= used.size() || used[dae.assign[v]])
      fail(fmt::format("variable {} has no equation of its own", v));
    used[dae.assign[v]] = true;
  }
}

std::string held_text(runtime::ZeroCrossing::Kind kind, bool strict, const std::string& argument) {
  switch (kind) {
    case runtime::ZeroCrossing::Comparison: return argument + (strict ? " < 0" : " <= 0");
    case runtime::ZeroCrossing::Floor: return fmt::format("floor ({})", argument);
    case runtime::ZeroCrossing::Round: return fmt::format("round ({})", argument);
    case runtime::ZeroCrossing::Table: return fmt::format("piece of the table at {}", argument);
  }
  return argument;
}

std::string print(const system::System& system, const System& dae) {
  std::string out = fmt::format("variables {}\n", dae.variables.size());
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    out += fmt::format("  {}: {}", v, variable_name(system, dae, v));
    if (dae.variables[v].state)
      out += "  state";
    else if (v < dae.assign.size() && dae.assign[v] != kNone)
      out += fmt::format("  from {}", dae.assign[v]);
    out += "\n";
  }
  out += fmt::format("equations {}\n", dae.equations.count());
  print_equations(system, dae, dae.equations, 0, out);
  auto first = static_cast<std::uint32_t>(dae.equations.count());
  if (dae.initial.count() > 0) out += fmt::format("initial equations {}\n", dae.initial.count());
  print_equations(system, dae, dae.initial, first, out);
  if (!dae.zero_crossings.empty()) out += "zero crossings\n";
  for (const ZeroCrossing& r : dae.zero_crossings)
    for (std::size_t row = 0; row < r.differences.rows(); ++row)
      out += fmt::format("  p{}: {}\n", r.first + row,
                         held_text(r.kind, r.strict, print_row(system, dae, r.differences, row)));
  auto events = [&](const Equations& equations, const char* title, auto left) {
    if (equations.count() > 0) out += title;
    for (const EquationTable& table : equations.tables)
      for (std::size_t row = 0; row < table.rows(); ++row)
        out += fmt::format("  {} {}\n", left(table.tags[row]), print_row(system, dae, table, row));
  };
  events(dae.conditions, "conditions\n", [](std::uint32_t tag) { return fmt::format("{}: when", tag); });
  events(dae.values, "assignments\n", [&](std::uint32_t tag) {
    const Assignment& a = dae.assignments[tag];
    return fmt::format("{}: {}{} :=", a.trigger, a.negated ? "-" : "",
                       variable_name(system, dae, a.variable));
  });
  if (!system.delays.empty()) out += "delays\n";
  for (const system::Delay& d : system.delays) {
    auto of = [&](std::uint32_t u) {
      const Alias& a = dae.aliases[u];
      return a.kind == Alias::Zero
                 ? std::string("0")
                 : (a.kind == Alias::Negated ? "-" : "") + variable_name(system, dae, a.variable);
    };
    out += fmt::format("  {} = delay({}, p{})\n", of(d.unknown), of(d.of), d.length);
  }
  std::string aliases;
  for (std::uint32_t u = 0; u < dae.aliases.size(); ++u) {
    const Alias& a = dae.aliases[u];
    if (a.kind == Alias::Zero)
      aliases += fmt::format("  {} = 0\n", system::unknown_name(system, u));
    else if (a.kind == Alias::Negated || dae.variables[a.variable].unknown != u)
      aliases += fmt::format("  {} = {}{}\n", system::unknown_name(system, u),
                             a.kind == Alias::Negated ? "-" : "", variable_name(system, dae, a.variable));
  }
  if (!aliases.empty()) out += "aliases\n" + aliases;
  return out;
}

}  // namespace sigrel::dae
