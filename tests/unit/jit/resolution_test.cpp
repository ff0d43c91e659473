// Sharp operations that their operands show to be resolved: what the full resolution says of them, and how
// far they are from straight lines.
#include "compiler/interpret/resolve_operation.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

#include "runtime/interval.h"

using namespace sigrel;
using runtime::Enclosure;
using runtime::Interval;

namespace {

Enclosure over(double low, double high) { return {{low, high}, Interval::whole()}; }

}  // namespace

TEST_CASE("exponentials and quotients: operands decide as results do") {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> uniform(-3, 3), width(0, 2);
  int decided = 0;
  for (int k = 0; k < 10'000; ++k) {
    const double low = uniform(random);
    const Enclosure x = over(low, low + width(random)), one = Enclosure::constant(1);
    const auto check = [&](const Node& node, const Enclosure& a, const Enclosure& b, Interval value) {
      if (!interpret::is_resolved_by_operands(node, a, b)) return;
      runtime::Resolution resolution;
      interpret::resolve(nullptr, node, a, b, {value, Interval::whole()}, resolution);
      ++decided;
      CHECK(resolution.resolved);
      CHECK_FALSE(resolution.pole);
    };
    check({.op = Op::Exp}, x, x, exp(x.value));
    check({.op = Op::Div}, one, x, one.value / x.value);
  }
  CHECK(decided > 2'000);
}

TEST_CASE("sines and arc tangents are nearly straight where their operands decide") {
  const struct {
    Op op;
    double (*f)(double);
  } functions[] = {{Op::Sin, [](double x) { return std::sin(x); }},
                   {Op::Cos, [](double x) { return std::cos(x); }},
                   {Op::Atan, [](double x) { return std::atan(x); }},
                   {Op::Tanh, [](double x) { return std::tanh(x); }}};
  for (const auto& [op, f] : functions) {
    int decided = 0;
    for (double low = -4; low < 4; low += 0.07)
      for (double width = 0.1; width < 3; width += 0.1) {
        if (!interpret::is_resolved_by_operands({.op = op}, over(low, low + width), {})) continue;
        ++decided;
        for (double part = 0.1; part < 1; part += 0.1) {
          const double straight = (1 - part) * f(low) + part * f(low + width);
          CHECK(std::abs(f(low + part * width) - straight) < 0.16);
        }
      }
    CHECK(decided > 500);
    CHECK_FALSE(interpret::is_resolved_by_operands({.op = op}, over(-2, 2), {}));
    CHECK_FALSE(interpret::is_resolved_by_operands({.op = op}, {Interval::whole(), Interval::whole()}, {}));
  }
}
