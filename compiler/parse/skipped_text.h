// Parts of a file that the parser passes over: whole declarations of the file, each from the end of the one
// before it.
#pragma once
#include <cstdint>

namespace sigrel {

struct SkippedText {
  std::uint32_t begin = 0, end = 0;  // bytes
  std::uint32_t lines = 0;           // line breaks among them
};

}  // namespace sigrel
