// The automaton of the generated lexer as a table. ANTLR builds it while it reads and walks it through a hash table, two
// locks and three closures for a token; here it is copied, edge by edge as text asks for it, into rows of 128 entries.
// The grammar stays the only description of the tokens: what the table does not know, ANTLR is asked for.
//
// Internal to this folder.
#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "antlr4-runtime.h"

namespace sigrel::syntax {

class TokenTable {
 public:
  /// Of the lexer's first mode.
  explicit TokenTable(antlr4::Lexer& lexer) : lexer_(lexer) {}

  struct Match {
    std::uint16_t kind;
    std::size_t end;
  };
  /// The longest token of `text` at `at`, which is before its end. Nullopt when ANTLR has to read it: the automaton has
  /// not seen such a token yet, a character near is not ASCII, or the token changes the lexer's mode.
  std::optional<Match> match(std::string_view text, std::size_t at);

 private:
  static constexpr std::int16_t kUnknown = -1, kNone = -2;
  struct Row {
    const antlr4::dfa::DFAState* state;
    std::uint16_t kind;  // of the token that ends here; 0 for none
    bool changes_mode;
    std::array<std::int16_t, 128> next;
  };

  std::int16_t row_of(const antlr4::dfa::DFAState* state);
  std::int16_t look_up(std::int16_t from, unsigned char c);

  antlr4::Lexer& lexer_;
  std::vector<Row> rows_;                // the first is the start
  std::vector<std::int16_t> row_of_state_;  // by the state's number
};

}  // namespace sigrel::syntax
