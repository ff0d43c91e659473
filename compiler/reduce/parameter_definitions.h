// Parameters that are computed from others, as expressions of those: -g in one equation and g in another one
// can cancel. A parameter with a name is not expanded, because a run can change it by itself.
//
// Example: with p2 = -p1 and p1 named, the steps of p2 are: p1, its negative.
#pragma once
#include <bit>
#include <cstdint>
#include <vector>

#include "compiler/ir/expr.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

class ParameterDefinitions {
 public:
  explicit ParameterDefinitions(const system::System& system);

  /// The definition in postfix form: a number, a parameter, or an operation on earlier steps.
  struct Step {
    Node node;  // Const, Param (a: the number of the parameter), PowInt, or an operation
  };
  /// Valid until the next call. The parameter itself where its definition is long.
  const std::vector<Step>& steps(std::uint32_t parameter);

  /// Calls parameter(p) for the parameters in the definition, and word(w) for what else distinguishes it.
  template <class Parameter, class Word>
  void visit(std::uint32_t p, Parameter parameter, Word word) {
    for (const Step& step : steps(p)) {
      word(static_cast<std::uint32_t>(step.node.op));
      if (step.node.op == Op::Param) parameter(step.node.a);
      if (step.node.op == Op::PowInt) word(step.node.b);
      const auto bits = std::bit_cast<std::uint64_t>(step.node.value);
      word(static_cast<std::uint32_t>(bits));
      word(static_cast<std::uint32_t>(bits >> 32));
    }
  }
  /// The definition as an expression; leaf(p) gives that of a parameter in it.
  template <class Leaf>
  ExprId expression(ExprPool& pool, std::uint32_t p, Leaf leaf) {
    stack_.clear();
    for (const Step& step : steps(p)) push(pool, step, leaf);
    return stack_.back();
  }

 private:
  template <class Leaf>
  void push(ExprPool& pool, const Step& step, Leaf leaf) {
    if (step.node.op == Op::Param)
      stack_.push_back(leaf(step.node.a));
    else
      apply(pool, step);
  }
  void apply(ExprPool& pool, const Step& step);
  bool computed(std::uint32_t parameter) const;

  const system::System& system_;
  std::vector<bool> named_;
  std::vector<Step> steps_;
  std::vector<ExprId> stack_;
};

}  // namespace sigrel::reduce
