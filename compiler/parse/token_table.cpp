#include "compiler/parse/token_table.h"

#include "SigrelLexer.h"

namespace sigrel::syntax {
namespace {

constexpr std::int16_t kNone = -1;

struct Row {
  std::uint16_t kind;  // of the token that ends here; 0: none
  bool changes_mode;
  std::int16_t next[128];
};

constexpr Row kRows[] = {
// the first one is the start state
#include "token_table.inc"
};

}  // namespace

std::optional<TokenMatch> match_token(std::string_view text, std::size_t at) {
  std::int16_t row = 0, accepted = kNone;
  std::size_t end = at;
  while (at < text.size()) {
    const auto c = static_cast<unsigned char>(text[at]);
    if (c < 128)
      row = kRows[row].next[c];
    else if (kRows[row].kind != SigrelLexer::LINE_COMMENT)  // which goes on with any character
      return std::nullopt;
    if (row == kNone) break;
    ++at;
    if (kRows[row].kind != 0) {
      accepted = row;
      end = at;
    }
  }
  if (accepted == kNone || kRows[accepted].changes_mode) return std::nullopt;
  return TokenMatch{kRows[accepted].kind, end};
}

}  // namespace sigrel::syntax
