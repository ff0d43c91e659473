// The items of a relation body.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "compiler/check/builtins.h"
#include "compiler/check/checker.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

using ast::ItemKind;

namespace {

template <class T>
core::Item* make(Arena& arena, T item) {
  return arena.make<T>(item);
}

}  // namespace

/// `der signal`, of which the unit does not matter.
core::Expr* Checker::derivative_of(const ast::Expr* signal) {
  const Builtin& der = *std::ranges::find(builtins(), core::Primitive::Der, &Builtin::op);
  core::Expr* argument =
      check_expr(signal, types_.variable(level_, kNumber | kReal),
                 {ReasonKind::Argument, signal->span, intern("steady"), 0, nullptr, false});
  return apply_known({Value::Primitive, {}, &der, nullptr, nullptr}, {argument}, signal->span);
}

const ast::QualifiedIdent* Checker::head_of(const ast::Expr* e, std::uint32_t& args) const {
  args = 0;
  while (e->kind == ast::ExprKind::Apply) {
    args += static_cast<std::uint32_t>(static_cast<const ast::ApplyExpr*>(e)->args.size());
    e = static_cast<const ast::ApplyExpr*>(e)->function;
  }
  return e->kind == ast::ExprKind::Variable ? &static_cast<const ast::VariableExpr*>(e)->name : nullptr;
}

std::optional<core::GlobalId> Checker::head_global(const ast::Expr* e, std::uint32_t& args) {
  auto* name = head_of(e, args);
  if (!name || (!name->qualified && lookup_local(name->ident.name))) return std::nullopt;
  auto* entry = lookup_value(*name, false);
  if (!entry || entry->ambiguous || entry->meaning.kind != Value::Global) return std::nullopt;
  return entry->meaning.global;
}

Type* Checker::expect_relation(const ast::Expr* e, Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Relation || type->kind == TypeKind::Error) return type;
  if (type->kind == TypeKind::Variable) {
    Type* relation = types_.relation(fresh(kSignal), {});
    if (unify(type, relation)) return relation;
  }
  std::string name = head_text(e);
  std::string shown = name.empty() ? "this" : "`" + name + "`";
  if (type->kind == TypeKind::Function) {
    std::size_t missing = 0;
    Type* t = type;
    std::string examples;
    for (; t->kind == TypeKind::Function; t = find(t->args[1])) {
      ++missing;
      examples += " " + (find(t->args[0])->kind == TypeKind::Relation ? std::string("part") : "x");
    }
    if (t->kind == TypeKind::Relation) {
      std::uint32_t given = 0;
      head_of(e, given);
      std::size_t total = missing + given;
      diagnostics_
          .report(Code::WrongArgumentCount, e->span,
                  shown + " takes " + std::to_string(total) + (total == 1 ? " argument" : " arguments") +
                      " before `<>`, " + std::to_string(given) + (given == 1 ? " is given" : " are given"))
          .note("its type is " + describe(type));
      return types_.error();
    }
  }
  auto& d = diagnostics_.report(Code::NotARelation, e->span,
                                shown + " is not a relation: its type is " + describe(type));
  d.help("`<>` applies a relation to signals; `/=` is \"not equal\"");
  blame(e);
  return types_.error();
}

void Checker::interface_arity(const ast::Expr* relation, std::size_t has, std::size_t given, Span span) {
  std::string name = head_text(relation);
  std::string shown = name.empty() ? "the relation" : "`" + name + "`";
  auto& d = diagnostics_.report(Code::InterfaceArity, span,
                                shown + " has " + std::to_string(has) +
                                    (has == 1 ? " interface variable; " : " interface variables; ") +
                                    std::to_string(given) + (given == 1 ? " is given" : " are given"));
  std::uint32_t args = 0;
  if (auto global = head_global(relation, args)) {
    d.also(program_.globals[global->value].span, shown + " is defined here");
    if (globals_[global->value].scheme) d.note(name + " :: " + print(globals_[global->value].scheme));
  }
}

