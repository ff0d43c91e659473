#include "compiler/parse/other_languages.h"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <string_view>

#include "SigrelParser.h"
#include "compiler/parse/piece_text.h"

namespace sigrel::syntax {
namespace {

using P = SigrelParser;

constexpr std::string_view kClasses[] = {"model",     "block",   "class",   "package",
                                         "connector", "partial", "function"};
constexpr std::string_view kPrefixes[] = {"parameter", "constant", "input", "output", "final", "flow"};

struct TypeName {
  std::string_view theirs, ours;
};
constexpr TypeName kTypes[] = {{"Real", "Real"},    {"Integer", "Int"}, {"Int", "Int"},
                               {"Boolean", "Bool"}, {"Bool", "Bool"},   {"String", "String"}};

class Recogniser : PieceText {
 public:
  Recogniser(const Piece& piece, FileId file, const SourceMap& sources, Diagnostics& diagnostics)
      : PieceText(piece, file, sources), diagnostics_(diagnostics) {}

  Foreign piece() {
    if (piece_.kind == BlockKind::Top) return declaration();
    return piece_.kind == BlockKind::Body && item() ? Foreign::Piece : Foreign::None;
  }

  bool token(std::size_t at) {
    return word_before_block(at) || trailing_condition(at) || simulation(at) || declared_signal(at) ||
           brackets(at) || named_argument(at) || assertion();
  }

 private:
  Diagnostic& foreign(Span span, std::string message) {
    return diagnostics_.report(Code::ForeignSyntax, span, std::move(message));
  }
  static bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
  }
  /// The name here for a type of theirs; empty if it is none.
  static std::string_view our_type(std::string_view word) {
    const auto* type = std::ranges::find(kTypes, word, &TypeName::theirs);
    return type == std::end(kTypes) ? std::string_view{} : type->ours;
  }

  Foreign declaration() {
    const bool named = kind(1) == P::UPPER_NAME || kind(1) == P::LOWER_NAME;
    if (is_one_of(text(0), kClasses) && named && kind(2) != P::EQUAL &&
        (kind(2) == kEnd || piece_.tokens[2].first_on_line)) {
      std::string name(text(1));
      for (char& c : name) {
        if (c < 'A' || c > 'Z') break;
        c = static_cast<char>(c - 'A' + 'a');
      }
      foreign(join(span(0), span(1)), "a model is a definition here")
          .label("Modelica begins one like this")
          .help("write `" + name + " = sigrel () where`, with `" + name +
                " :: SR ()` above it, and the equations below, indented")
          .help("`sigrel new NAME` makes an example");
      return Foreign::Rest;
    }
    if (text(0) == "def" && kind(1) == P::LOWER_NAME && kind(2) == P::LEFT_PAREN) {
      foreign(join(span(0), span(1)), "a definition has no word before its name")
          .help("write `" + std::string(text(1)) + " a b = …`, with its type, `" + std::string(text(1)) +
                " :: Real -> Real -> Real`, above");
      return Foreign::Rest;
    }
    return section() ? Foreign::Rest : Foreign::None;
  }

  /// `equation`, `initial equation`, `algorithm`, alone on a line.
  bool section() {
    const bool initial = text(0) == "initial" && (text(1) == "equation" || text(1) == "algorithm");
    const std::size_t words = initial ? 2 : 1;
    if (!initial && text(0) != "equation" && text(0) != "algorithm") return false;
    if (kind(words) != kEnd && !piece_.tokens[words].first_on_line) return false;
    Diagnostic& d =
        foreign(join(span(0), span(words - 1)), initial ? "the start is given in an `initially` block"
                                                        : "no word is needed before equations");
    if (initial)
      d.help("write `initially x = 1.0`, or a block of such lines, among the equations");
    else
      d.help("equations stand below `sigrel () where`, indented like the declarations above them");
    return true;
  }

