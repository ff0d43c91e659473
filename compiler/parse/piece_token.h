// A token of a piece, with the interface required by the generated parser. Internal to this folder.
#pragma once
#include "antlr4-runtime.h"
#include "compiler/parse/token.h"

namespace sigrel::syntax {

class PieceToken final : public antlr4::Token {
 public:
  sigrel::syntax::Token data;
  std::size_t index = 0;

  std::string getText() const override { return {}; }
  std::size_t getType() const override { return data.kind == kEnd ? antlr4::Token::EOF : data.kind; }
  std::size_t getLine() const override { return data.line; }
  std::size_t getCharPositionInLine() const override { return data.column; }
  std::size_t getChannel() const override { return DEFAULT_CHANNEL; }
  std::size_t getTokenIndex() const override { return index; }
  std::size_t getStartIndex() const override { return data.begin; }
  std::size_t getStopIndex() const override { return data.end; }
  antlr4::TokenSource* getTokenSource() const override { return nullptr; }
  antlr4::CharStream* getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }
};

inline const sigrel::syntax::Token& data(const antlr4::Token* token) {
  return static_cast<const PieceToken*>(token)->data;
}

}  // namespace sigrel::syntax
