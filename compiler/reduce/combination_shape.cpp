#include "compiler/reduce/combination_shape.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "compiler/exact/random_point.h"
#include "compiler/reduce/equation_rows.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {

Derived derived(const dae::System& dae, std::uint32_t variable, std::uint32_t order) {
  for (; order > 0 && dae.variables[variable].derivative != dae::kNone; --order)
    variable = dae.variables[variable].derivative;
  return {variable, order};
}

const CombinationShapes::Source& CombinationShapes::source(SectionId table, std::uint32_t order) {
  auto [at, fresh] = sources_.try_emplace({table, order});
  if (!fresh) return at->second;
  ExprPool& pool = dae_.exprs;
  Source& s = at->second;
  s.residual = equations_.sections()[table].table->residual;
  for (; order > 0; --order) s.residual = symbolic::time_derivative(pool, s.residual);
  for (ExprId id : topological(pool, std::span<const ExprId>(&s.residual, 1))) {
    const Node& n = pool[id];
    if (n.op == Op::Slot) s.slots.emplace_back(n.a, 0);
    if (n.op == Op::Der) s.slots.emplace_back(n.a, n.b);
  }
  std::ranges::sort(s.slots);
  return s;
}

std::optional<CombinationShape> CombinationShapes::make(const std::vector<Member>& members,
                                                        const Leaves& leaves) {
  for (const Member& m : members)
    if (const auto& section = equations_.section(m.equation); section.table && m.order > 0)
      if (symbolic::call_without_derivative(dae_.exprs, section.table->residual)) return std::nullopt;

  std::uint32_t count = 0;
  for (const Member& m : members) count = std::max(count, m.group + 1);
  std::vector<ExprId> groups(count, dae_.exprs.constant(0.0));
  for (const Member& m : members) {
    const ExprId factor = dae_.exprs.constant(static_cast<double>(m.factor));
    groups[m.group] =
        simplified(Op::Add, groups[m.group], simplified(Op::Mul, factor, expression(m, leaves)));
  }
  const std::optional<std::size_t> replaced = weigh(groups, members, leaves);
  if (!replaced) return std::nullopt;
  ExprId residual = dae_.exprs.constant(0.0);
  for (ExprId group : groups) residual = simplified(Op::Add, residual, group);
  symbolic::improve(dae_.exprs, std::span(&residual, 1));
  if (!remove_highest(residual, leaves)) return std::nullopt;
  CombinationShape shape = over_own_slots(residual);
  shape.replaced = *replaced;
  return shape;
}

/// The equation over the leaves as slots.
ExprId CombinationShapes::expression(const Member& member, const Leaves& leaves) {
  ExprPool& pool = dae_.exprs;
  const SectionId number = equations_.section_of(member.equation);
  const incidence::EquationList::Section& section = equations_.sections()[number];
  const std::uint32_t row = section.row_of(member.equation);
  auto slot = [&](std::uint32_t v, std::uint32_t order) {
    return pool.slot(leaves.place(derived(dae_, v, order)));
  };
  if (!section.table) {
    ExprId result = pool.constant(0.0);
    for (Term t : section.sums->terms_of(row))
      result = simplified(t.negative() ? Op::Sub : Op::Add, result, slot(t.unknown(), member.order));
    return result;
  }
  const auto unknowns = section.table->unknowns_of(row);
  const auto parameters = section.table->parameters_of(row);
  return symbolic::rewrite(pool, source(number, member.order).residual, pool, [&](const Node& leaf) {
    switch (leaf.op) {
      case Op::Slot: return slot(unknowns[leaf.a], 0);
      case Op::Der: return slot(unknowns[leaf.a], leaf.b);
      case Op::Param:
        return definitions_.expression(pool, parameters[leaf.a],
                                       [&](std::uint32_t p) { return pool.param(leaves.place(p)); });
      default: return pool.intern(Node(leaf));
    }
  });
}

