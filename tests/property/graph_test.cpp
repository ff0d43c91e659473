// Matching, block lower triangular form, Dulmage-Mendelsohn decomposition and tearing of arbitrary graphs.
// CXSparse is the independent reference for the size of a matching and for the coarse decomposition.
#include <algorithm>
#include <numeric>

#include "compiler/graph/blt.h"
#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "compiler/graph/sparse_tearing.h"
#include "compiler/graph/tearing.h"
#include "tests/property/property.h"
#include "tests/unit/graph/suitesparse.h"

using namespace sigrel::graph;

namespace {

using List = std::vector<std::uint32_t>;
using Edge = std::pair<std::uint32_t, std::uint32_t>;  // row, column

Bipartite graph_of(std::uint32_t rows, std::uint32_t columns, std::vector<Edge> edges) {
  std::ranges::sort(edges);
  edges.erase(std::ranges::unique(edges).begin(), edges.end());
  Bipartite g;
  g.columns = columns;
  auto edge = edges.begin();
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (; edge != edges.end() && edge->first == r; ++edge) g.targets.push_back(edge->second);
    g.end_row();
  }
  return g;
}

std::vector<Edge> some_edges(std::uint32_t rows, std::uint32_t columns) {
  return *rc::gen::container<std::vector<Edge>>(
      rc::gen::resize(100, rc::gen::pair(rc::gen::inRange(0u, rows), rc::gen::inRange(0u, columns))));
}

/// Any number of rows and columns up to 24, and up to `Effort::size` edges.
Bipartite any_graph() {
  const auto rows = *rc::gen::inRange(1u, 25u), columns = *rc::gen::inRange(1u, 25u);
  return graph_of(rows, columns, some_edges(rows, columns));
}

/// The matching of a greedy search through some edges, in any order: part of a graph's, and seldom maximum.
Matching some_matching(const Bipartite& g) {
  Matching m = Matching::empty(g.rows(), g.columns);
  for (auto [r, c] : some_edges(g.rows(), g.columns))
    if (std::ranges::count(g.row(r), c) && m.column_of_row[r] == kNone && m.row_of_column[c] == kNone)
      m.match(r, c);
  return m;
}

/// A permutation of 0 … n - 1; it shrinks towards the identity.
List permutation(std::uint32_t n) {
  const auto keys = *rc::gen::container<std::vector<std::uint16_t>>(
      n, rc::gen::resize(100, rc::gen::inRange<std::uint16_t>(0, 1000)));
  List order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return keys[k]; });
  return order;
}

/// A square graph with a perfect matching that is hidden by a permutation of the columns.
Bipartite regular_graph() {
  const auto n = *rc::gen::inRange(1u, 25u);
  const List column = permutation(n);
  std::vector<Edge> edges = some_edges(n, n);
  for (std::uint32_t r = 0; r < n; ++r) edges.emplace_back(r, column[r]);
  return graph_of(n, n, std::move(edges));
}

std::string text(const Bipartite& g) {
  std::string result = std::to_string(g.columns) + " columns; rows:";
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    result += " {";
    for (std::uint32_t c : g.row(r)) result += (result.back() == '{' ? "" : " ") + std::to_string(c);
    result += "}";
  }
  return result;
}

int structural_rank(const Bipartite& g) {
  std::vector<int> offsets(g.offsets.begin(), g.offsets.end()), targets(g.targets.begin(), g.targets.end());
  cs_di matrix{};
  matrix.nzmax = static_cast<int>(targets.size());
  matrix.m = static_cast<int>(g.columns);
  matrix.n = static_cast<int>(g.rows());
  matrix.p = offsets.data();
  matrix.i = targets.data();
  matrix.nz = -1;
  int* matched = cs_di_maxtrans(&matrix, 0);
  const auto rank = std::count_if(matched, matched + matrix.m, [](int k) { return k >= 0; });
  cs_di_free(matched);
  return static_cast<int>(rank);
}

