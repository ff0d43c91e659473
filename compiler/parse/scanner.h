// Tokens on demand from the generated lexer, with one token of lookahead. Comments are dropped; documentation
// comments are kept for the following declaration. Reports characters that cannot be part of a token.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/skipped_text.h"
#include "compiler/parse/token.h"

namespace sigrel::syntax {

class Scanner {
 public:
  /// `comments`, if given, receives all comments with their positions. The text `skipped` is passed over.
  Scanner(FileId file, const SourceMap& sources, Diagnostics& diagnostics,
          std::vector<Token>* comments = nullptr, std::span<const SkippedText> skipped = {});
  ~Scanner();

  const Token& peek() const { return ahead_; }
  /// Consumes and returns the next token; after the last one, always kEnd.
  Token next();

  /// The documentation before the last token returned by `next`; empty if there is none.
  const std::string& doc() const { return doc_; }
  /// Whether the last token returned by `next` is invalid text, which was reported.
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

/// The position of the first invalid byte, or the size of the text.
std::size_t valid_utf8_prefix(std::string_view text);

}  // namespace sigrel::syntax
