#include "fixture.h"

#include "compiler/ir/library.h"

#include <algorithm>

namespace sigrel::testing {

Call::Call(const plan::Kernel& kernel, std::mt19937& random, std::size_t stride_, std::size_t begin_,
           std::size_t end_)
    : stride(stride_), begin(begin_), end(end_) {
  // Numbers of many sizes and both signs, with the special ones among them.
  std::uniform_real_distribution<double> unit(-3, 3);
  const double special[] = {0.0,
                            -0.0,
                            1.0,
                            -1.0,
                            0.5,
                            2.5,
                            -2.5,
                            1e300,
                            -1e-300,
                            INFINITY,
                            -INFINITY,
                            NAN,
                            0.49999999999999994,
                            4503599627370497.0};
  auto number = [&] { return random() % 16 == 0 ? special[random() % std::size(special)] : unit(random); };
  // The solved variables come first, one per row; all others are shared by the rows, as the connections of a
  // model are.
  values.resize(stride + 40);
  for (double& v : values) v = number();
  parameters.resize(20);
  for (double& p : parameters) p = number();
  table.resize((kernel.slots + kernel.params) * stride);
  for (std::uint32_t k = 0; k < kernel.slots + kernel.params; ++k) {
    for (std::size_t i = 0; i < stride; ++i) {
      std::uint32_t& entry = table[k * stride + i];
      if (k >= kernel.slots)
        entry = random() % parameters.size();
      else if (kernel.role != runtime::Role::Solve)
        entry = random() % values.size();
      else
        entry = static_cast<std::uint32_t>(k == kernel.solved ? i : stride + random() % 40);
    }
  }
  out.assign(std::max<std::size_t>(1, kernel.outputs.size()) * stride, -77.0);
}

Call::Result Call::run(const runtime::Kernel& kernel) const {
  Result result{values, out};
  runtime::KernelArguments arguments{
      time, result.values.data(), parameters.data(), table.data(), stride, begin, end, result.out.data()};
  kernel.function(kernel.self, &arguments);
  return result;
}

Call::Result Call::reference(const ExprPool& exprs, const plan::Kernel& kernel) const {
  Result result{values, out};
  plan::Body body = plan::body(exprs, kernel);
  std::vector<double> at(body.nodes.size());
  for (std::size_t i = begin; i < end; ++i) {
    for (std::size_t n = 0; n < body.nodes.size(); ++n) {
      const Node& node = body.nodes[n];
      switch (node.op) {
        case Op::Const: at[n] = node.value; break;
        case Op::Time: at[n] = time; break;
        case Op::Slot: at[n] = values[table[node.a * stride + i]]; break;
        case Op::Param: at[n] = parameters[table[(kernel.slots + node.a) * stride + i]]; break;
        case Op::PowInt: at[n] = apply(node.op, at[node.a], static_cast<std::int32_t>(node.b), 0); break;
        default: {
          int operands = arity(node.op);
          at[n] = apply(exprs.library.get(), node.op, node.value, at[node.a], operands > 1 ? at[node.b] : 0,
                        operands > 2 ? at[node.c] : 0);
        }
      }
    }
    for (std::size_t k = 0; k < body.outputs.size(); ++k) {
      double value = at[body.outputs[k]];
      if (kernel.role == runtime::Role::Solve)
        result.values[table[kernel.solved * stride + i]] = value;
      else
        result.out[k * stride + i] = value;
    }
  }
  return result;
}

ExprId random_expression(ExprPool& exprs, std::mt19937& random, std::size_t operations, std::uint32_t slots,
                         std::uint32_t params, bool library) {
  std::vector<ExprId> made;
  for (std::uint32_t k = 0; k < slots; ++k) made.push_back(exprs.slot(k));
  for (std::uint32_t k = 0; k < params; ++k) made.push_back(exprs.param(k));
  for (double c : {0.0, 1.0, -2.0, 0.3, 10.0}) made.push_back(exprs.constant(c));
  made.push_back(exprs.time());
  auto operand = [&] {
    std::size_t recent = std::min<std::size_t>(made.size(), 10);
    return random() % 3 ? made[made.size() - 1 - random() % recent] : made[random() % made.size()];
  };
  for (std::size_t i = 0; i < operations; ++i) {
    auto op = static_cast<Op>(static_cast<int>(Op::Neg) +
                              random() % (static_cast<int>(Op::Select) - static_cast<int>(Op::Neg) + 1));
    if (random() % 3 == 0) op = static_cast<Op>(static_cast<int>(Op::Add) + random() % 4);
    if (!library && ((op >= Op::Exp && op <= Op::Atanh) || op == Op::Pow || op == Op::Atan2)) op = Op::Mul;
    if (op == Op::PowInt)
      made.push_back(exprs.power(operand(), static_cast<std::int32_t>(random() % 12) - 5));
    else if (arity(op) == 1)
      made.push_back(exprs.unary(op, operand()));
    else if (arity(op) == 2)
      made.push_back(exprs.binary(op, operand(), operand()));
    else
      made.push_back(exprs.select(operand(), operand(), operand()));
  }
  // Every part counts: a bounded sum of some of them.
  ExprId bound = exprs.constant(1);
  ExprId root = made.back();
  for (std::size_t i = made.size() - operations; i < made.size(); i += 5)
    root = exprs.binary(Op::Add, root, exprs.binary(Op::Min, exprs.unary(Op::Abs, made[i]), bound));
  return root;
}

bool close(double a, double b, std::uint64_t ulp) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  if (a == b) return ulp > 0 || std::signbit(a) == std::signbit(b);
  if (std::isinf(a) || std::isinf(b)) return false;
  double size = std::max({std::fabs(a), std::fabs(b), 2.2250738585072014e-308});
  return std::fabs(a - b) <= static_cast<double>(ulp) * size * 0x1p-52;
}

}  // namespace sigrel::testing
