// The field of 2^61 − 1 elements, a Mersenne prime: the field that generic coefficients are drawn from. A
// nonzero polynomial of degree d vanishes at a random point with probability at most d / 2^61 (Schwartz 1980,
// Zippel 1979).
//
// Example: Field(-1) + Field(1) is zero; Field(3) * Field(3).inverse() is one.
#pragma once
#include <cstdint>

namespace sigrel::exact {

/// An element of the field.
class Field {
 public:
  static constexpr std::uint64_t kPrime = (std::uint64_t{1} << 61) - 1;
  constexpr Field() = default;
  constexpr explicit Field(std::int64_t v) {
    std::int64_t r = v % static_cast<std::int64_t>(kPrime);
    value_ = static_cast<std::uint64_t>(r < 0 ? r + static_cast<std::int64_t>(kPrime) : r);
  }
  /// From 61 random bits or more: never zero.
  static constexpr Field from_bits(std::uint64_t bits) {
    Field f;
    f.value_ = bits % (kPrime - 1) + 1;
    return f;
  }

  constexpr bool zero() const { return value_ == 0; }
  /// The representative in 0 … kPrime − 1.
  constexpr std::uint64_t residue() const { return value_; }
  constexpr bool operator==(const Field&) const = default;
  friend constexpr Field operator+(Field a, Field b) { return reduced(a.value_ + b.value_); }
  friend constexpr Field operator-(Field a, Field b) { return reduced(a.value_ + kPrime - b.value_); }
  constexpr Field operator-() const { return Field{} - *this; }
  friend constexpr Field operator*(Field a, Field b) {
    unsigned __int128 product = static_cast<unsigned __int128>(a.value_) * b.value_;
    return reduced((static_cast<std::uint64_t>(product) & kPrime) +
                   static_cast<std::uint64_t>(product >> 61));
  }
  constexpr Field& operator+=(Field other) { return *this = *this + other; }
  constexpr Field power(std::uint64_t exponent) const {
    Field result(1), square = *this;
    for (; exponent; exponent >>= 1) {
      if (exponent & 1) result = result * square;
      square = square * square;
    }
    return result;
  }
  /// The power p − 2 (Fermat): the inverse of a nonzero element, zero for zero.
  constexpr Field inverse() const { return power(kPrime - 2); }

 private:
  static constexpr Field reduced(std::uint64_t v) {  // v < 2 p
    Field f;
    f.value_ = v >= kPrime ? v - kPrime : v;
    return f;
  }
  std::uint64_t value_ = 0;
};

}  // namespace sigrel::exact
