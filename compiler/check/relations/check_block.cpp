// Blocks of items: their declarations, then each item.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

core::Body RelationChecker::check_block(std::span<ast::Item* const> items) {
  RelationContext& relation = *scopes_.relation();
  std::uint32_t outer_block = relation.block;
  relation.block = relation.next_block++;
  std::size_t m = scopes_.mark();
  std::vector<core::SignalDecl> locals;
  std::vector<Type*> types;
  std::vector<std::span<ast::Setting>> settings;
  for (const ast::Item* item : items) {
    if (item->kind == ast::ItemKind::Local) {
      auto* l = static_cast<const ast::LocalItem*>(item);
      Type* written = l->type ? reader_.annotation(l->type, kSignal) : nullptr;
      if (written && !unifier_.require(written, kSignal)) {
        diagnostics_
            .report(Code::NotASignal, l->type->span,
                    "a local is a signal; " + messages_.describe(written) + " is not one")
            .help("`let` names values and relations")
            .help(messages_.signal_help(written));
        written = types_.error();
      }
      for (auto& name : l->names) {
        Type* type = written ? written : unifier_.fresh(kSignal);
        locals.push_back(declare_signal(name, type, false));
        types.push_back(type);
        settings.push_back(l->settings);
      }
    } else if (item->kind == ast::ItemKind::Discrete) {
      auto* d = static_cast<const ast::DiscreteItem*>(item);
      Type* written = d->type ? reader_.annotation(d->type, kSignal) : nullptr;
      if (written && !unifier_.require(written, kSignal)) {
        diagnostics_
            .report(Code::NotASignal, d->type->span,
                    "a discrete variable is a signal; " + messages_.describe(written) + " is not one")
            .help(messages_.signal_help(written));
        written = types_.error();
      }
      for (auto& name : d->names) declare_signal(name, written ? written : unifier_.fresh(kSignal), false);
    }
  }
  std::size_t declared = locals.size();
  for (auto& name : relation.blocks[relation.block].implicit) {
    Type* type = unifier_.fresh(kSignal);
    locals.push_back(declare_signal(name, type, true));
    types.push_back(type);
  }
  std::size_t errors = 0;  // before the attributes of a declaration, of which an error is told once
  for (std::size_t i = 0; i < declared; ++i) {
    const bool again = i > 0 && settings[i].data() == settings[i - 1].data();
    if (!again) errors = diagnostics_.error_count();
    if (!again || diagnostics_.error_count() == errors)
      locals[i].attributes = attributes(settings[i], types[i]);
  }
  std::vector<core::Item*> lowered;
  lowered.reserve(items.size());
  for (const ast::Item* item : items) check_item(item, lowered);
  scopes_.release(m);
  relation.block = outer_block;
  core::Body body;
  body.locals = core_.copy(locals);
  for (std::size_t i = 0; i < types.size(); ++i)
    layouts_.request(&body.locals[i].layout, types[i], i < declared ? display_of(settings[i]) : std::nullopt);
  body.items = core_.copy(lowered);
  return body;
}

void RelationChecker::check_item(const ast::Item* item, std::vector<core::Item*>& out) {
  using ast::ItemKind;
  switch (item->kind) {
    case ItemKind::Equation: return check_equation(static_cast<const ast::EquationItem*>(item), out);
    case ItemKind::Application: {
      auto* a = static_cast<const ast::ApplicationItem*>(item);
      for (const ast::ConnectionExpr* block : a->blocks) check_labelled_block(block, out);
      check_application(item, item->span, a->labelled ? &a->label : nullptr, a->relation, a->args, out);
      return;
    }
    case ItemKind::Instance: {
      auto* a = static_cast<const ast::InstanceItem*>(item);
      check_application(item, item->span, &a->label, a->relation, nullptr, out);
      return;
    }
    case ItemKind::Connect: return check_connect(static_cast<const ast::ConnectItem*>(item), out);
    case ItemKind::Local: return;  // declared with the block
    case ItemKind::Discrete: return check_discrete(static_cast<const ast::DiscreteItem*>(item), out);
    case ItemKind::Let: {
      const RelationContext& relation = *scopes_.relation();
      std::vector<ast::Decl*> decls;
      for (ast::Decl* d : static_cast<const ast::LetItem*>(item)->decls)
        if (std::ranges::find(relation.bound_outside, d) == relation.bound_outside.end()) decls.push_back(d);
      for (auto& group : expressions_.check_let(decls))
        out.push_back(core_.make(core::LetItem{{core::ItemKind::Let, item->span}, core_.copy(group)}));
      return;
    }
    case ItemKind::For: return check_for(static_cast<const ast::ForItem*>(item), out);
    case ItemKind::If: return check_if(static_cast<const ast::IfItem*>(item), out);
    case ItemKind::Initially:
    case ItemKind::Guess: return check_initially(static_cast<const ast::BlockItem*>(item), out);
    case ItemKind::Steady: return check_steady(static_cast<const ast::SteadyItem*>(item), out);
    case ItemKind::When: return check_when(static_cast<const ast::WhenItem*>(item), out);
    case ItemKind::Every: return check_every(static_cast<const ast::EveryItem*>(item), out);
    case ItemKind::Assign: return check_assign(static_cast<const ast::AssignItem*>(item), out);
    case ItemKind::Switch: return check_switch(static_cast<const ast::SwitchItem*>(item), out);
    case ItemKind::Until: return check_until(static_cast<const ast::UntilItem*>(item));
    case ItemKind::Assert: {
      auto* a = static_cast<const ast::AssertItem*>(item);
      core::Expr* message = expressions_.check_expr(a->message, types_.string(), {ReasonKind::Message});
      core::Expr* condition =
          expressions_.check_expr(a->condition, types_.boolean(), {ReasonKind::Condition});
      out.push_back(core_.make(core::AssertItem{{core::ItemKind::Assert, item->span}, message, condition}));
      return;
    }
    case ItemKind::Terminate: {
      core::Expr* condition = expressions_.check_expr(static_cast<const ast::TerminateItem*>(item)->condition,
                                                      types_.boolean(), {ReasonKind::Condition});
      out.push_back(core_.make(core::TerminateItem{{core::ItemKind::Terminate, item->span}, condition}));
      return;
    }
  }
}

core::SignalDecl RelationChecker::declare_signal(const ast::Ident& name, Type* type, bool implicit) {
  Local* other = scopes_.lookup_local(name.name);
  if (other && other->kind == Local::Signal && other->relation == scopes_.relation()) {
    scopes_.duplicate_variable(name, other->span);
    type = types_.error();  // which of them a use means is not known
  }
  if (auto at = scopes_.relation()->labels_by_name.find(name.name);
      at != scopes_.relation()->labels_by_name.end())
    diagnostics_
        .report(Code::DuplicateName, name.span,
                "`" + std::string(text(name.name)) + "` is a variable and an instance")
        .also(at->second.front()->span, "the instance")
        .help("give the instance another label");
  Local* local = scopes_.bind(Local::Signal, name.name, type, name.span);
  local->is_named_node = implicit;
  if (scopes_.relation()->loops_around(scopes_.relation()->block) == 0) {
    InsideName inside;
    inside.name = name.name;
    inside.type = type;
    scopes_.relation()->inside.push_back(inside);
  }
  return {local->id, name.name, name.span, implicit, nullptr, {}};
}

}  // namespace sigrel::check
