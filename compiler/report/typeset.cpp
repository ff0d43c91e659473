#include "compiler/report/typeset.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/doc/markup.h"
#include "compiler/ir/ast.h"
#include "compiler/pipeline/modules.h"

namespace sigrel::report {
namespace {

using doc::escape;

constexpr std::array<std::pair<std::string_view, std::string_view>, 24> kGreek{{
    {"alpha", "α"}, {"beta", "β"},  {"gamma", "γ"}, {"delta", "δ"},  {"epsilon", "ε"}, {"zeta", "ζ"},
    {"eta", "η"},   {"theta", "θ"}, {"kappa", "κ"}, {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},
    {"xi", "ξ"},    {"rho", "ρ"},   {"sigma", "σ"}, {"tau", "τ"},    {"phi", "φ"},     {"chi", "χ"},
    {"psi", "ψ"},   {"omega", "ω"}, {"Delta", "Δ"}, {"Phi", "Φ"},    {"Omega", "Ω"},   {"pi", "π"},
}};

/// "x", "phi" and "x12" with an index; longer names upright, as words.
std::string identifier(std::string_view name) {
  std::string primes;
  while (name.ends_with('\'')) {
    name.remove_suffix(1);
    primes += "′";
  }
  std::size_t digits = name.size();
  while (digits > 1 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  const std::string_view word = name.substr(0, digits), index = name.substr(digits);
  std::string shown = escape(word);
  bool is_letter = word.size() == 1;
  for (const auto& [spelling, letter] : kGreek)
    if (word == spelling) {
      shown = letter;
      is_letter = true;
    }
  std::string out = is_letter ? "<mi>" + shown + "</mi>" : "<mi mathvariant=\"normal\">" + shown + "</mi>";
  if (!index.empty()) out = "<msub>" + out + "<mn>" + std::string(index) + "</mn></msub>";
  if (!primes.empty()) out = "<msup>" + out + "<mo>" + primes + "</mo></msup>";
  return out;
}

std::string row(const std::string& inside) { return "<mrow>" + inside + "</mrow>"; }
std::string symbol(std::string_view text) { return "<mo>" + escape(text) + "</mo>"; }
std::string parenthesised(const std::string& inside) { return row("<mo>(</mo>" + inside + "<mo>)</mo>"); }

class Typesetter {
 public:
  explicit Typesetter(const SourceMap& sources) : sources_(sources) {}

  /// `outer`: the binding of what is around; what binds less is put in parentheses.
  std::string of(const ast::Expr& e, int outer = 0) {
    switch (e.kind) {
      case ast::ExprKind::Variable:
        return identifier(text(static_cast<const ast::VariableExpr&>(e).name.ident.name));
      case ast::ExprKind::Field: {
        const auto& field = static_cast<const ast::FieldExpr&>(e);
        return row(of(*field.base, kAtom) + "<mo>.</mo>" + identifier(text(field.field.name)));
      }
      case ast::ExprKind::Real:
      case ast::ExprKind::Int: return literal(source(e));
      case ast::ExprKind::Unary:
        return around(row(symbol("−") + of(*static_cast<const ast::UnaryExpr&>(e).operand, kProduct)),
                      kProduct, outer);
      case ast::ExprKind::Binary: return binary(static_cast<const ast::BinaryExpr&>(e), outer);
      case ast::ExprKind::Apply: return apply(static_cast<const ast::ApplyExpr&>(e), outer);
      case ast::ExprKind::If: return cases(static_cast<const ast::IfExpr&>(e));
      case ast::ExprKind::Tuple: return list("(", static_cast<const ast::TupleExpr&>(e).elements, ")");
      case ast::ExprKind::List: return list("[", static_cast<const ast::ListExpr&>(e).elements, "]");
      case ast::ExprKind::Index: return index(static_cast<const ast::IndexExpr&>(e));
      default: return "<mtext>" + escape(source(e)) + "</mtext>";
    }
  }

 private:
  enum Binding : int { kCondition = 1, kComparison = 2, kSum = 3, kProduct = 4, kPower = 5, kAtom = 6 };

  std::string source(const ast::Expr& e) const { return std::string(sources_.text(e.span)); }
  static std::string around(std::string inside, int binding, int outer) {
    return binding < outer ? parenthesised(inside) : inside;
  }

  /// "1.0e-3<V>": 1.0 · 10⁻³ V.
  static std::string literal(const std::string& source) {
    const std::size_t unit = source.find('<');
    std::string number = source.substr(0, unit);
    std::string out;
    if (const std::size_t e = number.find_first_of("eE"); e != std::string::npos) {
      std::string exponent = number.substr(e + 1);
      if (exponent.starts_with('+')) exponent.erase(0, 1);
      const std::string sign = exponent.starts_with('-') ? "<mo>−</mo>" : "";
      if (!sign.empty()) exponent.erase(0, 1);
      out = "<mn>" + number.substr(0, e) + "</mn><mo>·</mo><msup><mn>10</mn>" +
            row(sign + "<mn>" + exponent + "</mn>") + "</msup>";
    } else {
      out = "<mn>" + escape(number) + "</mn>";
    }
    if (unit == std::string::npos) return out;
    const std::string text = source.substr(unit + 1, source.size() - unit - 2);
    return row(out + "<mspace width=\"0.2em\"/><mtext>" + escape(text) + "</mtext>");
  }

  std::string binary(const ast::BinaryExpr& e, int outer) {
    using enum ast::BinaryOp;
    const auto infix = [&](std::string_view op, int binding, int right) {
      return around(row(of(*e.left, binding) + symbol(op) + of(*e.right, right)), binding, outer);
    };
    switch (e.op) {
      case Add: return infix("+", kSum, kSum);
      case Sub: return infix("−", kSum, kProduct);
      case Mul: return infix("·", kProduct, kPower);
      case Div: return "<mfrac>" + row(of(*e.left)) + row(of(*e.right)) + "</mfrac>";
      case Pow: return "<msup>" + row(of(*e.left, kAtom)) + row(of(*e.right)) + "</msup>";
      case Equal: return infix("=", kComparison, kSum);
      case NotEqual: return infix("≠", kComparison, kSum);
      case Less: return infix("<", kComparison, kSum);
      case LessEqual: return infix("≤", kComparison, kSum);
      case Greater: return infix(">", kComparison, kSum);
      case GreaterEqual: return infix("≥", kComparison, kSum);
      case And: return infix("∧", kCondition, kComparison);
      case Or: return infix("∨", kCondition, kComparison);
      default: return "<mtext>" + escape(source(e)) + "</mtext>";
    }
  }

  static bool is_simple(const ast::Expr& e) {
    return e.kind == ast::ExprKind::Variable || e.kind == ast::ExprKind::Field;
  }

  /// `der x` with a dot, `der (der x)` with two; of longer expressions d/dt.
  std::string derivative(const ast::Expr& of_what) {
    int order = 1;
    const ast::Expr* inner = &of_what;
    while (const ast::Expr* deeper = derivative_of(*inner)) {
      inner = deeper;
      ++order;
    }
    if (order > 2 || !is_simple(*inner)) {
      const std::string power = order == 1 ? "" : fmt::format("<mn>{}</mn>", order);
      const auto raised = [&](const std::string& what) {
        return order == 1 ? what : "<msup>" + what + power + "</msup>";
      };
      return row("<mfrac>" + raised("<mi mathvariant=\"normal\">d</mi>") +
                 row("<mi mathvariant=\"normal\">d</mi>" + raised("<mi>t</mi>")) + "</mfrac>" +
                 of(*inner, kAtom));
    }
    const std::string dots = order == 1 ? "˙" : "¨";
    if (inner->kind == ast::ExprKind::Field) {
      const auto& field = static_cast<const ast::FieldExpr&>(*inner);
      return row(of(*field.base, kAtom) + "<mo>.</mo><mover accent=\"true\">" +
                 identifier(text(field.field.name)) + "<mo>" + dots + "</mo></mover>");
    }
    return "<mover accent=\"true\">" + of(*inner) + "<mo>" + dots + "</mo></mover>";
  }

  static std::string_view head(const ast::ApplyExpr& e) {
    if (e.function->kind != ast::ExprKind::Variable || e.has_named) return {};
    return text(static_cast<const ast::VariableExpr&>(*e.function).name.ident.name);
  }
  static const ast::Expr* derivative_of(const ast::Expr& e) {
    if (e.kind != ast::ExprKind::Apply) return nullptr;
    const auto& call = static_cast<const ast::ApplyExpr&>(e);
    return head(call) == "der" && call.args.size() == 1 ? call.args[0] : nullptr;
  }

  std::string apply(const ast::ApplyExpr& e, int outer) {
    const std::string_view name = head(e);
    if (name.empty()) return "<mtext>" + escape(source(e)) + "</mtext>";
    if (e.args.size() == 1) {
      const ast::Expr& argument = *e.args[0];
      if (name == "der") return derivative(argument);
      if (name == "sqrt") return "<msqrt>" + of(argument) + "</msqrt>";
      if (name == "abs") return row("<mo>|</mo>" + of(argument) + "<mo>|</mo>");
      if (name == "exp") return "<msup><mi mathvariant=\"normal\">e</mi>" + row(of(argument)) + "</msup>";
    }
    std::string inside = "<mi mathvariant=\"normal\">" + escape(name) + "</mi><mo>&#8289;</mo>";
    if (e.args.size() == 1 && is_simple(*e.args[0]))
      inside += "<mspace width=\"0.2em\"/>" + of(*e.args[0], kAtom);
    else
      inside += list("(", e.args, ")");
    return around(row(inside), kPower, outer);
  }

  std::string cases(const ast::IfExpr& e) {
    std::string rows;
    const ast::Expr* rest = &e;
    const auto add = [&](const ast::Expr& value, const std::string& when) {
      rows += "<mtr><mtd columnalign=\"left\">" + of(value) + "</mtd><mtd columnalign=\"left\">" + when +
              "</mtd></mtr>";
    };
    while (rest->kind == ast::ExprKind::If) {
      const auto& choice = static_cast<const ast::IfExpr&>(*rest);
      add(*choice.then_branch, "<mtext>if&#160;</mtext>" + of(*choice.condition));
      rest = choice.else_branch;
    }
    add(*rest, "<mtext>otherwise</mtext>");
    return row("<mo>{</mo><mtable>" + rows + "</mtable>");
  }

  std::string list(std::string_view open, std::span<ast::Expr* const> elements, std::string_view close) {
    std::string inside = symbol(open);
    for (std::size_t k = 0; k < elements.size(); ++k) inside += (k ? symbol(",") : "") + of(*elements[k]);
    return row(inside + symbol(close));
  }

  std::string index(const ast::IndexExpr& e) {
    std::string inside;
    for (std::size_t k = 0; k < e.parts.size(); ++k) {
      if (k) inside += symbol(",");
      inside += of(*e.parts[k].first);
      if (e.parts[k].last) inside += symbol("…") + of(*e.parts[k].last);
    }
    return "<msub>" + of(*e.base, kAtom) + row(inside) + "</msub>";
  }

  const SourceMap& sources_;
};

std::optional<std::string> expression(std::string_view source) {
  SourceMap sources;
  Diagnostics ignored;
  const FileId file = sources.add("<equation>", std::string(source));
  const auto module = pipeline::expression_module(file, intern("<equation>"), sources, ignored);
  if (!module || ignored.has_errors()) return std::nullopt;
  for (const ast::Decl* decl : module->decls)
    if (decl->kind == ast::DeclKind::Clause)
      return Typesetter(sources).of(*static_cast<const ast::ClauseDecl*>(decl)->body);
  return std::nullopt;
}

/// The `=` of an equation: outside brackets, and no part of another operator.
std::optional<std::size_t> equals_sign(std::string_view text) {
  int depth = 0;
  constexpr std::string_view kOperators = "=<>/!:+-*&|";
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' || text[i] == '[' || text[i] == '{';
    depth -= text[i] == ')' || text[i] == ']' || text[i] == '}';
    const auto is_operator = [&](std::size_t k) {
      return k < text.size() && kOperators.find(text[k]) != std::string_view::npos;
    };
    if (text[i] == '=' && depth == 0 && !is_operator(i + 1) && !(i > 0 && is_operator(i - 1))) return i;
  }
  return std::nullopt;
}

}  // namespace

std::string typeset(std::string_view text) {
  std::optional<std::string> whole;
  if (const auto at = equals_sign(text)) {
    const auto left = expression(text.substr(0, *at)), right = expression(text.substr(*at + 1));
    if (left && right) whole = *left + "<mo>=</mo>" + *right;
  } else {
    whole = expression(text);
  }
  return "<math displaystyle=\"true\">" + (whole ? row(*whole) : "<mtext>" + escape(text) + "</mtext>") +
         "</math>";
}

}  // namespace sigrel::report