/// Rows and columns are matched by edges, one with one, and as many as CXSparse matches.
void check_maximum(const Bipartite& g, const Matching& m) {
  RC_ASSERT(m.column_of_row.size() == g.rows());
  RC_ASSERT(m.row_of_column.size() == g.columns);
  for (std::uint32_t r = 0; r < g.rows(); ++r) {
    const std::uint32_t c = m.column_of_row[r];
    if (c == kNone) continue;
    RC_ASSERT(std::ranges::count(g.row(r), c) == 1);
    RC_ASSERT(m.row_of_column[c] == r);
  }
  const auto matched = std::ranges::count_if(m.row_of_column, [](std::uint32_t r) { return r != kNone; });
  RC_ASSERT(static_cast<int>(m.size()) == static_cast<int>(matched));
  RC_ASSERT(static_cast<int>(m.size()) == structural_rank(g));
}

/// needs[r][s]: row r contains the column of row s, possibly through other rows.
std::vector<std::vector<bool>> reachability(const Bipartite& g, const Matching& m) {
  const std::uint32_t n = g.rows();
  std::vector<std::vector<bool>> needs(n, std::vector<bool>(n, false));
  for (std::uint32_t r = 0; r < n; ++r) {
    if (m.column_of_row[r] == kNone) continue;
    needs[r][r] = true;
    for (std::uint32_t c : g.row(r))
      if (m.row_of_column[c] != kNone) needs[r][m.row_of_column[c]] = true;
  }
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; needs[i][k] && j < n; ++j)
        if (needs[k][j]) needs[i][j] = true;
  return needs;
}

/// The blocks as sets of rows, in ascending order; `name[r]` is what row r is called.
std::vector<List> block_sets(const Bipartite& g, const List& name) {
  const Blocks blocks = blt(g, maximum_matching(g).row_of_column);
  std::vector<List> sets;
  for (std::uint32_t b = 0; b < blocks.count(); ++b) {
    List set;
    for (std::uint32_t r : blocks.block(b)) set.push_back(name[r]);
    std::ranges::sort(set);
    sets.push_back(std::move(set));
  }
  std::ranges::sort(sets);
  return sets;
}

/// Rows of a part, ascending.
List rows_in(const std::vector<Part>& parts, Part part) {
  List found;
  for (std::uint32_t r = 0; r < parts.size(); ++r)
    if (parts[r] == part) found.push_back(r);
  return found;
}

List sorted(List a, const List& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a);
  return a;
}

/// Solved and residual equations are those of the system, solved and tearing variables likewise, and the
/// solved equations can be evaluated in their order once the tearing variables are known.
void check_torn(const Bipartite& g, const Torn& torn, const Tearing::Solvable& solvable) {
  List equations(g.rows()), variables(g.columns);
  std::iota(equations.begin(), equations.end(), 0u);
  std::iota(variables.begin(), variables.end(), 0u);
  RC_ASSERT(torn.solved_equations.size() == torn.solved_variables.size());
  RC_ASSERT(sorted(torn.solved_equations, torn.residual_equations) == equations);
  RC_ASSERT(sorted(torn.solved_variables, torn.torn) == variables);
  std::vector<bool> known(g.columns, false);
  for (std::uint32_t v : torn.torn) known[v] = true;
  for (std::size_t k = 0; k < torn.solved_equations.size(); ++k) {
    const std::uint32_t e = torn.solved_equations[k], v = torn.solved_variables[k];
    RC_ASSERT(std::ranges::count(g.row(e), v) == 1);
    RC_ASSERT(solvable(e, v));
    for (std::uint32_t input : g.row(e)) RC_ASSERT(input == v || known[input]);
    known[v] = true;
  }
}

}  // namespace

TEST_CASE("a matching uses edges, each row and column once, and is as large as that of CXSparse") {
  property::holds(
      [] {
        const Bipartite g = any_graph();
        RC_LOG() << text(g) << "\n";
        check_maximum(g, maximum_matching(g));
      },
      {.cases = 10000, .size = 120});
}

TEST_CASE("any matching can be extended to a maximum one; its columns stay matched") {
  property::holds(
      [] {
        const Bipartite g = any_graph();
        const Matching part = some_matching(g);
        RC_LOG() << text(g) << "\n";
        Matching m = part;
        augment(g, m);
        check_maximum(g, m);
        for (std::uint32_t c = 0; c < g.columns; ++c)
          RC_ASSERT(part.row_of_column[c] == kNone || m.row_of_column[c] != kNone);
      },
      {.cases = 10000, .size = 120});
}

