#include <algorithm>
#include <utility>

#include "compiler/order/schedule.h"

namespace sigrel::order {
namespace {

std::uint64_t hash_of(std::span<const EquationId> equations) {
  std::uint64_t hash = equations.size();
  for (const EquationId equation : equations) hash = mixed(hash, equation.value);
  return hash;
}

}  // namespace

const KnownLoops::Loop* KnownLoops::find(std::span<const EquationId> equations,
                                         std::span<const VariableId> variables) const {
  const std::uint32_t found = index_.find(hash_of(equations), [&](std::uint32_t k) {
    if (!std::ranges::equal(loops_[k].equations, equations)) return false;
    std::vector<VariableId> own = loops_[k].variables;
    std::ranges::sort(own);
    return std::ranges::equal(own, variables);
  });
  return found == IndexTable::kMissing ? nullptr : &loops_[found];
}

void KnownLoops::add(std::uint32_t number, const TornBlock& torn) {
  std::vector<std::pair<EquationId, VariableId>> pairs;
  pairs.reserve(torn.inner.size() + torn.residual_equations.size());
  for (const TornBlock::Inner& inner : torn.inner) pairs.emplace_back(inner.equation, inner.variable);
  for (std::size_t k = 0; k < torn.residual_equations.size(); ++k)
    pairs.emplace_back(torn.residual_equations[k], torn.tearing_variables[k]);
  std::ranges::sort(pairs);
  Loop loop{.number = number, .equations = {}, .variables = {}};
  for (const auto& [equation, variable] : pairs) {
    loop.equations.push_back(equation);
    loop.variables.push_back(variable);
  }
  const auto next = static_cast<std::uint32_t>(loops_.size());
  index_.find_or_add(
      hash_of(loop.equations), next, [](std::uint32_t) { return false; },
      [&](std::uint32_t k) { return hash_of(loops_[k].equations); });
  loops_.push_back(std::move(loop));
}

}  // namespace sigrel::order
