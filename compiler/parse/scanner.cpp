#include "compiler/parse/scanner.h"

#include <algorithm>
#include <optional>

#include "SigrelLexer.h"
#include "compiler/parse/token_table.h"

namespace sigrel::syntax {
namespace {

/// The character stream for ANTLR: code points, with byte offsets as indices, so that token positions are
/// byte offsets.
class Utf8Stream final : public antlr4::CharStream {
 public:
  Utf8Stream(std::string_view text, std::size_t start) : text_(text), at_(start) {}

  void consume() override { at_ += length(at_); }
  std::size_t LA(ssize_t k) override {
    std::size_t at = at_;
    for (; k > 1 && at < text_.size(); --k) at += length(at);
    for (; k < 0; ++k) {
      if (at == 0) return EOF;
      do --at;
      while (at > 0 && (text_[at] & 0xC0) == 0x80);
    }
    return at < text_.size() ? code_point(at) : EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  std::size_t index() override { return at_; }
  void seek(std::size_t index) override { at_ = index; }
  std::size_t size() override { return text_.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval& i) override {
    return std::string(text_.substr(std::min<std::size_t>(i.a, text_.size()), i.b - i.a + 1));
  }
  std::string toString() const override { return std::string(text_); }

 private:
  std::size_t length(std::size_t at) const {
    unsigned char c = text_[at];
    return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
  }
  std::size_t code_point(std::size_t at) const {
    auto bits = [&](std::size_t i) { return static_cast<unsigned char>(text_[at + i]) & 0x3Fu; };
    unsigned char c = text_[at];
    switch (length(at)) {
      case 1: return c;
      case 2: return (c & 0x1Fu) << 6 | bits(1);
      case 3: return (c & 0x0Fu) << 12 | bits(1) << 6 | bits(2);
      default: return (c & 0x07u) << 18 | bits(1) << 12 | bits(2) << 6 | bits(3);
    }
  }

  std::string_view text_;
  std::size_t at_;
};

Token make_token(std::uint16_t kind, std::size_t begin, std::size_t end, std::size_t line,
                 std::size_t column) {
  Token token;
  token.kind = kind;
  token.begin = static_cast<std::uint32_t>(begin);
  token.end = static_cast<std::uint32_t>(end);
  token.line = static_cast<std::uint32_t>(line);
  token.column = static_cast<std::uint32_t>(column + 1);
  return token;
}

/// Records tokens in our format instead of creating ANTLR tokens.
class RecordingLexer final : public SigrelLexer {
 public:
  using SigrelLexer::SigrelLexer;
  Token current;

  antlr4::Token* emit() override {
    current = make_token(static_cast<std::uint16_t>(type), tokenStartCharIndex, _input->index(),
                         tokenStartLine, tokenStartCharPositionInLine);
    return nullptr;
  }
  antlr4::Token* emitEOF() override {
    channel = antlr4::Token::DEFAULT_CHANNEL;
    current = make_token(kEnd, _input->index(), _input->index(), getLine(), getCharPositionInLine());
    return nullptr;
  }
};

constexpr std::uint32_t kTabWidth = 8;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

struct Scanner::Antlr {
  std::string_view text;
  Utf8Stream stream;
  std::optional<RecordingLexer>
      lexer;  // made when a token needs it: its automaton takes as long as small files
  std::span<const SkippedText> skipped;  // not yet passed over
  std::size_t at, line = 1, column = 0;  // of the next token, in the conventions of ANTLR
  std::uint32_t comment_begin = 0;
  Token current;

  Antlr(std::string_view text, std::size_t start, std::span<const SkippedText> skipped)
      : text(text), stream(text, start), skipped(skipped), at(start) {}

  bool in_comment() const { return lexer && !lexer->modeStack.empty(); }