TEST_CASE("blocks are the strongly connected components, in an order in which each needs earlier ones only") {
  property::holds(
      [] {
        const Bipartite g = any_graph();
        RC_LOG() << text(g) << "\n";
        const Matching m = maximum_matching(g);
        const Blocks blocks = blt(g, m.row_of_column);
        List block_of(g.rows(), kNone);
        for (std::uint32_t b = 0; b < blocks.count(); ++b)
          for (std::uint32_t r : blocks.block(b)) {
            RC_ASSERT(block_of[r] == kNone);
            block_of[r] = b;
          }
        for (std::uint32_t r = 0; r < g.rows(); ++r)
          RC_ASSERT((block_of[r] == kNone) == (m.column_of_row[r] == kNone));
        const auto needs = reachability(g, m);
        for (std::uint32_t r = 0; r < g.rows(); ++r)
          for (std::uint32_t s = 0; s < g.rows(); ++s) {
            if (block_of[r] == kNone || block_of[s] == kNone) continue;
            RC_ASSERT((needs[r][s] && needs[s][r]) == (block_of[r] == block_of[s]));
            RC_ASSERT(!needs[r][s] || block_of[s] <= block_of[r]);
          }
      },
      {.cases = 5000, .size = 60});
}

TEST_CASE("the blocks of a regular graph do not depend on the order of rows and columns") {
  property::holds(
      [] {
        const Bipartite g = regular_graph();
        RC_LOG() << text(g) << "\n";
        const List order = permutation(g.rows()), column = permutation(g.columns);
        std::vector<Edge> edges;
        for (std::uint32_t r = 0; r < g.rows(); ++r)
          for (std::uint32_t c : g.row(order[r])) edges.emplace_back(r, column[c]);
        List own(g.rows());
        std::iota(own.begin(), own.end(), 0u);
        RC_ASSERT(block_sets(graph_of(g.rows(), g.columns, edges), order) == block_sets(g, own));
      },
      {.cases = 5000, .size = 60});
}

TEST_CASE("the coarse decomposition has the rows and columns of that of CXSparse") {
  property::holds(
      [] {
        const Bipartite g = any_graph();
        RC_LOG() << text(g) << "\n";
        const Parts parts = dulmage_mendelsohn(g, maximum_matching(g));
        const suitesparse::Coarse by_rows = suitesparse::dulmage_mendelsohn(g),
                                  by_columns = suitesparse::dulmage_mendelsohn(transpose(g));
        RC_ASSERT(rows_in(parts.rows, Part::Over) == by_rows.over);
        RC_ASSERT(rows_in(parts.rows, Part::Under) == by_rows.under);
        RC_ASSERT(rows_in(parts.columns, Part::Under) == by_columns.over);
        RC_ASSERT(rows_in(parts.columns, Part::Over) == by_columns.under);
      },
      {.cases = 5000, .size = 60});
}

TEST_CASE("tearing covers the block, and what it solves can be evaluated in order") {
  property::holds(
      [] {
        const Bipartite g = regular_graph(), columns = transpose(g);
        const auto unsolvable = some_edges(g.rows(), g.columns);
        RC_LOG() << text(g) << "\n";
        auto solvable = [&](std::uint32_t e, std::uint32_t v) {
          return std::ranges::count(unsolvable, Edge(e, v)) == 0;
        };
        List equations = permutation(g.rows());
        const List variables = permutation(g.columns);
        const std::vector<List> one{variables};
        Tearing tearing(g, columns);
        for (TearingOrder order : {TearingOrder::AsGiven, TearingOrder::FewestFirst})
          check_torn(g, tearing.tear({.equations = equations, .variables = one}, solvable, order), solvable);
        const std::vector<bool> keep(g.columns, false);
        check_torn(g, SparseTearing(g, columns).tear(equations, variables, solvable, keep), solvable);
      },
      {.cases = 5000, .size = 60});
}
