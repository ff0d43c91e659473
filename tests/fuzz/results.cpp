// The readers of result files on any bytes. tests/fuzz/README.md says how to run it.
#include <cstddef>
#include <cstdint>

#include "tests/fuzz/whole_run.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  sigrel::fuzz::run_results({reinterpret_cast<const char*>(data), size});
  return 0;
}
