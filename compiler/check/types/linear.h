// Units and sizes are the same algebra: a constant and rational multiples of variables. A unit is a product
// of powers (the exponents of m, kg, s, … and of unit variables), a size a sum of multiples (`2*n + 1`).
//
// Equations between such forms are solved by elimination. Over the rationals this always gives a most general
// solution (A. Kennedy, Programming Languages and Dimensions, 1996, section 3.4, treats the integers, which
// are harder); a size must be integral, and other solutions are left to the elaborator, which knows the
// numbers.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace sigrel::check {

struct Type;

/// An exact fraction, den > 0, in lowest terms.
struct Ratio {
  std::int32_t num = 0;
  std::int32_t den = 1;

  static Ratio of(std::int64_t num, std::int64_t den = 1);
  bool zero() const { return num == 0; }
  bool integral() const { return den == 1; }
  bool operator==(const Ratio&) const = default;
  friend Ratio operator+(Ratio a, Ratio b) {
    return of(std::int64_t{a.num} * b.den + std::int64_t{b.num} * a.den, std::int64_t{a.den} * b.den);
  }
  friend Ratio operator*(Ratio a, Ratio b) {
    return of(std::int64_t{a.num} * b.num, std::int64_t{a.den} * b.den);
  }
  Ratio operator-() const { return {-num, den}; }
  Ratio inverse() const { return num < 0 ? Ratio{-den, -num} : Ratio{den, num}; }
};

/// Exponents of m, kg, s, A, K, mol, cd; angles are numbers. For a size only the first entry is used, the
/// constant.
using Dimension = std::array<Ratio, 7>;

bool zero(const Dimension& d);

/// The node of a type: its atoms are the `args` of the Type.
struct Form {
  Dimension constant;
  std::span<Ratio> weights;  // one per atom
};

/// A form in a computation. `unknown` if some part of it is: such a form agrees with everything.
struct Linear {
  struct Term {
    Type* atom;  // a variable without link, or rigid
    Ratio weight;
  };
  Dimension constant{};
  std::vector<Term> terms;  // weights are not zero, atoms differ
  bool unknown = false;

  void add(Type* form, Ratio weight);  // follows links
  void add(const Linear& other, Ratio weight);
  bool zero() const { return !unknown && terms.empty() && check::zero(constant); }

 private:
  void add_term(Type* atom, Ratio weight);
};

}  // namespace sigrel::check
