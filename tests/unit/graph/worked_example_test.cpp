// The numbers in compiler/graph/README.md.
#include <catch2/catch.hpp>

#include "compiler/graph/augmenting_path.h"
#include "compiler/graph/blt.h"
#include "compiler/graph/dummy_derivatives.h"
#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

TEST_CASE("the worked example: five vectors of the pendulum") {
  const Rows equations{{3, 5}, {4, 6}, {1, 7, 9}, {2, 8, 9}, {1, 2}};
  const Numbers derivatives{5, 6, 7, 8, 0, 0, 0, 0, 0};

  Differentiated s = pantelides(make(equations, 9, 1), zero_based(derivatives), {}, SearchOrder::Published);
  const Rows all{{3, 5},       {4, 6},        {1, 7, 9},     {2, 8, 9},           {1, 2},
                 {1, 2, 5, 6}, {3, 5, 7, 10}, {4, 6, 8, 11}, {1, 2, 5, 6, 10, 11}};
  const Bipartite expected = make(all, 11, 1);
  CHECK(s.graph.offsets == expected.offsets);
  CHECK(s.graph.targets == expected.targets);
  CHECK(one_based(s.variable_derivative) == Numbers{5, 6, 7, 8, 10, 11, 0, 0, 0, 0, 0});
  CHECK(one_based(s.equation_derivative) == Numbers{7, 8, 0, 0, 6, 9, 0, 0, 0});

  DummyDerivatives d = dummy_derivatives(s);
  REQUIRE(d.choices.size() == 2);
  CHECK(one_based(d.choices[0].equations) == Numbers{7, 8, 9});
  CHECK(one_based(d.choices[0].dummies) == Numbers{11, 10, 8});
  CHECK(one_based(d.choices[1].equations) == Numbers{6});
  CHECK(one_based(d.choices[1].dummies) == Numbers{6});
  CHECK(one_based(d.states) == Numbers{1, 3});

  std::vector<bool> unknown(s.variables(), true);
  for (std::uint32_t state : d.states) unknown[state] = false;
  const std::vector<std::uint32_t> assign = matching_in_order(s.graph, unknown).row_of_column;
  CHECK(one_based(assign) == Numbers{0, 5, 0, 2, 1, 6, 7, 4, 3, 9, 8});

  const Blocks blocks = blt(s.graph, assign);
  std::vector<Numbers> lists;
  for (std::uint32_t b = 0; b < blocks.count(); ++b)
    lists.push_back(one_based({blocks.block(b).begin(), blocks.block(b).end()}));
  CHECK(lists == std::vector<Numbers>{{1}, {5}, {6}, {2}, {4, 8, 9, 7, 3}});
}
