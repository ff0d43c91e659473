// Expressions: inference and lowering in one walk.
#include "compiler/check/checker.h"

namespace sigrel::check {

using ast::ExprKind;

namespace {

template <class T>
core::Expr* node(Arena& arena, T value) {
  return arena.make<T>(value);
}

}  // namespace

core::Expr* Checker::make_apply(core::Expr* function, std::vector<core::Expr*> args, Span span) {
  if (args.empty()) return function;
  return node(arena_, core::ApplyExpr{{core::ExprKind::Apply, span}, function, arena_.copy(args)});
}

core::Expr* Checker::primitive(core::Primitive op, std::vector<core::Expr*> args, Span span) {
  return node(arena_, core::PrimitiveExpr{{core::ExprKind::Primitive, span}, op, arena_.copy(args)});
}

core::Expr* Checker::check_expr(const ast::Expr* e, Type* expected, const Reason& reason) {
  switch (e->kind) {
    case ExprKind::If:
    case ExprKind::Let:
    case ExprKind::Case:
    case ExprKind::Lambda:
    case ExprKind::Tuple:
    case ExprKind::List:
    case ExprKind::Comprehension: return check_branching(e, expected, reason);
    default: break;
  }
  Typed found = infer(e, expected);
  if (!agree(expected, found.type)) mismatch(e, found.type, expected, reason);
  return claimed(found.expr, expected, reason.kind == ReasonKind::Argument, e->span);
}

// The forms whose parts are checked against the expected type, so that a message points at the part.
core::Expr* Checker::check_branching(const ast::Expr* e, Type* expected, const Reason& reason) {
  switch (e->kind) {
    case ExprKind::If: {
      auto* i = static_cast<const ast::IfExpr*>(e);
      core::Expr* condition = check_expr(i->condition, types_.boolean(), {ReasonKind::Condition});
      auto outer_refined = refined_sizes_;
      refine_sizes(condition);
      core::Expr* then_branch = check_expr(i->then_branch, expected, reason);
      Reason other = reason.kind == ReasonKind::None
                         ? Reason{ReasonKind::Branch, i->then_branch->span, {}, 0, i->then_branch, true}
                         : reason;
      core::Expr* else_branch = check_expr(i->else_branch, expected, other);
      refined_sizes_ = std::move(outer_refined);
      return node(arena_, core::IfExpr{{core::ExprKind::If, e->span}, condition, then_branch, else_branch});
    }
    case ExprKind::Let: {
      auto* l = static_cast<const ast::LetExpr*>(e);
      std::size_t m = mark();
      auto groups = infer_let(l->decls);
      core::Expr* body = check_expr(l->body, expected, reason);
      release(m);
      for (auto it = groups.rbegin(); it != groups.rend(); ++it)
        body = node(arena_, core::LetExpr{{core::ExprKind::Let, e->span}, arena_.copy(*it), body});
      return body;
    }
    case ExprKind::Case: {
      auto* c = static_cast<const ast::CaseExpr*>(e);
      Typed scrutinee = infer(c->scrutinee);
      std::vector<core::Arm> arms;
      std::vector<const core::Pattern*> rows;
      Reason other = reason;
      for (auto& a : c->alternatives) {
        std::size_t m = mark();
        core::Pattern* p = infer_pattern(a.pattern, scrutinee.type, {ReasonKind::None});
        rows.push_back(p);
        arms.push_back({p, check_expr(a.body, expected, other)});
        if (other.kind == ReasonKind::None) other = {ReasonKind::Branch, a.body->span, {}, 0, a.body, true};
        release(m);
      }
      add_match_check(rows, scrutinee.type, c->scrutinee->span, false);
      return node(arena_, core::CaseExpr{{core::ExprKind::Case, e->span}, scrutinee.expr, arena_.copy(arms)});
    }
    case ExprKind::Lambda: return lambda(static_cast<const ast::LambdaExpr*>(e), expected, reason);
    case ExprKind::Tuple: {
      auto* t = static_cast<const ast::TupleExpr*>(e);
      Type* known = find(expected);
      std::vector<core::Expr*> elements;
      if (known->kind == TypeKind::Tuple && known->args.size() == t->elements.size()) {
        for (std::size_t i = 0; i < t->elements.size(); ++i)
          elements.push_back(check_expr(t->elements[i], known->args[i], reason));
      } else {
        std::vector<Type*> types;
        for (auto* x : t->elements) {
          Typed element = infer(x);
          elements.push_back(element.expr);
          types.push_back(element.type);
        }
        Type* found = types_.tuple(types);
        if (!agree(expected, found)) mismatch(e, found, expected, reason);
      }
      return node(arena_, core::TupleExpr{{core::ExprKind::Tuple, e->span}, arena_.copy(elements)});
    }
    case ExprKind::List: {
      Typed found = infer_list(static_cast<const ast::ListExpr*>(e), expected);
      if (!agree(expected, found.type)) mismatch(e, found.type, expected, reason);
      return found.expr;
    }
    case ExprKind::Comprehension: {
      auto* c = static_cast<const ast::ComprehensionExpr*>(e);
      Type* known = find(expected);
      bool vector = known->kind == TypeKind::Vector;
      Type* element = vector ? known->args[0] : fresh();
      if (!vector && !agree(expected, types_.list(element))) {
        mismatch(e, types_.list(element), expected, reason);
        element = fresh();
      }
      core::Expr* list = comprehension(c, element, reason.kind == ReasonKind::None ? reason : Reason{});
      return vector ? primitive(core::Primitive::ToVector, {list}, e->span) : list;
    }
    default: break;
  }
  return infer(e, expected).expr;
}

Typed Checker::infer(const ast::Expr* e, Type* hint) {
  Typed typed = infer_kind(e, hint);
  bool literal =
      e->kind == ExprKind::Int || (e->kind == ExprKind::Real && !static_cast<const ast::RealExpr*>(e)->unit);
  bool leaf = e->kind == ExprKind::Variable || e->kind == ExprKind::Field || e->kind == ExprKind::Apply ||
              e->kind == ExprKind::Index;
  if ((literal || leaf) && is_constructor(typed.type, types_.real_constructor))
    leaves_.push_back({e, typed.type, literal && hint == types_.number()});
  return typed;
}

Typed Checker::infer_kind(const ast::Expr* e, Type* hint) {
  switch (e->kind) {
    case ExprKind::Int: return literal(static_cast<const ast::IntExpr*>(e)->value, e->span, hint);
    case ExprKind::Real: {
      auto* r = static_cast<const ast::RealExpr*>(e);
      double value = r->value;
      // A plain literal takes the unit that its place needs.
      Type* type = hint && is_constructor(hint, types_.real_constructor) ? find(hint) : fresh_real();
      if (r->unit) {
        TypeScope scope;
        type = types_.real(unit_type(*r->unit, false, scope, &value));
      }
      return {node(arena_, core::RealExpr{{core::ExprKind::Real, e->span}, value}), type};
    }
    case ExprKind::String: {
      std::string_view value = static_cast<const ast::StringExpr*>(e)->value;
      auto bytes = arena_.copy(std::vector<char>(value.begin(), value.end()));  // outlives the tree
      return {node(arena_, core::StringExpr{{core::ExprKind::String, e->span}, {bytes.data(), bytes.size()}}),
              types_.string()};
    }
    case ExprKind::Variable: return infer_variable(static_cast<const ast::VariableExpr*>(e)->name, e->span);
    case ExprKind::Constructor: return infer_constructor(static_cast<const ast::ConstructorExpr*>(e));
    case ExprKind::Wildcard: {
      diagnostics_.report(Code::UnknownName, e->span, "`_` is a pattern, not a value");
      return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
    }
    case ExprKind::Apply: return infer_apply(static_cast<const ast::ApplyExpr*>(e));
    case ExprKind::Binary: return infer_binary(static_cast<const ast::BinaryExpr*>(e), hint);
    case ExprKind::Unary: {
      auto* u = static_cast<const ast::UnaryExpr*>(e);
      Typed operand = infer(u->operand, hint);
      if (!number_operand(operand.type, kNumber, u->operand, "-")) operand.type = types_.error();
      return {primitive(core::Primitive::Negate, {operand.expr}, e->span), operand.type};
    }
    case ExprKind::Section: return infer_section(static_cast<const ast::SectionExpr*>(e));
    case ExprKind::OperatorName:
      return operator_function(static_cast<const ast::OperatorNameExpr*>(e)->op, e->span);
    case ExprKind::If:
    case ExprKind::Let:
    case ExprKind::Case:
    case ExprKind::Lambda:
    case ExprKind::Comprehension:
    case ExprKind::Tuple: {
      Type* type =
          hint && find(hint)->kind == TypeKind::Vector && e->kind == ExprKind::Comprehension ? hint : fresh();
      core::Expr* expr = check_branching(e, type, {});
      return {expr, type};
    }
    case ExprKind::List: return infer_list(static_cast<const ast::ListExpr*>(e), hint);
    case ExprKind::Range: {
      auto* r = static_cast<const ast::RangeExpr*>(e);
      core::Expr* first = check_expr(r->first, types_.integer(), {ReasonKind::RangeEnd});
      core::Expr* last = check_expr(r->last, types_.integer(), {ReasonKind::RangeEnd});
      return {primitive(core::Primitive::Range, {first, last}, e->span), types_.list(types_.integer())};
    }
    case ExprKind::Index:
      if (LabelInfo* label = find_label(e)) return infer_member(e, label);
      return infer_index(static_cast<const ast::IndexExpr*>(e));
    case ExprKind::Field:
      if (LabelInfo* label = find_label(e)) return infer_member(e, label);
      return infer_field(static_cast<const ast::FieldExpr*>(e));
    case ExprKind::Record: return infer_record(static_cast<const ast::RecordExpr*>(e));
    case ExprKind::With: return infer_with(static_cast<const ast::WithExpr*>(e));
    case ExprKind::As: {
      auto* a = static_cast<const ast::AsExpr*>(e);
      TypeScope scope;
      core::Expr* value = check_expr(a->value, fresh_real(), {ReasonKind::Operand});
      return {value, types_.real(unit_type(*a->unit, true, scope))};
    }
    case ExprKind::Sigrel: return infer_sigrel(static_cast<const ast::SigrelExpr*>(e), hint);
    case ExprKind::Connection: return infer_connection(static_cast<const ast::ConnectionExpr*>(e));
  }
  return {nullptr, types_.error()};
}

Typed Checker::infer_variable(const ast::QualifiedIdent& name, Span span) {
  if (!name.qualified) {
    if (Local* local = lookup_local(name.ident.name)) {
      std::string n = "`" + std::string(text(name.ident.name)) + "`";
      if (local->kind == Local::Signal && local->relation != relation_) {
        diagnostics_.report(Code::SignalOutOfReach, span, n + " is a signal of the enclosing relation")
            .also(local->span, "declared here")
            .help("pass it through the interface: `sigrel (…, " + std::string(text(name.ident.name)) +
                  ") where …`");
        return {primitive(core::Primitive::Time, {}, span), types_.error()};
      }
      if (local->kind == Local::Signal && static_ > 0 && !is_error(local->type)) {
        diagnostics_
            .report(Code::SignalOutOfReach, span,
                    n + " is a signal, and its value is not known before the simulation")
            .also(local->span, "declared here")
            .help(
                "what a relation is made of must be known before: parameters and constants; pass signals "
                "after `<>`");
        return {primitive(core::Primitive::Time, {}, span), types_.error()};
      }
      core::Expr* use = node(arena_, core::LocalExpr{{core::ExprKind::Local, span}, local->id});
      if (local->polymorphic) {
        std::vector<Type*> layouts;
        Type* type = instantiate(local->type, local->layout_variables, layouts);
        if (!layouts.empty()) use = layout_application(arena_.make<core::ApplyExpr>(), use, layouts, span);
        return {use, type};
      }
      if (local->own_uses) {
        // Room for an application: whether it passes layouts is known when the definition is inferred.
        static_assert(sizeof(core::LocalExpr) <= sizeof(core::ApplyExpr));
        auto* place = arena_.make<core::ApplyExpr>();
        use = new (place) core::LocalExpr(*static_cast<core::LocalExpr*>(use));
        local->own_uses->push_back(place);
      }
      return {use, local->type};
    }
    if (LabelInfo* label = find_label(name.ident.name); label && !scope_->value(name.ident.name)) {
      std::string n(text(name.ident.name));
      diagnostics_.report(Code::InstanceAsValue, span, "`" + n + "` is an instance, not a signal")
          .also(label->span, "the instance")
          .help("read one of its variables: `" + n + ".x`");
      return {primitive(core::Primitive::Time, {}, span), types_.error()};
    }
  }
  auto* entry = lookup_value(name, true);
  if (!entry) return {primitive(core::Primitive::Time, {}, span), types_.error()};
  switch (entry->meaning.kind) {
    case Value::Global: return use_global(entry->meaning.global, span);
    case Value::Primitive: return use_builtin(*entry->meaning.builtin, span);
    case Value::Constructor:
    case Value::Record: break;
  }
  return {primitive(core::Primitive::Time, {}, span), types_.error()};
}

Typed Checker::use_global(core::GlobalId global, Span span) {
  GlobalState& state = globals_[global.value];
  auto* use = arena_.make<core::GlobalExpr>(core::GlobalExpr{{core::ExprKind::Global, span}, global, {}});
  if (!state.scheme) return {use, types_.error()};
  units_seen_ |= state.has_units;
  if (!state.polymorphic) return {use, state.scheme};
  WaitingUse waiting{use, current_, {}};
  Type* type = instantiate(state.scheme, state.layout_variables, waiting.instances);
  if (!waiting.instances.empty()) uses_.push_back(std::move(waiting));
  return {use, type};
}

Type* Checker::instantiate_builtin(const Builtin& builtin, Span span) {
  Type* type = builtin_type(builtin, types_, level_);
  if (builtin.shape == BuiltinShape::Derivative) {  // a -> b, where b is a per second
    type = find(type);
    Linear rate;
    rate.constant[2] = {-1, 1};
    for (Type* t : type->args) t->needs |= kPending;
    products_.push_back({type->args[0],
                         types_.real(types_.form(rate, Sort::Unit)),
                         type->args[1],
                         ast::BinaryOp::Mul,
                         {},
                         span,
                         nullptr,
                         nullptr});
  }
  return type;
}

Typed Checker::use_builtin(const Builtin& builtin, Span span) {
  Type* type = instantiate_builtin(builtin, span);
  if (builtin.shape == BuiltinShape::Pi)
    return {node(arena_, core::RealExpr{{core::ExprKind::Real, span}, 3.14159265358979323846}), type};
  if (builtin.shape == BuiltinShape::Time && static_ > 0) {
    diagnostics_.report(Code::SignalOutOfReach, span,
                        "`time` is a signal, and its value is not known before the simulation");
    type = types_.error();
  }
  return {apply_known({Value::Primitive, {}, &builtin, nullptr, nullptr}, {}, span), type};
}

const Constructor* Checker::known_mode(const ast::QualifiedIdent& name) const {
  return mode_names_ && !name.qualified ? mode_names_->find(name.ident.name) : nullptr;
}

Typed Checker::infer_constructor(const ast::ConstructorExpr* e) {
  if (const Constructor* mode = known_mode(e->name))
    return {apply_known({Value::Constructor, {}, nullptr, mode, nullptr}, {}, e->span),
            constructor_type(*mode)};
  if (mode_names_ && !e->name.qualified && !lookup_value(e->name, false)) {
    Name name = e->name.ident.name;
    auto& d = diagnostics_.report(Code::UnknownMode, e->name.ident.span,
                                  "there is no mode `" + std::string(text(name)) + "` in this switch");
    std::vector<std::string_view> candidates;
    for (auto& mode : mode_names_->modes) candidates.push_back(text(mode.name.name));
    if (auto near = did_you_mean(text(name), candidates))
      d.fix("did you mean `" + std::string(*near) + "`?", e->name.ident.span, std::string(*near));
    return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
  }
  auto* entry = lookup_constructor(e->name);
  if (!entry) return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
  if (entry->meaning.kind == Value::Record) {
    std::string n(text(e->name.ident.name));
    std::string fields;
    for (auto& f : entry->meaning.record->fields)
      fields += (fields.empty() ? "" : ", ") + std::string(text(f.name)) + " = …";
    diagnostics_.report(Code::RecordConstruction, e->span, "the record `" + n + "` needs its fields")
        .help("write `" + n + " { " + fields + " }`");
    return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
  }
  return {apply_known(entry->meaning, {}, e->span), constructor_type(*entry->meaning.constructor)};
}

Type* Checker::constructor_type(const Constructor& constructor) {
  for (Type* arg : constructor.args) note_units(arg);
  if (constructor.owner == &types_.boolean_constructor) return types_.boolean();
  std::vector<Type*> args;
  for (std::size_t i = 0; i < constructor.owner->parameters.size(); ++i) args.push_back(fresh());
  Type* type = types_.apply(constructor.owner, args);
  for (auto it = constructor.args.rbegin(); it != constructor.args.rend(); ++it)
    type = types_.function(substitute(*it, constructor.owner->parameters, args), type);
  return type;
}

// Primitives and constructors take all their arguments at once: missing ones are added by a lambda.
core::Expr* Checker::apply_known(const Value& value, std::vector<core::Expr*> args, Span span) {
  std::size_t arity = value.kind == Value::Primitive ? value.builtin->arity : value.constructor->args.size();
  std::vector<core::Expr*> rest;
  std::vector<core::LocalId> missing;
  if (args.size() > arity) {
    rest.assign(args.begin() + static_cast<std::ptrdiff_t>(arity), args.end());
    args.resize(arity);
  }
  while (args.size() < arity) {
    missing.push_back(new_local(intern("argument")));
    args.push_back(node(arena_, core::LocalExpr{{core::ExprKind::Local, span}, missing.back()}));
  }
  core::Expr* result;
  if (value.kind == Value::Constructor) {
    const Constructor& c = *value.constructor;
    if (c.owner == &types_.boolean_constructor)
      result = node(arena_, core::BoolExpr{{core::ExprKind::Bool, span}, c.tag == 1});
    else
      result = node(arena_,
                    core::ConstructExpr{{core::ExprKind::Construct, span}, c.name, c.tag, arena_.copy(args)});
  } else if (value.builtin->shape == BuiltinShape::Simulate) {
    auto real = [&](double x) { return node(arena_, core::RealExpr{{core::ExprKind::Real, span}, x}); };
    auto empty = [&] {
      return node(arena_, core::ConstructExpr{{core::ExprKind::Construct, span}, types_.nil.name, 0, {}});
    };
    std::vector<core::Expr*> fields{args[0],
                                    real(0.0),
                                    real(1.0),
                                    real(1e-6),
                                    node(arena_, core::IntExpr{{core::ExprKind::Int, span}, 500}),
                                    empty(),
                                    empty(),
                                    node(arena_, core::StringExpr{{core::ExprKind::String, span}, "auto"})};
    result = node(arena_,
                  core::RecordExpr{{core::ExprKind::Record, span}, program_.experiment, arena_.copy(fields)});
  } else {
    result = primitive(value.builtin->op, args, span);
  }
  if (!missing.empty())
    result = node(arena_, core::LambdaExpr{{core::ExprKind::Lambda, span}, arena_.copy(missing), result});
  return make_apply(result, std::move(rest), span);
}

Typed Checker::infer_apply(const ast::ApplyExpr* e) {
  // A primitive or a constructor at the head, unless a local hides it.
  const Value* known = nullptr;
  if (e->function->kind == ExprKind::Variable) {
    auto& name = static_cast<const ast::VariableExpr*>(e->function)->name;
    if (name.qualified || !lookup_local(name.ident.name))
      if (auto* entry = lookup_value(name, false); entry && !entry->ambiguous &&
                                                   entry->meaning.kind == Value::Primitive &&
                                                   entry->meaning.builtin->arity > 0)
        known = &entry->meaning;
  } else if (e->function->kind == ExprKind::Constructor) {
    auto& name = static_cast<const ast::ConstructorExpr*>(e->function)->name;
    if (const Constructor* mode = known_mode(name)) {
      std::vector<core::Expr*> args;
      Type* type = apply_arguments(constructor_type(*mode), e->function, e->args, e->span, args);
      return {apply_known({Value::Constructor, {}, nullptr, mode, nullptr}, std::move(args), e->span), type};
    }
    auto* entry = lookup_value(name, false);
    if (entry && !entry->ambiguous && entry->meaning.kind == Value::Constructor) known = &entry->meaning;
  }
  if (known) {
    std::size_t waiting = products_.size();
    Type* type = known->kind == Value::Primitive ? instantiate_builtin(*known->builtin, e->function->span)
                                                 : constructor_type(*known->constructor);
    bool rate = products_.size() != waiting;
    std::vector<core::Expr*> args;
    type = apply_arguments(type, e->function, e->args, e->span, args);
    if (rate)  // often known at once
      if (Type* result = product(products_[waiting])) {
        products_[waiting].done = true;
        unify(products_[waiting].result, result);
      }
    return {apply_known(*known, std::move(args), e->span), type};
  }
  Typed function = infer(e->function);
  std::vector<core::Expr*> args;
  Type* type = apply_arguments(function.type, e->function, e->args, e->span, args);
  return {make_apply(function.expr, std::move(args), e->span), type};
}

Type* Checker::apply_arguments(Type* type, const ast::Expr* head, std::span<ast::Expr* const> args, Span,
                               std::vector<core::Expr*>& out) {
  Reason reason{ReasonKind::Argument};
  if (std::string name = head_text(head); !name.empty()) {
    reason.name = intern(name);
    if (head->kind == ExprKind::Variable) {
      auto& id = static_cast<const ast::VariableExpr*>(head)->name;
      Local* local = id.qualified ? nullptr : lookup_local(id.ident.name);
      auto* entry = local ? nullptr : lookup_value(id, false);
      if (entry && entry->meaning.kind == Value::Global) {
        auto& definition = globals_[entry->meaning.global.value].definition;
        reason.span = definition.signature ? definition.signature->type->span : definition.span;
        reason.has_span = definition.name == id.ident.name;
      }
    }
  }
  std::size_t errors = diagnostics_.error_count();
  for (std::size_t i = 0; i < args.size(); ++i) {
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* function = types_.function(fresh(), fresh());
      if (unify(type, function)) type = function;
    }
    if (type->kind == TypeKind::Error) {
      out.push_back(infer(args[i]).expr);
      continue;
    }
    if (type->kind != TypeKind::Function) {
      std::string name = head_text(head);
      std::string shown = name.empty() ? "this" : "`" + name + "`";
      if (diagnostics_.error_count() != errors) {
        // An argument is wrong already: that there are too many has the same cause.
      } else if (i == 0) {
        auto& d = diagnostics_.report(Code::AppliedNonFunction, head->span,
                                      shown + " is not a function: its type is " + describe(type));
        if (type->kind == TypeKind::Relation)
          d.help("a relation is applied to signals with `<>`: `" + (name.empty() ? "r" : name) + " <> (…)`");
        blame(head);
      } else {
        auto& d = diagnostics_.report(Code::WrongArgumentCount, join(args[i]->span, args.back()->span),
                                      shown + " takes " + std::to_string(i) +
                                          (i == 1 ? " argument, " : " arguments, ") +
                                          std::to_string(args.size()) + " are given");
        d.label(args.size() - i == 1 ? "one too many" : std::to_string(args.size() - i) + " too many");
        if (reason.has_span) d.also(reason.span, "its type");
      }
      // What is too much is not looked at: it may be signals behind a `<>` that is missing.
      for (; i < args.size(); ++i) out.push_back(nothing(args[i]->span));
      return types_.error();
    }
    reason.index = i;
    core::Expr* arg = check_expr(args[i], type->args[0], reason);
    if (type->has_parameter && type->args.size() == 3) {  // the argument is the size
      unify_sizes(type->args[2], size_form(arg));
    }
    out.push_back(arg);
    type = type->args[1];
  }
  return type;
}

