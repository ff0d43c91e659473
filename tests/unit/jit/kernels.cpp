// Generated code, the interpreter and sigrel::apply give the same numbers.
#include <catch2/catch.hpp>

#include <thread>

#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"
#include "compiler/lower/lower.h"
#include "fixture.h"

using namespace sigrel;
using namespace sigrel::testing;
using runtime::Role;

namespace {

void require_equal(const std::vector<double>& a, const std::vector<double>& b, std::uint64_t ulp) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (close(a[i], b[i], ulp)) continue;
    CAPTURE(i, a[i], b[i]);
    FAIL();
  }
}

std::unique_ptr<KernelCode> compiled(const plan::Plan& plan, const jit::Options& options = {},
                                     jit::Statistics* statistics = nullptr) {
  auto code = jit::compile(plan, options, statistics);
  REQUIRE(code);
  REQUIRE((*code)->kernels.size() == plan.kernels.size());
  return std::move(*code);
}

// A run that makes the JIT see a kernel as one of few or many rows.
void add_run(plan::Plan& plan, std::uint32_t kernel, std::uint32_t rows) {
  runtime::KernelBatch run;
  run.kernel = kernel;
  run.count = rows;
  plan.model.batches.push_back(run);
}

plan::Kernel random_kernel(ExprPool& exprs, std::mt19937& random, Role role, std::size_t operations,
                           bool library) {
  plan::Kernel kernel;
  kernel.role = role;
  kernel.slots = 1 + random() % 6;
  kernel.params = random() % 4;
  kernel.solved = random() % kernel.slots;
  std::size_t outputs = role == Role::Partials ? kernel.slots : 1;
  for (std::size_t k = 0; k < outputs; ++k)
    kernel.outputs.push_back(
        random_expression(exprs, random, operations, kernel.slots, kernel.params, library));
  return kernel;
}

}  // namespace

TEST_CASE("each operation: JIT, interpreter and apply agree") {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  auto add = [&](ExprId root) { plan.kernels.push_back({Role::Residual, 3, 0, 0, {root}}); };
  for (int i = static_cast<int>(Op::Neg); i <= static_cast<int>(Op::Select); ++i) {
    auto op = static_cast<Op>(i);
    if (op == Op::PowInt)
      for (int n : {-40, -5, -2, -1, 0, 1, 2, 3, 7, 32, 33, 100}) add(e.power(e.slot(0), n));
    else if (arity(op) == 1)
      add(e.unary(op, e.slot(0)));
    else if (arity(op) == 2)
      add(e.binary(op, e.slot(0), e.slot(1)));
    else
      add(e.select(e.slot(0), e.slot(1), e.slot(2)));
  }
  auto interpreted = interpret::interpret(plan);
  for (bool optimise : {false, true}) {
    for (std::uint32_t from : {1u, 0xFFFFFFFFu}) {
      jit::Options options;
      options.optimise = optimise;
      options.vectorise_from = from;
      auto code = compiled(plan, options);
      std::mt19937 random(7);
      for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
        Call call(plan.kernels[k], random, 1000, 0, 1000);
        auto oracle = call.run(interpreted->kernels[k]);
        CAPTURE(print(plan.exprs, plan.kernels[k].outputs[0]), optimise, from);
        require_equal(call.run(code->kernels[k]).out, oracle.out, 0);
        bool power = plan.exprs[plan.kernels[k].outputs[0]].op == Op::PowInt;
        require_equal(oracle.out, call.reference(plan.exprs, plan.kernels[k]).out, power ? 40 : 0);
      }
    }
  }
}

