// Alias elimination and what follows from it.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "compiler/order/order.h"
#include "compiler/reduce/reduce.h"
#include "tests/unit/reduce/circuits.h"

using namespace sigrel;
using namespace fixture;

namespace {

dae::System reduced(const Builder& b) {
  Diagnostics d;
  dae::System dae = reduce::reduce(b.system, d);
  for (const Diagnostic& x : d.all()) UNSCOPED_INFO(x.message);
  REQUIRE_FALSE(d.has_errors());
  dae::verify(b.system, dae);
  return dae;
}

Evaluation solved(const Builder& b, const dae::System& dae) {
  Diagnostics d;
  plan::Plan plan = order::order(b.system, dae, d);
  REQUIRE_FALSE(d.has_errors());
  plan::verify(plan);
  Evaluation e = evaluate_start(plan);
  evaluate_rates(plan, e, 0);
  return e;
}

/// How far the equations of the system are from being fulfilled.
double worst_residual(const Builder& b, const dae::System& dae, const Evaluation& e) {
  double worst = 0;
  for (const EquationTable& t : b.system.equations.tables)
    for (std::size_t row = 0; row < t.rows(); ++row) {
      std::vector<double> value(t.residual.value + 1);
      for (ExprId id : topological(b.system.exprs, std::span<const ExprId>(&t.residual, 1))) {
        const Node& n = b.system.exprs[id];
        double& v = value[id.value];
        switch (n.op) {
          case Op::Const: v = n.value; break;
          case Op::Slot: v = value_of(dae, e, t.unknowns_of(row)[n.a]); break;
          case Op::Der: v = rate_of(dae, e, t.unknowns_of(row)[n.a]); break;
          case Op::Param: v = e.parameters[t.parameters_of(row)[n.a]]; break;
          case Op::Time: v = 0; break;
          default:
            v = apply(n.op, value[n.a], arity(n.op) > 1 ? value[n.b] : 0, arity(n.op) > 2 ? value[n.c] : 0);
        }
      }
      worst = std::max(worst, std::fabs(value[t.residual.value]));
    }
  const SumTable& sums = b.system.equations.sums;
  for (std::size_t row = 0; row < sums.rows(); ++row) {
    double sum = 0;
    for (Term t : sums.terms_of(row)) sum += (t.negative() ? -1 : 1) * value_of(dae, e, t.unknown());
    worst = std::max(worst, std::fabs(sum));
  }
  return worst;
}

}  // namespace

TEST_CASE("chains of aliases of 5*10^5 unknowns, whatever way they are found") {
  constexpr std::uint32_t n = 500000;
  for (int way = 0; way < 4; ++way) {
    Builder b;
    for (std::uint32_t k = 0; k < n; ++k) b.unknown("x");
    auto same = b.shape(b.add(b.s(0), b.s(1)));  // x[k] = -x[k+1]
    auto via = b.shape(b.sub(
        b.s(0), b.mul(b.c(2), b.sub(b.s(1), b.mul(b.c(0.5),
                                                  b.s(2))))));  // an alias once x[k+2] is known to be ±x[k+1]
    auto value = b.shape(b.sub(b.fn(Op::Exp, b.s(0)), b.p(0)));
    auto& s = b.system;
    auto put = [&](std::uint32_t shape, std::vector<std::uint32_t> unknowns) {
      EquationTable& t = s.equations.tables[shape];
      t.unknowns.insert(t.unknowns.end(), unknowns.begin(), unknowns.end());
      t.origins.push_back({0, 0});
    };
    s.sources.push_back({});
    if (way < 2) {
      for (std::uint32_t k = 0; k + 1 < n; ++k)
        put(same, way == 0 ? std::vector{k, k + 1} : std::vector{n - 2 - k, n - 1 - k});
    } else {
      // x[k] = 2 x[k+1] - x[k+2]: once x[k+1] = x[k+2], x[k] = x[k+1]; found forwards or backwards.
      for (std::uint32_t k = 0; k + 2 < n; ++k) {
        std::uint32_t i = way == 2 ? k : n - 3 - k;
        put(via, {i, i + 1, i + 2});
      }
      auto equal = b.shape(b.sub(b.s(0), b.s(1)));
      put(equal, {n - 2, n - 1});
    }
    b.row(value, {0}, {b.parameter(std::exp(1.0))});
    dae::System dae = reduced(b);
    INFO("way " << way);
    CHECK(dae.variables.size() == 1);
    CHECK(dae.equations.count() == 1);
    Evaluation e = solved(b, dae);
    CHECK(value_of(dae, e, n - 1) == Approx(way < 2 ? -1.0 : 1.0));
  }
}

