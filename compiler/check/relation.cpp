// sigrel literals: the names of a body, its blocks.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {

/// Finds the blocks, labels and implicit locals of one relation body. A name that nothing binds is an
/// implicit local if it occurs in the arguments of `<>` or `connect`; it belongs to the innermost block that
/// contains all its uses.
class ImplicitLocals : public UseWalker {
 public:
  ImplicitLocals(Checker& checker, RelationContext& relation) : checker_(checker), relation_(relation) {}

  void run(const ast::SigrelExpr& e) {
    collect_labels(e.body);
    items(e.body);
    for (Name name : order_) {
      const Use& use = uses_.at(name);
      if (use.node) relation_.blocks[use.block].implicit.push_back({name, use.span});
    }
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override {
    if (name.qualified) return;
    if (Local* local = checker_.lookup_local(name.ident.name))
      if (local->kind != Local::Signal || local->relation == &relation_) return;
    if (checker_.scope_->value(name.ident.name)) return;
    auto [at, fresh] = uses_.try_emplace(name.ident.name, Use{block_, false, name.ident.span});
    if (fresh) order_.push_back(name.ident.name);
    at->second.node |= node_arguments_ > 0;
    at->second.block = common(at->second.block, block_);
  }
  bool label_head(Name name) override { return labels_.contains(name); }
  void sigrel(const ast::SigrelExpr&) override {}  // has names of its own

  void enter_block(bool loop, std::size_t loop_count) override {
    BlockInfo info;
    info.parent = relation_.blocks.empty() ? -1 : static_cast<std::int32_t>(block_);
    info.depth = info.parent < 0 ? 0 : relation_.blocks[block_].depth + 1;
    info.loops = loop ? static_cast<std::uint32_t>(loop_count) : 0;
    block_ = static_cast<std::uint32_t>(relation_.blocks.size());
    relation_.blocks.push_back(std::move(info));
  }
  void leave_block() override {
    if (relation_.blocks[block_].parent >= 0)
      block_ = static_cast<std::uint32_t>(relation_.blocks[block_].parent);
  }
  void label(const ast::Ident& name, const ast::Item& item) override {
    auto& same = relation_.labels_by_name[name.name];
    for (LabelInfo* other : same)
      if (other->block == block_) return checker_.duplicate(name, other->span, "the instance");
    LabelInfo info;
    info.name = name.name;
    info.id = checker_.new_local(name.name);
    info.span = name.span;
    info.item = &item;
    info.block = block_;
    relation_.labels.push_back(info);
    same.push_back(&relation_.labels.back());
  }

 private:
  struct Use {
    std::uint32_t block;
    bool node;
    Span span;
  };

  std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
    auto& blocks = relation_.blocks;
    while (a != b) {
      if (blocks[a].depth < blocks[b].depth) std::swap(a, b);
      a = static_cast<std::uint32_t>(blocks[a].parent);
    }
    return a;
  }

  void collect_labels(std::span<ast::Item* const> body) {
    for (const ast::Item* i : body) {
      switch (i->kind) {
        case ast::ItemKind::Application:
          if (auto* a = static_cast<const ast::ApplicationItem*>(i); a->labelled)
            labels_.insert(a->label.name);
          break;
        case ast::ItemKind::Instance:
          labels_.insert(static_cast<const ast::InstanceItem*>(i)->label.name);
          break;
        case ast::ItemKind::For: collect_labels(static_cast<const ast::ForItem*>(i)->body); break;
        case ast::ItemKind::If:
          collect_labels(static_cast<const ast::IfItem*>(i)->then_body);
          collect_labels(static_cast<const ast::IfItem*>(i)->else_body);
          break;
        case ast::ItemKind::Switch:
          for (auto& mode : static_cast<const ast::SwitchItem*>(i)->modes) collect_labels(mode.body);
          break;
        case ast::ItemKind::Initially:
        case ast::ItemKind::Guess: collect_labels(static_cast<const ast::BlockItem*>(i)->body); break;
        case ast::ItemKind::When: collect_labels(static_cast<const ast::WhenItem*>(i)->body); break;
        case ast::ItemKind::Every: collect_labels(static_cast<const ast::EveryItem*>(i)->body); break;
        case ast::ItemKind::Equation:
        case ast::ItemKind::Steady:
        case ast::ItemKind::Connect:
        case ast::ItemKind::Local:
        case ast::ItemKind::Discrete:
        case ast::ItemKind::Let:
        case ast::ItemKind::Assign:
        case ast::ItemKind::Until:
        case ast::ItemKind::Assert:
        case ast::ItemKind::Terminate: break;
      }
    }
  }

