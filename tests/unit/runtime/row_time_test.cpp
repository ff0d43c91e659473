// The times of rows are the decimal numbers that a reader expects.
#include "runtime/integrate/row_time.h"

#include <catch2/catch.hpp>

namespace {

double row_time(double start, double stop, std::uint64_t intervals, std::uint64_t row) {
  return runtime::RowTimes(start, stop, intervals).at(row);
}

}  // namespace

TEST_CASE("row times are rounded once, and are those of the decimal start and stop") {
  CHECK(row_time(0.0, 1.0, 10, 3) == 0.3);
  CHECK(row_time(0.0, 0.1, 10, 3) == 0.03);
  CHECK(row_time(0.1, 1.1, 10, 2) == 0.3);
  CHECK(row_time(0.1, 1.1, 10, 0) == 0.1);
  CHECK(row_time(0.1, 1.1, 10, 10) == 1.1);
  CHECK(row_time(-0.5, 0.5, 10, 8) == 0.3);
  // Stops of 0.1, 0.2, … 20: tenths of them are quotients of whole numbers.
  std::size_t checked = 0;
  for (int stop = 1; stop <= 200; ++stop)
    for (const int intervals : {10, 500})
      for (int row = 0; row <= intervals; ++row, ++checked)
        if (row_time(0.0, stop / 10.0, static_cast<std::uint64_t>(intervals),
                     static_cast<std::uint64_t>(row)) !=
            static_cast<double>(static_cast<long double>(stop * row) / (10 * intervals)))
          FAIL(stop << " " << intervals << " " << row);
  CHECK(checked > 100'000);
}
