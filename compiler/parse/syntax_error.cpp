#include "compiler/parse/syntax_error.h"

#include <algorithm>

#include "SigrelParser.h"
#include "compiler/parse/other_languages.h"
#include "compiler/parse/piece_text.h"

namespace sigrel::syntax {
namespace {

using P = SigrelParser;

/// The reserved words.
bool is_keyword(std::uint16_t kind) {
  switch (kind) {
    case P::IMPORT:
    case P::FOREIGN:
    case P::SIGREL:
    case P::WHERE:
    case P::LET:
    case P::IN:
    case P::IF:
    case P::THEN:
    case P::ELSE:
    case P::CASE:
    case P::OF:
    case P::AS:
    case P::WITH:
    case P::LOCAL:
    case P::DISCRETE:
    case P::CONNECT:
    case P::INITIALLY:
    case P::GUESS:
    case P::FOR:
    case P::DO:
    case P::WHEN:
    case P::ELSEWHEN:
    case P::EVERY:
    case P::SWITCH:
    case P::UNTIL:
    case P::ASSERT:
    case P::TERMINATE:
    case P::SR: return true;
    default: return false;
  }
}

class Reporter : PieceText {
 public:
  Reporter(const Fault& fault, const Piece& piece, FileId file, const SourceMap& sources,
           Diagnostics& diagnostics)
      : PieceText(piece, file, sources), fault_(fault), diagnostics_(diagnostics), at_(fault.offending) {}

  void report() {
    if (report_foreign_token(piece_, at_, file_, sources_, diagnostics_)) return;
    if (missing_word() || foreign_form() || indentation()) return;
    std::string what = expectation();
    std::string message = "expected " + what;
    bool ends = kind(at_) == kEnd;
    if (what.empty())
      message =
          ends ? "this " + std::string(noun()) + " is not complete"
               : quoted(at_) + " does not belong here: the " + std::string(noun()) + " is complete before it";
    else if (at_ > 0)
      message += kind(at_ - 1) == P::BLOCK ? " after this block" : " after " + quoted(at_ - 1);
    Diagnostic& d = diagnostics_.report(Code::SyntaxError, span(ends && at_ > 0 ? at_ - 1 : at_), message);
    if (ends)
      d.label("the " + std::string(noun()) + " ends here");
    else if (!what.empty() && is_keyword(kind(at_)) && expects(P::LOWER_NAME))
      d.label(quoted(at_) + " is a reserved word");
    else if (!what.empty())
      d.label(kind(at_) == P::BLOCK ? "found a block" : "found " + quoted(at_));
    helps(d);
  }

 private:
  bool expects(std::size_t k) const { return std::ranges::find(fault_.expected, k) != fault_.expected.end(); }
  bool inside(std::size_t rule) const { return std::ranges::find(fault_.rules, rule) != fault_.rules.end(); }
  /// The name of the kind of piece.
  std::string_view noun() const {
    switch (piece_.kind) {
      case BlockKind::File:
      case BlockKind::Top: return "declaration";
      case BlockKind::Declarations: return "definition";
      case BlockKind::Body: return "item";
      case BlockKind::Alternatives: return "alternative";
      case BlockKind::Modes: return "mode";
      case BlockKind::Expression: return "expression";
    }
    return "text";
  }