  Checker& checker_;
  RelationContext& relation_;
  std::uint32_t block_ = 0;
  std::unordered_set<Name> labels_;
  std::unordered_map<Name, Use> uses_;
  std::vector<Name> order_;
};

std::uint32_t Checker::total_loops(const RelationContext& relation, std::uint32_t block) const {
  std::uint32_t loops = 0;
  for (std::int32_t b = static_cast<std::int32_t>(block); b >= 0;
       b = relation.blocks[static_cast<std::size_t>(b)].parent)
    loops += relation.blocks[static_cast<std::size_t>(b)].loops;
  return loops;
}

Typed Checker::infer_sigrel(const ast::SigrelExpr* e, Type* hint) {
  RelationContext context;
  context.parent = relation_;
  context.ast = e;
  RelationContext* outer = relation_;
  ModeContext* outer_modes = modes_;
  auto* outer_transitions = transitions_;
  int outer_static = static_;
  relation_ = &context;
  const ModeContext* outer_names = mode_names_;
  modes_ = nullptr;
  mode_names_ = nullptr;
  transitions_ = nullptr;
  static_ = 0;
  std::size_t m = mark();

  auto* relation = arena_.make<core::Relation>();
  auto named = sigrel_names_.find(e);
  bool has_head = named != sigrel_names_.end() && named->second.second.end != 0;
  relation->name = named != sigrel_names_.end() ? named->second.first : intern("sigrel");
  Span head = has_head ? named->second.second : e->span;
  std::uint32_t head_end = e->formals.empty() ? std::min(e->span.end, e->span.begin + 9)
                                              : std::min(e->span.end, e->formals.back().name.span.end + 1);
  relation->span = {head.file, head.begin, std::max(head_end, head.begin)};

  // The expected type gives types and marks to formals that have none written.
  Type* known = hint ? find(hint) : nullptr;
  std::vector<Type*> expected;
  std::span<InterfaceName> expected_names;
  bool refused = false;
  if (known && known->kind == TypeKind::Relation) {
    Type* interface = find(known->args[0]);
    bool single = known->interface.size() == 1 || interface->kind != TypeKind::Tuple;
    if (single && interface->kind != TypeKind::Variable && interface->kind != TypeKind::Error)
      expected.push_back(interface);
    if (!single) expected.assign(interface->args.begin(), interface->args.end());
    bool open = interface->kind == TypeKind::Variable || interface->kind == TypeKind::Error;
    if (!open && expected.size() != e->formals.size()) {
      std::size_t has = e->formals.size();
      diagnostics_
          .report(Code::InterfaceArity, relation->span,
                  "this relation has " + std::to_string(has) +
                      (has == 1 ? " interface variable" : " interface variables") + "; its type has " +
                      std::to_string(expected.size()))
          .note("its type is " + describe(known));
      expected.clear();
      refused = contradicted_ = true;
    } else if (!open) {
      expected_names = known->interface;
    }
    if (open) expected.clear();
  }

  std::vector<core::Formal> formals;
  std::vector<Type*> types;
  std::vector<InterfaceName> names;
  for (std::size_t i = 0; i < e->formals.size(); ++i) {
    const ast::Formal& f = e->formals[i];
    Type* type = f.type ? annotation(f.type, kSignal) : i < expected.size() ? expected[i] : fresh(kSignal);
    if (f.type && i < expected.size() && !agree(expected[i], type)) {
      mismatch_at(f.type->span, type, expected[i], {ReasonKind::Signature}, {}, {});
      type = types_.error();
    }
    if (!require(type, kSignal)) {
      diagnostics_.report(Code::NotASignal, f.name.span,
                          "an interface variable is a signal; " + describe(type) + " is none");
      type = types_.error();
    }
    for (std::size_t j = 0; j < i; ++j)
      if (e->formals[j].name.name == f.name.name)
        duplicate(f.name, e->formals[j].name.span, "the interface variable");
    core::Causality causality = static_cast<core::Causality>(f.causality);
    if (causality == core::Causality::None && i < expected_names.size())
      causality = expected_names[i].causality;
    Local* local = bind(Local::Signal, f.name.name, type, f.name.span);
    formals.push_back({local->id, f.name.name, f.name.span, causality, nullptr});
    types.push_back(type);
    names.push_back({true, f.name.name, causality});
  }
  relation->formals = arena_.copy(formals);
  for (std::size_t i = 0; i < types.size(); ++i)
    layouts_.push_back({&relation->formals[i].layout, types[i], current_});

  ImplicitLocals(*this, context).run(*e);
  relation->body = lower_block(e->body);
  finish_members(context);
  blocks_.push_back({relation, inside_sigrels_.contains(e) ? std::optional(current_) : std::nullopt});
  if (inside_sigrels_.contains(e)) remember_inside(context, relation->formals, types);

  release(m);
  relation_ = outer;
  modes_ = outer_modes;
  mode_names_ = outer_names;
  transitions_ = outer_transitions;
  static_ = outer_static;
  auto* node = arena_.make<core::SigrelExpr>(core::SigrelExpr{{core::ExprKind::Sigrel, e->span}, relation});
  if (refused) return {node, types_.error()};
  return {node, types_.relation(types.size() == 1 ? types[0] : types_.tuple(types), std::move(names))};
}