/// A name that nothing defines makes a node. One that something defines is no node, though it was meant as
/// one.
core::Expr* Checker::interface_argument(const ast::Expr* argument, Type* expected, const Reason& reason) {
  expected = find(expected);
  std::uint32_t args = 0;
  const bool node = argument->kind == ast::ExprKind::Variable && expected->kind == TypeKind::Constructor &&
                    expected->constructor->connector;
  const auto global = node ? head_global(argument, args) : std::nullopt;
  if (!global) return check_expr(argument, expected, reason);
  Type* type = globals_[global->value].scheme;
  if (type) type = find(type);
  if (type && type->kind == TypeKind::Variable && type->level != kGeneric)
    type = nullptr;  // still sought: it refers to this definition
  if (type && (type->kind == TypeKind::Variable || type->kind == TypeKind::Error ||
               (type->kind == TypeKind::Constructor && type->constructor->connector)))
    return check_expr(argument, expected, reason);
  std::optional<Span> origin;
  const std::string wanted = describe(expected), name = head_text(argument);
  auto& d =
      diagnostics_.report(Code::TypeMismatch, argument->span,
                          fmt::format("expected {}, because {}, found {}", wanted,
                                      reason_text(reason, origin), type ? describe(type) : "a definition"));
  d.label("this is no node").also(program_.globals[global->value].span, "`" + name + "` is defined here");
  d.help(
      fmt::format("a name makes a node where nothing has it yet: call one of the two otherwise, or declare "
                  "`local {} :: {}`",
                  name, wanted));
  return nothing(argument->span);
}

core::Expr* Checker::relation_arguments(Type* interface, std::span<InterfaceName> names,
                                        const ast::Expr* relation, const ast::Expr* args) {
  interface = find(interface);
  bool single = names.size() == 1 || interface->kind != TypeKind::Tuple;
  Reason reason{ReasonKind::Interface, relation->span, {}, 0, nullptr, true};
  if (interface->kind == TypeKind::Variable || interface->kind == TypeKind::Error ||
      interface->kind == TypeKind::Skolem)
    return check_expr(args, interface, reason);
  if (single) {
    if (names.size() == 1 && names[0].named) reason.name = names[0].name;
    if (args->kind == ast::ExprKind::Tuple && interface->kind != TypeKind::Tuple) {
      auto* t = static_cast<const ast::TupleExpr*>(args);
      interface_arity(relation, 1, t->elements.size(), args->span);
      return nothing(args->span);
    }
    return interface_argument(args, interface, reason);
  }
  if (args->kind == ast::ExprKind::Tuple) {
    auto* t = static_cast<const ast::TupleExpr*>(args);
    if (t->elements.size() != interface->args.size()) {
      interface_arity(relation, interface->args.size(), t->elements.size(), args->span);
      return nothing(args->span);
    }
    std::vector<core::Expr*> elements;
    for (std::size_t i = 0; i < t->elements.size(); ++i) {
      reason.index = i;
      reason.name = i < names.size() && names[i].named ? names[i].name : Name{};
      elements.push_back(interface_argument(t->elements[i], interface->args[i], reason));
    }
    return arena_.make<core::TupleExpr>(
        core::TupleExpr{{core::ExprKind::Tuple, args->span}, arena_.copy(elements)});
  }
  Typed whole = infer(args);
  if (find(whole.type)->kind == TypeKind::Tuple) {
    if (!agree(interface, whole.type)) mismatch(args, whole.type, interface, reason);
  } else if (!is_error(whole.type)) {
    interface_arity(relation, interface->args.size(), 1, args->span);
  }
  return whole.expr;
}

void Checker::lower_application(const ast::Item* item, const ast::Ident* label, const ast::Expr* relation,
                                const ast::Expr* args, std::vector<core::Item*>& out) {
  if (!label && relation->kind == ast::ExprKind::Binary) {
    auto* cons = static_cast<const ast::BinaryExpr*>(relation);
    if (cons->op == ast::BinaryOp::Cons && cons->left->kind == ast::ExprKind::Index) {
      const std::string name = ast::print(*static_cast<const ast::IndexExpr*>(cons->left)->base);
      diagnostics_.report(Code::NotARelation, cons->left->span, "a label takes no index")
          .help(fmt::format("write `{0}: …`: in a `for` each turn has an instance of its own, and from "
                            "outside they are `{0}[1]`, `{0}[2]`, …",
                            name));
      relation = cons->right;
    }
  }
  ++static_;
  Typed head = infer(relation);
  --static_;
  Type* type = expect_relation(relation, head.type);
  std::uint32_t head_args = 0;
  auto global = head_global(relation, head_args);
  core::ApplicationItem node{
      {core::ItemKind::Application, item->span}, {}, {}, relation->span, head.expr, nullptr};
  auto* name = head_of(relation, head_args);
  node.name = label ? label->name : name ? name->ident.name : intern("sigrel");
  if (label) {
    for (LabelInfo* info : relation_->labels_by_name[label->name]) {
      if (info->item != item) continue;
      info->relation_type = type;
      info->head = global;
      info->head_args = head_args;
      node.label = info->id;
    }
  }
  if (args) {
    if (type->kind == TypeKind::Error)
      node.args = infer(args).expr;
    else
      node.args = relation_arguments(type->args[0], type->interface, relation, args);
  }
  out.push_back(make(arena_, node));
  if (type->kind == TypeKind::Relation) block_uses_[out.back()] = {type->interface, global};
}

