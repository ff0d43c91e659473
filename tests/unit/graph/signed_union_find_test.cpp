#include "compiler/graph/signed_union_find.h"

#include <catch2/catch.hpp>
#include <random>

using sigrel::graph::SignedUnionFind;
using Outcome = SignedUnionFind::Outcome;

TEST_CASE("the example: equal, opposite, and a conflict") {
  SignedUnionFind classes(3);
  CHECK(classes.unite(0, 1, false).outcome == Outcome::Merged);
  CHECK(classes.unite(1, 2, true).outcome == Outcome::Merged);
  CHECK(classes.find(0).root == classes.find(2).root);
  CHECK(classes.find(0).negative != classes.find(2).negative);
  CHECK(classes.unite(0, 2, true).outcome == Outcome::Known);
  CHECK(classes.unite(0, 2, false).outcome == Outcome::Conflict);
}

TEST_CASE("random unions against explicit labels") {
  std::mt19937 random(5);
  for (int k = 0; k < 300; ++k) {
    int n = 1 + random() % 12;
    SignedUnionFind classes(n);
    std::vector<int> label(n), sign(n, 1);
    for (int i = 0; i < n; ++i) label[i] = i;
    for (int step = 0; step < 20; ++step) {
      int a = random() % n, b = random() % n;
      bool opposite = random() % 2;
      Outcome expected = Outcome::Merged;
      if (label[a] == label[b])
        expected = (sign[a] != sign[b]) == opposite ? Outcome::Known : Outcome::Conflict;
      REQUIRE(classes.unite(a, b, opposite).outcome == expected);
      if (expected == Outcome::Merged) {
        int from = label[b], to = label[a], flip = sign[a] * sign[b] * (opposite ? -1 : 1);
        for (int i = 0; i < n; ++i)
          if (label[i] == from) {
            label[i] = to;
            sign[i] *= flip;
          }
      }
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          auto x = classes.find(i), y = classes.find(j);
          REQUIRE((x.root == y.root) == (label[i] == label[j]));
          if (x.root == y.root) REQUIRE((x.negative == y.negative) == (sign[i] == sign[j]));
        }
    }
  }
}

TEST_CASE("a million unions in a chain, from either end") {
  constexpr std::uint32_t n = 1000000;
  for (bool forward : {true, false}) {
    SignedUnionFind classes(n);
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      std::uint32_t at = forward ? i : n - 2 - i;
      classes.unite(at, at + 1, true);
    }
    auto first = classes.find(0), last = classes.find(n - 1);
    CHECK(first.root == last.root);
    CHECK(first.negative != last.negative);
  }
}
