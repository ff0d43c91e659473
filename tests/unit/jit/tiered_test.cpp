// Kernels that are interpreted until they prove hot: the values do not depend on when that is. The reference
// is the interpreter for blocks of rows, which shares no code with the one for single rows.
#include <catch2/catch.hpp>

#include <thread>

#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"
#include "fixture.h"

using namespace sigrel;
using namespace sigrel::testing;
using runtime::Role;

namespace {

void add_batch(plan::Plan& plan, std::uint32_t kernel, std::uint32_t rows) {
  runtime::KernelBatch batch;
  batch.kernel = kernel;
  batch.count = rows;
  plan.model.batches.push_back(batch);
}

/// Random kernels of all roles, for a few rows each.
plan::Plan random_plan(std::mt19937& random, std::uint32_t kernels) {
  plan::Plan plan;
  for (std::uint32_t k = 0; k < kernels; ++k) {
    plan::Kernel kernel;
    kernel.role = static_cast<Role>(k % 3);
    kernel.slots = 1 + k % 5;
    kernel.params = k % 4;
    kernel.solved = k % kernel.slots;
    for (std::size_t i = 0; i < (kernel.role == Role::Partials ? kernel.slots : 1); ++i)
      kernel.outputs.push_back(
          random_expression(plan.exprs, random, 1 + k % 30, kernel.slots, kernel.params));
    plan.kernels.push_back(kernel);
    add_batch(plan, k, 3);
  }
  return plan;
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return close(x, y, 0); });
}

bool same(const Call::Result& a, const Call::Result& b) {
  return same(a.values, b.values) && same(a.out, b.out);
}

jit::Options after(std::uint32_t rows) {
  jit::Options options;
  options.hot = rows;
  return options;
}

}  // namespace

TEST_CASE("a kernel gives the same values before and after it is compiled") {
  std::mt19937 random(21);
  plan::Plan plan = random_plan(random, 200);
  auto code = jit::compile(plan, after(9));
  REQUIRE(code);
  auto reference = interpret::interpret(plan);
  CHECK((*code)->statistics().compiled == 0);
  CHECK((*code)->statistics().interpreted == plan.kernels.size());
  for (int round = 0; round < 6; ++round)
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      Call call(plan.kernels[k], random, 4, 1, 4);
      CAPTURE(round, k);
      REQUIRE(same(call.run((*code)->kernels[k]), call.run(reference->kernels[k])));
    }
  CHECK((*code)->statistics().compiled == plan.kernels.size());
  CHECK((*code)->statistics().interpreted == 0);
}

TEST_CASE("a hot kernel is compiled with those that are nearly hot, and without cold ones") {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  for (double c : {1.0, 2.0, 3.0}) {
    plan.kernels.push_back({Role::Residual, 1, 0, 0, {e.binary(Op::Add, e.slot(0), e.constant(c))}});
    add_batch(plan, static_cast<std::uint32_t>(plan.kernels.size() - 1), 1);
  }
  auto code = jit::compile(plan, after(10));
  REQUIRE(code);
  std::mt19937 random(1);
  Call call(plan.kernels[0], random, 1, 0, 1);
  auto run = [&](std::size_t kernel, int times) {
    for (int i = 0; i < times; ++i) call.run((*code)->kernels[kernel]);
  };
  run(0, 10);
  run(1, 5);
  run(2, 4);
  CHECK((*code)->statistics().compiled == 0);
  run(0, 1);
  CHECK((*code)->statistics().compiled == 2);
  CHECK((*code)->statistics().interpreted == 1);
}

TEST_CASE("kernels for many rows are compiled at once, and a second plan uses their code") {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  plan.kernels.push_back({Role::Residual, 1, 0, 0, {e.unary(Op::Neg, e.slot(0))}});
  add_batch(plan, 0, 1'000);
  jit::Compiler compiler(after(10));
  jit::Statistics statistics;
  REQUIRE(compiler.compile(plan, &statistics));
  CHECK(statistics.compiled == 1);
  REQUIRE(compiler.compile(plan, &statistics));
  CHECK(statistics.compiled == 0);
  CHECK(statistics.reused == 1);
}

TEST_CASE("code outlives its compiler, and is generated while several threads call it") {
  std::mt19937 random(22);
  plan::Plan plan = random_plan(random, 40);
  auto code = jit::compile(plan, after(50));
  REQUIRE(code);
  auto reference = interpret::interpret(plan);
  std::vector<Call> calls;
  std::vector<Call::Result> expected;
  for (const plan::Kernel& kernel : plan.kernels) {
    calls.emplace_back(kernel, random, 3, 0, 3);
    expected.push_back(calls.back().run(reference->kernels[expected.size()]));
  }
  std::atomic<int> wrong = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int round = 0; round < 200; ++round)
          for (std::size_t k = 0; k < calls.size(); ++k)
            wrong += !same(calls[k].run((*code)->kernels[k]), expected[k]);
      });
  }
  CHECK(wrong == 0);
  CHECK((*code)->statistics().interpreted == 0);
}

TEST_CASE("the number of threads changes nothing") {
  std::mt19937 random(23);
  plan::Plan plan = random_plan(random, 300);
  auto reference = interpret::interpret(plan);
  jit::Options options;
  std::vector<jit::Statistics> statistics(2);
  for (unsigned threads : {1u, 4u}) {
    options.threads = threads;
    auto code = jit::compile(plan, options, &statistics[threads > 1]);
    REQUIRE(code);
    std::mt19937 values(1);
    for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
      Call call(plan.kernels[k], values, 3, 0, 3);
      const Call::Result result = call.run((*code)->kernels[k]);
      CHECK(same(result, call.run(reference->kernels[k])));
    }
  }
  CHECK(statistics[0].functions == statistics[1].functions);
  CHECK(statistics[0].instructions == statistics[1].instructions);
}