  bool item() {
    if (section()) return true;
    if ((text(0) == "var" || text(0) == "signal" || text(0) == "variable") && kind(1) == P::LOWER_NAME &&
        text(2).starts_with(":")) {
      const Span words = join(span(0), span(2));
      const std::string ours = "local " + std::string(text(1)) + " ::";
      foreign(words, "a signal is declared with `local`").fix("write `" + ours + " Real`", words, ours);
      return true;
    }
    std::size_t at = 0;
    while (is_one_of(text(at), kPrefixes) && kind(at) == P::LOWER_NAME) ++at;
    const std::string_view type = our_type(text(at));
    if (type.empty() || kind(at) != P::UPPER_NAME || kind(at + 1) != P::LOWER_NAME) return false;
    const Span words = join(span(0), span(at));
    const std::string name(text(at + 1));
    if (at > 0 && (text(0) == "parameter" || text(0) == "constant" || text(0) == "final")) {
      Diagnostic& d = foreign(words, "a value that does not change is defined by `let`");
      if (kind(at + 2) == P::EQUAL)
        d.fix("write `let`", words, "let");
      else
        d.help("write `let " + name + " = 1.0`");
      d.help("a parameter that a use sets is an argument of the relation: `motor :: Real -> SR ()`, `motor " +
             name + " = sigrel () where`");
      return true;
    }
    if (at > 0) {
      foreign(words, "inputs and outputs are declared in the interface of a relation")
          .help("write `gain :: SR (in u :: Real, out y :: Real)`, and `gain = sigrel (u, y) where`");
      return true;
    }
    std::string names(name);
    std::size_t next = at + 2;
    for (; kind(next) == P::COMMA && kind(next + 1) == P::LOWER_NAME; next += 2)
      names += ", " + std::string(text(next + 1));
    const std::string ours = "local " + names + " :: " + std::string(type);
    Diagnostic& d = foreign(join(span(0), span(next - 1)), "a signal is declared with `local`");
    if (kind(next) == kEnd)
      d.fix("write `" + ours + "`", join(span(0), span(next - 1)), ours);
    else
      d.help("write `" + ours + "`");
    if (kind(next) == P::LEFT_PAREN)
      d.help("its value at the start is `initially " + name + " = 1.0`, a guess of it `guess " + name +
             " = 1.0`");
    if (kind(next) == P::INDEX_OPEN)
      d.help("a vector has its size in its type: `local " + name + " :: " + std::string(type) + "^3`");
    return true;
  }

  /// `when c then`, `for i in 1:3 loop`, `if c:`.
  bool word_before_block(std::size_t at) {
    const std::uint16_t first = kind(0);
    const bool opens = first == P::WHEN || first == P::EVERY || first == P::FOR || first == P::IF;
    if (piece_.kind != BlockKind::Body || !opens) return false;
    const std::string ours = first == P::IF ? "then" : "do";
    auto ends_line = [&](std::size_t k) {
      return kind(k + 1) == kEnd || kind(k + 1) == P::BLOCK || piece_.tokens[k + 1].first_on_line;
    };
    std::size_t word = at;  // or what has been read as an operand before it
    for (std::size_t k = 1; k < std::min(at, piece_.tokens.size()); ++k)
      if (ends_line(k) && (text(k) == "loop" || text(k) == ":")) word = k;
    const bool colon = text(word) == ":" && ends_line(word);
    const bool then = kind(word) == P::THEN && first != P::IF;
    if (!then && !colon && (text(word) != "loop" || first == P::IF)) return false;
    Diagnostic& d = foreign(span(word), "this block begins with `" + ours + "`, not with " + quoted(word));
    d.fix("write `" + ours + "`", span(word), (colon ? " " : "") + ours);
    for (std::size_t k = 1; k < word; ++k)
      if (text(k) == ":" && first == P::FOR) d.help("a range is written `1 .. 3`");
    return true;
  }

  /// `a if c else b`.
  bool trailing_condition(std::size_t at) {
    if (kind(at) != P::IF || at == 0 || !has(P::ELSE) || has(P::THEN)) return false;
    foreign(span(at), "a choice begins with its condition").help("write `if c then a else b`");
    return true;
  }