TEST_CASE("random expressions, roles, strides and ranges") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    plan::Plan plan;
    for (Role role : {Role::Residual, Role::Partials, Role::Solve}) {
      plan.kernels.push_back(random_kernel(plan.exprs, random, role, 1 + random() % 40, seed % 2));
      add_run(plan, static_cast<std::uint32_t>(plan.kernels.size() - 1), seed % 3 ? 1000 : 1);
    }
    jit::Options options;
    options.optimise = seed % 5 == 0;
    auto code = compiled(plan, options);
    auto interpreted = interpret::interpret(plan);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      for (auto [stride, begin, end] : {std::array<std::size_t, 3>{1, 0, 1},
                                        {3, 1, 2},
                                        {8, 0, 8},
                                        {17, 0, 17},
                                        {300, 5, 298},
                                        {129, 0, 129},
                                        {64, 13, 13}}) {
        Call call(plan.kernels[k], random, stride, begin, end);
        auto generated = call.run(code->kernels[k]);
        auto oracle = call.run(interpreted->kernels[k]);
        CAPTURE(seed, k, stride, begin, end);
        require_equal(generated.out, oracle.out, 0);
        require_equal(generated.values, oracle.values, 0);
      }
    }
  }
}

TEST_CASE("the interpreter agrees with apply on expressions without powers") {
  // A power that is multiplied out may differ in the last place, and what follows may amplify that.
  for (unsigned seed = 1; seed <= 30; ++seed) {
    std::mt19937 random(seed);
    ExprPool exprs;
    plan::Kernel kernel = random_kernel(exprs, random, seed % 2 ? Role::Partials : Role::Solve, 30, true);
    bool powers = false;
    for (ExprId id : topological(exprs, kernel.outputs)) powers |= exprs[id].op == Op::PowInt;
    if (powers) continue;
    auto code = interpret::interpret(exprs, kernel);
    Call call(kernel, random, 200, 3, 190);
    auto oracle = call.run(code->kernels[0]), reference = call.reference(exprs, kernel);
    CAPTURE(seed);
    require_equal(oracle.out, reference.out, 0);
    require_equal(oracle.values, reference.values, 0);
  }
}

TEST_CASE("rows outside the range are left alone") {
  plan::Plan plan;
  plan.kernels.push_back({Role::Partials, 2, 0, 0, {plan.exprs.constant(4), plan.exprs.slot(1)}});
  std::mt19937 random(1);
  auto code = compiled(plan);
  Call call(plan.kernels[0], random, 100, 20, 77);
  auto result = call.run(code->kernels[0]);
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < 100; ++i)
      if (i < 20 || i >= 77) REQUIRE(result.out[k * 100 + i] == -77.0);
  REQUIRE(result.out[20] == 4.0);
  REQUIRE(result.out[76] == 4.0);
  // Nothing beyond the values either.
  REQUIRE(result.values.size() == call.values.size());
  for (std::size_t i = 0; i < result.values.size(); ++i) REQUIRE(close(result.values[i], call.values[i], 0));
}

TEST_CASE("a kernel without slots, and one without outputs") {
  plan::Plan plan;
  plan.kernels.push_back(
      {Role::Residual, 0, 1, 0, {plan.exprs.binary(Op::Sub, plan.exprs.param(0), plan.exprs.time())}});
  plan.kernels.push_back({Role::Partials, 0, 1, 0, {}});
  std::mt19937 random(3);
  auto code = compiled(plan);
  auto interpreted = interpret::interpret(plan);
  for (std::size_t k = 0; k < 2; ++k) {
    Call call(plan.kernels[k], random, 20, 0, 20);
    require_equal(call.run(code->kernels[k]).out, call.run(interpreted->kernels[k]).out, 0);
  }
  REQUIRE(compiled(plan::Plan{})->kernels.empty());
}

TEST_CASE("a domain error on the side that is not taken does no harm") {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  ExprId positive = e.binary(Op::Less, e.constant(0), e.slot(0));
  plan.kernels.push_back(
      {Role::Residual, 1, 0, 0, {e.select(positive, e.unary(Op::Log, e.slot(0)), e.constant(-1))}});
  plan.kernels.push_back(
      {Role::Residual, 1, 0, 0, {e.select(positive, e.unary(Op::Sqrt, e.slot(0)), e.constant(-1))}});
  auto code = compiled(plan);
  std::mt19937 random(3);
  for (std::size_t k = 0; k < 2; ++k) {
    Call call(plan.kernels[k], random, 20, 0, 20);
    for (double& v : call.values) v = -2;
    for (double x : call.run(code->kernels[k]).out) REQUIRE(x == -1);
  }
}

