// Builds AST nodes from the parse tree of one piece. Checks conditions that the grammar leaves open for
// better messages: an item is an equation, comparisons do not chain, and so on.
//
// Internal to this folder: uses the contexts of the generated parser.
#pragma once
#include "SigrelParser.h"
#include "compiler/ir/ast.h"
#include "compiler/parse/layout.h"
#include "compiler/parse/literal.h"
#include "compiler/parse/piece_token.h"

namespace sigrel::syntax {

using P = SigrelParser;

class Builder {
 public:
  Builder(FileId file, const SourceMap& sources, ast::Module& module, Diagnostics& diagnostics)
      : file_(file), sources_(sources), module_(module), arena_(*module.arena), diagnostics_(diagnostics) {}
  void attach(const Layout& layout) { layout_ = &layout; }

  void file(P::FilePieceContext* ctx);
  ast::Decl* top(P::TopContext* ctx);
  ast::Decl* declaration(P::DeclarationContext* ctx);
  ast::Item* item(P::ItemContext* ctx);
  ast::Item* steady_item(P::ItemContext* ctx, ast::Expr* left, bool labelled);
  ast::Mode* mode(P::ModePieceContext* ctx);
  ast::CaseAlternative* alternative(P::AlternativePieceContext* ctx);
  ast::Expr* expression(P::ExpressionContext* ctx);

  /// Whether an error has been reported since the last call.
  bool take_failed() { return std::exchange(failed_, false); }

 private:
  // builder.cpp: names, spans, blocks
  Span span(antlr4::ParserRuleContext* ctx) const;
  Span span(antlr4::Token* token) const;
  Span span(antlr4::tree::TerminalNode* node) const { return span(node->getSymbol()); }
  std::string_view text(antlr4::tree::TerminalNode* node) const { return sources_.text(span(node)); }
  ast::Ident ident(antlr4::tree::TerminalNode* node) const;
  ast::Ident ident(P::NameContext* ctx) const;
  ast::Ident dotted(antlr4::ParserRuleContext* ctx,
                    const std::vector<antlr4::tree::TerminalNode*>& parts) const;
  ast::QualifiedIdent qualified(P::ConstructorNameContext* ctx) const;
  ast::QualifiedIdent qualified(P::QualifiedNameContext* ctx) const;
  ast::QualifiedIdent plain(ast::Ident ident) const { return {false, {}, ident}; }
  std::vector<ast::Ident> idents(const std::vector<antlr4::tree::TerminalNode*>& nodes) const;
  template <class T>
  std::span<T*> block(antlr4::tree::TerminalNode* node);
  Diagnostic& error(Code code, Span span, std::string message);

  // build_type.cpp
  ast::Type* type(P::TypeContext* ctx);
  ast::Type* type_operand(P::TypeOperandContext* ctx);
  ast::Type* type_atom(P::TypeAtomContext* ctx);
  ast::Type* type_primary(P::TypePrimaryContext* ctx);
  ast::Type* named_type(P::ConstructorNameContext* name, P::UnitContext* unit, Span span);
  ast::StructuralAnnotation* structure(P::StructureContext* ctx);
  ast::Expr* column(P::ColumnContext* ctx);
  const ast::Unit* unit(P::UnitContext* ctx);

  // build_expression.cpp
  ast::Expr* leading(P::ExpressionContext* ctx);
  ast::Expr* extend(ast::Expr* left, P::ExpressionContext* ctx);
  ast::Expr* postfix(P::PostfixContext* ctx);
  ast::Expr* suffix(ast::Expr* base, P::SuffixContext* ctx, Span whole);
  ast::Expr* atom(P::AtomContext* ctx);
  ast::Expr* parenthesised(P::ParenthesisedContext* ctx, Span whole);
  ast::Expr* list(P::ListBodyContext* ctx, Span whole);
  ast::Expr* condition(P::ExpressionContext* ctx);
  ast::Expr* int_literal(antlr4::tree::TerminalNode* node);
  ast::Expr* real_literal(antlr4::tree::TerminalNode* node);
  ast::Expr* string_literal(antlr4::tree::TerminalNode* node);
  ast::Expr* variable(ast::Ident name);
  std::span<ast::Setting> settings(P::SettingsContext* ctx);
  ast::Ident setting_path(P::SettingPathContext* ctx);
  std::vector<ast::Generator> generators(const std::vector<P::GeneratorContext*>& contexts);
  std::vector<ast::IndexPart> index_parts(const std::vector<P::IndexContext*>& contexts);
  std::vector<ast::Expr*> expressions(const std::vector<P::ExpressionContext*>& contexts);
  ast::ConnectionExpr* connection(ast::Expr* relation, ast::Expr* args, Span whole);
  ast::Formal formal(P::FormalContext* ctx, std::vector<ast::Item*>& lets);
  void refuse_labels(std::size_t first, std::string_view where);

  // build_pattern.cpp
  ast::Pattern* pattern(P::PatternContext* ctx);
  ast::Pattern* bound_pattern(P::BoundPatternContext* ctx);
  ast::Pattern* bracketed_pattern(P::BracketedPatternContext* ctx);
  ast::Pattern* pattern_operand(P::PatternOperandContext* ctx);
  ast::Pattern* pattern_atom(P::PatternAtomContext* ctx);
  ast::Pattern* simple_pattern(P::SimplePatternContext* ctx);
  ast::Pattern* record_pattern(P::ConstructorNameContext* name, P::FieldPatternsContext* ctx, Span whole);
  std::vector<ast::Pattern*> patterns(const std::vector<P::PatternAtomContext*>& contexts);

  // build_item.cpp
  ast::Item* expression_item(P::ItemContext* ctx);
  ast::Item* plain_item(P::ItemContext* ctx);
  ast::Item* if_item(P::ItemContext* ctx);
  ast::Item* when_item(P::ItemContext* ctx);

  FileId file_;
  const SourceMap& sources_;
  ast::Module& module_;
  Arena& arena_;
  Diagnostics& diagnostics_;
  const Layout* layout_ = nullptr;
  bool failed_ = false;
  bool capital_labels_ = false;                   // some label so far starts with a capital
  std::vector<ast::ConnectionExpr*> labelled_{};  // blocks with labels in the expressions of this piece
};

/// The token kind of the operator of `ctx`; 0 if it is not a binary or postfix expression.
std::size_t outer_operator(P::ExpressionContext* ctx);

/// The nodes of the block of a BLOCK token.
template <class T>
std::span<T*> Builder::block(antlr4::tree::TerminalNode* node) {
  std::vector<T*> nodes;
  for (void* p : layout_->block(data(node->getSymbol())).nodes) nodes.push_back(static_cast<T*>(p));
  return arena_.copy(nodes);
}

}  // namespace sigrel::syntax
