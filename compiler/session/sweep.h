// Runs of one compiled model over a grid of parameters, on all cores. Each run is bitwise identical to a
// separate run; rows arrive in the order of the points, independent of the threads.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline/results.h"
#include "runtime/results/trajectory.h"

namespace sigrel::session {

struct SweepAxis {
  std::string name;  // of a parameter
  std::vector<double> values;
};

/// The Cartesian product of the axes; the last axis changes fastest.
class SweepGrid {
 public:
  explicit SweepGrid(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {}
  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// 0 if there are more than 2^53 points.
  std::uint64_t size() const;
  std::vector<double> values(std::uint64_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

/// The summary of a run: the last, least and greatest value of each column, over the rows, the integrator's
/// steps and the values before and after every event.
struct SweepRow {
  std::uint64_t point = 0;
  std::vector<double> parameters;  // one per axis
  std::vector<double> last, least, greatest;
  std::string error;               // "SR0503: …"; the row then has no values
  runtime::Trajectory trajectory;  // of the points in SweepOptions::trajectories
};

struct SweepOptions {
  const SweepGrid* grid = nullptr;
  std::uint64_t first = 0;  // earlier points are known
  unsigned threads = 0;     // 0: one per core
  bool event_rows = true;   // of the trajectories; set by Session::sweep
  /// Points whose trajectory is kept, ascending; they are computed even if they are known.
  std::vector<std::uint64_t> trajectories;
  const std::atomic<bool>* cancel = nullptr;
  /// Called in the order of the points; returns false to stop. Known points are passed for their
  /// trajectories.
  std::function<bool(SweepRow&)> row;
};

}  // namespace sigrel::session