// What `r.x` may read where `r` is an instance of the definition being checked.
void Checker::remember_inside(RelationContext& relation, std::span<const core::Formal> formals,
                              const std::vector<Type*>& types) {
  auto& inside = globals_[current_.value].inside;
  auto add = [&](InsideName name) {
    for (auto& known : inside)
      if (known.name == name.name) return;
    inside.push_back(std::move(name));
  };
  for (std::size_t i = 0; i < formals.size(); ++i) {
    InsideName name;
    name.name = formals[i].name;
    name.type = types[i];
    name.interface_index = static_cast<std::uint32_t>(i);
    add(name);
  }
  for (auto& name : relation.inside) add(name);
  for (auto& label : relation.labels) {
    InsideName name;
    name.name = label.name;
    name.type = label.relation_type ? label.relation_type : types_.error();
    name.is_label = true;
    name.dimensions = total_loops(relation, label.block);
    name.head = label.head;
    name.head_args = label.head_args;
    add(name);
  }
}

core::SignalDecl Checker::signal_decl(const ast::Ident& name, Type* type, bool implicit) {
  Local* other = lookup_local(name.name);
  if (other && other->kind == Local::Signal && other->relation == relation_)
    duplicate(name, other->span, "the variable");
  if (auto at = relation_->labels_by_name.find(name.name); at != relation_->labels_by_name.end())
    diagnostics_
        .report(Code::DuplicateName, name.span,
                "`" + std::string(text(name.name)) + "` is a variable and an instance")
        .also(at->second.front()->span, "the instance")
        .help("give the instance another label");
  Local* local = bind(Local::Signal, name.name, type, name.span);
  if (total_loops(*relation_, relation_->block) == 0) {
    InsideName inside;
    inside.name = name.name;
    inside.type = type;
    relation_->inside.push_back(inside);
  }
  core::SignalDecl decl{local->id, name.name, name.span, implicit, nullptr, {}};
  return decl;
}