core::Body Checker::lower_loop(const ast::ForItem* item, std::size_t index) {
  if (index == item->generators.size()) return lower_block(item->body);
  std::vector<core::Item*> items;
  const ast::Generator& g = item->generators[index];
  ++static_;
  core::ForItem loop{{core::ItemKind::For, item->span}, nullptr, {}, nullptr, nullptr, {}};
  Type* element;
  if (g.last) {
    element = types_.integer();
    loop.first = check_expr(g.first, element, {ReasonKind::RangeEnd});
    loop.last = check_expr(g.last, element, {ReasonKind::RangeEnd});
  } else {
    element = fresh();
    loop.first = check_expr(g.first, types_.list(element), {ReasonKind::None});
  }
  --static_;
  std::size_t m = mark();
  loop.pattern = infer_pattern(g.pattern, element, {ReasonKind::None});
  add_match_check({loop.pattern}, element, g.pattern->span, true);
  if (g.pattern->kind == ast::PatternKind::Variable)
    loop.index_name = static_cast<const ast::VariablePattern*>(g.pattern)->name.name;
  if (g.pattern->kind == ast::PatternKind::Typed)
    loop.index_name = static_cast<const ast::TypedPattern*>(g.pattern)->name.name;
  loop.body = lower_loop(item, index + 1);
  release(m);
  items.push_back(make(arena_, loop));
  core::Body body;
  body.items = arena_.copy(items);
  return body;
}

void Checker::lower_for(const ast::ForItem* item, std::vector<core::Item*>& out) {
  core::Body body = lower_loop(item, 0);
  out.insert(out.end(), body.items.begin(), body.items.end());
}

// A mode of the enclosing switch: `Closed`, `Falling x y`, or an expression that chooses one.
core::Expr* Checker::check_mode(const ast::Expr* e) {
  const ModeContext* outer = mode_names_;
  mode_names_ = modes_;
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
      for (auto* arg : static_cast<const ast::ApplyExpr*>(e)->args) infer(arg);
    result = primitive(core::Primitive::Time, {}, e->span);
  } else {
    result = check_expr(e, type, {ReasonKind::Mode});
  }
  mode_names_ = outer;
  return result;
}

void Checker::lower_switch(const ast::SwitchItem* item, std::vector<core::Item*>& out) {
  TypeConstructor& type = constructors_.emplace_back();
  type.name = intern("mode");
  type.module = scope_->name;
  type.span = item->span;
  type.kind = NominalKind::Data;
  type.holds_relation = true;  // modes are not compared
  ModeContext context;
  context.modes = item->modes;
  context.type = &type;
  for (std::size_t i = 0; i < item->modes.size(); ++i) {
    const ast::Mode& mode = item->modes[i];
    if (const Constructor* other = context.find(mode.name.name))
      duplicate(mode.name, other->span, "the mode");
    std::vector<Type*> args;
    for (const ast::Pattern* p : mode.parameters)
      args.push_back(p->kind == ast::PatternKind::Typed
                         ? annotation(static_cast<const ast::TypedPattern*>(p)->type, 0)
                         : fresh());
    Constructor& constructor = data_constructors_.emplace_back();
    constructor = {mode.name.name, mode.name.span, &type, static_cast<std::uint32_t>(i),
                   type_arena_.copy(args)};
    type.constructors.push_back(&constructor);
  }
  ModeContext* outer_modes = modes_;
  auto* outer_transitions = transitions_;
  modes_ = &context;
  core::SwitchItem node{{core::ItemKind::Switch, item->span}, nullptr, {}};
  ++static_;
  node.initial = check_mode(item->initial);
  --static_;
  std::vector<core::Mode> modes;
  for (std::size_t i = 0; i < item->modes.size(); ++i) {
    const ast::Mode& mode = item->modes[i];
    std::size_t m = mark();
    std::vector<core::Pattern*> parameters;
    for (std::size_t k = 0; k < mode.parameters.size(); ++k) {
      Type* parameter = type.constructors[i]->args[k];
      parameters.push_back(infer_pattern(mode.parameters[k], parameter, {ReasonKind::None}));
      add_match_check({parameters.back()}, parameter, mode.parameters[k]->span, true);
    }
    std::vector<core::ModeTransition> transitions;
    transitions_ = &transitions;
    core::Body body = lower_block(mode.body);
    release(m);
    modes.push_back(
        {mode.name.name, mode.name.span, arena_.copy(parameters), body, arena_.copy(transitions)});
  }
  node.modes = arena_.copy(modes);
  modes_ = outer_modes;
  transitions_ = outer_transitions;
  out.push_back(make(arena_, node));
}

