// Variables: locals, definitions, builtins.
#include <numbers>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/builtins.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

Typed ExpressionChecker::infer_variable(const ast::QualifiedIdent& name, Span span) {
  if (!name.qualified) {
    if (Local* local = scopes_.lookup_local(name.ident.name)) return use_local(*local, name, span);
    LabelInfo* label = relations_.find_label(name.ident.name);
    if (label && !scopes_.module().value(name.ident.name)) {
      std::string n(text(name.ident.name));
      diagnostics_.report(Code::InstanceAsValue, span, "`" + n + "` is an instance, not a signal")
          .also(label->span, "the instance")
          .help("read one of its variables: `" + n + ".x`");
      return {core_.placeholder(span), types_.error()};
    }
  }
  auto* entry = scopes_.lookup_value(name, true);
  if (!entry || (!name.qualified && scopes_.is_misused(name.ident.name)))
    return {core_.placeholder(span), types_.error()};
  switch (entry->meaning.kind) {
    case Value::Global: return use_global(entry->meaning.global, span);
    case Value::Primitive: return use_builtin(*entry->meaning.builtin, span);
    case Value::Constructor:
    case Value::Record: break;
  }
  return {core_.placeholder(span), types_.error()};
}

Typed ExpressionChecker::use_local(Local& local, const ast::QualifiedIdent& name, Span span) {
  std::string shown = "`" + std::string(text(name.ident.name)) + "`";
  if (local.kind == Local::Signal && local.relation != scopes_.relation()) {
    diagnostics_.report(Code::SignalOutOfReach, span, shown + " is a signal of the enclosing relation")
        .also(local.span, "declared here")
        .help("pass it through the interface: `sigrel (…, " + std::string(text(name.ident.name)) +
              ") where …`");
    return {core_.placeholder(span), types_.error()};
  }
  if (local.kind == Local::Signal && scopes_.is_static() && !is_error(local.type)) {
    diagnostics_
        .report(Code::SignalOutOfReach, span,
                shown + " is a signal, and its value is not known before the simulation")
        .also(local.span, "declared here")
        .help(
            "a relation is computed before the simulation, from parameters and constants; pass signals after "
            "`<>`");
    local.type = types_.error();  // its other uses are not reported
    return {core_.placeholder(span), types_.error()};
  }
  core::LocalExpr* use = core_.local(local.id, span);
  if (local.polymorphic) {
    std::vector<Type*> layouts;
    Type* type = unifier_.instantiate(local.type, local.layout_variables, layouts);
    if (layouts.empty()) return {use, type};
    return {layouts_.apply(core_.make(core::ApplyExpr{}), use, layouts, span), type};
  }
  if (!local.own_uses) return {use, local.type};
  // Room for an application: whether it passes layouts is known when the definition is inferred.
  static_assert(sizeof(core::LocalExpr) <= sizeof(core::ApplyExpr));
  auto* place = core_.make(core::ApplyExpr{});
  local.own_uses->push_back(place);
  return {new (place) core::LocalExpr(*use), local.type};
}

Typed ExpressionChecker::use_global(core::GlobalId global, Span span) {
  GlobalState& state = globals_[global];
  globals_.use(global);
  auto* use = core_.make(core::GlobalExpr{{core::ExprKind::Global, span}, global, {}});
  if (!state.scheme) return {use, types_.error()};
  units_.note(state.has_units);
  if (!state.polymorphic) return {use, state.scheme};
  std::vector<Type*> instances;
  Type* type = unifier_.instantiate(state.scheme, state.layout_variables, instances);
  if (!instances.empty()) layouts_.request(use, std::move(instances));
  return {use, type};
}

Typed ExpressionChecker::use_builtin(const Builtin& builtin, Span span) {
  Type* type = instantiate_builtin(builtin, span);
  if (builtin.shape == BuiltinShape::Pi) return {core_.real(std::numbers::pi, span), type};
  if ((builtin.shape == BuiltinShape::Time || builtin.shape == BuiltinShape::Moment) && scopes_.is_static()) {
    diagnostics_.report(
        Code::SignalOutOfReach, span,
        "`" + std::string(builtin.name) + "` is a signal, and its value is not known before the simulation");
    type = types_.error();
  }
  return {apply_known(Value::of(builtin), {}, span, type), type};
}

Type* ExpressionChecker::instantiate_builtin(const Builtin& builtin, Span span) {
  Type* type = builtin_type(builtin, types_, unifier_.level());
  if (builtin.shape == BuiltinShape::Derivative)
    deferred_.add_rate(find(type)->args[0], find(type)->args[1], span);
  return type;
}

}  // namespace sigrel::check
