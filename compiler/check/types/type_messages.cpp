// The messages about types, units excepted (unit_messages.cpp).
#include "compiler/check/types/type_messages.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/relations/relation_context.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

using ast::ExprKind;

std::string head_text(const ast::Expr* e) {
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

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += (i == 0 ? "`" : i + 1 == names.size() ? " and `" : ", `") + names[i] + "`";
  return out;
}

namespace {

/// Whether the base of `r1.v` is an instance, of which `v` is a variable and no field.
bool is_instance(const Scopes& scopes, const ast::Expr* base) {
  if (base->kind == ExprKind::Index) base = static_cast<const ast::IndexExpr*>(base)->base;
  if (base->kind != ExprKind::Variable || !scopes.relation()) return false;
  const ast::QualifiedIdent& name = static_cast<const ast::VariableExpr*>(base)->name;
  return !name.qualified && !scopes.lookup_local(name.ident.name) &&
         scopes.relation()->find_label(name.ident.name);
}

}  // namespace

std::string quantity_text(const ast::Expr& e) {
  switch (e.kind) {
    case ExprKind::Variable:
      return std::string(text(static_cast<const ast::VariableExpr&>(e).name.ident.name));
    case ExprKind::Field: {
      auto& f = static_cast<const ast::FieldExpr&>(e);
      std::string base = quantity_text(*f.base);
      return base.empty() ? base : base + "." + std::string(text(f.field.name));
    }
    case ExprKind::Index: {
      std::string base = quantity_text(*static_cast<const ast::IndexExpr&>(e).base);
      return base.empty() ? base : base + "[…]";
    }
    case ExprKind::Apply: {
      std::string head = quantity_text(*static_cast<const ast::ApplyExpr&>(e).function);
      return head.empty() ? head : head + " …";
    }
    case ExprKind::Int:
    case ExprKind::Real: return ast::print(e);
    default: return {};
  }
}

