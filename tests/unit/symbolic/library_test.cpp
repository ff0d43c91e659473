// Tables and functions of C: values and derivatives.
#include "compiler/ir/library.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "compiler/symbolic/symbolic.h"

using namespace sigrel;

namespace {

const std::vector<double> kX{-1.0, 0.0, 0.5, 2.0, 3.0}, kY{0.0, 1.0, 4.0};
const std::vector<double> kV{0.3, -1.0, 2.0, 0.7, 0.9};
const std::vector<double> kZ{1, 2, 4, 0, 3, -1, 2, 2, 5, -2, 0, 1, 3, 1, 2};

double value(const Library& library, const ExprPool& pool, ExprId root, std::vector<double> slots,
             double time = 0) {
  std::vector<double> v(root.value + 1);
  for (ExprId id : topological(pool, std::span<const ExprId>(&root, 1))) {
    const Node& n = pool[id];
    switch (n.op) {
      case Op::Const: v[id.value] = n.value; break;
      case Op::Slot: v[id.value] = slots.at(n.a); break;
      case Op::Der: v[id.value] = slots.at(n.a + n.b); break;
      case Op::Time: v[id.value] = time; break;
      case Op::PowInt: v[id.value] = std::pow(v[n.a], static_cast<std::int32_t>(n.b)); break;
      default:
        v[id.value] = apply(&library, n.op, n.value, v[n.a], arity(n.op) > 1 ? v[n.b] : 0,
                            arity(n.op) > 2 ? v[n.c] : 0);
    }
  }
  return v[root.value];
}

double cube(double x) { return x * x * x; }
double blend(double x, double y) { return x * x * y + y; }
double triple(double x, double y, double z) { return x * y + y * z * z; }

struct Fixture {
  std::shared_ptr<Library> library = std::make_shared<Library>();
  ExprPool pool;
  Fixture() {
    library->tables = {make_table(Interpolation::Linear, Outside::Hold, kX, kV),
                       make_table(Interpolation::Spline, Outside::Extend, kX, kV),
                       make_table(Interpolation::Spline, Outside::Hold, kX, kY, kZ)};
    library->functions = {{"cube", "cube", {}, 1, reinterpret_cast<void*>(cube), {}},
                          {"blend", "blend", {}, 2, reinterpret_cast<void*>(blend), {}},
                          {"triple", "triple", {}, 3, reinterpret_cast<void*>(triple), {}}};
    pool.library = library;
  }
  ExprId call(std::uint32_t function) {
    static constexpr Op ops[] = {Op::Call1, Op::Call2, Op::Call3};
    Node n{ops[function], 0, 0, 0, encode(CallDetail{function, 0})};
    n.a = pool.slot(0).value;
    if (function > 0) n.b = pool.slot(1).value;
    if (function > 1) n.c = pool.slot(2).value;
    return pool.intern(n);
  }
};

}  // namespace

TEST_CASE("a table goes through its points, and between them by lines or the natural spline") {
  for (auto kind : {Interpolation::Linear, Interpolation::Spline})
    for (auto outside : {Outside::Hold, Outside::Extend}) {
      LookupTable t = make_table(kind, outside, kX, kV);
      for (std::size_t i = 0; i < kX.size(); ++i) CHECK(interpolate(t, 0, kX[i]) == kV[i]);
    }
  LookupTable line = make_table(Interpolation::Linear, Outside::Hold, kX, kV);
  CHECK(interpolate(line, 0, 0.25) == 0.5);
  CHECK(interpolate(line, 1, 0.25) == 6.0);
  CHECK(interpolate(line, 0, -5.0) == 0.3);
  CHECK(interpolate(line, 0, 50.0) == 0.9);
  CHECK(interpolate(line, 1, 50.0) == 0);
  LookupTable extended = make_table(Interpolation::Linear, Outside::Extend, kX, kV);
  CHECK(interpolate(extended, 0, -2.0) == Approx(0.3 + 1.3));
  CHECK(interpolate(extended, 0, 5.0) == Approx(0.9 + 2 * 0.2));
  CHECK(std::isnan(interpolate(extended, 0, std::nan(""))));
  // Through (0, 0), (1, 1), (2, 0), by symmetry with slope zero in the middle: (3 u - u³) / 2.
  LookupTable hill =
      make_table(Interpolation::Spline, Outside::Hold, {0.0, 1.0, 2.0}, std::vector<double>{0.0, 1.0, 0.0});
  for (double u : {0.1, 0.5, 0.8}) {
    CHECK(interpolate(hill, 0, u) == Approx((3 * u - u * u * u) / 2));
    CHECK(interpolate(hill, 0, 2 - u) == Approx((3 * u - u * u * u) / 2));
  }
  LookupTable two =
      make_table(Interpolation::Spline, Outside::Extend, {0.0, 2.0}, std::vector<double>{1.0, 5.0});
  CHECK(interpolate(two, 0, 0.5) == Approx(2.0));  // with two points there is nothing to bend
}

