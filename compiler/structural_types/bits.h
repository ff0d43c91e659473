// A set of small numbers in W machine words: the rows of a structural type while it is reduced.
//
// Example: Bits<1>::below(4) & ~Bits<1>::single(2) is {0, 1, 3}; iterating over it gives 0, 1, 3.
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace sigrel::structural_types {

template <unsigned W>
struct Bits {
  static constexpr unsigned kCapacity = 64 * W;
  std::array<std::uint64_t, W> words{};

  static constexpr Bits single(unsigned i) {
    Bits b;
    b.set(i);
    return b;
  }
  /// {0 … n-1}
  static constexpr Bits below(unsigned n) {
    Bits b;
    for (unsigned w = 0; w < W; ++w)
      if (n >= 64 * (w + 1))
        b.words[w] = ~std::uint64_t{0};
      else if (n > 64 * w)
        b.words[w] = (std::uint64_t{1} << (n - 64 * w)) - 1;
    return b;
  }

  constexpr bool test(unsigned i) const { return words[i / 64] >> (i % 64) & 1; }
  constexpr void set(unsigned i) { words[i / 64] |= std::uint64_t{1} << (i % 64); }
  constexpr void reset(unsigned i) { words[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }

  constexpr bool any() const {
    for (std::uint64_t w : words)
      if (w) return true;
    return false;
  }
  constexpr bool none() const { return !any(); }
  constexpr unsigned count() const {
    unsigned n = 0;
    for (std::uint64_t w : words) n += static_cast<unsigned>(std::popcount(w));
    return n;
  }
  /// The smallest member; the set is not empty.
  constexpr unsigned first() const {
    unsigned w = 0;
    while (!words[w]) ++w;
    return 64 * w + static_cast<unsigned>(std::countr_zero(words[w]));
  }
  constexpr unsigned pop() {
    unsigned i = first();
    words[i / 64] &= words[i / 64] - 1;
    return i;
  }
  constexpr bool subset_of(const Bits& other) const { return (*this & ~other).none(); }

  constexpr Bits& operator&=(const Bits& o) {
    for (unsigned w = 0; w < W; ++w) words[w] &= o.words[w];
    return *this;
  }
  constexpr Bits& operator|=(const Bits& o) {
    for (unsigned w = 0; w < W; ++w) words[w] |= o.words[w];
    return *this;
  }
  friend constexpr Bits operator&(Bits a, const Bits& b) { return a &= b; }
  friend constexpr Bits operator|(Bits a, const Bits& b) { return a |= b; }
  constexpr Bits operator~() const {
    Bits b;
    for (unsigned w = 0; w < W; ++w) b.words[w] = ~words[w];
    return b;
  }
  constexpr bool operator==(const Bits&) const = default;

  /// Members in ascending order; the set may change meanwhile.
  struct Iterator {
    Bits rest;
    unsigned operator*() const { return rest.first(); }
    Iterator& operator++() {
      rest.pop();
      return *this;
    }
    bool operator!=(std::nullptr_t) const { return rest.any(); }
  };
  Iterator begin() const { return {*this}; }
  std::nullptr_t end() const { return nullptr; }
};

/// The order in which rows are shown: by their first column, the fuller one first. {0 1 2} before {0 2}
/// before {1}.
template <unsigned W>
constexpr bool shown_before(const Bits<W>& a, const Bits<W>& b) {
  for (unsigned w = 0; w < W; ++w)
    if (std::uint64_t difference = a.words[w] ^ b.words[w])
      return a.words[w] >> std::countr_zero(difference) & 1;
  return false;
}

}  // namespace sigrel::structural_types
