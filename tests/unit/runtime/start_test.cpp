// Initialisation beyond Newton's method: continuation, redundant initial equations, given initial values.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "runtime/analysis/linearize.h"
#include "runtime/analysis/steady.h"
#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

/// f(u) = 0 at the start.
struct OneUnknown : ModelBuilder {
  OneUnknown(double guess, double (*f)(double), double (*slope)(double)) {
    const std::uint32_t u = variable(guess);
    const Shape* residual = shape(
        1, 0, [f](double, Values s, Values) { return f(s[0]); },
        [slope](double, Values s, Values, double* d) { d[0] = slope(s[0]); });
    run(Role::Residual, residual, 0, {{{u}, {}}});
    model.initial = {loop(0, {u})};
    model.dynamic = {{Step::Solve, 0}};
  }
};

Outcome start(const Model& model, std::vector<double> from = {}) {
  Recording recording(model);
  return simulate(model, {.stop = 0, .from = std::move(from)}, recording.output);
}

/// x' = a - b x with parameters a and b, x from 0.
struct Decay : ModelBuilder {
  std::uint32_t a, b, x, dx;
  Decay() {
    a = parameter(6), b = parameter(2);
    std::tie(x, dx) = state(0);
    const Shape* rate = shape(
        2, 2, [](double, Values s, Values p) { return s[0] - (p[0] - p[1] * s[1]); },
        [](double, Values, Values p, double* d) { d[0] = 1, d[1] = p[1]; });
    model.dynamic = {assign(run(Role::Solve, rate, 0, {{{dx, x}, {a, b}}}))};
    model.initial = model.dynamic;
  }
  const Shape* equal_to_parameter() {
    return shape(
        1, 1, [](double, Values s, Values p) { return s[0] - p[0]; },
        [](double, Values, Values, double* d) { d[0] = 1; });
  }
};

}  // namespace

TEST_CASE("continuation passes turning points, in the direction that leads to a solution") {
  // Newton's method is caught at the minimum of |f| near 0.8, from the one side and, for the mirrored
  // function, from the other.
  for (double sign : {1.0, -1.0}) {
    INFO(sign);
    OneUnknown m(
        0,
        sign > 0 ? [](double x) { return x * x * x - 2 * x + 2; }
                 : [](double x) { return x * x * x - 2 * x - 2; },
        [](double x) { return 3 * x * x - 2; });
    const Outcome outcome = start(m.model);
    REQUIRE(outcome.status == Outcome::Completed);
    CHECK(outcome.values[0] == Approx(sign * -1.7692923542386314));
    REQUIRE(outcome.continued.size() == 1);
    CHECK(outcome.continued[0].unknowns == 1);
  }
}

TEST_CASE("continuation ends if there is no solution, and is not tried if Newton's method converges") {
  OneUnknown none(0.5, [](double x) { return x * x + 1; }, [](double x) { return 2 * x; });
  const Outcome failed = start(none.model);
  CHECK(failed.status == Outcome::Failed);
  CHECK(failed.failure.initial);
  CHECK(failed.continued.empty());
  OneUnknown easy(0.5, [](double x) { return x * x - 4; }, [](double x) { return 2 * x; });
  CHECK(start(easy.model).continued.empty());
}

TEST_CASE("a redundant initial equation must hold") {
  for (double value : {0.0, 1e-8, 1e-3}) {
    Decay m;
    m.model.initial_checks = {
        m.run(Role::Residual, m.equal_to_parameter(), 0, {{{m.x}, {m.parameter(value)}}})};
    const Outcome outcome = start(m.model);
    INFO(value);
    CHECK((outcome.status == Outcome::Completed) == (value < 1e-6));
    if (value < 1e-6) continue;
    CHECK(outcome.failure.kind == FailureKind::StartContradicts);
    CHECK(outcome.failure.initial);
    REQUIRE(outcome.failure.equations.size() == 1);
    CHECK(outcome.failure.equations[0].residual == -value);
  }
}

TEST_CASE("given initial values need no initial schedule") {
  Decay m;
  m.model.initial.clear();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  const Outcome outcome = start(m.model, {0.5, unknown});
  REQUIRE(outcome.status == Outcome::Completed);
  CHECK(outcome.values[m.x] == 0.5);
  CHECK(outcome.values[m.dx] == 5);
}

TEST_CASE("a constant is not a variable of the linear model") {
  Decay m;
  const std::uint32_t c = m.variable(3), rate = m.variable();
  m.model.constants = {c};
  const Shape* sum = m.shape(
      3, 0, [](double, Values s, Values) { return s[0] - (s[2] - s[1]); },
      [](double, Values, Values, double* d) { d[0] = 1, d[1] = 1, d[2] = -1; });
  m.model.dynamic = {m.assign(m.run(Role::Solve, sum, 0, {{{m.dx, m.x, c}, {}}}))};
  const Shape* zero = m.shape(
      1, 0, [](double, Values s, Values) { return s[0]; },
      [](double, Values, Values, double* d) { d[0] = 1; });
  m.model.observed = {m.assign(m.run(Role::Solve, zero, 0, {{{rate}, {}}}))};
  std::vector<double> values{0, 3, 3, 0}, parameters = evaluate_parameters(m.model);
  auto result = linearize(m.model, {0, values.data(), parameters.data()}, {}, {});
  REQUIRE(std::holds_alternative<LinearModel>(result));
  CHECK(std::get<LinearModel>(result).a == std::vector<double>{-1});
  const Column input{c, false};
  result = linearize(m.model, {0, values.data(), parameters.data()}, {&input, 1}, {});
  REQUIRE(std::holds_alternative<LinearModel>(result));
  CHECK(std::get<LinearModel>(result).b == std::vector<double>{1});
}

TEST_CASE("a steady state: of states, with a free parameter, and with too many free values") {
  Decay m;
  const std::vector<double> values{0, 6}, parameters = evaluate_parameters(m.model);
  SteadyProblem problem;
  problem.free = {{FreeValue::State, m.x}};
  problem.at_rest = {m.dx};
  const Steady plain = find_steady(m.model, 0, values, parameters, {}, problem);
  REQUIRE(plain.status == Steady::Found);
  CHECK(plain.values[m.x] == Approx(3));

  problem.free.push_back({FreeValue::Parameter, m.b});
  CHECK(find_steady(m.model, 0, values, parameters, {}, problem).status == Steady::NotDetermined);
  problem.given = {{{m.x, false}, 1.5}};
  const Steady varied = find_steady(m.model, 0, values, parameters, {{m.a, 12.0}}, problem);
  REQUIRE(varied.status == Steady::Found);
  CHECK(varied.parameters[m.b] == Approx(8));

  // As many conditions as values, yet x is free: the second condition does not depend on it.
  problem.free = {{FreeValue::State, m.x}};
  problem.at_rest.clear();
  problem.given = {{{kNone, false}, 0.0}};
  const Steady open = find_steady(m.model, 0, values, parameters, {}, problem);
  CHECK(open.status == Steady::NotDetermined);
  CHECK(open.subject == 0);
}