TEST_CASE("two points with one argument are a jump of a linear table, at which the second one counts") {
  const LookupTable t = make_table(Interpolation::Linear, Outside::Extend, {0.0, 1.0, 1.0, 3.0},
                                   std::vector<double>{0.0, 2.0, 5.0, 6.0});
  CHECK(t.x == std::vector<double>{0.0, 1.0, 3.0});
  CHECK(t.jumps);
  CHECK(interpolate(t, 0, 0.5) == 1.0);
  CHECK(interpolate(t, 0, std::nextafter(1.0, 0.0)) == Approx(2.0));
  CHECK(interpolate(t, 0, 1.0) == 5.0);
  CHECK(interpolate(t, 0, 2.0) == 5.5);
  CHECK(interpolate(t, 1, 2.0) == 0.5);
  CHECK(interpolate(t, 0, -1.0) == -2.0);
  CHECK(interpolate(t, 0, 5.0) == 7.0);
  const LookupTable ends = make_table(Interpolation::Linear, Outside::Hold, {0.0, 0.0, 1.0, 1.0},
                                      std::vector<double>{1.0, 2.0, 3.0, 4.0});
  CHECK(interpolate(ends, 0, -1.0) == 1.0);
  CHECK(interpolate(ends, 0, 0.0) == 2.0);
  CHECK(interpolate(ends, 0, 9.0) == 4.0);
  CHECK(!make_table(Interpolation::Linear, Outside::Hold, kX, kV).jumps);
}

TEST_CASE("a spline is twice continuously differentiable, beyond its ends too") {
  LookupTable t = make_table(Interpolation::Spline, Outside::Extend, kX, kV);
  for (std::uint32_t order : {0u, 1u, 2u})
    for (double x : kX)
      CHECK(interpolate(t, order, std::nextafter(x, -10.0)) ==
            Approx(interpolate(t, order, x)).margin(1e-12));
  CHECK(interpolate(t, 2, kX.front()) == 0);
  CHECK(interpolate(t, 2, kX.back()) == Approx(0).margin(1e-12));
}

TEST_CASE("derivatives of tables are those of their values") {
  const double h = 1e-5;
  for (auto kind : {Interpolation::Linear, Interpolation::Spline}) {
    LookupTable one = make_table(kind, Outside::Extend, kX, kV);
    for (double x : {-3.0, -0.4, 0.2, 1.3, 2.5, 7.0})
      for (std::uint32_t order : {1u, 2u, 3u})
        CHECK(interpolate(one, order, x) ==
              Approx((interpolate(one, order - 1, x + h) - interpolate(one, order - 1, x - h)) / (2 * h))
                  .margin(1e-6));
    LookupTable two = make_table(kind, Outside::Extend, kX, kY, kZ);
    for (std::size_t i = 0; i < kX.size(); ++i)
      for (std::size_t j = 0; j < kY.size(); ++j)
        CHECK(interpolate(two, 0, 0, kX[i], kY[j]) == Approx(kZ[i * kY.size() + j]).margin(1e-12));
    for (double x : {-3.0, 0.2, 1.3, 7.0})
      for (double y : {-1.0, 0.3, 2.2, 6.0}) {
        CHECK(interpolate(two, 1, 0, x, y) ==
              Approx((interpolate(two, 0, 0, x + h, y) - interpolate(two, 0, 0, x - h, y)) / (2 * h))
                  .margin(1e-6));
        CHECK(interpolate(two, 0, 1, x, y) ==
              Approx((interpolate(two, 0, 0, x, y + h) - interpolate(two, 0, 0, x, y - h)) / (2 * h))
                  .margin(1e-6));
        CHECK(interpolate(two, 1, 1, x, y) ==
              Approx((interpolate(two, 0, 1, x + h, y) - interpolate(two, 0, 1, x - h, y)) / (2 * h))
                  .margin(1e-6));
      }
  }
}