core::Expr* Checker::lambda(const ast::LambdaExpr* e, Type* expected, const Reason& reason) {
  std::size_t m = mark();
  std::vector<core::LocalId> ids;
  std::vector<std::pair<core::LocalId, core::Pattern*>> matched;
  std::vector<Span> spans;
  Type* type = expected;
  bool failed = false;
  for (auto* p : e->parameters) {
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* function = types_.function(fresh(), fresh());
      if (unify(type, function)) type = function;
    }
    Type* from = types_.error();
    if (type->kind == TypeKind::Function) {
      from = type->args[0];
      type = type->args[1];
    } else if (!failed) {
      failed = true;
      if (type->kind != TypeKind::Error) {
        Type* found = types_.function(fresh(), fresh());
        mismatch(e, found, type, reason);
      }
      type = types_.error();
    }
    if (p->kind == ast::PatternKind::Variable) {
      auto& name = static_cast<const ast::VariablePattern*>(p)->name;
      ids.push_back(bind(Local::Value, name.name, from, name.span)->id);
    } else {
      ids.push_back(new_local(intern("argument")));
      core::Pattern* pattern = infer_pattern(p, from, {ReasonKind::None});
      add_match_check({pattern}, from, p->span, true);
      matched.emplace_back(ids.back(), pattern);
      spans.push_back(p->span);
    }
  }
  core::Expr* body = check_expr(e->body, type, failed ? Reason{} : reason);
  for (std::size_t i = matched.size(); i-- > 0;) {
    core::Expr* scrutinee =
        node(arena_, core::LocalExpr{{core::ExprKind::Local, spans[i]}, matched[i].first});
    body = node(arena_, core::CaseExpr{{core::ExprKind::Case, e->span},
                                       scrutinee,
                                       arena_.copy(std::vector<core::Arm>{{matched[i].second, body}})});
  }
  release(m);
  return node(arena_, core::LambdaExpr{{core::ExprKind::Lambda, e->span}, arena_.copy(ids), body});
}

