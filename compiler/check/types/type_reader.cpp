#include "compiler/check/types/type_reader.h"

#include <algorithm>

namespace sigrel::check {
namespace {

Type* mark_generic(Type* type) {
  for (Type* arg : type->args) type->generic |= is_generic(arg);
  return type;
}

std::string arguments(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

}  // namespace

Type* TypeReader::convert(const ast::Type* type, TypeScope& scope, Needs needs) {
  switch (type->kind) {
    case ast::TypeKind::Named: return convert_named(static_cast<const ast::NamedType*>(type), scope, needs);
    case ast::TypeKind::Variable: {
      auto& name = static_cast<const ast::TypeVariable*>(type)->name;
      return variable(name.name, name.span, scope, needs);
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
    case ast::TypeKind::Function: return convert_function(static_cast<const ast::FunctionType*>(type), scope);
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

Type* TypeReader::convert_function(const ast::FunctionType* type, TypeScope& scope) {
  const bool of_signature = std::exchange(signature_rest_, nullptr) == type;
  Type* from = convert(type->from, scope);
  const bool is_size = type->has_parameter && is_constructor(from, types_.integer_constructor) &&
                       scope.mode == TypeScope::Signature;
  Type* size = is_size ? variable(type->parameter.name, type->parameter.span, scope, 0, Sort::Size) : nullptr;
  if (of_signature)
    signature_rest_ = type->to;
  else if (type->default_value)
    diagnostics_
        .report(Code::DefaultValue, type->default_value->span,
                "only the signature of a top-level definition gives default values")
        .help("pass the value where the function is applied");
  Type* to = convert(type->to, scope);
  Type* result = types_.function(from, to);
  if (size) result->args = types_.arena().copy(std::vector<Type*>{from, to, size});
  if (type->has_parameter) {
    result->has_parameter = true;
    result->parameter = type->parameter.name;
  }
  return mark_generic(result);
}

Type* TypeReader::annotation(const ast::Type* type, Needs needs) {
  TypeScope scope;
  scope.mode = TypeScope::Annotation;
  Type* result = convert(type, scope, needs);
  units_.note(result);
  return result;
}

Type* TypeReader::signature(const ast::SignatureDecl& signature, bool top_level,
                            std::vector<std::pair<Name, Type*>>& variables) {
  check_parameter_names(signature.type);
  if (top_level) signature_rest_ = signature.type;
  TypeScope scope;
  scope.mode = TypeScope::Signature;
  // In a let, a type variable of the enclosing signature is that one.
  for (auto& known : scoped_variables_) scope.variables.push_back(known);
  Type* type = convert(signature.type, scope);
  signature_rest_ = nullptr;
  if (scope.misses_arrow) return types_.error();
  variables = std::move(scope.variables);
  return type;
}

void TypeReader::check_parameter_names(const ast::Type* signature) {
  std::vector<ast::Ident> names;
  for (; signature->kind == ast::TypeKind::Function;
       signature = static_cast<const ast::FunctionType*>(signature)->to) {
    auto* function = static_cast<const ast::FunctionType*>(signature);
    if (!function->has_parameter) continue;
    auto same = std::ranges::find(names, function->parameter.name, &ast::Ident::name);
    if (same != names.end()) scopes_.duplicate(function->parameter, same->span, "the parameter");
    names.push_back(function->parameter);
  }
}

Type* TypeReader::variable(Name name, Span span, TypeScope& scope, Needs needs, Sort sort) {
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
    for (auto& [known, skolem] : scoped_variables_)
      if (known == name && find(skolem)->sort == sort) return skolem;
    type = unifier_.fresh(sort);
    type->needs = needs;
  }
  scope.variables.emplace_back(name, type);
  return type;
}

Type* TypeReader::unit(const ast::Unit& written, bool variables, TypeScope& scope, double* value) {
  UnitValue resolved = resolve_unit(written, variables, diagnostics_);
  if (value) *value = to_si(*value, resolved);
  if (!resolved.known) return types_.error();
  Linear linear;
  linear.constant = resolved.dimension;
  for (auto& [name, exponent] : resolved.variables)
    linear.add(variable(name, written.span, scope, 0, Sort::Unit), exponent);
  units_.note(!zero(resolved.dimension));
  Type* type = types_.form(linear, Sort::Unit);
  if (resolved.coherent && resolved.variables.empty()) {  // prints as it was written
    type->named = true;
    type->name = intern(unit_text(written));
  }
  return type;
}

void TypeReader::report_arity(const ast::NamedType* type, std::size_t takes, TypeScope& scope) {
  scope.misses_arrow |= type->args.size() > takes;
  Diagnostic& d = diagnostics_.report(Code::TypeArguments, type->span,
                                      "the type `" + std::string(text(type->name.ident.name)) + "` takes " +
                                          arguments(takes) + ", " + std::to_string(type->args.size()) +
                                          (type->args.size() == 1 ? " is given" : " are given"));
  if (type->args.size() > takes && scope.mode == TypeScope::Signature)
    d.help("write `->` before each further parameter of a function");
}

Type* TypeReader::convert_named(const ast::NamedType* type, TypeScope& scope, Needs needs) {
  auto* entry = scopes_.lookup_type(type->name);
  if (!entry) return types_.error();
  if (Synonym* synonym = entry->meaning.synonym) return apply_synonym(*synonym, type, scope, needs);
  TypeConstructor* constructor = entry->meaning.constructor;
  if (type->args.size() != constructor->parameters.size()) {
    report_arity(type, constructor->parameters.size(), scope);
    return types_.error();
  }
  if (type->unit) {
    if (constructor == &types_.real_constructor) return types_.real(unit(*type->unit, true, scope));
    diagnostics_.report(Code::TypeArguments, type->unit->span,
                        "only Real has a unit, `" + std::string(text(type->name.ident.name)) + "` has none");
    return types_.error();
  }
  if (constructor == &types_.real_constructor) return types_.real();
  if (constructor == &types_.integer_constructor) return types_.integer();
  if (constructor == &types_.boolean_constructor) return types_.boolean();
  if (constructor == &types_.string_constructor) return types_.string();
  std::vector<Type*> args;
  for (auto* arg : type->args) args.push_back(convert(arg, scope, needs & (kSignal | kEquality)));
  return mark_generic(types_.apply(constructor, std::move(args)));
}

Type* TypeReader::apply_synonym(Synonym& synonym, const ast::NamedType* type, TypeScope& scope, Needs needs) {
  std::vector<Type*> args;
  for (auto* arg : type->args) args.push_back(convert(arg, scope, needs));
  if (args.size() != synonym.decl->parameters.size()) {
    report_arity(type, synonym.decl->parameters.size(), scope);
    return types_.error();
  }
  if (synonym.state != Synonym::Done) expand_synonym(synonym, type->span, type->name.ident.name);
  if (!synonym.type) return types_.error();
  if (args.empty()) return types_.named(synonym.type, type->name.ident.name);
  return unifier_.substitute(synonym.type, synonym.parameters, args);
}

Type* TypeReader::expand_synonym(Synonym& synonym, Span span, Name name) {
  if (synonym.state == Synonym::Active) {
    diagnostics_
        .report(Code::RecursiveType, span, "the synonym `" + std::string(text(name)) + "` stands for itself")
        .help("`data` types may be recursive");
    return synonym.type = types_.error();
  }
  synonym.state = Synonym::Active;
  TypeScope scope;
  scope.mode = TypeScope::Declaration;
  for (std::size_t i = 0; i < synonym.decl->parameters.size(); ++i)
    scope.variables.emplace_back(synonym.decl->parameters[i].name, synonym.parameters[i]);
  Type* type = convert(synonym.decl->type, scope);
  if (!synonym.type) synonym.type = type;
  synonym.state = Synonym::Done;
  return synonym.type;
}

Type* TypeReader::convert_relation(const ast::RelationType* type, TypeScope& scope) {
  auto check_signal = [&](Type* t, const ast::Type* written) {
    if (!unifier_.require(t, kSignal)) {
      diagnostics_
          .report(Code::NotASignal, written->span,
                  "the interface of a relation consists of signals; " + messages_.describe(t) + " is not one")
          .help(messages_.signal_help(t));
      return types_.error();
    }
    return t;
  };
  auto with_contract = [&](Type* relation) {
    if (type->structure) contracts_.attach(relation, *type->structure);
    return relation;
  };
  if (type->whole)
    return with_contract(
        types_.relation(check_signal(convert(type->whole, scope, kSignal), type->whole), {}));
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
          scopes_.duplicate(item.name,
                            type->interface[static_cast<std::size_t>(&earlier - names.data())].name.span,
                            "the interface variable");
          break;
        }
    names.push_back(name);
  }
  if (!any) names.clear();
  if (elements.size() == 1) return with_contract(types_.relation(elements[0], std::move(names)));
  Type* tuple = types_.tuple(elements);
  return with_contract(types_.relation(mark_generic(tuple), std::move(names)));
}

}  // namespace sigrel::check
