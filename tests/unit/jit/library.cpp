// Tables and functions of C: generated code and the interpreter give the same numbers, bit for bit.
#include "compiler/ir/library.h"

#include <catch2/catch.hpp>

#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"
#include "fixture.h"

using namespace sigrel;
using namespace sigrel::testing;

namespace {

double one(double x) { return x * 1.25 - 1 / (x * x + 2); }
double two(double x, double y) { return x / 3 + y * y; }
double three(double x, double y, double z) { return x * y - z / 7; }

}  // namespace

TEST_CASE("tables and calls: JIT, interpreter and apply agree") {
  auto library = std::make_shared<Library>();
  std::vector<double> x{-2.0, -0.5, 0.1, 0.9, 3.0}, y{-1.0, 0.0, 2.0}, v{1.0, -2.0, 0.5, 0.25, 4.0}, z;
  for (int i = 0; i < 15; ++i) z.push_back(std::sin(i * 1.7));
  library->tables = {make_table(Interpolation::Linear, Outside::Hold, x, v),
                     make_table(Interpolation::Spline, Outside::Extend, x, v),
                     make_table(Interpolation::Linear, Outside::Extend, x, y, z),
                     make_table(Interpolation::Spline, Outside::Hold, x, y, z)};
  library->functions = {{"one", "one", {}, 1, reinterpret_cast<void*>(one), {}},
                        {"two", "two", {}, 2, reinterpret_cast<void*>(two), {}},
                        {"three", "three", {}, 3, reinterpret_cast<void*>(three), {}}};
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  e.library = library;
  auto add = [&](Op op, double detail, std::vector<ExprId> operands) {
    operands.resize(3);
    ExprId root = e.intern({op, operands[0].value, arity(op) > 1 ? operands[1].value : 0,
                            arity(op) > 2 ? operands[2].value : 0, detail});
    plan.kernels.push_back({runtime::Role::Residual, 3, 0, 0, {e.binary(Op::Add, e.slot(2), root)}});
  };
  for (int t : {0, 1})
    for (double order : {0, 1, 2, 3}) add(Op::Lookup1, order, {e.constant(t), e.slot(0)});
  for (int t : {2, 3})
    for (LookupDetail orders : {LookupDetail{0, 0}, {1, 0}, {0, 1}, {2, 1}})
      add(Op::Lookup2, encode(orders), {e.constant(t), e.slot(0), e.slot(1)});
  for (std::uint32_t function : {0u, 1u, 2u})
    for (std::uint32_t argument = 0; argument <= function + 1; ++argument)
      add(function == 0   ? Op::Call1
          : function == 1 ? Op::Call2
                          : Op::Call3,
          encode(CallDetail{function, argument}), {e.slot(0), e.slot(1), e.slot(2)});

  auto interpreted = interpret::interpret(plan);
  for (std::uint32_t from : {1u, 0xFFFFFFFFu})
    for (bool vector_math : {false, true}) {
      jit::Options options;
      options.vectorise_from = from;
      options.vector_math = vector_math;
      auto code = jit::compile(plan, options);
      REQUIRE(code);
      std::mt19937 random(11);
      for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        Call call(plan.kernels[k], random, 100, 3, 97);
        CAPTURE(print(e, plan.kernels[k].outputs[0]), from, vector_math);
        auto expected = call.reference(e, plan.kernels[k]).out;
        auto generated = call.run((*code)->kernels[k]).out, oracle = call.run(interpreted->kernels[k]).out;
        for (std::size_t i = 0; i < expected.size(); ++i) {
          CHECK(close(generated[i], expected[i], 0));
          CHECK(close(oracle[i], expected[i], 0));
        }
      }
    }
}
