// Expressions.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/ir/ast_print.h"
#include "compiler/ir/ast_printer.h"

namespace sigrel::ast {

void Printer::expr(const Expr& e) {
  switch (e.kind) {
    case ExprKind::Int: out += fmt::format("{}", static_cast<const IntExpr&>(e).value); return;
    case ExprKind::Real: {
      auto& r = static_cast<const RealExpr&>(e);
      real(r.value);
      if (r.unit) unit(*r.unit);
      return;
    }
    case ExprKind::String: out += quoted(static_cast<const StringExpr&>(e).value); return;
    case ExprKind::Variable: qualified(static_cast<const VariableExpr&>(e).name); return;
    case ExprKind::Constructor: qualified(static_cast<const ConstructorExpr&>(e).name); return;
    case ExprKind::Wildcard: out += '_'; return;
    case ExprKind::Apply: {
      auto& a = static_cast<const ApplyExpr&>(e);
      out += '(';
      expr(*a.function);
      if (a.has_named) settings(a.named, " ");
      for (const Expr* x : a.args) (out += ' ', expr(*x));
      out += ')';
      return;
    }
    case ExprKind::Binary: {
      auto& b = static_cast<const BinaryExpr&>(e);
      out += '(';
      operator_name(b.op, b.name);
      out += ' ';
      expr(*b.left);
      out += ' ';
      expr(*b.right);
      out += ')';
      return;
    }
    case ExprKind::Unary:
      out += "(negate ";
      expr(*static_cast<const UnaryExpr&>(e).operand);
      out += ')';
      return;
    case ExprKind::Section: {
      auto& s = static_cast<const SectionExpr&>(e);
      out += "(section ";
      operator_name(s.op, s.name);
      out += ' ';
      if (s.left)
        expr(*s.left);
      else
        out += '.';
      out += ' ';
      if (s.right)
        expr(*s.right);
      else
        out += '.';
      out += ')';
      return;
    }
    case ExprKind::OperatorName:
      out += fmt::format("({})", spelling(static_cast<const OperatorNameExpr&>(e).op));
      return;
    case ExprKind::If: {
      auto& i = static_cast<const IfExpr&>(e);
      out += "(if ";
      expr(*i.condition);
      out += ' ';
      expr(*i.then_branch);
      out += ' ';
      expr(*i.else_branch);
      out += ')';
      return;
    }
    case ExprKind::Let: {
      auto& l = static_cast<const LetExpr&>(e);
      out += "(let";
      decls(l.decls);
      newline();
      out += "in ";
      expr(*l.body);
      out += ')';
      return;
    }
    case ExprKind::Case: {
      auto& c = static_cast<const CaseExpr&>(e);
      out += "(case ";
      expr(*c.scrutinee);
      ++depth_;
      for (const CaseAlternative& a : c.alternatives) {
        newline();
        pattern(*a.pattern);
        out += " -> ";
        expr(*a.body);
      }
      --depth_;
      out += ')';
      return;
    }
    case ExprKind::Lambda: {
      auto& l = static_cast<const LambdaExpr&>(e);
      out += "(\\";
      for (const Pattern* p : l.parameters) (pattern(*p), out += ' ');
      out += "-> ";
      expr(*l.body);
      out += ')';
      return;
    }
    case ExprKind::Tuple: sequence("(tuple", static_cast<const TupleExpr&>(e).elements, ")"); return;
    case ExprKind::List: sequence("(list", static_cast<const ListExpr&>(e).elements, ")"); return;
    case ExprKind::Range: {
      auto& r = static_cast<const RangeExpr&>(e);
      out += '[';
      range(r.first, r.last);
      out += ']';
      return;
    }
    case ExprKind::Comprehension: {
      auto& c = static_cast<const ComprehensionExpr&>(e);
      out += '[';
      expr(*c.element);
      out += " for ";
      generators(c.generators);
      out += ']';
      return;
    }
    case ExprKind::Index: {
      auto& i = static_cast<const IndexExpr&>(e);
      out += "(index ";
      expr(*i.base);
      for (const IndexPart& p : i.parts) (out += ' ', range(p.first, p.last));
      out += ')';
      return;
    }
    case ExprKind::Field: {
      auto& f = static_cast<const FieldExpr&>(e);
      expr(*f.base);
      out += '.';
      name(f.field);
      return;
    }
    case ExprKind::Record: {
      auto& r = static_cast<const RecordExpr&>(e);
      out += "(record ";
      qualified(r.constructor);
      settings(r.settings, " ");
      out += ')';
      return;
    }
    case ExprKind::With: {
      auto& w = static_cast<const WithExpr&>(e);
      out += "(with ";
      expr(*w.base);
      settings(w.settings, " ");
      out += ')';
      return;
    }
    case ExprKind::As: {
      auto& a = static_cast<const AsExpr&>(e);
      out += "(as ";
      expr(*a.value);
      out += ' ';
      if (a.unit) unit(*a.unit);
      out += ')';
      return;
    }
    case ExprKind::Sigrel: {
      auto& s = static_cast<const SigrelExpr&>(e);
      out += "(sigrel (";
      for (std::size_t i = 0; i < s.formals.size(); ++i) {
        if (i) out += ", ";
        out += prefix(s.formals[i].causality);
        name(s.formals[i].name);
        if (s.formals[i].type) (out += " :: ", type(*s.formals[i].type));
      }
      out += ')';
      items(s.body);
      out += ')';
      return;
    }
    case ExprKind::Connection: {
      auto& c = static_cast<const ConnectionExpr&>(e);
      out += "(<> ";
      label(c.labelled, c.label);
      expr(*c.relation);
      out += ' ';
      expr(*c.args);
      out += ')';
      return;
    }
  }
}

void Printer::operator_name(BinaryOp op, const QualifiedIdent& n) {
  if (op == BinaryOp::Named)
    (out += '`', qualified(n), out += '`');
  else
    out += spelling(op);
}

void Printer::real(double value) {
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".en") == std::string::npos) digits += ".0";
  out += digits;
}

void Printer::sequence(std::string_view open, std::span<Expr* const> elements, std::string_view close) {
  out += open;
  for (const Expr* e : elements) (out += ' ', expr(*e));
  out += close;
}

void Printer::range(const Expr* first, const Expr* last) {
  expr(*first);
  if (last) (out += "..", expr(*last));
}

void Printer::generators(std::span<const Generator> all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i) out += ", ";
    pattern(*all[i].pattern);
    out += " in ";
    range(all[i].first, all[i].last);
  }
}

void Printer::settings(std::span<const Setting> all, std::string_view lead) {
  if (all.empty()) return;
  out += lead;
  out += '{';
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i) out += ", ";
    name(all[i].name);
    out += " = ";
    expr(*all[i].value);
  }
  out += '}';
}

std::string Printer::quoted(std::string_view s) { return nlohmann::json(std::string(s)).dump(); }

}  // namespace sigrel::ast
