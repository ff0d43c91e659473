// Applications of relations as items: `[label:] relation <> signals`.
#include <fmt/format.h>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"
#include "compiler/ir/ast_print.h"

namespace sigrel::check {

/// `c[i]: relation` parses as a list: reports the index, and gives the relation.
const ast::Expr* RelationChecker::without_label_index(const ast::Expr* relation) {
  if (relation->kind != ast::ExprKind::Binary) return relation;
  auto* cons = static_cast<const ast::BinaryExpr*>(relation);
  if (cons->op != ast::BinaryOp::Cons || cons->left->kind != ast::ExprKind::Index) return relation;
  const std::string name = ast::print(*static_cast<const ast::IndexExpr*>(cons->left)->base);
  diagnostics_.report(Code::NotARelation, cons->left->span, "a label takes no index")
      .help(fmt::format("write `{0}: …`: each iteration of a `for` has its own instance, and outside of the "
                        "loop they are `{0}[1]`, `{0}[2]`, …",
                        name));
  return cons->right;
}

/// A relation to be applied: it is computed before the simulation. What can be none, by its form, is mostly
/// an item to which the next line was added, because that is indented deeper: it is not checked any further.
Typed RelationChecker::infer_relation(const ast::Expr* e) {
  if (e->kind == ast::ExprKind::Connection || e->kind == ast::ExprKind::Binary) {
    diagnostics_.report(Code::NotARelation, e->span, "what stands before `<>` is not a relation")
        .help(
            "a line continues the item above it where it is indented deeper; an item of its own starts at "
            "the "
            "column of the other items");
    return {core_.placeholder(e->span), types_.error()};
  }
  Scopes::StaticRegion before_simulation(scopes_);
  return expressions_.infer(e);
}

/// `part`: the item, or the labelled block in an expression. The type of the relation.
Type* RelationChecker::check_application(const void* part, Span span, const ast::Ident* label,
                                         const ast::Expr* relation, const ast::Expr* args,
                                         std::vector<core::Item*>& out) {
  if (!label) relation = without_label_index(relation);
  Typed head = infer_relation(relation);
  Type* type = expect_relation(relation, head.type);
  std::uint32_t head_args = 0;
  auto global = head_global(relation, head_args);
  core::ApplicationItem node{{core::ItemKind::Application, span}, {}, {}, relation->span, head.expr, nullptr};
  auto* name = head_of(relation, head_args);
  node.name = label ? label->name : name ? name->ident.name : intern("sigrel");
  if (label) {
    for (LabelInfo* info : scopes_.relation()->labels_by_name[label->name]) {
      if (info->part != part) continue;
      info->relation_type = type;
      info->head = global;
      info->head_args = head_args;
      node.label = info->id;
    }
  }
  if (args) {
    if (type->kind == TypeKind::Error)
      node.args = expressions_.infer(args).expr;
    else
      node.args = interface_arguments(type->args[0], type->interface, relation, args);
  }
  core::ApplicationItem* made = core_.make(node);
  out.push_back(made);
  if (type->kind == TypeKind::Relation) blocks_.add_use(made, {type->interface, global});
  return type;
}

/// "`k` and `td`": the parameters of a function that have no default value.
std::string RelationChecker::missing_parameters(Type* function) const {
  std::vector<std::string> names;
  for (Type* type = find(function); type->kind == TypeKind::Function; type = find(type->args[1]))
    if (!type->default_value)
      names.push_back(type->parameter == Name{} ? "…" : std::string(text(type->parameter)));
  return listed(names);
}

Type* RelationChecker::expect_relation(const ast::Expr* e, Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Relation || type->kind == TypeKind::Error) return type;
  if (type->kind == TypeKind::Variable) {
    Type* relation = types_.relation(unifier_.fresh(kSignal), {});
    if (unifier_.unify(type, relation)) return relation;
  }
  std::string name = head_text(e);
  std::string shown = name.empty() ? "this" : "`" + name + "`";
  if (type->kind == TypeKind::Function) {
    std::size_t missing = 0;
    Type* t = type;
    for (; t->kind == TypeKind::Function; t = find(t->args[1])) ++missing;
    if (t->kind == TypeKind::Relation) {
      std::uint32_t given = 0;
      head_of(e, given);
      std::size_t total = missing + given;
      std::string message = shown + " takes " + std::to_string(total) +
                            (total == 1 ? " argument" : " arguments") + " before `<>`, " +
                            std::to_string(given) + (given == 1 ? " is given" : " are given");
      if (given == kAllArguments) message = shown + " needs a value for " + missing_parameters(type);
      auto& d = diagnostics_.report(Code::WrongArgumentCount, e->span, message);
      d.note("its type is " + messages_.describe(type));
      if (given != kAllArguments && missing_parameters(type).empty())
        d.help("`" + name + " { … }` takes the default values of the parameters that the braces do not name");
      return types_.error();
    }
  }
  auto& d = diagnostics_.report(Code::NotARelation, e->span,
                                shown + " is not a relation: its type is " + messages_.describe(type));
  d.help("`<>` applies a relation to signals; `/=` is \"not equal\"");
  messages_.suppress_further_errors(e, type);
  return types_.error();
}

/// The name that `e` applies to `args` arguments; null for other expressions.
const ast::QualifiedIdent* RelationChecker::head_of(const ast::Expr* e, std::uint32_t& args) const {
  args = 0;
  while (e->kind == ast::ExprKind::Apply || e->kind == ast::ExprKind::With) {
    if (e->kind == ast::ExprKind::With) {
      e = static_cast<const ast::WithExpr*>(e)->base;
      continue;
    }
    auto* apply = static_cast<const ast::ApplyExpr*>(e);
    // With named arguments it has all of them, for what it gives is applied to signals.
    if (apply->has_named) args = kAllArguments;
    if (args != kAllArguments) args += static_cast<std::uint32_t>(apply->args.size());
    e = apply->function;
  }
  return e->kind == ast::ExprKind::Variable ? &static_cast<const ast::VariableExpr*>(e)->name : nullptr;
}

std::optional<core::GlobalId> RelationChecker::head_global(const ast::Expr* e, std::uint32_t& args) {
  auto* name = head_of(e, args);
  if (!name || (!name->qualified && scopes_.lookup_local(name->ident.name))) return std::nullopt;
  auto* entry = scopes_.lookup_value(*name, false);
  if (!entry || entry->ambiguous || entry->meaning.kind != Value::Global) return std::nullopt;
  return entry->meaning.global;
}

}  // namespace sigrel::check
