// Application of functions, primitives and constructors.
#include <limits>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/builtins.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

using ast::ExprKind;

Typed ExpressionChecker::infer_apply(const ast::ApplyExpr* e) {
  if (e->has_named) return infer_named(e);
  std::vector<core::Expr*> args;
  if (e->function->kind == ExprKind::Constructor)
    if (const Constructor* mode =
            relations_.known_mode(static_cast<const ast::ConstructorExpr*>(e->function)->name)) {
      Type* type = apply_arguments(constructor_type(*mode), e->function, e->args, args);
      return {apply_known(Value::of(*mode), std::move(args), e->span), type};
    }
  if (const Value* known = known_head(e->function)) {
    std::size_t first = deferred_.product_count();
    Type* head = known->kind == Value::Primitive ? instantiate_builtin(*known->builtin, e->function->span)
                                                 : constructor_type(*known->constructor);
    bool rate = deferred_.product_count() != first;
    const std::size_t errors = diagnostics_.error_count();
    Type* type = apply_arguments(head, e->function, e->args, args);
    // What surrounds it may rely on the type that it has for other arguments.
    if (diagnostics_.error_count() != errors && known->kind == Value::Primitive) type = types_.error();
    if (rate) deferred_.try_product(first);  // often known at once
    return {apply_known(*known, std::move(args), e->span, head), type};
  }
  Typed function = infer(e->function);
  Type* type = apply_arguments(function.type, e->function, e->args, args);
  return {core_.apply(function.expr, args, e->span), type};
}

/// A primitive with arguments or a constructor, unless a local hides it.
const Value* ExpressionChecker::known_head(const ast::Expr* function) {
  if (function->kind == ExprKind::Variable) {
    auto& name = static_cast<const ast::VariableExpr*>(function)->name;
    if (!name.qualified && scopes_.lookup_local(name.ident.name)) return nullptr;
    auto* entry = scopes_.lookup_value(name, false);
    const bool primitive = entry && !entry->ambiguous && entry->meaning.kind == Value::Primitive &&
                           entry->meaning.builtin->arity > 0;
    return primitive ? &entry->meaning : nullptr;
  }
  if (function->kind != ExprKind::Constructor) return nullptr;
  auto* entry = scopes_.lookup_value(static_cast<const ast::ConstructorExpr*>(function)->name, false);
  const bool constructor = entry && !entry->ambiguous && entry->meaning.kind == Value::Constructor;
  return constructor ? &entry->meaning : nullptr;
}

Reason ExpressionChecker::argument_reason(const ast::Expr* head) {
  Reason reason{ReasonKind::Argument};
  std::string name = head_text(head);
  if (name.empty()) return reason;
  reason.name = intern(name);
  if (head->kind != ExprKind::Variable) return reason;
  auto& id = static_cast<const ast::VariableExpr*>(head)->name;
  if (!id.qualified && scopes_.lookup_local(id.ident.name)) return reason;
  auto* entry = scopes_.lookup_value(id, false);
  if (!entry || entry->meaning.kind != Value::Global) return reason;
  auto& definition = globals_[entry->meaning.global].definition;
  reason.span = definition.signature ? definition.signature->type->span : definition.span;
  reason.has_span = definition.name == id.ident.name;
  return reason;
}

/// How many parameters a function of this type has; any number if they are not known.
std::size_t ExpressionChecker::parameters(Type* type) {
  std::size_t count = 0;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1])) ++count;
  const bool known = type->kind != TypeKind::Variable && type->kind != TypeKind::Error;
  return known ? count : std::numeric_limits<std::size_t>::max() / 2;
}

/// The type of `function` applied to `args`, which are lowered to `out`.
Type* ExpressionChecker::apply_arguments(Type* type, const ast::Expr* head, std::span<ast::Expr* const> args,
                                         std::vector<core::Expr*>& out) {
  Reason reason = argument_reason(head);
  std::size_t errors = diagnostics_.error_count();
  const Value* known = known_head(head);
  const bool integers =
      known && known->kind == Value::Primitive &&
      (known->builtin->op == core::Primitive::IntDiv || known->builtin->op == core::Primitive::IntMod);
  const bool nested = known && known->kind == Value::Primitive &&
                      reports_nested_application(head, known->builtin->arity, args);
  if (nested) {
    for (const ast::Expr* arg : args) out.push_back(core_.placeholder(arg->span));
    return types_.error();
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    type = find(type);
    if (type->kind == TypeKind::Variable) {
      Type* function = types_.function(unifier_.fresh(), unifier_.fresh());
      if (unifier_.unify(type, function)) type = function;
    }
    if (type->kind == TypeKind::Error) {
      out.push_back(infer(args[i]).expr);
      continue;
    }
    if (type->kind != TypeKind::Function) {
      // After an error in an argument, surplus arguments have the same cause.
      if (diagnostics_.error_count() == errors) report_surplus_arguments(type, head, args, i, reason);
      // Surplus arguments are not checked: they may be signals, with a `<>` missing before them.
      for (; i < args.size(); ++i) out.push_back(core_.placeholder(args[i]->span));
      return types_.error();
    }
    reason.index = i;
    core::Expr* arg = check_expr(args[i], type->args[0], reason);
    // The other argument has the same cause; so have those after one too many.
    if (diagnostics_.error_count() != errors &&
        (integers || args.size() > i + 1 + parameters(type->args[1]))) {
      for (; i < args.size(); ++i) out.push_back(core_.placeholder(args[i]->span));
      return types_.error();
    }
    if (type->has_parameter && type->args.size() == 3)  // the argument is the size
      unifier_.unify_sizes(type->args[2], sizes_.form(arg));
    out.push_back(arg);
    type = type->args[1];
  }
  return type;
}