TEST_CASE("zeros run through sums, and a wide sum is looked at as often as needed only") {
  // 10^5 pairs: u[k] = 0 through a chain of zeros, all of them and v in one sum.
  constexpr std::uint32_t n = 100000;
  Builder b;
  for (std::uint32_t k = 0; k < n; ++k) b.unknown("u");
  auto v = b.unknown("v"), w = b.unknown("w");
  auto& s = b.system;
  s.sources.push_back({});
  SumTable& sums = s.equations.sums;
  auto end = [&] {
    sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
    sums.origins.push_back({0, 0});
  };
  for (std::uint32_t k = 0; k < n; ++k) sums.terms.push_back(Term::of(k, k % 2));
  sums.terms.push_back(Term::of(v, false));
  sums.terms.push_back(Term::of(w, true));
  end();
  for (std::uint32_t k = n; k-- > 1;) {
    sums.terms.push_back(Term::of(k, false));
    sums.terms.push_back(Term::of(k - 1, false));
    sums.terms.push_back(Term::of(k - 1, false));
    end();  // u[k] = -2 u[k-1]
  }
  sums.terms.push_back(Term::of(0, false));
  end();
  b.row(b.shape(b.sub(b.fn(Op::Exp, b.s(0)), b.p(0))), {w}, {b.parameter(1)});
  dae::System dae = reduced(b);
  CHECK(dae.variables.size() == 1);
  CHECK(dae.aliases[v].kind == dae::Alias::Variable);
  CHECK(dae.aliases[0].kind == dae::Alias::Zero);
  CHECK(dae.aliases[n - 1].kind == dae::Alias::Zero);
}

TEST_CASE("a = b and a = -b make zero, and the derivative of zero is zero") {
  Builder b;
  auto x = b.unknown("x"), y = b.unknown("y"), z = b.unknown("z");
  b.row(b.shape(b.sub(b.s(0), b.s(1))), {x, y});
  b.row(b.shape(b.add(b.s(0), b.s(1))), {x, y});
  b.row(b.shape(b.sub(b.add(b.der(0), b.s(1)), b.p(0))), {x, z}, {b.parameter(3)});
  dae::System dae = reduced(b);
  CHECK(dae.variables.size() == 1);
  CHECK(dae.aliases[x].kind == dae::Alias::Zero);
  Evaluation e = solved(b, dae);
  CHECK(value_of(dae, e, z) == 3);
}

TEST_CASE("MT-9: what is an alias and what is not") {
  SECTION("c: x = 0 takes its equation with it") {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y");
    b.row(b.shape(b.s(0)), {x});
    b.row(b.shape(b.sub(b.der(0), b.add(b.s(0), b.s(1)))), {x, y});
    dae::System dae = reduced(b);
    CHECK(dae.variables.empty());
    CHECK(dae.aliases[y].kind == dae::Alias::Zero);
  }
  SECTION("d: y' + x' = 0 does not make y = -x") {
    Builder b;
    auto x = b.unknown("x"), y = b.unknown("y");
    b.row(b.shape(b.add(b.der(0), b.der(1))), {y, x});
    b.row(b.shape(b.sub(b.der(0), b.sub(b.c(1), b.s(0)))), {x});
    CHECK(reduced(b).variables.size() == 4);
  }
  SECTION("g: x'' = -x has two states") {
    Builder b;
    auto x = b.unknown("x");
    b.row(b.shape(b.add(b.der(0, 2), b.s(0))), {x});
    dae::System dae = reduced(b);
    REQUIRE(dae.variables.size() == 3);
    CHECK(dae.variables[0].derivative == 1);
    CHECK(dae.variables[1].derivative == 2);
    CHECK(dae.variables[2].integral == 1);
    Diagnostics d;
    CHECK(order::order(b.system, dae, d).model.states.size() == 2);
  }
  SECTION("h: no aliasing across derivatives") {
    Builder b;
    auto a = b.unknown("a"), w = b.unknown("w"), phi = b.unknown("phi");
    auto rate = b.shape(b.sub(b.s(0), b.der(1)));
    b.row(rate, {w, phi});
    b.row(b.shape(b.sub(b.der(0), b.sub(b.s(1), b.fn(Op::Sin, b.time())))), {w, a});
    b.row(b.shape(b.sub(b.s(0), b.mul(b.s(0), b.s(0)))), {a});
    dae::System dae = reduced(b);
    for (auto u : {a, w, phi}) CHECK(dae.variables[dae.aliases[u].variable].unknown == u);
  }
}

