// `switch` with its modes, and `until`.
#include <utility>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

/// A type with a constructor for each mode.
void RelationChecker::declare_modes(const ast::SwitchItem* item, ModeContext& modes) {
  TypeConstructor& type = mode_types_.emplace_back();
  type.name = intern("mode");
  type.module = scopes_.module().name;
  type.span = item->span;
  type.kind = NominalKind::Data;
  type.holds_relation = true;  // modes are not compared
  modes.modes = item->modes;
  modes.type = &type;
  for (const ast::Mode& mode : item->modes) {
    if (const Constructor* other = modes.find(mode.name.name))
      scopes_.duplicate(mode.name, other->span, "the mode");
    std::vector<Type*> args;
    for (const ast::Pattern* p : mode.parameters)
      args.push_back(p->kind == ast::PatternKind::Typed
                         ? reader_.annotation(static_cast<const ast::TypedPattern*>(p)->type, 0)
                         : unifier_.fresh());
    Constructor& constructor = modes_of_types_.emplace_back();
    constructor = {mode.name.name, mode.name.span, &type,
                   static_cast<std::uint32_t>(type.constructors.size()), types_.arena().copy(args)};
    type.constructors.push_back(&constructor);
  }
}

void RelationChecker::check_switch(const ast::SwitchItem* item, std::vector<core::Item*>& out) {
  ModeContext context;
  declare_modes(item, context);
  ModeContext* outer_modes = std::exchange(modes_, &context);
  core::SwitchItem node{{core::ItemKind::Switch, item->span}, nullptr, {}};
  {
    Scopes::StaticRegion before_simulation(scopes_);
    node.initial = check_mode(item->initial);
  }
  std::vector<core::Mode> modes;
  for (std::size_t i = 0; i < item->modes.size(); ++i)
    modes.push_back(check_mode_body(item->modes[i], *context.type->constructors[i]));
  node.modes = core_.copy(modes);
  modes_ = outer_modes;
  out.push_back(core_.make(node));
}

core::Mode RelationChecker::check_mode_body(const ast::Mode& mode, const Constructor& constructor) {
  std::size_t m = scopes_.mark();
  std::vector<core::Pattern*> parameters;
  for (std::size_t k = 0; k < mode.parameters.size(); ++k) {
    Type* type = constructor.args[k];
    parameters.push_back(expressions_.infer_pattern(mode.parameters[k], type, {ReasonKind::None}));
    matches_.add({parameters.back()}, type, mode.parameters[k]->span, true);
  }
  std::vector<core::UntilItem> transitions;
  auto* outer_transitions = std::exchange(transitions_, &transitions);
  core::Body body = check_block(mode.body);
  transitions_ = outer_transitions;
  scopes_.release(m);
  return {mode.name.name, mode.name.span, core_.copy(parameters), body, core_.copy(transitions)};
}

void RelationChecker::check_until(const ast::UntilItem* item) {
  if (!transitions_) {
    diagnostics_.report(Code::UnknownMode, item->span, "`until` ends a mode, and this is outside of any mode")
        .help("modes are written in `switch … where`");
    return;
  }
  core::Expr* condition = expressions_.check_expr(item->condition, types_.boolean(), {ReasonKind::Condition});
  transitions_->push_back({{core::ItemKind::Until, item->span}, condition, check_mode(item->target)});
}

/// A mode of the enclosing switch: `Closed`, `Falling x y`, or an expression that chooses one.
core::Expr* RelationChecker::check_mode(const ast::Expr* e) {
  const ModeContext* outer = expected_modes_;
  expected_modes_ = modes_;
  Type* type = types_.apply(modes_->type, {});
  const ast::Expr* head =
      e->kind == ast::ExprKind::Apply ? static_cast<const ast::ApplyExpr*>(e)->function : e;
  std::size_t given =
      e->kind == ast::ExprKind::Apply ? static_cast<const ast::ApplyExpr*>(e)->args.size() : 0;
  const Constructor* mode = head->kind == ast::ExprKind::Constructor
                                ? known_mode(static_cast<const ast::ConstructorExpr*>(head)->name)
                                : nullptr;
  core::Expr* result;
  if (mode && mode->args.size() != given) {
    std::size_t takes = mode->args.size();
    diagnostics_
        .report(Code::WrongArgumentCount, e->span,
                "the mode `" + std::string(text(mode->name)) + "` takes " + std::to_string(takes) +
                    (takes == 1 ? " argument, " : " arguments, ") + std::to_string(given) +
                    (given == 1 ? " is given" : " are given"))
        .also(mode->span, "the mode");
    if (given)
      for (auto* arg : static_cast<const ast::ApplyExpr*>(e)->args) expressions_.infer(arg);
    result = core_.placeholder(e->span);
  } else {
    result = expressions_.check_expr(e, type, {ReasonKind::Mode});
  }
  expected_modes_ = outer;
  return result;
}

const Constructor* RelationChecker::known_mode(const ast::QualifiedIdent& name) const {
  return expected_modes_ && !name.qualified ? expected_modes_->find(name.ident.name) : nullptr;
}

bool RelationChecker::report_unknown_mode(const ast::QualifiedIdent& name) {
  if (!expected_modes_ || name.qualified || scopes_.lookup_value(name, false)) return false;
  std::string_view n = text(name.ident.name);
  auto& d = diagnostics_.report(Code::UnknownMode, name.ident.span,
                                "there is no mode `" + std::string(n) + "` in this switch");
  std::vector<std::string_view> candidates;
  for (auto& mode : expected_modes_->modes) candidates.push_back(text(mode.name.name));
  if (auto near = did_you_mean(n, candidates))
    d.fix("did you mean `" + std::string(*near) + "`?", name.ident.span, std::string(*near));
  return true;
}

}  // namespace sigrel::check
