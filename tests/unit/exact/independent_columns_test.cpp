#include "compiler/exact/independent_columns.h"

#include <catch2/catch.hpp>

#include "compiler/exact/random_point.h"

using namespace sigrel::exact;

TEST_CASE("the example of independent columns, with fixed pivots before varying ones") {
  using Column = std::vector<IndependentColumns::Entry>;
  const Field p = random_element(Coordinate::Parameter, 1), x = random_element(Coordinate::Variable, 2);
  IndependentColumns columns(2);
  CHECK(columns.offer(Column{{0, Field(1), true}, {1, x, false}}, false) ==
        IndependentColumns::Answer::Taken);
  CHECK(columns.offer(Column{{0, -p, true}}, false) == IndependentColumns::Answer::Varies);
  CHECK(std::vector(columns.remainder().begin(), columns.remainder().end()) == std::vector<std::uint32_t>{1});
  CHECK(columns.offer(Column{{0, Field(7), true}, {1, Field(7) * x, false}}, true) ==
        IndependentColumns::Answer::Dependent);
  CHECK(columns.offer(Column{{0, -p, true}}, true) == IndependentColumns::Answer::Taken);
  CHECK(columns.has_pivot(1));
}
