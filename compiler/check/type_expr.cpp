// Written types to types.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {

// In a signature a new name is a quantified variable; in an annotation inside a body it is one of the enclosing
// signature, else any type; in a declaration it must be a parameter.
Type* Checker::type_variable(Name name, Span span, TypeScope& scope, Needs needs, bool size) {
  for (auto& [known, type] : scope.variables)
    if (known == name) {
      Type* t = find(type);
      if (t->kind == TypeKind::Variable || t->kind == TypeKind::Skolem) t->needs |= needs;
      return type;
    }
  if (scope.mode == TypeScope::Declaration) {
    diagnostics_.report(Code::UnknownType, span, "there is no type variable `" + std::string(text(name)) + "` here")
        .help("declare it after the type's name: `record T " + std::string(text(name)) + " = …`");
    return types_.error();
  }
  Type* type;
  if (scope.mode == TypeScope::Signature) {
    type = types_.variable(kGeneric, needs);
  } else {
    if (!size)
      for (auto& [known, skolem] : scoped_type_variables_)
        if (known == name) return skolem;
    type = fresh(needs);
  }
  scope.variables.emplace_back(name, type);
  return type;
}

Type* Checker::convert_size(const ast::Expr* size, TypeScope& scope) {
  if (size->kind == ast::ExprKind::Int) {
    std::int64_t value = static_cast<const ast::IntExpr*>(size)->value;
    if (value < 0) diagnostics_.report(Code::TypeMismatch, size->span, "a size is not negative");
    return types_.size_literal(std::max<std::int64_t>(value, 0));
  }
  if (scope.mode == TypeScope::Annotation) {
    Reason reason{ReasonKind::IndexValue};
    // A name that nothing binds is a size that follows from the context.
    if (size->kind == ast::ExprKind::Variable) {
      auto& name = static_cast<const ast::VariableExpr*>(size)->name;
      if (!name.qualified && !lookup_local(name.ident.name) && !lookup_value(name, false)) return fresh();
    }
    ++static_;
    core::Expr* expr = check_expr(size, types_.integer(), reason);
    --static_;
    Type* type = types_.size_expression(expr, current_.value);
    if (size->kind == ast::ExprKind::Variable) {
      type->named = true;
      type->name = static_cast<const ast::VariableExpr*>(size)->name.ident.name;
    }
    return type;
  }
  if (size->kind == ast::ExprKind::Variable) {
    auto& name = static_cast<const ast::VariableExpr*>(size)->name;
    if (!name.qualified) return type_variable(name.ident.name, size->span, scope, 0, true);
  }
  Type type;
  type.kind = TypeKind::Size;
  type.size_ast = size;
  type.generic = true;
  return type_arena_.make<Type>(type);
}

Type* Checker::convert_named(const ast::NamedType* type, TypeScope& scope, Needs needs) {
  auto* entry = lookup_type(type->name);
  if (!entry) return types_.error();
  std::string name(text(type->name.ident.name));
  if (Synonym* synonym = entry->meaning.synonym) {
    std::vector<Type*> args;
    for (auto* arg : type->args) args.push_back(convert(arg, scope, needs));
    if (args.size() != synonym->decl->parameters.size()) {
      diagnostics_.report(Code::TypeArguments, type->span,
                          "the type `" + name + "` takes " + std::to_string(synonym->decl->parameters.size()) +
                              (synonym->decl->parameters.size() == 1 ? " argument, " : " arguments, ") +
                              std::to_string(args.size()) + (args.size() == 1 ? " is given" : " are given"));
      return types_.error();
    }
    if (synonym->state != Synonym::Done) expand_synonym(*synonym, type->span, type->name.ident.name);
    if (!synonym->type) return types_.error();
    if (args.empty()) return types_.named(synonym->type, type->name.ident.name);
    return substitute(synonym->type, synonym->parameters, args);
  }
  TypeConstructor* constructor = entry->meaning.constructor;
  if (type->args.size() != constructor->parameters.size()) {
    diagnostics_.report(Code::TypeArguments, type->span,
                        "the type `" + name + "` takes " + std::to_string(constructor->parameters.size()) +
                            (constructor->parameters.size() == 1 ? " argument, " : " arguments, ") +
                            std::to_string(type->args.size()) + (type->args.size() == 1 ? " is given" : " are given"));
    return types_.error();
  }
  if (type->unit) {
    if (constructor != &types_.real_constructor) {
      diagnostics_.report(Code::TypeArguments, type->unit->span, "only Real has a unit, `" + name + "` has none");
      return types_.error();
    }
    UnitValue unit = resolve_unit(*type->unit, true, diagnostics_);
    return types_.real_with_unit(type_arena_.make<UnitValue>(unit));
  }
  if (constructor == &types_.real_constructor) return types_.real();
  if (constructor == &types_.integer_constructor) return types_.integer();
  if (constructor == &types_.boolean_constructor) return types_.boolean();
  if (constructor == &types_.string_constructor) return types_.string();
  bool generic = false;
  std::vector<Type*> args;
  for (auto* arg : type->args) {
    args.push_back(convert(arg, scope, needs & (kSignal | kEquality)));
    Type* a = find(args.back());
    generic |= a->generic || (a->kind == TypeKind::Variable && a->level == kGeneric);
  }
  Type* result = types_.apply(constructor, std::move(args));
  result->generic = generic;
  return result;
}

