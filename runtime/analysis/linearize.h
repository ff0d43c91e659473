// The linear model at one point: with x the states, u the inputs and y the outputs, small deviations obey
//
//   dx' = A dx + B du,   dy = C dx + D du.
//
// The result is exact: the partial derivatives of all equations are evaluated, and all variables but states
// and inputs are eliminated by one sparse factorisation. An input is a variable whose defining equation is
// removed: a source, or a signal in a feedback loop, which is then open.
//
// Example: x' = -2 x + u, y = 3 x: A = [-2], B = [1], C = [3], D = [0].
#pragma once
#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "runtime/model.h"
#include "runtime/results/output.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// Matrices by rows: A is states × states, B states × inputs, C outputs × states, D outputs × inputs.
struct LinearModel {
  std::vector<std::uint32_t> states;  // the variables
  std::vector<double> a, b, c, d;
};

struct NotLinear {
  enum Reason : std::uint8_t {
    InputInLoop,  // input `subject` is an unknown of an algebraic loop: no single equation defines it
    InputIsZero,  // input `subject` is the constant zero
    InputTwice,   // input `subject` is the same variable as an earlier one
    Singular,     // the equations do not determine variable `subject`
    NotFinite,    // a partial derivative by variable `subject` is not finite
    TooLarge,     // more states and inputs than kMaxColumns
  } reason;
  std::uint32_t subject = 0;
};

constexpr std::size_t kMaxColumns = 5'000;

/// At the values of `point`, which satisfy all equations.
std::variant<LinearModel, NotLinear> linearize(const Model& model, const Point& point,
                                               std::span<const Column> inputs,
                                               std::span<const Column> outputs);

/// The eigenvalues of a square matrix, given by rows: by descending real part, up to rounding
/// errors, then by the absolute value of the imaginary part; the positive one of a pair comes first.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix);

}  // namespace runtime
