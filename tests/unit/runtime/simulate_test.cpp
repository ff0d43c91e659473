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

/// R1 from a source sin 2πt to a node, R2 = R3 = 1 from there to ground, L = 1 across the source. The node is
/// a linear loop.
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
    const auto first = static_cast<std::uint32_t>(model.batches.size());
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
  return simulate(model, {.stop = stop, .tolerance = tolerance, .steps = 50, .solver = solver},
                  recording.output);
}

}  // namespace

TEST_CASE("decay against the exponential") {
  Decay decay;
  for (Solver solver : {Solver::Auto, Solver::Cvode, Solver::Adams, Solver::Ida}) {
    Recording recording(decay.model);
    const Outcome outcome = simulate(
        decay.model, {.stop = 2, .tolerance = 1e-9, .steps = 40, .solver = solver}, recording.output);
    REQUIRE(outcome.status == Outcome::Completed);
    REQUIRE(recording.trajectory.rows() == 41);
    CHECK(recording.trajectory.time(40) == 2.0);
    for (std::size_t r = 0; r < 41; ++r)
      CHECK(recording.trajectory.value(r, decay.x) ==
            Approx(std::exp(-recording.trajectory.time(r))).epsilon(1e-7));
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
  for (Solver solver : {Solver::Ida, Solver::Cvode}) {
    Divider model;
    const Outcome outcome = simulate_to(model.model, 10.25, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.statistics.form == (solver == Solver::Ida ? Form::Implicit : Form::Explicit));
    CHECK(outcome.values[model.current] == Approx(0.159154943092).epsilon(1e-6));
    CHECK(outcome.values[model.u] == Approx(1.0 / 3).epsilon(1e-9));
    CHECK(outcome.values[model.source] == Approx(-0.825821609759).epsilon(1e-6));
  }
}

TEST_CASE("a nonlinear loop: explicit and implicit form agree") {
  // x' = -u, u^3 + u = x
  for (Solver solver : {Solver::Auto, Solver::Ida, Solver::Cvode, Solver::Adams}) {
    ModelBuilder b;
    const auto [x, dx] = b.state(2);
    const auto u = b.variable();
    const Shape* cubic = b.shape(
        2, 0, [](double, Values s, Values) { return s[0] * s[0] * s[0] + s[0] - s[1]; },
        [](double, Values s, Values, double* d) { d[0] = 3 * s[0] * s[0] + 1, d[1] = -1; });
    b.run(Role::Residual, cubic, 0, {{{u, x}, {}}});
    b.model.dynamic = {b.loop(0, {u}), b.assign(b.sums(Role::Solve, {{{dx, false}, {u, false}}}, {0}))};
    const Outcome outcome = simulate_to(b.model, 3, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    // u' (3 u^2 + 1) = -u from u(0) = 1: 3/2 (1 - u^2) - ln u = t
    const double v = outcome.values[u];
    CHECK(1.5 * (1 - v * v) - std::log(v) == Approx(3).epsilon(1e-7));
    CHECK(v * v * v + v == Approx(outcome.values[x]).epsilon(1e-12));
  }
}

TEST_CASE("a loop unknown that is a derivative") {
  // x' + y' = -x, x' - y' = y as one loop over the two derivatives
  for (Solver solver : {Solver::Auto, Solver::Ida, Solver::Cvode}) {
    ModelBuilder b;
    const auto [x, dx] = b.state(1);
    const auto [y, dy] = b.state(0.5);
    b.sums(Role::Residual, {{{dx, false}, {dy, false}, {x, false}}, {{dx, false}, {dy, true}, {y, true}}});
    b.model.dynamic = {b.loop(0, {dx, dy})};
    const Outcome outcome = simulate_to(b.model, 2, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.statistics.unknowns == 2);
    // x' = (y - x)/2, y' = (-x - y)/2: a spiral e^(-t/2) turning by t/2
    const double c = std::cos(1.0), s = std::sin(1.0), e = std::exp(-1.0);
    CHECK(outcome.values[x] == Approx(e * (c + 0.5 * s)).epsilon(1e-7));
    CHECK(outcome.values[y] == Approx(e * (0.5 * c - s)).epsilon(1e-7));
    CHECK(outcome.values[dx] == Approx((outcome.values[y] - outcome.values[x]) / 2).epsilon(1e-12));
  }
}

TEST_CASE("a derivative that is a state: the oscillator") {
  for (Solver solver : {Solver::Auto, Solver::Ida}) {
    ModelBuilder b;
    const auto x = b.variable(1), v = b.variable(), a = b.variable();
    b.model.states = {{x, v}, {v, a}};
    b.model.dynamic = {b.assign(b.sums(Role::Solve, {{{a, false}, {x, false}}}, {0}))};
    const Outcome outcome = simulate_to(b.model, 5, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.values[x] == Approx(std::cos(5.0)).epsilon(1e-6));
    CHECK(outcome.values[v] == Approx(-std::sin(5.0)).epsilon(1e-6));
  }
}

TEST_CASE("a mean that couples everything stays sparse") {
  // x_i' = m - x_i, n m = sum of x_i
  const unsigned n = 600;
  ModelBuilder b;
  std::vector<std::pair<std::uint32_t, bool>> sum;
  const auto total = b.variable();
  sum.push_back({total, false});
  double mean = 0;
  std::vector<Row> rows;
  const auto count = b.parameter(n);
  for (unsigned i = 0; i < n; ++i) {
    const double start = std::sin(double(i)) + 2;
    const auto [x, dx] = b.state(start);
    mean += start / n;
    sum.push_back({x, true});
    rows.push_back({{dx, total, x}, {count}});
  }
  const Shape* relax = b.shape(
      3, 1, [](double, Values s, Values p) { return s[0] - s[1] / p[0] + s[2]; },
      [](double, Values, Values p, double* d) { d[0] = 1, d[1] = -1 / p[0], d[2] = 1; });
  b.model.dynamic = {b.assign(b.sums(Role::Solve, {sum}, {0})), b.assign(b.run(Role::Solve, relax, 0, rows))};
  const Outcome outcome = simulate_to(b.model, 1);
  REQUIRE(outcome.status == Outcome::Completed);
  CHECK(outcome.statistics.form == Form::Implicit);
  CHECK(outcome.statistics.retained == 1);
  CHECK(outcome.statistics.linear_solver == "sparse rows");
  CHECK(outcome.statistics.nonzeros < 4 * n);
  const std::uint32_t x = b.model.states[17].variable;
  CHECK(outcome.values[x] == Approx(mean + (std::sin(17.0) + 2 - mean) * std::exp(-1.0)).epsilon(1e-7));
}

TEST_CASE("no states: the schedule at the output points") {
  ModelBuilder b;
  const auto o = b.variable(), negative = b.variable();
  const Shape* sine = b.shape(
      1, 0, [](double t, Values s, Values) { return s[0] - std::sin(t); },
      [](double, Values, Values, double* d) { d[0] = 1; });
  b.model.initial = b.model.dynamic = {b.assign(b.run(Role::Solve, sine, 0, {{{o}, {}}}))};
  b.model.observed = {b.assign(b.sums(Role::Solve, {{{negative, false}, {o, false}}}, {0}))};
  Trajectory trajectory;
  const Output output{
      {{o, false}, {o, true}, {kNone, false}, {negative, false}}, {"o", "-o", "zero", "n"}, {&trajectory}};
  const Outcome outcome = simulate(b.model, {.stop = 10, .steps = 7}, output);
  REQUIRE(outcome.status == Outcome::Completed);
  CHECK(outcome.statistics.form == Form::Static);
  REQUIRE(trajectory.rows() == 8);
  CHECK(trajectory.value(7, 0) == std::sin(10.0));
  CHECK(trajectory.value(7, 1) == -std::sin(10.0));
  CHECK(trajectory.value(7, 2) == 0);
  CHECK(trajectory.value(7, 3) == -std::sin(10.0));
}

TEST_CASE("a ladder above the dense limit, sparse factors against few stages' closed form") {
  // Discrete heat: x_i' = x_(i-1) - 2 x_i + x_(i+1), zero at both ends; the lowest mode decays alone.
  const unsigned n = 200;
  ModelBuilder b;
  const auto zero = b.variable();
  std::vector<std::uint32_t> x, dx;
  for (unsigned i = 0; i < n; ++i) {
    const auto [s, d] = b.state(std::sin(M_PI * (i + 1) / (n + 1)));
    x.push_back(s), dx.push_back(d);
  }
  const Shape* heat = b.shape(
      4, 0, [](double, Values s, Values) { return s[0] - s[1] + 2 * s[2] - s[3]; },
      [](double, Values, Values, double* d) { d[0] = 1, d[1] = -1, d[2] = 2, d[3] = -1; });
  std::vector<Row> rows;
  for (unsigned i = 0; i < n; ++i)
    rows.push_back({{dx[i], i ? x[i - 1] : zero, x[i], i + 1 < n ? x[i + 1] : zero}, {}});
  b.model.dynamic = {b.assign(b.run(Role::Solve, heat, 0, rows))};
  const double rate = 2 - 2 * std::cos(M_PI / (n + 1));
  for (Solver solver : {Solver::Auto, Solver::Ida}) {
    const Outcome outcome = simulate_to(b.model, 1000, solver);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.statistics.linear_solver == "sparse rows");
    CHECK(outcome.values[x[n / 2]] ==
          Approx(std::sin(M_PI * (n / 2 + 1) / (n + 1)) * std::exp(-rate * 1000)).epsilon(1e-6));
  }
}
