#include "compiler/order/kernels.h"

#include "compiler/symbolic/symbolic.h"

namespace sigrel::order {

std::uint32_t Kernels::shape(const EquationTable& table) {
  auto [at, fresh] = number_.try_emplace({table.residual, table.slots, table.params}, shapes_.size());
  if (fresh) {
    Shape shape{table.residual, table.slots, table.params};
    shape.solve.assign(table.slots, kUnknown);
    shapes_.push_back(std::move(shape));
  }
  return at->second;
}

std::uint32_t Kernels::add(runtime::Role role, const Shape& shape, std::uint32_t solved,
                           std::vector<ExprId> outputs) {
  plan_.kernels.push_back({role, shape.slots, shape.params, solved, std::move(outputs)});
  return static_cast<std::uint32_t>(plan_.kernels.size() - 1);
}

std::optional<std::uint32_t> Kernels::solve(std::uint32_t number, std::uint32_t slot) {
  Shape& shape = shapes_[number];
  std::uint32_t& kernel = shape.solve[slot];
  if (kernel == kUnknown) {
    auto solution = symbolic::solve_for(plan_.exprs, shape.root, slot);
    if (solution) symbolic::improve(plan_.exprs, std::span(&*solution, 1));
    kernel = solution ? add(runtime::Role::Solve, shape, slot, {*solution}) : kUnsolvable;
  }
  if (kernel == kUnsolvable) return std::nullopt;
  return kernel;
}

std::uint32_t Kernels::residual(std::uint32_t number) {
  Shape& shape = shapes_[number];
  if (shape.residual == kUnknown) shape.residual = add(runtime::Role::Residual, shape, 0, {shape.root});
  return shape.residual;
}

std::uint32_t Kernels::partials(std::uint32_t number) {
  Shape& shape = shapes_[number];
  if (shape.partials == kUnknown) {
    std::vector<ExprId> slopes = symbolic::gradient(plan_.exprs, shape.root, shape.slots);
    symbolic::improve(plan_.exprs, slopes);
    shape.partials = add(runtime::Role::Partials, shape, 0, std::move(slopes));
  }
  return shape.partials;
}

}  // namespace sigrel::order
