#include "compiler/parse/tokens.h"

#include <algorithm>
#include <map>
#include <optional>

#include "SigrelLexer.h"
#include "compiler/parse/layout.h"

namespace sigrel {
namespace {

using K = SigrelLexer;
using syntax::Token;

bool ends_operand(TokenKind kind) {
  switch (kind) {
    case TokenKind::Name:
    case TokenKind::Capital:
    case TokenKind::Literal:
    case TokenKind::Close:
    case TokenKind::UnitClose:
    case TokenKind::BlockClose: return true;
    default: return false;
  }
}

bool is_unit_part(std::uint16_t kind) {
  switch (kind) {
    case K::LOWER_NAME:
    case K::UPPER_NAME:
    case K::OUT:
    case K::LIKE:
    case K::SR:
    case K::UNIT_SIGN:
    case K::INT:
    case K::STAR:
    case K::SLASH:
    case K::CARET:
    case K::MINUS:
    case K::DOT:
    case K::LEFT_PAREN:
    case K::RIGHT_PAREN: return true;
    default: return false;
  }
}

/// The index of the `>` if token `i` is the `<` of a unit. Comparisons do not chain, so `A < b > c` is
/// unambiguous.
std::optional<std::size_t> end_of_unit(std::span<const Token> tokens, std::size_t i) {
  if (tokens[i].kind != K::LESS || i == 0) return std::nullopt;
  if (tokens[i - 1].kind != K::UPPER_NAME && tokens[i - 1].kind != K::AS) return std::nullopt;
  std::size_t j = i + 1;
  while (j < tokens.size() && is_unit_part(tokens[j].kind)) ++j;
  if (j == i + 1 || j == tokens.size()) return std::nullopt;
  if (tokens[j].kind == K::GREATER || tokens[j].kind == K::LEFT_SECTION) return j;
  return std::nullopt;
}

bool joins_line(std::uint16_t kind) {
  switch (kind) {
    case K::THEN:
    case K::ELSE:
    case K::ELSEWHEN:
    case K::OF:
    case K::IN:
    case K::WHERE:
    case K::DO:
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::RIGHT_BRACE:
    case K::COMMA: return true;
    default: return false;
  }
}

/// The kind of a token without context; Collector refines it.
TokenKind plain_kind(std::uint16_t kind) {
  switch (kind) {
    case K::LOWER_NAME:
    case K::UNDERSCORE:
    case K::OUT:
    case K::LIKE:
    case K::UNIT_SIGN: return TokenKind::Name;
    case K::UPPER_NAME: return TokenKind::Capital;
    case K::UNIT_NUMBER:
    case K::REAL:
    case K::INT:
    case K::STRING: return TokenKind::Literal;
    case K::DIAMOND: return TokenKind::Diamond;
    case K::ARROW: return TokenKind::Arrow;
    case K::EQUAL: return TokenKind::Equal;
    case K::ASSIGN: return TokenKind::Assign;
    case K::DOUBLE_COLON: return TokenKind::DoubleColon;
    case K::COLON:
    case K::EQUAL_EQUAL:
    case K::NOT_EQUAL:
    case K::LESS_EQUAL:
    case K::GREATER_EQUAL:
    case K::LESS:
    case K::GREATER:
    case K::PLUS_PLUS:
    case K::AND:
    case K::OR:
    case K::DOT_DOT:
    case K::BAR:
    case K::OPERATOR_NAME:
    case K::LEFT_SECTION: return TokenKind::Operator;
    case K::PLUS:
    case K::MINUS:
    case K::STAR:
    case K::SLASH: return TokenKind::Arithmetic;
    case K::CARET: return TokenKind::Power;
    case K::BACKSLASH:
    case K::HASH: return TokenKind::Prefix;
    case K::LEFT_PAREN:
    case K::LEFT_BRACKET:
    case K::LEFT_BRACE: return TokenKind::Open;
    case K::INDEX_OPEN: return TokenKind::IndexOpen;
    case K::RIGHT_PAREN:
    case K::RIGHT_BRACKET:
    case K::RIGHT_BRACE: return TokenKind::Close;
    case K::BACKTICK:
    case K::LEFT_SECTION_NAMED: return TokenKind::BacktickOpen;
    case K::LABEL_COLON: return TokenKind::LabelColon;
    case K::COMMA: return TokenKind::Comma;
    case K::SEMICOLON: return TokenKind::Semicolon;
    case K::DOT: return TokenKind::Dot;
    default: return TokenKind::Keyword;
  }
}

/// Collects the pieces of the layout filter, inner ones first.
class Collector final : public syntax::PieceSink {
 public:
  Collector(FileId file, TokenList& list) : file_(file), list_(list) {}
  void attach(const syntax::Layout& layout) { layout_ = &layout; }

  void piece(const syntax::Piece& piece) override {
    if (piece.tokens.empty()) return;
    std::uint32_t index = static_cast<std::uint32_t>(list_.pieces.size());
    list_.pieces.push_back({block_of(piece.block, piece.kind), 0});
    TokenKind before = TokenKind::Keyword;
    std::size_t unit_end = 0;  // index after the current unit
    bool in_backticks = false;
    for (std::size_t i = 0; i < piece.tokens.size(); ++i) {
      const Token& t = piece.tokens[i];
      if (t.kind == K::BLOCK) {
        inner_block(t, index);
        before = TokenKind::Close;
        continue;
      }
      SourceToken token = make(t);
      token.piece = index;
      token.block = list_.pieces[index].block;
      if (i < unit_end) {
        token.kind = i + 1 == unit_end ? TokenKind::UnitClose : TokenKind::UnitPart;
      } else if (auto end = end_of_unit(piece.tokens, i)) {
        token.kind = TokenKind::UnitOpen;
        unit_end = *end + 1;
      } else if (t.kind == K::MINUS && !ends_operand(before)) {
        token.kind = TokenKind::Prefix;
      } else if (token.kind == TokenKind::BacktickOpen) {
        if (in_backticks) token.kind = TokenKind::BacktickClose;
        in_backticks = !in_backticks;
      }
      before = token.kind;
      list_.tokens.push_back(token);
    }
  }