TEST_CASE("the representative is differentiated, has an attribute, is from the source, is the first") {
  Builder b;
  auto flow = b.unknown("f", system::UnknownKind::Flow), x = b.unknown("x"), y = b.unknown("y"),
       z = b.unknown("z");
  auto same = b.shape(b.sub(b.s(0), b.s(1)));
  auto value = b.shape(b.sub(b.s(0), b.mul(b.s(0), b.s(0))));
  b.row(same, {flow, x});
  b.row(same, {x, y});
  b.row(b.shape(b.add(b.s(0), b.s(1))), {y, z});
  b.row(value, {y});
  CHECK(reduced(b).variables[0].unknown == x);
  b.guess(y, 3);
  dae::System dae = reduced(b);
  CHECK(dae.variables[0].unknown == y);
  CHECK(dae.aliases[z].kind == dae::Alias::Negated);
  Builder c = b;
  c.row(c.shape(c.sub(c.der(0), c.s(1))), {z, c.unknown("w")});
  c.system.equations.tables[1].origins.clear();
  c.system.equations.tables[1].unknowns.clear();
  c.row(c.shape(c.add(c.s(0), c.mul(c.s(1), c.s(1)))), {4, flow});
  dae = reduced(c);
  CHECK(dae.variables[0].unknown == z);
  CHECK(dae.aliases[y].kind == dae::Alias::Negated);
  // The guess of y is 3, that of the variable z is -3.
  Diagnostics d;
  plan::Plan plan = order::order(c.system, dae, d);
  Evaluation e = evaluate_start(plan);
  CHECK(value_of(dae, e, y) == 3);
  CHECK(value_of(dae, e, z) == -3);
}

TEST_CASE("an algebraic loop becomes a block") {
  // MT-9f: u1 = u2; u3 = u1 + u2 + p; u3 = p hypot(u1, u2); p = 2 gives u = 1 + sqrt 2 or 1 - sqrt 2.
  Builder b;
  auto u1 = b.unknown("u1"), u2 = b.unknown("u2"), u3 = b.unknown("u3");
  auto p = b.parameter(2);
  b.row(b.shape(b.sub(b.s(0), b.s(1))), {u1, u2});
  b.row(b.shape(b.sub(b.s(0), b.add(b.add(b.s(1), b.s(2)), b.p(0)))), {u3, u1, u2}, {p});
  b.row(b.shape(b.sub(b.s(0),
                      b.mul(b.p(0), b.fn(Op::Sqrt, b.add(b.mul(b.s(1), b.s(1)), b.mul(b.s(2), b.s(2))))))),
        {u3, u1, u2}, {p});
  b.guess(u1, 1);
  dae::System dae = reduced(b);
  CHECK(dae.variables.size() == 2);
  Evaluation e = solved(b, dae);
  CHECK(value_of(dae, e, u2) == Approx(1 + std::sqrt(2)));
  CHECK(worst_residual(b, dae, e) < 1e-12);
}

TEST_CASE("MD-2 and MD-5 at the start, a bridge with a loop, and a transposed netlist") {
  for (bool flipped : {false, true}) {
    Circuit x;
    auto a = x.node("a"), b = x.node("b"), c = x.node("c"), g = x.node("g");
    x.source("s", a, g, 10);
    auto part = [&](const char* name, std::uint32_t p, std::uint32_t n, double r) {
      return flipped ? x.resistor(name, n, p, r) : x.resistor(name, p, n, r);
    };
    part("r1", a, b, 1);
    part("r2", a, c, 2);
    part("r3", b, c, 3);
    part("r4", b, g, 4);
    auto r5 = part("r5", c, g, 5);
    x.ground(g);
    x.finish();
    dae::System dae = reduced(x);
    Evaluation e = solved(x, dae);
    CHECK(worst_residual(x, dae, e) < 1e-12);
    CHECK(std::fabs(value_of(dae, e, r5.u)) > 1);
  }
}

