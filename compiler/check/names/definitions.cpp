#include "compiler/check/names/definitions.h"

#include <algorithm>
#include <unordered_map>

namespace sigrel::check {

void bound_names(const ast::Pattern* p, std::vector<ast::Ident>& out) {
  using ast::PatternKind;
  switch (p->kind) {
    case PatternKind::Variable: out.push_back(static_cast<const ast::VariablePattern*>(p)->name); return;
    case PatternKind::Typed: out.push_back(static_cast<const ast::TypedPattern*>(p)->name); return;
    case PatternKind::Tuple:
      for (auto* e : static_cast<const ast::TuplePattern*>(p)->elements) bound_names(e, out);
      return;
    case PatternKind::List:
      for (auto* e : static_cast<const ast::ListPattern*>(p)->elements) bound_names(e, out);
      return;
    case PatternKind::Constructor:
      for (auto* e : static_cast<const ast::ConstructorPattern*>(p)->args) bound_names(e, out);
      return;
    case PatternKind::Record:
      for (auto& f : static_cast<const ast::RecordPattern*>(p)->fields) bound_names(f.pattern, out);
      return;
    case PatternKind::Cons:
      bound_names(static_cast<const ast::ConsPattern*>(p)->head, out);
      return bound_names(static_cast<const ast::ConsPattern*>(p)->tail, out);
    case PatternKind::Wildcard:
    case PatternKind::Int:
    case PatternKind::Real:
    case PatternKind::String: return;
  }
}

DefinitionGroup group_definitions(std::span<ast::Decl* const> decls, Scopes& scopes,
                                  Diagnostics& diagnostics) {
  DefinitionGroup group;
  std::vector<Definition>& definitions = group.definitions;
  std::unordered_map<Name, std::size_t> by_name;
  std::unordered_map<Name, std::pair<const ast::SignatureDecl*, Span>> signatures;
  std::vector<std::pair<Name, Span>> signature_order;
  const ast::ClauseDecl* previous = nullptr;
  for (const ast::Decl* decl : decls) {
    if (decl->kind == ast::DeclKind::Signature) {
      auto* s = static_cast<const ast::SignatureDecl*>(decl);
      for (const ast::Ident& name : s->names) {
        if (auto [at, fresh] = signatures.emplace(name.name, std::pair{s, name.span}); !fresh)
          scopes.duplicate(name, at->second.second, "the type of");
        else
          signature_order.emplace_back(name.name, name.span);
      }
      previous = nullptr;
      continue;
    }
    if (decl->kind == ast::DeclKind::Binding) {
      auto* binding = static_cast<const ast::BindingDecl*>(decl);
      std::vector<ast::Ident> names;
      bound_names(binding->pattern, names);
      for (const ast::Ident& name : names)
        if (auto [at, fresh] = by_name.emplace(name.name, definitions.size()); !fresh) {
          const Definition* other = at->second < definitions.size() ? &definitions[at->second] : nullptr;
          scopes.duplicate(name, other ? other->span : binding->pattern->span, "the name");
        }
      definitions.push_back({Name{}, binding->pattern->span, {}, nullptr, false, binding});
      previous = nullptr;
      continue;
    }
    if (decl->kind != ast::DeclKind::Clause) {
      previous = nullptr;
      continue;
    }
    auto* clause = static_cast<const ast::ClauseDecl*>(decl);
    auto [at, fresh] = by_name.emplace(clause->name.name, definitions.size());
    if (fresh) {
      definitions.push_back({clause->name.name, clause->name.span, {clause}, nullptr, false, nullptr});
    } else {
      Definition& definition = definitions[at->second];
      bool follows = previous && previous->name.name == clause->name.name;
      if (!follows || clause->parameters.empty()) {
        scopes.duplicate(clause->name, definition.span, "the name");
        definition.broken = true;
      } else if (clause->parameters.size() != definition.clauses[0]->parameters.size()) {
        std::size_t here = clause->parameters.size(), first = definition.clauses[0]->parameters.size();
        diagnostics
            .report(Code::ClauseArity, clause->name.span,
                    "this clause of `" + std::string(text(clause->name.name)) + "` has " +
                        std::to_string(here) + (here == 1 ? " parameter" : " parameters") +
                        ", the first has " + std::to_string(first))
            .also(definition.span, "the first clause");
        definition.broken = true;
      } else {
        definition.clauses.push_back(clause);
      }
    }
    previous = clause;
  }
  for (auto& [name, span] : signature_order) {
    auto at = by_name.find(name);
    if (at == by_name.end()) {
      group.undefined.emplace_back(ast::Ident{name, span}, signatures.at(name).first);
      if (scopes.module().incomplete) continue;
      auto& d = diagnostics.report(Code::SignatureWithoutDefinition, span,
                                   "`" + std::string(text(name)) + "` has a type but no definition");
      std::vector<std::string_view> candidates;
      for (auto& definition : definitions)
        if (!definition.binding) candidates.push_back(text(definition.name));
      if (auto near = did_you_mean(text(name), candidates))
        d.help("did you mean `" + std::string(*near) + "`?");
    } else if (definitions[at->second].binding) {
      diagnostics
          .report(Code::SignatureWithoutDefinition, span,
                  "`" + std::string(text(name)) + "` is bound by a pattern, which says its type")
          .also(definitions[at->second].span, "the pattern")
          .help("write the type in the pattern: `(" + std::string(text(name)) + " :: …)`");
    } else {
      definitions[at->second].signature = signatures.at(name).first;
    }
  }
  return group;
}

void report_evaluation_cycles(const DependencyGraph& immediate,
                              const std::vector<const Definition*>& definitions, Diagnostics& diagnostics) {
  for (auto& component : strong_components(immediate)) {
    if (component.size() == 1 && !immediate.has_edge(component[0], component[0])) continue;
    std::string names;
    for (std::uint32_t v : component)
      names +=
          (names.empty() ? "" : ", ") +
          (definitions[v]->binding ? "this pattern" : "`" + std::string(text(definitions[v]->name)) + "`");
    diagnostics
        .report(Code::EvaluationCycle, definitions[component[0]]->span,
                component.size() == 1 ? names + " is defined by its own value"
                                      : names + " are defined by each other's values")
        .help("a definition may refer to itself only in the body of a function or a relation");
  }
}

bool only_relation_literals(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: return true;
      case ast::ExprKind::If:
        if (!only_relation_literals(static_cast<const ast::IfExpr*>(e)->then_branch)) return false;
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        continue;
      case ast::ExprKind::Let: e = static_cast<const ast::LetExpr*>(e)->body; continue;
      case ast::ExprKind::Lambda: e = static_cast<const ast::LambdaExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        return std::ranges::all_of(static_cast<const ast::CaseExpr*>(e)->alternatives,
                                   [](auto& a) { return only_relation_literals(a.body); });
      default: return false;
    }
  }
}

bool makes_relation(const ast::Expr* e) {
  for (;;) {
    switch (e->kind) {
      case ast::ExprKind::Sigrel: return true;
      case ast::ExprKind::If:
        if (makes_relation(static_cast<const ast::IfExpr*>(e)->then_branch)) return true;
        e = static_cast<const ast::IfExpr*>(e)->else_branch;
        continue;
      case ast::ExprKind::Let: e = static_cast<const ast::LetExpr*>(e)->body; continue;
      case ast::ExprKind::Case:
        return std::ranges::any_of(static_cast<const ast::CaseExpr*>(e)->alternatives,
                                   [](auto& a) { return makes_relation(a.body); });
      default: return false;
    }
  }
}

}  // namespace sigrel::check
