// A data file that was read.
#pragma once
#include <cstdint>
#include <string>

namespace sigrel::data {

struct UsedFile {
  std::string path;
  std::uint64_t digest = 0;  // of its bytes
};

}  // namespace sigrel::data