TEST_CASE("large expressions: compiled up to the limit, interpreted above it") {
  for (std::size_t operations : {1'000, 1'001, 10'000, 100'000}) {
    std::mt19937 random(11);
    plan::Plan plan;
    plan.kernels.push_back({Role::Residual,
                            50,
                            5,
                            0,
                            {random_expression(plan.exprs, random, operations, 50, 5, operations % 2)}});
    auto interpreted = interpret::interpret(plan);
    Call call(plan.kernels[0], random, 20, 0, 20);
    auto expected = call.run(interpreted->kernels[0]).out;
    jit::Options options;
    for (std::uint32_t limit : {options.interpret_above, 20'000u}) {
      options.interpret_above = limit;
      jit::Statistics statistics;
      auto code = compiled(plan, options, &statistics);
      REQUIRE(statistics.interpreted == (operations > limit ? 1 : 0));
      require_equal(call.run(code->kernels[0]).out, expected, 0);
      WARN(operations << " operations: " << (statistics.interpreted ? "interpreted, set-up " : "LLVM ")
                      << statistics.llvm_seconds() * 1e3 << " ms");
    }
  }
}

TEST_CASE("vector functions: a few last places, the same for every row") {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  for (Op op : {Op::Exp, Op::Log, Op::Log10, Op::Sin, Op::Cos, Op::Tan, Op::Asin, Op::Acos, Op::Atan,
                Op::Sinh, Op::Cosh, Op::Tanh, Op::Asinh, Op::Acosh, Op::Atanh})
    plan.kernels.push_back({Role::Residual, 2, 0, 0, {e.unary(op, e.slot(0))}});
  for (Op op : {Op::Pow, Op::Atan2})
    plan.kernels.push_back({Role::Residual, 2, 0, 0, {e.binary(op, e.slot(0), e.slot(1))}});
  jit::Options options;
  options.vector_math = true;
  auto code = compiled(plan, options);
  std::mt19937 random(5);
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    Call call(plan.kernels[k], random, 203, 0, 203);
    auto whole = call.run(code->kernels[k]);
    CAPTURE(print(e, plan.kernels[k].outputs[0]));
    require_equal(whole.out, call.reference(e, plan.kernels[k]).out, 8);
    // In parts that cut vectors differently.
    auto parts = call.out;
    for (std::size_t from = 0; from < 203; from += 29) {
      Call part = call;
      part.begin = from;
      part.end = from + 29;
      auto result = part.run(code->kernels[k]).out;
      std::copy(result.begin() + from, result.begin() + from + 29, parts.begin() + from);
    }
    require_equal(parts, whole.out, 0);
  }
}

TEST_CASE("kernels run on several threads at once") {
  std::mt19937 random(9);
  plan::Plan plan;
  plan.kernels.push_back(random_kernel(plan.exprs, random, Role::Partials, 60, true));
  Call call(plan.kernels[0], random, 2000, 0, 2000);
  auto code = compiled(plan);
  auto interpreted = interpret::interpret(plan);
  auto expected = call.run(interpreted->kernels[0]).out;
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < results.size(); ++t)
    threads.emplace_back([&, t] { results[t] = call.run((t % 2 ? interpreted : code)->kernels[0]).out; });
  for (std::thread& thread : threads) thread.join();
  for (const auto& result : results) require_equal(result, expected, 0);
}

