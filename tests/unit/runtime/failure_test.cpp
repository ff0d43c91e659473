// Failures of a simulation, and that their data names the cause.
#include <atomic>
#include <catch2/catch.hpp>

#include "runtime/integrate/initial_value_problem.h"
#include "runtime/results/csv.h"
#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

/// x' = f(x), given f and its derivative.
struct Scalar : ModelBuilder {
  std::uint32_t x, dx;
  Scalar(double start, double (*f)(double), double (*slope)(double)) {
    std::tie(x, dx) = state(start);
    const Shape* right = shape(
        2, 0, [f](double, Values s, Values) { return s[0] - f(s[1]); },
        [slope](double, Values s, Values, double* d) { d[0] = 1, d[1] = -slope(s[1]); });
    model.dynamic = {assign(run(Role::Solve, right, 0, {{{dx, x}, {}}}))};
  }
};

/// Unknowns without states: f(u) = 0 for one unknown.
struct OneLoop : ModelBuilder {
  std::uint32_t u;
  OneLoop(double guess, double (*f)(double), double (*slope)(double)) {
    u = variable(guess);
    const Shape* residual = shape(
        1, 0, [f](double, Values s, Values) { return f(s[0]); },
        [slope](double, Values s, Values, double* d) { d[0] = slope(s[0]); });
    run(Role::Residual, residual, 0, {{{u}, {}}});
    model.initial = {loop(0, {u})};
    model.dynamic = {{Step::Solve, 0}};
  }
};

Outcome run_it(const Model& model, double stop = 1, const Control& control = {}) {
  Recording recording(model);
  return simulate(model, {.stop = stop, .tolerance = 1e-6, .steps = 100}, recording.output, control);
}

}  // namespace

TEST_CASE("NaN at the start names the equation and its variable") {
  Scalar model(-1, [](double x) { return std::log(x); }, [](double x) { return 1 / x; });
  const Outcome outcome = run_it(model.model);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::NotFinite);
  CHECK(outcome.failure.initial);
  REQUIRE(outcome.failure.equations.size() == 1);
  CHECK(outcome.failure.equations[0].equation == 0);
  CHECK(outcome.failure.variables.at(0).variable == model.dx);
}

TEST_CASE("NaN during integration keeps the rows computed so far") {
  // x' = -1 - sqrt(x) / 10 reaches 0 before t = 1, and sqrt of a negative number is NaN.
  Scalar model(
      0.5, [](double x) { return -1 - std::sqrt(x) / 10; }, [](double x) { return -0.05 / std::sqrt(x); });
  Recording recording(model.model);
  const Outcome outcome = simulate(model.model, {.stop = 1, .steps = 100}, recording.output);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::NotFinite);
  CHECK(!outcome.failure.initial);
  CHECK(outcome.failure.equations.at(0).equation == 0);
  CHECK(outcome.failure.time == Approx(0.477).margin(0.01));
  CHECK(recording.trajectory.rows() > 40);
  CHECK(outcome.reached == recording.trajectory.time(recording.trajectory.rows() - 1));
}

TEST_CASE("NaN in the course of a model without states") {
  ModelBuilder b;
  const auto o = b.variable();
  const Shape* root = b.shape(
      1, 0, [](double t, Values s, Values) { return s[0] - std::sqrt(0.505 - t); },
      [](double, Values, Values, double* d) { d[0] = 1; });
  b.model.dynamic = {b.assign(b.run(Role::Solve, root, 0, {{{o}, {}}}))};
  const Outcome outcome = run_it(b.model);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::NotFinite);
  CHECK(outcome.failure.time == Approx(0.51));
  CHECK(outcome.reached == Approx(0.5));
}

TEST_CASE("a solution that ends in a pole") {
  Scalar model(1, [](double x) { return x * x; }, [](double x) { return 2 * x; });
  const Outcome outcome = run_it(model.model, 2);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.time == Approx(1).epsilon(1e-3));
  CHECK(outcome.failure.variables.at(0).variable <= model.dx);
}

TEST_CASE("a singular loop") {
  ModelBuilder b;
  const auto x = b.variable(), y = b.variable();
  const auto one = b.parameter(1), two = b.parameter(2), three = b.parameter(3);
  const Shape* line = b.shape(
      2, 2, [](double, Values s, Values p) { return p[0] * (s[0] + s[1]) - p[1]; },
      [](double, Values, Values p, double* d) { d[0] = d[1] = p[0]; });
  b.run(Role::Residual, line, 0, {{{x, y}, {one, one}}, {{x, y}, {two, three}}});
  b.model.initial = b.model.dynamic = {b.loop(0, {x, y})};
  const Outcome outcome = run_it(b.model);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::LoopSingular);
  CHECK(outcome.failure.initial);
  CHECK(outcome.failure.unknowns == 2);
  CHECK(outcome.failure.equations.size() == 2);
  CHECK(outcome.failure.variables.size() == 2);
}

TEST_CASE("a loop without a solution") {
  OneLoop model(1, [](double u) { return u * u + 1; }, [](double u) { return 2 * u; });
  const Outcome outcome = run_it(model.model);
  REQUIRE(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::LoopNotConverged);
  CHECK(outcome.failure.equations.at(0).residual >= 1);
  CHECK(outcome.failure.variables.at(0).variable == model.u);
}

