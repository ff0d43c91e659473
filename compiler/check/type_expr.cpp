// Written types to types.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {

// In a signature a new name is a quantified variable; in an annotation inside a body it is one of the
// enclosing signature, else any type; in a declaration it must be a parameter.
Type* Checker::type_variable(Name name, Span span, TypeScope& scope, Needs needs, Sort sort) {
  for (auto& [known, type] : scope.variables) {
    Type* t = find(type);
    bool same_sort =
        t->kind == TypeKind::Variable || t->kind == TypeKind::Skolem ? t->sort == sort : sort == Sort::Type;
    if (known != name || !same_sort) continue;
    if (t->kind == TypeKind::Variable || t->kind == TypeKind::Skolem) t->needs |= needs;
    return type;
  }
  if (scope.mode == TypeScope::Declaration) {
    std::string_view what = sort == Sort::Type ? "type variable" : sort == Sort::Unit ? "unit" : "size";
    auto& d =
        diagnostics_.report(Code::UnknownType, span,
                            "there is no " + std::string(what) + " `" + std::string(text(name)) + "` here");
    if (sort == Sort::Type)
      d.help("declare it after the type's name: `record T " + std::string(text(name)) + " = …`");
    return types_.error();
  }
  Type* type;
  if (scope.mode == TypeScope::Signature) {
    type = types_.variable(kGeneric, needs, sort);
    type->name = name;
    type->named = true;
  } else {
    for (auto& [known, skolem] : scoped_type_variables_)
      if (known == name && find(skolem)->sort == sort) return skolem;
    type = fresh(sort);
    type->needs = needs;
  }
  scope.variables.emplace_back(name, type);
  return type;
}

Type* Checker::unit_type(const ast::Unit& written, bool variables, TypeScope& scope, double* value) {
  UnitValue unit = resolve_unit(written, variables, diagnostics_);
  if (value) *value = to_si(*value, unit);
  Linear linear;
  linear.constant = unit.dimension;
  for (auto& [name, exponent] : unit.variables)
    linear.add(type_variable(name, written.span, scope, 0, Sort::Unit), exponent);
  units_seen_ |= !zero(unit.dimension);
  Type* type = types_.form(linear, Sort::Unit);
  if (unit.coherent && unit.variables.empty()) {  // prints as it was written
    type->named = true;
    type->name = intern(unit_text(written));
  }
  return type;
}

// The atoms of a core expression: a local or a global stands for itself, everything else is a value that only
// the elaborator knows.
Type* Checker::size_form(core::Expr* size) {
  auto atom = [&](core::Expr* e) {
    Type* type = types_.skolem(intern("size"), level_);
    type->sort = Sort::Size;
    type->opaque = true;
    type->size_expr = e;
    type->size_owner = current_.value;
    if (e->kind == core::ExprKind::Local) {
      type->name =
          program_.globals[current_.value].local_names[static_cast<core::LocalExpr*>(e)->local.value];
      type->named = true;
    }
    return type;
  };
  Linear linear;
  std::vector<std::pair<core::Expr*, Ratio>> work{{size, {1, 1}}};
  while (!work.empty()) {
    auto [e, weight] = work.back();
    work.pop_back();
    if (e->kind == core::ExprKind::Int) {
      linear.constant[0] = linear.constant[0] + Ratio::of(static_cast<core::IntExpr*>(e)->value) * weight;
      continue;
    }
    if (e->kind == core::ExprKind::Local) {
      Type*& known = size_atoms_[static_cast<core::LocalExpr*>(e)->local];
      if (!known) known = atom(e);
      linear.add(known, weight);
      continue;
    }
    if (e->kind == core::ExprKind::Primitive) {
      auto* p = static_cast<core::PrimitiveExpr*>(e);
      if (p->op == core::Primitive::Add || p->op == core::Primitive::Sub) {
        work.emplace_back(p->args[1], p->op == core::Primitive::Sub ? -weight : weight);
        work.emplace_back(p->args[0], weight);
        continue;
      }
      if (p->op == core::Primitive::Negate) {
        work.emplace_back(p->args[0], -weight);
        continue;
      }
      if (p->op == core::Primitive::Mul) {
        std::size_t factor = p->args[0]->kind == core::ExprKind::Int ? 0 : 1;
        if (p->args[factor]->kind == core::ExprKind::Int) {
          work.emplace_back(p->args[1 - factor],
                            weight * Ratio::of(static_cast<core::IntExpr*>(p->args[factor])->value));
          continue;
        }
      }
    }
    linear.add(atom(e), weight);
  }
  return types_.form(linear, Sort::Size);
}

// `n == 2`: in the branches of a condition on a size, the size may be more than its name.
void Checker::refine_sizes(core::Expr* condition) {
  if (size_atoms_.empty()) return;
  std::vector<core::Expr*> work{condition};
  while (!work.empty()) {
    core::Expr* e = work.back();
    work.pop_back();
    if (e && e->kind == core::ExprKind::Local) {
      auto at = size_atoms_.find(static_cast<core::LocalExpr*>(e)->local);
      if (at != size_atoms_.end()) refined_sizes_.insert(at->second);
    } else if (e && e->kind == core::ExprKind::Primitive) {
      for (core::Expr* arg : static_cast<core::PrimitiveExpr*>(e)->args) work.push_back(arg);
    }
  }
}