  SourceToken make(const Token& t) const {
    SourceToken token;
    token.kind = plain_kind(t.kind);
    token.span = {file_, t.begin, t.end};
    token.line = t.line;
    token.column = t.column;
    token.first_on_line = t.first_on_line;
    token.joins_line = joins_line(t.kind);
    token.closes_blocks = token.joins_line && t.kind != K::WHERE && t.kind != K::DO;
    return token;
  }

 private:
  std::uint32_t block_of(const syntax::Block* block, syntax::BlockKind kind) {
    if (kind == syntax::BlockKind::File || kind == syntax::BlockKind::Expression) return 0;
    auto [at, fresh] = open_.try_emplace(block, static_cast<std::uint32_t>(list_.blocks.size()));
    if (fresh) {
      list_.blocks.emplace_back();
      list_.blocks.back().top = kind == syntax::BlockKind::Top;
      list_.blocks.back().body = kind == syntax::BlockKind::Body;
    }
    return at->second;
  }
  void inner_block(const Token& t, std::uint32_t piece) {
    const syntax::Block& block = layout_->block(t);
    std::uint32_t index = block_of(&block, block.kind);
    list_.blocks[index].piece = piece;
    list_.blocks[index].span = {file_, t.begin, t.end};
    open_.erase(&block);
  }

  FileId file_;
  TokenList& list_;
  const syntax::Layout* layout_ = nullptr;
  std::map<const syntax::Block*, std::uint32_t> open_;
};

/// The end of the nested comment that starts at `begin`.
std::uint32_t end_of_comment(std::string_view text, std::uint32_t begin) {
  std::size_t at = begin, depth = 0;
  while (at < text.size()) {
    std::string_view two = text.substr(at, 2);
    if (two == "{-") {
      ++depth;
      at += 2;
    } else if (two == "-}") {
      at += 2;
      if (--depth == 0) break;
    } else {
      ++at;
    }
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace

TokenList tokens(FileId file, const SourceMap& sources, Diagnostics& diagnostics) {
  TokenList list;
  list.blocks.emplace_back();
  Collector collector(file, list);
  syntax::Layout layout(file, sources, diagnostics, collector);
  collector.attach(layout);
  layout.run(syntax::BlockKind::File);
  std::ranges::sort(list.tokens, {}, [](const SourceToken& t) { return t.span.begin; });

  // Tokens outside pieces: separators, braces of blocks, comments.
  std::vector<SourceToken> rest;
  std::vector<Token> comments;
  Diagnostics known;
  syntax::Scanner scanner(file, sources, known, &comments);
  std::size_t next = 0;
  for (Token t = scanner.next(); t.kind != syntax::kEnd; t = scanner.next()) {
    while (next < list.tokens.size() && list.tokens[next].span.begin < t.begin) ++next;
    if (next < list.tokens.size() && list.tokens[next].span.begin == t.begin) continue;
    rest.push_back(collector.make(t));
    if (t.kind == K::LEFT_BRACE)
      rest.back().kind = TokenKind::BlockOpen;
    else if (t.kind == K::RIGHT_BRACE)
      rest.back().kind = TokenKind::BlockClose;
  }
  std::string_view text = sources.file(file).text;
  for (const Token& t : comments) {
    SourceToken comment = collector.make(t);
    comment.joins_line = comment.closes_blocks = false;
    comment.kind = t.kind == K::LINE_COMMENT ? TokenKind::LineComment : TokenKind::BlockComment;
    if (comment.kind == TokenKind::BlockComment) comment.span.end = end_of_comment(text, t.begin);
    std::size_t start = t.begin;
    while (start > 0 && (text[start - 1] == ' ' || text[start - 1] == '\t')) --start;
    comment.first_on_line = start == 0 || text[start - 1] == '\n' || text.substr(0, start) == "\xEF\xBB\xBF";
    rest.push_back(comment);
  }
  list.tokens.insert(list.tokens.end(), rest.begin(), rest.end());
  std::ranges::sort(list.tokens, {}, [](const SourceToken& t) { return t.span.begin; });

  for (SourcePiece& piece : list.pieces) piece.first = kNoPiece;
  std::vector<std::uint32_t> by_begin(list.blocks.size() - 1);
  for (std::uint32_t i = 1; i < list.blocks.size(); ++i) by_begin[i - 1] = i;
  std::ranges::sort(by_begin, [&](std::uint32_t a, std::uint32_t b) {
    const Span &x = list.blocks[a].span, &y = list.blocks[b].span;
    return x.begin != y.begin ? x.begin < y.begin : x.end > y.end;
  });
  std::vector<std::uint32_t> open{0};
  std::size_t opened = 0;
  for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
    SourceToken& t = list.tokens[i];
    if (t.piece != kNoPiece && list.pieces[t.piece].first == kNoPiece) list.pieces[t.piece].first = i;
    while (open.size() > 1 && list.blocks[open.back()].span.end <= t.span.begin) open.pop_back();
    for (; opened < by_begin.size() && list.blocks[by_begin[opened]].span.begin <= t.span.begin; ++opened)
      if (list.blocks[by_begin[opened]].span.end > t.span.begin) open.push_back(by_begin[opened]);
    if (t.piece == kNoPiece) t.block = open.back();
    if (t.kind == TokenKind::BlockOpen) list.blocks[t.block].braces = true;
  }
  return list;
}

}  // namespace sigrel
