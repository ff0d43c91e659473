// Loops that are solved row after row: factors that are kept, and predicted start values.
#include <catch2/catch.hpp>
#include <cmath>

#include "runtime/solve/loop_predictor.h"
#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

constexpr std::uint32_t kPairs = 60;
constexpr double kCoupling = 0.05, kTurn = 6.283185307179586;

double expected(double time, double number) { return 2 + std::sin(3 * time + number); }

/// A loop in e_k = x_k - expected(k), with the solution e = 0: pairs that a rotation by 2 pi `turns` time
/// joins, a cubic term, and the next pair. The diagonal of its Jacobian vanishes twice in each turn.
struct Rotations : ModelBuilder {
  explicit Rotations(double turns) {
    std::vector<std::uint32_t> x;
    for (std::uint32_t k = 0; k < 2 * kPairs; ++k) x.push_back(variable());
    for (const double sign : {-1.0, 1.0}) {
      // Slots: own, partner, that of the next pair; parameters: their numbers.
      const Shape* row = shape(
          3, 3,
          [=](double t, Values v, Values p) {
            const double e = v[0] - expected(t, p[0]), f = v[1] - expected(t, p[1]),
                         g = v[2] - expected(t, p[2]);
            return std::cos(kTurn * turns * t) * e + sign * std::sin(kTurn * turns * t) * f +
                   0.1 * e * e * e + kCoupling * g;
          },
          [=](double t, Values v, Values p, double* out) {
            const double e = v[0] - expected(t, p[0]);
            out[0] = std::cos(kTurn * turns * t) + 0.3 * e * e;
            out[1] = sign * std::sin(kTurn * turns * t);
            out[2] = kCoupling;
          });
      std::vector<Row> rows;
      for (std::uint32_t k = 0; k < kPairs; ++k) {
        const std::uint32_t own = 2 * k + (sign > 0), partner = 2 * k + (sign < 0),
                            next = (own + 2) % (2 * kPairs);
        rows.push_back(
            {{x[own], x[partner], x[next]}, {parameter(own), parameter(partner), parameter(next)}});
      }
      run(Role::Residual, row, 0, rows);
    }
    model.dynamic = {loop(0, x)};
    model.initial = model.dynamic;
  }
};

/// Simulates to 1, with this number of rows. Every value is right; the number of factorisations.
std::uint64_t factorisations(double turns, std::uint32_t rows) {
  Rotations r(turns);
  Recording recording(r.model);
  Experiment experiment;
  experiment.stop = 1;
  experiment.steps = rows;
  const Outcome outcome = simulate(r.model, experiment, recording.output);
  REQUIRE(outcome.status == Outcome::Completed);
  double worst = 0;
  for (std::size_t row = 0; row <= rows; ++row)
    for (std::uint32_t k = 0; k < 2 * kPairs; ++k)
      worst = std::max(
          worst, std::abs(recording.trajectory.value(row, k) - expected(recording.trajectory.time(row), k)));
  CHECK(worst < 1e-12);
  return outcome.statistics.loop_factorisations;
}

}  // namespace

TEST_CASE("factors serve for many rows while the Jacobian stays as it is") {
  CHECK(factorisations(0, 200) < 8);
}

TEST_CASE("factors of a Jacobian that has turned are replaced") {
  const std::uint64_t slow = factorisations(1, 200), fast = factorisations(1, 8);
  CHECK(slow > 10);  // they serve for less than half a radian
  CHECK(slow < 110);
  CHECK(fast >= 8);  // each row has turned too far
}

TEST_CASE("predicted values are those of a polynomial, and a jump ends the prediction") {
  ModelBuilder b;
  const std::uint32_t x = b.variable(), y = b.variable();
  const Shape* zero = b.shape(
      1, 0, [](double, Values v, Values) { return v[0]; },
      [](double, Values, Values, double* out) { out[0] = 1; });
  b.run(Role::Residual, zero, 0, {{{x}, {}}, {{y}, {}}});
  const std::vector<Step> steps = {b.loop(0, {x, y})};
  LoopPredictor predictor(b.model, steps, {1.0, 1.0});
  REQUIRE_FALSE(predictor.empty());
  std::vector<double> values(2);
  auto polynomial = [](double t) { return 1 + 2 * t - 3 * t * t; };
  for (const double t : {0.0, 0.1, 0.3, 0.4, 0.7}) {
    values = {polynomial(t), -polynomial(t)};
    predictor.record(t, values);
  }
  const std::vector<double> recorded =
      values;  // Clang may round `polynomial` in another way where it is folded
  CHECK_FALSE(predictor.predict(0.4, values));  // not later than the last but one
  REQUIRE(predictor.predict(0.5, values));      // between the last two
  CHECK(values[0] == Approx(polynomial(0.5)));
  predictor.restore(values);
  REQUIRE(predictor.predict(0.9, values));
  CHECK(values[0] == Approx(polynomial(0.9)));
  CHECK(values[1] == Approx(-polynomial(0.9)));
  predictor.restore(values);
  CHECK(values == recorded);
  values = {100, 100};
  predictor.record(0.9, values);
  CHECK_FALSE(predictor.predict(1, values));
}
