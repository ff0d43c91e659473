// The messages about units: what kind of quantity meets what kind, and from where.
#include "compiler/check/relations/relation_context.h"
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
                                 const std::string& why_found, const Origin& origin,
                                 const ast::Expr* found_expr) {
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
  } else if (constant && (!unit.empty() || zero(de))) {
    help_with_units(d, span, df, de, found_expr);
  } else if (!unit.empty()) {
    d.help("if a conversion is meant: `" + units_.text_at(span) + " as <" + unit + ">`");
  }
  units_.hold(std::move(d));
}

/// What has the unit that is needed: another field of the same connector or part, a product or a quotient
/// with a name in scope. Otherwise how the two units are related.
void TypeMessages::help_with_units(Diagnostic& d, Span span, const Dimension& found,
                                   const Dimension& expected, const ast::Expr* found_expr) const {
  auto in_unit = [](const Dimension& dimension) {
    if (zero(dimension)) return std::string("a number");
    const std::string name = quantity_name(dimension);
    return "in " + dimension_text(dimension) + (name.empty() ? "" : " (" + name + ")");
  };
  const std::string shown = units_.text_at(span);
  bool fits = false;
  if (const std::string field = field_with(found_expr, expected); !field.empty()) {
    d.fix("did you mean `" + field + "`, which is " + in_unit(expected) + "?", span, field);
    fits = true;
  }
  Dimension factor, divisor;
  for (std::size_t i = 0; i < factor.size(); ++i) {
    factor[i] = expected[i] + -found[i];
    divisor[i] = -factor[i];
  }
  const std::string by = zero(factor) ? "" : name_with(factor, found_expr);
  const std::string over = by.empty() && !zero(divisor) ? name_with(divisor, found_expr) : "";
  fits |= !by.empty() || !over.empty();
  const bool simple =
      found_expr &&
      (found_expr->kind == ast::ExprKind::Variable || found_expr->kind == ast::ExprKind::Field ||
       found_expr->kind == ast::ExprKind::Index || found_expr->kind == ast::ExprKind::Real);
  const std::string operand = simple || shown == "x" ? shown : "(" + shown + ")";
  if (!by.empty())
    d.help("`" + by + " * " + operand + "` is " + in_unit(expected) + ": `" + by + "` is " + in_unit(factor));
  else if (!over.empty())
    d.help("`" + operand + " / " + over + "` is " + in_unit(expected) + ": `" + over + "` is " +
           in_unit(divisor));
  if (fits) return;
  if (zero(found))
    d.help("a number times a quantity " + in_unit(expected) + " fits; with one unit: `" + shown + " * 1.0<" +
           dimension_text(expected) + ">`");
  else if (zero(expected))
    d.help("divided by a quantity " + in_unit(found) + ", such as its nominal value, it is a number; `" +
           shown + " / 1.0<" + dimension_text(found) + ">` is its value in SI units");
  else
    d.help("the factor between them is " + in_unit(factor) + "; if the value alone is meant: `" + shown +
           " as <" + dimension_text(expected) + ">`");
}

namespace {

bool has_unit(Type* type, const Dimension& wanted) {
  Dimension dimension{};
  if (find(type)->kind == TypeKind::Vector) return false;
  return constant_unit(type, dimension) && dimension == wanted;
}

}  // namespace

/// The type of `p` or `r1.p`, as far as it is known from the scope; else null.
Type* TypeMessages::type_of_path(const ast::Expr* path) const {
  if (path->kind == ast::ExprKind::Variable) {
    auto& name = static_cast<const ast::VariableExpr*>(path)->name;
    if (name.qualified) return nullptr;
    if (const Local* local = scopes_.lookup_local(name.ident.name)) return find(local->type);
    const LabelInfo* label = scopes_.relation() ? scopes_.relation()->find_label(name.ident.name) : nullptr;
    return label && label->relation_type ? find(label->relation_type) : nullptr;
  }
  if (path->kind != ast::ExprKind::Field) return nullptr;
  auto* field = static_cast<const ast::FieldExpr*>(path);
  Type* base = type_of_path(field->base);
  if (!base) return nullptr;
  if (base->kind == TypeKind::Relation) {
    Type* interface = find(base->args[0]);
    for (std::size_t k = 0; k < base->interface.size(); ++k)
      if (base->interface[k].named && base->interface[k].name == field->field.name)
        return find(base->interface.size() == 1 ? interface : interface->args[k]);
    return nullptr;
  }
  if (!is_record(base)) return nullptr;
  const auto index = field_index(*base->constructor, field->field.name);
  return index ? find(unifier_.field_type(*base->constructor, *index, base)) : nullptr;
}

/// Of `p.i`: the other field of `p` with this unit; empty if there is none, or several.
std::string TypeMessages::field_with(const ast::Expr* e, const Dimension& wanted) const {
  if (!e || e->kind != ast::ExprKind::Field) return {};
  const ast::Expr* base = static_cast<const ast::FieldExpr*>(e)->base;
  Type* whole = type_of_path(base);
  std::vector<Name> fits;
  if (whole && is_record(whole)) {
    for (std::uint32_t i = 0; i < whole->constructor->fields.size(); ++i)
      if (has_unit(unifier_.field_type(*whole->constructor, i, whole), wanted))
        fits.push_back(whole->constructor->fields[i].name);
  } else if (whole && whole->kind == TypeKind::Relation) {
    Type* interface = find(whole->args[0]);
    for (std::size_t k = 0; k < whole->interface.size(); ++k)
      if (whole->interface[k].named &&
          has_unit(whole->interface.size() == 1 ? interface : interface->args[k], wanted))
        fits.push_back(whole->interface[k].name);
  }
  return fits.size() == 1 ? ast::print(*base) + "." + std::string(text(fits[0])) : std::string();
}

/// The name in scope of a quantity with this unit, the outermost if there are several.
std::string TypeMessages::name_with(const Dimension& wanted, const ast::Expr* other_than) const {
  for (const Local* local : scopes_.bound_since(0)) {
    if (!local->type || !has_unit(local->type, wanted) || scopes_.lookup_local(local->name) != local)
      continue;
    if (local->kind == Local::Signal && local->relation != scopes_.relation()) continue;
    if (other_than && other_than->kind == ast::ExprKind::Variable &&
        static_cast<const ast::VariableExpr*>(other_than)->name.ident.name == local->name)
      continue;
    return std::string(text(local->name));
  }
  return {};
}

}  // namespace sigrel::check