Type* Checker::convert_size(const ast::Expr* size, TypeScope& scope) {
  if (scope.mode == TypeScope::Annotation) {
    // A name that nothing binds is a size that follows from the context.
    if (size->kind == ast::ExprKind::Variable) {
      auto& name = static_cast<const ast::VariableExpr*>(size)->name;
      if (!name.qualified && !lookup_local(name.ident.name) && !lookup_value(name, false))
        return type_variable(name.ident.name, size->span, scope, 0, Sort::Size);
    }
    ++static_;
    core::Expr* expr = check_expr(size, types_.integer(), {ReasonKind::IndexValue});
    --static_;
    return size_form(expr);
  }
  // In a signature the names are parameters and quantified sizes, which have no values yet.
  Linear linear;
  std::vector<std::pair<const ast::Expr*, Ratio>> work{{size, {1, 1}}};
  while (!work.empty()) {
    auto [e, weight] = work.back();
    work.pop_back();
    switch (e->kind) {
      case ast::ExprKind::Int:
        linear.constant[0] =
            linear.constant[0] + Ratio::of(static_cast<const ast::IntExpr*>(e)->value) * weight;
        continue;
      case ast::ExprKind::Variable: {
        auto& name = static_cast<const ast::VariableExpr*>(e)->name;
        if (name.qualified) break;
        linear.add(type_variable(name.ident.name, e->span, scope, 0, Sort::Size), weight);
        continue;
      }
      case ast::ExprKind::Unary:
        work.emplace_back(static_cast<const ast::UnaryExpr*>(e)->operand, -weight);
        continue;
      case ast::ExprKind::Binary: {
        auto* b = static_cast<const ast::BinaryExpr*>(e);
        if (b->op == ast::BinaryOp::Add || b->op == ast::BinaryOp::Sub) {
          work.emplace_back(b->right, b->op == ast::BinaryOp::Sub ? -weight : weight);
          work.emplace_back(b->left, weight);
          continue;
        }
        bool left = b->left->kind == ast::ExprKind::Int;
        const ast::Expr* factor = left ? b->left : b->right;
        if (b->op != ast::BinaryOp::Mul || factor->kind != ast::ExprKind::Int) break;
        work.emplace_back(left ? b->right : b->left,
                          weight * Ratio::of(static_cast<const ast::IntExpr*>(factor)->value));
        continue;
      }
      default: break;
    }
    Type* opaque = types_.skolem(intern("size"), 0);
    opaque->sort = Sort::Size;
    opaque->opaque = opaque->generic = true;
    opaque->size_ast = e;
    linear.add(opaque, weight);
  }
  if (linear.terms.empty() && linear.constant[0].num < 0) {
    diagnostics_.report(Code::TypeMismatch, size->span, "a size is not negative");
    return types_.error();
  }
  return types_.form(linear, Sort::Size);
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
                          "the type `" + name + "` takes " +
                              std::to_string(synonym->decl->parameters.size()) +
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
                            std::to_string(type->args.size()) +
                            (type->args.size() == 1 ? " is given" : " are given"));
    return types_.error();
  }
  if (type->unit) {
    if (constructor != &types_.real_constructor) {
      diagnostics_.report(Code::TypeArguments, type->unit->span,
                          "only Real has a unit, `" + name + "` has none");
      return types_.error();
    }
    return types_.real(unit_type(*type->unit, true, scope));
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
      diagnostics_
          .report(Code::NotASignal, written->span,
                  "the interface of a relation consists of signals; " + describe(t) + " is none")
          .help("signals are Real, Int, Bool, records, tuples and vectors of these");
      return types_.error();
    }
    return t;
  };
  auto promised = [&](Type* relation) {
    if (type->structure) promise(relation, *type->structure);
    return relation;
  };
  if (type->whole)
    return promised(types_.relation(check_signal(convert(type->whole, scope, kSignal), type->whole), {}));
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
          duplicate(item.name, type->interface[static_cast<std::size_t>(&earlier - names.data())].name.span,
                    "the interface variable");
          break;
        }
    names.push_back(name);
  }
  if (!any) names.clear();
  if (elements.size() == 1) return promised(types_.relation(elements[0], std::move(names)));
  Type* tuple = types_.tuple(elements);
  for (Type* e : elements) {
    e = find(e);
    tuple->generic |= e->generic || (e->kind == TypeKind::Variable && e->level == kGeneric);
  }
  return promised(types_.relation(tuple, std::move(names)));
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
      return type_variable(name.name, name.span, scope, needs);
    }
    case ast::TypeKind::List:
      return mark_generic(
          types_.list(convert(static_cast<const ast::ListType*>(type)->element, scope, needs & kEquality)));
    case ast::TypeKind::Tuple: {
      std::vector<Type*> elements;
      for (auto* e : static_cast<const ast::TupleType*>(type)->elements)
        elements.push_back(convert(e, scope, needs));
      return mark_generic(types_.tuple(elements));
    }
    case ast::TypeKind::Function: {
      auto* f = static_cast<const ast::FunctionType*>(type);
      Type* from = convert(f->from, scope);
      if (!f->has_parameter) return mark_generic(types_.function(from, convert(f->to, scope)));
      bool is_size = is_constructor(from, types_.integer_constructor);
      if (!is_size || scope.mode != TypeScope::Signature)
        return mark_generic(types_.function(from, convert(f->to, scope)));
      Type* size = type_variable(f->parameter.name, f->parameter.span, scope, 0, Sort::Size);
      Type* to = convert(f->to, scope);
      Type* result = types_.function(from, to);
      result->args = type_arena_.copy(std::vector<Type*>{from, to, size});
      result->has_parameter = true;
      result->parameter = f->parameter.name;
      return mark_generic(result);
    }
    case ast::TypeKind::Relation:
      return mark_generic(convert_relation(static_cast<const ast::RelationType*>(type), scope));
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
  Type* result = convert(type, scope, needs);
  note_units(result);
  return result;
}

}  // namespace sigrel::check
