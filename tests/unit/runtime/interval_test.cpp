// Intervals contain the results of all arguments in their operands.
#include "runtime/interval.h"

#include <catch2/catch.hpp>
#include <random>

using namespace runtime;

namespace {

constexpr int kSamples = 20'000;

struct Sampler {
  std::mt19937_64 random{7};
  double number() {
    const double size = std::pow(10.0, std::uniform_real_distribution<>(-6, 6)(random));
    return std::uniform_real_distribution<>(-size, size)(random);
  }
  Interval interval() {
    const double a = number(), b = std::uniform_int_distribution<>(0, 3)(random) ? number() : a;
    return {std::min(a, b), std::max(a, b)};
  }
  double inside(Interval a) {
    return std::clamp(std::uniform_real_distribution<>(a.low, a.high)(random), a.low, a.high);
  }
};

template <class OnInterval, class OnNumber>
void check_unary(OnInterval on_interval, OnNumber on_number) {
  Sampler sampler;
  for (int k = 0; k < kSamples; ++k) {
    const Interval a = sampler.interval(), result = on_interval(a);
    REQUIRE(result.low <= result.high);
    const double y = on_number(sampler.inside(a));
    if (!std::isnan(y) && !result.contains(y)) FAIL(a.low << " .. " << a.high << " gives " << y);
  }
}

template <class OnInterval, class OnNumber>
void check_binary(OnInterval on_interval, OnNumber on_number) {
  Sampler sampler;
  for (int k = 0; k < kSamples; ++k) {
    const Interval a = sampler.interval(), b = sampler.interval(), result = on_interval(a, b);
    REQUIRE(result.low <= result.high);
    const double y = on_number(sampler.inside(a), sampler.inside(b));
    if (!std::isnan(y) && !result.contains(y))
      FAIL(a.low << " .. " << a.high << " and " << b.low << " .. " << b.high << " give " << y);
  }
}

}  // namespace

TEST_CASE("Arithmetic of intervals contains that of numbers") {
  check_binary([](Interval a, Interval b) { return a + b; },
               [](long double a, long double b) { return double(a + b); });
  check_binary([](Interval a, Interval b) { return a - b; }, [](double a, double b) { return a - b; });
  check_binary([](Interval a, Interval b) { return a * b; }, [](double a, double b) { return a * b; });
  check_binary([](Interval a, Interval b) { return a / b; }, [](double a, double b) { return a / b; });
  check_binary([](Interval a, Interval b) { return power(a, b); },
               [](double a, double b) { return std::pow(a, b); });
  check_binary([](Interval a, Interval b) { return atan2(a, b); },
               [](double a, double b) { return std::atan2(a, b); });
}

TEST_CASE("Functions of intervals contain those of numbers") {
  check_unary([](Interval a) { return abs(a); }, [](double x) { return std::abs(x); });
  check_unary([](Interval a) { return sqrt(a); }, [](double x) { return std::sqrt(x); });
  check_unary([](Interval a) { return exp(a); }, [](double x) { return std::exp(x); });
  check_unary([](Interval a) { return log(a); }, [](double x) { return std::log(x); });
  check_unary([](Interval a) { return sin(a); }, [](double x) { return std::sin(x); });
  check_unary([](Interval a) { return cos(a); }, [](double x) { return std::cos(x); });
  check_unary([](Interval a) { return tan(a); }, [](double x) { return std::tan(x); });
  for (int n : {-3, -2, -1, 0, 1, 2, 3, 4, 7})
    check_unary([n](Interval a) { return power(a, n); }, [n](double x) { return std::pow(x, n); });
}

TEST_CASE("Intervals are not much wider than needed") {
  const Interval wave = sin(Interval{0.1, 0.2});
  CHECK(wave.low == Approx(std::sin(0.1)).epsilon(1e-14));
  CHECK(wave.high == Approx(std::sin(0.2)).epsilon(1e-14));
  CHECK(sin(Interval{1.5, 1.6}).high == 1);
  CHECK(sin(Interval{1e6, 1e6 + 1e-3}).width() < 1e-3);
  CHECK(power(Interval{-2, 1}, 2).low == 0);
}
