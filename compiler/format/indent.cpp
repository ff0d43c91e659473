// The column of each line. A block is two columns deeper than the line that opens it, four if that line
// leaves a bracket open (so that the text after the bracket fits between), or at its first token if that is
// in the same line. A continuation line stays below the token that it was aligned with, or keeps its
// distance.
#include <algorithm>

#include "compiler/format/lines.h"

namespace sigrel::format {
namespace {

constexpr std::uint32_t kStep = 2;

/// A column in the source and in the result, both from 0.
struct Place {
  std::uint32_t written = 0, now = 0;
};

class Indentation {
 public:
  explicit Indentation(Text& text)
      : text_(text),
        blocks_(text.list.blocks.size()),
        known_(text.list.blocks.size()),
        now_(text.list.tokens.size()) {}

  void run() {
    find_followed();
    std::vector<Line*> comments;
    std::uint32_t last_code = 0;  // index of the last token that is not a comment, plus one
    for (Line& line : text_.lines) {
      if (line.comment) {
        comments.push_back(&line);
        continue;
      }
      line_indent_before_ = line_indent_;
      bracket_open_before_ = bracket_open_;
      line.indent = place(line.first, last_code);
      line_indent_ = line.indent;
      bracket_open_ = leaves_bracket_open(line);
      place_comments(comments, {column(line.first), line.indent}, last_code, text_.token(line.first).block);
      std::uint32_t at = line.indent;
      for (std::uint32_t i = line.first; i < line.end; ++i) {
        if (i > line.first) at += text_.blanks[i];
        now_[i] = at;
        at += text_.width(i);
        if (text_.is_comment(i)) continue;
        open_inline(i, last_code);
        last_code = i + 1;
      }
    }
    place_comments(comments, {0, 0}, last_code, 0);
  }

 private:
  std::uint32_t column(std::uint32_t i) const { return text_.token(i).column - 1; }
  bool starts_piece(std::uint32_t i) const {
    std::uint32_t piece = text_.token(i).piece;
    return piece != kNoPiece && text_.list.pieces[piece].first == i;
  }
  std::uint32_t parent(std::uint32_t block) const {
    std::uint32_t piece = text_.list.blocks[block].piece;
    return piece == kNoPiece ? 0 : text_.list.pieces[piece].block;
  }
  /// Indented blocks that end before token `next`, which continues a piece outside of them.
  template <class F>
  void for_closed(std::uint32_t last_code, std::uint32_t next_block, F f) const {
    if (last_code == 0) return;
    for (std::uint32_t b = text_.token(last_code - 1).block; b != 0 && b != next_block; b = parent(b)) f(b);
  }

  /// Blocks behind which a line continues the piece around them: that line must stand left of the block.
  void find_followed() {
    followed_.assign(blocks_.size(), false);
    std::uint32_t last_code = 0;
    for (std::uint32_t i = 0; i < text_.list.tokens.size(); ++i) {
      if (text_.is_comment(i)) continue;
      const SourceToken& t = text_.token(i);
      if (t.first_on_line && t.piece != kNoPiece && !starts_piece(i) && !t.closes_blocks)
        for_closed(last_code, t.block, [&](std::uint32_t b) { followed_[b] = true; });
      last_code = i + 1;
    }
  }

  bool leaves_bracket_open(const Line& line) const {
    int depth = 0;
    for (std::uint32_t i = line.first; i < line.end; ++i) {
      TokenKind kind = text_.token(i).kind;
      if (kind == TokenKind::Open || kind == TokenKind::IndexOpen) ++depth;
      if (kind == TokenKind::Close && depth > 0) --depth;
    }
    return depth > 0;
  }

  void open(std::uint32_t block, Place place) {
    blocks_[block] = place;
    known_[block] = true;
  }

  /// A block whose first token is inside a line, and braces.
  void open_inline(std::uint32_t i, std::uint32_t last_code) {
    const SourceToken& t = text_.token(i);
    if (t.kind == TokenKind::BlockOpen) {
      // Braces are indented from the line in which they start, or from the block around them.
      std::uint32_t now = std::max(line_indent_, blocks_[parent(t.block)].now);
      std::uint32_t written = last_code > 0 && !t.first_on_line ? written_indent(i) : column(i);
      open(t.block, {std::max(written, blocks_[parent(t.block)].written), now});
    } else if (starts_piece(i) && !known_[t.block]) {
      open(t.block, {column(i), now_[i]});
    }
  }
  std::uint32_t written_indent(std::uint32_t i) const {
    while (i > 0 && !text_.token(i).first_on_line) --i;
    return column(i);
  }

