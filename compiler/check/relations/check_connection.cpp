// Blocks applied in an expression: `block <> inputs`.
#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

Typed RelationChecker::infer_connection(const ast::ConnectionExpr* e) {
  if (!scopes_.relation()) {
    Span between{e->span.file, e->relation->span.end, e->args->span.begin};
    diagnostics_
        .report(Code::ForeignSyntax, e->span,
                "`<>` applies a relation to signals, and signals exist only inside `sigrel … where`")
        .fix("\"not equal\" is written `/=`", between, " /= ");
    return {core_.placeholder(e->span), types_.error()};
  }
  Typed relation = infer_relation(e->relation);
  Type* type = expect_relation(e->relation, relation.type);
  auto apply = [&](core::Expr* args) {
    return core_.make(core::BlockApplyExpr{{core::ExprKind::BlockApply, e->span}, relation.expr, args});
  };
  if (type->kind == TypeKind::Error) return {apply(core_.placeholder(e->args->span)), types_.error()};
  Type* interface = find(type->args[0]);
  auto names = type->interface;
  std::vector<Type*> in, out;
  std::vector<InterfaceName> in_names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool element = interface->kind == TypeKind::Tuple && i < interface->args.size();
    Type* t = names.size() == 1 ? interface : element ? interface->args[i] : types_.error();
    if (names[i].causality == core::Causality::Out)
      out.push_back(t);
    else
      in.push_back(t), in_names.push_back(names[i]);
  }
  if (out.empty()) {
    diagnostics_
        .report(Code::NotABlock, e->relation->span,
                "a relation that is used as an expression needs an output")
        .note("its type is " + messages_.describe(type))
        .help(
            "mark the interface: `SR (in u :: Real, out y :: Real)`, or write the application as an item of "
            "its own");
    return {apply(core_.placeholder(e->args->span)), types_.error()};
  }
  Type* inputs = in.size() == 1 ? in[0] : types_.tuple(in);
  core::Expr* args = interface_arguments(inputs, in_names, e->relation, e->args);
  core::Expr* node = apply(args);
  std::uint32_t head_args = 0;
  blocks_.add_use(node, {names, head_global(e->relation, head_args)});
  return {node, out.size() == 1 ? out[0] : types_.tuple(out)};
}

}  // namespace sigrel::check