core::Expr* Checker::comprehension(const ast::ComprehensionExpr* e, Type* element, const Reason& reason) {
  std::size_t m = mark();
  core::Expr* list = generators(e, 0, element, reason);
  release(m);
  return list;
}

// [e | p in xs, …] is  let go = \l -> case l of { [] -> []; p : r -> e : go r; _ : r -> go r } in go xs,
// with `… ++ go r` for all generators but the last.
core::Expr* Checker::generators(const ast::ComprehensionExpr* e, std::size_t index, Type* element,
                                const Reason& reason) {
  const ast::Generator& g = e->generators[index];
  bool last = index + 1 == e->generators.size();
  Span span = e->span;
  Type* item;
  core::Expr* list;
  if (g.last) {
    item = types_.integer();
    core::Expr* from = check_expr(g.first, item, {ReasonKind::RangeEnd});
    core::Expr* to = check_expr(g.last, item, {ReasonKind::RangeEnd});
    list = primitive(core::Primitive::Range, {from, to}, join(g.first->span, g.last->span));
  } else {
    item = fresh();
    list = check_expr(g.first, types_.list(item), {ReasonKind::None});
  }
  core::LocalId go = new_local(intern("go")), all = new_local(intern("list")),
                rest = new_local(intern("rest"));
  auto local = [&](core::LocalId id) {
    return node(arena_, core::LocalExpr{{core::ExprKind::Local, span}, id});
  };
  auto again = [&](core::LocalId rest) { return make_apply(local(go), {local(rest)}, span); };
  core::Pattern* p = infer_pattern(g.pattern, item, {ReasonKind::None});
  core::Expr* body;
  if (last)
    body = node(arena_, core::ConstructExpr{{core::ExprKind::Construct, span},
                                            types_.cons.name,
                                            1,
                                            arena_.copy(std::vector<core::Expr*>{
                                                check_expr(e->element, element, reason), again(rest)})});
  else
    body = primitive(core::Primitive::Append, {generators(e, index + 1, element, reason), again(rest)}, span);
  auto cell = [&](core::Pattern* head, core::LocalId rest) {
    core::Pattern* tail = make_pattern(core::PatternKind::Variable, span);
    tail->local = rest;
    core::Pattern* c = make_pattern(core::PatternKind::Construct, span);
    c->tag = 1;
    c->elements = arena_.copy(std::vector<core::Pattern*>{head, tail});
    return c;
  };
  std::vector<core::Arm> arms{
      {make_pattern(core::PatternKind::Construct, span),
       node(arena_, core::ConstructExpr{{core::ExprKind::Construct, span}, types_.nil.name, 0, {}})},
      {cell(p, rest), body}};
  if (p->kind != core::PatternKind::Variable && p->kind != core::PatternKind::Wildcard) {
    core::LocalId skipped = new_local(intern("rest"));
    arms.push_back({cell(make_pattern(core::PatternKind::Wildcard, span), skipped), again(skipped)});
  }
  core::Expr* match =
      node(arena_, core::CaseExpr{{core::ExprKind::Case, span}, local(all), arena_.copy(arms)});
  core::Expr* function = node(
      arena_,
      core::LambdaExpr{{core::ExprKind::Lambda, span}, arena_.copy(std::vector<core::LocalId>{all}), match});
  std::vector<core::Binding> bindings{{go, intern("go"), function}};
  return node(
      arena_,
      core::LetExpr{{core::ExprKind::Let, span}, arena_.copy(bindings), make_apply(local(go), {list}, span)});
}

