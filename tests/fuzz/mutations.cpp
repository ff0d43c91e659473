// The mutations of fuzzers that take programs: those of generator.h, with a few of bytes among them.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tests/fuzz/generator.h"

using namespace sigrel::fuzz;

extern "C" {
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

static std::size_t put(const std::string& text, std::uint8_t* out, std::size_t max_size) {
  std::size_t size = std::min(text.size(), max_size);
  std::memcpy(out, text.data(), size);
  return size;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  Random random(seed);
  switch (random() / 7 % 16) {
    case 0: return LLVMFuzzerMutate(data, size, max_size);
    case 1: return put(generate_module(random), data, max_size);
    case 2:
    case 3:
    case 4:
    case 5: return put(change_values({reinterpret_cast<const char*>(data), size}, random), data, max_size);
    default: break;
  }
  std::string text(reinterpret_cast<const char*>(data), size);
  return put(mutate(text, generate_module(random), random), data, max_size);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t a_size, const std::uint8_t* b,
                                      std::size_t b_size, std::uint8_t* out, std::size_t max_size,
                                      unsigned seed) {
  Random random(seed);
  std::string one(reinterpret_cast<const char*>(a), a_size), other(reinterpret_cast<const char*>(b), b_size);
  return put(mutate(one, other, random), out, max_size);
}
}
