// Code: the executable form of the kernels of a plan, and the definitions shared by the JIT and the
// interpreter.
//
// Both compute the same values. Operations are those of sigrel::apply, one rounding each, in the order of the
// expression, without contraction to fused multiply-add; small integer powers are repeated multiplications in
// the order of `power_steps`. The rows of a batch are independent: a kernel may evaluate several at once and
// store afterwards.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel {

/// Owns the code and data of its kernels.
class KernelCode {
 public:
  virtual ~KernelCode() = default;
  std::vector<runtime::Kernel> kernels;  // by number, as in Plan::kernels
};

namespace plan {

/// The expressions of one kernel: nodes renumbered densely, operands before users, each node once, in the
/// order in which the outputs need them. Equal expressions have equal bodies, independent of their
/// pools.
struct Body {
  std::vector<Node> nodes;             // operands are indices into this vector
  std::vector<std::uint32_t> outputs;  // one per output of the kernel
};

inline Body body(const ExprPool& pool, const Kernel& kernel) {
  constexpr std::uint32_t kUnnumbered = 0xFFFFFFFFu;
  Body result;
  std::vector<ExprId> ids = topological(pool, kernel.outputs);
  std::vector<std::uint32_t> number(ids.size(), kUnnumbered);
  auto number_of = [&](std::uint32_t id) -> std::uint32_t& {
    return number[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin())];
  };
  result.nodes.reserve(ids.size());
  std::vector<std::uint32_t> work;
  for (ExprId output : kernel.outputs) {
    work.push_back(output.value);
    while (!work.empty()) {
      std::uint32_t id = work.back();
      std::uint32_t& place = number_of(id);
      Node node = pool[ExprId{id}];
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      std::size_t waiting = work.size();
      if (place == kUnnumbered)
        for (int k = arity(node.op); k-- > 0;)
          if (number_of(*operands[k]) == kUnnumbered) work.push_back(*operands[k]);
      if (work.size() > waiting) continue;
      work.pop_back();
      if (place != kUnnumbered) continue;
      for (int k = 0; k < arity(node.op); ++k) *operands[k] = number_of(*operands[k]);
      place = static_cast<std::uint32_t>(result.nodes.size());
      result.nodes.push_back(node);
    }
    result.outputs.push_back(number_of(output.value));
  }
  return result;
}

/// Powers with at most this exponent are multiplied out; others go to std::pow.
constexpr std::int32_t kMultipliedPower = 32;

inline bool is_multiplied(std::int32_t exponent) {
  return exponent >= -kMultipliedPower && exponent <= kMultipliedPower;
}

/// base^exponent for a multiplied exponent, by binary powering from the lowest bit; a negative one is the
/// reciprocal of the positive power. `T` is a number, or a value of generated code; `multiply` and
/// `reciprocal` act on it.
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
