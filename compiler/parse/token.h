// A token of the layout filter and the piece parser: 24 bytes.
#pragma once
#include <cstdint>

namespace sigrel::syntax {

struct Token {
  std::uint16_t kind = 0;  // a constant of the generated SigrelLexer, or kEnd
  bool first_on_line = false;
  std::uint32_t begin = 0;  // half-open range of byte offsets
  std::uint32_t end = 0;
  std::uint32_t line = 0;    // from 1
  std::uint32_t column = 0;  // from 1, in code points
  std::uint32_t block = 0;   // of a BLOCK token: which block
};

constexpr std::uint16_t kEnd = 0xFFFF;

}  // namespace sigrel::syntax
