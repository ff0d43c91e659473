#include "compiler/check/names/operator_names.h"

namespace sigrel::check {

using ast::BinaryOp;

core::Primitive primitive_of(BinaryOp op) {
  using core::Primitive;
  switch (op) {
    case BinaryOp::Add: return Primitive::Add;
    case BinaryOp::Sub: return Primitive::Sub;
    case BinaryOp::Mul: return Primitive::Mul;
    case BinaryOp::Div: return Primitive::Div;
    case BinaryOp::Pow: return Primitive::Pow;
    case BinaryOp::Equal: return Primitive::Equal;
    case BinaryOp::NotEqual: return Primitive::NotEqual;
    case BinaryOp::Less: return Primitive::Less;
    case BinaryOp::LessEqual: return Primitive::LessEqual;
    case BinaryOp::Greater: return Primitive::Greater;
    case BinaryOp::GreaterEqual: return Primitive::GreaterEqual;
    case BinaryOp::And: return Primitive::And;
    case BinaryOp::Or: return Primitive::Or;
    case BinaryOp::Append: return Primitive::Append;
    case BinaryOp::Cons:
    case BinaryOp::Named: break;
  }
  return Primitive::Add;
}

}  // namespace sigrel::check
