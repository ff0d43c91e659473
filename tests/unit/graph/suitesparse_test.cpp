// Our matching and blocks against those of BTF and CSparse.
#include "tests/unit/graph/suitesparse.h"

#include <catch2/catch.hpp>
#include <map>

#include "compiler/graph/blt.h"
#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/matching.h"
#include "tests/unit/graph/graphs.h"

using namespace sigrel::graph;

namespace {

/// Equal sets of rows in equal blocks, and each needs earlier ones only.
void same_blocks(const Bipartite& g) {
  Matching matching = maximum_matching(g);
  suitesparse::Matrix matrix(g);
  suitesparse::Blocks theirs = suitesparse::btf(matrix);
  REQUIRE(matching.size() == static_cast<std::uint32_t>(theirs.matched));
  if (matching.size() < g.rows()) return;  // blocks depend on the matching then
  Blocks ours = blt(g, matching.row_of_column);
  REQUIRE(ours.count() == static_cast<std::uint32_t>(theirs.count));
  std::vector<std::uint32_t> position(g.rows());
  bool equal = true, in_order = true;
  for (std::uint32_t b = 0; b < ours.count(); ++b)
    for (std::uint32_t r : ours.block(b)) {
      equal &= theirs.block_of_row[r] == theirs.block_of_row[ours.block(b)[0]];
      position[r] = b;
    }
  for (std::uint32_t r = 0; r < g.rows(); ++r)
    for (std::uint32_t c : g.row(r)) in_order &= position[matching.row_of_column[c]] <= position[r];
  CHECK(equal);
  CHECK(in_order);
}

/// n rows with a hidden perfect matching and about `extra` further entries each, near it or anywhere.
Bipartite hidden_matching(std::mt19937& random, std::uint32_t n, double extra, std::uint32_t reach) {
  std::vector<std::uint32_t> partner(n);
  std::iota(partner.begin(), partner.end(), 0u);
  std::ranges::shuffle(partner, random);
  Bipartite g;
  g.columns = n;
  std::poisson_distribution<std::uint32_t> more(extra);
  for (std::uint32_t r = 0; r < n; ++r) {
    g.targets.push_back(partner[r]);
    for (std::uint32_t k = more(random); k > 0; --k) {
      std::uint32_t other =
          reach ? (r + n - reach + random() % (2 * reach + 1)) % n : static_cast<std::uint32_t>(random() % n);
      if (partner[other] != partner[r]) g.targets.push_back(partner[other]);
    }
    std::sort(g.targets.begin() + g.offsets.back(), g.targets.end());
    g.targets.erase(std::unique(g.targets.begin() + g.offsets.back(), g.targets.end()), g.targets.end());
    g.end_row();
  }
  return g;
}

}  // namespace

TEST_CASE("Random square graphs: rank and blocks as BTF finds them") {
  std::mt19937 random(11);
  for (int i = 0; i < 400; ++i) {
    std::uint32_t n = 1 + random() % 40;
    same_blocks(random_graph(random, n, n, (0.5 + random() % 30 * 0.1) / n));
    same_blocks(hidden_matching(random, n, 0.2 * (random() % 15), random() % 5));
  }
}

TEST_CASE("Random graphs: the coarse decomposition as CSparse finds it") {
  std::mt19937 random(12);
  for (int i = 0; i < 400; ++i) {
    std::uint32_t rows = 1 + random() % 30, columns = 1 + random() % 30;
    Bipartite g = random_graph(random, rows, columns, (0.5 + random() % 30 * 0.1) / columns);
    Parts ours = dulmage_mendelsohn(g, maximum_matching(g));
    suitesparse::Coarse theirs = suitesparse::dulmage_mendelsohn(g);
    std::vector<std::uint32_t> over, under;
    for (std::uint32_t r = 0; r < rows; ++r) {
      if (ours.rows[r] == Part::Over) over.push_back(r);
      if (ours.rows[r] == Part::Under) under.push_back(r);
    }
    CHECK(over == theirs.over);
    CHECK(under == theirs.under);
  }
}

TEST_CASE("Large graphs: blocks as BTF finds them") {
  std::mt19937 random(13);
  same_blocks(hidden_matching(random, 200'000, 1.0, 0));  // one block of most rows and many small ones
  same_blocks(hidden_matching(random, 200'000, 1.5, 3));  // a model: neighbours
  same_blocks(band(200'000, 2));
  same_blocks(band(1'000'000, 1));
}