TEST_CASE("tables in expressions: partial derivatives and time derivatives") {
  Fixture f;
  ExprId two =
      f.pool.intern({Op::Lookup2, f.pool.constant(2).value, f.pool.slot(0).value, f.pool.slot(1).value, 0});
  auto gradient = symbolic::gradient(f.pool, two, 2);
  CHECK(value(*f.library, f.pool, gradient[0], {0.3, 2.0}) ==
        interpolate(f.library->tables[2], 1, 0, 0.3, 2.0));
  CHECK(value(*f.library, f.pool, gradient[1], {0.3, 2.0}) ==
        interpolate(f.library->tables[2], 0, 1, 0.3, 2.0));
  ExprId one = f.pool.intern({Op::Lookup1, f.pool.constant(1).value, f.pool.time().value, 0, 0});
  ExprId rate = symbolic::time_derivative(f.pool, symbolic::time_derivative(f.pool, one));
  CHECK(value(*f.library, f.pool, rate, {}, 1.3) == interpolate(f.library->tables[1], 2, 1.3));
  for (int k = 0; k < 2; ++k) rate = symbolic::time_derivative(f.pool, rate);
  CHECK(f.pool[rate].op == Op::Const);  // the fourth derivative of a cubic
}

TEST_CASE("a function of C without a derivative: finite differences for numbers, none for formulas") {
  Fixture f;
  const std::vector<double> at{1.5, -2.0, 0.75};
  const std::vector<std::vector<double>> expected{
      {3 * 1.5 * 1.5}, {2 * 1.5 * -2.0, 1.5 * 1.5 + 1}, {-2.0, 1.5 + 0.75 * 0.75, 2 * -2.0 * 0.75}};
  for (std::uint32_t function : {0u, 1u, 2u}) {
    ExprId call = f.call(function);
    auto gradient = symbolic::gradient(f.pool, call, function + 1);
    for (std::uint32_t k = 0; k <= function; ++k)
      CHECK(value(*f.library, f.pool, gradient[k], at) == Approx(expected[function][k]).epsilon(1e-9));
    CHECK(symbolic::call_without_derivative(f.pool, call) == function);
  }
  ExprId fixed = f.pool.intern({Op::Call1, f.pool.param(0).value, 0, 0, encode(CallDetail{0, 0})});
  CHECK_FALSE(symbolic::call_without_derivative(f.pool, fixed));  // nothing in it varies
}

TEST_CASE("a function of C with a derivative is differentiated by its formulas") {
  Fixture f;
  ExprPool& formulas = f.library->formulas;
  ExprId x = formulas.slot(0), y = formulas.slot(1);
  f.library->functions[1].partials = {
      formulas.binary(Op::Mul, formulas.constant(2), formulas.binary(Op::Mul, x, y)),
      formulas.binary(Op::Add, formulas.power(x, 2), formulas.constant(1))};
  ExprId call = f.call(1);
  CHECK_FALSE(symbolic::call_without_derivative(f.pool, call));
  auto gradient = symbolic::gradient(f.pool, call, 2);
  CHECK(value(*f.library, f.pool, gradient[0], {1.5, -2.0}) == 2 * 1.5 * -2.0);
  CHECK(value(*f.library, f.pool, gradient[1], {1.5, -2.0}) == 1.5 * 1.5 + 1);
  // x = 3, x' = slots[1] = -2 is y too, y' = slots[2] = 0.5: d/dt (x² y + y) = 2 x y x' + (x² + 1) y'.
  ExprId rate = symbolic::time_derivative(f.pool, call);
  CHECK(value(*f.library, f.pool, rate, {3.0, -2.0, 0.5}) == 2 * 3.0 * -2.0 * -2.0 + 10 * 0.5);
}

TEST_CASE("different derivatives of one table stay different terms") {
  Fixture f;
  auto lookup = [&](double order) {
    return f.pool.intern({Op::Lookup1, f.pool.param(0).value, f.pool.slot(0).value, 0, order});
  };
  ExprId difference = symbolic::simplified(f.pool, {Op::Sub, lookup(1).value, lookup(0).value, 0, 0});
  CHECK(f.pool[difference].op == Op::Sub);
  auto gradient = symbolic::gradient(f.pool, difference, 1);
  CHECK(print(f.pool, gradient[0]) == "table12(p0, s0) - table11(p0, s0)");
}