/// `5 V`, `2 x`: a unit or a factor after a number.
void ExpressionChecker::explain_number(Diagnostic& d, const ast::Expr* number,
                                       std::span<ast::Expr* const> args) {
  const std::string what = args.empty() ? "" : head_text(args[0]);
  if (!what.empty() && args[0]->span.begin == number->span.end)
    d.help("a unit is written in angle brackets, as in `1.0<V>`");
  else
    d.help("a product is written with `*`, a unit in angle brackets, as in `1.0<V>`");
}

/// `not pre x`: the last argument is a function that is applied to the arguments after it. Reports it.
bool ExpressionChecker::reports_nested_application(const ast::Expr* head, std::size_t arity,
                                                   std::span<ast::Expr* const> args) {
  if (arity == 0 || args.size() <= arity || args[arity - 1]->kind != ExprKind::Variable) return false;
  const Value* inner = known_head(args[arity - 1]);
  if (!inner || inner->kind != Value::Primitive) return false;
  const std::string outer = head_text(head), function = head_text(args[arity - 1]);
  diagnostics_
      .report(Code::WrongArgumentCount, join(args[arity - 1]->span, args.back()->span),
              "`" + outer + "` takes " + std::to_string(arity) +
                  (arity == 1 ? " argument, " : " arguments, ") + std::to_string(args.size()) + " are given")
      .help("an argument that is an application is written in parentheses: `" + outer + " (" + function +
            " …)`");
  return true;
}

/// `head` applied to the first `given` arguments has `type`, which is no function.
void ExpressionChecker::report_surplus_arguments(Type* type, const ast::Expr* head,
                                                 std::span<ast::Expr* const> args, std::size_t given,
                                                 const Reason& reason) {
  std::string name = head_text(head);
  std::string shown = name.empty() ? "this" : "`" + name + "`";
  if (given == 0) {
    auto& d = diagnostics_.report(Code::AppliedNonFunction, head->span,
                                  shown + " is not a function: its type is " + messages_.describe(type));
    if (const Local* local = scopes_.lookup_local(intern(name));
        local && local->kind == Local::Signal && is_constructor(type, types_.real_constructor))
      d.help("`initially " + name + " = 1.0` is its value at the start, `pre " + name +
             "` that before an event, and `delay " + name + " 0.1` an earlier one");
    if (name == "initial" || name == "terminal") d.help("it takes no argument: `when " + name + " do`");
    if (!args.empty() && args[0]->kind == ExprKind::Variable)
      if (const auto ours = our_word(head_text(args[0])))
        d.fix("`" + head_text(args[0]) + "` is written `" + std::string(*ours) + "`", args[0]->span,
              std::string(*ours));
    if (head->kind == ExprKind::Int || head->kind == ExprKind::Real) explain_number(d, head, args);
    if (type->kind == TypeKind::Relation)
      d.help("a relation is applied to signals with `<>`: `" + (name.empty() ? "r" : name) + " <> (…)`");
    if (head->kind == ExprKind::Variable)
      if (const auto* entry = scopes_.lookup_value(static_cast<const ast::VariableExpr*>(head)->name, false);
          entry && entry->priority == Priority::Listed && entry->other_module != Name{}) {
        const std::string other(text(entry->other_module));
        d.help("`" + other + "` has a `" + name + "`, too, which the import of this one hides: `" + other +
               "." + name + "`");
      }
    messages_.suppress_further_errors(head, type);
    return;
  }
  const std::size_t surplus = args.size() - given;
  auto& d = diagnostics_.report(Code::WrongArgumentCount, join(args[given]->span, args.back()->span),
                                shown + " takes " + std::to_string(given) +
                                    (given == 1 ? " argument, " : " arguments, ") +
                                    std::to_string(args.size()) + " are given");
  d.label(surplus == 1 ? "one too many" : std::to_string(surplus) + " too many");
  if (reason.has_span) d.also(reason.span, "its type");
}