Typed Checker::infer_list(const ast::ListExpr* e, Type* hint) {
  Type* known = hint ? find(hint) : nullptr;
  bool vector = known && known->kind == TypeKind::Vector;
  Type* element = fresh();
  if (vector)
    element = known->args[0];
  else if (known && is_constructor(known, types_.list_constructor))
    element = known->args[0];
  std::vector<core::Expr*> elements;
  Reason reason;
  for (auto* x : e->elements) {
    elements.push_back(check_expr(x, element, reason));
    if (reason.kind == ReasonKind::None) reason = {ReasonKind::Element, x->span, {}, 0, x, true};
  }
  if (vector)
    return {node(arena_, core::VectorExpr{{core::ExprKind::Vector, e->span}, arena_.copy(elements)}),
            types_.vector(element, types_.size_literal(static_cast<std::int64_t>(elements.size())))};
  core::Expr* list =
      node(arena_, core::ConstructExpr{{core::ExprKind::Construct, e->span}, types_.nil.name, 0, {}});
  for (auto it = elements.rbegin(); it != elements.rend(); ++it)
    list = node(arena_, core::ConstructExpr{{core::ExprKind::Construct, e->span},
                                            types_.cons.name,
                                            1,
                                            arena_.copy(std::vector<core::Expr*>{*it, list})});
  return {list, types_.list(element)};
}

