// `let`: local definitions in dependency order, and patterns bound to a value.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/types/parameter_names.h"

namespace sigrel::check {
namespace {

class LetDependencies : public FreeVariables {
 public:
  std::unordered_map<Name, std::uint32_t> index;
  DependencyGraph all, immediate;

  void all_immediate(const ast::Expr* e) {
    now_ = true;
    expr(e);
    now_ = false;
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool delayed) override {
    if (name.qualified) return;
    auto at = index.find(name.ident.name);
    if (at == index.end()) return;
    all.add(at->second);
    if (!delayed || now_) immediate.add(at->second);
  }

 private:
  bool now_ = false;
};

}  // namespace

core::Expr* ExpressionChecker::check_let(const ast::LetExpr* e, Type* expected, const Reason& reason) {
  std::size_t m = scopes_.mark();
  auto groups = check_let(e->decls);
  core::Expr* body = check_expr(e->body, expected, reason);
  scopes_.release(m);
  for (auto it = groups.rbegin(); it != groups.rend(); ++it)
    body = core_.make(core::LetExpr{{core::ExprKind::Let, e->span}, core_.copy(*it), body});
  return body;
}

std::vector<std::vector<core::Binding>> ExpressionChecker::check_let(std::span<ast::Decl* const> decls) {
  std::vector<Definition> definitions = group_definitions(decls, scopes_, diagnostics_).definitions;
  LetDependencies dependencies;
  for (std::uint32_t i = 0; i < definitions.size(); ++i) {
    std::vector<ast::Ident> names;
    if (definitions[i].binding)
      bound_names(definitions[i].binding->pattern, names);
    else
      names.push_back({definitions[i].name, definitions[i].span});
    for (auto& name : names) dependencies.index.emplace(name.name, i);
  }
  std::vector<const Definition*> pointers;
  for (auto& definition : definitions) {
    for (auto* clause : definition.clauses) dependencies.clause(*clause);
    // All parts of a pattern are known together, when its value is.
    if (definition.binding) dependencies.all_immediate(definition.binding->value);
    dependencies.all.finish_vertex();
    dependencies.immediate.finish_vertex();
    pointers.push_back(&definition);
  }
  report_evaluation_cycles(dependencies.immediate, pointers, diagnostics_);
  std::vector<std::vector<core::Binding>> result;
  for (auto& component : strong_components(dependencies.all)) {
    const Definition& first = definitions[component[0]];
    if (component.size() == 1 && first.binding) {
      if (dependencies.all.has_edge(component[0], component[0]))
        infer_pattern(first.binding->pattern, types_.error(), {});
      for (core::Binding& b : check_binding(*first.binding)) result.push_back({b});
      continue;
    }
    std::vector<const Definition*> group;
    for (std::uint32_t i : component) {
      if (definitions[i].binding)  // in a circle, which is reported
        infer_pattern(definitions[i].binding->pattern, types_.error(), {});
      else
        group.push_back(&definitions[i]);
    }
    result.push_back(check_let_group(group));
  }
  return result;
}

std::vector<core::Binding> ExpressionChecker::check_let_group(std::span<const Definition* const> group) {
  struct Member {
    Local* local;
    Type* scheme;
    std::vector<core::ApplyExpr*> own_uses{};
  };
  std::vector<Member> members(group.size());
  unifier_.enter_level();
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Definition& d = *group[i];
    Member& member = members[i];
    std::vector<std::pair<Name, Type*>> variables;
    member.scheme = d.signature ? reader_.signature(*d.signature, false, variables) : unifier_.fresh();
    member.local = scopes_.bind(Local::Value, d.name, member.scheme, d.span);
    member.local->brackets = brackets(d);
    member.local->polymorphic =
        d.signature && (find(member.scheme)->generic || find(member.scheme)->kind == TypeKind::Variable);
    if (member.local->polymorphic) {
      std::vector<Type*> layouts;
      unifier_.collect_layout_variables(member.scheme, layouts);
      member.local->layout_variables = types_.arena().copy(layouts);
    } else if (!d.signature) {
      member.local->own_uses = &member.own_uses;
    }
  }
  std::vector<core::Binding> bindings;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Definition& d = *group[i];
    Local* local = members[i].local;
    std::vector<std::pair<Type*, Type*>> skolems;
    std::vector<Type*> sizes, rigid;
    Type* type = members[i].scheme;
    if (local->polymorphic) type = unifier_.skolemise(type, skolems, sizes);
    for (Type* variable : local->layout_variables)
      for (auto& [from, skolem] : skolems)
        if (from == variable) rigid.push_back(skolem);
    core::Expr* value = check_definition(d, type, d.signature != nullptr, false, sizes);
    // The requirements of the body on its type variables are part of the scheme.
    for (auto& [variable, skolem] : skolems)
      if (skolem->kind == TypeKind::Skolem) variable->needs |= skolem->needs & (kEquality | kOrder | kSignal);
    bindings.push_back(layouts_.abstract({local->id, d.name, value}, rigid));
  }
  unifier_.leave_level();
  for (std::size_t i = 0; i < group.size(); ++i) {
    auto& [local, scheme, own_uses] = members[i];
    local->own_uses = nullptr;
    scheme = local->type = name_parameters(types_, scheme, *group[i]);
    if (group[i]->signature) continue;
    // Definitions that call each other have the signals of their first use, like parameters.
    if (group.size() > 1) unifier_.keep_signals_monomorphic(scheme);
    local->polymorphic = unifier_.quantify(scheme, unifier_.level());
    std::vector<Type*> layouts;
    if (local->polymorphic) unifier_.collect_layout_variables(scheme, layouts);
    if (layouts.empty()) continue;
    local->layout_variables = types_.arena().copy(layouts);
    bindings[i] = layouts_.abstract(bindings[i], layouts);
    for (core::ApplyExpr* use : own_uses)
      layouts_.apply(use, core_.local(local->id, use->span), layouts, use->span);
  }
  return bindings;
}

