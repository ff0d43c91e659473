// Blocks of items: their declarations, then each item.
#include <algorithm>
#include <functional>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/names/free_variables.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

namespace {

/// Whether an item reads inside instances that satisfy a predicate, and how many blocks of items are in it.
class InstanceReads : private FreeVariables {
 public:
  explicit InstanceReads(const std::function<bool(Name)>& of) : of_(of) {}
  void read(ast::Item* const& item) {
    found_ = false;
    blocks_ = 0;
    items({&item, 1});
  }
  bool found() const { return found_; }
  std::uint32_t blocks() const { return blocks_ - 1; }  // without the list of one item

 private:
  void use(const ast::QualifiedIdent&, bool) override {}
  void sigrel(const ast::SigrelExpr&) override {}  // has blocks of its own
  bool label_head(Name name) override { return found_ = of_(name) || found_, false; }
  void enter_block(bool, std::size_t) override { ++blocks_; }

  const std::function<bool(Name)>& of_;
  bool found_ = false;
  std::uint32_t blocks_ = 0;
};

}  // namespace

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
  const std::vector<core::Item*> lowered = check_items(items);
  scopes_.release(m);
  relation.block = outer_block;
  core::Body body;
  body.locals = core_.copy(locals);
  for (std::size_t i = 0; i < types.size(); ++i)
    layouts_.request(&body.locals[i].layout, types[i], i < declared ? display_of(settings[i]) : std::nullopt);
  body.items = core_.copy(lowered);
  return body;
}

/// In their order, except that equations which read inside an instance wait for it, because literals take the
/// types of what is inside: `m.r = [0.0, 0.0, h]` may stand above `m: freeMotion <> (a, b)`.
std::vector<core::Item*> RelationChecker::check_items(std::span<ast::Item* const> items) {
  auto is_equation = [](const ast::Item* item) {
    return item->kind == ast::ItemKind::Equation || item->kind == ast::ItemKind::Initially ||
           item->kind == ast::ItemKind::Guess;
  };
  const auto last_other =
      std::ranges::find_if_not(items.rbegin(), items.rend(), is_equation).base() - items.begin();
  const std::function<bool(Name)> is_ahead = [&](Name name) {
    const LabelInfo* label = find_label(name);
    return label && !label->relation_type;
  };
  InstanceReads reads_ahead(is_ahead);
  std::vector<std::vector<core::Item*>> lowered(items.size());
  struct Postponed {
    std::size_t item;
    std::uint32_t first_block;
  };
  std::vector<Postponed> postponed;
  std::uint32_t& next_block = scopes_.relation()->next_block;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (static_cast<std::ptrdiff_t>(k) < last_other && is_equation(items[k])) {
      reads_ahead.read(items[k]);
      if (reads_ahead.found()) {
        postponed.push_back({k, next_block});
        next_block += reads_ahead.blocks();
        continue;
      }
    }
    check_item(items[k], lowered[k]);
  }
  const std::uint32_t end = next_block;
  for (const Postponed& p : postponed) {
    next_block = p.first_block;
    check_item(items[p.item], lowered[p.item]);
  }
  next_block = end;
  std::vector<core::Item*> result;
  for (const std::vector<core::Item*>& of : lowered) result.insert(result.end(), of.begin(), of.end());
  return result;
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
