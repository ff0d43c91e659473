// The tokens of a piece with their text, for messages: the base of what reports errors of a piece.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/layout.h"

namespace sigrel::syntax {

class PieceText {
 protected:
  PieceText(const Piece& piece, FileId file, const SourceMap& sources)
      : piece_(piece), file_(file), sources_(sources) {}

  /// kEnd behind the last token.
  std::uint16_t kind(std::size_t i) const { return i < piece_.tokens.size() ? piece_.tokens[i].kind : kEnd; }
  Span span(std::size_t i) const {
    if (piece_.tokens.empty()) return {file_, 0, 0};
    const Token& t = piece_.tokens[std::min(i, piece_.tokens.size() - 1)];
    return {file_, t.begin, t.end};
  }
  std::string_view text(std::size_t i) const {
    return i < piece_.tokens.size() ? sources_.text(span(i)) : "";
  }
  std::string quoted(std::size_t i) const {
    std::string_view t = text(i);
    return t.size() > 40 ? "this text" : "`" + std::string(t) + "`";
  }
  /// The source of the tokens from one to before another one.
  std::string between(std::size_t begin, std::size_t end) const {
    return begin < end ? std::string(sources_.text(join(span(begin), span(end - 1)))) : std::string();
  }
  /// Whether nothing stands between the token and the next one.
  bool adjacent(std::size_t i) const {
    return kind(i + 1) != kEnd && piece_.tokens[i].end == piece_.tokens[i + 1].begin;
  }
  bool has(std::uint16_t k) const {
    return std::ranges::any_of(piece_.tokens, [&](const Token& t) { return t.kind == k; });
  }

  const Piece& piece_;
  FileId file_;
  const SourceMap& sources_;
};

}  // namespace sigrel::syntax
