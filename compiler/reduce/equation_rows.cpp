#include "compiler/reduce/equation_rows.h"

#include <algorithm>
#include <cmath>

#include "compiler/exact/sparse_elimination.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {

std::optional<std::vector<std::int64_t>> integer_coefficients(ExprPool& pool, const EquationTable& table) {
  if (table.params > 0 || table.slots == 0) return std::nullopt;
  ExprId rest = symbolic::rewrite(pool, table.residual, pool, [&](const Node& leaf) {
    return leaf.op == Op::Slot ? pool.constant(0.0) : pool.intern(Node(leaf));
  });
  if (pool[rest].op != Op::Const || pool[rest].value != 0) return std::nullopt;
  std::vector<std::int64_t> result;
  for (ExprId partial : symbolic::gradient(pool, table.residual, table.slots)) {
    const Node& n = pool[partial];
    if (n.op != Op::Const || std::floor(n.value) != n.value || std::fabs(n.value) > exact::kLargestInteger)
      return std::nullopt;
    result.push_back(static_cast<std::int64_t>(n.value));
  }
  return result;
}

void add_row(Equations& equations, ExprId residual, std::span<const std::uint32_t> unknowns,
             std::span<const std::uint32_t> parameters, Origin origin) {
  auto at = std::ranges::find_if(equations.tables, [&](const EquationTable& t) {
    return t.residual == residual && t.slots == unknowns.size() && t.params == parameters.size();
  });
  if (at == equations.tables.end()) {
    at = equations.tables.emplace(at);
    at->residual = residual;
    at->slots = static_cast<std::uint32_t>(unknowns.size());
    at->params = static_cast<std::uint32_t>(parameters.size());
  }
  at->unknowns.insert(at->unknowns.end(), unknowns.begin(), unknowns.end());
  at->parameters.insert(at->parameters.end(), parameters.begin(), parameters.end());
  at->origins.push_back(origin);
}

void add_sum(SumTable& sums, std::span<const Term> terms, Origin origin) {
  sums.terms.insert(sums.terms.end(), terms.begin(), terms.end());
  sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
  sums.origins.push_back(origin);
}

void remove_equations(Equations& equations, const IdVector<EquationId, bool>& removed) {
  EquationId equation;
  for (EquationTable& table : equations.tables) {
    EquationTable rest;
    rest.residual = table.residual;
    rest.slots = table.slots;
    rest.params = table.params;
    for (std::size_t row = 0; row < table.rows(); ++row, ++equation.value) {
      if (removed[equation]) continue;
      auto unknowns = table.unknowns_of(row), parameters = table.parameters_of(row);
      rest.unknowns.insert(rest.unknowns.end(), unknowns.begin(), unknowns.end());
      rest.parameters.insert(rest.parameters.end(), parameters.begin(), parameters.end());
      rest.origins.push_back(table.origins[row]);
    }
    table = std::move(rest);
  }
  SumTable sums;
  for (std::size_t row = 0; row < equations.sums.rows(); ++row, ++equation.value)
    if (!removed[equation]) add_sum(sums, equations.sums.terms_of(row), equations.sums.origins[row]);
  equations.sums = std::move(sums);
  std::erase_if(equations.tables, [](const EquationTable& table) { return table.rows() == 0; });
}

}  // namespace sigrel::reduce