TEST_CASE("the cost of compiling depends on kernels, not on rows") {
  std::uint32_t functions = 0;
  for (std::uint32_t rows : {1'000u, 1'000'000u}) {
    std::mt19937 random(13);
    plan::Plan plan;
    for (std::uint32_t k = 0; k < 10; ++k) {
      plan.kernels.push_back(
          random_kernel(plan.exprs, random, k % 2 ? Role::Partials : Role::Residual, 8, false));
      add_run(plan, k, rows);
    }
    jit::Statistics statistics;
    compiled(plan, {}, &statistics);
    WARN("10 kernels, " << rows << " rows: lower " << statistics.lower_seconds * 1e3 << " ms, LLVM "
                        << statistics.llvm_seconds() * 1e3 << " ms, " << statistics.functions
                        << " functions, " << statistics.instructions << " instructions");
    if (functions) REQUIRE(statistics.functions == functions);
    functions = statistics.functions;
  }
}

TEST_CASE("listings name the kernels and their operands") {
  plan::Plan plan;
  plan.kernels.push_back(
      {Role::Solve, 2, 1, 1, {plan.exprs.binary(Op::Mul, plan.exprs.slot(0), plan.exprs.param(0))}});
  std::string text = lower::print_llvm(plan);
  REQUIRE(text.find("define void @solve0_slot1(ptr %self, ptr %arguments)") != std::string::npos);
  REQUIRE(text.find("fmul double %slot0, %param0") != std::string::npos);
  REQUIRE(jit::print(plan, jit::Listing::Assembly).find("solve0_slot1:") != std::string::npos);
  REQUIRE(jit::print(plan, jit::Listing::Llvm).find("@solve0_slot1") != std::string::npos);
}

TEST_CASE("a compiler knows kernels by what they compute") {
  // The same expressions in pools that were filled in another order, under other numbers.
  auto make = [](bool turned) {
    plan::Plan plan;
    ExprPool& e = plan.exprs;
    if (turned) e.binary(Op::Mul, e.param(0), e.binary(Op::Sub, e.constant(3.0), e.slot(1)));
    auto first = [&] { return e.binary(Op::Add, e.binary(Op::Mul, e.slot(0), e.param(0)), e.slot(1)); };
    auto second = [&] { return e.binary(Op::Sub, e.slot(1), e.binary(Op::Mul, e.slot(0), e.param(0))); };
    for (int k = 0; k < 2; ++k)
      plan.kernels.push_back({Role::Residual, 2, 1, 0, {(k == 0) == turned ? second() : first()}});
    return plan;
  };
  jit::Compiler compiler;
  jit::Statistics statistics;
  auto plan = make(false), other = make(true);
  for (plan::Plan* p : {&plan, &other})
    for (std::uint32_t k = 0; k < 2; ++k) add_run(*p, k, 3);
  auto code = compiler.compile(plan, &statistics);
  REQUIRE(code);
  CHECK(statistics.functions == 2);
  CHECK(statistics.reused == 0);
  auto again = compiler.compile(other, &statistics);
  REQUIRE(again);
  CHECK(statistics.functions == 0);
  CHECK(statistics.reused == 2);
  CHECK((*again)->kernels[0].function == (*code)->kernels[1].function);
  CHECK((*again)->kernels[1].function == (*code)->kernels[0].function);
  // Another slot to solve for, another role and another constant are other code.
  plan::Plan different;
  ExprPool& e = different.exprs;
  ExprId root = e.binary(Op::Add, e.binary(Op::Mul, e.slot(0), e.param(0)), e.slot(1));
  different.kernels.push_back({Role::Solve, 2, 1, 1, {root}});
  different.kernels.push_back({Role::Solve, 2, 1, 0, {root}});
  different.kernels.push_back({Role::Solve, 2, 1, 0, {root}});
  different.kernels.push_back({Role::Residual, 2, 1, 0, {e.binary(Op::Add, root, e.constant(0.0))}});
  different.kernels.push_back({Role::Residual, 2, 1, 0, {e.binary(Op::Add, root, e.constant(-0.0))}});
  for (std::uint32_t k = 0; k < 5; ++k) add_run(different, k, 3);
  REQUIRE(compiler.compile(different, &statistics));
  CHECK(statistics.functions == 4);
}
