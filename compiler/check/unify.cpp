// Unification with levels (Rémy 1992), requirements on variables, schemes.
#include "compiler/check/checker.h"

namespace sigrel::check {
namespace {

// Makes every variable in `type` at most as deep as `level`; false if `variable` occurs in it or a rigid type
// variable would leave its scope.
bool adjust(Type* type, Type* variable, std::uint32_t level) {
  type = find(type);
  switch (type->kind) {
    case TypeKind::Variable:
      if (type == variable) return false;
      if (type->level != kGeneric && type->level > level) type->level = level;
      return true;
    case TypeKind::Skolem: return type->level <= level;
    default: break;
  }
  for (Type* arg : type->args)
    if (!adjust(arg, variable, level)) return false;
  return true;
}

}  // namespace

bool Checker::require(Type* type, Needs needs) {
  if (needs == 0) return true;
  type = find(type);
  constexpr Needs kArithmetic = kNumber | kLiteral | kReal;
  switch (type->kind) {
    case TypeKind::Variable: type->needs |= needs; return true;
    case TypeKind::Skolem:
      if (needs & kArithmetic) return false;
      type->needs |= needs;  // carried to the scheme: whoever uses it must offer it
      return true;
    case TypeKind::Error: return true;
    case TypeKind::Function:
    case TypeKind::Relation: return (needs & ~kPending) == 0;
    case TypeKind::Form: return true;
    case TypeKind::Tuple:
      if (needs & (kArithmetic | kOrder)) return false;
      for (Type* arg : type->args)
        if (!require(arg, needs & (kEquality | kSignal))) return false;
      return true;
    case TypeKind::Vector:
      if (needs & (kScalar | kLiteral | kOrder)) return false;
      return require(type->args[0], needs & (kNumber | kReal | kEquality | kSignal));
    case TypeKind::Constructor: break;
  }
  const TypeConstructor* c = type->constructor;
  if (c == &types_.real_constructor) return true;
  if (c == &types_.integer_constructor) return !(needs & kReal);
  if (c == &types_.boolean_constructor) return !(needs & (kArithmetic | kOrder));
  if (c == &types_.string_constructor) return !(needs & (kArithmetic | kSignal));
  if (needs & (kArithmetic | kOrder)) return false;
  if ((needs & kEquality) && c->holds_relation) return false;
  if (c->kind == NominalKind::Record && c != &types_.experiment_constructor) {
    if ((needs & kSignal) && c->holds_relation) return false;
    if (needs & kSignal)
      for (std::size_t i = 0; i < c->fields.size(); ++i)
        if (c->parameters.empty() && !require(c->fields[i].type, kSignal)) return false;
  } else if (needs & kSignal) {
    return false;
  }
  for (Type* arg : type->args)
    if (!require(arg, needs & (kEquality | kSignal))) return false;
  return true;
}

bool Checker::bind_variable(Type* variable, Type* type) {
  if (!adjust(type, variable, variable->level)) return false;
  if (!require(type, variable->needs)) return false;
  variable->link = type;
  return true;
}

// Solves `form = 0` for a variable in it, the innermost one, so that nothing outside is decided without need.
// False if there is none or (for sizes) the solution would not be integral.
bool Checker::solve(const Linear& form, Sort sort) {
  const Linear::Term* best = nullptr;
  for (auto& term : form.terms) {
    if (term.atom->kind != TypeKind::Variable) continue;
    if (best && term.atom->level <= best->atom->level) continue;
    if (sort == Sort::Size) {
      Ratio over = -term.weight.inverse();
      bool integral = (form.constant[0] * over).integral();
      for (auto& other : form.terms) integral &= (other.weight * over).integral();
      if (!integral) continue;
    }
    best = &term;
  }
  if (!best) return false;
  Type* variable = best->atom;
  Linear value;
  value.add(form, -best->weight.inverse());
  std::erase_if(value.terms, [&](auto& term) { return term.atom == variable; });
  for (auto& term : value.terms)
    if (term.atom->level > variable->level) {
      if (term.atom->kind == TypeKind::Variable)
        term.atom->level = variable->level;
      else if (sort == Sort::Unit)
        return false;  // a rigid unit would leave its scope
    }
  variable->link = types_.form(value, sort);
  return true;
}

// Units never make two types differ in shape: a disagreement is kept, and reported by who knows the place
// (agree).
void Checker::unify_units(Type* a, Type* b) {
  Linear difference;
  difference.add(a, {1, 1});
  difference.add(b, {-1, 1});
  if (difference.unknown || difference.zero() || solve(difference, Sort::Unit)) return;
  if (!unit_conflict_) unit_conflict_ = {a, b};
}

bool Checker::agree(Type* expected, Type* found) {
  unit_conflict_.reset();
  if (unify_types(expected, found)) return !unit_conflict_;
  unit_conflict_.reset();
  return false;
}

// False if the sizes differ whatever the parameters are. What depends on more than the sizes themselves say
// is left to the elaborator.
bool Checker::unify_sizes(Type* a, Type* b) {
  Linear difference;
  difference.add(a, {1, 1});
  difference.add(b, {-1, 1});
  if (difference.unknown || difference.zero()) return true;
  for (auto& term : difference.terms) {
    if (term.atom->kind == TypeKind::Variable) return solve(difference, Sort::Size), true;
    if (term.atom->opaque || refined_sizes_.contains(term.atom)) return true;
  }
  return false;
}

// Units that disagree are none of the caller's business here: `agree` is for who reports them.
bool Checker::unify(Type* a, Type* b) {
  bool same = unify_types(a, b);
  unit_conflict_.reset();
  return same;
}

bool Checker::unify_types(Type* a, Type* b) {
  for (;;) {
    a = find(a);
    b = find(b);
    if (a == b || a->kind == TypeKind::Error || b->kind == TypeKind::Error) return true;
    if (a->kind == TypeKind::Variable) return bind_variable(a, b);
    if (b->kind == TypeKind::Variable) return bind_variable(b, a);
    if (a->kind != b->kind) return false;
    if (a->kind == TypeKind::Skolem) return false;
    if (a->kind == TypeKind::Constructor && a->constructor != b->constructor) return false;
    std::size_t count = a->kind == TypeKind::Function ? 2 : a->args.size();
    if (a->kind != TypeKind::Function && b->args.size() != count) return false;
    if (count == 0) return true;
    if (a->kind == TypeKind::Constructor && a->constructor == &types_.real_constructor) {
      unify_units(a->args[0], b->args[0]);
      return true;
    }
    if (a->kind == TypeKind::Vector) {
      if (!unify_types(a->args[0], b->args[0])) return false;
      return unify_sizes(a->args[1], b->args[1]);
    }
    for (std::size_t i = 0; i + 1 < count; ++i)
      if (!unify_types(a->args[i], b->args[i])) return false;
    Type* last_a = a->args[count - 1];  // the last one in the loop: arrows are right-deep
    b = b->args[count - 1];
    a = last_a;
  }
}

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

Type* Checker::instantiate(Type* scheme) {
  Instantiation instance{types_, level_, {}};
  Type* type = instance.run(scheme);
  instance.clear();
  return type;
}

Type* Checker::instantiate(Type* scheme, std::span<Type* const> wanted, std::vector<Type*>& instances) {
  Instantiation instance{types_, level_, {}};
  Type* type = instance.run(scheme);
  for (Type* variable : wanted) instances.push_back(instance.run(variable));
  instance.clear();
  return type;
}

Type* Checker::substitute(Type* type, std::span<Type* const> parameters, std::span<Type* const> args) {
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

// Only what is reachable from the type is quantified; numeric variables are not (they are defaulted at the
// top).
bool Checker::quantify(Type* type, std::uint32_t level) {
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

void Checker::collect_layout_variables(Type* type, bool in_relation, std::vector<Type*>& out) {
  type = find(type);
  if (type->kind == TypeKind::Variable) {
    if (!in_relation || type->level != kGeneric) return;
    for (Type* seen : out)
      if (seen == type) return;
    out.push_back(type);
    return;
  }
  if (type->kind == TypeKind::Vector)
    return collect_layout_variables(type->args[0], in_relation, out);  // not its size
  if (is_constructor(type, types_.real_constructor)) return;           // nor a unit
  bool inside = in_relation || type->kind == TypeKind::Relation ||
                (type->kind == TypeKind::Constructor && type->constructor->holds_relation);
  for (std::size_t i = 0; i < type->args.size(); ++i) {
    if (type->kind == TypeKind::Function && i == 2) break;
    collect_layout_variables(type->args[i], inside, out);
  }
}

// Quantified variables become rigid, so that a body which is less general than its signature does not pass.
Type* Checker::skolemise(Type* scheme, std::vector<std::pair<Type*, Type*>>& skolems) {
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
  signature_sizes_.clear();
  Run run{types_, level_, skolems, signature_sizes_};
  Type* type = run(scheme);
  for (auto& [variable, skolem] : skolems) variable->copy = nullptr;
  return type;
}

}  // namespace sigrel::check