void Checker::lower_item(const ast::Item* item, std::vector<core::Item*>& out) {
  Span span = item->span;
  switch (item->kind) {
    case ItemKind::Equation: {
      auto* q = static_cast<const ast::EquationItem*>(item);
      auto literal = [](const ast::Expr* e) {
        return e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Comprehension ||
               e->kind == ast::ExprKind::Int;
      };
      core::EquationItem node{{core::ItemKind::Equation, span}, nullptr, nullptr};
      std::size_t errors = diagnostics_.error_count();
      Type* type;
      // A literal takes the type of the other side.
      if (literal(q->left) && !literal(q->right)) {
        Typed right = infer(q->right);
        type = right.type;
        node.right = right.expr;
        node.left = check_expr(q->left, type, {ReasonKind::LeftSide, q->right->span, {}, 0, q->right, true});
      } else {
        Typed left = infer(q->left);
        type = left.type;
        node.left = left.expr;
        node.right = check_expr(q->right, type, {ReasonKind::LeftSide, q->left->span, {}, 0, q->left, true});
      }
      if (!require(type, kSignal)) {
        auto& d = diagnostics_.report(
            Code::NotASignal, span,
            "an equation is between signals, and this is between values of type " + describe(type));
        if (find(type)->kind == TypeKind::Relation)
          d.help("a relation is applied with `<>`; `let` names one");
      } else if (diagnostics_.error_count() == errors) {
        equations_.push_back({q, type});
      }
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::Application: {
      auto* a = static_cast<const ast::ApplicationItem*>(item);
      return lower_application(item, a->labelled ? &a->label : nullptr, a->relation, a->args, out);
    }
    case ItemKind::Instance: {
      auto* a = static_cast<const ast::InstanceItem*>(item);
      return lower_application(item, &a->label, a->relation, nullptr, out);
    }
    case ItemKind::Connect: {
      auto* c = static_cast<const ast::ConnectItem*>(item);
      std::vector<core::Expr*> nodes;
      Type* type = fresh(kSignal);
      Reason reason;
      for (auto* n : c->nodes) {
        nodes.push_back(check_expr(n, type, reason));
        if (reason.kind == ReasonKind::None) reason = {ReasonKind::Node, n->span, {}, 0, n, true};
      }
      out.push_back(make(arena_, core::ConnectItem{{core::ItemKind::Connect, span}, arena_.copy(nodes)}));
      return;
    }
    case ItemKind::Local: return;  // declared with the block
    case ItemKind::Discrete: {
      auto* d = static_cast<const ast::DiscreteItem*>(item);
      for (auto& name : d->names) {
        Local* local = lookup_local(name.name);
        core::DiscreteItem node{
            {core::ItemKind::Discrete, span}, {local->id, name.name, name.span, false, nullptr, {}}, nullptr};
        if (d->initial)
          node.initial = check_expr(d->initial, local->type,
                                    {ReasonKind::Target, name.span, name.name, 0, nullptr, true});
        node.declaration.attributes = attributes(d->settings, local->type);
        auto* made = arena_.make<core::DiscreteItem>(node);
        layouts_.push_back({&made->declaration.layout, local->type, current_});
        out.push_back(made);
      }
      return;
    }
    case ItemKind::Let:
      for (auto& group : infer_let(static_cast<const ast::LetItem*>(item)->decls))
        out.push_back(make(arena_, core::LetItem{{core::ItemKind::Let, span}, arena_.copy(group)}));
      return;
    case ItemKind::For: return lower_for(static_cast<const ast::ForItem*>(item), out);
    case ItemKind::If: {
      auto* i = static_cast<const ast::IfItem*>(item);
      core::IfItem node{{core::ItemKind::If, span}, nullptr, {}, {}};
      node.condition = check_expr(i->condition, types_.boolean(), {ReasonKind::Condition});
      auto outer_refined = refined_sizes_;
      refine_sizes(node.condition);
      node.then_body = lower_block(i->then_body);
      node.else_body = lower_block(i->else_body);
      refined_sizes_ = std::move(outer_refined);
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::Initially:
    case ItemKind::Guess: {
      core::BlockItem node{
          {item->kind == ItemKind::Initially ? core::ItemKind::Initially : core::ItemKind::Guess, span}, {}};
      const bool outer = std::exchange(in_initially_, item->kind == ItemKind::Initially);
      node.body = lower_block(static_cast<const ast::BlockItem*>(item)->body);
      in_initially_ = outer;
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::Steady: {
      if (!in_initially_) {
        diagnostics_
            .report(Code::SyntaxError, span, "`steady` says how a model starts, and stands in `initially`")
            .help("write `initially steady`");
        return;
      }
      core::SteadyItem node{{core::ItemKind::Steady, span}, {}};
      std::vector<core::Expr*> derivatives;
      for (ast::Expr* signal : static_cast<const ast::SteadyItem*>(item)->signals)
        derivatives.push_back(derivative_of(signal));
      node.derivatives = arena_.copy(derivatives);
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::When: {
      auto* w = static_cast<const ast::WhenItem*>(item);
      core::WhenItem node{{core::ItemKind::When, span}, nullptr, {}};
      node.condition = check_expr(w->condition, types_.boolean(), {ReasonKind::Condition});
      node.body = lower_block(w->body);
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::Every: {
      auto* v = static_cast<const ast::EveryItem*>(item);
      core::EveryItem node{{core::ItemKind::Every, span}, nullptr, {}, {}};
      node.period = check_expr(v->period, types_.seconds(),
                               {ReasonKind::Argument, span, intern("every"), 0, nullptr, false});
      node.settings = clock_settings(v->settings);
      node.body = lower_block(v->body);
      out.push_back(make(arena_, node));
      return;
    }
    case ItemKind::Assign: {
      auto* a = static_cast<const ast::AssignItem*>(item);
      Typed target = infer(a->target);
      core::Expr* value =
          check_expr(a->value, target.type, {ReasonKind::Target, a->target->span, {}, 0, a->target, true});
      out.push_back(make(arena_, core::AssignItem{{core::ItemKind::Assign, span}, target.expr, value}));
      return;
    }
    case ItemKind::Switch: return lower_switch(static_cast<const ast::SwitchItem*>(item), out);
    case ItemKind::Until: {
      auto* u = static_cast<const ast::UntilItem*>(item);
      if (!transitions_) {
        diagnostics_.report(Code::UnknownMode, span, "`until` ends a mode, and this is not in one")
            .help("modes are written in `switch … where`");
        return;
      }
      core::Expr* condition = check_expr(u->condition, types_.boolean(), {ReasonKind::Condition});
      transitions_->push_back({span, condition, check_mode(u->target)});
      return;
    }
    case ItemKind::Assert: {
      auto* a = static_cast<const ast::AssertItem*>(item);
      core::Expr* message = check_expr(a->message, types_.string(), {ReasonKind::Message});
      core::Expr* condition = check_expr(a->condition, types_.boolean(), {ReasonKind::Condition});
      out.push_back(make(arena_, core::AssertItem{{core::ItemKind::Assert, span}, message, condition}));
      return;
    }
    case ItemKind::Terminate:
      out.push_back(
          make(arena_, core::TerminateItem{{core::ItemKind::Terminate, span},
                                           check_expr(static_cast<const ast::TerminateItem*>(item)->condition,
                                                      types_.boolean(), {ReasonKind::Condition})}));
      return;
  }
}

}  // namespace sigrel::check
