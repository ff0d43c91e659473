#include "compiler/order/sharpness.h"

#include <algorithm>
#include <vector>

namespace sigrel::order {
namespace {

using Kind = runtime::Sharpness::Kind;

enum Degree : std::uint8_t { Constant, Affine, Curved };  // in slots and time

Degree degree_of(const Node& node, const Degree of[3]) {
  const int operands = arity(node.op);
  const Degree most = operands ? *std::max_element(of, of + operands) : Constant;
  switch (node.op) {
    case Op::Slot:
    case Op::Time: return Affine;
    case Op::Neg:
    case Op::Add:
    case Op::Sub: return most;
    case Op::Mul: return of[0] == Constant ? of[1] : of[1] == Constant ? of[0] : Curved;
    case Op::Div: return of[1] == Constant ? of[0] : Curved;
    case Op::Select: return of[0] == Constant ? std::max(of[1], of[2]) : Curved;
    default: return most == Constant ? Constant : Curved;
  }
}

/// Of one operation, with operands of these degrees. Polynomials, roots and logarithms are not sharp; what
/// rises ever faster is so only where its argument turns back.
Kind kind_of(const ExprPool& pool, const Node& node, const Degree of[3]) {
  switch (node.op) {
    case Op::Exp:
    case Op::Sinh:
    case Op::Cosh: return of[0] == Curved ? Kind::Any : of[0] == Affine ? Kind::IfCurved : Kind::None;
    case Op::Sin:
    case Op::Cos:
    case Op::Tan:
    case Op::Atan:
    case Op::Tanh:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Sign:
    case Op::Select: return of[0] == Constant ? Kind::None : Kind::Any;
    case Op::PowInt:
      return of[0] == Constant || static_cast<std::int32_t>(node.b) >= 0 ? Kind::None : Kind::Any;
    case Op::Div:
    case Op::Lookup1: return of[1] == Constant ? Kind::None : Kind::Any;
    case Op::Pow: {
      const Node& exponent = pool[ExprId{node.b}];
      if (exponent.op == Op::Const && exponent.value >= 0) return Kind::None;
      return of[0] == Constant && of[1] == Constant ? Kind::None : Kind::Any;
    }
    case Op::Atan2: return of[0] == Constant && of[1] == Constant ? Kind::None : Kind::Any;
    default: return Kind::None;
  }
}

}  // namespace

bool has_enclosure(Op op) {
  return op != Op::Lookup2 && op != Op::Call1 && op != Op::Call2 && op != Op::Call3;
}

runtime::Sharpness sharpness(const ExprPool& pool, std::span<const ExprId> nodes) {
  runtime::Sharpness result;
  std::vector<Degree> degrees(nodes.size(), Constant);
  std::vector<std::uint8_t> read(nodes.size(), 0);  // by sharp operations
  auto place = [&](std::uint32_t id) {
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes, ExprId{id}) - nodes.begin());
  };
  bool enclosed = true;
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = pool[nodes[k]];
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    Degree of[3] = {Constant, Constant, Constant};
    for (int j = 0; j < arity(node.op); ++j) of[j] = degrees[place(operands[j])];
    degrees[k] = degree_of(node, of);
    result.curved = result.curved || degrees[k] == Curved;
    enclosed = enclosed && has_enclosure(node.op);
    const Kind kind = kind_of(pool, node, of);
    result.kind = std::max(result.kind, kind);
    for (int j = 0; j < arity(node.op) && kind != Kind::None; ++j) read[place(operands[j])] = 1;
  }
  if (!enclosed) result.kind = Kind::None;
  if (result.kind == Kind::None) return result;
  for (std::size_t k = nodes.size(); k-- > 0;) {
    if (!read[k]) continue;
    const Node& node = pool[nodes[k]];
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    for (int j = 0; j < arity(node.op); ++j) read[place(operands[j])] = 1;
    if (node.op == Op::Slot) result.slots.push_back(node.a);
    if (node.op == Op::Time) result.reads_time = true;
  }
  std::ranges::sort(result.slots);
  return result;
}

}  // namespace sigrel::order
