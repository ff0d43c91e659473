#include "compiler/check/expressions/core_builder.h"

namespace sigrel::check {

using core::ExprKind;

core::LocalId CoreBuilder::new_local(Name name) {
  core::Global& global = program_.globals[current_.value];
  global.local_names.push_back(name);
  return core::LocalId(global.local_count++);
}

Name CoreBuilder::local_name(core::LocalId local) const {
  return program_.globals[current_.value].local_names[local.value];
}

core::LocalExpr* CoreBuilder::local(core::LocalId id, Span span) {
  return make(core::LocalExpr{{ExprKind::Local, span}, id});
}

core::IntExpr* CoreBuilder::integer(std::int64_t value, Span span) {
  return make(core::IntExpr{{ExprKind::Int, span}, value});
}

core::RealExpr* CoreBuilder::real(double value, Span span) {
  return make(core::RealExpr{{ExprKind::Real, span}, value});
}

core::Expr* CoreBuilder::primitive(core::Primitive op, const std::vector<core::Expr*>& args, Span span) {
  return make(core::PrimitiveExpr{{ExprKind::Primitive, span}, op, copy(args)});
}

core::Expr* CoreBuilder::apply(core::Expr* function, const std::vector<core::Expr*>& args, Span span) {
  if (args.empty()) return function;
  return make(core::ApplyExpr{{ExprKind::Apply, span}, function, copy(args)});
}

core::Expr* CoreBuilder::lambda(const std::vector<core::LocalId>& parameters, core::Expr* body, Span span) {
  return make(core::LambdaExpr{{ExprKind::Lambda, span}, copy(parameters), body});
}

core::Expr* CoreBuilder::tuple(const std::vector<core::Expr*>& elements, Span span) {
  return make(core::TupleExpr{{ExprKind::Tuple, span}, copy(elements)});
}

core::Expr* CoreBuilder::boolean(bool value, Span span) {
  return make(core::BoolExpr{{ExprKind::Bool, span}, value});
}

core::Expr* CoreBuilder::construct(const Constructor& constructor, const std::vector<core::Expr*>& args,
                                   Span span) {
  return make(
      core::ConstructExpr{{ExprKind::Construct, span}, constructor.name, constructor.tag, copy(args)});
}

core::Pattern* CoreBuilder::pattern(core::PatternKind kind, Span span) {
  auto* p = arena_.make<core::Pattern>();
  p->kind = kind;
  p->span = span;
  return p;
}

core::Pattern* CoreBuilder::construct_pattern(std::uint32_t tag, const std::vector<core::Pattern*>& elements,
                                              Span span) {
  core::Pattern* p = pattern(core::PatternKind::Construct, span);
  p->tag = tag;
  p->elements = copy(elements);
  return p;
}

}  // namespace sigrel::check