Type* Checker::index_type(Type* base, std::span<const core::IndexPart> parts, bool& waiting) {
  if (parts.empty()) return base;
  base = find(base);
  if (base->kind == TypeKind::Error) return base;
  bool list = is_constructor(base, types_.list_constructor);
  if (base->kind != TypeKind::Vector && !list) {
    waiting = base->kind == TypeKind::Variable;
    return nullptr;
  }
  Type* inner = index_type(base->args[0], parts.subspan(1), waiting);
  if (!inner || !parts[0].last) return inner;
  if (list) return types_.list(inner);
  if (settling_) return types_.vector(inner, fresh(Sort::Size));
  Linear size;  // of x[first .. last]
  size.add(size_form(parts[0].last), {1, 1});
  size.add(size_form(parts[0].first), {-1, 1});
  size.constant[0] = size.constant[0] + Ratio{1, 1};
  return types_.vector(inner, types_.form(size, Sort::Size));
}

Typed Checker::infer_index(const ast::IndexExpr* e) {
  Typed base = infer(e->base);
  std::vector<core::IndexPart> parts;
  for (auto& part : e->parts) {
    core::Expr* first = check_expr(part.first, types_.integer(), {ReasonKind::IndexValue});
    core::Expr* last =
        part.last ? check_expr(part.last, types_.integer(), {ReasonKind::IndexValue}) : nullptr;
    parts.push_back({first, last});
  }
  auto copied = arena_.copy(parts);
  core::Expr* expr = node(arena_, core::IndexExpr{{core::ExprKind::Index, e->span}, base.expr, copied});
  return {expr, indexed(base.type, copied, e->base->span)};
}