  /// The column of the first token of a line.
  std::uint32_t place(std::uint32_t i, std::uint32_t last_code) {
    const SourceToken& t = text_.token(i);
    const SourceBlock& block = text_.list.blocks[t.block];
    if (block.top && starts_piece(i)) {
      if (!known_[t.block]) open(t.block, {column(i), 0});
      return blocks_[t.block].now;
    }
    if (t.block == 0) return t.piece == kNoPiece || starts_piece(i) ? 0 : kStep;
    if (block.braces && t.kind != TokenKind::BlockOpen) {
      std::uint32_t reference = blocks_[t.block].now;
      if (t.kind == TokenKind::BlockClose) return reference;
      if (t.piece == kNoPiece || starts_piece(i)) return reference + kStep;
    } else if (starts_piece(i)) {
      if (!known_[t.block]) {
        std::uint32_t around = std::max(line_indent_before_, blocks_[parent(t.block)].now);
        bool deeper = followed_[t.block] || bracket_open_before_;
        open(t.block, {column(i), around + (deeper ? 2 * kStep : kStep)});
      }
      return blocks_[t.block].now;
    }
    return continuation(i, last_code);
  }

  std::uint32_t continuation(std::uint32_t i, std::uint32_t last_code) {
    const SourceToken& t = text_.token(i);
    // The braces of a block belong to the piece around them.
    std::uint32_t piece = t.kind == TokenKind::BlockOpen ? text_.list.blocks[t.block].piece : t.piece;
    std::uint32_t own = t.kind == TokenKind::BlockOpen ? parent(t.block) : t.block;
    const Place around = blocks_[own];
    const bool braces = text_.list.blocks[own].braces;
    std::uint32_t least = around.now + (t.joins_line && !braces ? 0 : kStep);
    if (piece != kNoPiece && is_statement_else(i, piece)) return around.now;

    std::int64_t wanted = std::int64_t{around.now} + column(i) - around.written;
    if (moved_here(i)) {
      wanted = least;
    } else if (piece != kNoPiece) {
      // The token above: in the nearest line of the piece that has a token in this column.
      std::uint32_t first = text_.list.pieces[piece].first;
      for (std::uint32_t k = i; k-- > first;)
        if (text_.token(k).piece == piece && text_.token(k).column == t.column) {
          wanted = now_[k];
          break;
        }
    }
    std::uint32_t now = static_cast<std::uint32_t>(std::max<std::int64_t>(wanted, least));
    if (!t.closes_blocks) {
      std::uint32_t limit = 0xFFFFFFFF;
      for_closed(last_code, own, [&](std::uint32_t b) {
        if (!text_.list.blocks[b].braces) limit = std::min(limit, blocks_[b].now);
      });
      if (now >= limit) now = around.now + kStep < limit ? around.now + kStep : limit - 1;
    }
    return now;
  }

  /// After a comment in its line, which gets that line for itself.
  bool moved_here(std::uint32_t i) const {
    if (i == 0 || !text_.is_comment(i - 1)) return false;
    const std::uint32_t from = text_.token(i - 1).span.end, to = text_.token(i).span.begin;
    return text_.source.substr(from, to - from).find('\n') == std::string_view::npos;
  }

  /// `else` of an `if`, or `elsewhen` of a `when`, that is an item.
  bool is_statement_else(std::uint32_t i, std::uint32_t piece) const {
    if (text_.token(i).kind != TokenKind::Keyword) return false;
    const bool is_else = text_.spelling(i) == "else";
    if (!is_else && text_.spelling(i) != "elsewhen") return false;
    const SourcePiece& p = text_.list.pieces[piece];
    if (!text_.list.blocks[p.block].body || text_.list.blocks[p.block].braces ||
        text_.spelling(p.first) != (is_else ? "if" : "when"))
      return false;
    int depth = 0;
    for (std::uint32_t k = p.first; k < i; ++k) {
      if (text_.token(k).piece != piece) continue;
      if (text_.token(k).kind == TokenKind::Open || text_.token(k).kind == TokenKind::IndexOpen) ++depth;
      if (text_.token(k).kind == TokenKind::Close) --depth;
    }
    return depth == 0;
  }

  /// A comment belongs to the next line, or to the block that ends there if it is as deep as that block.
  void place_comments(std::vector<Line*>& comments, Place next, std::uint32_t last_code,
                      std::uint32_t next_block) {
    for (Line* line : comments) {
      std::uint32_t at = column(line->first);
      Place best = next;
      for_closed(last_code, next_block, [&](std::uint32_t b) {
        Place p = blocks_[b];
        if (text_.list.blocks[b].braces || !known_[b] || p.written <= next.written) return;
        if (p.written <= at && (best.written > at || p.written > best.written)) best = p;
      });
      line->indent = best.now;
    }
    comments.clear();
  }

  Text& text_;
  std::vector<Place> blocks_;  // implicit blocks: their column; braces: a step less than their content
  std::vector<bool> known_, followed_;
  std::vector<std::uint32_t> now_;                          // the column of each token
  std::uint32_t line_indent_ = 0, line_indent_before_ = 0;  // of the line under way and the one before
  bool bracket_open_ = false, bracket_open_before_ = false;
};

}  // namespace

void indent(Text& text) { Indentation(text).run(); }

}  // namespace sigrel::format
