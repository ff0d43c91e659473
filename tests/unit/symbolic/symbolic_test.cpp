#include "compiler/symbolic/symbolic.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace sigrel;

namespace {

struct Fixture {
  ExprPool pool;
  ExprId s(std::uint32_t k) { return pool.slot(k); }
  ExprId p(std::uint32_t k) { return pool.param(k); }
  ExprId c(double v) { return pool.constant(v); }
  ExprId un(Op op, ExprId a) { return symbolic::simplified(pool, {op, a.value, 0, 0, 0}); }
  ExprId bin(Op op, ExprId a, ExprId b) { return symbolic::simplified(pool, {op, a.value, b.value, 0, 0}); }
  std::string text(ExprId id) { return print(pool, id); }

  bool finite = true;  // whether everything that was evaluated since it was set was finite
  double eval(ExprId root, const std::vector<double>& slots, const std::vector<double>& params = {2, 3}) {
    auto ids = topological(pool, std::span<const ExprId>(&root, 1));
    std::vector<double> v(root.value + 1);
    for (ExprId id : ids) {
      const Node& n = pool[id];
      switch (n.op) {
        case Op::Const: v[id.value] = n.value; break;
        case Op::Slot: v[id.value] = slots.at(n.a); break;
        case Op::Der: v[id.value] = 100.0 * n.a + n.b; break;
        case Op::Param: v[id.value] = params.at(n.a); break;
        case Op::Time: v[id.value] = 0.7; break;
        case Op::PowInt: v[id.value] = apply(n.op, v[n.a], static_cast<std::int32_t>(n.b), 0); break;
        default: {
          int k = arity(n.op);
          v[id.value] = apply(n.op, v[n.a], k > 1 ? v[n.b] : 0, k > 2 ? v[n.c] : 0);
        }
      }
      if (!std::isfinite(v[id.value])) finite = false;
    }
    return v[root.value];
  }

  /// A random expression of slots 0..2 and parameters 0..1, smooth where slots are in (0.2, 0.9).
  ExprId random_expression(std::mt19937& random, int depth, bool simplify) {
    auto make = [&](const Node& n) { return simplify ? symbolic::simplified(pool, n) : pool.intern(n); };
    if (depth == 0 || random() % 6 == 0) {
      switch (random() % 5) {
        case 0: return p(random() % 2);
        case 1: return c(static_cast<double>(random() % 5) - 2);
        default: return s(random() % 3);
      }
    }
    ExprId a = random_expression(random, depth - 1, simplify),
           b = random_expression(random, depth - 1, simplify);
    auto node = [&](Op op) { return make({op, a.value, b.value, 0, 0}); };
    auto one = [&](Op op) { return make({op, a.value, 0, 0, 0}); };
    switch (random() % 22) {
      case 0:
      case 1: return node(Op::Add);
      case 2:
      case 3: return node(Op::Sub);
      case 4:
      case 5: return node(Op::Mul);
      case 6: return node(Op::Div);
      case 7: return one(Op::Neg);
      case 8: return one(Op::Sin);
      case 9: return one(Op::Exp);
      case 10: return one(Op::Atan);
      case 11: return make({Op::PowInt, a.value, static_cast<std::uint32_t>(random() % 4), 0, 0});
      case 12: return one(Op::Tanh);
      case 13: return node(Op::Min);
      case 14: return node(Op::Max);
      case 15: return one(Op::Cos);
      case 16: return one(Op::Abs);
      case 17: {  // no zeros, whose signs simplification does not keep
        ExprId x = make({Op::Exp, b.value, 0, 0, 0});
        return make({Op::Atan2, a.value, x.value, 0, 0});
      }
      case 18: return node(Op::Pow);
      case 19: return one(random() % 2 ? Op::Sqrt : Op::Log);
      case 20: return one(random() % 2 ? Op::Asinh : Op::Cosh);
      default: {
        ExprId condition = make({Op::Less, a.value, b.value, 0, 0});
        return make({Op::Select, condition.value, b.value, a.value, 0});
      }
    }
  }
};

bool near(double a, double b, double tolerance) {
  return std::fabs(a - b) <= tolerance * (1 + std::fabs(a) + std::fabs(b));
}

}  // namespace