Type* Checker::indexed(Type* base, std::span<const core::IndexPart> parts, Span span) {
  bool waiting = false;
  if (Type* type = index_type(base, parts, waiting)) return type;
  if (waiting) {
    Type* result = fresh(kPending);
    find(base)->needs |= kPending;
    indices_.push_back({base, result, parts, span});
    return result;
  }
  diagnostics_.report(Code::NotIndexable, span, "this has no elements to take: its type is " + describe(base))
      .help("vectors and lists are indexed, from 1");
  return types_.error();
}

Typed Checker::infer_connection(const ast::ConnectionExpr* e) {
  if (!relation_) {
    Span between{e->span.file, e->relation->span.end, e->args->span.begin};
    diagnostics_
        .report(Code::ForeignSyntax, e->span,
                "`<>` applies a relation to signals, and signals exist only inside `sigrel … where`")
        .fix("\"not equal\" is written `/=`", between, " /= ");
    infer(e->relation);
    infer(e->args);
    return {primitive(core::Primitive::Time, {}, e->span), types_.error()};
  }
  ++static_;
  Typed relation = infer(e->relation);
  --static_;
  Type* type = expect_relation(e->relation, relation.type);
  if (!type || type->kind == TypeKind::Error) {
    core::Expr* args = nothing(e->args->span);
    return {node(arena_, core::BlockApplyExpr{{core::ExprKind::BlockApply, e->span}, relation.expr, args}),
            types_.error()};
  }
  Type* interface = find(type->args[0]);
  auto names = type->interface;
  std::vector<Type*> in, out;
  std::vector<InterfaceName> in_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Type* t = names.size() == 1 ? interface : interface->kind == TypeKind::Tuple && i < interface->args.size() ? interface->args[i] : types_.error();
    if (names[i].causality == core::Causality::Out)
      out.push_back(t);
    else
      in.push_back(t), in_names.push_back(names[i]);
  }
  if (out.empty()) {
    diagnostics_
        .report(Code::NotABlock, e->relation->span,
                "a relation that is used as an expression needs an output")
        .note("its type is " + describe(type))
        .help(
            "mark the interface: `SR (in u :: Real, out y :: Real)`, or write the application as an item of "
            "its own");
    core::Expr* args = nothing(e->args->span);
    return {node(arena_, core::BlockApplyExpr{{core::ExprKind::BlockApply, e->span}, relation.expr, args}),
            types_.error()};
  }
  Type* inputs = in.size() == 1 ? in[0] : types_.tuple(in);
  core::Expr* args = relation_arguments(inputs, in_names, e->relation, e->args);
  core::Expr* apply =
      node(arena_, core::BlockApplyExpr{{core::ExprKind::BlockApply, e->span}, relation.expr, args});
  std::uint32_t head_args = 0;
  block_uses_[apply] = {names, head_global(e->relation, head_args)};
  return {apply, out.size() == 1 ? out[0] : types_.tuple(out)};
}

}  // namespace sigrel::check