std::string TypeMessages::describe(Type* type) const {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (type->needs & kLiteral) return "a number";
    if (type->needs & kReal) return "Real";
    if (type->needs & kNumber) return "a number";
    if (type->needs & kSignal) return "a signal";
    if (type->needs & kOrder) return "an ordered type";
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

std::string TypeMessages::because(const ast::Expr* e, std::optional<Span>& origin) const {
  switch (e->kind) {
    case ExprKind::Variable: {
      auto& name = static_cast<const ast::VariableExpr*>(e)->name;
      std::string n = "`" + std::string(text(name.ident.name)) + "`";
      if (Local* local = name.qualified ? nullptr : scopes_.lookup_local(name.ident.name)) {
        if (local->span.file == name.ident.span.file && local->span != name.ident.span) origin = local->span;
        return n + (local->kind == Local::Signal ? " is declared with this type" : " has this type");
      }
      if (auto* entry = scopes_.lookup_value(name, false); entry && entry->meaning.kind == Value::Global) {
        origin = globals_.span(entry->meaning.global);
        return "it is the type of " + n;
      }
      return {};
    }
    case ExprKind::Field: {
      if (is_instance(scopes_, static_cast<const ast::FieldExpr*>(e)->base)) return {};
      auto& field = static_cast<const ast::FieldExpr*>(e)->field;
      std::string n = "`" + std::string(text(field.name)) + "`";
      if (auto records = scopes_.records_with(field.name); records.size() == 1) {
        TypeConstructor* record = records.front();
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
      return head.empty() ? std::string() : "it is the result of `" + head + "`";
    }
    case ExprKind::Sigrel: return "`sigrel` makes a relation";
    case ExprKind::Lambda: return "it is a function";
    case ExprKind::Range: return "it is a list";
    case ExprKind::Real: return "of the decimal point";
    default: return {};
  }
}

std::string TypeMessages::reason_text(const Reason& reason, std::optional<Span>& origin) const {
  if (reason.has_span) origin = reason.span;
  std::string n = "`" + std::string(text(reason.name)) + "`";
  switch (reason.kind) {
    case ReasonKind::None: return {};
    case ReasonKind::Argument:
      return (reason.parameter == Name{}
                  ? "it is argument " + std::to_string(reason.index + 1)
                  : "it is the argument `" + std::string(text(reason.parameter)) + "`") +
             (reason.name == Name{} ? " of this function" : " of " + n);
    case ReasonKind::Interface:
      return reason.name == Name{}
                 ? "it is interface variable " + std::to_string(reason.index + 1) + " of the relation"
                 : "it is interface variable " + n + " of the relation";
    case ReasonKind::LeftSide: return "the other side has this type";
    case ReasonKind::Condition: return "it is a condition";
    case ReasonKind::Operand: return "the other operand has this type";
    case ReasonKind::Signature:
      return reason.name == Name{} ? "of the type given here" : "of the type given for " + n;
    case ReasonKind::Element: return "the first element has this type";
    case ReasonKind::Branch: return "the other branch has this type";
    case ReasonKind::Pattern: return "of the pattern";
    case ReasonKind::FieldValue: return "it is the field " + n;
    case ReasonKind::DefaultValue: return "it is the default value of " + n;
    case ReasonKind::Exponent: return "it is an exponent";
    case ReasonKind::IndexValue: return "it is an index";
    case ReasonKind::Relation: return "`<>` applies relations";
    case ReasonKind::Node: return "the other node has this type";
    case ReasonKind::Target: return "the variable before `:=` has this type";
    case ReasonKind::Message: return "it is a message";
    case ReasonKind::RangeEnd: return "it bounds a range";
    case ReasonKind::Mode: return "a mode of the switch is expected here";
    case ReasonKind::Bound: return "the value has this type";
    case ReasonKind::Attribute: return "it is the attribute " + n;
  }
  return {};
}

void TypeMessages::mismatch_at(Span span, Type* found, Type* expected, const Reason& reason,
                               const std::string& why_found, const Origin& origin,
                               const ast::Expr* found_expr) {
  if (unifier_.unit_conflict()) {
    unifier_.clear_unit_conflict();
    return unit_mismatch(span, found, expected, reason, why_found, origin, found_expr);
  }
  found = find(found);
  expected = find(expected);
  std::string e = describe(expected), f = describe(found);
  // They differ only in parts that the printer leaves out.
  if (e == f && expected->kind == TypeKind::Variable) e = "a type that does not contain itself";
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

  // Hints for common mistakes.
  help_to_convert(d, found, expected, reason,
                  found_expr && found_expr->kind == ExprKind::Apply ? head_text(found_expr) : std::string());
  if (found->kind == TypeKind::Constructor && found->constructor->connector &&
      is_constructor(expected, types_.real_constructor)) {
    std::string fields;
    for (auto& field : found->constructor->fields)
      fields += (fields.empty() ? "`." : ", `.") + std::string(text(field.name)) + "`";
    d.help("a " + std::string(text(found->constructor->name)) + " has the fields " + fields);
  }
  const bool is_node = expected->kind == TypeKind::Constructor && expected->constructor->connector;
  if (is_node && found->kind != TypeKind::Variable && found_expr && found_expr->kind == ExprKind::Variable)
    d.help(fmt::format(
        "a name makes a node only if nothing else has that name: rename it, or declare `local {} :: {}`",
        head_text(found_expr), e));
  else if (found->kind == TypeKind::Function && expected->kind != TypeKind::Function)
    d.help("an argument may be missing");
  if (is_constructor(expected, types_.list_constructor) && find(expected->args[0]) == found)
    d.help("a list of one has brackets, too: `[x]`");
  if (found->kind == TypeKind::Relation && expected->kind != TypeKind::Relation && scopes_.relation())
    d.help("a relation is not a signal; apply it with `<>`, or give its instance a label and read `label.x`");
  Type *wanted = expected, *given = found;
  while (is_constructor(wanted, types_.list_constructor) && is_constructor(given, types_.list_constructor)) {
    wanted = find(wanted->args[0]);
    given = find(given->args[0]);
  }
  const bool may_be_vector =
      wanted->kind == TypeKind::Vector || (wanted->kind == TypeKind::Variable && (wanted->needs & kSignal));
  if (may_be_vector && is_constructor(given, types_.list_constructor))
    d.help(
        "`vector xs` converts a list to a vector; the rows of a matrix are vectors as well: "
        "`vector [vector row for row in rows]`");
  if (found->kind == TypeKind::Vector && is_constructor(expected, types_.list_constructor)) {
    const bool named =
        found_expr && (found_expr->kind == ExprKind::Variable || found_expr->kind == ExprKind::Field);
    const std::string vector = named ? quantity_text(*found_expr) : std::string();
    const std::string elements =
        fmt::format("[{0}[i] for i in 1 .. size {0}]", vector.empty() ? "x" : vector);
    if (vector.empty())
      d.help("`" + elements + "` is the list of the elements of a vector `x`");
    else
      d.fix("write `" + elements + "`, the list of its elements", span, elements);
  }
  if (expected->kind == TypeKind::Skolem)
    note_any_type(d, expected);
  else if (found->kind == TypeKind::Skolem)
    note_any_type(d, found);
}

/// A type variable of a signature, such as `a` in `SR (a, b :: Force)`: there it is meant to be a name.
void TypeMessages::note_any_type(Diagnostic& d, const Type* variable) const {
  const std::string name(text(variable->name));
  d.note("`" + name + "` stands for any type, so nothing may be assumed about it");
  if (scopes_.lookup_local(variable->name))
    d.help(fmt::format(
        "a signature gives each name its own type: `({0} :: T, b :: T)`; in `({0}, b :: T)` `{0}` is a type",
        name));
}

std::string TypeMessages::signal_help(Type* type) const {
  type = find(type);
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Data)
    return "a data type is one of a signal only if none of its constructors has fields; values beside it are "
           "signals of their own";
  return "signals are Real, Int, Bool, data types without fields, and records, tuples and vectors of these";
}

void TypeMessages::suppress_further_errors(const ast::Expr* e, Type* type) {
  if (e->kind != ExprKind::Variable) return;
  auto& name = static_cast<const ast::VariableExpr*>(e)->name;
  if (Local* local = name.qualified ? nullptr : scopes_.lookup_local(name.ident.name)) {
    local->type = types_.error();
    local->polymorphic = false;
  } else if (!name.qualified && find(type)->kind == TypeKind::Function) {
    scopes_.misuse(name.ident.name);
  }
}

void TypeMessages::help_to_convert(Diagnostic& d, Type* found, Type* expected, const Reason& reason,
                                   std::string_view found_head) const {
  const bool real = is_constructor(found, types_.real_constructor),
             integer = is_constructor(found, types_.integer_constructor),
             boolean = is_constructor(found, types_.boolean_constructor);
  const bool needs_real = is_constructor(expected, types_.real_constructor),
             needs_integer = is_constructor(expected, types_.integer_constructor);
  const std::string_view of =
      reason.kind == ReasonKind::Argument && !reason.has_span ? text(reason.name) : "";
  if (of == "mod" && real)
    d.help(
        "`mod` is of Ints; for Reals, `x - period * floor (x / period)` is the remainder, and `Math.wrap "
        "period x` the same");
  else if (of == "div" && real)
    d.help("`div` is of Ints; for Reals, `floor (x / y)` is the quotient without its fraction");
  else if ((of == "edge" && !boolean) || (of == "not" && (real || integer)))
    d.help(fmt::format("`{}` is of a Bool, such as that of `local high :: Bool` and `high = x > 0.5`", of));
  else if (needs_integer && real && (found_head == "floor" || found_head == "ceiling"))
    d.help(fmt::format("`{0}` gives a Real; `round ({0} x)` makes an Int of it", found_head));
  else if (needs_integer && real)
    d.help(reason.kind == ReasonKind::Operand ? "`real n` makes a Real of an Int, `round x` an Int of a Real"
                                              : "`round x` makes an Int of a Real");
  else if (needs_real && integer)
    d.help("`real n` makes a Real of an Int");
  else if ((needs_real || needs_integer) && boolean)
    d.help(fmt::format("`if b then {}` makes {} of a Bool", needs_real ? "1.0 else 0.0" : "1 else 0",
                       needs_real ? "a Real" : "an Int"));
}

/// `max(x, 0.5)`: a tuple where a function takes another argument. Whether it is that.
bool TypeMessages::is_argument_list(const ast::Expr* e, Type* expected, const Reason& reason) {
  if (reason.kind != ReasonKind::Argument || e->kind != ExprKind::Tuple) return false;
  const Type* type = find(expected);
  if (type->kind == TypeKind::Tuple) return false;
  const auto& elements = static_cast<const ast::TupleExpr*>(e)->elements;
  if (elements.empty() || reason.index > 0) return false;
  std::string call(text(reason.name));
  for (const ast::Expr* element : elements) {
    const bool atom = element->kind == ExprKind::Variable || element->kind == ExprKind::Int ||
                      element->kind == ExprKind::Real || element->kind == ExprKind::String;
    call += " " + (atom ? ast::print(*element) : std::string("(…)"));
  }
  auto& d = diagnostics_.report(Code::TypeMismatch, e->span,
                                "arguments are separated by spaces, without parentheses and commas");
  d.label(fmt::format("this is one argument, a tuple of {}", elements.size()));
  d.help("write `" + call + "`");
  return true;
}

void TypeMessages::mismatch(const ast::Expr* found_expr, Type* found, Type* expected, const Reason& reason) {
  if (is_argument_list(found_expr, expected, reason)) return;
  std::optional<Span> origin;
  std::string why = because(found_expr, origin);
  Origin also;
  if (origin) also = {*origin, describe(found) + " comes from here"};
  mismatch_at(found_expr->span, found, expected, reason, why, also, found_expr);
  suppress_further_errors(found_expr, found);
  if (reason.other && find(expected)->kind == TypeKind::Function && find(found)->kind != TypeKind::Function)
    suppress_further_errors(reason.other, expected);
}

bool TypeMessages::require_operand(Type* type, Needs needs, const ast::Expr* e, std::string_view sign) {
  if (unifier_.require(type, needs)) return true;
  std::optional<Span> origin;
  std::string why = because(e, origin);
  bool is_int = is_constructor(type, types_.integer_constructor);
  auto& d = diagnostics_.report(Code::OperandType, e->span,
                                "`" + std::string(sign) + "` needs " +
                                    ((needs & kReal)       ? "Real"
                                     : (needs & kOrder)    ? "Int, Real or String"
                                     : (needs & kEquality) ? "values that can be compared"
                                     : (needs & kScalar)   ? "Int or Real"
                                                           : "Int, Real or vectors of them") +
                                    ", found " + describe(type) + (why.empty() ? "" : ", because " + why));
  d.label("this is " + describe(type));
  if (origin) d.also(*origin, describe(type) + " comes from here");
  type = find(type);
  if ((needs & kReal) && is_int) d.help("`div` divides Ints; `real n` makes a Real of an Int");
  if (is_constructor(type, types_.string_constructor) && sign == "+") d.help("strings are joined with `++`");
  if (is_constructor(type, types_.list_constructor) && sign == "+") d.help("lists are joined with `++`");
  if (is_constructor(type, types_.list_constructor) && (needs & kNumber))
    d.help("arithmetic is on vectors: `vector xs` converts a list to one");
  if (type->kind == TypeKind::Skolem)
    d.note("`" + std::string(text(type->name)) + "` stands for any type; write `Real` if a number is meant");
  if (type->kind == TypeKind::Constructor && type->constructor->kind == NominalKind::Record)
    d.help("arithmetic is on the fields, for example `." +
           std::string(type->constructor->fields.empty() ? "x" : text(type->constructor->fields[0].name)) +
           "`");
  suppress_further_errors(e, type);
  return false;
}

void TypeMessages::unknown_field(const ast::Ident& field, Type* type) {
  type = find(type);
  std::string n(text(field.name));
  bool experiment = type->constructor == &types_.experiment_constructor;
  std::string record(text(type->constructor->name));
  Diagnostic* reported = scopes_.report_once(
      Code::UnknownField, field.span,
      experiment ? "an experiment has no setting `" + n + "`" : "`" + record + "` has no field `" + n + "`");
  if (!reported) return;
  Diagnostic& d = *reported;
  std::vector<std::string_view> candidates;
  std::string all;
  for (auto& f : type->constructor->fields) {
    if (experiment && text(f.name) == "model") continue;
    candidates.push_back(text(f.name));
    all += (all.empty() ? "`" : ", `") + std::string(text(f.name)) + "`";
  }
  // `stopTime` for `stop`
  const auto part = std::ranges::find_if(candidates, [&](std::string_view c) { return n.starts_with(c); });
  auto near = did_you_mean(n, candidates);
  if (!near && part != candidates.end()) near = *part;
  if (near)
    d.fix("did you mean `" + std::string(*near) + "`?", field.span, std::string(*near));
  else
    d.help((experiment ? "the settings are " : "its fields are ") + all);
}

}  // namespace sigrel::check
