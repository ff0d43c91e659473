// Relation literals: `sigrel (…) where …`.
#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/implicit_locals.h"
#include "compiler/check/relations/let_order.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

namespace {

/// `3.0`, `-3.0<m>`.
bool is_number(const ast::Expr* e) {
  if (e->kind == ast::ExprKind::Unary) e = static_cast<const ast::UnaryExpr*>(e)->operand;
  return e->kind == ast::ExprKind::Real;
}

/// The `let`s of a body that name a number, with their signatures. They do not depend on the body, unless
/// another declaration in it has their name.
std::vector<ast::Decl*> named_numbers(const ast::SigrelExpr& e) {
  std::vector<Name> taken;
  for (const ast::Formal& f : e.formals) taken.push_back(f.name.name);
  std::vector<const ast::ClauseDecl*> clauses;
  for (const ast::Item* item : e.body) {
    if (item->kind == ast::ItemKind::Local)
      for (auto& n : static_cast<const ast::LocalItem*>(item)->names) taken.push_back(n.name);
    if (item->kind == ast::ItemKind::Discrete)
      for (auto& n : static_cast<const ast::DiscreteItem*>(item)->names) taken.push_back(n.name);
    if (item->kind != ast::ItemKind::Let) continue;
    for (const ast::Decl* d : static_cast<const ast::LetItem*>(item)->decls) {
      if (d->kind == ast::DeclKind::Binding) {
        std::vector<ast::Ident> names;
        bound_names(static_cast<const ast::BindingDecl*>(d)->pattern, names);
        for (auto& n : names) taken.push_back(n.name);
      }
      if (d->kind == ast::DeclKind::Clause) clauses.push_back(static_cast<const ast::ClauseDecl*>(d));
    }
  }
  auto is_alone = [&](Name name) {
    return std::ranges::find(taken, name) == taken.end() &&
           std::ranges::count(clauses, name, [](auto* c) { return c->name.name; }) == 1;
  };
  std::vector<ast::Decl*> result;
  for (const ast::Item* item : e.body) {
    if (item->kind != ast::ItemKind::Let) continue;
    auto decls = static_cast<const ast::LetItem*>(item)->decls;
    for (ast::Decl* d : decls) {
      if (d->kind != ast::DeclKind::Clause) continue;
      auto* clause = static_cast<const ast::ClauseDecl*>(d);
      if (!clause->parameters.empty() || !is_number(clause->body) || !is_alone(clause->name.name)) continue;
      ast::Decl* signature = nullptr;
      bool shared = false;  // the signature is also one of other names
      for (ast::Decl* s : decls) {
        if (s->kind != ast::DeclKind::Signature) continue;
        auto names = static_cast<const ast::SignatureDecl*>(s)->names;
        if (std::ranges::find(names, clause->name.name, &ast::Ident::name) == names.end()) continue;
        shared |= signature || names.size() > 1;
        signature = s;
      }
      if (shared) continue;
      if (signature) result.push_back(signature);
      result.push_back(d);
    }
  }
  return result;
}

}  // namespace

Typed RelationChecker::infer_sigrel(const ast::SigrelExpr* e, Type* hint) {
  // `let k = 2.0` in the body is bound around the relation, which so captures it: a parameter with a name.
  const std::size_t around = scopes_.mark();
  std::vector<ast::Decl*> numbers = named_numbers(*e);
  std::vector<std::vector<core::Binding>> constants;
  if (!numbers.empty()) constants = expressions_.check_let(numbers);
  Typed relation = infer_literal(e, hint, std::move(numbers));
  scopes_.release(around);
  for (auto it = constants.rbegin(); it != constants.rend(); ++it)
    relation.expr = core_.make(core::LetExpr{{core::ExprKind::Let, e->span}, core_.copy(*it), relation.expr});
  return relation;
}

Typed RelationChecker::infer_literal(const ast::SigrelExpr* e, Type* hint,
                                     std::vector<ast::Decl*> bound_outside) {
  RelationContext context;
  context.bound_outside = std::move(bound_outside);
  RelationContext* outer_relation = scopes_.relation();
  scopes_.set_relation(&context);
  ModeContext* outer_modes = std::exchange(modes_, nullptr);
  const ModeContext* outer_expected = std::exchange(expected_modes_, nullptr);
  auto* outer_transitions = std::exchange(transitions_, nullptr);
  const int outer_static = scopes_.static_depth();
  scopes_.set_static_depth(0);
  std::size_t m = scopes_.mark();

  auto* relation = core_.make(core::Relation{});
  name_relation(e, *relation);
  std::vector<Type*> expected;
  std::span<InterfaceName> expected_names;
  const bool contradicts = !expected_interface(e, *relation, hint, expected, expected_names);
  contradiction_ |= contradicts;
  std::vector<Type*> types;
  std::vector<InterfaceName> names;
  relation->formals = core_.copy(check_formals(e, expected, expected_names, types, names));
  for (std::size_t i = 0; i < types.size(); ++i) layouts_.request(&relation->formals[i].layout, types[i]);

  order_lets(e->body);
  collect_names(*e, context, scopes_, core_);
  relation->body = check_block(e->body);
  finish_members(context);
  const bool top_level = top_level_literals_.contains(e);
  blocks_.add_relation(relation, top_level ? std::optional(core_.current()) : std::nullopt);
  if (top_level) share_inside(context, relation->formals, types);

  scopes_.release(m);
  scopes_.set_relation(outer_relation);
  modes_ = outer_modes;
  expected_modes_ = outer_expected;
  transitions_ = outer_transitions;
  scopes_.set_static_depth(outer_static);
  auto* node = core_.make(core::SigrelExpr{{core::ExprKind::Sigrel, e->span}, relation});
  if (contradicts) return {node, types_.error()};
  return {node, types_.relation(types.size() == 1 ? types[0] : types_.tuple(types), std::move(names))};
}