  /// "an expression", "`then`", "`)` or `,`"; empty if the piece is complete.
  std::string expectation() const {
    if (at_ == 0) {
      switch (piece_.kind) {
        case BlockKind::Modes: return "`mode`";
        case BlockKind::Alternatives: return "a pattern";
        case BlockKind::Body: return "an equation or another item";
        case BlockKind::Expression: return "an expression";
        default: return "a declaration";
      }
    }
    if (fault_.expected.empty() && inside(P::RuleUnit)) return "`>`";
    bool operand_done = expects(P::STAR) && !expects(P::UNIT_SIGN);
    if (!operand_done) {
      if (expects(P::UNIT_SIGN) && !expects(P::GREATER)) return "a unit";
      if (expects(P::UNIT_SIGN)) return "`>`";
      std::size_t rule = fault_.rules.empty() ? 0 : fault_.rules.front();
      switch (rule) {
        case P::RuleType:
        case P::RuleTypeOperand:
        case P::RuleTypeAtom:
        case P::RuleTypePrimary:
          if (expects(P::UPPER_NAME)) return "a type";
          break;
        case P::RulePattern:
        case P::RulePatternOperand:
        case P::RulePatternAtom:
        case P::RuleSimplePattern:
          if (expects(P::LOWER_NAME)) return "a pattern";
          break;
        default: break;
      }
      if (expects(P::BACKSLASH) || (expects(P::UNIT_NUMBER) && expects(P::LEFT_PAREN)))
        return "an expression";
      if (expects(P::INT) && expects(P::UNDERSCORE) && !expects(P::EQUAL) && !expects(P::ARROW))
        return "a pattern";
      if (expects(P::SR) && !expects(P::EQUAL)) return "a type";
    }
    struct Spelling {
      std::size_t kind;
      std::string_view text;
    };
    static constexpr Spelling spellings[] = {
        {P::EQUAL, "`=`"},       {P::DOUBLE_COLON, "`::`"}, {P::THEN, "`then`"},
        {P::ELSE, "`else`"},     {P::OF, "`of`"},           {P::DO, "`do`"},
        {P::WHERE, "`where`"},   {P::ARROW, "`->`"},        {P::IN, "`in`"},
        {P::WHEN, "`when`"},     {P::RIGHT_PAREN, "`)`"},   {P::RIGHT_BRACKET, "`]`"},
        {P::RIGHT_BRACE, "`}`"}, {P::COMMA, "`,`"},         {P::LEFT_PAREN, "`(`"},
        {P::LEFT_BRACE, "`{`"},  {P::MODE, "`mode`"},       {P::BACKTICK, "a backtick"},
        {P::STRING, "a string"}, {P::IMPORT, "`import`"},   {P::INT, "a number"}};
    std::vector<std::string_view> parts;
    bool ends_too = expects(static_cast<std::size_t>(-1));
    bool name = expects(P::LOWER_NAME) && !operand_done;
    bool upper = expects(P::UPPER_NAME) && !operand_done;
    if (name && upper && !expects(P::INT))
      parts.push_back("a name");
    else if (name && !expects(P::INT))
      parts.push_back("a name");
    else if (upper && !expects(P::INT))
      parts.push_back("a name that starts with a capital letter");
    for (const Spelling& s : spellings) {
      if (parts.size() == 3) break;
      if (!expects(s.kind)) continue;
      bool opens =
          s.kind == P::LEFT_PAREN || s.kind == P::LEFT_BRACE || s.kind == P::STRING || s.kind == P::INT;
      if (opens && (operand_done || !parts.empty())) continue;
      parts.push_back(s.text);
    }
    if (parts.empty() || (ends_too && operand_done && !(piece_.kind == BlockKind::Body && parts.size() == 1)))
      return "";
    std::string out(parts[0]);
    for (std::size_t i = 1; i < parts.size(); ++i) (out += i + 1 == parts.size() ? " or " : ", ") += parts[i];
    return out;
  }

  /// `do`, `then` or `where` is missing at the end of a line.
  bool missing_word() {
    std::string_view word = expects(P::DO)      ? "do"
                            : expects(P::THEN)  ? "then"
                            : expects(P::WHERE) ? "where"
                                                : "";
    if (word.empty() || piece_.tokens.empty() || at_ == 0) return false;
    std::size_t line = 0;   // the first token of the next line
    std::size_t begin = 1;  // behind the word that follows the last block: `elsewhen`, `else`
    for (std::size_t i = 0; i < std::min(at_, piece_.tokens.size()); ++i)
      if (kind(i) == P::BLOCK) begin = i + 2;
    for (std::size_t i = begin; i <= std::min(at_, piece_.tokens.size() - 1) && line == 0; ++i)
      if (piece_.tokens[i].first_on_line) line = i;
    if (line == 0) return false;
    std::uint32_t end = piece_.tokens[line - 1].end;
    diagnostics_
        .report(Code::SyntaxError, span(line - 1),
                "expected `" + std::string(word) + "` after " + quoted(line - 1))
        .label("required before the block below")
        .fix("write `" + std::string(word) + "`", {file_, end, end}, " " + std::string(word));
    return true;
  }

  Diagnostic& foreign(std::size_t i, std::string message) {
    return diagnostics_.report(Code::ForeignSyntax, span(i), std::move(message));
  }

