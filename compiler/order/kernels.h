// The kernels of a plan: one per (shape, role, slot) that is used, made on its first use.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "compiler/base/id_vector.h"
#include "compiler/ir/equations.h"
#include "compiler/ir/plan.h"
#include "compiler/symbolic/work_pool.h"

namespace sigrel::order {

using ShapeId = Id<struct ShapeTag>;    // a residual with its numbers of slots and parameters
using KernelId = Id<struct KernelTag>;  // of Plan::kernels

class Kernels {
 public:
  explicit Kernels(plan::Plan& plan) : plan_(plan), work_(plan.exprs) {}

  /// The shape of a table whose residual is in the plan's pool; the same for tables of equal shape.
  ShapeId shape(const EquationTable& table);
  /// The kernel that assigns a slot; nullopt when the equation cannot be solved for it explicitly.
  std::optional<KernelId> solve(ShapeId shape, std::uint32_t slot);
  /// Whether there is one. Of the kernels that tearing may choose from, few are used.
  bool is_solvable(ShapeId shape, std::uint32_t slot);
  /// The same by a quotient whose divisor may vanish, for guesses; nullopt when the equation is not linear in
  /// the slot.
  std::optional<KernelId> quotient(ShapeId shape, std::uint32_t slot);
  KernelId residual(ShapeId shape);
  /// The same for equations that are usually solved explicitly: interpreted unless it is also used elsewhere.
  KernelId rare_residual(ShapeId shape);
  KernelId partials(ShapeId shape);

 private:
  struct Shape {
    ExprId root;
    std::uint32_t slots, params;
    std::optional<KernelId> residual = {}, partials = {};
    /// By slot: absent until it is tried, then without a value if the equation cannot be solved for it.
    std::vector<std::optional<std::optional<KernelId>>> solve = {};
    std::vector<std::optional<bool>> solvable = {};  // by slot, the same
  };
  KernelId add(runtime::Role role, const Shape& shape, std::uint32_t solved, std::vector<ExprId> outputs);

  plan::Plan& plan_;
  symbolic::WorkPool work_;
  IdVector<ShapeId, Shape> shapes_;
  std::map<std::tuple<ExprId, std::uint32_t, std::uint32_t>, ShapeId> number_;
  std::map<std::pair<ShapeId, std::uint32_t>, std::optional<KernelId>> quotients_;
};

}  // namespace sigrel::order
