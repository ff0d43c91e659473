// The automaton of the generated lexer as a table. ANTLR builds the automaton at run time, and looks up each
// state through a hash table, two locks and three closures; here it is built with the compiler
// (table/make_token_table.cpp), as rows of 128 entries. The grammar remains the only definition of the
// tokens: ANTLR reads the tokens that the table does not cover.
//
// Internal to this folder.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace sigrel::syntax {

struct TokenMatch {
  std::uint16_t kind;
  std::size_t end;
};
/// The longest token of the first mode in `text` at `at`, which is before its end. Nullopt if ANTLR has to
/// read it: nothing matches, a character outside a line comment is not ASCII, or the token changes the mode
/// of the lexer.
std::optional<TokenMatch> match_token(std::string_view text, std::size_t at);

}  // namespace sigrel::syntax
