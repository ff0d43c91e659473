// Values of expressions at one random point of the prime field. An identity that holds there holds for almost
// all values, and an expression that is nonzero there is not zero in general (Schwartz 1980; Zippel 1979).
// Equal expressions have equal values, so a cancellation that holds for all values is detected, and one that
// needs special values is not. The point is always the same: results do not depend on chance.
//
// Example: at the point, the value of x − x is zero, and that of x − y is not.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/exact/prime_field.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/system.h"

namespace sigrel::exact {

/// The kinds of quantities that have a coordinate of the random point.
enum class Coordinate : std::uint64_t {
  Number = 1,  // a constant that is neither an integer nor a short binary fraction
  Variable = 2,
  Parameter = 3,
  Time = 4,
  Rate = 5,        // s, the factor from a variable to its derivative
  Function = 100,  // plus the operator: the value of a transcendental function at its arguments
};
/// A nonzero element that depends on nothing but the arguments.
Field random_element(Coordinate kind, std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0);

/// Variables and parameters that are zero at the point.
struct Zeros {
  std::vector<bool> variables, parameters;  // numbers beyond their ends are not zero
  bool variable(std::uint32_t v) const { return v < variables.size() && variables[v]; }
  bool parameter(std::uint32_t p) const { return p < parameters.size() && parameters[p]; }
};

/// Whether the parameter is an integer: without a name it is taken as that, like a number in an equation.
bool is_integer(const system::Parameter& parameter);
/// The exponent of a parameter that is an integer power of another one.
std::optional<std::int32_t> integer_exponent(const system::System& system, const system::Parameter& power);
/// The values of parameters at the point. A parameter without a name can be computed from others; one with a
/// name has a value of its own even where it is computed, because a run can change it.
std::vector<Field> parameter_values(const system::System& system);

/// Evaluates expressions over slots (the residual of an equation table, or its partial derivatives), one row
/// of the table after the other.
class PointEvaluator {
 public:
  PointEvaluator(const ExprPool& pool, const std::vector<ExprId>& roots, const Zeros* zeros = nullptr);
  /// With values of parameters; others than these have values by their numbers.
  PointEvaluator(const ExprPool& pool, const std::vector<ExprId>& roots,
                 const std::vector<Field>& parameters);
  /// One value per root. `slots` and `params` are the variables and parameters of the row: they decide the
  /// values of leaves.
  std::vector<Field> row(std::span<const std::uint32_t> slots, std::span<const std::uint32_t> params);

 private:
  Field node(const Node& n, std::span<const std::uint32_t> slots,
             std::span<const std::uint32_t> params) const;
  const Zeros* zeros_ = nullptr;
  const std::vector<Field>* parameters_ = nullptr;
  std::vector<Node> nodes_;           // operands first, and referred to by their place here
  std::vector<std::uint32_t> roots_;  // places
  std::vector<Field> value_;          // by place
};

}  // namespace sigrel::exact
