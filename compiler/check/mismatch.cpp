// The messages about types: what was expected and why, what was found and why.
#include <algorithm>

#include "compiler/check/checker.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

using ast::ExprKind;

std::string Checker::head_text(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ExprKind::Apply: e = static_cast<const ast::ApplyExpr*>(e)->function; continue;
      case ExprKind::Variable:
        return std::string(text(static_cast<const ast::VariableExpr*>(e)->name.ident.name));
      case ExprKind::Constructor:
        return std::string(text(static_cast<const ast::ConstructorExpr*>(e)->name.ident.name));
      default: return {};
    }
  }
}

std::string Checker::describe(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (type->needs & kLiteral) return "a number";
    if (type->needs & kReal) return "Real";
    if (type->needs & kNumber) return "a number";
    if (type->needs & kSignal) return "a signal";
    if (type->needs & kOrder) return "something that is ordered";
  }
  if (!type->named && is_constructor(type, types_.real_constructor) && is_variable(type->args[0]))
    return "Real";  // of any unit
  std::string s = print(type);
  // A synonym alone may hide why two types differ.
  if (type->named && type->kind != TypeKind::Skolem) {
    Type bare = *type;
    bare.named = false;
    std::string full = print(&bare);
    if (full != s) s += " (" + full + ")";
  }
  return s;
}

std::string Checker::because(const ast::Expr* e, std::optional<Span>& origin) {
  switch (e->kind) {
    case ExprKind::Variable: {
      auto& name = static_cast<const ast::VariableExpr*>(e)->name;
      std::string n = "`" + std::string(text(name.ident.name)) + "`";
      if (Local* local = name.qualified ? nullptr : lookup_local(name.ident.name)) {
        if (local->span.file == name.ident.span.file && local->span != name.ident.span) origin = local->span;
        return n + (local->kind == Local::Signal ? " is declared so" : " is bound so");
      }
      if (auto* entry = lookup_value(name, false); entry && entry->meaning.kind == Value::Global) {
        origin = program_.globals[entry->meaning.global.value].span;
        return "it is the type of " + n;
      }
      return {};
    }
    case ExprKind::Field: {
      auto& field = static_cast<const ast::FieldExpr*>(e)->field;
      auto at = records_by_field_.find(field.name);
      std::string n = "`" + std::string(text(field.name)) + "`";
      if (at != records_by_field_.end() && at->second.size() == 1) {
        TypeConstructor* record = at->second.front();
        for (auto& f : record->fields)
          if (f.name == field.name) {
            origin = f.span;
            return n + " is " + (f.flow ? "the flow" : "a field") + " of " + std::string(text(record->name));
          }
      }
      return {};
    }
    case ExprKind::Apply: {
      std::string head = head_text(e);
      return head.empty() ? std::string() : "it is what `" + head + "` gives";
    }
    case ExprKind::Sigrel: return "`sigrel` makes a relation";
    case ExprKind::Lambda: return "it is a function";
    case ExprKind::Range: return "it is a list";
    case ExprKind::Real: return "of the decimal point";
    default: return {};
  }
}

std::string Checker::reason_text(const Reason& reason, std::optional<Span>& origin) {
  if (reason.has_span) origin = reason.span;
  std::string n = "`" + std::string(text(reason.name)) + "`";
  switch (reason.kind) {
    case ReasonKind::None: return {};
    case ReasonKind::Argument:
      return "it is argument " + std::to_string(reason.index + 1) +
             (reason.name == Name{} ? " of this function" : " of " + n);
    case ReasonKind::Interface:
      return reason.name == Name{}
                 ? "it is interface variable " + std::to_string(reason.index + 1) + " of the relation"
                 : "it is interface variable " + n + " of the relation";
    case ReasonKind::LeftSide: return "the left side is so";
    case ReasonKind::Condition: return "it is a condition";
    case ReasonKind::Operand: return "the other operand is so";
    case ReasonKind::Signature:
      return reason.name == Name{} ? "of the type given here" : "of the type given for " + n;
    case ReasonKind::Element: return "the first element is so";
    case ReasonKind::Branch: return "the other branch is so";
    case ReasonKind::Pattern: return "of the pattern";
    case ReasonKind::FieldValue: return "it is the field " + n;
    case ReasonKind::Exponent: return "it is an exponent";
    case ReasonKind::IndexValue: return "it is an index";
    case ReasonKind::Relation: return "`<>` applies relations";
    case ReasonKind::Node: return "the other node is so";
    case ReasonKind::Target: return "the variable before `:=` is so";
    case ReasonKind::Message: return "it is a message";
    case ReasonKind::RangeEnd: return "it bounds a range";
    case ReasonKind::Mode: return "a mode of the switch stands here";
    case ReasonKind::Bound: return "the value is so";
    case ReasonKind::Attribute: return "it is the attribute " + n;
  }
  return {};
}

