#include "compiler/parse/builder.h"

namespace sigrel::syntax {

using ast::PatternKind;

ast::Pattern* Builder::pattern(P::PatternContext* ctx) {
  auto operands = ctx->patternOperand();
  ast::Pattern* result = pattern_operand(operands.back());
  for (std::size_t i = operands.size() - 1; i-- > 0;) {
    ast::Pattern* head = pattern_operand(operands[i]);
    result = arena_.make<ast::ConsPattern>(
        ast::Pattern{PatternKind::Cons, join(span(operands[i]), span(ctx->stop))}, head, result);
  }
  return result;
}

ast::Pattern* Builder::pattern_operand(P::PatternOperandContext* ctx) {
  Span whole = span(ctx);
  if (ctx->simplePattern()) return simple_pattern(ctx->simplePattern());
  if (ctx->fieldPatterns()) return record_pattern(ctx->constructorName(), ctx->fieldPatterns(), whole);
  if (ctx->constructorName())
    return arena_.make<ast::ConstructorPattern>(ast::Pattern{PatternKind::Constructor, whole},
                                                qualified(ctx->constructorName()),
                                                arena_.copy(patterns(ctx->patternAtom())));
  if (ctx->INT()) {
    auto value = read_int(text(ctx->INT()), span(ctx->INT()), diagnostics_);
    if (!value) failed_ = true;
    return arena_.make<ast::IntPattern>(ast::Pattern{PatternKind::Int, whole}, -value.value_or(0));
  }
  auto value = read_real(text(ctx->REAL()), span(ctx->REAL()), diagnostics_);
  if (!value) failed_ = true;
  return arena_.make<ast::RealPattern>(ast::Pattern{PatternKind::Real, whole}, -value.value_or(0));
}

ast::Pattern* Builder::bound_pattern(P::BoundPatternContext* ctx) {
  Span whole = span(ctx);
  if (ctx->bracketedPattern()) return bracketed_pattern(ctx->bracketedPattern());
  if (ctx->UNDERSCORE()) return arena_.make<ast::Pattern>(PatternKind::Wildcard, whole);
  if (ctx->fieldPatterns()) return record_pattern(ctx->constructorName(), ctx->fieldPatterns(), whole);
  return arena_.make<ast::ConstructorPattern>(ast::Pattern{PatternKind::Constructor, whole},
                                              qualified(ctx->constructorName()),
                                              arena_.copy(patterns(ctx->patternAtom())));
}

ast::Pattern* Builder::pattern_atom(P::PatternAtomContext* ctx) {
  if (ctx->simplePattern()) return simple_pattern(ctx->simplePattern());
  if (ctx->fieldPatterns()) return record_pattern(ctx->constructorName(), ctx->fieldPatterns(), span(ctx));
  return arena_.make<ast::ConstructorPattern>(ast::Pattern{PatternKind::Constructor, span(ctx)},
                                              qualified(ctx->constructorName()), std::span<ast::Pattern*>{});
}

ast::Pattern* Builder::record_pattern(P::ConstructorNameContext* name, P::FieldPatternsContext* ctx,
                                      Span whole) {
  std::vector<ast::FieldPattern> fields;
  for (auto* f : ctx->fieldPattern()) {
    ast::Ident field = ident(f->name());
    ast::Pattern* value = f->pattern() ? pattern(f->pattern())
                                       : arena_.make<ast::VariablePattern>(
                                             ast::Pattern{PatternKind::Variable, field.span}, field);
    fields.push_back({field, value});
  }
  return arena_.make<ast::RecordPattern>(ast::Pattern{PatternKind::Record, whole}, qualified(name),
                                         arena_.copy(fields));
}

std::vector<ast::Pattern*> Builder::patterns(const std::vector<P::PatternAtomContext*>& contexts) {
  std::vector<ast::Pattern*> out;
  for (auto* ctx : contexts) out.push_back(pattern_atom(ctx));
  return out;
}

ast::Pattern* Builder::simple_pattern(P::SimplePatternContext* ctx) {
  Span whole = span(ctx);
  if (ctx->bracketedPattern()) return bracketed_pattern(ctx->bracketedPattern());
  if (ctx->name())
    return arena_.make<ast::VariablePattern>(ast::Pattern{PatternKind::Variable, whole}, ident(ctx->name()));
  if (ctx->UNDERSCORE()) return arena_.make<ast::Pattern>(PatternKind::Wildcard, whole);
  if (ctx->INT()) {
    auto value = read_int(text(ctx->INT()), whole, diagnostics_);
    if (!value) failed_ = true;
    return arena_.make<ast::IntPattern>(ast::Pattern{PatternKind::Int, whole}, value.value_or(0));
  }
  if (ctx->REAL()) {
    auto value = read_real(text(ctx->REAL()), whole, diagnostics_);
    if (!value) failed_ = true;
    return arena_.make<ast::RealPattern>(ast::Pattern{PatternKind::Real, whole}, value.value_or(0));
  }
  auto value = read_string(text(ctx->STRING()), whole, arena_, diagnostics_);
  if (!value) failed_ = true;
  return arena_.make<ast::StringPattern>(ast::Pattern{PatternKind::String, whole}, value.value_or(""));
}

ast::Pattern* Builder::bracketed_pattern(P::BracketedPatternContext* ctx) {
  Span whole = span(ctx);
  if (ctx->type())
    return arena_.make<ast::TypedPattern>(ast::Pattern{PatternKind::Typed, whole}, ident(ctx->name()),
                                          type(ctx->type()));
  std::vector<ast::Pattern*> elements;
  for (auto* element : ctx->pattern()) elements.push_back(pattern(element));
  if (ctx->LEFT_BRACKET())
    return arena_.make<ast::ListPattern>(ast::Pattern{PatternKind::List, whole}, arena_.copy(elements));
  if (elements.size() == 1) return elements[0];
  return arena_.make<ast::TuplePattern>(ast::Pattern{PatternKind::Tuple, whole}, arena_.copy(elements));
}

}  // namespace sigrel::syntax
