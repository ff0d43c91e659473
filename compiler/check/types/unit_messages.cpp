// The messages about units: what kind of quantity meets what kind, and from where.
#include "compiler/check/types/type_messages.h"
#include "compiler/check/types/units.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

namespace {

/// Whether the unit of a quantity, or of the elements of a vector, has no variables.
bool constant_unit(Type* type, Dimension& dimension) {
  while (find(type)->kind == TypeKind::Vector) type = find(type)->args[0];
  type = find(type);
  if (type->kind != TypeKind::Constructor || type->args.size() != 1) return false;
  Linear unit;
  unit.add(type->args[0], {1, 1});
  dimension = unit.constant;
  return !unit.unknown && unit.terms.empty();
}

}  // namespace

void TypeMessages::unit_mismatch(Span span, Type* found, Type* expected, const Reason& reason,
                                 const std::string& why_found, const Origin& origin) {
  auto bare = [&](Type* type) {
    Type copy = *find(type);
    copy.named = false;
    return print(&copy);
  };
  std::string e = bare(expected), f = bare(found);
  Dimension de{}, df{};
  bool constant = constant_unit(expected, de) && constant_unit(found, df);
  std::string what_e = constant ? quantity_name(de) : "", what_f = constant ? quantity_name(df) : "";
  std::optional<Span> reason_span;
  std::string why_expected = reason_text(reason, reason_span);
  std::string_view sign = reason.kind == ReasonKind::Operand ? text(reason.name) : "";
  std::string message;
  bool named = !what_e.empty() && !what_f.empty();
  if (named && sign == "+") {
    message = what_f + " is added to " + what_e;
  } else if (named && sign == "-") {
    message = what_f + " is subtracted from " + what_e;
  } else if (named && sign.starts_with('^')) {
    message = "an unknown power is taken of " + what_f;
  } else if (named && (sign.starts_with('<') || sign.starts_with('>') || sign == "==" || sign == "/=")) {
    message = what_e + " is compared with " + what_f;
  } else if (named && reason.kind == ReasonKind::LeftSide) {
    message = what_e + " is equated with " + what_f;
  } else {
    message = "expected " + e + (what_e.empty() ? "" : " (" + what_e + ")");
    if (!why_expected.empty()) message += ", because " + why_expected;
    message += ", found " + f + (what_f.empty() ? "" : " (" + what_f + ")");
  }
  Diagnostic d;
  d.code = Code::TypeMismatch;
  d.severity = info(d.code).severity;
  d.message = message;
  std::string parts = units_.derivation(span);
  d.primary = Label{span, f + (!why_found.empty() ? ", because " + why_found
                               : !parts.empty()   ? ": " + parts
                                                  : "")};
  if (reason_span && *reason_span != span) {
    std::optional<Span> other_origin;
    std::string other_why = reason.other ? because(reason.other, other_origin) : "";
    std::string other_parts = reason.other ? units_.derivation(reason.other->span) : "";
    d.also(*reason_span, e + (!other_why.empty()     ? ", because " + other_why
                              : !other_parts.empty() ? ": " + other_parts
                                                     : ""));
    if (other_origin && *other_origin != *reason_span && (!origin || *other_origin != origin->first))
      d.also(*other_origin, e + " comes from here");
  }
  if (origin && origin->first != span) d.also(origin->first, f + " comes from here");
  Type* vector = find(expected);
  std::string unit = constant && vector->kind != TypeKind::Vector ? dimension_text(de) : "";
  const UnitCheck::Quantity* literal = units_.plain_literal(span);
  if (constant && literal) {
    Dimension missing;
    for (std::size_t i = 0; i < missing.size(); ++i)
      missing[i] = (de[i] + -df[i]) * Ratio{literal->divides ? -1 : 1, 1};
    std::string number = ast::print(*literal->expr);
    if (literal->expr->kind == ast::ExprKind::Int) number += ".0";
    std::string with = number + "<" + dimension_text(missing) + ">";
    d.help("a literal beside `*`, `/` or `^` is a number; if it has a unit, write it: `" + with + "`");
  } else if (constant && zero(df) && !unit.empty()) {
    d.help("a number times a unit is a quantity: `" + units_.text_at(span) + " * 1.0<" + unit + ">`");
  } else if (constant && zero(de)) {
    d.help("divide by a unit: `" + units_.text_at(span) + " / 1.0<" + dimension_text(df) + ">`");
  } else if (!unit.empty()) {
    d.help("if a conversion is meant: `" + units_.text_at(span) + " as <" + unit + ">`");
  }
  units_.hold(std::move(d));
}

}  // namespace sigrel::check
