// What had to wait for types, settled at the end of a group of definitions.
#include "compiler/check/checker.h"

namespace sigrel::check {

bool Checker::settle_products(bool defaults) {
  bool progress = false;
  // What an undecided operand is taken for: a number as the other one, a literal without a unit.
  auto guess = [&](Type* t, Type* other) {
    Type* v = find(t);
    if (v->kind != TypeKind::Variable) return;
    bool may_be_int = !(v->needs & kReal);
    if (may_be_int && (is_constructor(other, types_.integer_constructor) ||
                       ((v->needs & kLiteral) && is_variable(other) && (find(other)->needs & kLiteral))))
      unify(v, types_.integer());
    else
      unify(v, (v->needs & kLiteral) ? types_.number() : fresh_real());
  };
  for (std::size_t i = 0; i < products_.size(); ++i) {
    Product p = products_[i];
    if (p.done) continue;
    Type* result = find(p.result);
    // A scalar product has scalar factors.
    if (is_constructor(result, types_.real_constructor) ||
        is_constructor(result, types_.integer_constructor)) {
      guess(p.left, result);
      guess(p.right, result);
    }
    if (defaults) {
      guess(p.left, p.right);
      guess(p.right, p.left);
    }
    Type* type = product(p);
    if (!type) continue;
    products_[i].done = progress = true;
    if (!agree(p.result, type)) mismatch_at(p.span, type, p.result, {}, "it is this product", {});
    if (defaults) break;  // one guess may decide others
  }
  return progress;
}

bool Checker::settle_fields(bool last) {
  bool progress = false;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].done) continue;
    WaitingField f = fields_[i];
    if (!resolve_field(f.node, f.base, f.field, f.result, f.base_span, last)) continue;
    fields_[i].done = progress = true;
    if (last) break;
  }
  return progress;
}

bool Checker::settle_indices(bool last) {
  bool progress = false;
  for (std::size_t i = 0; i < indices_.size(); ++i) {
    if (indices_[i].done) continue;
    WaitingIndex w = indices_[i];
    if (last && is_variable(w.base))
      unify(w.base, types_.vector(fresh(), fresh(Sort::Size)));  // `x[i]` of something unknown: a vector
    bool waiting = false;
    Type* type = index_type(w.base, w.parts, waiting);
    if (!type && waiting) continue;
    indices_[i].done = progress = true;
    if (!type) {
      diagnostics_
          .report(Code::NotIndexable, w.span, "this has no elements to take: its type is " + describe(w.base))
          .help("vectors and lists are indexed, from 1");
      type = types_.error();
    }
    if (!agree(w.result, type)) mismatch_at(w.span, type, w.result, {}, "it is an element of this", {});
    if (last) break;
  }
  return progress;
}

void Checker::default_variable(Type* variable) {
  variable = find(variable);
  if (variable->kind != TypeKind::Variable) return;
  if ((variable->needs & kLiteral) && !(variable->needs & kReal))
    variable->link = types_.integer();
  else if (variable->needs & (kNumber | kLiteral | kReal | kOrder))
    variable->link = fresh_real();
}

void Checker::default_numbers(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable) return default_variable(type);
  for (Type* arg : type->args) default_numbers(arg);
}

void Checker::settle_group() {
  settling_ = true;
  for (bool progress = true; progress;) {
    while (settle_products(false) | settle_fields(false) | settle_indices(false)) {}
    // Nothing more follows from what is known: guess one thing, then see what follows.
    progress = settle_fields(true) || settle_indices(true) || settle_products(true);
  }
  settling_ = false;
  products_.clear();
  fields_.clear();
  indices_.clear();
  for (auto& [node, type] : literals_) {
    default_variable(type);
    if (is_constructor(type, types_.real_constructor)) {
      // The literal was used as a Real: the node becomes one in place.
      static_assert(sizeof(core::RealExpr) <= sizeof(core::IntExpr));
      core::RealExpr real{{core::ExprKind::Real, node->span}, static_cast<double>(node->value)};
      new (node) core::RealExpr(real);
    }
  }
  literals_.clear();
  for (auto& [pattern, type] : literal_patterns_) {
    default_variable(type);
    if (is_constructor(type, types_.real_constructor)) {
      pattern->kind = core::PatternKind::Real;
      pattern->real = static_cast<double>(pattern->integer);
    }
  }
  literal_patterns_.clear();
  for (auto& e : equations_) {
    Type* type = find(e.type);
    while (type->kind == TypeKind::Vector) type = find(type->args[0]);
    if (type->kind != TypeKind::Constructor || !type->constructor->connector) continue;
    std::string flow;
    for (auto& f : type->constructor->fields)
      if (f.flow && flow.empty()) flow = text(f.name);
    diagnostics_
        .report(Code::ConnectorEquation, e.ast->span,
                "an equation between two " + std::string(text(type->constructor->name)) +
                    "s, which have the flow `" + flow + "`")
        .note("equal flows are not what joins two nodes: they sum to zero")
        .help("did you mean `connect`?");
  }
  equations_.clear();
  // A definition in which no unit occurs needs none: its numbers are what the user says they are.
  if (units_seen_)
    for (Diagnostic& error : unit_errors_) {
      Span span = error.primary->span;
      diagnostics_.report(error.code, span, {}) = std::move(error);
    }
  units_forgotten_ = !units_seen_ && !unit_errors_.empty();
  unit_errors_.clear();
  leaves_.clear();
}

void Checker::forget_units(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Variable && type->sort == Sort::Unit && type->level != kGeneric)
    type->link = types_.error();
  for (Type* arg : type->args) forget_units(arg);
}

