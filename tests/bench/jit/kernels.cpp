// Generated code against a loop written by hand on the shape of an RC ladder, and the time to compile.
// Each size runs the contestants in turn and reports the ratios of their best times; machine noise hits all
// of them alike.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "by_hand.h"
#include "compiler/interpret/interpret.h"
#include "compiler/jit/jit.h"

using namespace sigrel;

namespace {

// Slots: du, left, own, right. Parameters: c, r1, r2.
plan::Plan ladder(std::size_t rows) {
  plan::Plan plan;
  ExprPool& e = plan.exprs;
  ExprId in = e.binary(Op::Div, e.binary(Op::Sub, e.slot(1), e.slot(2)), e.param(1));
  ExprId out = e.binary(Op::Div, e.binary(Op::Sub, e.slot(2), e.slot(3)), e.param(2));
  plan.kernels.push_back(
      {runtime::Role::Solve, 4, 3, 0, {e.binary(Op::Div, e.binary(Op::Sub, in, out), e.param(0))}});
  runtime::KernelBatch run;
  run.kernel = 0;
  run.count = static_cast<std::uint32_t>(rows);
  plan.model.batches.push_back(run);
  return plan;
}

struct Data {
  explicit Data(std::size_t n) : values(2 * n + 2, 1.0), parameters(3 * n, 2.0), table(7 * n), out(n) {
    for (std::size_t i = 0; i < n; ++i) {
      auto at = [&](std::size_t column) -> std::uint32_t& { return table[column * n + i]; };
      at(0) = static_cast<std::uint32_t>(n + 2 + i);
      for (std::size_t k = 0; k < 3; ++k) at(1 + k) = static_cast<std::uint32_t>(i + k);
      for (std::size_t k = 0; k < 3; ++k) at(4 + k) = static_cast<std::uint32_t>(k * n + i);
    }
  }
  std::vector<double> values, parameters;
  std::vector<std::uint32_t> table;
  std::vector<double> out;
};

template <class F>
double seconds(F f) {
  auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void ladder_rows(benchmark::State& state) {
  std::size_t n = state.range(0);
  plan::Plan plan = ladder(n);
  auto compiled = jit::compile(plan);
  if (!compiled) return state.SkipWithError(compiled.error().c_str());
  jit::Options optimised_options;
  optimised_options.optimise = true;
  auto optimised = jit::compile(plan, optimised_options);
  auto interpreted = interpret::interpret(plan);
  Data data(n);
  runtime::KernelArguments arguments{
      0, data.values.data(), data.parameters.data(), data.table.data(), n, 0, n, nullptr};
  auto call = [&](const KernelCode& code) { code.kernels[0].function(code.kernels[0].self, &arguments); };
  double best[5] = {1, 1, 1, 1, 1};
  const double *u = data.values.data(), *p = data.parameters.data();
  for (auto _ : state) {
    best[0] = std::min(best[0], seconds([&] { call(**compiled); }));
    best[1] = std::min(best[1], seconds([&] { call(**optimised); }));
    best[2] = std::min(best[2], seconds([&] { call(*interpreted); }));
    best[3] =
        std::min(best[3], seconds([&] { ladder_by_table(n, data.table.data(), data.values.data(), p); }));
    best[4] = std::min(best[4], seconds([&] { ladder_direct(n, u, p + n, p + 2 * n, p, data.out.data()); }));
    benchmark::ClobberMemory();
  }
  state.counters["jit_ns_per_row"] = best[0] / n * 1e9;
  state.counters["jit/c_by_table"] = best[0] / best[3];
  state.counters["jit/c_direct"] = best[0] / best[4];
  state.counters["optimised/c_direct"] = best[1] / best[4];
  state.counters["interpreter/c_direct"] = best[2] / best[4];
}
BENCHMARK(ladder_rows)->Arg(100)->Arg(1'000)->Arg(10'000)->Arg(100'000)->MinTime(0.3);

void compile_kernels(benchmark::State& state) {
  plan::Plan plan = ladder(state.range(1));
  while (plan.kernels.size() < static_cast<std::size_t>(state.range(0)))
    plan.kernels.push_back(plan.kernels[0]);
  for (auto _ : state) benchmark::DoNotOptimize(jit::compile(plan));
}
BENCHMARK(compile_kernels)
    ->ArgNames({"kernels", "rows"})
    ->Args({1, 1'000})
    ->Args({10, 1'000})
    ->Args({10, 1'000'000})
    ->Args({100, 1'000})
    ->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
