// Over- and under-determined sets against their definitions, on random systems.
#include "compiler/singularity/structural_causes.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <set>

#include "compiler/graph/matching.h"

using namespace sigrel;
using singularity::StructuralCauses, singularity::structural_causes;
using Numbers = std::vector<std::uint32_t>;

namespace {

graph::Bipartite rows(std::uint32_t columns, const std::vector<Numbers>& list) {
  graph::Bipartite g;
  g.columns = columns;
  for (const Numbers& row : list) {
    g.targets.insert(g.targets.end(), row.begin(), row.end());
    g.end_row();
  }
  return g;
}

std::vector<Numbers> random_rows(std::mt19937& random, std::uint32_t columns) {
  std::vector<Numbers> list(random() % 9);
  for (Numbers& row : list) {
    std::set<std::uint32_t> members;
    for (std::size_t k = random() % 4; k-- > 0;)
      members.insert(static_cast<std::uint32_t>(random() % columns));
    row.assign(members.begin(), members.end());
  }
  return list;
}

std::uint32_t matched(std::uint32_t columns, const std::vector<Numbers>& list, const Numbers& chosen) {
  std::vector<Numbers> part;
  for (std::uint32_t r : chosen) part.push_back(list[r]);
  return graph::maximum_matching(rows(columns, part)).size();
}

}  // namespace

TEST_CASE("the example of the header") {
  enum { x, y, z, u };
  const graph::Bipartite g = rows(4, {{x}, {x}, {y, z}, {u}});
  StructuralCauses causes = structural_causes(g);
  REQUIRE(causes.over);
  CHECK(causes.over->set.rows == Numbers{0, 1});
  CHECK(causes.over->set.columns == Numbers{x});
  CHECK(causes.over->surplus == 1);
  REQUIRE(causes.under.size() == 1);
  CHECK(causes.under[0].set.columns == Numbers{y, z});
  CHECK(causes.under[0].set.rows == Numbers{2});
  CHECK(causes.under[0].occurrences == Numbers{1, 1});
  CHECK(causes.under[0].missing == 1);
  CHECK(causes.under[0].undetermined == Numbers{y, z});
  CHECK(structural_causes(g, 2).under.empty());  // y is in the interface
}

TEST_CASE("over-determined: the first rows, in their order, that have too few columns, and no fewer") {
  std::mt19937 random(1);
  std::size_t found = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto columns = static_cast<std::uint32_t>(random() % 6 + 1);
    const std::vector<Numbers> list = random_rows(random, columns);
    const StructuralCauses causes =
        structural_causes(rows(columns, list), static_cast<std::uint32_t>(random() % (columns + 1)));
    Numbers all(list.size());
    for (std::uint32_t r = 0; r < all.size(); ++r) all[r] = r;
    const std::size_t surplus = list.size() - matched(columns, list, all);
    REQUIRE(causes.over.has_value() == (surplus > 0));
    if (!causes.over) continue;
    ++found;
    CHECK(causes.over->surplus == surplus);
    const Numbers& set = causes.over->set.rows;
    std::set<std::uint32_t> occurring;
    for (std::uint32_t r : set) occurring.insert(list[r].begin(), list[r].end());
    CHECK(Numbers(occurring.begin(), occurring.end()) == causes.over->set.columns);
    CHECK(occurring.size() + 1 == set.size());
    for (std::uint32_t without : set) {
      Numbers rest = set;
      std::erase(rest, without);
      CHECK(matched(columns, list, rest) == rest.size());
    }
    const Numbers before(all.begin(), all.begin() + set.back());
    CHECK(matched(columns, list, before) == before.size());
  }
  CHECK(found > 500);
}

TEST_CASE("under-determined: minimal sets that share no row, among the columns that can stay unmatched") {
  std::mt19937 random(2);
  std::size_t found = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto columns = static_cast<std::uint32_t>(random() % 6 + 1);
    const auto interface = static_cast<std::uint32_t>(random() % columns);
    const std::vector<Numbers> list = random_rows(random, columns);
    const StructuralCauses causes = structural_causes(rows(columns, list), interface);
    // By columns, the hidden ones alone.
    std::vector<Numbers> of_column(columns - interface);
    for (std::uint32_t r = 0; r < list.size(); ++r)
      for (std::uint32_t c : list[r])
        if (c >= interface) of_column[c - interface].push_back(r);
    const auto row_count = static_cast<std::uint32_t>(list.size());
    Numbers all(of_column.size());
    for (std::uint32_t c = 0; c < all.size(); ++c) all[c] = c;
    const std::uint32_t most = matched(row_count, of_column, all);
    Numbers loose;
    for (std::uint32_t c : all) {
      Numbers rest = all;
      std::erase(rest, c);
      if (matched(row_count, of_column, rest) == most) loose.push_back(c + interface);
    }
    Numbers reported, undetermined;
    std::set<std::uint32_t> seen_rows;
    std::size_t missing = 0;
    for (const singularity::UnderDetermined& part : causes.under) {
      undetermined.insert(undetermined.end(), part.undetermined.begin(), part.undetermined.end());
      ++found;
      reported.insert(reported.end(), part.set.columns.begin(), part.set.columns.end());
      missing += part.missing;
      CHECK(part.set.columns.size() == part.set.rows.size() + 1);
      CHECK(part.missing >= 1);
      std::set<std::uint32_t> expected;
      for (std::uint32_t c : part.set.columns)
        expected.insert(of_column[c - interface].begin(), of_column[c - interface].end());
      CHECK(Numbers(expected.begin(), expected.end()) == part.set.rows);
      for (std::uint32_t r : part.set.rows) CHECK(seen_rows.insert(r).second);
      for (std::size_t k = 0; k < part.occurrences.size(); ++k)
        CHECK(part.occurrences[k] == of_column[part.set.columns[k] - interface].size());
    }
    std::ranges::sort(reported);
    std::ranges::sort(undetermined);
    CHECK(undetermined == loose);
    CHECK(std::ranges::includes(loose, reported));
    CHECK(reported.empty() == loose.empty());
    CHECK(missing == of_column.size() - most);
  }
  CHECK(found > 500);
}
