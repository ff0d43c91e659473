// The chain rule against finite differences, on random models in every form.
#include <catch2/catch.hpp>
#include <random>

#include "runtime/integrate/initial_value_problem.h"
#include "tests/unit/runtime/build_model.h"

using namespace runtime;
using namespace runtime::test;

namespace {

/// Random shapes, sums, loops, variables that occur twice in a row, derivatives that are states or
/// tearing variables.
struct RandomModel : ModelBuilder {
  std::mt19937 random;
  std::vector<std::uint32_t> known, pending;  // pending: derivatives without an equation so far

  std::uint32_t pick() { return known[random() % known.size()]; }
  std::uint32_t fresh() {
    if (!pending.empty() && random() % 3 == 0) {
      const std::uint32_t v = pending.back();
      pending.pop_back();
      return v;
    }
    return variable();
  }

  explicit RandomModel(unsigned seed, bool loops) : random(seed) {
    const Shape* product = shape(
        3, 0, [](double, Values s, Values) { return s[0] - s[1] * s[2]; },
        [](double, Values s, Values, double* d) { d[0] = 1, d[1] = -s[2], d[2] = -s[1]; });
    const Shape* wave = shape(
        3, 1, [](double t, Values s, Values p) { return p[0] * s[0] - std::sin(s[1] + t) - s[2]; },
        [](double t, Values s, Values p, double* d) { d[0] = p[0], d[1] = -std::cos(s[1] + t), d[2] = -1; });
    const Shape* quotient = shape(
        3, 0, [](double, Values s, Values) { return s[0] + (2 + s[2] * s[2]) * s[1]; },
        [](double, Values s, Values, double* d) {
          d[0] = 1, d[1] = 2 + s[2] * s[2], d[2] = 2 * s[2] * s[1];
        });
    const Shape* doubled = shape(  // 3 a - b + c with a and c the same variable in some rows
        3, 0, [](double, Values s, Values) { return 3 * s[0] - s[1] + s[2]; },
        [](double, Values, Values, double* d) { d[0] = 3, d[1] = -1, d[2] = 1; });
    const Shape* coupled = shape(
        3, 0, [](double, Values s, Values) { return s[0] + 0.3 * std::sin(s[1]) - s[2] * s[0] * 0.1 - s[2]; },
        [](double, Values s, Values, double* d) {
          d[0] = 1 - 0.1 * s[2], d[1] = 0.3 * std::cos(s[1]), d[2] = -0.1 * s[0] - 1;
        });
    const std::uint32_t half = parameter(1.5);

    const unsigned states = 2 + random() % 4;
    std::uint32_t speed = kNone;
    for (unsigned s = 0; s < states; ++s) {
      const auto [x, dx] = state(std::uniform_real_distribution(-1.0, 1.0)(random));
      if (s == 0) {  // x'' = …: the derivative is a state too
        speed = variable(0.3);
        model.states.push_back({dx, speed});
        known.push_back(dx);
        pending.push_back(speed);
      } else {
        pending.push_back(dx);
      }
      known.push_back(x);
    }
    const unsigned steps = 3 + random() % 8;
    for (unsigned k = 0; k < steps; ++k) {
      std::vector<std::uint32_t> made;
      const unsigned rows = 1 + random() % 3;
      std::vector<Row> table;
      const unsigned kind = random() % (loops ? 6 : 5);
      if (kind == 5) {
        const auto first = static_cast<std::uint32_t>(model.batches.size());
        for (unsigned i = 0; i < rows + 1; ++i) made.push_back(fresh());
        const std::vector<std::uint32_t> iterated = made;
        // Torn loops: inner variables, one after the other.
        std::vector<std::uint32_t> followers;
        for (unsigned i = random() % 3; i > 0; --i) {
          const std::uint32_t v = fresh(),
                              from = followers.empty() ? made[random() % made.size()] : followers.back();
          followers.push_back(v);
          if (followers.size() == 1 ||
              random() % 2)  // a third of the variable before: the loop stays regular
            run(Role::Solve, doubled, 0, {{{v, from, pick()}, {}}});
          else
            sums(Role::Solve, {{{pick(), true}, {v, false}, {from, random() % 2 == 0}}}, {1});
        }
        auto read = [&] {
          return followers.empty() || random() % 2 ? pick() : followers[random() % followers.size()];
        };
        for (unsigned i = 0; i < rows; ++i)
          table.push_back({{made[i], made[(i + 1) % made.size()], read()}, {}});
        run(Role::Residual, coupled, 0, table);
        sums(Role::Residual, {{{made.back(), true}, {pick(), false}, {pick(), false}, {read(), true}}});
        model.dynamic.push_back(loop(first, iterated));
        made.insert(made.end(), followers.begin(), followers.end());
      } else {
        std::vector<std::vector<std::pair<std::uint32_t, bool>>> terms;
        std::vector<std::uint32_t> solved;
        for (unsigned i = 0; i < rows; ++i) {
          const std::uint32_t v = fresh();
          made.push_back(v);
          if (kind == 0) table.push_back({{v, pick(), pick()}, {}});
          if (kind == 1) table.push_back({{v, pick(), pick()}, {half}});
          if (kind == 2) table.push_back({{pick(), v, pick()}, {}});
          if (kind == 3) table.push_back({{v, pick(), random() % 2 ? v : pick()}, {}});
          if (kind == 4) {
            terms.push_back(
                {{pick(), random() % 2 == 0}, {v, random() % 2 == 0}, {pick(), random() % 2 == 0}});
            solved.push_back(1);
          }
        }
        // `doubled` is solved by Newton-free division only when the variable occurs once: solve the double
        // ones as 4 a = b.
        if (kind == 3)
          for (Row& row : table)
            if (row.slots[2] == row.slots[0]) row.slots[2] = pick();
        const Shape* shapes[] = {product, wave, quotient, doubled};
        model.dynamic.push_back(assign(kind == 4 ? sums(Role::Solve, terms, solved)
                                                 : run(Role::Solve, shapes[kind], kind == 2 ? 1 : 0, table)));
      }
      known.insert(known.end(), made.begin(), made.end());
    }
    std::vector<Row> rest;
    for (std::uint32_t v : pending) rest.push_back({{v, pick(), pick()}, {half}});
    if (!rest.empty()) model.dynamic.push_back(assign(run(Role::Solve, wave, 0, rest)));
  }
};

/// n states x_i' = s_i - x_i with s_i = s_(i-1) + x_i, a chain whose explicit Jacobian is a full triangle.
struct Cumulative : ModelBuilder {
  explicit Cumulative(unsigned n) {
    std::vector<std::uint32_t> sum(n);
    for (unsigned i = 0; i < n; ++i) state(1.0 / n), sum[i] = variable();
    std::vector<std::vector<std::pair<std::uint32_t, bool>>> rates;
    std::vector<std::uint32_t> solved(n, 0);
    for (unsigned i = 0; i < n; ++i) {
      const std::uint32_t x = model.states[i].variable;
      if (i == 0)
        model.dynamic.push_back(assign(sums(Role::Solve, {{{sum[i], false}, {x, true}}}, {0})));
      else
        model.dynamic.push_back(
            assign(sums(Role::Solve, {{{sum[i], false}, {sum[i - 1], true}, {x, true}}}, {0})));
      rates.push_back({{model.states[i].derivative, false}, {sum[i], true}, {x, false}});
    }
    model.dynamic.push_back(assign(sums(Role::Solve, rates, solved)));
  }
};

/// Largest difference between the Jacobian and central differences, relative to the larger of 1 and the
/// entry.
double deviation(const Model& model, FormChoice choice, Form expected, double h = 1e-5) {
  const std::vector<double> parameters = evaluate_parameters(model);
  InitialValueProblem problem(model, parameters, nominal_values(model, parameters));
  REQUIRE(problem.initialise(0.3));
  REQUIRE(problem.prepare(choice));
  REQUIRE(problem.system.form() == expected);
  const std::size_t n = problem.system.size();
  std::vector<double> y(n), rates(n), above(n), below(n);
  problem.system.read(y.data(), rates.data());
  for (std::size_t k = 0; k < n; ++k)
    y[k] += 0.01 * std::sin(double(k)), rates[k] += 0.01 * std::cos(double(k));
  const double rate = expected == Form::Explicit ? 0 : 2.5;
  const SparsePattern& pattern = problem.system.jacobian().pattern();
  std::vector<double> values(pattern.nonzeros());
  REQUIRE(problem.system.jacobian(0.3, y.data(), rates.data(), rate, values.data()));
  auto evaluate = [&](const std::vector<double>& at, const std::vector<double>& r, std::vector<double>& out) {
    return expected == Form::Explicit ? problem.system.derivatives(0.3, at.data(), out.data())
                                      : problem.system.residuals(0.3, at.data(), r.data(), out.data());
  };
  double worst = 0;
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> up = y, down = y, rates_up = rates, rates_down = rates;
    up[c] += h, down[c] -= h, rates_up[c] += rate * h, rates_down[c] -= rate * h;
    REQUIRE(evaluate(up, rates_up, above));
    REQUIRE(evaluate(down, rates_down, below));
    std::vector<double> column(n, 0.0);
    for (std::int64_t k = pattern.starts[c]; k < pattern.starts[c + 1]; ++k)
      column[pattern.rows[k]] = values[k];
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = (above[i] - below[i]) / (2 * h);
      worst = std::max(worst, std::abs(difference - column[i]) / std::max(1.0, std::abs(difference)));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("chain rule against finite differences: random models") {
  for (unsigned seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    RandomModel plain(seed, false);
    CHECK(deviation(plain.model, FormChoice::Auto, Form::Explicit) < 1e-6);
    CHECK(deviation(plain.model, FormChoice::Implicit, Form::Implicit) < 1e-6);
    RandomModel loops(seed, true);
    CHECK(deviation(loops.model, FormChoice::Explicit, Form::Explicit) < 1e-4);
    CHECK(deviation(loops.model, FormChoice::Implicit, Form::Implicit) < 1e-6);
  }
}

TEST_CASE("a chain that would fill the Jacobian retains variables") {
  Cumulative model(400);
  CHECK(deviation(model.model, FormChoice::Auto, Form::Implicit) < 1e-6);
  const std::vector<double> parameters = evaluate_parameters(model.model);
  InitialValueProblem problem(model.model, parameters, nominal_values(model.model, parameters));
  REQUIRE(problem.initialise(0));
  REQUIRE(problem.prepare(FormChoice::Auto));
  CHECK(problem.system.retained_variables() > 0);
  CHECK(problem.system.retained_variables() < 100);
  CHECK(problem.system.jacobian().pattern().nonzeros() < 20 * 400);
  Cumulative small(20);
  CHECK(deviation(small.model, FormChoice::Auto, Form::Explicit) < 1e-6);
}

TEST_CASE("the cost of the chain rule is linear in the model") {
  std::vector<std::uint64_t> operations;
  for (unsigned n : {1000u, 2000u}) {
    Cumulative model(n);
    const std::vector<double> parameters = evaluate_parameters(model.model);
    InitialValueProblem problem(model.model, parameters, nominal_values(model.model, parameters));
    REQUIRE(problem.prepare(FormChoice::Auto));
    operations.push_back(problem.system.jacobian().operations());
  }
  CHECK(double(operations[1]) / double(operations[0]) < 2.1);
}

TEST_CASE("no gradient passes through a piecewise constant variable") {
  for (bool discrete : {false, true}) {
    ModelBuilder b;
    const Shape* rounded = b.shape(
        2, 0, [](double, Values s, Values) { return s[0] - std::round(s[1]); },
        [](double, Values, Values, double* d) { d[0] = 1, d[1] = 0; });
    const auto [x, dx] = b.state(1.7);
    const auto [y, dy] = b.state(0.5);
    const std::uint32_t n = b.variable();
    b.model.dynamic = {
        b.assign(b.run(Role::Solve, rounded, 0, {{{n, x}, {}}})),
        b.assign(b.sums(Role::Solve, {{{dx, false}, {x, false}}, {{dy, false}, {n, true}}}, {0, 0}))};
    if (discrete) {
      b.model.discrete.assign(b.model.variables, 0);
      b.model.discrete[n] = 1;
    }
    const std::vector<double> parameters = evaluate_parameters(b.model);
    for (FormChoice form : {FormChoice::Explicit, FormChoice::Implicit}) {
      InitialValueProblem problem(b.model, parameters, nominal_values(b.model, parameters));
      REQUIRE(problem.initialise(0));
      REQUIRE(problem.prepare(form));
      CHECK(problem.instance.values[n] == 2);
      CHECK(problem.system.jacobian().pattern().nonzeros() ==
            (discrete ? 2 : 3));  // the diagonal, and dy/dx through n
    }
  }
}
