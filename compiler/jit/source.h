// Source: a kernel with everything that its code depends on, and a hash of it. Equal kernels of different
// plans have equal hashes, so compiled code is found again by them.
#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "compiler/ir/code.h"
#include "compiler/ir/plan.h"

namespace sigrel::jit {

/// The first 128 bits of BLAKE3.
struct Hash {
  std::array<std::uint8_t, 16> bytes{};
  auto operator<=>(const Hash&) const = default;
  std::string hex() const;
  /// The first 64 bits.
  std::uint64_t prefix() const {
    std::uint64_t result;
    std::memcpy(&result, bytes.data(), sizeof result);
    return result;
  }
};
struct HashOfHash {
  std::size_t operator()(const Hash& hash) const { return hash.prefix(); }
};

Hash hash(const std::string& bytes);

struct Source {
  plan::Kernel kernel;  // its outputs are those of the body
  plan::Body body;
  std::uint32_t width = 1;  // rows at a time
  /// Of everything but the width. It includes the names of C functions; the data of tables is passed at run
  /// time.
  Hash content;
  /// Of the content and the addresses of C functions: identifies linked code within a process.
  Hash linked;

  /// The name of the function, which is the same in every process.
  std::string symbol() const { return "k" + content.hex() + "_" + std::to_string(width); }
};

/// The source of a kernel whose expressions are `body`.
Source make_source(const plan::Kernel& kernel, plan::Body body, std::uint32_t width, const Library* library);

}  // namespace sigrel::jit
