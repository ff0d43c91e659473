// A fingerprint of the text of a file: finds out whether a file of the library is the one that Sigrel was
// built with. Not for texts that somebody wants to collide.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace sigrel::pipeline {

/// Eight bytes at a time, the last ones padded with zeros, then the length; each is mixed by a multiplication
/// and a shift, as in the finaliser of MurmurHash3 (A. Appleby, 2011).
inline std::uint64_t fingerprint(std::string_view text) {
  std::uint64_t hash = 0x9E3779B97F4A7C15u;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDu;
    hash ^= hash >> 32;
  };
  std::size_t at = 0;
  for (std::uint64_t word; at + sizeof word <= text.size(); at += sizeof word) {
    std::memcpy(&word, text.data() + at, sizeof word);
    mix(word);
  }
  std::uint64_t rest = 0;
  std::memcpy(&rest, text.data() + at, text.size() - at);
  mix(rest);
  mix(text.size());
  return hash;
}

}  // namespace sigrel::pipeline
