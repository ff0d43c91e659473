// The automaton of the generated lexer as a table. ANTLR makes it while it reads and walks it through a hash
// table, two locks and three closures for a token; here it is made when the compiler is built
// (table/make_token_table.cpp), as rows of 128 entries. The grammar stays the only description of the tokens:
// what is not in the table, ANTLR is asked for.
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
/// The longest token of the first mode in `text` at `at`, which is before its end. Nullopt when ANTLR has to
/// read it: nothing matches, a character near is not ASCII, or the token changes the lexer's mode.
std::optional<TokenMatch> match_token(std::string_view text, std::size_t at);

}  // namespace sigrel::syntax
