// Checkpoints: a run that is interrupted continues from the last one.
//
// The memory of an integrator (divided differences, order, age of the Jacobian) stays inside SUNDIALS. So a
// run with checkpoints is a chain of segments: at a checkpoint all that has memory is saved (`visit` and
// `save` of each object), the problem and its integrator are destroyed, and made anew from what was saved. A
// run that continues makes them from the same bytes. So both have the same rows, to the last bit, and what
// somebody forgets to save is missing in both: results then differ from those without checkpoints, which
// tests compare. A segment begins as after an event: with a short step of low order.
//
// A checkpoint has two parts: the memory of the model, from which each segment begins, and that of what goes
// on across them, which a run that continues needs only: statistics, results, the caller's.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/archive.h"
#include "runtime/integrate/experiment.h"

namespace runtime {

class Checkpoints {
 public:
  virtual ~Checkpoints() = default;
  /// Asked at the end of steps, after this row of the output grid.
  virtual bool due(std::uint32_t row) = 0;
  /// Stores a checkpoint. The reason of a failure, which ends the run; empty: none.
  virtual std::string store(double time, std::string_view bytes) = 0;
  /// The file that it is stored in, for messages.
  virtual std::string_view path() const = 0;
  /// The checkpoint to continue from; empty: the run begins at the start.
  virtual std::string_view from() const { return {}; }
  /// What the caller remembers itself, such as counts of events.
  virtual void visit(Archive& /*archive*/) {}
};

/// Both parts.
struct Checkpoint {
  std::string model, run;
  void visit(Archive& archive) { archive(model, run); }
};

/// What an outcome has before the end.
void visit(Archive& archive, Outcome& outcome);

}  // namespace runtime
