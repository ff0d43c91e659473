#include "compiler/reduce/parameter_definitions.h"

#include <algorithm>

#include "compiler/exact/random_point.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::size_t kMostSteps = 64;

}  // namespace

ParameterDefinitions::ParameterDefinitions(const system::System& system)
    : system_(system), named_(system.parameters.size(), false) {
  for (const system::NamedParameter& p : system.named_parameters) named_[p.parameter] = true;
}

bool ParameterDefinitions::computed(std::uint32_t p) const {
  return p < named_.size() && !named_[p] && arity(system_.parameters[p].op) > 0;
}

const std::vector<ParameterDefinitions::Step>& ParameterDefinitions::steps(std::uint32_t parameter) {
  // Depth first from the last step backwards: an operation before its operands, the last operand first.
  steps_.clear();
  std::vector<std::uint32_t> work{parameter};
  while (!work.empty()) {
    const std::uint32_t p = work.back();
    work.pop_back();
    if (steps_.size() + work.size() > kMostSteps) {
      steps_ = {{{.op = Op::Param, .a = parameter}}};
      return steps_;
    }
    if (!computed(p)) {
      const bool number = p < named_.size() && !named_[p] && exact::is_integer(system_.parameters[p]);
      steps_.push_back(number ? Step{{.op = Op::Const, .value = system_.parameters[p].value}}
                              : Step{{.op = Op::Param, .a = p}});
      continue;
    }
    const system::Parameter& definition = system_.parameters[p];
    if (const auto exponent = exact::integer_exponent(system_, definition);
        exponent && !named_[definition.b]) {
      steps_.push_back({{.op = Op::PowInt, .b = static_cast<std::uint32_t>(*exponent)}});
      work.push_back(definition.a);
      continue;
    }
    steps_.push_back({{.op = definition.op, .value = definition.value}});
    const std::uint32_t operands[] = {definition.a, definition.b, definition.c};
    for (int k = 0; k < arity(definition.op); ++k) work.push_back(operands[k]);
  }
  std::ranges::reverse(steps_);
  return steps_;
}

void ParameterDefinitions::apply(ExprPool& pool, const Step& step) {
  Node node = step.node;
  std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
  for (int k = node.op == Op::PowInt ? 1 : arity(node.op); k-- > 0;) {
    *operands[k] = stack_.back().value;
    stack_.pop_back();
  }
  stack_.push_back(symbolic::simplified(pool, node));
}

}  // namespace sigrel::reduce
