// The signals after `<>`, against the interface of the relation.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

core::Expr* RelationChecker::interface_arguments(Type* interface, std::span<InterfaceName> names,
                                                 const ast::Expr* relation, const ast::Expr* args) {
  interface = find(interface);
  bool single = names.size() == 1 || interface->kind != TypeKind::Tuple;
  Reason reason{ReasonKind::Interface, relation->span, {}, 0, nullptr, true};
  if (interface->kind == TypeKind::Variable || interface->kind == TypeKind::Error ||
      interface->kind == TypeKind::Skolem)
    return expressions_.check_expr(args, interface, reason);
  if (single) {
    if (names.size() == 1 && names[0].named) reason.name = names[0].name;
    if (args->kind == ast::ExprKind::Tuple && interface->kind != TypeKind::Tuple) {
      auto* t = static_cast<const ast::TupleExpr*>(args);
      interface_arity(relation, 1, t->elements.size(), args->span);
      return core_.placeholder(args->span);
    }
    return interface_argument(args, interface, reason);
  }
  if (args->kind == ast::ExprKind::Tuple) {
    auto* t = static_cast<const ast::TupleExpr*>(args);
    if (t->elements.size() != interface->args.size()) {
      interface_arity(relation, interface->args.size(), t->elements.size(), args->span);
      return core_.placeholder(args->span);
    }
    std::vector<core::Expr*> elements;
    for (std::size_t i = 0; i < t->elements.size(); ++i) {
      reason.index = i;
      reason.name = i < names.size() && names[i].named ? names[i].name : Name{};
      elements.push_back(interface_argument(t->elements[i], interface->args[i], reason));
    }
    return core_.tuple(elements, args->span);
  }
  Typed whole = expressions_.infer(args);
  if (find(whole.type)->kind == TypeKind::Tuple) {
    if (!unifier_.agree(interface, whole.type)) messages_.mismatch(args, whole.type, interface, reason);
  } else if (!is_error(whole.type)) {
    interface_arity(relation, interface->args.size(), 1, args->span);
  }
  return whole.expr;
}

/// A name without a definition makes a node. The name of a definition of another type is reported as not
/// being a node, which was probably meant.
core::Expr* RelationChecker::interface_argument(const ast::Expr* argument, Type* expected,
                                                const Reason& reason) {
  expected = find(expected);
  std::uint32_t args = 0;
  const bool node = argument->kind == ast::ExprKind::Variable && expected->kind == TypeKind::Constructor &&
                    expected->constructor->connector;
  const auto global = node ? head_global(argument, args) : std::nullopt;
  if (!global) return expressions_.check_expr(argument, expected, reason);
  Type* type = globals_[*global].scheme;
  if (type) type = find(type);
  if (type && type->kind == TypeKind::Variable && type->level != kGeneric)
    type = nullptr;  // not yet inferred: it refers to this definition
  if (type && (type->kind == TypeKind::Variable || type->kind == TypeKind::Error ||
               (type->kind == TypeKind::Constructor && type->constructor->connector)))
    return expressions_.check_expr(argument, expected, reason);
  std::vector<core::GlobalId>& reported = scopes_.relation()->no_nodes;
  if (std::ranges::find(reported, *global) != reported.end()) return core_.placeholder(argument->span);
  reported.push_back(*global);
  std::optional<Span> origin;
  const std::string wanted = messages_.describe(expected), name = head_text(argument);
  auto& d = diagnostics_.report(
      Code::TypeMismatch, argument->span,
      fmt::format("expected {}, because {}, found {}", wanted, messages_.reason_text(reason, origin),
                  type ? messages_.describe(type) : "a definition"));
  d.label("this is not a node").also(globals_.span(*global), "`" + name + "` is defined here");
  d.help(
      fmt::format("a name makes a node only if nothing else has that name: rename one of the two, or declare "
                  "`local {} :: {}`",
                  name, wanted));
  return core_.placeholder(argument->span);
}

void RelationChecker::interface_arity(const ast::Expr* relation, std::size_t has, std::size_t given,
                                      Span span) {
  std::string name = head_text(relation);
  std::string shown = name.empty() ? "the relation" : "`" + name + "`";
  auto& d = diagnostics_.report(Code::InterfaceArity, span,
                                shown + " has " + std::to_string(has) +
                                    (has == 1 ? " interface variable; " : " interface variables; ") +
                                    std::to_string(given) + (given == 1 ? " is given" : " are given"));
  std::uint32_t args = 0;
  if (auto global = head_global(relation, args)) {
    d.also(globals_.span(*global), shown + " is defined here");
    if (globals_[*global].scheme) d.note(name + " :: " + messages_.print(globals_[*global].scheme));
  }
}

}  // namespace sigrel::check