/// Primitives and constructors take all their arguments at once: missing ones are added by a lambda.
core::Expr* ExpressionChecker::apply_known(const Value& value, std::vector<core::Expr*> args, Span span,
                                           Type* type) {
  std::size_t arity = value.kind == Value::Primitive ? value.builtin->arity : value.constructor->args.size();
  std::vector<core::Expr*> rest;
  std::vector<core::LocalId> missing;
  if (args.size() > arity) {
    rest.assign(args.begin() + static_cast<std::ptrdiff_t>(arity), args.end());
    args.resize(arity);
  }
  while (args.size() < arity) {
    missing.push_back(core_.new_local(intern("argument")));
    args.push_back(core_.local(missing.back(), span));
  }
  core::Expr* result;
  if (value.kind == Value::Constructor) {
    const Constructor& c = *value.constructor;
    result = c.owner == &types_.boolean_constructor
                 ? core_.boolean(c.tag == types_.true_constructor.tag, span)
                 : core_.construct(c, args, span);
  } else if (value.builtin->shape == BuiltinShape::Simulate) {
    result = default_experiment(args[0], span);
  } else if (value.builtin->shape == BuiltinShape::Sum) {
    result = sum_of_list(args[0], type ? find(type)->args[1] : types_.error(), span);
  } else if (value.builtin->shape == BuiltinShape::Column ||
             value.builtin->shape == BuiltinShape::DataTable || value.builtin->shape == BuiltinShape::Grid) {
    result = read_data(*value.builtin, std::move(args), type, span);
  } else {
    result = core_.primitive(value.builtin->op, args, span);
  }
  if (!missing.empty()) result = core_.lambda(missing, result, span);
  return core_.apply(result, rest, span);
}

// sum xs  is  let go = \total l -> case l of { [] -> total; x : rest -> go (total + x) rest } in
//             case xs of { [] -> zero; x : rest -> go x rest },
// where the zero of a vector needs its layout.
core::Expr* ExpressionChecker::sum_of_list(core::Expr* list, Type* type, Span span) {
  auto local = [&](std::string_view name) { return core_.new_local(intern(name)); };
  const core::LocalId go = local("go"), total = local("total"), tail = local("list");
  auto decompose = [&](core::Expr* of, core::Expr* empty, auto&& otherwise) {
    const core::LocalId x = local("x"), rest = local("rest");
    auto variable = [&](core::LocalId id) {
      core::Pattern* p = core_.pattern(core::PatternKind::Variable, span);
      p->local = id;
      return p;
    };
    std::vector<core::Arm> arms{
        {core_.construct_pattern(types_.nil.tag, {}, span), empty},
        {core_.construct_pattern(types_.cons.tag, {variable(x), variable(rest)}, span),
         core_.apply(core_.local(go, span), {otherwise(x), core_.local(rest, span)}, span)}};
    return core_.make(core::CaseExpr{{core::ExprKind::Case, span}, of, core_.copy(arms)});
  };
  core::Expr* add = decompose(core_.local(tail, span), core_.local(total, span), [&](core::LocalId x) {
    return core_.primitive(core::Primitive::Add, {core_.local(total, span), core_.local(x, span)}, span);
  });
  auto* layout = core_.make(core::LayoutExpr{{core::ExprKind::Layout, span}, nullptr});
  layouts_.request(&layout->layout, type);
  core::Expr* zero = core_.primitive(core::Primitive::Zero, {layout}, span);
  core::Expr* body =
      decompose(list, zero, [&](core::LocalId x) -> core::Expr* { return core_.local(x, span); });
  std::vector<core::Binding> bindings{{go, intern("go"), core_.lambda({total, tail}, add, span)}};
  return core_.make(core::LetExpr{{core::ExprKind::Let, span}, core_.copy(bindings), body});
}

/// `simulate model`: the fields in the order of core::ExperimentField.
core::Expr* ExpressionChecker::default_experiment(core::Expr* model, Span span) {
  std::vector<core::Expr*> fields{model,
                                  core_.real(0.0, span),
                                  core_.real(1.0, span),
                                  core_.real(1e-6, span),
                                  core_.integer(500, span),
                                  core_.construct(types_.nil, {}, span),
                                  core_.construct(types_.nil, {}, span),
                                  core_.make(core::StringExpr{{core::ExprKind::String, span}, "auto"}),
                                  core_.boolean(true, span),
                                  core_.real(std::numeric_limits<double>::infinity(), span),
                                  core_.boolean(false, span)};
  return core_.make(core::RecordExpr{
      {core::ExprKind::Record, span}, types_.experiment_constructor.record, core_.copy(fields)});
}

}  // namespace sigrel::check
