#include "compiler/singularity/random_jacobian.h"

#include <algorithm>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::singularity {

RandomJacobian::Shape& RandomJacobian::shape_of(SectionId section, const EquationTable& table) {
  std::optional<Shape>& shape = shapes_[section];
  if (shape) return *shape;
  std::vector<ExprId> partials = symbolic::gradient(pool_, table.residual, table.slots);
  std::vector<bool> fixed;
  for (ExprId partial : partials)
    fixed.push_back(std::ranges::none_of(
        topological(pool_, std::span<const ExprId>(&partial, 1)),
        [&](ExprId id) { return pool_[id].op == Op::Slot || pool_[id].op == Op::Time; }));
  return shape.emplace(
      Shape{std::move(fixed), exact::PointEvaluator(pool_, std::move(partials), parameters_)});
}

}  // namespace sigrel::singularity