TEST_CASE("solutions of random systems fulfil the original equations") {
  std::mt19937 random(7);
  int regular = 0;
  for (int k = 0; k < 2000; ++k) {
    Builder b;
    std::uint32_t n = 2 + random() % 8;
    for (std::uint32_t i = 0; i < n; ++i) b.unknown("x" + std::to_string(i));
    auto equal = b.shape(b.sub(b.s(0), b.s(1))), opposite = b.shape(b.add(b.s(0), b.s(1))),
         zero = b.shape(b.mul(b.c(2), b.s(0)));
    auto diff = b.shape(b.sub(b.s(0), b.sub(b.s(1), b.s(2)))),
         ohm = b.shape(b.sub(b.mul(b.p(0), b.s(0)), b.s(1)));
    auto value = b.shape(b.sub(b.s(0), b.p(0))), rate = b.shape(b.sub(b.mul(b.p(0), b.der(0)), b.s(1)));
    auto product = b.shape(b.sub(b.mul(b.s(0), b.add(b.c(2), b.fn(Op::Sin, b.s(1)))), b.p(0)));
    auto any = [&] { return static_cast<std::uint32_t>(random() % n); };
    auto number = [&] { return b.parameter(0.5 + 0.001 * static_cast<double>(random() % 1000)); };
    for (std::uint32_t i = 0; i < n; ++i) switch (random() % 9) {
        case 0: b.row(equal, {any(), any()}); break;
        case 1: b.row(opposite, {any(), any()}); break;
        case 2: random() % 4 ? b.row(value, {any()}, {number()}) : b.row(zero, {any()}); break;
        case 3: b.row(diff, {any(), any(), any()}); break;
        case 4: b.row(ohm, {any(), any()}, {number()}); break;
        case 5: b.row(value, {any()}, {number()}); break;
        case 6: b.row(rate, {any(), any()}, {number()}); break;
        case 7: b.row(product, {any(), any()}, {number()}); break;
        default:
          b.sum({{any(), random() % 2}, {any(), random() % 2}, {any(), random() % 2}, {any(), random() % 2}});
      }
    Diagnostics d;
    dae::System dae = reduce::reduce(b.system, d);
    if (d.has_errors()) continue;
    dae::verify(b.system, dae);
    plan::Plan plan = order::order(b.system, dae, d);
    REQUIRE_FALSE(d.has_errors());
    plan::verify(plan);
    Evaluation e;
    try {
      e = evaluate_start(plan);
      evaluate_rates(plan, e, 0);
    } catch (const std::runtime_error&) {
      continue;  // singular for these numbers
    }
    double worst = worst_residual(b, dae, e);
    if (!std::isfinite(worst)) continue;
    INFO(b.source << dae::print(b.system, dae) << plan::print(b.system, dae, plan));
    double largest = 1;
    for (double v : e.values) largest = std::max(largest, std::fabs(v));
    if (largest > 1e6) continue;
    REQUIRE(worst < 1e-8 * largest);
    ++regular;
  }
  CHECK(regular > 100);
}

TEST_CASE("a permuted system has the same states, blocks and values") {
  std::mt19937 random(8);
  std::optional<std::vector<double>> expected;
  for (int k = 0; k < 20; ++k) {
    Circuit x;
    auto g = x.node("g"), before = x.node("n0");
    std::vector<std::uint32_t> nodes{before};
    for (int i = 1; i <= 5; ++i) nodes.push_back(x.node("n" + std::to_string(i)));
    std::vector<std::function<void()>> parts;
    std::vector<std::uint32_t> voltages(5), currents(5);
    parts.push_back([&] { x.source("s", before, g, 10); });
    parts.push_back([&] { x.ground(g); });
    for (int i = 0; i < 5; ++i) {
      parts.push_back([&, i] { currents[i] = x.resistor("r", nodes[i], nodes[i + 1], 1 + i).i; });
      parts.push_back([&, i] { voltages[i] = x.capacitor("c", nodes[i + 1], g, 1 + i).u; });
    }
    std::shuffle(parts.begin(), parts.end(), random);
    for (auto& part : parts) part();
    x.finish();
    for (int i = 0; i < 5; ++i) x.guess(voltages[i], i);
    dae::System dae = reduced(x);
    Evaluation e = solved(x, dae);
    std::vector<double> values;
    for (int i = 0; i < 5; ++i) {
      CHECK(dae.variables[dae.aliases[voltages[i]].variable].derivative != dae::kNone);
      values.push_back(value_of(dae, e, voltages[i]));
      values.push_back(value_of(dae, e, currents[i]));
      values.push_back(rate_of(dae, e, voltages[i]));
    }
    if (!expected) expected = values;
    CHECK(values == *expected);
  }
}
