#include "compiler/order/linearity.h"

#include <span>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::order {

namespace {

// A sum over many variables connects them all, and what is connected is then too large to be solved exactly.
constexpr std::uint32_t kMostSlots = 32;

runtime::Linearity linearity_of(ExprPool& pool, ExprId root, std::uint32_t slots) {
  runtime::Linearity result;
  result.unknown = false;
  for (ExprId id : topological(pool, std::span<const ExprId>(&root, 1)))
    result.reads_time = result.reads_time || pool[id].op == Op::Time;
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    if (!symbolic::depends_on(pool, root, slot)) continue;
    result.reads.push_back(slot);
    const std::optional<symbolic::Linear> linear = symbolic::linear_in(pool, root, slot);
    if (!linear) {
      result.products.push_back({slot, slot});
      continue;
    }
    for (ExprId id : topological(pool, std::span<const ExprId>(&linear->factor, 1)))
      if (pool[id].op == Op::Slot) result.products.push_back({slot, pool[id].a});
  }
  return result;
}

}  // namespace

std::vector<runtime::Linearity> linearity(const plan::Plan& plan) {
  ExprPool pool = plan.exprs;  // factors are no part of the plan
  std::vector<runtime::Linearity> result(plan.kernels.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const plan::Kernel& kernel = plan.kernels[k];
    if (kernel.role != runtime::Role::Partials && kernel.slots <= kMostSlots)
      result[k] = linearity_of(pool, kernel.outputs[0], kernel.slots);
  }
  return result;
}

}  // namespace sigrel::order
