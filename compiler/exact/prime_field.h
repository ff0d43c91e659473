// The field of 2^61 − 1 elements, a Mersenne prime: where generic coefficients are drawn from. A polynomial
// of degree d that is not zero vanishes at a random point with probability at most d / 2^61 (Schwartz 1980,
// Zippel 1979).
//
// Example: Field(-1) + Field(1) is zero; Field(3) * Field(3).inverse() is one.
#pragma once
#include <cstdint>

namespace sigrel::exact {

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
  constexpr bool operator==(const Field&) const = default;
  friend constexpr Field operator+(Field a, Field b) { return reduced(a.value_ + b.value_); }
  friend constexpr Field operator-(Field a, Field b) { return reduced(a.value_ + kPrime - b.value_); }
  constexpr Field operator-() const { return Field{} - *this; }
  friend constexpr Field operator*(Field a, Field b) {
    unsigned __int128 product = static_cast<unsigned __int128>(a.value_) * b.value_;
    return reduced((static_cast<std::uint64_t>(product) & kPrime) +
                   static_cast<std::uint64_t>(product >> 61));
  }
  /// Of a number that is not zero: its power p − 2 (Fermat).
  constexpr Field inverse() const {
    Field result(1), square = *this;
    for (std::uint64_t e = kPrime - 2; e; e >>= 1) {
      if (e & 1) result = result * square;
      square = square * square;
    }
    return result;
  }

 private:
  static constexpr Field reduced(std::uint64_t v) {  // v < 2 p
    Field f;
    f.value_ = v >= kPrime ? v - kPrime : v;
    return f;
  }
  std::uint64_t value_ = 0;
};

}  // namespace sigrel::exact
