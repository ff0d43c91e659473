#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "compiler/check/expressions/expression_checker.h"
#include "compiler/check/relations/relation_checker.h"

namespace sigrel::check {

namespace {

bool is_literal(const ast::Expr* e) {
  return e->kind == ast::ExprKind::List || e->kind == ast::ExprKind::Comprehension ||
         e->kind == ast::ExprKind::Int;
}

/// The name of a variable without a qualifier; null for other expressions.
const ast::Ident* plain_name(const ast::Expr* e) {
  if (e->kind != ast::ExprKind::Variable) return nullptr;
  const ast::QualifiedIdent& name = static_cast<const ast::VariableExpr*>(e)->name;
  return name.qualified ? nullptr : &name.ident;
}

}  // namespace

bool RelationChecker::is_defined(const ast::Ident& name) {
  return scopes_.lookup_local(name.name) || scopes_.lookup_value({false, {}, name}, false);
}

/// `r1 = resistor 10.0 <> (a, b)`, where `r1` is no variable and the relation no block.
bool RelationChecker::is_part_with_equal(const ast::EquationItem* item) {
  const ast::Ident* name = plain_name(item->left);
  if (!name || item->right->kind != ast::ExprKind::Connection || is_defined(*name)) return false;
  const std::size_t errors = diagnostics_.error_count();
  auto* application = static_cast<const ast::ConnectionExpr*>(item->right);
  const Type* type = find(infer_relation(application->relation).type);
  if (diagnostics_.error_count() != errors) return true;
  const bool is_block =
      type->kind != TypeKind::Relation || std::ranges::any_of(type->interface, [](const InterfaceName& n) {
        return n.causality == core::Causality::Out;
      });
  if (is_block) return false;
  const Span between{item->span.file, item->left->span.end, item->right->span.begin};
  diagnostics_
      .report(Code::ForeignSyntax, join(item->left->span, application->relation->span),
              "a part gets its name by a colon")
      .fix("write `" + std::string(text(name->name)) + ": …`", between, ": ");
  scopes_.misuse(name->name);
  return true;
}

/// `dx/dt = …`, where `x` is a signal, and neither `dx` nor `dt` is defined.
bool RelationChecker::is_quotient_of_differentials(const ast::EquationItem* item) {
  if (item->left->kind != ast::ExprKind::Binary) return false;
  auto* quotient = static_cast<const ast::BinaryExpr*>(item->left);
  const ast::Ident *above = plain_name(quotient->left), *below = plain_name(quotient->right);
  if (quotient->op != ast::BinaryOp::Div || !above || !below || text(below->name) != "dt") return false;
  const std::string_view differential = text(above->name);
  if (differential.size() < 2 || differential[0] != 'd' || is_defined(*above) || is_defined(*below))
    return false;
  const std::string name(differential.substr(1));
  const Local* local = scopes_.lookup_local(intern(name));
  if (!local || local->kind != Local::Signal) return false;
  diagnostics_
      .report(Code::ForeignSyntax, item->left->span,
              "the derivative of `" + name + "` is written `der " + name + "`")
      .fix("write `der " + name + "`", item->left->span, "der " + name);
  return true;
}

/// The flow that an expression names, as `p.i`.
std::optional<RelationChecker::NamedFlow> RelationChecker::flow_named(const ast::Expr* e) {
  if (e->kind != ast::ExprKind::Field) return std::nullopt;
  const auto& select = static_cast<const ast::FieldExpr&>(*e);
  const ast::Ident* connector = plain_name(select.base);
  const Local* local = connector ? scopes_.lookup_local(connector->name) : nullptr;
  if (!local || local->kind != Local::Signal) return std::nullopt;
  const Type* type = find(local->type);
  if (type->kind != TypeKind::Constructor) return std::nullopt;
  const auto field = std::ranges::find(type->constructor->fields, select.field.name, &Field::name);
  if (field == type->constructor->fields.end() || !field->flow) return std::nullopt;
  return NamedFlow{fmt::format("{}.{}", text(connector->name), text(select.field.name)),
                   local->is_named_node};
}

/// `p.i = n.i` where both are flows into this relation, and `p.i + m.i = 0` where one of them is the flow
/// into a part at the node `m`: signs that are most often wrong.
void RelationChecker::warn_of_signs(const ast::EquationItem* item) {
  if (const auto left = flow_named(item->left), right = flow_named(item->right); left && right) {
    if (left->name == right->name || left->into_part != right->into_part) return;
    const std::string balance = fmt::format("{} + {} = 0.0", left->name, right->name);
    diagnostics_
        .report(Code::EqualFlows, item->span,
                fmt::format("`{}` and `{}` are equal flows", left->name, right->name))
        .label("flows are positive into a part: the same amount enters at both ends")
        .fix(fmt::format("write `{}` if what enters at one leaves at the other", balance), item->span,
             balance)
        .help(fmt::format("write `{} - {} = 0.0` if it is meant", left->name, right->name));
    return;
  }
  if (item->left->kind != ast::ExprKind::Binary) return;
  const auto& sum = static_cast<const ast::BinaryExpr&>(*item->left);
  if (sum.op != ast::BinaryOp::Add) return;
  const auto one = flow_named(sum.left), other = flow_named(sum.right);
  if (!one || !other || one->into_part == other->into_part) return;
  const NamedFlow &inner = one->into_part ? *one : *other, &outer = one->into_part ? *other : *one;
  const std::string passed = fmt::format("{} = {}", inner.name, outer.name);
  diagnostics_
      .report(Code::EqualFlows, item->span,
              fmt::format("`{}` and `{}` have opposite signs", inner.name, outer.name))
      .label(fmt::format("`{}` is the flow into the part at this node, and does not leave it", inner.name))
      .fix(fmt::format("write `{}` if what enters the relation goes into the part", passed), item->span,
           passed)
      .help(fmt::format("write `{} = -{}` if it is meant", inner.name, outer.name));
}

void RelationChecker::check_equation(const ast::EquationItem* item, std::vector<core::Item*>& out) {
  if (is_part_with_equal(item) || is_quotient_of_differentials(item)) return;
  for (const ast::ConnectionExpr* block : item->blocks) check_labelled_block(block, out);
  auto other_side = [](const ast::Expr* e) { return Reason{ReasonKind::LeftSide, e->span, {}, 0, e, true}; };
  core::EquationItem node{{core::ItemKind::Equation, item->span}, nullptr, nullptr};
  std::size_t errors = diagnostics_.error_count();
  Type* type;
  // A literal takes the type of the other side.
  auto adapts = [&](const ast::Expr* e) { return is_literal(e) || expressions_.names_brackets(e); };
  if (adapts(item->left) && !adapts(item->right)) {
    Typed right = expressions_.infer(item->right);
    type = right.type;
    node.right = right.expr;
    node.left = expressions_.check_expr(item->left, type, other_side(item->right));
  } else {
    Typed left = expressions_.infer(item->left);
    type = left.type;
    node.left = left.expr;
    node.right = expressions_.check_expr(item->right, type, other_side(item->left));
  }
  if (diagnostics_.error_count() != errors) {
    // It is not known what the equation is between.
  } else if (!unifier_.require(type, kSignal)) {
    auto& d = diagnostics_.report(
        Code::NotASignal, item->span,
        "an equation is between signals, and this is between values of type " + messages_.describe(type));
    if (find(type)->kind == TypeKind::Relation) d.help("a relation is applied with `<>`; `let` names one");
  } else {
    deferred_.add_equation(*item, type);
    warn_of_signs(item);
  }
  out.push_back(core_.make(node));
}

}  // namespace sigrel::check
