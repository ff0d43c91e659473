#include "compiler/check/types/unify.h"

namespace sigrel::check {
namespace {

struct Instantiation {
  Types& types;
  std::uint32_t level;
  std::vector<Type*> touched;

  Type* run(Type* type) {
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      if (type->copy) return type->copy;
      if (type->level != kGeneric) return type;
      type->copy = types.variable(level, type->needs & ~kPending, type->sort);
      touched.push_back(type);
      return type->copy;
    }
    if (!type->generic) return type;
    Type copy = *type;
    copy.generic = false;
    copy.copy = nullptr;
    std::vector<Type*> args;
    args.reserve(type->args.size());
    for (Type* arg : type->args) args.push_back(run(arg));
    copy.args = types.arena().copy(args);
    return types.arena().make<Type>(copy);
  }
  void clear() {
    for (Type* t : touched) t->copy = nullptr;
    touched.clear();
  }
};

}  // namespace

Type* Unifier::instantiate(Type* scheme) {
  Instantiation instance{types_, level_, {}};
  Type* type = instance.run(scheme);
  instance.clear();
  return type;
}

Type* Unifier::instantiate(Type* scheme, std::span<Type* const> wanted, std::vector<Type*>& instances) {
  Instantiation instance{types_, level_, {}};
  Type* type = instance.run(scheme);
  for (Type* variable : wanted) instances.push_back(instance.run(variable));
  instance.clear();
  return type;
}

Type* Unifier::substitute(Type* type, std::span<Type* const> parameters, std::span<Type* const> args) {
  if (parameters.empty()) return type;
  Instantiation instance{types_, level_, {}};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Type* parameter = find(parameters[i]);
    parameter->copy = i < args.size() ? args[i] : types_.error();
    instance.touched.push_back(parameter);
  }
  Type* result = instance.run(type);
  instance.clear();
  return result;
}

Type* Unifier::field_type(const TypeConstructor& record, std::uint32_t index, Type* instance) {
  return substitute(record.fields[index].type, record.parameters, find(instance)->args);
}

// Only variables reachable from the type are quantified; numeric ones are not, since they are defaulted at
// the end of the group.
bool Unifier::quantify(Type* type, std::uint32_t level) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (type->level == kGeneric) return true;
    if (type->level <= level || (type->needs & (kNumber | kLiteral | kOrder | kPending))) return false;
    type->level = kGeneric;
    return true;
  }
  bool generic = type->generic;
  for (Type* arg : type->args) generic |= quantify(arg, level);
  type->generic = generic;
  return generic;
}

void Unifier::collect_layout_variables(Type* type, std::vector<Type*>& out, bool in_relation) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (!in_relation || type->level != kGeneric) return;
    for (Type* seen : out)
      if (seen == type) return;
    out.push_back(type);
    return;
  }
  if (type->kind == TypeKind::Vector)
    return collect_layout_variables(type->args[0], out, in_relation);  // not its size
  if (is_constructor(type, types_.real_constructor)) return;           // nor a unit
  bool inside = in_relation || type->kind == TypeKind::Relation ||
                (type->kind == TypeKind::Constructor && type->constructor->holds_relation);
  for (std::size_t i = 0; i < type->args.size(); ++i) {
    if (type->kind == TypeKind::Function && i == 2) break;
    collect_layout_variables(type->args[i], out, inside);
  }
}

Type* Unifier::skolemise(Type* scheme, std::vector<std::pair<Type*, Type*>>& skolems,
                         std::vector<Type*>& sizes) {
  struct Run {
    Types& types;
    std::uint32_t level;
    std::vector<std::pair<Type*, Type*>>& skolems;
    std::vector<Type*>& sizes;

    Type* operator()(Type* type) {
      type = find(type);
      if (type->kind == TypeKind::Variable) {
        if (type->copy || type->level != kGeneric) return type->copy ? type->copy : type;
        type->copy = types.skolem(type->named ? type->name : intern("a"), level, type->needs);
        type->copy->sort = type->sort;
        skolems.emplace_back(type, type->copy);
        return type->copy;
      }
      if (!type->generic) return type;
      Type copy = *type;
      copy.generic = false;
      std::vector<Type*> args;
      for (Type* arg : type->args) args.push_back((*this)(arg));
      copy.args = types.arena().copy(args);
      Type* result = types.arena().make<Type>(copy);
      if (copy.size_ast) sizes.push_back(result);
      return result;
    }
  };
  sizes.clear();
  Run run{types_, level_, skolems, sizes};
  Type* type = run(scheme);
  for (auto& [variable, skolem] : skolems) variable->copy = nullptr;
  return type;
}

void Unifier::keep_signals_monomorphic(Type* type, bool in_relation) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (in_relation && type->level != kGeneric && type->level > level_) type->level = level_;
    return;
  }
  bool inside = in_relation || type->kind == TypeKind::Relation ||
                (type->kind == TypeKind::Constructor && type->constructor->holds_relation);
  for (Type* arg : type->args) keep_signals_monomorphic(arg, inside);
}

}  // namespace sigrel::check
