// Rewriting of expressions keeps values; derivatives agree with complex steps.
//
// How far two values may differ is measured: each expression is evaluated again with every operation
// disturbed by a relative error of 1e-11, and the spread, far larger than that of rounding, is the tolerance.
//
// Complex step: f'(x) = Im f(x + i h) / h up to h², without cancellation. Squire and Trapp, Using complex
// variables to estimate derivatives of real functions, SIAM Review 40 (1998).
#include <array>
#include <cmath>
#include <complex>
#include <random>

#include "compiler/symbolic/symbolic.h"
#include "tests/property/property.h"

using namespace sigrel;
using property::Choices;

namespace {

constexpr std::uint32_t kSlots = 3, kParams = 2;
constexpr double kNoise = 1e-11, kStep = 1e-20;

ExprId build(ExprPool& pool, Choices& choices, int depth) {
  static constexpr double kNumbers[] = {0, 1, 2, -1, 0.5, 3};
  const std::uint32_t kind = choices.below(depth == 0 ? 8 : 40);
  auto operand = [&] { return build(pool, choices, depth - 1); };
  auto unary = [&](Op op) { return pool.unary(op, operand()); };
  auto binary = [&](Op op) {
    const ExprId a = operand();
    return pool.binary(op, a, operand());
  };
  switch (kind) {
    case 0:
    case 1:
    case 2: return pool.slot(kind);
    case 3:
    case 4: return pool.param(kind - 3);
    case 5: return pool.time();
    case 6:
    case 7: return pool.constant(kNumbers[choices.below(std::size(kNumbers))]);
    case 8:
    case 9:
    case 10: return binary(Op::Add);
    case 11:
    case 12:
    case 13: return binary(Op::Sub);
    case 14:
    case 15:
    case 16: return binary(Op::Mul);
    case 17:
    case 18: return binary(Op::Div);
    case 19: return unary(Op::Neg);
    case 20: return pool.power(operand(), static_cast<std::int32_t>(choices.below(6)) - 2);
    case 21: return unary(Op::Sin);
    case 22: return unary(Op::Cos);
    case 23: return unary(Op::Exp);
    case 24: return unary(Op::Sqrt);
    case 25: return unary(Op::Log);
    case 26: return unary(Op::Tanh);
    case 27: return unary(Op::Atan);
    case 28: return unary(Op::Abs);
    case 29: return binary(Op::Min);
    case 30: return binary(Op::Max);
    case 31: return binary(Op::Pow);
    case 32: return binary(Op::Atan2);
    case 33: {
      const ExprId condition = binary(Op::Less), yes = operand();
      return pool.select(condition, yes, operand());
    }
    case 34: return unary(choices.below(2) ? Op::Tan : Op::Sinh);
    case 35: return unary(choices.below(2) ? Op::Cosh : Op::Asinh);
    case 36: return unary(choices.below(2) ? Op::Asin : Op::Acos);
    case 37: return unary(choices.below(2) ? Op::Acosh : Op::Atanh);
    case 38: return unary(choices.below(2) ? Op::Log10 : Op::Sign);
    default: return binary(Op::Sub);
  }
}

double real(double x) { return x; }
double real(std::complex<double> x) { return x.real(); }

double operate(const Node& n, double a, double b, double c) {
  return apply(n.op, a, n.op == Op::PowInt ? static_cast<std::int32_t>(n.b) : b, c);
}

/// The operation continued to complex numbers near the real axis.
std::complex<double> operate(const Node& n, std::complex<double> a, std::complex<double> b,
                             std::complex<double> c) {
  using Complex = std::complex<double>;
  switch (n.op) {
    case Op::Neg: return -a;
    case Op::Abs: return a.real() < 0 ? -a : a;
    case Op::Sqrt: return std::sqrt(a);
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Log10: return std::log10(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Asin: return std::asin(a);
    case Op::Acos: return std::acos(a);
    case Op::Atan: return std::atan(a);
    case Op::Sinh: return std::sinh(a);
    case Op::Cosh: return std::cosh(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Asinh: return std::asinh(a);
    case Op::Acosh: return std::acosh(a);
    case Op::Atanh: return std::atanh(a);
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Pow: return std::pow(a, b);
    case Op::Min: return b.real() < a.real() ? b : a;
    case Op::Max: return a.real() < b.real() ? b : a;
    case Op::Atan2:
      if (std::fabs(a.real()) > std::fabs(b.real()))
        return (a.real() < 0 ? -1 : 1) * std::acos(-1.0) / 2 - std::atan(b / a);
      return std::atan(a / b) + (b.real() < 0 ? (a.real() < 0 ? -1 : 1) * std::acos(-1.0) : 0.0);
    case Op::Select: return a.real() != 0 ? b : c;
    case Op::PowInt: {
      Complex power = 1;
      const auto exponent = static_cast<std::int32_t>(n.b);
      for (std::int32_t k = 0; k < std::abs(exponent); ++k) power *= a;
      return exponent < 0 ? 1.0 / power : power;
    }
    default: return apply(n.op, a.real(), b.real(), c.real());  // a comparison or a step
  }
}

bool tie(double a, double b) { return std::fabs(a - b) <= 1e-7 * (std::fabs(a) + std::fabs(b)); }

/// Whether the operation has a value, and a derivative that the step to its value does not depend on.
bool smooth(Op op, double a, double b) {
  switch (op) {
    case Op::Abs:
    case Op::Sign: return std::fabs(a) > 1e-7;
    case Op::Sqrt:
    case Op::Log:
    case Op::Log10: return a > 1e-7;
    case Op::Asin:
    case Op::Acos:
    case Op::Atanh: return std::fabs(a) < 1 - 1e-7;
    case Op::Acosh: return a > 1 + 1e-7;
    case Op::Less:
    case Op::Min:
    case Op::Max: return !tie(a, b);
    case Op::Pow: return a > 1e-7;
    case Op::Atan2: return std::fabs(a) > 1e-7 || b > 1e-7;
    default: return true;
  }
}

/// Values of the leaves.
template <class Number>
struct Point {
  std::array<Number, kSlots> slots;
  std::array<Number, kSlots> ders{};
  Number time = 0.7;
};
constexpr std::array<double, kParams> kParameters = {1.3, 0.4};

struct Irregular {};  // the expression has no value there, is not smooth, or is too large or small

/// Throws Irregular. With `disturbance` > 0 every operation gets a relative error of kNoise, whose signs that
/// number decides. `largest` gets the largest distance of a value from the real axis.
template <class Number>
Number evaluate(const ExprPool& pool, ExprId root, const Point<Number>& at, std::uint32_t disturbance = 0,
                double* largest = nullptr) {
  std::vector<Number> values(root.value + 1);
  std::minstd_rand signs(disturbance + 1);
  for (ExprId id : topological(pool, std::span<const ExprId>(&root, 1))) {
    const Node& n = pool[id];
    Number& value = values[id.value];
    switch (n.op) {
      case Op::Const: value = n.value; break;
      case Op::Slot: value = at.slots[n.a]; break;
      case Op::Der: value = at.ders[n.a]; break;
      case Op::Param: value = kParameters[n.a]; break;
      case Op::Time: value = at.time; break;
      default: {
        const int k = n.op == Op::PowInt ? 1 : arity(n.op);
        const Number a = values[n.a], b = k > 1 ? values[n.b] : Number(0),
                     c = k > 2 ? values[n.c] : Number(0);
        if (!smooth(n.op, real(a), real(b))) throw Irregular{};
        value = operate(n, a, b, c);
        if (disturbance) value *= 1 + (signs() / 7 % 2 ? kNoise : -kNoise);
      }
    }
    const double size = std::fabs(real(value));
    if (!(size < 1e60) || (size != 0 && size < 1e-60)) throw Irregular{};
    if (largest) *largest = std::max(*largest, std::fabs(std::complex<double>(value).imag()));
  }
  return values[root.value];
}

struct Measured {
  double value, spread;
};

template <class Compute>
Measured measured(const Compute& compute) {
  Measured m{compute(0), 0};
  for (std::uint32_t k = 1; k <= 5; ++k) m.spread = std::max(m.spread, std::fabs(compute(k) - m.value));
  return m;
}
Measured value_of(const ExprPool& pool, ExprId root, const Point<double>& at) {
  return measured([&](std::uint32_t k) { return evaluate(pool, root, at, k); });
}

std::string show(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}

/// `sharp` counts comparisons that a relative error of 1e-6 would fail.
void check_same(const Measured& a, const Measured& b, int& sharp) {
  const double size = std::max(std::fabs(a.value), std::fabs(b.value));
  const double tolerance = 2 * (a.spread + b.spread) + 1e-13 * size;
  RC_LOG() << show(a.value) << " and " << show(b.value) << ", tolerance " << show(tolerance) << "\n";
  RC_ASSERT(std::fabs(a.value - b.value) <= tolerance);
  if (tolerance <= 1e-6 * size) ++sharp;
}

struct Input {
  ExprPool pool;
  ExprId root{};
  Point<double> at;
};

/// An expression as it is written, and a point.
Input any_input() {
  Input input;
  Choices choices(*property::decisions());
  for (double& x : input.at.slots) x = 0.2 + choices.below(700) * 0.001;
  for (double& x : input.at.ders) x = -1 + choices.below(2000) * 0.001;
  input.root = build(input.pool, choices, 5);
  RC_LOG() << print(input.pool, input.root) << "\n";
  return input;
}

/// The property for inputs where nothing is irregular.
template <class Check>
void on_regular_inputs(int cases, int least_sharp, const Check& check) {
  int sharp = 0;
  property::holds(
      [&] {
        Input input = any_input();
        try {
          check(input, sharp);
        } catch (const Irregular&) {}
      },
      {.cases = cases, .size = 100});
  CHECK(sharp >= least_sharp);
}

/// d/dh of the expression along a direction.
Measured complex_step(const Input& input, const std::array<double, kSlots>& slots, double time) {
  Point<std::complex<double>> at;
  for (std::uint32_t k = 0; k < kSlots; ++k) at.slots[k] = {input.at.slots[k], kStep * slots[k]};
  at.time = {input.at.time, kStep * time};
  double largest =
      0;  // of it, operations on complex numbers leave a rounding error where terms cancel inside
  Measured slope = measured(
      [&](std::uint32_t k) { return evaluate(input.pool, input.root, at, k, &largest).imag() / kStep; });
  slope.spread += 1e-14 * largest / kStep;
  return slope;
}

}  // namespace

TEST_CASE("simplification keeps values") {
  on_regular_inputs(10000, 5000, [](Input& in, int& sharp) {
    const ExprId simple =
        symbolic::rewrite(in.pool, in.root, in.pool, [&](const Node& n) { return in.pool.intern(n); });
    RC_LOG() << "simplified: " << print(in.pool, simple) << "\n";
    check_same(value_of(in.pool, in.root, in.at), value_of(in.pool, simple, in.at), sharp);
  });
}

TEST_CASE("the canonical form keeps values") {
  on_regular_inputs(10000, 5000, [](Input& in, int& sharp) {
    const ExprId form = symbolic::canonical(in.pool, in.root);
    RC_LOG() << "canonical: " << print(in.pool, form) << "\n";
    check_same(value_of(in.pool, in.root, in.at), value_of(in.pool, form, in.at), sharp);
  });
}

TEST_CASE("the canonical form is its own canonical form") {
  on_regular_inputs(20000, 0, [](Input& in, int&) {
    value_of(in.pool, in.root, in.at);  // a constant divided by zero is left as it is
    const ExprId form = symbolic::canonical(in.pool, in.root);
    RC_LOG() << "canonical: " << print(in.pool, form) << "\n";
    const ExprId again = symbolic::canonical(in.pool, form);
    RC_LOG() << "again:     " << print(in.pool, again) << "\n";
    RC_ASSERT(again == form);
  });
}

TEST_CASE("partial derivatives are those of a complex step") {
  on_regular_inputs(5000, 10000, [](Input& in, int& sharp) {
    const std::vector<ExprId> gradient = symbolic::gradient(in.pool, in.root, kSlots);
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      const ExprId partial = symbolic::partial(in.pool, in.root, slot);
      RC_LOG() << "partial: " << print(in.pool, partial) << "\ngradient: " << print(in.pool, gradient[slot])
               << "\n";
      std::array<double, kSlots> direction{};
      direction[slot] = 1;
      const Measured expected = complex_step(in, direction, 0);
      check_same(value_of(in.pool, partial, in.at), expected, sharp);
      check_same(value_of(in.pool, gradient[slot], in.at), expected, sharp);
    }
  });
}

TEST_CASE("time derivatives are those of a complex step along the motion") {
  on_regular_inputs(5000, 2000, [](Input& in, int& sharp) {
    const ExprId derivative = symbolic::time_derivative(in.pool, in.root);
    RC_LOG() << "derivative: " << print(in.pool, derivative) << "\n";
    check_same(value_of(in.pool, derivative, in.at), complex_step(in, in.at.ders, 1), sharp);
  });
}

TEST_CASE("a linear decomposition has the value of the expression") {
  on_regular_inputs(10000, 2000, [](Input& in, int& sharp) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      if (!symbolic::depends_on(in.pool, in.root, slot)) continue;
      const auto linear = symbolic::linear_in(in.pool, in.root, slot);
      if (!linear) continue;
      RC_LOG() << "factor: " << print(in.pool, linear->factor) << "\nrest: " << print(in.pool, linear->rest)
               << "\n";
      RC_ASSERT(!symbolic::depends_on(in.pool, linear->factor, slot));
      RC_ASSERT(!symbolic::depends_on(in.pool, linear->rest, slot));
      const ExprId both =
          in.pool.binary(Op::Add, in.pool.binary(Op::Mul, linear->factor, in.pool.slot(slot)), linear->rest);
      check_same(value_of(in.pool, in.root, in.at), value_of(in.pool, both, in.at), sharp);
    }
  });
}

TEST_CASE("an explicit solution solves the equation") {
  int sharp = 0;
  property::holds(
      [&] {
        Input in = any_input();
        for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
          const auto solution = symbolic::solve_for(in.pool, in.root, slot);
          if (!solution) continue;
          RC_LOG() << "s" << slot << " = " << print(in.pool, *solution) << "\n";
          try {
            double least = HUGE_VAL;  // the residual when solution and residual are disturbed
            auto residual = [&](std::uint32_t k) {
              Point<double> at = in.at;
              at.slots[slot] = evaluate(in.pool, *solution, in.at, k);
              return evaluate(in.pool, in.root, at, k);
            };
            const Measured found = measured(residual);
            Point<double> other = in.at;
            other.slots[slot] = evaluate(in.pool, *solution, in.at) + 0.5;
            least = std::fabs(evaluate(in.pool, in.root, other));
            RC_ASSERT(std::fabs(found.value) <= 2 * found.spread + 1e-14);
            if (found.spread < 1e-6 * least) ++sharp;
          } catch (const Irregular&) {}
        }
      },
      {.cases = 10000, .size = 100});
  CHECK(sharp >= 2000);
}
