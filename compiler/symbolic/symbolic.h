// Transformations of expressions: done once per shape, never per instance. Sound for all parameter values:
// only nonzero constants are divided out.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/expr.h"

namespace sigrel::symbolic {

/// Rewrites one expression bottom-up: `leaf` gives the replacement of each leaf (Const, Slot, Der, Param,
/// Time); inner nodes are rebuilt with simplification. `from` and `to` may be the same pool.
ExprId rewrite(const ExprPool& from, ExprId root, ExprPool& to,
               const std::function<ExprId(const Node&)>& leaf);

/// Interns a node with local simplification: constant folding, 0 and 1, double negation, equal operands.
ExprId simplified(ExprPool& pool, const Node& node);

/// The canonical form: a sum of products with leading coefficients and like terms and factors collected.
/// (a + b) + (a + b) is 2 a + 2 b, a a b is a² b, x / 4 is 0.25 x (but x / 3 is unchanged); sin² + cos² is 1;
/// sines and cosines of sums of angles are recognised. Products of sums are not expanded, and factors that
/// may be 0 are not cancelled in quotients. Equal to the given expression up to rounding.
ExprId canonical(ExprPool& pool, ExprId root);

/// The approximate cost of an evaluation, in additions; shared subexpressions count once.
double cost(const ExprPool& pool, std::span<const ExprId> roots);

/// Replaces the roots by their canonical forms if these are cheaper together. Large expressions are not
/// changed.
void improve(ExprPool& pool, std::span<ExprId> roots);

/// The partial derivative with respect to slot `slot` (`order` 0) or to its `Der` leaf of the given
/// order.
ExprId partial(ExprPool& pool, ExprId root, std::uint32_t slot, std::uint32_t order = 0);

/// All partial derivatives with respect to slots 0 .. slots-1, in one pass over the expression (which has no
/// `Der`).
std::vector<ExprId> gradient(ExprPool& pool, ExprId root, std::uint32_t slots);

/// Total time derivative: Slot k becomes Der(k, 1), Der(k, n) becomes Der(k, n + 1), parameters are constant,
/// time is 1.
ExprId time_derivative(ExprPool& pool, ExprId root);

/// The number of a C function without derivative that is called with a varying argument: the expression then
/// has no `time_derivative`. (Its partial derivatives, which are only evaluated, are finite
/// differences.)
std::optional<std::uint32_t> call_without_derivative(const ExprPool& pool, ExprId root);

/// root = factor * slot + rest, where factor and rest do not depend on the slot; nullopt if root is not
/// linear in the slot.
struct Linear {
  ExprId factor;
  ExprId rest;
};
std::optional<Linear> linear_in(ExprPool& pool, ExprId root, std::uint32_t slot);

/// The explicit solution of root = 0 for a slot, if `root` is linear in it and the factor is a nonzero
/// constant, or nonzero wherever the equation determines the slot (parameters, products and quotients of
/// them); else nullopt.
std::optional<ExprId> solve_for(ExprPool& pool, ExprId root, std::uint32_t slot);
/// Whether there is one.
bool is_solvable_for(ExprPool& pool, ExprId root, std::uint32_t slot);

/// The same for any factor: where that is zero, so is the divisor of the solution.
std::optional<ExprId> quotient_for(ExprPool& pool, ExprId root, std::uint32_t slot);

/// The same expression, in which no operation is an event.
ExprId without_events(ExprPool& pool, ExprId root);

/// Whether the slot or a Der of it occurs.
bool depends_on(const ExprPool& pool, ExprId root, std::uint32_t slot);

/// For each slot whether it or a Der of it occurs in a condition or a rounding function, which derivatives do
/// not show. Min, max and abs do not count: their derivatives show their arguments.
std::vector<bool> slots_in_conditions(const ExprPool& pool, ExprId root, std::uint32_t slots);

/// Whether the expression is zero if all slots and Ders are zero, for all parameters and times.
bool homogeneous(const ExprPool& pool, ExprId root);

}  // namespace sigrel::symbolic
