// The blanks between two tokens of a line.
#include <algorithm>
#include <cctype>

#include "compiler/format/lines.h"

namespace sigrel::format {
namespace {

struct Bracket {
  std::uint32_t open;
  bool spaced = false;         // blanks inside: `{ a = 1 }`
  bool compact_comma = false;  // `x[i,j]`, `Real^(m,n)` may stay so
};

/// The context of each token, found in one pass from left to right.
class Spacing {
 public:
  explicit Spacing(Text& text) : text_(text) {}

  void run() {
    find_spaced_braces();
    for (std::uint32_t i = 0; i < text_.list.tokens.size(); ++i) {
      if (kind(i) == TokenKind::Close && !brackets_.empty()) {
        closing_ = brackets_.back();
        brackets_.pop_back();
      }
      if (i > 0) text_.blanks[i] = between(i - 1, i);
      if (kind(i) == TokenKind::Open || kind(i) == TokenKind::IndexOpen) {
        bool size = i > 0 && kind(i - 1) == TokenKind::Power;
        brackets_.push_back({i, spaced_[i], kind(i) == TokenKind::IndexOpen || size});
      }
    }
  }

 private:
  TokenKind kind(std::uint32_t i) const { return text_.token(i).kind; }

  /// The braces of records and settings have `=` or `::` in them; those of a structural type do not.
  void find_spaced_braces() {
    spaced_.assign(text_.list.tokens.size(), false);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < text_.list.tokens.size(); ++i) {
      if (kind(i) == TokenKind::Open || kind(i) == TokenKind::IndexOpen)
        open.push_back(i);
      else if (kind(i) == TokenKind::Close && !open.empty())
        open.pop_back();
      else if ((kind(i) == TokenKind::Equal || kind(i) == TokenKind::DoubleColon) && !open.empty() &&
               text_.spelling(open.back()) == "{")
        spaced_[open.back()] = true;
    }
  }

  /// Written without blanks on both sides.
  bool tight(std::uint32_t i) const {
    return i > 0 && i + 1 < text_.list.tokens.size() &&
           text_.token(i - 1).span.end == text_.token(i).span.begin &&
           text_.token(i).span.end == text_.token(i + 1).span.begin;
  }
  /// Written with blanks, or a line break, on both sides.
  bool loose(std::uint32_t i) const {
    return i > 0 && i + 1 < text_.list.tokens.size() &&
           text_.token(i - 1).span.end != text_.token(i).span.begin &&
           text_.token(i).span.end != text_.token(i + 1).span.begin;
  }
  bool stays_tight(std::uint32_t i) const {
    if (kind(i) == TokenKind::Power) return !loose(i);
    if (kind(i) != TokenKind::Arithmetic || !tight(i)) return false;
    if (kind(i - 1) == TokenKind::Open || kind(i + 1) == TokenKind::Close) return false;  // a section
    std::uint32_t piece = text_.token(i).piece;
    if (piece == kNoPiece) return false;
    std::uint32_t first = text_.list.pieces[piece].first;
    bool inside = !brackets_.empty() && text_.token(brackets_.back().open).piece == piece;
    return inside || text_.spelling(first) == "for";
  }

  /// The colon of `f: block <> u` in an expression, which looks like the one of a list: the blanks tell.
  bool is_label_of_block(std::uint32_t i) const {
    return i > 0 && i + 1 < text_.list.tokens.size() && text_.spelling(i) == ":" &&
           (kind(i - 1) == TokenKind::Name || kind(i - 1) == TokenKind::Capital) &&
           text_.written_blanks(i) == 0 && text_.written_blanks(i + 1) > 0;
  }

  static bool is_word(TokenKind k) {
    return k == TokenKind::Name || k == TokenKind::Capital || k == TokenKind::Literal ||
           k == TokenKind::Keyword;
  }

  std::uint32_t between(std::uint32_t a, std::uint32_t b) const {
    const TokenKind left = kind(a), right = kind(b);
    if (text_.is_comment(a)) return 1;
    if (text_.is_comment(b))
      return std::clamp(text_.written_blanks(b), 1u, right == TokenKind::LineComment ? 2u : 1u);
    if (text_.spelling(a).ends_with('-') && text_.spelling(b).starts_with('-') && left != TokenKind::Literal)
      return 1;  // else a comment
    // the inside of units
    if (right == TokenKind::UnitPart || right == TokenKind::UnitClose) {
      auto is_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; };
      bool merge = left == TokenKind::UnitPart && is_name(text_.spelling(a).back()) &&
                   is_name(text_.spelling(b).front()) && right == TokenKind::UnitPart;
      return merge ? 1 : 0;
    }
    if (right == TokenKind::UnitOpen) return left == TokenKind::Capital ? 0 : 1;
    // brackets
    if (left == TokenKind::BlockOpen) return right == TokenKind::BlockClose ? 0 : 1;
    if (right == TokenKind::BlockClose || right == TokenKind::BlockOpen) return 1;
    if (right == TokenKind::Close) {
      if (closing_.open == a) return 0;
      return closing_.spaced ? 1 : 0;
    }
    if (left == TokenKind::Open || left == TokenKind::IndexOpen)
      return !brackets_.empty() && brackets_.back().open == a && brackets_.back().spaced ? 1 : 0;
    if (right == TokenKind::IndexOpen) return 0;
    // separators
    if (right == TokenKind::Comma || right == TokenKind::Semicolon || right == TokenKind::LabelColon)
      return 0;
    if (is_label_of_block(b)) return 0;
    if (right == TokenKind::Dot || left == TokenKind::Dot) return 0;
    if (left == TokenKind::Comma) {
      bool compact = !brackets_.empty() && brackets_.back().compact_comma;
      return compact ? std::min(text_.written_blanks(b), 1u) : 1;
    }
    // operators
    if (left == TokenKind::Prefix) return 0;
    if (left == TokenKind::BacktickOpen || right == TokenKind::BacktickClose) return 0;
    if (stays_tight(a) || stays_tight(b)) return 0;
    return 1;
  }

  Text& text_;
  std::vector<Bracket> brackets_;
  std::vector<bool> spaced_;
  Bracket closing_{};
};

}  // namespace

void space(Text& text) { Spacing(text).run(); }

}  // namespace sigrel::format
