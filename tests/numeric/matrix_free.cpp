// Systems whose Jacobian is not formed, beside smaller ones of the same equations whose Jacobian is.
#include "numeric.h"

using namespace sigrel;
using numeric::value;

TEST_CASE("without a Jacobian, a system that becomes stiff again and again") {
  const Run small =
      numeric::Model("matrix_free.sr", "simulate (model 10)").run({.stop = 12, .tolerance = 1e-9});
  const Run large = numeric::Model("matrix_free.sr", "simulate (model 510)").run({.stop = 12});
  CHECK(large.outcome.statistics.linear_solver == "GMRES");
  CHECK(large.outcome.statistics.method_changes >= 3);
  for (const char* x : {"x[1]", "x[7]", "x[10]"})
    CHECK(value(large, x) == Approx(value(small, x)).epsilon(1e-5));
}
