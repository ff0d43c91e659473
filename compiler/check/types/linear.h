// Units and sizes are the same algebra: a constant and rational multiples of variables. A unit is a product
// of powers (the exponents of m, kg, s, … and of unit variables), a size a sum of multiples (`2*n + 1`).
//
// Equations between such forms are solved by elimination. Over the rationals this always gives a most general
// solution (A. Kennedy, Programming Languages and Dimensions, 1996, section 3.4, treats the integers, which
// are harder); a size must be integral, and other solutions are left to the elaborator, which knows the
// numbers.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/base/units.h"

namespace sigrel::check {

struct Type;

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
  bool zero() const { return !unknown && terms.empty() && sigrel::zero(constant); }

 private:
  void add_term(Type* atom, Ratio weight);
};

}  // namespace sigrel::check
