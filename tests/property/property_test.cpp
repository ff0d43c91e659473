// The harness itself: a property that does not hold is found, and its counterexample is the smallest one.
#include "tests/property/property.h"

#include <algorithm>

TEST_CASE("a property that does not hold is reported with its seed and a minimal counterexample") {
  const std::string found = property::counterexample([] {
    const auto numbers = *property::decisions();
    RC_ASSERT(std::ranges::count_if(numbers, [](std::uint16_t n) { return n >= 50; }) < 2);
  });
  INFO(found);
  CHECK(found.starts_with("seed 20260\nFalsifiable after "));
  CHECK(found.find("[50, 50]") != std::string::npos);
}

TEST_CASE("a property that holds has no counterexample") {
  CHECK(property::counterexample([] {
          auto numbers = *property::decisions();
          std::ranges::sort(numbers);
          RC_ASSERT(std::ranges::is_sorted(numbers));
        }) == "");
}
