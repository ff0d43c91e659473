// Rational numbers with small numerators and denominators, recognised among the elements of the prime field
// (Wang, A p-adic algorithm for univariate partial fractions, 1981). The numbers a / b with |a| and b below
// 2^20 are 2^40 of 2^61 elements: an element that random values have a part in is hardly ever one of them.
//
// Example: Field(2) * Field(3).inverse() is 2 / 3.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <optional>

#include "compiler/exact/prime_field.h"

namespace sigrel::exact {

struct Rational {
  std::int64_t numerator = 0, denominator = 1;  // without common factors; the denominator is positive
};

/// The rational number that the element stands for, if there is one within `largest`.
inline std::optional<Rational> rational(Field value, std::int64_t largest = 1 << 20) {
  // Euclid's algorithm on p and the element: each remainder is a multiple of the element modulo p.
  std::int64_t before = static_cast<std::int64_t>(Field::kPrime),
               remainder = static_cast<std::int64_t>(value.residue());
  std::int64_t factor_before = 0, factor = 1;
  while (remainder > largest) {
    const std::int64_t quotient = before / remainder;
    std::int64_t next = before - quotient * remainder;
    before = remainder;
    remainder = next;
    next = factor_before - quotient * factor;
    factor_before = factor;
    factor = next;
    if (std::abs(factor) > largest) return std::nullopt;
  }
  return factor < 0 ? Rational{-remainder, -factor} : Rational{remainder, factor};
}

}  // namespace sigrel::exact
