// The unknowns and rows of the integrator's system.
//
// In the explicit form the unknowns are the states, and row i is the derivative of state i. In the implicit
// form the states are followed by retained variables: all tearing variables, and assigned variables whose
// gradients would fill the Jacobian (chain_rule.h). A retained variable that is the derivative of a state is
// no unknown, but the y' of that state.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/model.h"

namespace runtime {

struct Layout {
  bool implicit = false;
  std::vector<std::uint32_t> unknowns;     // variable of each unknown; the states come first
  std::vector<std::uint32_t> column;       // per variable: its unknown, or kNone
  std::vector<std::uint32_t> rate_column;  // implicit, per variable: the state whose y' it is, or kNone
  std::vector<std::uint8_t> retained;      // implicit, per variable: assigned, and retained

  /// The rows of residual equations of loops, in the order of the schedule: those that retained variables and
  /// derivatives of states leave.
  std::vector<std::uint32_t> loop_rows;
  std::uint32_t row_of_retained(std::uint32_t variable) const {
    return rate_column[variable] != kNone ? rate_column[variable] : column[variable];
  }
};

Layout explicit_layout(const Model& model);
/// `retained`, per variable: assigned variables that become unknowns.
Layout implicit_layout(const Model& model, std::vector<std::uint8_t> retained);

}  // namespace runtime
