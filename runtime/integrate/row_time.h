// The times of the rows of results.
#pragma once
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace runtime {

/// A number as the decimal one that it is written as, with more digits than a double has: 0.1 is a tenth.
inline long double as_decimal(double value) {
  if (std::trunc(value) == value) return value;
  char digits[32];
  *std::to_chars(digits, digits + sizeof digits - 1, value).ptr = '\0';
  return std::strtold(digits, nullptr);
}

/// The times of the rows 0 … `intervals`: they are evenly spaced from `start` to `stop`, and the last one is
/// at `stop` exactly. Each is rounded once: row 3 of 10 from 0 to 0.1 is at 0.03, and not beside it.
class RowTimes {
 public:
  RowTimes(double start, double stop, std::uint64_t intervals)
      : start_(as_decimal(start)), range_(as_decimal(stop) - start_), stop_(stop), intervals_(intervals) {}

  double at(std::uint64_t row) const {
    if (row >= intervals_) return stop_;
    return static_cast<double>(start_ +
                               range_ * static_cast<long double>(row) / static_cast<long double>(intervals_));
  }

 private:
  long double start_, range_;
  double stop_;
  std::uint64_t intervals_;
};

}  // namespace runtime