TEST_CASE_METHOD(Fixture, "simplification removes what says nothing") {
  CHECK(text(bin(Op::Add, s(0), c(0))) == "s0");
  CHECK(text(bin(Op::Sub, c(0), s(0))) == "-s0");
  CHECK(text(un(Op::Neg, bin(Op::Sub, s(0), s(1)))) == "s1 - s0");
  CHECK(text(bin(Op::Sub, s(0), un(Op::Neg, s(1)))) == "s0 + s1");
  CHECK(text(bin(Op::Sub, s(0), s(0))) == "0.0");
  CHECK(text(bin(Op::Mul, c(0), s(0))) == "0.0");
  CHECK(text(bin(Op::Mul, s(0), c(-1))) == "-s0");
  CHECK(text(bin(Op::Mul, c(2), bin(Op::Mul, c(3), s(0)))) == "6.0 * s0");
  CHECK(text(bin(Op::Mul, s(0), s(0))) == "s0^2");
  CHECK(text(bin(Op::Mul, un(Op::Neg, s(0)), un(Op::Neg, s(1)))) == "s0 * s1");
  CHECK(text(bin(Op::Div, un(Op::Neg, s(0)), s(1))) == "-s0 / s1");
  CHECK(text(bin(Op::Pow, s(0), c(3))) == "s0^3");
  CHECK(text(un(Op::Sin, c(0))) == "0.0");
  CHECK(text(bin(Op::Add, c(1), s(0))) == "s0 + 1.0");
  CHECK(text(bin(Op::Add, s(0), c(-1))) == "s0 - 1.0");
  CHECK(text(un(Op::Log, c(-1))) == "log(-1.0)");  // the message at run time says what went wrong
  CHECK(text(bin(Op::Div, s(0), s(0))) == "s0 / s0");
}

TEST_CASE_METHOD(Fixture, "simplification keeps values") {
  std::mt19937 random(1);
  for (int k = 0; k < 5000; ++k) {
    ExprId raw = random_expression(random, 5, false);
    ExprId simple = symbolic::rewrite(pool, raw, pool, [&](const Node& n) { return pool.intern(n); });
    std::vector<double> x{0.2 + 0.0007 * (random() % 1000), 0.2 + 0.0007 * (random() % 1000),
                          0.2 + 0.0007 * (random() % 1000)};
    finite = true;
    double a = eval(raw, x);
    if (!finite) continue;
    double b = eval(simple, x);
    INFO(text(raw) << "   =>   " << text(simple));
    CHECK(near(a, b, 1e-9));
  }
}

TEST_CASE_METHOD(Fixture, "partial derivatives are short") {
  ExprId resistor = bin(Op::Sub, bin(Op::Mul, p(0), s(0)), s(1));
  CHECK(text(symbolic::partial(pool, resistor, 0)) == "p0");
  CHECK(text(symbolic::partial(pool, resistor, 1)) == "-1.0");
  ExprId capacitor = bin(Op::Sub, bin(Op::Mul, p(0), pool.der(0, 1)), s(1));
  CHECK(text(symbolic::partial(pool, capacitor, 0, 1)) == "p0");
  CHECK(text(symbolic::partial(pool, capacitor, 0)) == "0.0");
  CHECK(text(symbolic::partial(pool, un(Op::Exp, bin(Op::Div, s(0), p(0))), 0)) == "exp(s0 / p0) / p0");
  CHECK(text(symbolic::partial(pool, bin(Op::Mul, s(0), bin(Op::Mul, s(0), s(0))), 0)) == "3.0 * s0^2");
  CHECK(text(symbolic::partial(pool, un(Op::Sin, s(0)), 0)) == "cos(s0)");
  CHECK(text(symbolic::partial(pool, bin(Op::Max, s(0), c(0)), 0)) == "if s0 < 0.0 then 0.0 else 1.0");
  CHECK(text(symbolic::partial(pool, bin(Op::Less, s(0), c(0)), 0)) == "0.0");
}