  /// `simulate(m, stop = 1.0)`.
  bool simulation(std::size_t at) {
    const auto word = std::ranges::find_if(
        piece_.tokens, [&](const Token& t) { return sources_.text({file_, t.begin, t.end}) == "simulate"; });
    const auto k = static_cast<std::size_t>(word - piece_.tokens.begin());
    if (kind(at) != P::EQUAL || k + 1 >= at || kind(k + 1) != P::LEFT_PAREN) return false;
    foreign(join(span(at - 1), span(at)), "the settings of a run follow `with`, in braces")
        .help("write `simulate model with { stop = 1.0 }`");
    return true;
  }

  /// `local x : Real`, `local x[3] :: Real`, `local x :: Real, y :: Real`.
  bool declared_signal(std::size_t at) {
    if (kind(0) != P::LOCAL && kind(0) != P::DISCRETE) return false;
    const bool typed =
        std::ranges::find(piece_.tokens, P::DOUBLE_COLON, &Token::kind) <
        piece_.tokens.begin() + static_cast<std::ptrdiff_t>(std::min(at, piece_.tokens.size()));
    switch (kind(at)) {
      case P::COLON:
      case P::LABEL_COLON:
        if (typed) return false;
        foreign(span(at), "a type is written after `::`").fix("write `::`", span(at), "::");
        return true;
      case P::INDEX_OPEN:
      case P::LEFT_PAREN:
        if (typed || kind(at - 1) != P::LOWER_NAME) return false;
        foreign(span(at), kind(at) == P::LEFT_PAREN ? "a variable has its start among the equations"
                                                    : "a vector has its size in its type")
            .help(kind(at) == P::LEFT_PAREN
                      ? "write `initially " + std::string(text(at - 1)) + " = 1.0` on a line of its own"
                      : "write `" + std::string(text(0)) + " " + std::string(text(at - 1)) + " :: Real^" +
                            (kind(at + 1) == P::INT && kind(at + 2) == P::RIGHT_BRACKET
                                 ? std::string(text(at + 1))
                                 : "n") +
                            "`");
        return true;
      case P::COMMA:
        if (!typed || kind(at + 1) != P::LOWER_NAME) return false;
        foreign(span(at), "one `" + std::string(text(0)) + "` has one type")
            .help("write `" + std::string(text(0)) + " x, y :: Real`, or a line for each type");
        return true;
      default: return false;
    }
  }

  /// `{1.0, 2.0}` and `[1.0, 2.0; 3.0, 4.0]`, `u .* v`.
  bool brackets(std::size_t at) {
    const bool operand =
        at > 0 && (kind(at - 1) == P::EQUAL || kind(at - 1) == P::COMMA || kind(at - 1) == P::LEFT_PAREN ||
                   kind(at - 1) == P::ASSIGN || kind(at - 1) == P::PLUS || kind(at - 1) == P::MINUS ||
                   kind(at - 1) == P::STAR);
    if (kind(at) == P::LEFT_BRACE && operand && kind(at + 1) == P::LOWER_NAME && kind(at + 2) == P::EQUAL) {
      foreign(span(at), "a record begins with the name of its type")
          .help("write `Name { " + std::string(text(at + 1)) + " = … }`");
      return true;
    }
    if (kind(at) == P::LEFT_BRACE && operand) {
      Diagnostic& d = foreign(span(at), "lists and vectors are written in brackets");
      std::size_t end = at;
      while (kind(end) != kEnd && kind(end) != P::RIGHT_BRACE) ++end;
      if (kind(end) == P::RIGHT_BRACE &&
          std::ranges::count(piece_.tokens, P::LEFT_BRACE, &Token::kind) == 1) {
        const Span whole = join(span(at), span(end));
        std::string ours = "[" + between(at + 1, end) + "]";
        d.fix("write `" + ours + "`", whole, ours);
      } else {
        d.help("write `[1.0, 2.0]`");
      }
      return true;
    }
    if (kind(at) == P::SEMICOLON) {
      std::size_t open = at;
      while (open > 0 && kind(open) != P::LEFT_BRACKET) --open;
      if (kind(open) != P::LEFT_BRACKET) return false;
      Diagnostic& d = foreign(span(at), "the rows of a matrix are lists");
      std::size_t end = at;
      while (kind(end) != kEnd && kind(end) != P::RIGHT_BRACKET) ++end;
      if (kind(end) != P::RIGHT_BRACKET) {
        d.help("write `[[1.0, 2.0], [3.0, 4.0]]`");
        return true;
      }
      std::string ours = "[[";
      std::size_t begin = open + 1;
      for (std::size_t k = begin; k <= end; ++k) {
        if (k != end && kind(k) != P::SEMICOLON) continue;
        ours += between(begin, k) + (k == end ? "]]" : "], [");
        begin = k + 1;
      }
      d.fix("write `" + ours + "`", join(span(open), span(end)), ours);
      return true;
    }
    if (at > 0 && kind(at - 1) == P::DOT &&
        (kind(at) == P::STAR || kind(at) == P::SLASH || kind(at) == P::CARET)) {
      foreign(join(span(at - 1), span(at)), "there are no operators for each element")
          .help(
              "write the equation for each element, in `for i in 1 .. n do`; a number times a vector is `k * "
              "v`");
      return true;
    }
    return false;
  }

