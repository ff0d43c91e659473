// Member references: `r1.x`, `r1[i].c.x`.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

LabelInfo* RelationChecker::find_label(const ast::Expr* e) const {
  if (!scopes_.relation() || scopes_.relation()->labels_by_name.empty()) return nullptr;
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
  Local* local = scopes_.lookup_local(name.ident.name);
  if (local && local->relation == scopes_.relation()) return nullptr;
  return find_label(name.ident.name);
}

std::vector<MemberStep> RelationChecker::member_steps(const ast::Expr* e) {
  auto index = [&](const ast::Expr* i) {
    return i ? expressions_.check_expr(i, types_.integer(), {ReasonKind::IndexValue}) : nullptr;
  };
  std::vector<MemberStep> steps;
  std::vector<core::IndexPart> indices;
  Span end = e->span;
  for (;;) {
    if (e->kind == ast::ExprKind::Index) {
      auto* i = static_cast<const ast::IndexExpr*>(e);
      std::vector<core::IndexPart> parts;
      for (auto& part : i->parts) {
        core::Expr* first = index(part.first);
        parts.push_back({first, index(part.last)});
      }
      indices.insert(indices.begin(), parts.begin(), parts.end());
      e = i->base;
    } else if (e->kind == ast::ExprKind::Field) {
      auto* f = static_cast<const ast::FieldExpr*>(e);
      steps.push_back({f->field, std::move(indices), end});
      indices.clear();
      e = f->base;
      end = e->span;
    } else {
      steps.push_back({static_cast<const ast::VariableExpr*>(e)->name.ident, std::move(indices), end});
      break;
    }
  }
  std::ranges::reverse(steps);
  return steps;
}

Typed RelationChecker::infer_member(const ast::Expr* e, LabelInfo* label) {
  RelationContext& relation = *scopes_.relation();
  std::vector<MemberStep> steps = member_steps(e);
  if (label->relation_type) return resolve_member(*label, steps, relation.block);
  auto* node = core_.make(
      core::MemberExpr{{core::ExprKind::Member, steps.back().span}, nullptr, steps.back().name.name, {}, {}});
  Type* type = unifier_.fresh(kPending);
  relation.deferred_members.push_back({label, std::move(steps), node, type, relation.block});
  return {node, type};
}

void RelationChecker::finish_members(RelationContext& relation) {
  for (auto& member : relation.deferred_members) {
    if (!member.label->relation_type) member.label->relation_type = types_.error();
    Typed found = resolve_member(*member.label, member.steps, member.block);
    // The node was made as a member; a field or an element is put in its place (both are smaller).
    static_assert(sizeof(core::FieldExpr) <= sizeof(core::MemberExpr) &&
                  sizeof(core::IndexExpr) <= sizeof(core::MemberExpr));
    switch (found.expr->kind) {
      case core::ExprKind::Member:
        *member.node = *static_cast<core::MemberExpr*>(found.expr);
        layouts_.request(&member.node->layout, found.type);
        break;
      case core::ExprKind::Field:
        deferred_.move_field(found.expr,
                             new (member.node) core::FieldExpr(*static_cast<core::FieldExpr*>(found.expr)));
        break;
      case core::ExprKind::Index:
        new (member.node) core::IndexExpr(*static_cast<core::IndexExpr*>(found.expr));
        break;
      default: break;  // an error was reported
    }
    if (!unifier_.agree(member.type, found.type))
      messages_.mismatch_at(member.steps.back().span, found.type, member.type, {}, {}, {});
  }
  relation.deferred_members.clear();
}

/// The way from a labelled instance through instances inside it to a signal.
class RelationChecker::MemberPath {
 public:
  MemberPath(RelationChecker& checker, LabelInfo& label, const std::vector<MemberStep>& steps)
      : checker_(checker),
        label_(label),
        steps_(steps),
        type_(label.relation_type),
        head_(label.head),
        head_args_(label.head_args),
        path_(text(steps.front().name.name)) {}