namespace {

// As it stands in the source, arguments left out.
std::string leaf_text(const ast::Expr& e) {
  switch (e.kind) {
    case ExprKind::Variable:
      return std::string(text(static_cast<const ast::VariableExpr&>(e).name.ident.name));
    case ExprKind::Field: {
      auto& f = static_cast<const ast::FieldExpr&>(e);
      std::string base = leaf_text(*f.base);
      return base.empty() ? base : base + "." + std::string(text(f.field.name));
    }
    case ExprKind::Index: {
      std::string base = leaf_text(*static_cast<const ast::IndexExpr&>(e).base);
      return base.empty() ? base : base + "[…]";
    }
    case ExprKind::Apply: {
      std::string head = leaf_text(*static_cast<const ast::ApplyExpr&>(e).function);
      return head.empty() ? head : head + " …";
    }
    case ExprKind::Int:
    case ExprKind::Real: return ast::print(e);
    default: return {};
  }
}

bool within(Span inner, Span outer) {
  return inner.file == outer.file && inner.begin >= outer.begin && inner.end <= outer.end;
}

}  // namespace

// `r` is Real<Ohm>, `i` is Real<A>: the parts of a compound expression from which its unit follows.
std::string Checker::derivation(Span span) {
  std::vector<const Leaf*> parts;
  for (const Leaf& leaf : leaves_) {
    if (!within(leaf.expr->span, span) || leaf.expr->span == span || leaf.plain_number) continue;
    // A leaf that contains an earlier one (`f x`, `p.v`) stands for it.
    std::erase_if(parts, [&](const Leaf* p) { return within(p->expr->span, leaf.expr->span); });
    parts.push_back(&leaf);
  }
  std::ranges::sort(parts, {}, [](const Leaf* p) { return p->expr->span.begin; });
  std::string result;
  TypePrinter printer(types_);
  std::vector<std::string> seen;
  for (const Leaf* leaf : parts) {
    std::string source = leaf_text(*leaf->expr);
    if (source.empty() || source.size() > 40 || std::ranges::find(seen, source) != seen.end() ||
        seen.size() == 4)
      continue;
    seen.push_back(source);
    Type bare = *find(leaf->type);
    bare.named = false;
    result += (result.empty() ? "`" : ", `") + source + "` is " + printer.print(&bare);
  }
  return result;
}

