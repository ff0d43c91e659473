#include "compiler/order/kernels.h"

#include <algorithm>

#include "compiler/order/sharpness.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::order {

ShapeId Kernels::shape(const EquationTable& table) {
  auto [at, fresh] =
      number_.try_emplace({table.residual, table.slots, table.params}, ShapeId{shapes_.size()});
  if (fresh) {
    Shape shape{table.residual, table.slots, table.params};
    shape.solve.resize(table.slots);
    shape.solvable.resize(table.slots);
    shapes_.push_back(std::move(shape));
  }
  return at->second;
}

KernelId Kernels::add(runtime::Role role, const Shape& shape, std::uint32_t solved,
                      std::vector<ExprId> outputs) {
  const std::vector<ExprId> nodes = topological(plan_.exprs, outputs);
  plan_.model.timed.push_back(
      std::ranges::any_of(nodes, [&](ExprId id) { return plan_.exprs[id].op == Op::Time; }));
  plan_.model.sharpness.push_back(role == runtime::Role::Partials ? runtime::Sharpness{}
                                                                  : sharpness(plan_.exprs, nodes));
  plan_.kernels.push_back({role, shape.slots, shape.params, solved, std::move(outputs)});
  return KernelId{plan_.kernels.size() - 1};
}

std::optional<KernelId> Kernels::solve(ShapeId number, std::uint32_t slot) {
  Shape& shape = shapes_[number];
  std::optional<std::optional<KernelId>>& kernel = shape.solve[slot];
  if (!kernel) {
    kernel.emplace();
    ExprId root = shape.root;
    ExprPool& work = work_.begin(root);
    if (auto solution = symbolic::solve_for(work, root, slot)) {
      symbolic::improve(work, std::span(&*solution, 1));
      *kernel = add(runtime::Role::Solve, shape, slot, {work_.keep(*solution)});
    }
  }
  return *kernel;
}

bool Kernels::is_solvable(ShapeId number, std::uint32_t slot) {
  Shape& shape = shapes_[number];
  std::optional<bool>& solvable = shape.solvable[slot];
  if (!solvable) {
    ExprId root = shape.root;
    ExprPool& work = work_.begin(root);
    solvable = symbolic::is_solvable_for(work, root, slot);
  }
  return *solvable;
}

std::optional<KernelId> Kernels::quotient(ShapeId number, std::uint32_t slot) {
  auto [at, fresh] = quotients_.try_emplace({number, slot});
  if (fresh) {
    const Shape& shape = shapes_[number];
    ExprId root = shape.root;
    ExprPool& work = work_.begin(root);
    if (auto solution = symbolic::quotient_for(work, root, slot)) {
      symbolic::improve(work, std::span(&*solution, 1));
      at->second = add(runtime::Role::Solve, shape, slot, {work_.keep(*solution)});
    }
  }
  return at->second;
}

KernelId Kernels::residual(ShapeId number) {
  Shape& shape = shapes_[number];
  if (!shape.residual) shape.residual = add(runtime::Role::Residual, shape, 0, {shape.root});
  plan_.kernels[shape.residual->value].rare = false;
  return *shape.residual;
}

KernelId Kernels::rare_residual(ShapeId number) {
  Shape& shape = shapes_[number];
  if (!shape.residual) {
    shape.residual = add(runtime::Role::Residual, shape, 0, {shape.root});
    plan_.kernels[shape.residual->value].rare = true;
  }
  return *shape.residual;
}

KernelId Kernels::partials(ShapeId number) {
  Shape& shape = shapes_[number];
  if (!shape.partials) {
    ExprId root = shape.root;
    ExprPool& work = work_.begin(root);
    std::vector<ExprId> partials = symbolic::gradient(work, root, shape.slots);
    symbolic::improve(work, partials);
    for (ExprId& partial : partials) partial = work_.keep(partial);
    shape.partials = add(runtime::Role::Partials, shape, 0, std::move(partials));
  }
  return *shape.partials;
}

}  // namespace sigrel::order