  /// The signal, and the number of steps up to it; nothing after a report. `loops`: the indices that the
  /// first step needs.
  std::optional<std::pair<Typed, std::size_t>> resolve(std::uint32_t loops) {
    const MemberStep& first = steps_.front();
    if (steps_.size() == 1) {
      checker_.diagnostics_
          .report(Code::InstanceAsValue, first.span, "`" + path_ + "` is an instance, not a signal")
          .also(label_.span, "the instance")
          .help("read one of its variables: `" + path_ + ".x`");
      return std::nullopt;
    }
    if (!check_indices(first, loops)) return std::nullopt;
    node_ = checker_.core_.make(
        core::LabelExpr{{core::ExprKind::Label, first.span}, label_.id, plain_indices(first)});
    for (std::size_t i = 1; i < steps_.size(); ++i) {
      const MemberStep& step = steps_[i];
      Type* relation = find(type_);
      if (relation->kind == TypeKind::Error) return std::nullopt;
      if (Typed signal = interface_variable(step, relation); signal.expr) return {{signal, i}};
      const InsideName* inside = find_inside(step.name.name);
      if (!inside) {
        report_unknown(step, relation);
        return std::nullopt;
      }
      Type* inside_type = instantiate(*inside);
      if (!inside->is_label) return {{variable(step, inside->interface_index, inside_type), i}};
      if (!check_indices(step, inside->dimensions)) return std::nullopt;
      node_ = member(step, std::nullopt, plain_indices(step));
      type_ = inside_type;
      head_ = inside->head;
      head_args_ = inside->head_args;
      path_ += "." + std::string(text(step.name.name));
    }
    checker_.diagnostics_.report(Code::InstanceAsValue, steps_.back().span,
                                 "`" + path_ + "` is an instance, not a signal");
    return std::nullopt;
  }

 private:
  std::span<core::Expr*> plain_indices(const MemberStep& step) {
    std::vector<core::Expr*> result;
    for (auto& p : step.indices) result.push_back(p.first);
    return checker_.core_.copy(result);
  }

  core::MemberExpr* member(const MemberStep& step, std::optional<std::uint32_t> index,
                           std::span<core::Expr*> indices) {
    return checker_.core_.make(
        core::MemberExpr{{core::ExprKind::Member, step.span}, node_, step.name.name, index, indices});
  }

  Typed variable(const MemberStep& step, std::optional<std::uint32_t> index, Type* type) {
    core::MemberExpr* result = member(step, index, {});
    checker_.layouts_.request(&result->layout, type);
    return {result, type};
  }

  bool check_indices(const MemberStep& step, std::uint32_t needed) {
    std::string n(text(step.name.name));
    bool slice = std::ranges::any_of(step.indices, [](auto& p) { return p.last != nullptr; });
    if (!slice && step.indices.size() == needed) return true;
    auto& d = checker_.diagnostics_.report(
        Code::InstanceIndices, step.span,
        needed == 0 ? "the instance `" + n + "` is not indexed here"
                    : "the instance `" + n + "` is made in a `for`: it needs " + std::to_string(needed) +
                          (needed == 1 ? " index" : " indices") + " here");
    d.also(label_.span, "the instance");
    if (needed == 1) d.help("write `" + n + "[i]`");
    if (needed == 0)
      d.help("write `" + n + "` alone: inside its own `for` it is the instance of this iteration");
    return false;
  }

  Typed interface_variable(const MemberStep& step, Type* relation) {
    if (relation->kind != TypeKind::Relation) return {nullptr, nullptr};
    auto names = relation->interface;
    Type* interface = find(relation->args[0]);
    for (std::uint32_t k = 0; k < names.size(); ++k) {
      if (!names[k].named || names[k].name != step.name.name) continue;
      Type* type = names.size() == 1 ? interface : interface->args[k];
      checker_.units_.note(type);
      return variable(step, k, type);
    }
    return {nullptr, nullptr};
  }

  const InsideName* find_inside(Name name) const {
    const InsideName* found = nullptr;
    if (head_)
      for (auto& candidate : checker_.globals_[*head_].inside)
        if (candidate.name == name) found = &candidate;
    return found;
  }

  /// The type of `inside` in this use of the definition.
  Type* instantiate(const InsideName& inside) {
    checker_.units_.note(inside.type);
    GlobalState& state = checker_.globals_[*head_];
    if (!state.polymorphic) return inside.type;
    std::vector<Type*> instances;
    Type* wanted[] = {inside.type};
    Type* instance = find(checker_.unifier_.instantiate(state.scheme, wanted, instances));
    for (std::uint32_t a = 0; a < head_args_ && instance->kind == TypeKind::Function; ++a)
      instance = find(instance->args[1]);
    checker_.unifier_.unify(instance, type_);
    return instances[0];
  }