Type* Checker::convert_relation(const ast::RelationType* type, TypeScope& scope) {
  auto check_signal = [&](Type* t, const ast::Type* written) {
    if (!require(t, kSignal)) {
      diagnostics_.report(Code::NotASignal, written->span, "the interface of a relation consists of signals; " + describe(t) + " is none")
          .help("signals are Real, Int, Bool, records, tuples and vectors of these");
      return types_.error();
    }
    return t;
  };
  if (type->whole) return types_.relation(check_signal(convert(type->whole, scope, kSignal), type->whole), {});
  std::vector<Type*> elements;
  std::vector<InterfaceName> names;
  bool any = false;
  for (auto& item : type->interface) {
    elements.push_back(check_signal(convert(item.type, scope, kSignal), item.type));
    InterfaceName name;
    name.named = item.named;
    name.name = item.named ? item.name.name : Name{};
    name.causality = static_cast<core::Causality>(item.causality);
    any |= item.named || item.causality != ast::Causality::None;
    if (item.named)
      for (auto& earlier : names)
        if (earlier.named && earlier.name == item.name.name) {
          duplicate(item.name, type->interface[static_cast<std::size_t>(&earlier - names.data())].name.span, "the interface variable");
          break;
        }
    names.push_back(name);
  }
  if (!any) names.clear();
  if (elements.size() == 1) return types_.relation(elements[0], std::move(names));
  Type* tuple = types_.tuple(elements);
  for (Type* e : elements) {
    e = find(e);
    tuple->generic |= e->generic || (e->kind == TypeKind::Variable && e->level == kGeneric);
  }
  return types_.relation(tuple, std::move(names));
}

Type* Checker::convert(const ast::Type* type, TypeScope& scope, Needs needs) {
  auto generic_of = [](Type* t) {
    t = find(t);
    return t->generic || (t->kind == TypeKind::Variable && t->level == kGeneric);
  };
  auto mark_generic = [&](Type* t) {
    for (Type* arg : t->args) t->generic |= generic_of(arg);
    return t;
  };
  switch (type->kind) {
    case ast::TypeKind::Named: return convert_named(static_cast<const ast::NamedType*>(type), scope, needs);
    case ast::TypeKind::Variable: {
      auto& name = static_cast<const ast::TypeVariable*>(type)->name;
      return type_variable(name.name, name.span, scope, needs, false);
    }
    case ast::TypeKind::List:
      return mark_generic(types_.list(convert(static_cast<const ast::ListType*>(type)->element, scope, needs & kEquality)));
    case ast::TypeKind::Tuple: {
      std::vector<Type*> elements;
      for (auto* e : static_cast<const ast::TupleType*>(type)->elements) elements.push_back(convert(e, scope, needs));
      return mark_generic(types_.tuple(elements));
    }
    case ast::TypeKind::Function: {
      auto* f = static_cast<const ast::FunctionType*>(type);
      Type* from = convert(f->from, scope);
      if (!f->has_parameter) return mark_generic(types_.function(from, convert(f->to, scope)));
      bool is_size = is_constructor(from, types_.integer_constructor);
      if (!is_size || scope.mode != TypeScope::Signature) return mark_generic(types_.function(from, convert(f->to, scope)));
      Type* size = type_variable(f->parameter.name, f->parameter.span, scope, 0, true);
      Type* to = convert(f->to, scope);
      Type* result = types_.function(from, to);
      result->args = type_arena_.copy(std::vector<Type*>{from, to, size});
      result->has_parameter = true;
      result->parameter = f->parameter.name;
      return mark_generic(result);
    }
    case ast::TypeKind::Relation: return mark_generic(convert_relation(static_cast<const ast::RelationType*>(type), scope));
    case ast::TypeKind::Power: {
      auto* p = static_cast<const ast::PowerType*>(type);
      Type* result = convert(p->element, scope, needs & (kSignal | kEquality));
      for (auto it = p->sizes.rbegin(); it != p->sizes.rend(); ++it)
        result = mark_generic(types_.vector(result, convert_size(*it, scope)));
      return result;
    }
  }
  return types_.error();
}

Type* Checker::annotation(const ast::Type* type, Needs needs) {
  TypeScope scope;
  scope.mode = TypeScope::Annotation;
  return convert(type, scope, needs);
}

}  // namespace sigrel::check
