// Parses the pieces of the layout filter and adds their nodes to the module.
#pragma once
#include <memory>

#include "compiler/ir/ast.h"
#include "compiler/parse/layout.h"

namespace sigrel::syntax {

class PieceParser final : public PieceSink {
 public:
  PieceParser(FileId file, const SourceMap& sources, ast::Module& module, Diagnostics& diagnostics);
  ~PieceParser();
  void attach(const Layout& layout);

  void piece(const Piece& piece) override;
  /// The result of an Expression piece; null after an error.
  ast::Expr* expression() const { return expression_; }
  /// Whether an error here follows from a reported one.
  bool drops(Span span) const;

 private:
  struct Antlr;
  void* node(const Piece& piece);
  bool blames_block(std::size_t at, const Piece& piece);
  bool is_further_misreading(std::size_t at, const Piece& piece);
  void damaged_declaration(const Piece& piece);

  FileId file_;
  const SourceMap& sources_;
  ast::Module& module_;
  Diagnostics& diagnostics_;
  const Layout* layout_ = nullptr;
  std::unique_ptr<Antlr> antlr_;
  ast::Expr* expression_ = nullptr;
  std::vector<Span> dropped_;
};

}  // namespace sigrel::syntax
