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
  if (e->labelled) return read_outputs(e);
  Typed relation = infer_relation(e->relation);
  Type* type = expect_relation(e->relation, relation.type);
  auto apply = [&](core::Expr* args) {
    return core_.make(core::BlockApplyExpr{{core::ExprKind::BlockApply, e->span}, relation.expr, args});
  };
  if (type->kind == TypeKind::Error) return {apply(core_.placeholder(e->args->span)), types_.error()};
  BlockInterface block = block_interface(type);
  if (!expect_block(e, type, block)) return {apply(core_.placeholder(e->args->span)), types_.error()};
  Type* inputs = block.in.size() == 1 ? block.in_types[0] : types_.tuple(block.in_types);
  core::Expr* args = interface_arguments(inputs, block.in_names, e->relation, e->args);
  core::Expr* node = apply(args);
  std::uint32_t head_args = 0;
  blocks_.add_use(node, {type->interface, head_global(e->relation, head_args)});
  return {node, block.out.size() == 1 ? block.out_types[0] : types_.tuple(block.out_types)};
}

/// The inputs and outputs in the type of a relation.
RelationChecker::BlockInterface RelationChecker::block_interface(const Type* relation) {
  Type* interface = find(relation->args[0]);
  auto names = relation->interface;
  BlockInterface block;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    const bool element = interface->kind == TypeKind::Tuple && i < interface->args.size();
    Type* t = names.size() == 1 ? interface : element ? interface->args[i] : types_.error();
    if (names[i].causality == core::Causality::Out)
      block.out.push_back(i), block.out_types.push_back(t);
    else
      block.in.push_back(i), block.in_types.push_back(t), block.in_names.push_back(names[i]);
  }
  return block;
}

/// False (reported) if what is used as an expression has no output.
bool RelationChecker::expect_block(const ast::ConnectionExpr* e, Type* type, const BlockInterface& block) {
  if (!block.out.empty()) return true;
  diagnostics_
      .report(Code::NotABlock, e->relation->span, "a relation that is used as an expression needs an output")
      .note("its type is " + messages_.describe(type))
      .help(
          "mark the interface: `SR (in u :: Real, out y :: Real)`, or write the application as an item of "
          "its own");
  return false;
}

void RelationChecker::check_labelled_block(const ast::ConnectionExpr* e, std::vector<core::Item*>& out) {
  Type* type = check_application(e, e->span, &e->label, e->relation, nullptr, out);
  if (type->kind == TypeKind::Error) {
    expressions_.infer(e->args);
    return;
  }
  BlockInterface block = block_interface(type);
  if (!expect_block(e, type, block)) {
    scopes_.relation()->find_label(e->label.name)->relation_type = types_.error();
    return;
  }
  Type* inputs = block.in.size() == 1 ? block.in_types[0] : types_.tuple(block.in_types);
  core::Expr* args = interface_arguments(inputs, block.in_names, e->relation, e->args);
  if (block.in.empty()) return;
  core::Expr* left = members(*find_label(e->label.name), e->args->span, block.in, block.in_types);
  out.push_back(core_.make(core::EquationItem{{core::ItemKind::Equation, e->args->span}, left, args}));
}

/// The outputs of a labelled block, whose instance has been made before.
Typed RelationChecker::read_outputs(const ast::ConnectionExpr* e) {
  LabelInfo* label = find_label(e->label.name);
  Type* type = label && label->relation_type ? find(label->relation_type) : types_.error();
  if (type->kind != TypeKind::Relation) return {core_.placeholder(e->span), types_.error()};
  BlockInterface block = block_interface(type);
  return {members(*label, e->span, block.out, block.out_types),
          block.out.size() == 1 ? block.out_types[0] : types_.tuple(block.out_types)};
}

/// Interface variables of an instance of this block of items: one, or a tuple.
core::Expr* RelationChecker::members(const LabelInfo& label, Span span,
                                     std::span<const std::uint32_t> indices, std::span<Type* const> types) {
  std::vector<core::Expr*> result;
  auto names = find(label.relation_type)->interface;
  for (std::size_t k = 0; k < indices.size(); ++k) {
    core::Expr* base = core_.make(core::LabelExpr{{core::ExprKind::Label, span}, label.id, {}});
    auto* member = core_.make(
        core::MemberExpr{{core::ExprKind::Member, span}, base, names[indices[k]].name, indices[k], {}});
    units_.note(types[k]);
    layouts_.request(&member->layout, types[k]);
    result.push_back(member);
  }
  return result.size() == 1 ? result[0] : core_.tuple(result, span);
}

}  // namespace sigrel::check