  /// Syntax of other languages. Returns whether such an error was reported.
  bool foreign_form() {
    Span both = at_ < piece_.tokens.size() ? join(span(at_), span(at_ + 1)) : span(at_);
    if (text(0) == "end" && piece_.tokens.size() <= 3 && !has(P::EQUAL)) {
      Span whole = join(span(0), span(piece_.tokens.size() - 1));
      diagnostics_.report(Code::ForeignSyntax, whole, "blocks do not have an `end`")
          .label("the indentation determines the end of a block")
          .fix("delete it", whole, "");
      return true;
    }
    bool defines = piece_.kind == BlockKind::Top || piece_.kind == BlockKind::Declarations;
    switch (kind(at_)) {
      case P::ASSIGN:
        if (!defines && !expects(P::THEN)) break;
        foreign(at_, expects(P::THEN) ? "a comparison is written `==`" : "a definition is written with `=`")
            .fix(expects(P::THEN) ? "write `==`" : "write `=`", span(at_), expects(P::THEN) ? "==" : "=");
        return true;
      case P::EQUAL:
        if (inside(P::RuleSettings) && at_ > 1 && kind(at_ - 1) == P::LOWER_NAME &&
            kind(at_ - 2) != P::COMMA && kind(at_ - 2) != P::LEFT_BRACE) {
          const std::uint32_t end = piece_.tokens[at_ - 2].end;
          diagnostics_
              .report(Code::SyntaxError, span(at_ - 1), "a comma is missing before " + quoted(at_ - 1))
              .fix("write `,`", {file_, end, end}, ",");
          return true;
        }
        if (kind(at_ + 1) == P::GREATER && adjacent(at_)) {
          diagnostics_.report(Code::ForeignSyntax, both, "an arrow is written `->`")
              .fix("write `->`", both, "->");
          return true;
        }
        if (at_ > 1 && adjacent(at_ - 1) && piece_.kind == BlockKind::Body &&
            (kind(at_ - 1) == P::PLUS || kind(at_ - 1) == P::MINUS || kind(at_ - 1) == P::STAR ||
             kind(at_ - 1) == P::SLASH)) {
          const std::string sign(text(at_ - 1)), variable(text(at_ - 2));
          diagnostics_
              .report(Code::ForeignSyntax, join(span(at_ - 1), span(at_)),
                      "there is no assignment `" + sign + "=`")
              .help("in a `when`, write `" + variable + " := pre " + variable + " " + sign + " …`");
          return true;
        }
        if (expects(P::THEN) || expects(P::DO) || kind(0) == P::TERMINATE ||
            (inside(P::RuleExpression) && (inside(P::RuleParenthesised) || inside(P::RuleListBody)))) {
          foreign(at_, "a comparison is written `==`")
              .label("`=` is for equations and definitions only")
              .fix("write `==`", span(at_), "==");
          return true;
        }
        break;
      case P::EQUAL_EQUAL: break;
      case P::BAR:
        if (inside(P::RuleListBody)) {
          foreign(at_, "a list comprehension is written with `for`").help("write `[e for x in xs]`");
          return true;
        }
        if (defines) {
          foreign(at_, "definitions do not have guards").help("use `if … then … else …`");
          return true;
        }
        break;
      case P::SLASH:
        if ((text(at_ - 1) == "/" && piece_.tokens[at_ - 1].end == piece_.tokens[at_].begin) ||
            (kind(at_ + 1) == P::SLASH && adjacent(at_)) || (kind(at_ + 1) == P::STAR && adjacent(at_))) {
          foreign(at_, "a comment starts with `--`").help("or is enclosed in `{-` and `-}`");
          return true;
        }
        break;
      case P::STAR:
        if (at_ > 0 && kind(at_ - 1) == P::STAR && adjacent(at_ - 1)) {
          Span power = join(span(at_ - 1), span(at_));
          diagnostics_.report(Code::ForeignSyntax, power, "a power is written `^`")
              .fix("write `^`", power, "^");
          return true;
        }
        if (at_ > 0 && kind(at_ - 1) == P::SLASH && adjacent(at_ - 1)) {
          foreign(at_, "a comment starts with `--`").help("or is enclosed in `{-` and `-}`");
          return true;
        }
        break;
      case P::UNIT_SIGN:
        if (text(at_) != "%") break;
        foreign(at_, "the remainder is written `mod a b`");
        return true;
      case P::HASH: foreign(at_, "a comment starts with `--`"); return true;
      case P::MINUS: break;
      case P::DOT:
        if (kind(at_ + 1) == P::INT && adjacent(at_)) {
          diagnostics_.report(Code::SyntaxError, both, "a number needs a digit before the point")
              .fix("write `0" + std::string(sources_.text(both)) + "`", both,
                   "0" + std::string(sources_.text(both)));
          return true;
        }
        break;
      case P::DOUBLE_COLON:
        if (piece_.kind == BlockKind::Body && !inside(P::RuleParenthesised)) {
          Span start = span(0);
          Diagnostic& d = diagnostics_.report(Code::SyntaxError, span(at_),
                                              "a variable is declared with `local` or `discrete`");
          std::string word(sources_.text(start));
          std::ranges::transform(word, word.begin(),
                                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
          if (at_ > 1 && (word == "local" || word == "discrete"))
            d.fix("write `" + word + "`", start, word);
          else
            d.fix("write `local`", {file_, start.begin, start.begin}, "local ");
          return true;
        }
        break;
      default: break;
    }
    if (piece_.kind == BlockKind::Body && kind(0) == P::ASSERT && at_ > 1 && !has(P::STRING)) {
      const Span condition = join(span(1), span(piece_.tokens.size() - 1));
      diagnostics_.report(Code::SyntaxError, condition, "the assertion has no text")
          .label("this is the condition")
          .help(
              "the text comes first, and is shown where the condition is false: `assert \"the level is "
              "positive\" level > 0.0`");
      return true;
    }
    if (piece_.kind == BlockKind::Body && kind(0) == P::ASSERT && at_ > 1 && kind(1) != P::STRING) {
      diagnostics_.report(Code::SyntaxError, span(at_), "the text of an assertion comes before its condition")
          .label("this belongs to the condition")
          .help("write `assert \"…\" condition`, as in `assert \"the level is positive\" level > 0.0`");
      return true;
    }
    if (piece_.kind == BlockKind::Body && kind(at_) == P::ELSEWHEN && kind(0) != P::WHEN) {
      diagnostics_.report(Code::SyntaxError, span(at_), "`elsewhen` has no `when`")
          .label("the item before it is none")
          .help("it stands in the column of its `when`, behind the block of that");
      return true;
    }
    if (kind(at_) == P::ELSE && text(at_ + 1) == "when") {
      const Span words = join(span(at_), span(at_ + 1));
      diagnostics_.report(Code::ForeignSyntax, words, "`else when` is written `elsewhen`")
          .fix("write `elsewhen`", words, "elsewhen");
      return true;
    }
    if (at_ > 1 && kind(at_ - 1) == P::DOT && kind(at_ - 2) == P::INT && adjacent(at_ - 2)) {
      Span number = join(span(at_ - 2), span(at_ - 1));
      diagnostics_.report(Code::SyntaxError, number, "a number needs a digit after the point")
          .fix("write `" + std::string(text(at_ - 2)) + ".0`", number, std::string(text(at_ - 2)) + ".0");
      return true;
    }
    if ((kind(at_) == P::LESS && kind(at_ + 1) == P::MINUS && adjacent(at_)) ||
        (at_ > 0 && kind(at_ - 1) == P::LESS && kind(at_) == P::MINUS && adjacent(at_ - 1))) {
      foreign(at_, "`x <- xs` is written `x in xs`");
      return true;
    }
    if (piece_.kind == BlockKind::Top && (text(0) == "type" || text(0) == "record" || text(0) == "data") &&
        kind(1) == P::LOWER_NAME) {
      diagnostics_.report(Code::SyntaxError, span(1), "the name of a type starts with a capital letter");
      return true;
    }
    if (defines && kind(0) == P::UPPER_NAME && (at_ == 0 || has(P::EQUAL) || has(P::DOUBLE_COLON))) {
      diagnostics_
          .report(Code::SyntaxError, span(0), "the name of a definition starts with a lower-case letter")
          .label("names with a capital letter are types, constructors and modules");
      return true;
    }
    return false;
  }

  /// A line that is indented less than its block, or further than the item above.
  bool indentation() {
    const std::size_t size = piece_.tokens.size();
    if (size == 0) return false;
    if (at_ > 0 && at_ < size && piece_.tokens[at_].first_on_line && kind(at_ - 1) == P::BLOCK &&
        (piece_.kind == BlockKind::Top || piece_.kind == BlockKind::Declarations)) {
      diagnostics_
          .report(Code::SyntaxError, span(at_),
                  "this line is indented less than the block above, and so it is not part of it")
          .help("indent it like the lines of the block");
      return true;
    }
    if (piece_.kind != BlockKind::Body) return false;
    std::size_t line = 0;
    for (std::size_t k = 1; k <= std::min(at_, size - 1); ++k)
      if (piece_.tokens[k].first_on_line) line = k;
    const bool begins = text(line) == "der" || kind(line) == P::LOCAL || kind(line) == P::DISCRETE ||
                        kind(line) == P::INITIALLY || kind(line) == P::GUESS || kind(line) == P::WHEN;
    const bool ends = kind(0) == P::LOCAL || kind(0) == P::DISCRETE;
    const std::uint32_t column = piece_.tokens[0].column;
    if (line == 0 || piece_.tokens[line].column <= column || !(begins || ends)) return false;
    const std::uint32_t begin = piece_.tokens[line].begin;
    diagnostics_
        .report(Code::SyntaxError, span(line),
                "this line is indented further than the item above, and so it continues that")
        .fix("begin it at column " + std::to_string(column),
             {file_, begin - (piece_.tokens[line].column - column), begin}, "");
    return true;
  }

  void helps(Diagnostic& d) const {
    if (kind(at_) == kEnd && expects(P::ELSE) && has(P::THEN))
      d.help("an `if` in an expression needs an `else`");
    else if (kind(at_) == P::COMMA && at_ > 0 && kind(at_ - 1) == P::INT && adjacent(at_ - 1) &&
             kind(at_ + 1) == P::INT && adjacent(at_))
      d.fix("the decimal point is written `.`", span(at_), ".");
    else if (kind(at_) == P::COMMA && between_equations())
      d.fix("write `;`, or the next equation on a line of its own", span(at_), ";");
    else if (kind(at_) == P::EQUAL && kind(0) == P::LOCAL)
      d.help(
          "an equation is an item of its own, `x = 1.0`; so is the value at the start, `initially x = 1.0`");
    else if (kind(at_) == P::UPPER_NAME && (kind(0) == P::LOCAL || kind(0) == P::DISCRETE))
      d.help("the name of a variable starts with a lower-case letter");
    else if (kind(at_) == P::EQUAL && piece_.kind != BlockKind::Body &&
             std::ranges::count(piece_.tokens, P::EQUAL, &Token::kind) > 1)
      d.help("equations belong into a relation, `sigrel (…) where`; a comparison is written `==`");
    else if (kind(at_) == P::LEFT_PAREN && at_ > 0 && kind(at_ - 1) == P::SIGREL)
      d.help("write `sigrel (a, b) where`");
    else if (defined_without_equal())
      d.help("a definition is written `name = …`, its type `name :: …`");
  }

  /// Whether an equation is complete before the offending token, and another one follows it.
  bool between_equations() const {
    const auto is_equal = [](const Token& t) { return t.kind == P::EQUAL; };
    const auto at = piece_.tokens.begin() + static_cast<std::ptrdiff_t>(at_);
    return piece_.kind == BlockKind::Body && expectation().empty() &&
           std::any_of(piece_.tokens.begin(), at, is_equal) && std::any_of(at, piece_.tokens.end(), is_equal);
  }

  bool defined_without_equal() const {
    return (piece_.kind == BlockKind::Top || piece_.kind == BlockKind::Declarations) &&
           kind(0) == P::LOWER_NAME && !has(P::EQUAL) && !has(P::DOUBLE_COLON);
  }

  const Fault& fault_;
  Diagnostics& diagnostics_;
  std::size_t at_;
};

}  // namespace

void report_fault(const Fault& fault, const Piece& piece, FileId file, const SourceMap& sources,
                  Diagnostics& diagnostics) {
  Reporter(fault, piece, file, sources, diagnostics).report();
}

}  // namespace sigrel::syntax