TEST_CASE_METHOD(Fixture, "partial derivatives and gradients agree with difference quotients") {
  std::mt19937 random(2);
  int checked = 0;
  for (int k = 0; k < 3000; ++k) {
    ExprId e = random_expression(random, 4, true);
    std::vector<double> x{0.2 + 0.0007 * (random() % 1000), 0.2 + 0.0007 * (random() % 1000),
                          0.2 + 0.0007 * (random() % 1000)};
    auto all = symbolic::gradient(pool, e, 3);
    for (std::uint32_t slot = 0; slot < 3; ++slot) {
      double d = eval(symbolic::partial(pool, e, slot), x), g = eval(all[slot], x);
      INFO(text(e) << " by s" << slot << ": " << text(all[slot]));
      if (!std::isfinite(d)) continue;
      CHECK(near(d, g, 1e-9));
      double h = 1e-6;
      auto left = x, right = x;
      left[slot] -= h;
      right[slot] += h;
      double l = eval(e, left), r = eval(e, right), m = eval(e, x);
      if (!std::isfinite(l) || !std::isfinite(r) || std::fabs(m) > 1e4) continue;
      if (std::fabs((r - m) - (m - l)) > 1e-7 * (1 + std::fabs(d))) continue;  // a kink or a pole
      CHECK(near(d, (r - l) / (2 * h), 1e-3));
      ++checked;
    }
  }
  CHECK(checked > 5000);
}

TEST_CASE_METHOD(Fixture, "every function has its derivative") {
  for (Op op : {Op::Abs, Op::Sqrt, Op::Exp, Op::Log, Op::Log10, Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Acos,
                Op::Atan, Op::Sinh, Op::Cosh, Op::Tanh, Op::Asinh, Op::Acosh, Op::Atanh}) {
    double x = op == Op::Acosh ? 1.7 : 0.4, h = 1e-6;
    ExprId e = un(op, s(0)), d = symbolic::partial(pool, e, 0);
    INFO(text(d));
    CHECK(near(eval(d, {x}), (eval(e, {x + h}) - eval(e, {x - h})) / (2 * h), 1e-7));
  }
  for (Op op : {Op::Pow, Op::Atan2, Op::Div, Op::Mul, Op::Min, Op::Max})
    for (std::uint32_t slot : {0u, 1u}) {
      std::vector<double> x{0.4, 1.3}, left = x, right = x;
      left[slot] -= 1e-6;
      right[slot] += 1e-6;
      ExprId e = bin(op, s(0), s(1)), d = symbolic::partial(pool, e, slot);
      INFO(text(d));
      CHECK(near(eval(d, x), (eval(e, right) - eval(e, left)) / 2e-6, 1e-7));
    }
  CHECK(eval(symbolic::partial(pool, bin(Op::Pow, s(0), s(1)), 1), {0, 2}) == 0);
}

TEST_CASE_METHOD(Fixture, "time derivatives raise the order") {
  ExprId circle = bin(Op::Sub, bin(Op::Add, un(Op::Sin, s(0)), bin(Op::Mul, p(0), s(1))), pool.time());
  CHECK(text(symbolic::time_derivative(pool, circle)) == "der(s0) * cos(s0) + p0 * der(s1) - 1.0");
  CHECK(text(symbolic::time_derivative(pool, pool.der(0, 1))) == "der(der(s0))");
}

