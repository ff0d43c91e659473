// The front end on programs (mutations.cpp). tests/fuzz/README.md says how to run it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/front_end.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sigrel::fuzz::run_front_end({reinterpret_cast<const char*>(data), size});
  return 0;
}
