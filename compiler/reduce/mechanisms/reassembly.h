// Where the loops of a compiled mechanism close with other values of its parameters.
//
// A model is compiled once for a sweep, or for runs with other values, and its start begins at the position
// that was found for the values of that time (assemble_loops.h). From there Newton's method may lead to
// another assembly of the mechanism than the guesses mean: a crank of which the angle is swept turns through
// its dead centre. So the position is found again, as if the model had been compiled with these values.
#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/system.h"

namespace sigrel::reduce {

class Reassembly {
 public:
  using Overrides = std::vector<std::pair<std::uint32_t, double>>;  // a parameter, and its value

  /// `system`: with the constraints of its loops, of which none was removed yet. `loops`: as for
  /// assemble_loops.
  Reassembly(system::System system, double start_time, std::vector<Origin> loops)
      : system_(std::move(system)), start_time_(start_time), loops_(std::move(loops)) {}

  /// The positions, as values of the parameters that `compiled` has for them; the guesses where the search
  /// fails without a result. Nullopt: its loops cannot be closed, which is reported. Threads may call it.
  std::optional<Overrides> positions(const system::System& compiled, const Overrides& changes,
                                     Diagnostics& diagnostics) const;

 private:
  system::System system_;
  double start_time_;
  std::vector<Origin> loops_;
};

}  // namespace sigrel::reduce
