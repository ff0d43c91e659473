// The times of the rows of results.
#pragma once
#include <cstdint>

namespace runtime {

/// The time of a row, 0 … `intervals`: they are evenly spaced from `start` to `stop`, and the last one is at
/// `stop` exactly.
inline double row_time(double start, double stop, std::uint64_t intervals, std::uint64_t row) {
  if (row >= intervals) return stop;
  return start + (stop - start) * (static_cast<double>(row) / static_cast<double>(intervals));
}

}  // namespace runtime
