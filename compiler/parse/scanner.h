// Tokens on demand from the generated lexer, with one token of lookahead. Comments are dropped here, except
// that documentation is kept for the declaration that follows. What no token can contain is reported here,
// once.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/token.h"

namespace sigrel::syntax {

class Scanner {
 public:
  /// `comments`, when given, gets every comment with its place.
  Scanner(FileId file, const SourceMap& sources, Diagnostics& diagnostics,
          std::vector<Token>* comments = nullptr);
  ~Scanner();

  const Token& peek() const { return ahead_; }
  /// Returns the next token and moves on; after the last one always the token kEnd.
  Token next();

  /// The documentation before the token that `next` returned last; empty when there is none.
  const std::string& doc() const { return doc_; }
  /// Whether the token that `next` returned last is damaged text that has been reported.
  bool damaged() const { return damaged_; }

 private:
  struct Antlr;
  Token read();
  void comment(const Token& token);
  void report_other(const Token& token);

  FileId file_;
  const std::string& text_;
  Diagnostics& diagnostics_;
  std::vector<Token>* comments_;
  std::unique_ptr<Antlr> antlr_;
  Token ahead_;
  std::uint32_t last_line_ = 0;
  bool tab_reported_ = false;
  std::string doc_, doc_ahead_;
  std::uint32_t doc_line_ = 0;    // the last line of the comment in doc_ahead_
  std::uint32_t other_line_ = 0;  // the last line with a character that was reported
  bool damaged_ = false, damaged_ahead_ = false;
};

/// The first byte that is not UTF-8, or the size of the text.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace sigrel::syntax
