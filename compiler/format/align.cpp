// Columns: tokens aligned in consecutive lines of the source stay aligned, as far left as possible.
#include <algorithm>
#include <optional>

#include "compiler/format/lines.h"

namespace sigrel::format {
namespace {

constexpr std::uint32_t kOperators = 3;  // columns of operators in a line

bool is_anchor(TokenKind kind) {
  switch (kind) {
    case TokenKind::Diamond:
    case TokenKind::Arrow:
    case TokenKind::Equal:
    case TokenKind::Assign:
    case TokenKind::DoubleColon: return true;
    default: return false;
  }
}

enum class Column : std::uint8_t { AfterLabel, Operator, Comment };

/// The token of a line that a column aligns.
std::optional<std::uint32_t> anchor(const Text& text, const Line& line, Column column,
                                    std::uint32_t ordinal) {
  if (line.comment) return std::nullopt;
  switch (column) {
    case Column::AfterLabel:
      for (std::uint32_t i = line.first + 1; i < line.end && i <= line.first + 2; ++i)
        if (text.token(i - 1).kind == TokenKind::LabelColon) return i;
      return std::nullopt;
    case Column::Operator:
      for (std::uint32_t i = line.first + 1; i < line.end; ++i)
        if (is_anchor(text.token(i).kind) && ordinal-- == 0) return i;
      return std::nullopt;
    case Column::Comment:
      if (line.end > line.first + 1 && text.token(line.end - 1).kind == TokenKind::LineComment)
        return line.end - 1;
      return std::nullopt;
  }
  return std::nullopt;
}

/// Whether the lines start at the same column after formatting, too.
bool same_start(const Text& text, const Line& a, const Line& b) {
  const SourceToken &x = text.token(a.first), &y = text.token(b.first);
  if (x.column != y.column || x.block != y.block) return false;
  auto starts_piece = [&](const Line& l) {
    std::uint32_t piece = text.token(l.first).piece;
    return piece != kNoPiece && text.list.pieces[piece].first == l.first;
  };
  return starts_piece(a) && starts_piece(b) ? true
                                            : !starts_piece(a) && !starts_piece(b) && x.piece == y.piece;
}

std::uint32_t offset(const Text& text, const Line& line, std::uint32_t token, bool without_last_blanks) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = line.first; i < token; ++i)
    sum += text.width(i) + (i > line.first ? text.blanks[i] : 0);
  return sum + (without_last_blanks ? 0 : text.blanks[token]);
}

void align_column(Text& text, Column column, std::uint32_t ordinal) {
  std::vector<Line>& lines = text.lines;
  for (std::size_t i = 0; i < lines.size();) {
    auto first = anchor(text, lines[i], column, ordinal);
    std::size_t end = i + 1;
    if (first) {
      for (; end < lines.size() && lines[end].empty_before == 0; ++end) {
        auto next = anchor(text, lines[end], column, ordinal);
        if (!next || text.token(*next).column != text.token(*first).column ||
            (column == Column::Operator && text.token(*next).kind != text.token(*first).kind) ||
            !same_start(text, lines[end - 1], lines[end]))
          break;
      }
      std::uint32_t furthest = 0;
      bool meant = false;
      for (std::size_t k = i; k < end; ++k) {
        std::uint32_t token = *anchor(text, lines[k], column, ordinal);
        furthest = std::max(furthest, offset(text, lines[k], token, false));
        meant = meant || text.written_blanks(token) > 1;
      }
      if (meant && end > i + 1)
        for (std::size_t k = i; k < end; ++k) {
          std::uint32_t token = *anchor(text, lines[k], column, ordinal);
          text.blanks[token] = furthest - offset(text, lines[k], token, true);
        }
    }
    i = end;
  }
}

}  // namespace

void align(Text& text) {
  align_column(text, Column::AfterLabel, 0);
  for (std::uint32_t ordinal = 0; ordinal < kOperators; ++ordinal)
    align_column(text, Column::Operator, ordinal);
  align_column(text, Column::Comment, 0);
}

}  // namespace sigrel::format
