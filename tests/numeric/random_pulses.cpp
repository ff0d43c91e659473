// Pulses of random place and width, of time and of states: none is missed. The width is between 1e-5 and 1e-1
// of the run.
#include <cmath>
#include <numbers>

#include "numeric.h"
#include "tests/property/property.h"

using namespace sigrel;

namespace {

constexpr double kStop = 10;

struct Shape {
  const char* name;
  double (*area)(double u);  // from 0 to u
};

const Shape kShapes[] = {
    {"bell", [](double u) { return std::sqrt(std::numbers::pi) / 2 * std::erf(u); }},
    {"peak", [](double u) { return std::atan(u); }},
    {"wave", [](double u) { return std::tanh(u); }},
};

/// `end`: of the argument of the pulse, which begins at 0.
void check_pulses(const std::string& of, double end, int cases) {
  for (const Shape& shape : kShapes) {
    numeric::Model model("steps.sr", (of + " " + shape.name + " 5.0 0.1").c_str());
    for (const char* solver : {"cvode", "adams", "ida"}) {
      INFO(of << " " << shape.name << ", " << solver);
      property::holds(
          [&] {
            const double middle = end * *rc::gen::inRange(0, 1'000'001) / 1e6;
            const double width = kStop * std::pow(10.0, -*rc::gen::inRange(100, 501) / 100.0);
            const Run run = model.run({.stop = kStop,
                                       .solver = solver,
                                       .set = {{"middle", middle}, {"width", width}},
                                       .keep_trajectory = false});
            const double expected = shape.area((end - middle) / width) + shape.area(middle / width);
            const double x = numeric::value(run, "x");
            RC_LOG() << "middle " << middle << ", width " << width << ": " << x << " instead of " << expected
                     << "\n";
            RC_ASSERT(std::abs(x - expected) <= 1e-4 * expected + 1e-5);
          },
          {.cases = cases});
    }
  }
}

}  // namespace

TEST_CASE("random pulses of time") { check_pulses("pulseOfTime", kStop, 200); }

TEST_CASE("random pulses of a state that rises evenly") { check_pulses("pulseOfState", kStop, 200); }

TEST_CASE("random pulses of a state that approaches its end") {
  check_pulses("pulseOfLag", kStop * (1 - std::exp(-kStop)), 200);
}
