// `r1.x`, `r1[i].c.x`: what an instance shows.
#include <algorithm>

#include "compiler/check/checker.h"

namespace sigrel::check {

LabelInfo* Checker::find_label(Name name) {
  if (!relation_) return nullptr;
  auto at = relation_->labels_by_name.find(name);
  if (at == relation_->labels_by_name.end()) return nullptr;
  // The innermost block around the use that has it, else any.
  for (std::int32_t b = static_cast<std::int32_t>(relation_->block); b >= 0;
       b = relation_->blocks[static_cast<std::size_t>(b)].parent)
    for (LabelInfo* label : at->second)
      if (label->block == static_cast<std::uint32_t>(b)) return label;
  return at->second.front();
}

LabelInfo* Checker::find_label(const ast::Expr* e) {
  if (!relation_ || relation_->labels_by_name.empty()) return nullptr;
  for (;;) {
    if (e->kind == ast::ExprKind::Field)
      e = static_cast<const ast::FieldExpr*>(e)->base;
    else if (e->kind == ast::ExprKind::Index)
      e = static_cast<const ast::IndexExpr*>(e)->base;
    else
      break;
  }
  if (e->kind != ast::ExprKind::Variable) return nullptr;
  auto& name = static_cast<const ast::VariableExpr*>(e)->name;
  if (name.qualified) return nullptr;
  Local* local = lookup_local(name.ident.name);
  if (local && (local->kind != Local::Signal || local->relation == relation_) && local->relation == relation_)
    return nullptr;
  return find_label(name.ident.name);
}

// The loops around the label that are not around the use: as many indices are needed.
std::uint32_t Checker::unshared_loops(std::uint32_t label_block, std::uint32_t use_block) const {
  auto& blocks = relation_->blocks;
  std::uint32_t a = label_block, b = use_block, loops = 0;
  while (a != b) {
    if (blocks[a].depth >= blocks[b].depth) {
      loops += blocks[a].loops;
      a = static_cast<std::uint32_t>(blocks[a].parent);
    } else {
      b = static_cast<std::uint32_t>(blocks[b].parent);
    }
  }
  return loops;
}

Typed Checker::infer_member(const ast::Expr* e, LabelInfo* label) {
  std::vector<Step> steps;
  std::vector<core::IndexPart> indices;
  Span end = e->span;
  for (;;) {
    if (e->kind == ast::ExprKind::Index) {
      auto* i = static_cast<const ast::IndexExpr*>(e);
      std::vector<core::IndexPart> parts;
      for (auto& part : i->parts) {
        core::Expr* first = check_expr(part.first, types_.integer(), {ReasonKind::IndexValue});
        core::Expr* last =
            part.last ? check_expr(part.last, types_.integer(), {ReasonKind::IndexValue}) : nullptr;
        parts.push_back({first, last});
      }
      indices.insert(indices.begin(), parts.begin(), parts.end());
      e = i->base;
      continue;
    }
    if (e->kind == ast::ExprKind::Field) {
      auto* f = static_cast<const ast::FieldExpr*>(e);
      steps.push_back({f->field, std::move(indices), end});
      indices.clear();
      e = f->base;
      end = e->span;
      continue;
    }
    steps.push_back({static_cast<const ast::VariableExpr*>(e)->name.ident, std::move(indices), end});
    break;
  }
  std::ranges::reverse(steps);
  if (label->relation_type) return resolve_member(*label, steps, relation_->block);
  core::MemberExpr empty{
      {core::ExprKind::Member, steps.back().span}, nullptr, steps.back().name.name, {}, {}};
  auto* node = arena_.make<core::MemberExpr>(empty);
  Type* type = fresh(kPending);
  relation_->waiting.push_back({label, std::move(steps), node, type, relation_->block, static_ > 0});
  return {node, type};
}

void Checker::finish_members(RelationContext& relation) {
  for (auto& waiting : relation.waiting) {
    if (!waiting.label->relation_type) waiting.label->relation_type = types_.error();
    Typed found = resolve_member(*waiting.label, waiting.steps, waiting.block);
    switch (found.expr->kind) {
      case core::ExprKind::Member: *waiting.node = *static_cast<core::MemberExpr*>(found.expr); break;
      case core::ExprKind::Field:
      case core::ExprKind::Index: {
        // The node was made as a member; a field or an element is put in its place (both are smaller).
        static_assert(sizeof(core::FieldExpr) <= sizeof(core::MemberExpr) &&
                      sizeof(core::IndexExpr) <= sizeof(core::MemberExpr));
        if (found.expr->kind == core::ExprKind::Field) {
          auto* field = new (waiting.node) core::FieldExpr(*static_cast<core::FieldExpr*>(found.expr));
          for (auto& f : fields_)
            if (f.node == found.expr) f.node = field;
        } else {
          new (waiting.node) core::IndexExpr(*static_cast<core::IndexExpr*>(found.expr));
        }
        break;
      }
      default: break;  // an error was reported
    }
    if (!agree(waiting.type, found.type))
      mismatch_at(waiting.steps.back().span, found.type, waiting.type, {}, {}, {});
  }
  relation.waiting.clear();
}

Typed Checker::resolve_member(LabelInfo& label, const std::vector<Step>& steps, std::uint32_t block) {
  auto failed = [&]() -> Typed {
    return {primitive(core::Primitive::Time, {}, steps.back().span), types_.error()};
  };
  auto plain = [&](const std::vector<core::IndexPart>& parts) {
    std::vector<core::Expr*> result;
    for (auto& p : parts) result.push_back(p.first);
    return arena_.copy(result);
  };
  auto check_indices = [&](const Step& step, std::uint32_t needed) {
    std::string n(text(step.name.name));
    bool slice = std::ranges::any_of(step.indices, [](auto& p) { return p.last != nullptr; });
    if (!slice && step.indices.size() == needed) return true;
    auto& d = diagnostics_.report(Code::InstanceIndices, step.span,
                                  needed == 0 ? "the instance `" + n + "` is not indexed here"
                                              : "the instance `" + n + "` is made in a `for`: it needs " +
                                                    std::to_string(needed) +
                                                    (needed == 1 ? " index" : " indices") + " here");
    d.also(label.span, "the instance");
    if (needed == 1) d.help("write `" + n + "[i]`");
    return false;
  };
  const Step& first = steps.front();
  if (steps.size() == 1) {
    diagnostics_
        .report(Code::InstanceAsValue, first.span,
                "`" + std::string(text(first.name.name)) + "` is an instance, not a signal")
        .also(label.span, "the instance")
        .help("read one of its variables: `" + std::string(text(first.name.name)) + ".x`");
    return failed();
  }
  if (!check_indices(first, unshared_loops(label.block, block))) return failed();
  core::Expr* node = arena_.make<core::LabelExpr>(
      core::LabelExpr{{core::ExprKind::Label, first.span}, label.id, plain(first.indices)});
  Type* type = label.relation_type;
  std::optional<core::GlobalId> head = label.head;
  std::uint32_t head_args = label.head_args;
  std::string path(text(first.name.name));
  std::size_t i = 1;
  Typed signal{nullptr, nullptr};
  for (; i < steps.size(); ++i) {
    const Step& step = steps[i];
    Type* relation = find(type);
    if (relation->kind == TypeKind::Error) return failed();
    auto member = [&](std::optional<std::uint32_t> index, std::span<core::Expr*> indices) {
      return arena_.make<core::MemberExpr>(
          core::MemberExpr{{core::ExprKind::Member, step.span}, node, step.name.name, index, indices});
    };
    if (relation->kind == TypeKind::Relation) {
      auto names = relation->interface;
      Type* interface = find(relation->args[0]);
      for (std::size_t k = 0; k < names.size() && !signal.expr; ++k) {
        if (!names[k].named || names[k].name != step.name.name) continue;
        Type* t = names.size() == 1 ? interface : interface->args[k];
        signal = {member(static_cast<std::uint32_t>(k), {}), t};
      }
    }
    if (signal.expr) {
      note_units(signal.type);
      break;
    }
    const InsideName* inside = nullptr;
    if (head)
      for (auto& candidate : globals_[head->value].inside)
        if (candidate.name == step.name.name) inside = &candidate;
    if (!inside) {
      std::string n(text(step.name.name));
      auto& d = diagnostics_.report(Code::UnknownMember, step.name.span,
                                    "`" + path + "` has no variable `" + n + "`");
      d.also(label.span, "the instance");
      std::vector<std::string_view> candidates;
      if (relation->kind == TypeKind::Relation)
        for (auto& name : relation->interface)
          if (name.named) candidates.push_back(text(name.name));
      if (head)
        for (auto& name : globals_[head->value].inside) candidates.push_back(text(name.name));
      std::ranges::sort(candidates);
      candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
      if (auto near = did_you_mean(n, candidates)) {
        d.fix("did you mean `" + std::string(*near) + "`?", step.name.span, std::string(*near));
      } else if (!candidates.empty()) {
        std::string all;
        for (auto c : candidates) all += (all.empty() ? "`" : ", `") + std::string(c) + "`";
        d.help("it has " + all);
      }
      if (!head)
        d.note(
            "what is inside can be read only where the relation is a top-level definition; here it is known "
            "by its type, " +
            describe(type));
      return failed();
    }
    // The types inside go with this use of the definition.
    Type* inside_type = inside->type;
    note_units(inside_type);
    GlobalState& state = globals_[head->value];
    if (state.polymorphic) {
      std::vector<Type*> instances;
      Type* wanted[] = {inside->type};
      Type* instance = find(instantiate(state.scheme, wanted, instances));
      for (std::uint32_t a = 0; a < head_args && instance->kind == TypeKind::Function; ++a)
        instance = find(instance->args[1]);
      unify(instance, type);
      inside_type = instances[0];
    }
    if (!inside->is_label) {
      signal = {member(inside->interface_index, {}), inside_type};
      break;
    }
    if (!check_indices(step, inside->dimensions)) return failed();
    node = member(std::nullopt, plain(step.indices));
    type = inside_type;
    head = inside->head;
    head_args = inside->head_args;
    path += "." + std::string(text(step.name.name));
    if (i + 1 == steps.size()) {
      diagnostics_.report(Code::InstanceAsValue, step.span, "`" + path + "` is an instance, not a signal");
      return failed();
    }
  }
  auto index = [&](const Step& step) {
    if (step.indices.empty()) return;
    auto parts = arena_.copy(step.indices);
    Type* element = indexed(signal.type, parts, step.span);
    signal = {
        arena_.make<core::IndexExpr>(core::IndexExpr{{core::ExprKind::Index, step.span}, signal.expr, parts}),
        element};
  };
  index(steps[i]);
  for (++i; i < steps.size(); ++i) {
    signal = select(signal, steps[i].name, steps[i].span, nullptr);
    index(steps[i]);
  }
  return signal;
}

}  // namespace sigrel::check
