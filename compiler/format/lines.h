// A text between its tokens and its new form. Internal to this folder.
//
//   tokens --split--> lines --space--> blanks between tokens --align--> more blanks --indent--> columns
//   --print--> text
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/tokens.h"

namespace sigrel::format {

struct Line {
  std::uint32_t first = 0, end = 0;  // its tokens
  std::uint32_t empty_before = 0;    // empty lines before it, as written
  std::uint32_t indent = 0;          // columns, from 0; set by `indent`
  bool comment = false;              // only comments
};

struct Text {
  const TokenList& list;
  std::string_view source;
  std::vector<Line> lines;
  std::vector<std::uint32_t> blanks;  // before each token, when it is not the first of its line

  const SourceToken& token(std::size_t i) const { return list.tokens[i]; }
  std::string_view spelling(std::size_t i) const {
    const Span& s = token(i).span;
    return source.substr(s.begin, s.end - s.begin);
  }
  bool is_comment(std::size_t i) const {
    return token(i).kind == TokenKind::LineComment || token(i).kind == TokenKind::BlockComment;
  }
  /// Blanks before a token in the source; only meaningful inside a line.
  std::uint32_t written_blanks(std::size_t i) const { return token(i).span.begin - token(i - 1).span.end; }
  /// In code points.
  std::uint32_t width(std::size_t i) const;
};

Text split(const TokenList& list, std::string_view source);
void space(Text& text);
void align(Text& text);
void indent(Text& text);
std::string print(const Text& text);
/// A comment without blanks at the ends of its lines, and with plain line ends.
std::string plain_comment(std::string_view comment);

}  // namespace sigrel::format
