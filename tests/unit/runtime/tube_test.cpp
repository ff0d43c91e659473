
#include <cmath>
#include <vector>

#include "runtime/analysis/tube.h"

using namespace runtime;

namespace {

struct Samples {
  std::vector<double> times, values;
};

template <class F>
Samples sample(int n, const F& f) {
  Samples s;
  for (int k = 0; k <= n; ++k) {
    s.times.push_back(10.0 * k / n);
    s.values.push_back(f(s.times.back()));
  }
  return s;
}

std::optional<Departure> departure(const Samples& a, const Samples& b, Tube tube, bool steps = false) {
  return leaves_tube(a.times, a.values, b.times, b.values, tube, steps);
}

}  // namespace

TEST_CASE("a tube has a height, relative and absolute") {
  const Samples a = sample(1000, [](double t) { return 2 * std::sin(t); });
  const Samples b = sample(1000, [](double t) { return 2 * std::sin(t) + 0.001 * t; });
  // 0.001 t > 0.0055 from the first sample behind t = 5.5 on, and the most at the end: 0.01 - 0.0055.
  auto d = departure(a, b, {.relative = 0, .absolute = 0.0055});
  REQUIRE(d);
  CHECK(d->time == Approx(5.51));
  CHECK(d->high - d->low == Approx(0.011));
  CHECK(d->value > d->high);
  CHECK(d->worst_time == Approx(10));
  CHECK(d->worst == Approx(0.0045));
  CHECK(!departure(a, b, {.relative = 0, .absolute = 0.0101}));
  CHECK(!departure(a, b, {.relative = 0.00501, .absolute = 0}));  // of the magnitude, which is 2
  CHECK(departure(a, b, {.relative = 0.0049, .absolute = 0}));
}

TEST_CASE("a tube has a width in time") {
  const Samples a = sample(1000, [](double t) { return t < 5 ? 0.0 : 1.0; });
  const Samples late = sample(1000, [](double t) { return t < 5.2 ? 0.0 : 1.0; });
  auto d = departure(a, late, {.time = 0.15});
  REQUIRE(d);
  CHECK(d->time == Approx(5.15).margin(0.011));
  CHECK(d->value == 0);
  CHECK(!departure(a, late, {.time = 0.21}));
  CHECK(!departure(a, late, {.time = 0.21}, true));
  CHECK(departure(a, late, {.time = 0.15}, true));
}

TEST_CASE("other times: straight lines between rows, or the row before") {
  const Samples a = sample(10, [](double t) { return 3 * t; });
  CHECK(!departure(a, sample(77, [](double t) { return 3 * t; }), {}));
  const Samples coarse{{0, 4, 4, 10}, {1, 1, 2, 2}};  // a jump: two rows of one time
  const Samples fine = sample(1000, [](double t) { return t < 4 ? 1.0 : 2.0; });
  CHECK(!departure(coarse, fine, {}, true));
  CHECK(!departure(coarse, fine, {}));
  CHECK(departure(coarse, sample(1000, [](double t) { return t < 4.05 ? 1.0 : 2.0; }), {}, true));
}

TEST_CASE("NaN differs from a number") {
  const Samples a = sample(10, [](double) { return 1.0; });
  Samples b = a;
  b.values[3] = std::nan("");
  auto d = departure(a, b, {});
  REQUIRE(d);
  CHECK(d->time == Approx(3));
  CHECK(!departure(b, b, {}));
}

TEST_CASE("a row at an event may be that of the reference a little earlier or later") {
  const Samples a{{0, 4.0001, 4.0001, 10}, {0, 1, 5, 6}};
  const Samples b{{0, 4, 4, 10}, {0, 1, 5, 6}};
  CHECK(!departure(a, b, {.relative = 1e-3}));
  CHECK(!departure(b, a, {.relative = 1e-3}));
  CHECK(departure(a, b, {.relative = 1e-6}));
  const Samples other{{0, 4, 4, 10}, {0, 1, 5.1, 6}};
  auto d = departure(a, other, {.relative = 1e-3});
  REQUIRE(d);
  CHECK(d->value == 5.1);
  // A row that is not at an event has no such latitude.
  CHECK(departure(a, {{0, 4, 10}, {0, 5, 6}}, {.relative = 1e-3}));
  // A reference without rows at its events.
  const Samples grid{{0, 3, 5, 10}, {0, 0.75, 5.2, 6}};
  CHECK(!departure(grid, {{0, 4, 4, 10}, {0, 1, 5, 6}}, {.relative = 1e-3}));
}
