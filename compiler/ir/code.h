// Code: the executable form of a plan's kernels, and what both of its makers, the JIT and the interpreter, share.
//
// Both give the same numbers. Operations are those of sigrel::apply, one rounding each, in the order of the expression, with
// no contraction to fused multiply-add; small integer powers are repeated multiplications in the order of `power_steps`.
// The rows of a run are independent: a kernel may evaluate several at once and store afterwards.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel {

/// Owns what its kernels point to.
class Code {
 public:
  virtual ~Code() = default;
  std::vector<runtime::Kernel> kernels;  // by number, as in Plan::kernels
};

namespace plan {

/// The expressions of one kernel alone: nodes renumbered densely, operands before users, each node once.
struct Body {
  std::vector<Node> nodes;             // operands are indices into this vector
  std::vector<std::uint32_t> outputs;  // one per output of the kernel
};

inline Body body(const ExprPool& pool, const Kernel& kernel) {
  Body result;
  std::vector<ExprId> ids = topological(pool, kernel.outputs);
  auto local = [&](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin());
  };
  result.nodes.reserve(ids.size());
  for (ExprId id : ids) {
    Node node = pool[id];
    int operands = arity(node.op);
    if (operands > 0) node.a = local(node.a);
    if (operands > 1) node.b = local(node.b);
    if (operands > 2) node.c = local(node.c);
    result.nodes.push_back(node);
  }
  for (ExprId id : kernel.outputs) result.outputs.push_back(local(id.value));
  return result;
}

/// Powers with at most this exponent are multiplied out; others go to std::pow.
constexpr std::int32_t kMultipliedPower = 32;

inline bool is_multiplied(std::int32_t exponent) { return exponent >= -kMultipliedPower && exponent <= kMultipliedPower; }

/// base^exponent for a multiplied exponent, by binary powering from the lowest bit; a negative one is the reciprocal of the
/// positive power. `T` is a number, or a value of generated code; `multiply` and `reciprocal` act on it.
template <class T, class Multiply, class Reciprocal>
T power_steps(T base, T one, std::int32_t exponent, Multiply multiply, Reciprocal reciprocal) {
  std::uint32_t n = static_cast<std::uint32_t>(exponent < 0 ? -exponent : exponent);
  T result = one, square = base;
  bool started = false;
  while (n) {
    if (n & 1) {
      result = started ? multiply(result, square) : square;
      started = true;
    }
    n >>= 1;
    if (n) square = multiply(square, square);
  }
  return exponent < 0 ? reciprocal(result) : result;
}

}  // namespace plan
}  // namespace sigrel