  void report_unknown(const MemberStep& step, Type* relation) {
    if (checker_.scopes_.module().incomplete) return;  // the relation, or the variable in it, may be missing
    if (head_ && checker_.globals_.is_unknown(*head_)) return;
    auto& reported = checker_.scopes_.relation()->unknown_members;
    const std::tuple member{head_, head_ ? core::LocalId{} : label_.id, step.name.name};
    if (std::ranges::find(reported, member) != reported.end()) return;
    if (checker_.scopes_.is_reported(step.name.name)) return;  // its declaration is missing in the relation
    reported.push_back(member);
    std::string n(text(step.name.name));
    auto& d = checker_.diagnostics_.report(Code::UnknownMember, step.name.span,
                                           "`" + path_ + "` has no variable `" + n + "`");
    d.also(label_.span, "the instance");
    std::vector<std::string_view> candidates;
    if (relation->kind == TypeKind::Relation)
      for (auto& name : relation->interface)
        if (name.named) candidates.push_back(text(name.name));
    if (head_)
      for (auto& name : checker_.globals_[*head_].inside) candidates.push_back(text(name.name));
    std::ranges::sort(candidates);
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    if (auto near = did_you_mean(n, candidates)) {
      d.fix("did you mean `" + std::string(*near) + "`?", step.name.span, std::string(*near));
    } else if (!candidates.empty()) {
      std::string all;
      for (auto c : candidates) all += (all.empty() ? "`" : ", `") + std::string(c) + "`";
      d.help("it has " + all);
    }
    if (!head_)
      d.note(
          "the inside of a relation can be read only where the relation is a top-level definition; here it "
          "is "
          "known by its type, " +
          checker_.messages_.describe(type_));
  }

  RelationChecker& checker_;
  LabelInfo& label_;
  const std::vector<MemberStep>& steps_;
  core::Expr* node_ = nullptr;  // of the instance reached
  Type* type_;                  // of its relation
  std::optional<core::GlobalId> head_;
  std::uint32_t head_args_;
  std::string path_;
};

/// `block`: where the reference is.
Typed RelationChecker::resolve_member(LabelInfo& label, const std::vector<MemberStep>& steps,
                                      std::uint32_t block) {
  auto found =
      MemberPath(*this, label, steps).resolve(scopes_.relation()->unshared_loops(label.block, block));
  if (!found) return {core_.placeholder(steps.back().span), types_.error()};
  auto [signal, i] = *found;
  auto index = [&](const MemberStep& step) {
    if (step.indices.empty()) return;
    auto parts = core_.copy(step.indices);
    Type* element = deferred_.indexed(signal.type, parts, step.span);
    signal = {core_.make(core::IndexExpr{{core::ExprKind::Index, step.span}, signal.expr, parts}), element};
  };
  index(steps[i]);
  for (++i; i < steps.size(); ++i) {
    signal = deferred_.select(signal, steps[i].name, steps[i].span, nullptr);
    index(steps[i]);
  }
  return signal;
}

Type* RelationChecker::parameter_type(const ast::Expr* relation, std::string_view path) {
  std::uint32_t args = 0;
  std::optional<core::GlobalId> head = head_global(relation, args);
  Type* found = nullptr;  // of the part of the path so far, where that is a parameter
  while (!path.empty()) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    const Name name = intern(part.substr(0, part.find('[')));
    if (found) {  // a field of a record
      const auto index = is_record(found) ? field_index(*found->constructor, name) : std::nullopt;
      if (!index) return nullptr;
      found = find(units_.field_type(*found->constructor, *index, found));
      continue;
    }
    if (!head) return nullptr;
    for (Type* t = find(globals_[*head].scheme); t->kind == TypeKind::Function && !found;
         t = find(t->args[1]))
      if (t->parameter == name) found = find(t->args[0]);
    if (found) continue;
    const auto& inside = globals_[*head].inside;
    const auto label = std::ranges::find(inside, name, &InsideName::name);
    if (label == inside.end() || !label->is_label) return nullptr;
    head = label->head;
  }
  if (!found || !is_constructor(found, types_.real_constructor) || is_generic(found)) return nullptr;
  units_.note(found);
  return found;
}

}  // namespace sigrel::check