// (a, b) = e  is  t = e; a = case t of (x, _) -> x; b = case t of (_, x) -> x.
std::vector<core::Binding> ExpressionChecker::check_binding(const ast::BindingDecl& binding) {
  std::vector<core::Binding> result;
  Typed value = infer(binding.value);
  Name name = intern("pattern");
  core::LocalId whole = core_.new_local(name);
  result.push_back({whole, name, value.expr});
  std::size_t first = scopes_.mark();
  core::Pattern* pattern = infer_pattern(
      binding.pattern, value.type, {ReasonKind::Bound, binding.value->span, {}, 0, binding.value, true});
  matches_.add({pattern}, value.type, binding.pattern->span, true);
  for (const Local* local : scopes_.bound_since(first)) {
    Span span = local->span;
    core::LocalId part = core_.new_local(local->name);
    std::vector<core::Arm> arms{{only_binding(pattern, local->id, part), core_.local(part, span)}};
    core::Expr* match =
        core_.make(core::CaseExpr{{core::ExprKind::Case, span}, core_.local(whole, span), core_.copy(arms)});
    result.push_back({local->id, local->name, match});
  }
  return result;
}

/// `pattern` with its variable `local` bound as `as`, and wildcards for its other variables.
core::Pattern* ExpressionChecker::only_binding(const core::Pattern* pattern, core::LocalId local,
                                               core::LocalId as) {
  core::Pattern* copy = core_.make<core::Pattern>(*pattern);
  if (pattern->kind == core::PatternKind::Variable) {
    if (pattern->local == local)
      copy->local = as;
    else
      copy->kind = core::PatternKind::Wildcard;
  }
  std::vector<core::Pattern*> elements;
  for (core::Pattern* e : pattern->elements) elements.push_back(only_binding(e, local, as));
  copy->elements = core_.copy(elements);
  return copy;
}

}  // namespace sigrel::check