/// Multiplies the groups by factors with which their highest derivatives cancel. The group with factor 1
/// contains a replaceable member, which is returned; it is the group for which the others divide by the
/// fewest parameters.
std::optional<std::size_t> CombinationShapes::weigh(std::vector<ExprId>& groups,
                                                    const std::vector<Member>& members,
                                                    const Leaves& leaves) {
  std::vector<std::optional<std::size_t>> replaceable(groups.size());
  for (std::size_t k = members.size(); k-- > 0;)
    if (members[k].replaceable) replaceable[members[k].group] = k;
  if (groups.size() == 1) return replaceable[0];

  std::vector<std::vector<Valued>> rows;
  for (ExprId group : groups) {
    std::vector<Valued>& row = rows.emplace_back();
    const std::vector<Valued> all = gradient(group, leaves);
    for (std::size_t k = 0; k < all.size(); ++k)
      if (leaves.highest[k]) row.push_back(all[k]);
  }
  std::optional<SymbolicDependency> best;
  std::optional<std::size_t> replaced;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (!replaceable[g]) continue;
    auto found = symbolic_dependency(dae_.exprs, rows, g);
    if (!found || (best && found->divisors >= best->divisors)) continue;
    best = std::move(found);
    replaced = replaceable[g];
  }
  if (best)
    for (std::size_t g = 0; g < groups.size(); ++g)
      groups[g] = simplified(Op::Mul, best->factors[g], groups[g]);
  return replaced;
}

/// Removes the slots on which the residual does not depend: those whose coefficient is zero at the random
/// point. Whether no highest derivative is left.
bool CombinationShapes::remove_highest(ExprId& residual, const Leaves& leaves) {
  ExprPool& pool = dae_.exprs;
  const std::vector<Valued> partials = gradient(residual, leaves);
  for (std::uint32_t k = 0; k < partials.size(); ++k) {
    if (leaves.highest[k] && !partials[k].value.zero()) return false;
    if (!partials[k].value.zero() || !symbolic::depends_on(pool, residual, k)) continue;
    const auto linear = symbolic::linear_in(pool, residual, k);
    const Node& n = pool[partials[k].expr];
    if (!linear && (n.op != Op::Const || n.value != 0)) return false;
    if (linear) residual = linear->rest;
  }
  return true;
}

/// The partial derivatives with respect to all leaves.
std::vector<Valued> CombinationShapes::gradient(ExprId residual, const Leaves& leaves) {
  std::vector<std::uint32_t> variables(leaves.variables.size()), parameters(leaves.parameters.size());
  std::iota(variables.begin(), variables.end(), 0u);
  std::iota(parameters.begin(), parameters.end(), 0u);
  const std::vector<ExprId> partials =
      symbolic::gradient(dae_.exprs, residual, static_cast<std::uint32_t>(variables.size()));
  const std::vector<exact::Field> values =
      exact::PointEvaluator(dae_.exprs, partials).row(variables, parameters);
  std::vector<Valued> result;
  for (std::size_t k = 0; k < values.size(); ++k) result.push_back({partials[k], values[k]});
  return result;
}

CombinationShape CombinationShapes::over_own_slots(ExprId residual) {
  ExprPool& pool = dae_.exprs;
  CombinationShape shape;
  for (ExprId id : topological(pool, std::span<const ExprId>(&residual, 1))) {
    if (pool[id].op == Op::Slot) shape.leaves.push_back(pool[id].a);
    if (pool[id].op == Op::Param) shape.parameters.push_back(pool[id].a);
  }
  std::ranges::sort(shape.leaves);
  std::ranges::sort(shape.parameters);
  EquationTable& table = shape.table;
  table.slots = static_cast<std::uint32_t>(shape.leaves.size());
  table.params = static_cast<std::uint32_t>(shape.parameters.size());
  table.residual = symbolic::rewrite(pool, residual, pool, [&](const Node& leaf) {
    switch (leaf.op) {
      case Op::Slot: return pool.slot(Leaves::place(shape.leaves, leaf.a));
      case Op::Param: return pool.param(Leaves::place(shape.parameters, leaf.a));
      default: return pool.intern(Node(leaf));
    }
  });
  shape.integers = integer_coefficients(pool, table);
  std::int64_t terms = 0;
  if (shape.integers)
    for (std::int64_t c : *shape.integers) terms += std::abs(c);
  if (terms > kMostTerms) shape.integers.reset();
  return shape;
}

ExprId CombinationShapes::simplified(Op op, ExprId a, ExprId b) {
  return symbolic::simplified(dae_.exprs, {op, a.value, b.value, 0, 0});
}

}  // namespace sigrel::reduce
