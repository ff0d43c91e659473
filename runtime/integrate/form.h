// The form of the system that an integrator solves (reduced_system.h).
#pragma once
#include <cstdint>

namespace runtime {

enum class Form : std::uint8_t {
  Static,    // no states: the schedule is evaluated at the output points
  Explicit,  // y' = f(t, y): unknowns are the states; algebraic loops are solved inside
  Implicit,  // F(t, y, y') = 0: states, tearing variables and retained variables
};

enum class FormChoice : std::uint8_t {
  Auto,
  Explicit,
  Implicit,
  Quantised,  // explicit, without a Jacobian
};

}  // namespace runtime
