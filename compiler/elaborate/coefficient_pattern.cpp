#include "compiler/elaborate/coefficient_pattern.h"

#include <algorithm>
#include <cmath>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

bool is_integer(double v) {
  constexpr double kExact = 9007199254740992.0;  // 2^53: a larger number may be rounded
  return std::floor(v) == v && std::fabs(v) < kExact;
}

/// The expression as `factor` times `of`, where all integer multiples of an expression have the same `of`.
struct Multiple {
  std::int64_t factor = 1;
  ExprId of;
};
Multiple multiple(ExprPool& pool, ExprId root) {
  Multiple m{1, root};
  while (true) {
    const Node n = pool[m.of];
    if (n.op == Op::Const && is_integer(n.value))
      return {m.factor * static_cast<std::int64_t>(n.value), pool.constant(1.0)};
    if (n.op == Op::Neg) {
      m = {-m.factor, ExprId{n.a}};
    } else if (n.op == Op::Mul && (pool[ExprId{n.a}].op == Op::Const || pool[ExprId{n.b}].op == Op::Const)) {
      bool first = pool[ExprId{n.a}].op == Op::Const;
      double number = pool[ExprId{first ? n.a : n.b}].value;
      if (!is_integer(number) || std::fabs(number) > 1e6 || std::abs(m.factor) > 1'000'000) break;
      m = {m.factor * static_cast<std::int64_t>(number), ExprId{first ? n.b : n.a}};
    } else {
      break;
    }
  }
  // An expression and its negative are represented by the one with the smaller id.
  ExprId form = symbolic::canonical(pool, m.of);
  ExprId negative = symbolic::canonical(pool, symbolic::simplified(pool, {Op::Neg, m.of.value, 0, 0, 0}));
  return negative.value < form.value ? Multiple{-m.factor, negative} : Multiple{m.factor, form};
}

}  // namespace

CoefficientPattern coefficient_pattern(const ExprPool& pool, ExprId residual) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> leaves;  // slot, order
  for (ExprId id : topological(pool, {&residual, 1})) {
    const Node& n = pool[id];
    if (n.op == Op::Slot) leaves.emplace_back(n.a, 0);
    if (n.op == Op::Der) leaves.emplace_back(n.a, n.b);
  }
  std::ranges::sort(leaves);
  // Each leaf becomes a slot of its own, so that one gradient has all coefficients.
  ExprPool scratch;
  scratch.library = pool.library;
  ExprId separate = symbolic::rewrite(pool, residual, scratch, [&](const Node& leaf) {
    if (leaf.op != Op::Slot && leaf.op != Op::Der) return scratch.intern(leaf);
    std::pair<std::uint32_t, std::uint32_t> key{leaf.a, leaf.op == Op::Der ? leaf.b : 0};
    return scratch.slot(static_cast<std::uint32_t>(std::ranges::lower_bound(leaves, key) - leaves.begin()));
  });
  auto gradient = symbolic::gradient(scratch, separate, static_cast<std::uint32_t>(leaves.size()));
  std::vector<bool> decides =
      symbolic::slots_in_conditions(pool, residual, leaves.empty() ? 0 : leaves.back().first + 1);
  CoefficientPattern result{{}, symbolic::homogeneous(pool, residual)};
  std::vector<ExprId> generic;
  for (std::size_t k = 0; k < leaves.size(); ++k) {
    Multiple m = multiple(scratch, gradient[k]);
    components::Coefficient coefficient{leaves[k].second, 0, m.factor, decides[leaves[k].first]};
    if (scratch[m.of].op != Op::Const || scratch[m.of].value != 1) {
      auto at = std::ranges::find(generic, m.of);
      coefficient.generic = static_cast<std::uint32_t>(at - generic.begin()) + 1;
      if (at == generic.end()) generic.push_back(m.of);
    }
    result.coefficients.push_back({leaves[k].first, coefficient});
  }
  return result;
}

}  // namespace sigrel::elaborate
