// Matching and block lower triangular form against `btf_order` of SuiteSparse, on the same graphs in the same
// run. `bench_graph --benchmark_repetitions=5 --benchmark_report_aggregates_only`
#include <benchmark/benchmark.h>

#include <map>

#include "compiler/graph/blt.h"
#include "compiler/graph/matching.h"
#include "tests/unit/graph/graphs.h"
#include "tests/unit/graph/suitesparse.h"

using namespace sigrel::graph;

namespace {

/// What a model of connected parts looks like: row r contains a column of its own and some of its
/// neighbours', rows in random order; with `far` some of any row's.
Bipartite model(std::uint32_t n, double far) {
  std::mt19937 random(n);
  std::vector<std::uint32_t> order(n), partner(n);
  std::iota(order.begin(), order.end(), 0u);
  std::iota(partner.begin(), partner.end(), 0u);
  std::ranges::shuffle(order, random);
  std::ranges::shuffle(partner, random);
  std::bernoulli_distribution is_far(far);
  Bipartite g;
  g.columns = n;
  for (std::uint32_t r : order) {
    g.targets.push_back(partner[r]);
    for (std::uint32_t k = random() % 4; k > 0; --k)
      g.targets.push_back(partner[is_far(random) ? random() % n : (r + n - random() % 6) % n]);
    std::sort(g.targets.begin() + g.offsets.back(), g.targets.end());
    g.targets.erase(std::unique(g.targets.begin() + g.offsets.back(), g.targets.end()), g.targets.end());
    g.end_row();
  }
  return g;
}
const Bipartite& graph(std::int64_t kind, std::int64_t n) {
  static std::map<std::pair<std::int64_t, std::int64_t>, Bipartite> graphs;
  auto [it, fresh] = graphs.try_emplace({kind, n});
  if (fresh)
    it->second = kind == 2 ? band(static_cast<std::uint32_t>(n), 2)
                           : model(static_cast<std::uint32_t>(n), kind ? 0.2 : 0.0);
  return it->second;
}

void ours(benchmark::State& state) {
  const Bipartite& g = graph(state.range(0), state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(blt(g, maximum_matching(g).row_of_column));
}
void theirs(benchmark::State& state) {
  suitesparse::Matrix m(graph(state.range(0), state.range(1)));
  for (auto _ : state) benchmark::DoNotOptimize(suitesparse::btf(m));
}

}  // namespace

// BTF looks for augmenting paths one at a time: with entries anywhere it would take hours at two million.
#define SIZES                                          \
  ->ArgsProduct({{0, 2}, {1'000, 100'000, 2'000'000}}) \
      ->ArgsProduct({{1}, {1'000, 100'000}})           \
      ->Unit(benchmark::kMillisecond)
BENCHMARK(ours) SIZES;
BENCHMARK(theirs) SIZES;
BENCHMARK_MAIN();
