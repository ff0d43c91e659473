// The kernels of a plan: one per (shape, role, slot) that is used, made when it is first asked for.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/plan.h"

namespace sigrel::order {

class Kernels {
 public:
  explicit Kernels(plan::Plan& plan) : plan_(plan) {}

  /// The shape of a table whose residual is in the plan's pool; the same for tables of equal shape.
  std::uint32_t shape(const EquationTable& table);
  /// The kernel that assigns a slot; nullopt when the equation cannot be solved for it explicitly.
  std::optional<std::uint32_t> solve(std::uint32_t shape, std::uint32_t slot);
  std::uint32_t residual(std::uint32_t shape);
  std::uint32_t partials(std::uint32_t shape);

 private:
  static constexpr std::uint32_t kUnknown = 0xFFFFFFFFu, kUnsolvable = 0xFFFFFFFEu;
  struct Shape {
    ExprId root;
    std::uint32_t slots, params;
    std::uint32_t residual = kUnknown, partials = kUnknown;
    std::vector<std::uint32_t> solve = {};  // by slot
  };
  std::uint32_t add(runtime::Role role, const Shape& shape, std::uint32_t solved,
                    std::vector<ExprId> outputs);

  plan::Plan& plan_;
  std::vector<Shape> shapes_;
  std::map<std::tuple<ExprId, std::uint32_t, std::uint32_t>, std::uint32_t> number_;
};

}  // namespace sigrel::order
