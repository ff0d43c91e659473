#include <cstring>

#include "compiler/parse/scanner.h"

namespace sigrel::syntax {

// Unicode 15, table 3-7: no overlong forms, no surrogates, nothing past U+10FFFF.
std::size_t valid_utf8_prefix(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  auto continues = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  std::size_t i = 0;
  while (i < text.size()) {
    if (i + 8 <= text.size()) {  // most text is ASCII
      std::uint64_t eight;
      std::memcpy(&eight, text.data() + i, 8);
      if ((eight & 0x8080808080808080ull) == 0) {
        i += 8;
        continue;
      }
    }
    unsigned char c = byte(i);
    if (c < 0x80) {
      i += 1;
    } else if (c >= 0xC2 && c <= 0xDF && continues(i + 1)) {
      i += 2;
    } else if (c >= 0xE0 && c <= 0xEF && continues(i + 1) && continues(i + 2) &&
               !(c == 0xE0 && byte(i + 1) < 0xA0) && !(c == 0xED && byte(i + 1) > 0x9F)) {
      i += 3;
    } else if (c >= 0xF0 && c <= 0xF4 && continues(i + 1) && continues(i + 2) && continues(i + 3) &&
               !(c == 0xF0 && byte(i + 1) < 0x90) && !(c == 0xF4 && byte(i + 1) > 0x8F)) {
      i += 4;
    } else {
      return i;
    }
  }
  return i;
}

}  // namespace sigrel::syntax