TEST_CASE("loops from poor guesses") {
  SECTION("no gradient at the guess") {
    OneLoop model(0, [](double u) { return u * u - 4; }, [](double u) { return 2 * u; });
    CHECK(std::abs(run_it(model.model).values[0]) == Approx(2));
  }
  SECTION("no value at the guess") {
    OneLoop model(0, [](double u) { return std::log(u) - 1; }, [](double u) { return 1 / u; });
    CHECK(run_it(model.model).values[0] == Approx(std::exp(1.0)));
  }
  SECTION("a full step would diverge") {
    OneLoop model(
        20, [](double u) { return std::atan(u - 1); }, [](double u) { return 1 / (1 + (u - 1) * (u - 1)); });
    CHECK(run_it(model.model).values[0] == Approx(1));
  }
  SECTION("an exponential far away") {
    OneLoop model(
        0, [](double u) { return 1e-12 * (std::exp(u / 0.025) - 1) + u - 5; },
        [](double u) { return 1e-12 / 0.025 * std::exp(u / 0.025) + 1; });
    const double u = run_it(model.model).values[0];
    CHECK(1e-12 * (std::exp(u / 0.025) - 1) + u == Approx(5));
  }
}

TEST_CASE("invalid experiments") {
  Scalar model(1, [](double x) { return -x; }, [](double) { return -1.0; });
  Recording recording(model.model);
  for (const Experiment& experiment :
       {Experiment{.start = 1, .stop = 0}, Experiment{.tolerance = 0}, Experiment{.steps = 0},
        Experiment{.stop = HUGE_VAL}, Experiment{.tolerance = std::nan("")}})
    CHECK(simulate(model.model, experiment, recording.output).failure.kind == FailureKind::BadExperiment);
  CHECK(solver_named("adams") == Solver::Adams);
  CHECK(!solver_named("euler"));
}

TEST_CASE("cancelling keeps the rows computed so far") {
  Scalar model(1, [](double x) { return -x; }, [](double) { return -1.0; });
  std::atomic<bool> cancel = false;
  Control control;
  control.cancel = &cancel;
  control.progress = [&](double fraction) {
    if (fraction > 0.3) cancel = true;
  };
  Recording recording(model.model);
  const Outcome outcome = simulate(model.model, {.stop = 10, .steps = 100}, recording.output, control);
  CHECK(outcome.status == Outcome::Cancelled);
  CHECK(outcome.reached > 2);
  CHECK(outcome.reached < 8);
  CHECK(recording.trajectory.rows() == std::size_t(std::lround(outcome.reached * 10)) + 1);
}

TEST_CASE("cancelling does not wait for the end of a step with many rows") {
  struct CancelAtRow final : Sink {
    std::atomic<bool> cancel = false;
    std::size_t rows = 0;
    Error begin(const Output&) override { return {}; }
    Error row(double, std::span<const double>) override {
      cancel = ++rows == 900;
      return {};
    }
    Error finish() override { return {}; }
  } sink;
  // At rest the steps grow: the last ones have hundreds of rows.
  Scalar model(1, [](double x) { return -x; }, [](double) { return -1.0; });
  Recording recording(model.model);
  recording.output.sinks.push_back(&sink);
  Control control;
  control.cancel = &sink.cancel;
  const Outcome outcome = simulate(model.model, {.stop = 1e12, .steps = 1000}, recording.output, control);
  CHECK(outcome.status == Outcome::Cancelled);
  CHECK(sink.rows == 900);
  CHECK(outcome.reached == 899e9);
}

TEST_CASE("a full disk") {
  Scalar model(1, [](double x) { return -x; }, [](double) { return -1.0; });
  Recording recording(model.model);
  CsvFile csv("/dev/full");
  recording.output.sinks.push_back(&csv);
  const Outcome outcome = simulate(model.model, {}, recording.output);
  CHECK(outcome.status == Outcome::Failed);
  CHECK(outcome.failure.kind == FailureKind::Output);
  CHECK(outcome.failure.path == "/dev/full");
  CHECK(outcome.failure.error == "No space left on device");
  CHECK(outcome.failure.kept_rows == 0);
}

TEST_CASE("a coefficient that has become zero names its equation, variable and parameters") {
  ModelBuilder b;
  const std::uint32_t r = b.parameter(2.0), x = b.variable(), y = b.variable();
  const Shape* law = b.shape(
      2, 1, [](double, Values s, Values p) { return p[0] * s[0] - s[1]; },
      [](double, Values, Values p, double* d) { d[0] = p[0], d[1] = -1; });
  const Shape* rest = b.shape(
      2, 0, [](double, Values s, Values) { return s[0] + s[1] - 3; },
      [](double, Values, Values, double* d) { d[0] = d[1] = 1; });
  const auto first = static_cast<std::uint32_t>(b.model.batches.size());
  b.run(Role::Solve, law, 0, {{{y, x}, {r}}});
  b.run(Role::Residual, rest, 0, {{{y, x}, {}}});
  b.model.dynamic = b.model.initial = {b.loop(first, {x})};
  b.model.loops.back().kind = AlgebraicLoop::Fixed;
  for (double value : {2.0, 0.0}) {
    std::vector<double> parameters = {value};
    InitialValueProblem problem(b.model, parameters, nominal_values(b.model, parameters));
    CHECK(problem.initialise(0) == (value != 0));
    if (value != 0) {
      CHECK(problem.instance.values[x] == Approx(2));
      CHECK(problem.instance.values[y] == Approx(1));
      continue;
    }
    const Failure& failure = problem.instance.failure();
    CHECK(failure.kind == FailureKind::ZeroPivot);
    CHECK(failure.initial);
    REQUIRE(failure.equations.size() == 1);
    CHECK(failure.equations[0].equation == 0);
    REQUIRE(failure.variables.size() == 1);
    CHECK(failure.variables[0].variable == y);
    REQUIRE(failure.parameters.size() == 1);
    CHECK(failure.parameters[0].parameter == r);
  }
}
