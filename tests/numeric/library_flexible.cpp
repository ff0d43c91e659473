// Flexible beams: closed forms, and what is conserved.
#include <cmath>

#include "numeric.h"

TEST_CASE("Library: Flexible, the energy of a beam that swings") {
  numeric::Model model("flexible.sr", "swinging");
  const double begin = numeric::value(model.run({.stop = 0.0}), "total");
  const double end = numeric::value(model.run({.stop = 1.0, .tolerance = 1e-9}), "total");
  CHECK(std::abs(end - begin) < 1e-6);
}

// F L^3 / (3 E I), and M L^2 / (2 E I) towards the other side. Six modes have all but 0.02 % of the first
// and 0.4 % of the second.
TEST_CASE("Library: Flexible, a loaded beam") {
  numeric::Model model("flexible.sr", "loaded");
  const sigrel::Run run = model.run({.stop = 4.0, .tolerance = 1e-8, .outputs = {"b.r[2]", "b.r[3]"}});
  CHECK(numeric::value(run, "b.r[2]") == Approx(0.3 / 60).epsilon(1e-3));
  CHECK(numeric::value(run, "b.r[3]") == Approx(-0.02 / 20).epsilon(1e-2));
}

// The reference is the limit of chains of 8, 16 and 32 rigid pieces with springs between them, in absolute
// angles, by Runge and Kutta's method.
TEST_CASE("Library: Flexible, a beam that falls, beside a chain of rigid pieces") {
  numeric::Model model("flexible.sr", "falling");
  const sigrel::Run run = model.run({.stop = 0.4, .tolerance = 1e-9, .outputs = {"b.r[1]", "b.r[3]"}});
  CHECK(std::abs(numeric::value(run, "b.r[1]") - 0.61173246) < 1e-5);
  CHECK(std::abs(numeric::value(run, "b.r[3]") + 0.79095698) < 1e-5);
}