/// The name and the head: `name … = sigrel (…)`, or the literal's `sigrel (…)`.
void RelationChecker::name_relation(const ast::SigrelExpr* e, core::Relation& relation) const {
  auto named = literal_names_.find(e);
  bool has_head = named != literal_names_.end() && named->second.second.end != 0;
  relation.name = named != literal_names_.end() ? named->second.first : intern("sigrel");
  Span head = has_head ? named->second.second : e->span;
  constexpr std::uint32_t kLengthWithoutFormals = 9;  // of `sigrel ()`
  std::uint32_t end =
      e->formals.empty() ? e->span.begin + kLengthWithoutFormals : e->formals.back().name.span.end + 1;
  relation.span = {head.file, head.begin, std::max(std::min(e->span.end, end), head.begin)};
}

/// The expected type gives types and marks to formals that have none written. False if it has another number
/// of interface variables, which is reported.
bool RelationChecker::expected_interface(const ast::SigrelExpr* e, const core::Relation& relation, Type* hint,
                                         std::vector<Type*>& types, std::span<InterfaceName>& names) {
  Type* known = hint ? find(hint) : nullptr;
  if (!known || known->kind != TypeKind::Relation) return true;
  Type* interface = find(known->args[0]);
  if (interface->kind == TypeKind::Variable || interface->kind == TypeKind::Error) return true;
  if (known->interface.size() == 1 || interface->kind != TypeKind::Tuple)
    types.push_back(interface);
  else
    types.assign(interface->args.begin(), interface->args.end());
  if (types.size() == e->formals.size()) {
    names = known->interface;
    return true;
  }
  const std::size_t has = e->formals.size();
  diagnostics_
      .report(Code::InterfaceArity, relation.span,
              "this relation has " + std::to_string(has) +
                  (has == 1 ? " interface variable" : " interface variables") + "; its type has " +
                  std::to_string(types.size()))
      .note("its type is " + messages_.describe(known));
  types.clear();
  return false;
}

std::vector<core::Formal> RelationChecker::check_formals(const ast::SigrelExpr* e,
                                                         const std::vector<Type*>& expected,
                                                         std::span<InterfaceName> expected_names,
                                                         std::vector<Type*>& types,
                                                         std::vector<InterfaceName>& names) {
  std::vector<core::Formal> formals;
  for (std::size_t i = 0; i < e->formals.size(); ++i) {
    const ast::Formal& f = e->formals[i];
    Type* type = f.type                ? reader_.annotation(f.type, kSignal)
                 : i < expected.size() ? expected[i]
                                       : unifier_.fresh(kSignal);
    if (f.type && i < expected.size() && !unifier_.agree(expected[i], type)) {
      messages_.mismatch_at(f.type->span, type, expected[i], {ReasonKind::Signature}, {}, {});
      type = types_.error();
    }
    if (!unifier_.require(type, kSignal)) {
      diagnostics_.report(Code::NotASignal, f.name.span,
                          "an interface variable is a signal; " + messages_.describe(type) + " is not one");
      type = types_.error();
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (f.pattern || e->formals[j].name.name != f.name.name) continue;
      scopes_.duplicate(f.name, e->formals[j].name.span, "the interface variable");
      type = types_.error();  // which one its uses mean is not known
    }
    core::Causality causality = static_cast<core::Causality>(f.causality);
    if (causality == core::Causality::None && i < expected_names.size())
      causality = expected_names[i].causality;
    Local* local = scopes_.bind(Local::Signal, f.name.name, type, f.name.span);
    // What is written as a pattern has the name that its type gives it.
    const Name shown = f.pattern && i < expected_names.size() && expected_names[i].named
                           ? expected_names[i].name
                           : f.name.name;
    formals.push_back({local->id, shown, f.name.span, causality, nullptr});
    types.push_back(type);
    names.push_back({true, shown, causality});
  }
  return formals;
}

/// The names that `r.x` can read where `r` is an instance of the current definition.
void RelationChecker::share_inside(RelationContext& relation, std::span<const core::Formal> formals,
                                   const std::vector<Type*>& types) {
  auto& inside = globals_[core_.current()].inside;
  auto add = [&](InsideName name) {
    for (auto& known : inside)
      if (known.name == name.name) return;
    inside.push_back(name);
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
    name.dimensions = relation.loops_around(label.block);
    name.head = label.head;
    name.head_args = label.head_args;
    add(name);
  }
}

void RelationChecker::name_literals(const ast::Expr* e, Name name, Span span, bool top_level) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: {
        auto* s = static_cast<const ast::SigrelExpr*>(e);
        literal_names_[s] = {name, span};
        if (top_level) top_level_literals_.insert(s);
        return;
      }
      case ast::ExprKind::If:
        name_literals(static_cast<const ast::IfExpr*>(e)->then_branch, name, {}, top_level);
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        span = {};
        continue;
      case ast::ExprKind::Let:
        e = static_cast<const ast::LetExpr*>(e)->body;
        span = {};
        continue;
      case ast::ExprKind::Lambda: e = static_cast<const ast::LambdaExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        for (auto& a : static_cast<const ast::CaseExpr*>(e)->alternatives)
          name_literals(a.body, name, {}, top_level);
        return;
      default: return;
    }
  }
}

}  // namespace sigrel::check
