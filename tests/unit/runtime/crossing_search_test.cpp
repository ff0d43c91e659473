// Random piecewise right-hand sides whose switching instants are known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

/// x' = 1, y' = 1 where the polynomial with these roots in x is positive, else 0; at a root that is double
/// nothing changes.
struct Measure : ModelBuilder {
  std::uint32_t x, dx, y, dy;
  explicit Measure(const std::vector<double>& roots) {
    std::tie(x, dx) = state(0);
    std::tie(y, dy) = state(0);
    const std::uint32_t below = parameter(0);
    Row row{{x}, {}};
    for (const double root : roots) row.params.push_back(parameter(root));
    const auto count = static_cast<std::uint32_t>(roots.size());
    const Shape* polynomial = shape(
        1, count,
        [count](double, Values s, Values p) {
          double value = 1;
          for (std::uint32_t k = 0; k < count; ++k) value *= s[0] - p[k];
          return value;
        },
        [](double, Values, Values, double*) {});
    const Shape* constant = shape(
        1, 0, [](double, Values s, Values) { return s[0] - 1; },
        [](double, Values, Values, double* d) { d[0] = 1; });
    const Shape* piecewise = shape(
        1, 1, [](double, Values s, Values p) { return s[0] - (1 - p[0]); },
        [](double, Values, Values, double* d) { d[0] = 1; });
    model.dynamic = {assign(run(Role::Solve, constant, 0, {{{dx}, {}}})),
                     assign(run(Role::Solve, piecewise, 0, {{{dy}, {below}}}))};
    model.zero_crossings = {
        {.batch = run(Role::Residual, polynomial, 0, {row}), .first = below, .strict = true}};
  }
};

}  // namespace

TEST_CASE("every switching instant of random piecewise right-hand sides is met") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> anywhere(0.1, 9.9), exponent(-4, 0);
  const Solver solvers[] = {Solver::Cvode, Solver::Adams, Solver::Ida};
  for (int k = 0; k < 2000; ++k) {
    std::vector<double> roots(1 + random() % 4);
    for (double& root : roots)  // often close to the one before
      root = &root == roots.data() || random() % 2
                 ? anywhere(random)
                 : std::min((&root)[-1] + std::pow(10, exponent(random)), 9.95);
    std::ranges::sort(roots);
    // A dip below the rounding error of the largest value is none.
    auto value = [&](double x) {
      double product = 1;
      for (const double root : roots) product *= x - root;
      return std::abs(product);
    };
    bool visible = true;
    for (std::size_t i = 1; i < roots.size(); ++i)
      visible = visible && value((roots[i - 1] + roots[i]) / 2) > 1e-12 * std::max(value(0), value(10));
    if (!visible) continue;
    double positive = 0, from = 0;
    for (std::size_t i = 0; i <= roots.size(); ++i) {
      const double to = i < roots.size() ? roots[i] : 10;
      if ((roots.size() - i) % 2 == 0) positive += to - from;
      from = to;
    }
    Measure measure(roots);
    Recording recording(measure.model);
    const Outcome outcome =
        simulate(measure.model, {.stop = 10, .steps = 1, .solver = solvers[k % 3]}, recording.output);
    INFO("model " << k << ", solver " << k % 3);
    for (const double root : roots) UNSCOPED_INFO("root " << root);
    REQUIRE(outcome.status == Outcome::Completed);
    REQUIRE(outcome.values[measure.y] == Approx(positive).epsilon(1e-6).margin(1e-6));
  }
}
