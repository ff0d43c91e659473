// Expressions to expressions: everything here happens once per shape, never per instance. Sound for all
// parameter values: nothing is divided out unless it is a nonzero constant.
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

/// The node with local simplification: constants folded, 0 and 1 removed, double negation, equal operands.
ExprId simplified(ExprPool& pool, const Node& node);

/// The expression as a sum of products with numbers in front: like terms and factors collected, (a + b) + (a
/// + b) is 2 a + 2 b, a a b is a² b, x / 4 is 0.25 x (but x / 3 is itself); sin² + cos² is 1, and sines and
/// cosines of sums of angles are recognised. Products of sums are not multiplied out, nothing that may be 0
/// is cancelled in a quotient. Equal to the given one up to rounding.
ExprId canonical(ExprPool& pool, ExprId root);

/// Roughly what an evaluation takes, in additions; what the roots share counts once.
double cost(const ExprPool& pool, std::span<const ExprId> roots);

/// Puts the canonical forms in the place of the roots where they cost less together. Large expressions stay
/// as they are.
void improve(ExprPool& pool, std::span<ExprId> roots);

/// Partial derivative with respect to slot `slot`; `order` selects the slot itself (0) or its `Der` leaf of
/// that order.
ExprId partial(ExprPool& pool, ExprId root, std::uint32_t slot, std::uint32_t order = 0);

/// All partial derivatives with respect to slots 0 .. slots-1, in one pass over the expression (which has no
/// `Der`).
std::vector<ExprId> gradient(ExprPool& pool, ExprId root, std::uint32_t slots);

/// Total time derivative: Slot k becomes Der(k, 1), Der(k, n) becomes Der(k, n + 1), parameters are constant,
/// time is 1.
ExprId time_derivative(ExprPool& pool, ExprId root);

/// The number of a function of C without a derivative that is called with something that varies: such an
/// expression has no `time_derivative`. (Partial derivatives are wanted as numbers, and are finite
/// differences there.)
std::optional<std::uint32_t> call_without_derivative(const ExprPool& pool, ExprId root);

/// root = factor * slot + rest with neither factor nor rest depending on the slot; nullopt when it is not
/// linear in the slot.
struct Linear {
  ExprId factor;
  ExprId rest;
};
std::optional<Linear> linear_in(ExprPool& pool, ExprId root, std::uint32_t slot);

/// The explicit solution of root = 0 for a slot, where `root` is linear in it and the factor is a nonzero
/// constant or an expression that is nonzero wherever the equation can be used (parameters, nonzero products
/// and quotients of them); else nullopt.
std::optional<ExprId> solve_for(ExprPool& pool, ExprId root, std::uint32_t slot);

/// The same, with comparisons of which the run takes no notice.
ExprId without_events(ExprPool& pool, ExprId root);

/// Whether the slot (or a Der of it) occurs.
bool depends_on(const ExprPool& pool, ExprId root, std::uint32_t slot);

/// By slot: whether a condition or a rounding looks at its value (or at a Der of it), which slopes do not
/// show. Min, max and abs are not meant: they move with what they look at.
std::vector<bool> slots_in_conditions(const ExprPool& pool, ExprId root, std::uint32_t slots);

/// Whether the expression is zero where all slots (and Ders) are, whatever the parameters and the time.
bool homogeneous(const ExprPool& pool, ExprId root);

}  // namespace sigrel::symbolic
