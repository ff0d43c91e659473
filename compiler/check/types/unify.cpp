#include "compiler/check/types/unify.h"

namespace sigrel::check {
namespace {

// Makes every variable in `type` at most as deep as `level`; false if `variable` occurs in it or a rigid type
// variable would leave its scope. Parts that occur several times count each time; it stops when `room` is
// used up.
bool adjust(Type* type, Type* variable, std::uint32_t level, std::uint64_t& room) {
  if (room == 0) return true;
  --room;
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
    if (!adjust(arg, variable, level, room)) return false;
  return true;
}

}  // namespace

bool Unifier::require(Type* type, Needs needs) {
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
  } else if ((needs & kSignal) && !c->is_enumeration()) {
    return false;
  }
  for (Type* arg : type->args)
    if (!require(arg, needs & (kEquality | kSignal))) return false;
  return true;
}

bool Unifier::bind_variable(Type* variable, Type* type) {
  std::uint64_t room = largest_type_;
  if (!adjust(type, variable, variable->level, room)) return false;
  if (room == 0) {
    has_large_type_ = true;
    variable->link = types_.error();  // nothing follows from it
    return true;
  }
  if (!require(type, variable->needs)) return false;
  variable->link = type;
  return true;
}

// Solves `form = 0` for its innermost variable, so that no outer variable is determined without need. False
// if there is none, or if the solution for a size would not be integral.
bool Unifier::solve(const Linear& form, Sort sort) {
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

// Units never make two types differ in shape: `agree` gives a disagreement to its caller, which knows the
// place to report.
void Unifier::unify_units(Type* a, Type* b) {
  Linear difference;
  difference.add(a, {1, 1});
  difference.add(b, {-1, 1});
  if (difference.unknown || difference.zero() || solve(difference, Sort::Unit)) return;
  unit_conflict_ = true;
}

bool Unifier::agree(Type* expected, Type* found) {
  unit_conflict_ = false;
  if (unify_types(expected, found)) return !unit_conflict_;
  unit_conflict_ = false;
  return false;
}

// A size that is opaque or refined by a condition is left to the elaborator, which knows the numbers.
bool Unifier::unify_sizes(Type* a, Type* b) {
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

bool Unifier::unify(Type* a, Type* b) {
  bool same = unify_types(a, b);
  unit_conflict_ = false;
  return same;
}

bool Unifier::unify_types(Type* a, Type* b) {
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

void Unifier::default_variable(Type* variable) {
  variable = find(variable);
  if (variable->kind != TypeKind::Variable) return;
  if ((variable->needs & kLiteral) && !(variable->needs & kReal))
    variable->link = types_.integer();
  else if (variable->needs & (kNumber | kLiteral | kReal | kOrder))
    variable->link = fresh_real();
}

void Unifier::default_numbers(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable) return default_variable(type);
  for (Type* arg : type->args) default_numbers(arg);
}

}  // namespace sigrel::check
