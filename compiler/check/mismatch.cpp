// The messages about types: what was expected and why, what was found and why.
#include "compiler/check/checker.h"

namespace sigrel::check {

using ast::ExprKind;

std::string Checker::head_text(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ExprKind::Apply: e = static_cast<const ast::ApplyExpr*>(e)->function; continue;
      case ExprKind::Variable: return std::string(text(static_cast<const ast::VariableExpr*>(e)->name.ident.name));
      case ExprKind::Constructor: return std::string(text(static_cast<const ast::ConstructorExpr*>(e)->name.ident.name));
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
      return reason.name == Name{} ? "it is interface variable " + std::to_string(reason.index + 1) + " of the relation"
                                   : "it is interface variable " + n + " of the relation";
    case ReasonKind::LeftSide: return "the left side is so";
    case ReasonKind::Condition: return "it is a condition";
    case ReasonKind::Operand: return "the other operand is so";
    case ReasonKind::Signature: return reason.name == Name{} ? "of the type given here" : "of the type given for " + n;
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

void Checker::mismatch_at(Span span, Type* found, Type* expected, const Reason& reason, std::string why_found,
                          std::optional<std::pair<Span, std::string>> origin) {
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
  bool expected_real = is(expected, types_.real_constructor), expected_int = is(expected, types_.integer_constructor);
  if (expected_real && is(found, types_.integer_constructor)) d.help("`real n` makes a Real of an Int");
  if (expected_int && is(found, types_.real_constructor)) d.help("`round x` makes an Int of a Real");
  if (found->kind == TypeKind::Constructor && found->constructor->connector && expected_real) {
    std::string fields;
    for (auto& field : found->constructor->fields) fields += (fields.empty() ? "`." : ", `.") + std::string(text(field.name)) + "`";
    d.help("a " + std::string(text(found->constructor->name)) + " has the fields " + fields);
  }
  if (found->kind == TypeKind::Function && expected->kind != TypeKind::Function) d.help("an argument may be missing");
  if (found->kind == TypeKind::Relation && expected->kind != TypeKind::Relation && relation_)
    d.help("a relation is not a signal; apply it with `<>`, or give its instance a label and read `label.x`");
  if (expected->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(expected->name)) + "` stands for any type, so nothing may be assumed about it");
  else if (found->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(found->name)) + "` stands for any type, so nothing may be assumed about it");
}

void Checker::mismatch(const ast::Expr* found_expr, Type* found, Type* expected, const Reason& reason) {
  std::optional<Span> origin;
  std::string why = because(found_expr, origin);
  std::optional<std::pair<Span, std::string>> also;
  if (origin) also = {*origin, describe(found) + " comes from here"};
  mismatch_at(found_expr->span, found, expected, reason, why, also);
}

}  // namespace sigrel::check
