// Printing of scalar expressions. Iterative: a shape may be a sum of many thousand terms.
#pragma once
#include <deque>

#include "compiler/ir/expr.h"

namespace sigrel {

namespace detail {
int precedence(Op op);
std::string number_text(double value);
std::string integer_text(double value);
}  // namespace detail

template <class SlotName, class ParamName>
std::string print(const ExprPool& pool, ExprId root, SlotName slot_name, ParamName param_name) {
  struct Piece {
    bool literal;
    ExprId id;
    int context;
    const char* text;
  };
  std::string out;
  std::deque<std::string> exponents;  // `pieces` point into it
  std::vector<Piece> work{{false, root, 0, nullptr}};
  auto text = [&](const char* s) { work.push_back({true, {}, 0, s}); };
  auto expr = [&](std::uint32_t id, int context) { work.push_back({false, ExprId{id}, context, nullptr}); };
  while (!work.empty()) {
    Piece piece = work.back();
    work.pop_back();
    if (piece.literal) {
      out += piece.text;
      continue;
    }
    const Node& n = pool[piece.id];
    int level = detail::precedence(n.op);
    bool parens = level < piece.context;
    if (kind(n.op) == OpKind::Lookup ||
        kind(n.op) == OpKind::Call) {  // "call4(x, y)": the number encodes function and derivative
      const std::uint32_t operands[] = {n.a, n.b, n.c};
      out += spelling(n.op);
      if (n.value != 0) out += detail::integer_text(n.value);
      out += "(";
      text(")");
      for (int k = arity(n.op); k-- > 0;) {
        expr(operands[k], 0);
        if (k > 0) text(", ");
      }
      continue;
    }
    switch (arity(n.op)) {
      case 0:
        switch (n.op) {
          case Op::Const: out += detail::number_text(n.value); break;
          case Op::Slot: out += slot_name(n.a, 0u); break;
          case Op::Der: out += slot_name(n.a, n.b); break;
          case Op::Param: out += param_name(n.a); break;
          default: out += "time"; break;
        }
        break;
      case 1:
        if (n.op == Op::PowInt) {
          out += parens ? "(" : "";
          if (parens) text(")");
          std::int32_t k = static_cast<std::int32_t>(n.b);
          exponents.push_back("^" + std::to_string(k));
          text(exponents.back().c_str());
          expr(n.a, level + 1);
        } else if (n.op == Op::Neg) {
          out += parens ? "(-" : "-";
          if (parens) text(")");
          expr(n.a, level + 1);
        } else {
          out += spelling(n.op);
          out += "(";
          text(")");
          expr(n.a, 0);
        }
        break;
      case 2:
        if (level == 100) {  // a named function
          out += spelling(n.op);
          out += "(";
          text(")");
          expr(n.b, 0);
          text(", ");
          expr(n.a, 0);
        } else {
          if (parens) {
            out += "(";
            text(")");
          }
          expr(n.b, level + 1);
          text(" ");
          text(spelling(n.op));
          text(" ");
          expr(n.a, level);
        }
        break;
      default:
        if (parens) {
          out += "(";
          text(")");
        }
        expr(n.c, 0);
        text(" else ");
        expr(n.b, 0);
        text(" then ");
        expr(n.a, 0);
        text("if ");
    }
  }
  return out;
}

}  // namespace sigrel
