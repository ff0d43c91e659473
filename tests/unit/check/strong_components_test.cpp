#include "compiler/check/names/strong_components.h"

#include <catch2/catch.hpp>

using sigrel::check::DependencyGraph;
using sigrel::check::strong_components;

namespace {

DependencyGraph graph_of(const std::vector<std::vector<std::uint32_t>>& successors) {
  DependencyGraph graph;
  for (auto& list : successors) {
    for (std::uint32_t target : list) graph.add(target);
    graph.finish_vertex();
  }
  return graph;
}

}  // namespace

TEST_CASE("strong components: the example of the header") {
  using Components = std::vector<std::vector<std::uint32_t>>;
  CHECK(strong_components(graph_of({{1}, {2}, {1}})) == Components{{1, 2}, {0}});
  CHECK(strong_components(graph_of({{}, {0}, {0}})) == Components{{0}, {1}, {2}});
}

TEST_CASE("strong components: a chain of 10^6 vertices needs no recursion") {
  DependencyGraph chain;
  constexpr std::uint32_t kLength = 1'000'000;
  for (std::uint32_t v = 0; v + 1 < kLength; ++v) {
    chain.add(v + 1);
    chain.finish_vertex();
  }
  chain.finish_vertex();
  auto components = strong_components(chain);
  REQUIRE(components.size() == kLength);
  CHECK(components.front() == std::vector<std::uint32_t>{kLength - 1});
  CHECK(components.back() == std::vector<std::uint32_t>{0});
}