std::span<core::Attribute> Checker::attributes(std::span<ast::Setting> settings, Type* type) {
  std::vector<core::Attribute> result;
  for (auto& s : settings) {
    std::string_view n = text(s.name.name);
    if (n == "guess" || n == "nominal" || n == "min" || n == "max") {
      result.push_back(
          {s.name.name,
           check_expr(s.value, type, {ReasonKind::Attribute, s.name.span, s.name.name, 0, nullptr, false}),
           s.name.span});
    } else if (n == "state") {
      static constexpr std::string_view kChoices[] = {"Default", "Prefer", "Avoid", "Always", "Never"};
      std::string choice = s.value->kind == ast::ExprKind::Constructor ? head_text(s.value) : "";
      auto at = std::ranges::find(kChoices, choice);
      if (at == std::end(kChoices)) {
        diagnostics_.report(Code::UnknownField, s.value->span,
                            "`state` is one of `Default`, `Prefer`, `Avoid`, `Always`, `Never`");
        continue;
      }
      core::ConstructExpr value{{core::ExprKind::Construct, s.value->span},
                                intern(choice),
                                static_cast<std::uint32_t>(at - std::begin(kChoices)),
                                {}};
      result.push_back({s.name.name, arena_.make<core::ConstructExpr>(value), s.name.span});
    } else {
      auto& d = diagnostics_.report(Code::UnknownField, s.name.span,
                                    "a variable has no attribute `" + std::string(n) + "`");
      if (auto near = did_you_mean(n, {"guess", "nominal", "min", "max", "state"}))
        d.fix("did you mean `" + std::string(*near) + "`?", s.name.span, std::string(*near));
      else if (n == "start")
        d.help("`guess` starts the search for initial values; `initially` fixes them");
      else
        d.help("the attributes are `guess`, `nominal`, `min`, `max` and `state`");
      infer(s.value);
    }
  }
  return arena_.copy(result);
}

/// What `every` takes beside its period.
std::span<core::Attribute> Checker::clock_settings(std::span<ast::Setting> settings) {
  std::vector<core::Attribute> result;
  for (auto& s : settings) {
    const std::string_view n = text(s.name.name);
    if (n == "offset" || n == "start" || n == "stop" || n == "jitter") {
      Type* type = n == "jitter" ? types_.list(types_.seconds()) : types_.seconds();
      result.push_back(
          {s.name.name,
           check_expr(s.value, type, {ReasonKind::Attribute, s.name.span, s.name.name, 0, nullptr, false}),
           s.name.span});
      continue;
    }
    auto& d = diagnostics_.report(Code::UnknownField, s.name.span,
                                  "a clock has no setting `" + std::string(n) + "`");
    if (auto near = did_you_mean(n, {"offset", "start", "stop", "jitter"}))
      d.fix("did you mean `" + std::string(*near) + "`?", s.name.span, std::string(*near));
    else
      d.help("the settings are `offset`, `start`, `stop` and `jitter`");
    infer(s.value);
  }
  return arena_.copy(result);
}

core::Body Checker::lower_block(std::span<ast::Item* const> items) {
  RelationContext& relation = *relation_;
  std::uint32_t outer_block = relation.block;
  relation.block = relation.next_block++;
  std::size_t m = mark();
  std::vector<core::SignalDecl> locals;
  std::vector<Type*> types;
  std::vector<std::span<ast::Setting>> settings;
  for (const ast::Item* item : items) {
    if (item->kind == ast::ItemKind::Local) {
      auto* l = static_cast<const ast::LocalItem*>(item);
      Type* written = l->type ? annotation(l->type, kSignal) : nullptr;
      if (written && !require(written, kSignal)) {
        diagnostics_
            .report(Code::NotASignal, l->type->span, "a local is a signal; " + describe(written) + " is none")
            .help("`let` names values and relations");
        written = types_.error();
      }
      for (auto& name : l->names) {
        Type* type = written ? written : fresh(kSignal);
        locals.push_back(signal_decl(name, type, false));
        types.push_back(type);
        settings.push_back(l->settings);
      }
    } else if (item->kind == ast::ItemKind::Discrete) {
      auto* d = static_cast<const ast::DiscreteItem*>(item);
      Type* written = d->type ? annotation(d->type, kSignal) : nullptr;
      for (auto& name : d->names) signal_decl(name, written ? written : fresh(kSignal), false);
    }
  }
  std::size_t declared = locals.size();
  for (auto& name : relation.blocks[relation.block].implicit) {
    Type* type = fresh(kSignal);
    locals.push_back(signal_decl(name, type, true));
    types.push_back(type);
  }
  for (std::size_t i = 0; i < declared; ++i) locals[i].attributes = attributes(settings[i], types[i]);
  std::vector<core::Item*> lowered;
  lowered.reserve(items.size());
  for (const ast::Item* item : items) lower_item(item, lowered);
  release(m);
  relation.block = outer_block;
  core::Body body;
  body.locals = arena_.copy(locals);
  for (std::size_t i = 0; i < types.size(); ++i)
    layouts_.push_back({&body.locals[i].layout, types[i], current_});
  body.items = arena_.copy(lowered);
  return body;
}

}  // namespace sigrel::check