namespace {

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

// Kept until the end of the group: a group that states no unit is not held to any.
void Checker::unit_mismatch(Span span, Type* found, Type* expected, const Reason& reason,
                            const std::string& why_found,
                            std::optional<std::pair<Span, std::string>> origin) {
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
  if (!what_e.empty() && !what_f.empty() && sign == "+")
    message = what_f + " is added to " + what_e;
  else if (!what_e.empty() && !what_f.empty() && sign == "-")
    message = what_f + " is subtracted from " + what_e;
  else if (!what_e.empty() && !what_f.empty() && reason.kind == ReasonKind::Operand && sign.starts_with('^'))
    message = "an unknown power is taken of " + what_f;
  else if (!what_e.empty() && !what_f.empty() &&
           (sign.starts_with('<') || sign.starts_with('>') || sign == "==" || sign == "/="))
    message = what_e + " is compared with " + what_f;
  else if (!what_e.empty() && !what_f.empty() && reason.kind == ReasonKind::LeftSide)
    message = what_e + " is equated with " + what_f;
  else {
    message = "expected " + e + (what_e.empty() ? "" : " (" + what_e + ")");
    if (!why_expected.empty()) message += ", because " + why_expected;
    message += ", found " + f + (what_f.empty() ? "" : " (" + what_f + ")");
  }
  std::string it = "x";  // what is found, by its name
  for (const Leaf& leaf : leaves_)
    if (leaf.expr->span == span && !leaf_text(*leaf.expr).empty()) it = leaf_text(*leaf.expr);
  Diagnostic d;
  d.code = Code::TypeMismatch;
  d.severity = info(d.code).severity;
  d.message = message;
  std::string parts = derivation(span);
  d.primary = Label{span, f + (!why_found.empty() ? ", because " + why_found
                               : !parts.empty()   ? ": " + parts
                                                  : "")};
  if (reason_span && *reason_span != span) {
    std::optional<Span> other_origin;
    std::string other_why = reason.other ? because(reason.other, other_origin) : "";
    std::string other_parts = reason.other ? derivation(reason.other->span) : "";
    d.also(*reason_span, e + (!other_why.empty()     ? ", because " + other_why
                              : !other_parts.empty() ? ": " + other_parts
                                                     : ""));
    if (other_origin && *other_origin != *reason_span && (!origin || *other_origin != origin->first))
      d.also(*other_origin, e + " comes from here");
  }
  if (origin && origin->first != span) d.also(origin->first, f + " comes from here");
  Type* vector = find(expected);
  std::string unit = constant && vector->kind != TypeKind::Vector ? dimension_text(de) : "";
  const Leaf* literal = nullptr;
  for (const Leaf& leaf : leaves_)
    if (leaf.plain_number && within(leaf.expr->span, span) &&
        std::ranges::none_of(leaves_, [&](const Leaf& call) {  // not in the argument of a function
          return call.expr->kind == ExprKind::Apply && within(leaf.expr->span, call.expr->span) &&
                 within(call.expr->span, span);
        }))
      literal = &leaf;
  if (constant && literal) {
    Dimension missing;
    for (std::size_t i = 0; i < missing.size(); ++i)
      missing[i] = (de[i] + -df[i]) * Ratio{literal->divides ? -1 : 1, 1};
    std::string number = ast::print(*literal->expr);
    if (literal->expr->kind == ExprKind::Int) number += ".0";
    std::string with = number + "<" + dimension_text(missing) + ">";
    d.help("a literal beside `*`, `/` or `^` is a number; if it has a unit, write it: `" + with + "`");
  } else if (constant && zero(df) && !unit.empty()) {
    d.help("a number times a unit is a quantity: `" + it + " * 1.0<" + unit + ">`");
  } else if (constant && zero(de)) {
    d.help("divide by a unit: `" + it + " / 1.0<" + dimension_text(df) + ">`");
  } else if (!unit.empty()) {
    d.help("if a conversion is meant: `" + it + " as <" + unit + ">`");
  }
  unit_errors_.push_back(std::move(d));
}

void Checker::mismatch_at(Span span, Type* found, Type* expected, const Reason& reason, std::string why_found,
                          std::optional<std::pair<Span, std::string>> origin) {
  if (unit_conflict_) {
    unit_conflict_.reset();
    return unit_mismatch(span, found, expected, reason, why_found, origin);
  }
  found = find(found);
  expected = find(expected);
  TypePrinter printer(types_);
  std::string e = describe(expected), f = describe(found);
  if (e == f) {  // differ only in what the printer leaves out
    if (expected->kind == TypeKind::Variable) e = "a type without itself in it";
  }
  std::optional<Span> reason_span;
  std::string why_expected = reason_text(reason, reason_span);
  std::string message = "expected " + e;
  if (!why_expected.empty()) message += ", because " + why_expected;
  message += ", found " + f;
  if (!why_found.empty()) message += ", because " + why_found;
  auto& d = diagnostics_.report(Code::TypeMismatch, span, message);
  d.label("this is " + f);
  if (reason_span && *reason_span != span) d.also(*reason_span, e + " comes from here");
  if (origin && origin->first != span) d.also(origin->first, origin->second);

  // The usual slips.
  auto is = [&](Type* t, const TypeConstructor& c) { return is_constructor(t, c); };
  bool expected_real = is(expected, types_.real_constructor),
       expected_int = is(expected, types_.integer_constructor);
  if (expected_real && is(found, types_.integer_constructor)) d.help("`real n` makes a Real of an Int");
  if (expected_int && is(found, types_.real_constructor))
    d.help(reason.kind == ReasonKind::Operand ? "`real n` makes a Real of an Int, `round x` an Int of a Real"
                                              : "`round x` makes an Int of a Real");
  if (found->kind == TypeKind::Constructor && found->constructor->connector && expected_real) {
    std::string fields;
    for (auto& field : found->constructor->fields)
      fields += (fields.empty() ? "`." : ", `.") + std::string(text(field.name)) + "`";
    d.help("a " + std::string(text(found->constructor->name)) + " has the fields " + fields);
  }
  if (found->kind == TypeKind::Function && expected->kind != TypeKind::Function)
    d.help("an argument may be missing");
  if (found->kind == TypeKind::Relation && expected->kind != TypeKind::Relation && relation_)
    d.help("a relation is not a signal; apply it with `<>`, or give its instance a label and read `label.x`");
  if (expected->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(expected->name)) +
           "` stands for any type, so nothing may be assumed about it");
  else if (found->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(found->name)) +
           "` stands for any type, so nothing may be assumed about it");
}

void Checker::blame(const ast::Expr* e) {
  if (e->kind != ExprKind::Variable) return;
  auto& name = static_cast<const ast::VariableExpr*>(e)->name;
  if (Local* local = name.qualified ? nullptr : lookup_local(name.ident.name)) {
    local->type = types_.error();
    local->polymorphic = false;
  }
}

void Checker::mismatch(const ast::Expr* found_expr, Type* found, Type* expected, const Reason& reason) {
  std::optional<Span> origin;
  std::string why = because(found_expr, origin);
  std::optional<std::pair<Span, std::string>> also;
  if (origin) also = {*origin, describe(found) + " comes from here"};
  mismatch_at(found_expr->span, found, expected, reason, why, also);
  blame(found_expr);
}

}  // namespace sigrel::check