TEST_CASE_METHOD(Fixture, "equations are solved for what stands linearly in them") {
  ExprId resistor = bin(Op::Sub, bin(Op::Mul, p(0), s(0)), s(1));
  auto solved = [&](ExprId e, std::uint32_t slot) {
    auto r = symbolic::solve_for(pool, e, slot);
    return r ? text(*r) : "no";
  };
  CHECK(solved(resistor, 0) == "s1 / p0");
  CHECK(solved(resistor, 1) == "p0 * s0");
  CHECK(solved(bin(Op::Sub, s(0), bin(Op::Sub, s(1), s(2))), 1) == "s0 + s2");
  CHECK(solved(bin(Op::Sub, s(0), bin(Op::Sub, s(1), s(2))), 2) == "s1 - s0");
  CHECK(solved(bin(Op::Sub, bin(Op::Mul, s(0), s(1)), c(1)), 0) == "no");
  CHECK(solved(bin(Op::Sub, un(Op::Sin, s(0)), s(1)), 0) == "no");
  CHECK(solved(bin(Op::Sub, un(Op::Sin, s(0)), s(1)), 1) == "sin(s0)");
  CHECK(solved(bin(Op::Sub, bin(Op::Mul, un(Op::Exp, s(0)), s(1)), c(1)), 1) == "1.0 / exp(s0)");
  // What cancels is not linear in the slot: nothing can be solved.
  ExprId cancels = pool.binary(Op::Sub, pool.binary(Op::Add, s(0), c(1)), s(0));
  auto linear = symbolic::linear_in(pool, cancels, 0);
  REQUIRE(linear);
  CHECK(text(linear->factor) == "0.0");
  CHECK(solved(cancels, 0) == "no");
  CHECK_FALSE(symbolic::depends_on(pool, linear->rest, 0));
}

TEST_CASE_METHOD(Fixture, "linear forms say what they are") {
  std::mt19937 random(3);
  int linear_ones = 0;
  for (int k = 0; k < 3000; ++k) {
    ExprId e = random_expression(random, 4, random() % 2 == 0);
    auto linear = symbolic::linear_in(pool, e, 0);
    if (!linear) continue;
    CHECK_FALSE(symbolic::depends_on(pool, linear->factor, 0));
    CHECK_FALSE(symbolic::depends_on(pool, linear->rest, 0));
    std::vector<double> x{0.31, 0.42, 0.53};
    double value = eval(e, x), form = eval(linear->factor, x) * x[0] + eval(linear->rest, x);
    INFO(text(e));
    if (std::isfinite(value) && std::isfinite(form)) CHECK(near(value, form, 1e-9));
    ++linear_ones;
  }
  CHECK(linear_ones > 500);
}

TEST_CASE_METHOD(Fixture, "a residual with 10^5 terms") {
  constexpr std::uint32_t n = 100000;
  ExprId e = s(0);
  for (std::uint32_t k = 1; k < n; ++k) e = pool.binary(Op::Add, e, pool.binary(Op::Mul, p(0), s(k)));
  auto all = symbolic::gradient(pool, e, n);
  CHECK(text(all[0]) == "1.0");
  CHECK(text(all[n - 1]) == "p0");
  CHECK(text(symbolic::partial(pool, e, n / 2)) == "p0");
  CHECK(symbolic::solve_for(pool, e, n - 1));
}

