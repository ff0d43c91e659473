// Where sharp operations are resolved (runtime::Resolution), they hide nothing: between both ends of the
// interval no value is farther from those at the ends than a part of their magnitude, or of the scale of the
// function. And short intervals are resolved, but for poles.
#include <cmath>

#include "compiler/interpret/enclose.h"
#include "compiler/ir/expr.h"
#include "tests/property/property.h"

using namespace sigrel;
using runtime::Interval;
using runtime::Resolution;

namespace {

struct Function {
  ExprId (*build)(ExprPool& pool, ExprId u);
  double (*value)(double u);
  double scale;  // of the function itself
};

ExprId square(ExprPool& pool, ExprId u) { return pool.power(u, 2); }

const Function kFunctions[] = {
    {[](ExprPool& p, ExprId u) { return p.unary(Op::Sin, u); }, [](double u) { return std::sin(u); }, 1},
    {[](ExprPool& p, ExprId u) { return p.unary(Op::Tanh, u); }, [](double u) { return std::tanh(u); }, 1},
    {[](ExprPool& p, ExprId u) { return p.unary(Op::Atan, square(p, u)); },
     [](double u) { return std::atan(u * u); }, 1},
    {[](ExprPool& p, ExprId u) { return p.unary(Op::Exp, p.unary(Op::Neg, square(p, u))); },
     [](double u) { return std::exp(-u * u); }, 1e-5},
    {[](ExprPool& p, ExprId u) {
       return p.binary(Op::Div, p.constant(1), p.binary(Op::Add, p.constant(1), square(p, u)));
     },
     [](double u) { return 1 / (1 + u * u); }, 0},
    {[](ExprPool& p, ExprId u) { return p.power(p.binary(Op::Add, p.constant(1), square(p, u)), -3); },
     [](double u) { return std::pow(1 + u * u, -3); }, 0},
};

/// Of f(factor * time).
Resolution resolution(const Function& f, double factor, Interval time) {
  ExprPool pool;
  const ExprId root = f.build(pool, pool.binary(Op::Mul, pool.constant(factor), pool.time()));
  const auto code = interpret::enclosures(pool, {.outputs = {root}});
  Resolution result;
  const runtime::EnclosureArguments arguments{.time = time, .resolution = &result};
  code->kernels[0].function(code->kernels[0].self, &arguments);
  return result;
}

const Function& any_function() {
  return kFunctions[*rc::gen::inRange<std::size_t>(0, std::size(kFunctions))];
}
double any_factor() { return std::pow(10.0, *rc::gen::inRange(0, 60) / 10.0); }

}  // namespace

TEST_CASE("a resolved interval hides nothing") {
  property::holds(
      [] {
        const Function& f = any_function();
        const double factor = any_factor();
        const double begin = *rc::gen::inRange(-10'000, 10'000) / 1e4;
        const double end = begin + std::pow(10.0, -*rc::gen::inRange(0, 60) / 10.0);
        if (!resolution(f, factor, {begin, end}).resolved) return;
        constexpr int kSamples = 400;
        const double a = f.value(factor * begin), b = f.value(factor * end);
        for (int k = 1; k < kSamples; ++k) {
          const double x = f.value(factor * (begin + (end - begin) * k / kSamples));
          const double beyond = std::max(std::min(a, b) - x, x - std::max(a, b));
          RC_ASSERT(beyond <=
                    std::max(0.25 * f.scale, 0.9 * std::max({std::abs(a), std::abs(b), std::abs(x)})));
        }
      },
      {.cases = 5000});
}

TEST_CASE("a short interval is resolved") {
  property::holds(
      [] {
        const double factor = any_factor(), begin = *rc::gen::inRange(-10'000, 10'000) / 1e4;
        RC_ASSERT(resolution(any_function(), factor, {begin, begin + 0.05 / factor}).resolved);
      },
      {.cases = 2000});
}

TEST_CASE("a divisor that crosses zero is a pole, unless the dividend does, too") {
  ExprPool pool;
  auto over = [&](ExprId root, Interval time) {
    const auto code = interpret::enclosures(pool, {.outputs = {root}});
    Resolution result;
    const runtime::EnclosureArguments arguments{.time = time, .resolution = &result};
    code->kernels[0].function(code->kernels[0].self, &arguments);
    return result;
  };
  const ExprId t = pool.time(), one = pool.constant(1);
  CHECK(over(pool.binary(Op::Div, one, t), {-0.1, 0.1}).pole);
  CHECK(over(pool.power(t, -3), {-0.1, 0.1}).pole);
  CHECK_FALSE(over(pool.binary(Op::Div, one, t), {0.1, 0.2}).pole);
  CHECK(over(pool.binary(Op::Div, one, t), {0.1, 0.2}).resolved);
  const Resolution removable = over(pool.binary(Op::Div, pool.unary(Op::Sin, t), t), {-0.1, 0.1});
  CHECK_FALSE(removable.resolved);
  CHECK_FALSE(removable.pole);
}
