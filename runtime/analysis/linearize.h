// The linear model at one point: with x the states, u the inputs and y the outputs, small deviations obey
//
//   dx' = A dx + B du,   dy = C dx + D du.
//
// Exact: from the partial derivatives of all equations, of which every variable that is no state and no input
// is eliminated by one sparse factorisation. An input is a variable that is cut off from what determines it:
// a source, or a signal on its way around a loop, which is then opened.
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

/// Row by row. A is states × states, B states × inputs, C outputs × states, D outputs × inputs.
struct LinearModel {
  std::vector<std::uint32_t> states;  // the variables
  std::vector<double> a, b, c, d;
};

struct NotLinear {
  enum Reason : std::uint8_t {
    InputInLoop,  // `subject` of the inputs is an unknown of a simultaneous block: which of its equations to
                  // cut is open
    InputIsZero,  // it is the constant zero
    InputTwice,   // it is the same variable as an earlier input
    Singular,     // `subject` is a variable that the others do not determine
    NotFinite,    // a partial derivative is not a finite number
    TooLarge,     // more states and inputs than kMaxColumns
  } reason;
  std::uint32_t subject = 0;
};

constexpr std::size_t kMaxColumns = 5'000;

/// At the values of `point`, where all equations hold.
std::variant<LinearModel, NotLinear> linearize(const Model& model, const Point& point,
                                               std::span<const Column> inputs,
                                               std::span<const Column> outputs);

/// Of a square matrix, row by row; by descending real part, the positive imaginary part first.
std::vector<std::complex<double>> eigenvalues(std::span<const double> matrix);

}  // namespace runtime