TEST_CASE_METHOD(Fixture, "canonical forms collect like terms and factors") {
  // a = s0, b = s1, c = s2, raw: nothing is simplified before
  auto raw = [&](Op op, ExprId x, ExprId y = {}) {
    return pool.intern({op, x.value, arity(op) > 1 ? y.value : 0, 0, 0});
  };
  auto canonical = [&](ExprId id) { return text(symbolic::canonical(pool, id)); };
  ExprId a = s(0), b = s(1), c2 = s(2);
  auto add = [&](ExprId x, ExprId y) { return raw(Op::Add, x, y); };
  auto sub = [&](ExprId x, ExprId y) { return raw(Op::Sub, x, y); };
  auto mul = [&](ExprId x, ExprId y) { return raw(Op::Mul, x, y); };
  auto neg = [&](ExprId x) { return raw(Op::Neg, x); };
  auto sin = [&](ExprId x) { return raw(Op::Sin, x); };
  auto cos = [&](ExprId x) { return raw(Op::Cos, x); };

  CHECK(canonical(add(add(a, b), add(a, b))) == "2.0 * s0 + 2.0 * s1");
  CHECK(canonical(mul(mul(mul(mul(mul(a, a), a), b), b), c2)) == "s0^3 * s1^2 * s2");
  CHECK(canonical(add(a, neg(a))) == "0.0");
  CHECK(canonical(sub(mul(c(0.5), a), mul(c(0.5), a))) == "0.0");
  CHECK(canonical(sub(add(mul(c(0.1), a), mul(c(0.2), a)), mul(c(0.3), a))) == "0.0");
  CHECK(canonical(sub(mul(neg(sin(a)), cos(b)), mul(cos(a), sin(b)))) == "-sin(s0 + s1)");
  CHECK(canonical(add(mul(neg(sin(a)), cos(b)), mul(cos(a), neg(sin(b))))) == "-sin(s0 + s1)");
  CHECK(canonical(add(mul(cos(a), cos(a)), mul(sin(a), sin(a)))) == "1.0");
  CHECK(canonical(add(mul(cos(a), cos(b)), mul(sin(a), sin(b)))) == "cos(s0 - s1)");
  CHECK(canonical(sub(mul(cos(b), cos(a)), mul(sin(a), sin(b)))) == "cos(s0 + s1)");
  CHECK(canonical(sub(mul(sin(b), cos(a)), mul(sin(a), cos(b)))) == "-sin(s0 - s1)");
  // Terms in any order and shape are the same sum; factors around an identity stay.
  CHECK(symbolic::canonical(pool, sub(mul(add(a, b), c2), mul(c2, add(b, a)))) == c(0));
  CHECK(canonical(add(mul(p(0), mul(sin(a), sin(a))), mul(mul(cos(a), p(0)), cos(a)))) == "p0");
  CHECK(canonical(add(sin(sub(b, a)), sin(sub(a, b)))) == "0.0");
  CHECK(canonical(sub(cos(sub(b, a)), cos(sub(a, b)))) == "0.0");
  // cos(a) cos(b) cos(c) - cos(a) sin(b) sin(c) - sin(a) (sin(b) cos(c) + cos(b) sin(c)), with the product
  // written out
  ExprId three = sub(sub(sub(mul(mul(cos(a), cos(b)), cos(c2)), mul(mul(cos(a), sin(b)), sin(c2))),
                         mul(sin(a), mul(sin(b), cos(c2)))),
                     mul(sin(a), mul(cos(b), sin(c2))));
  ExprId folded = symbolic::canonical(pool, three);
  CHECK(symbolic::cost(pool, std::span(&folded, 1)) == Approx(22));  // one cosine of two additions
  // What may be zero is not cancelled; a product of sums is not multiplied out.
  CHECK(canonical(raw(Op::Div, mul(a, b), a)) == "s0 * s1 / s0");
  CHECK(canonical(mul(add(a, b), sub(a, b))) == "(s0 - s1) * (s0 + s1)");
  CHECK(canonical(raw(Op::Div, raw(Op::Div, a, b), b)) == "s0 / s1^2");
  // Whole numbers stay whole: 49 * (1 / 49) is less than 1.
  ExprId floor = symbolic::canonical(pool, raw(Op::Floor, raw(Op::Div, a, c(49))));
  CHECK(text(floor) == "floor(s0 / 49.0)");
  CHECK(eval(floor, {49}) == 1);
  CHECK(canonical(sub(raw(Op::Div, a, c(3)), raw(Op::Div, mul(c(2), a), c(6)))) ==
        "s0 / 3.0 - 2.0 * (s0 / 6.0)");
  CHECK(canonical(add(raw(Op::Div, a, c(3)), raw(Op::Div, mul(c(2), a), c(3)))) == "3.0 * (s0 / 3.0)");
  CHECK(canonical(raw(Op::Div, add(a, b), c(4))) == "0.25 * s0 + 0.25 * s1");
  CHECK(canonical(raw(Op::Div, add(a, b), c(-3))) == "-(s0 + s1) / 3.0");
  CHECK(canonical(sub(mul(c(1e16), a), mul(c(9999999999999998.0), a))) == "2.0 * s0");
  // The product rule.
  CHECK(canonical(symbolic::time_derivative(pool, mul(a, b))) ==
        canonical(add(mul(pool.der(0, 1), b), mul(a, pool.der(1, 1)))));
}

