// The first instant at which a function of time leaves an interval of values.
#include "runtime/events/isolation.h"

#include <catch2/catch.hpp>

using namespace runtime;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kPi = 3.14159265358979323846;
constexpr Interval kPositive{0, kInfinity}, kNegative{-kInfinity, 0};

/// a * sin (w t) + c + b t
EncloseOverTime wave(double a, double w, double c, double b = 0) {
  return [=](Interval t) {
    const Interval angle = Interval::of(w) * t;
    return Enclosure{Interval::of(a) * sin(angle) + Interval::of(c) + Interval::of(b) * t,
                     Interval::of(a * w) * cos(angle) + Interval::of(b)};
  };
}

}  // namespace

TEST_CASE("A line is left where it crosses") {
  CHECK(first_exit(wave(0, 0, -1, 1000), kNegative, 0, {}) == Approx(0.001).epsilon(1e-15));
  CHECK(first_exit(wave(0, 0, 1, 1), {0.5, 3.5}, 0, {}) == Approx(2.5).epsilon(1e-15));
  CHECK(first_exit(wave(0, 0, 1, 1), kPositive, 0, {}) == kInfinity);
  CHECK(first_exit(wave(0, 0, 0, 0), kPositive, 0, {}) == kInfinity);  // stays at the boundary
}

TEST_CASE("The next zero of a sine, however far it is in its units") {
  for (double w : {1e-6, 0.01, 1.0, 100.0, 1e6})
    for (double window : {1e-3, 1.0, 1e3}) {
      INFO(w << ", " << window);
      CHECK(first_exit(wave(1, w, 0), kPositive, 0, {.window = window}) == Approx(kPi / w).epsilon(1e-13));
      CHECK(first_exit(wave(1, w, 0), kNegative, kPi / w, {.window = window}) ==
            Approx(2 * kPi / w).epsilon(1e-13));
      CHECK(first_exit(wave(1, w, -0.999999), kNegative, 0, {.window = window}) ==
            Approx(std::asin(0.999999) / w).epsilon(1e-9));
    }
}

TEST_CASE("A sine that stays below its limit is no event") {
  CHECK(first_exit(wave(1, 100, -1.5), kNegative, 0, {}) == kInfinity);
  // A trend decides after many periods.
  const double until = first_exit(wave(1, 10, -3, 0.01), kNegative, 0, {});
  CHECK(until > 199);
  CHECK(until < 201);
}

TEST_CASE("A jump right after the start is not taken for rounding") {
  // -1 at 0, then 1.
  auto jump = [](Interval t) {
    const bool jumps = t.low <= 0;
    return Enclosure{{jumps ? -1.0 : 1.0, 1.0}, jumps ? Interval::whole() : Interval{}};
  };
  CHECK(first_exit(jump, kNegative, 0, {}) < 1e-20);
}

TEST_CASE("A touch is no exit, at whatever instant and order") {
  CHECK(first_exit(wave(1, 1, -1), kNegative, 0, {}) > 1000);  // of many touches; their number is limited
  CHECK(first_exit(wave(1, 1, 1), kPositive, 0, {}) > 1000);
  for (const double at : {0.5, 1.0 / 3, 1e-5, 1e5})
    for (const int order : {2, 4, 8}) {
      INFO(at << ", " << order);
      auto touch = [=](Interval t) {  // 1 - (t / at - 1)^order
        const Interval u = t / Interval::of(at) - Interval::of(1);
        return Enclosure{Interval::of(1) - power(u, order), -Interval::of(order / at) * power(u, order - 1)};
      };
      CHECK(first_exit(touch, {-kInfinity, 1}, 0, {}) == kInfinity);
      CHECK(first_exit(touch, {0.25, 1}, 0, {.window = at / 100}) ==
            Approx(at * (1 + std::pow(0.75, 1.0 / order))).epsilon(1e-13));
    }
}

TEST_CASE("A function that goes to its boundary and stays there leaves where it arrives") {
  auto ramp = [](Interval t) {  // max (1 - t) 0
    const Interval down = Interval::of(1) - t;
    return Enclosure{{std::max(down.low, 0.0), std::max(down.high, 0.0)},
                     {down.high > 0 ? -1.0 : 0.0, down.low < 0 ? 0.0 : -1.0}};
  };
  CHECK(first_exit(ramp, kPositive, 0, {}) == Approx(1).epsilon(1e-14));
  CHECK(first_exit(ramp, kPositive, 1.5, {}) == kInfinity);
}

TEST_CASE("A short excursion beside a touch is not taken for rounding") {
  const double excursion = 1e-12;
  const double exit = first_exit(wave(1, 1, -1 + excursion), kNegative, 0, {});
  CHECK(exit == Approx(kPi / 2 - std::sqrt(2 * excursion)).epsilon(1e-9));
}

TEST_CASE("A search without an end is bounded, and its result is not beyond a crossing") {
  const double limit = first_exit(wave(1, 1e6, -1.0000001, 1e-12), kNegative, 0, {.evaluations = 300});
  CHECK(limit > 0);
  CHECK(limit < 1e5 + 1e-3);
}
