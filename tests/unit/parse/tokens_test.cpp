// The scanner reads most tokens from a table; what it reads is what the generated lexer alone reads.
#include <catch2/catch.hpp>

#include <random>

#include "SigrelLexer.h"
#include "compiler/parse/scanner.h"

using namespace sigrel;

namespace {

struct Read {
  std::size_t kind, line, column;
  std::string text;
  bool operator==(const Read&) const = default;
};

std::vector<Read> by_lexer_alone(const std::string& text) {
  antlr4::ANTLRInputStream stream(text);
  SigrelLexer lexer(&stream);
  std::vector<Read> found;
  for (;;) {
    auto token = lexer.nextToken();
    if (token->getType() == antlr4::Token::EOF) return found;
    if (token->getChannel() == antlr4::Token::DEFAULT_CHANNEL)
      found.push_back(
          {token->getType(), token->getLine(), token->getCharPositionInLine() + 1, token->getText()});
  }
}

std::vector<Read> by_scanner(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file = sources.add("text", text);
  syntax::Scanner scanner(file, sources, diagnostics);
  std::vector<Read> found;
  for (;;) {
    syntax::Token t = scanner.next();
    if (t.kind == syntax::kEnd) return found;
    found.push_back({t.kind, t.line, t.column, text.substr(t.begin, t.end - t.begin)});
  }
}

}  // namespace

TEST_CASE("the scanner reads the tokens of the lexer") {
  const std::vector<std::string> fragments = {" ",          "  ",       "\n",
                                              "\r\n",       "\n\n   ",  "x",
                                              "sigrel",     "sigrelx",  "whe",
                                              "where",      "in",       "SR",
                                              "m'",         "r_1",      "_",
                                              "_a",         "Pin",      "ω",
                                              "größe",      "日本",     "x₁",
                                              "12",         "1.5",      "1..2",
                                              "1e-3",       "2.5e+10",  "9.81<m/s^2>",
                                              "3<x",        "20.0<°C>", "%",
                                              "°C",         "\"a b\"",  "\"\"",
                                              "\"\\\" é\"", "-",        "--",
                                              "-- | doc ω", "-- plain", "{- a {- ω -} b\n -}",
                                              "{-}-}",      "<>",       "◇",
                                              "->",         "→",        "::",
                                              ":=",         ":",        "==",
                                              "=",          "/=",       "<=",
                                              ">=",         "&&",       "||",
                                              "|",          "++",       "+",
                                              "*",          "/",        "^",
                                              "..",         ".",        ",",
                                              ";",          "`",        "#",
                                              "\\",         "(",        ")",
                                              "[",          "]",        "{",
                                              "}"};
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 60; ++i) text += fragments[random() % fragments.size()];
    // Some of the fragments join to what is no token.
    if (text.find("{-") != std::string::npos) text += "-}-}-}-}";
    std::vector<Read> expected = by_lexer_alone(text);
    INFO(text);
    CHECK(by_scanner(text) == expected);
  }
}