TEST_CASE_METHOD(Fixture, "canonical forms keep values, and are their own canonical form") {
  std::mt19937 random(3);
  int checked = 0, cheaper = 0;
  for (int k = 0; k < 5000; ++k) {
    ExprId raw = random_expression(random, 5, k % 2 == 0);
    if (k % 3 == 0) {  // sums of products of sines and cosines of few angles
      raw = c(0);
      for (int t = 0; t < 5; ++t) {
        ExprId term = c(static_cast<double>(random() % 3) - 1);
        for (int f = 0; f < 3; ++f)
          term = pool.binary(Op::Mul, term, pool.unary(random() % 2 ? Op::Sin : Op::Cos, s(random() % 2)));
        raw = pool.binary(random() % 2 ? Op::Add : Op::Sub, raw, term);
      }
    }
    ExprId form = symbolic::canonical(pool, raw);
    CHECK(text(symbolic::canonical(pool, form)) == text(form));
    std::vector<double> x{0.2 + 0.0007 * (random() % 1000), 0.2 + 0.0007 * (random() % 1000),
                          0.2 + 0.0007 * (random() % 1000)};
    finite = true;
    double a = eval(raw, x);
    if (!finite) continue;
    double b = eval(form, x);
    INFO(text(raw) << "   =>   " << text(form));
    CHECK(near(a, b, 1e-9));
    ++checked;
    cheaper += symbolic::cost(pool, std::span(&form, 1)) < symbolic::cost(pool, std::span(&raw, 1));
    ExprId better[] = {raw};
    symbolic::improve(pool, better);
    CHECK(symbolic::cost(pool, better) <= symbolic::cost(pool, std::span(&raw, 1)));
  }
  CHECK(checked > 3000);
  CHECK(cheaper > 1000);
}

TEST_CASE_METHOD(Fixture, "canonical forms do not depend on what the pool has seen") {
  for (int round = 0; round < 50; ++round) {
    std::string texts[2];
    for (int turned = 0; turned < 2; ++turned) {
      Fixture other;
      std::mt19937 noise(round + 100);
      if (turned)
        for (int k = 0; k < 20; ++k) other.random_expression(noise, 4, false);
      std::mt19937 same(round);
      texts[turned] = other.text(symbolic::canonical(other.pool, other.random_expression(same, 6, false)));
    }
    CHECK(texts[0] == texts[1]);
  }
}

TEST_CASE_METHOD(Fixture, "a sum of 10^5 terms has a canonical form") {
  ExprId total = c(0);
  for (int k = 0; k < 100'000; ++k)
    total = pool.binary(Op::Add, total, pool.binary(Op::Mul, s(k % 1000), p(k % 7)));
  ExprId form = symbolic::canonical(pool, total);
  CHECK(symbolic::cost(pool, std::span(&form, 1)) < 30'000);
  // Doubling a shared sum again and again stays small.
  ExprId shared = pool.binary(Op::Add, s(0), pool.binary(Op::Mul, s(1), s(2)));
  for (int k = 0; k < 200; ++k)
    shared =
        pool.binary(Op::Add, pool.binary(Op::Mul, shared, shared), pool.binary(Op::Add, shared, s(k % 3)));
  form = symbolic::canonical(pool, shared);
  CHECK(topological(pool, std::span<const ExprId>(&form, 1)).size() < 5'000);
}