  /// `resistor(R=10.0)`.
  bool named_argument(std::size_t at) {
    if (kind(at) != P::EQUAL || at < 3 || (kind(at - 1) != P::LOWER_NAME && kind(at - 1) != P::UPPER_NAME))
      return false;
    const bool first = kind(at - 2) == P::LEFT_PAREN && kind(at - 3) == P::LOWER_NAME && adjacent(at - 3);
    if (!first) return false;
    const std::string function(text(at - 3));
    std::string ours;  // with names in lower case
    int depth = 1;
    for (std::size_t k = at - 1; k < piece_.tokens.size() && depth > 0; ++k) {
      depth += (kind(k) == P::LEFT_PAREN) - (kind(k) == P::RIGHT_PAREN);
      std::string word(text(k));
      if (kind(k + 1) == P::EQUAL && kind(k) == P::UPPER_NAME)
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
      const bool close = kind(k) == P::COMMA || kind(k - 1) == P::LEFT_PAREN || kind(k - 1) == P::MINUS;
      if (depth > 0) ours += (ours.empty() || close ? "" : " ") + word;
    }
    foreign(join(span(at - 1), span(at)), "named arguments are written in braces")
        .help("write `" + function + " { " + ours + " }`; `sigrel list MODULE " + function +
              "` shows the names");
    return true;
  }

  /// `assert(c, "text")`.
  bool assertion() {
    if (kind(0) != P::ASSERT || kind(1) != P::LEFT_PAREN) return false;
    const auto string = std::ranges::find(piece_.tokens, P::STRING, &Token::kind);
    const auto at = static_cast<std::size_t>(string - piece_.tokens.begin());
    if (string == piece_.tokens.end() || at < 4 || kind(at - 1) != P::COMMA) return false;
    const Span whole = join(span(0), span(piece_.tokens.size() - 1));
    const std::string ours = "assert " + std::string(text(at)) + " (" + between(2, at - 1) + ")";
    foreign(whole, "the text of an assertion comes first").fix("write `" + ours + "`", whole, ours);
    return true;
  }

  Diagnostics& diagnostics_;
};

}  // namespace

Foreign report_foreign_piece(const Piece& piece, FileId file, const SourceMap& sources,
                             Diagnostics& diagnostics) {
  return piece.tokens.empty() ? Foreign::None : Recogniser(piece, file, sources, diagnostics).piece();
}

bool report_foreign_token(const Piece& piece, std::size_t at, FileId file, const SourceMap& sources,
                          Diagnostics& diagnostics) {
  return !piece.tokens.empty() && Recogniser(piece, file, sources, diagnostics).token(at);
}

}  // namespace sigrel::syntax