  /// The next token; comments are tokens here, blanks are not.
  const Token& next() {
    while (!in_comment() && at < text.size()) {
      if (!skipped.empty() && at == skipped.front().begin) {
        at = skipped.front().end;
        line += skipped.front().lines;
        skipped = skipped.subspan(1);
        continue;
      }
      auto found = match_token(text, at);
      if (!found) break;
      if (found->kind == SigrelLexer::SPACE) {
        for (; at < found->end; ++at)
          if (text[at] == '\n')
            ++line, column = 0;
          else
            ++column;
        continue;
      }
      // On one line, since only blanks and block comments contain line breaks, and all ASCII unless it is a
      // comment, which ends the line.
      current = make_token(found->kind, at, found->end, line, column);
      column += found->end - at;
      at = found->end;
      return current;
    }
    if (at == text.size() && !in_comment()) return current = make_token(kEnd, at, at, line, column);
    if (!lexer) {
      lexer.emplace(&stream);
      lexer->removeErrorListeners();
    }
    stream.seek(at);
    lexer->setLine(line);
    lexer->setCharPositionInLine(column);
    lexer->nextToken();
    at = stream.index();
    line = lexer->getLine();
    column = lexer->getCharPositionInLine();
    return current = lexer->current;
  }
};

Scanner::Scanner(FileId file, const SourceMap& sources, Diagnostics& diagnostics,
                 std::vector<Token>* comments, std::span<const SkippedText> skipped)
    : file_(file), text_(sources.file(file).text), diagnostics_(diagnostics), comments_(comments) {
  antlr_ =
      std::make_unique<Antlr>(text_, text_.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0, skipped);
  ahead_ = read();
}

Scanner::~Scanner() = default;

Token Scanner::next() {
  Token token = ahead_;
  doc_ = std::move(doc_ahead_);
  doc_ahead_.clear();
  damaged_ = damaged_ahead_;
  damaged_ahead_ = false;
  if (token.kind != kEnd) ahead_ = read();
  return token;
}

Token Scanner::read() {
  for (;;) {
    Token token = antlr_->next();
    switch (token.kind) {
      case SigrelLexer::LINE_COMMENT:
        if (comments_) comments_->push_back(token);
        comment(token);
        continue;
      case SigrelLexer::COMMENT_OPEN:
        if (comments_) comments_->push_back(token);
        antlr_->comment_begin = token.begin;
        doc_ahead_.clear();
        continue;
      case kEnd:
        if (antlr_->in_comment()) {
          Span open{file_, antlr_->comment_begin, antlr_->comment_begin + 2};
          diagnostics_.report(Code::UnclosedText, open, "this comment is not closed")
              .label("this `{-` opens a comment that extends to the end of the file")
              .help("close it with `-}`; comments nest: every `{-` needs its own `-}`");
          antlr_->lexer->modeStack.clear();
          damaged_ahead_ = true;
        }
        break;
      case SigrelLexer::UNCLOSED_STRING:
        diagnostics_.report(Code::UnclosedText, {file_, token.begin, token.end}, "this string is not closed")
            .label("the line ends inside the string")
            .help("close it with `\"`; a line break inside a string is written `\\n`");
        token.kind = SigrelLexer::STRING;
        damaged_ahead_ = true;
        break;
      case SigrelLexer::FOREIGN_NOT_EQUAL:
        diagnostics_
            .report(Code::ForeignSyntax, {file_, token.begin, token.end}, "`not equal` is written `/=`")
            .fix("write `/=`", {file_, token.begin, token.end}, "/=");
        token.kind = SigrelLexer::NOT_EQUAL;
        break;
      case SigrelLexer::OTHER:
        if (token.line != other_line_) report_other(token);  // one report per line
        other_line_ = token.line;
        damaged_ahead_ = true;
        break;
      default: break;
    }
    token.first_on_line = token.line != last_line_;
    last_line_ = token.line;
    if (token.first_on_line && token.kind != kEnd) {
      std::size_t newline = token.begin == 0 ? std::string::npos : text_.rfind('\n', token.begin - 1);
      std::size_t start = newline == std::string::npos ? 0 : newline + 1;
      std::string_view indentation = std::string_view(text_).substr(start, token.begin - start);
      if (std::size_t tab = indentation.find('\t'); tab != std::string_view::npos) {
        std::uint32_t at = static_cast<std::uint32_t>(start + tab);
        if (!tab_reported_)
          diagnostics_.report(Code::TabIndentation, {file_, at, at + 1}, "a tab in the indentation")
              .label("the width of a tab depends on the editor, but indentation is significant")
              .help("indent with spaces");
        tab_reported_ = true;
        damaged_ahead_ = true;
        std::uint32_t column = 1;
        for (char c : indentation)
          if (c == '\t')
            column = (column - 1) / kTabWidth * kTabWidth + kTabWidth + 1;
          else if ((c & 0xC0) != 0x80)
            ++column;
        token.column = column;
      }
    }
    return token;
  }
}

// `-- |` starts a documentation comment; comments on the lines directly below continue it and keep their
// indentation, for pictures and code.
void Scanner::comment(const Token& token) {
  std::string_view body = std::string_view(text_).substr(token.begin, token.end - token.begin);
  body.remove_prefix(2);
  if (body.starts_with(' ')) body.remove_prefix(1);
  while (body.ends_with(' ')) body.remove_suffix(1);
  const bool alone = token.line != last_line_;
  if (alone && !doc_ahead_.empty() && token.line == doc_line_ + 1) {
    doc_ahead_ += '\n';
    doc_ahead_ += body;
    doc_line_ = token.line;
  } else if (alone && body.starts_with('|')) {
    body.remove_prefix(1);
    if (body.starts_with(' ')) body.remove_prefix(1);
    doc_ahead_ = body;
    doc_line_ = token.line;
  }
}

void Scanner::report_other(const Token& token) {
  Span span{file_, token.begin, token.end};
  std::string_view character = std::string_view(text_).substr(token.begin, token.end - token.begin);
  auto is = [&](std::initializer_list<std::string_view> set) {
    return std::ranges::find(set, character) != set.end();
  };
  if (is({"\xC2\xA0", "\xE2\x80\x89", "\xE2\x80\xAF", "\xE3\x80\x80", "\xE2\x80\x8B", "\xEF\xBB\xBF"})) {
    diagnostics_.report(Code::SyntaxError, span, "a special space character")
        .fix("use a normal space", span, " ");
  } else if (is({"\xE2\x88\x92", "\xE2\x80\x93", "\xE2\x80\x94"})) {
    diagnostics_.report(Code::SyntaxError, span, "this dash is not the minus sign `-`")
        .fix("write `-`", span, "-");
  } else if (is({"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E", "'", "\xE2\x80\x98", "\xE2\x80\x99"})) {
    diagnostics_.report(Code::SyntaxError, span, "strings are written in straight double quotes")
        .help("write `\"…\"`");
  } else if (is({"\xC3\x97", "\xC2\xB7"})) {
    diagnostics_.report(Code::SyntaxError, span, "multiplication is written `*`").fix("write `*`", span, "*");
  } else if (is({"!"}) && std::string_view(text_).substr(token.end).starts_with('!')) {
    diagnostics_.report(Code::ForeignSyntax, span, "elements of a list are written `xs[i]`, from `xs[1]` on");
  } else if (is({"!"})) {
    diagnostics_.report(Code::ForeignSyntax, span, "negation is written `not`")
        .fix("write `not`", span, "not ");
  } else if (is({"&"})) {
    diagnostics_.report(Code::ForeignSyntax, span, "`and` is written `&&`").fix("write `&&`", span, "&&");
  } else if (character.size() == 1 && static_cast<unsigned char>(character[0]) < 0x20) {
    diagnostics_.report(Code::SyntaxError, span, "a control character in the text").help("delete it");
  } else {
    Diagnostic& d = diagnostics_.report(Code::SyntaxError, span,
                                        "the character `" + std::string(character) + "` has no meaning here");
    if (character == "?") d.help("a choice is written `if c then a else b`");
  }
}

}  // namespace sigrel::syntax
