#include <catch2/catch.hpp>

#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

/// dx + k x = 0
struct Decay : ModelBuilder {
  std::uint32_t x, dx, k;
  explicit Decay(double rate = 1, double start = 1) {
    std::tie(x, dx) = state(start);
    k = parameter(rate);
    const Shape* decay = shape(
        2, 1, [](double, Values s, Values p) { return s[0] + p[0] * s[1]; },
        [](double, Values, Values p, double* d) { d[0] = 1, d[1] = p[0]; });
    model.dynamic = {assign(run(Role::Solve, decay, 0, {{{dx, x}, {k}}}))};
  }
};

/// x' = y, y' = -x + 3 (1 - x^2) y
struct VanDerPol : ModelBuilder {
  std::uint32_t x, dx, y, dy;
  VanDerPol() {
    std::tie(x, dx) = state(1);
    std::tie(y, dy) = state(1);
    const Shape* oscillator = shape(
        3, 0, [](double, Values s, Values) { return s[0] + s[1] - 3 * (1 - s[1] * s[1]) * s[2]; },
        [](double, Values s, Values, double* d) {
          d[0] = 1, d[1] = 1 + 6 * s[1] * s[2], d[2] = -3 * (1 - s[1] * s[1]);
        });
    model.dynamic = {assign(sums(Role::Solve, {{{dx, false}, {y, true}}}, {0})),
                     assign(run(Role::Solve, oscillator, 0, {{{dy, x, y}, {}}}))};
  }
};

/// R1 from a source sin 2πt to a node, R2 = R3 = 1 from there to ground, L = 1 across the source. The node is a linear loop.
struct Divider : ModelBuilder {
  std::uint32_t current, rate, v, u, i1, i2, i3, source;
  Divider() {
    std::tie(current, rate) = state(0);
    v = variable(), u = variable(), i1 = variable(), i2 = variable(), i3 = variable(), source = variable();
    const Shape* sine = shape(
        1, 0, [](double t, Values s, Values) { return s[0] - std::sin(2 * M_PI * t); },
        [](double, Values, Values, double* d) { d[0] = 1; });
    const Shape* ohm = shape(  // u - w = r i
        3, 0, [](double, Values s, Values) { return s[0] - s[1] - s[2]; },
        [](double, Values, Values, double* d) { d[0] = 1, d[1] = -1, d[2] = -1; });
    const Shape* grounded = shape(
        2, 0, [](double, Values s, Values) { return s[0] - s[1]; },
        [](double, Values, Values, double* d) { d[0] = 1, d[1] = -1; });
    const Step set_source = assign(run(Role::Solve, sine, 0, {{{v}, {}}}));
    const Step inductor = assign(run(Role::Solve, grounded, 1, {{{v, rate}, {}}}));
    const auto first = static_cast<std::uint32_t>(model.runs.size());
    run(Role::Residual, ohm, 0, {{{v, u, i1}, {}}});
    run(Role::Residual, grounded, 0, {{{u, i2}, {}}, {{u, i3}, {}}});
    sums(Role::Residual, {{{i1, false}, {i2, true}, {i3, true}}});
    const Step node = loop(first, {u, i1, i2, i3});
    model.dynamic = {set_source, inductor, node};
    model.observed = {assign(sums(Role::Solve, {{{source, false}, {i1, false}, {current, false}}}, {0}))};
  }
};

Outcome simulate_to(const Model& model, double stop, Solver solver = Solver::Auto, double tolerance = 1e-9) {
  Recording recording(model);
  return simulate(model, {.stop = stop, .tolerance = tolerance, .steps = 50, .solver = solver}, recording.output);
}

}  // namespace

TEST_CASE("decay against the exponential") {
  Decay decay;
  for (Solver solver : {Solver::Auto, Solver::Cvode, Solver::Adams, Solver::Ida}) {
    Recording recording(decay.model);
    const Outcome outcome = simulate(decay.model, {.stop = 2, .tolerance = 1e-9, .steps = 40, .solver = solver}, recording.output);
    REQUIRE(outcome.status == Outcome::Completed);
    REQUIRE(recording.trajectory.rows() == 41);
    CHECK(recording.trajectory.time(40) == 2.0);
    for (std::size_t r = 0; r < 41; ++r)
      CHECK(recording.trajectory.value(r, decay.x) == Approx(std::exp(-recording.trajectory.time(r))).epsilon(1e-7));
    CHECK(outcome.reached == 2.0);
    CHECK(outcome.statistics.form == (solver == Solver::Ida ? Form::Implicit : Form::Explicit));
  }
}

TEST_CASE("parameters change on one model") {
  Decay decay;
  Recording recording(decay.model);
  const Outcome outcome =
      simulate(decay.model, {.stop = 1, .tolerance = 1e-9, .overrides = {{decay.k, 3.0}}}, recording.output);
  CHECK(outcome.values[decay.x] == Approx(std::exp(-3.0)).epsilon(1e-7));
}

TEST_CASE("van der Pol") {
  VanDerPol model;
  for (Solver solver : {Solver::Auto, Solver::Adams, Solver::Ida}) {
    const Outcome outcome = simulate_to(model.model, 10, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    INFO(std::string(outcome.statistics.solver) << " steps " << outcome.statistics.steps);
    CHECK(outcome.values[model.x] == Approx(1.18258412348).epsilon(1e-6));
    CHECK(outcome.values[model.y] == Approx(-0.563345375695).epsilon(1e-6));
  }
}

TEST_CASE("an index-1 circuit: linear loop, both forms") {
  for (Solver solver : {Solver::Auto, Solver::Cvode}) {
    Divider model;
    const Outcome outcome = simulate_to(model.model, 10.25, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.statistics.form == (solver == Solver::Auto ? Form::Implicit : Form::Explicit));
    CHECK(outcome.values[model.current] == Approx(0.159154943092).epsilon(1e-6));
    CHECK(outcome.values[model.u] == Approx(1.0 / 3).epsilon(1e-9));
    CHECK(outcome.values[model.source] == Approx(-0.825821609759).epsilon(1e-6));
  }
}
