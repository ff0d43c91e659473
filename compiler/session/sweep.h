// Many runs of one compiled model with other parameters, on all cores. Each run is computed as it would be by
// itself, to the last bit; rows come in the order of the points, whatever the threads do.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/session/results.h"
#include "runtime/results/trajectory.h"

namespace sigrel::session {

struct SweepAxis {
  std::string name;  // of a parameter
  std::vector<double> values;
};

/// The grid of all combinations; the last axis changes fastest.
class SweepGrid {
 public:
  explicit SweepGrid(std::vector<SweepAxis> axes) : axes_(std::move(axes)) {}
  const std::vector<SweepAxis>& axes() const { return axes_; }
  /// Nothing when there are more than 2^53.
  std::uint64_t size() const;
  std::vector<double> values(std::uint64_t point) const;

 private:
  std::vector<SweepAxis> axes_;
};

/// What is kept of a run: of each column its last, least and greatest value over the rows of results.
struct SweepRow {
  std::uint64_t point = 0;
  std::vector<double> parameters;  // one per axis
  std::vector<double> last, least, greatest;
  std::string error;               // "SR0503: …"; then there are no values
  runtime::Trajectory trajectory;  // where it was asked for
};

struct SweepOptions {
  const SweepGrid* grid = nullptr;
  std::uint64_t first = 0;  // points before are known
  unsigned threads = 0;     // 0: as many as the machine has
  std::vector<std::uint64_t>
      trajectories;  // points whose trajectory is kept, ascending; computed even when they are known
  const std::atomic<bool>* cancel = nullptr;
  /// In the order of the points; false stops the sweep. A known point comes for its trajectory alone.
  std::function<bool(SweepRow&)> row;
};

}  // namespace sigrel::session
