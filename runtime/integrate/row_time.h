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

/// The time of a row, 0 … `intervals`: they are evenly spaced from `start` to `stop`, and the last one is at
/// `stop` exactly. It is rounded once: row 3 of 10 from 0 to 0.1 is at 0.03, and not beside it.
inline double row_time(double start, double stop, std::uint64_t intervals, std::uint64_t row) {
  if (row >= intervals) return stop;
  const long double from = as_decimal(start);
  return static_cast<double>(from + (as_decimal(stop) - from) * static_cast<long double>(row) /
                                        static_cast<long double>(intervals));
}

}  // namespace runtime
