// Int signals during a run: they are doubles, which hold every Int below 2^53 in absolute value. A result
// beyond may have been rounded, so the run ends there with an error. Event handlers check what they assign
// (runtime::Assignments); the other Int signals, which equations determine, change at events only and are
// checked at each row of the results. Where events have no rows (`events = False`, local events of quantised
// states, many columns), a value between two rows of the grid is not seen; the reference says so.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "runtime/results/output.h"

namespace sigrel::session {

class IntegerRange final : public runtime::Sink {
 public:
  /// Adds the Int signals that are not in `columns` to them, unless that makes more than `most`, too many to
  /// evaluate them at each row; then only those in `columns` are checked.
  IntegerRange(const pipeline::Compiled& model, pipeline::Columns& columns, std::size_t most = 1000);

  bool empty() const { return signals_.empty(); }
  /// Whether a signal has left the range, which has ended the run.
  bool violated() const { return found_ != nullptr; }
  /// The error, if there is one.
  void report(const pipeline::Compiled& model, Diagnostics& diagnostics) const;

  Error begin(const runtime::Output&) override { return {}; }
  Error row(double time, std::span<const double> values) override;
  Error finish() override { return {}; }

 private:
  struct Signal {
    std::uint32_t unknown = 0;
    std::size_t column = 0;
    double sign = 1;  // of the unknown, relative to the column
  };
  std::vector<Signal> signals_;
  const Signal* found_ = nullptr;
  double time_ = 0, value_ = 0;
};

}  // namespace sigrel::session