// The expression of a size inside the current definition; null if it only follows from the arguments there.
core::Expr* Checker::size_value(Type* size) {
  Linear linear;
  linear.add(size, {1, 1});
  if (linear.unknown) return nullptr;
  Span span = program_.globals[current_.value].span;
  auto integer = [&](std::int32_t value) -> core::Expr* {
    return arena_.make<core::IntExpr>(core::IntExpr{{core::ExprKind::Int, span}, value});
  };
  core::Expr* sum = nullptr;
  auto plus = [&](core::Expr* e) { sum = sum ? primitive(core::Primitive::Add, {sum, e}, span) : e; };
  for (auto& term : linear.terms) {
    if (!term.atom->size_expr || term.atom->size_owner != current_.value || !term.weight.integral())
      return nullptr;
    plus(term.weight.num == 1
             ? term.atom->size_expr
             : primitive(core::Primitive::Mul, {integer(term.weight.num), term.atom->size_expr}, span));
  }
  if (!sum || linear.constant[0].num != 0) plus(integer(linear.constant[0].num));
  return sum;
}

const core::Layout* Checker::layout(Type* type) {
  type = find(type);
  auto make = [&](core::LayoutKind kind) {
    core::Layout l{};
    l.kind = kind;
    return arena_.make<core::Layout>(l);
  };
  auto elements = [&](const std::vector<const core::Layout*>& list) { return arena_.copy(list); };
  switch (type->kind) {
    case TypeKind::Variable:
    case TypeKind::Skolem: {
      for (auto& [variable, local] : layout_locals_)
        if (find(variable) == type) {
          auto* l = make(core::LayoutKind::Variable);
          l->variable = local;
          return l;
        }
      if (type->kind == TypeKind::Variable && (type->needs & (kNumber | kLiteral | kReal | kOrder))) {
        default_variable(type);
        return layout(type);
      }
      return make(core::LayoutKind::Unknown);
    }
    case TypeKind::Constructor: {
      const TypeConstructor* c = type->constructor;
      bool cached = type->args.empty() || c == &types_.real_constructor;
      if (const std::string unit = c == &types_.real_constructor ? stated_unit(type->args[0]) : std::string();
          !unit.empty()) {
        core::Layout* real = make(core::LayoutKind::Real);
        real->unit = intern(unit);
        return real;
      }
      if (cached)
        if (auto at = layout_cache_.find(c); at != layout_cache_.end()) return at->second;
      core::Layout* l;
      if (c == &types_.real_constructor)
        l = make(core::LayoutKind::Real);
      else if (c == &types_.integer_constructor)
        l = make(core::LayoutKind::Int);
      else if (c == &types_.boolean_constructor)
        l = make(core::LayoutKind::Bool);
      else if (c->kind == NominalKind::Record && c != &types_.experiment_constructor) {
        l = make(core::LayoutKind::Record);
        l->record = c->record;
        std::vector<const core::Layout*> fields;
        for (std::size_t i = 0; i < c->fields.size(); ++i)
          fields.push_back(layout(field_type(*c, static_cast<std::uint32_t>(i), type)));
        l->elements = elements(fields);
      } else
        l = make(core::LayoutKind::Unknown);
      if (cached) layout_cache_.emplace(c, l);
      return l;
    }
    case TypeKind::Tuple: {
      auto* l = make(core::LayoutKind::Tuple);
      std::vector<const core::Layout*> list;
      for (Type* arg : type->args) list.push_back(layout(arg));
      l->elements = elements(list);
      return l;
    }
    case TypeKind::Vector: {
      auto* l = make(core::LayoutKind::Vector);
      l->elements = elements({layout(type->args[0])});
      if (core::Expr* size = size_value(type->args[1]))
        l->sizes = arena_.copy(std::vector<core::Expr*>{size});
      return l;
    }
    case TypeKind::Function:
    case TypeKind::Relation:
    case TypeKind::Form:
    case TypeKind::Error: break;
  }
  return make(core::LayoutKind::Unknown);
}

void Checker::finish_layouts(bool check_matches) {
  auto enter = [&](core::GlobalId owner) {
    if (current_ == owner && !layout_locals_.empty()) return;
    current_ = owner;
    layout_locals_ = layout_locals_of_[owner];
  };
  for (auto& l : layouts_) {
    enter(l.owner);
    *l.place = layout(l.type);
  }
  layouts_.clear();
  for (auto& use : uses_) {
    enter(use.owner);
    std::vector<const core::Layout*> list;
    for (Type* t : use.instances) list.push_back(layout(t));
    use.node->layouts = arena_.copy(list);
  }
  uses_.clear();
  if (check_matches)
    for (auto& match : matches_) check_match(match);
  matches_.clear();
}

// The names inside a definition with type variables are kept over the variables of its scheme.
void Checker::share_inside(GlobalState& state, const std::vector<std::pair<Type*, Type*>>& skolems) {
  struct Replace {
    Types& types;
    const std::vector<std::pair<Type*, Type*>>& skolems;
    Type* operator()(Type* type) {
      type = find(type);
      for (auto& [variable, skolem] : skolems)
        if (type == skolem) return variable;
      if (type->args.empty()) return type;
      Type copy = *type;
      std::vector<Type*> args;
      bool generic = false;
      for (Type* arg : type->args) {
        args.push_back((*this)(arg));
        Type* a = find(args.back());
        generic |= a->generic || (a->kind == TypeKind::Variable && a->level == kGeneric);
      }
      copy.generic = generic;
      copy.args = types.arena().copy(args);
      return types.arena().make<Type>(copy);
    }
  };
  if (!state.polymorphic) return;
  Replace replace{types_, skolems};
  for (auto& name : state.inside) name.type = replace(name.type);
}

}  // namespace sigrel::check
