// The form of the system that an integrator solves (reduced_system.h).
#pragma once
#include <cstdint>

namespace runtime {

enum class Form : std::uint8_t {
  Static,    // no states: the schedule is evaluated at the output points
  Explicit,  // y' = f(t, y): unknowns are the states; algebraic loops are solved inside
  Implicit,  // F(t, y, y') = 0: states, tearing variables and retained variables
};

/// Why that form was chosen.
enum class FormReason : std::uint8_t {
  Requested,  // by the choice of the solver, or there are no states
  Sparse,     // explicit: the Jacobian is sparse, and nonlinear loops are small
  WideLoops,  // explicit: linear loops have many unknowns for each state
  Krylov,     // the same, and there are so many states that the Jacobian is not formed
  LargeLoop,  // implicit: a nonlinear loop has many tearing variables
  FillIn,     // implicit: the Jacobian of the explicit form has much fill-in
};

enum class FormChoice : std::uint8_t {
  Auto,
  Explicit,
  Implicit,
  Quantised,  // explicit, without a Jacobian
};

}  // namespace runtime
