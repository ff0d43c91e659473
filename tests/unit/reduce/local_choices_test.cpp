// Cutting a large choice of states into small ones.
#include "compiler/reduce/local_choices.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace sigrel::reduce;

namespace {

using Columns = std::vector<std::vector<std::uint32_t>>;

/// More columns than rows.
bool wide(const LocalChoice& choice) { return choice.columns.size() > choice.rows.size(); }

/// Each row and each column once; the columns of a choice have no entries in rows of later ones.
void check_triangular(std::uint32_t rows, const Columns& columns, const std::vector<LocalChoice>& choices) {
  constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::vector<std::uint32_t> choice_of(rows, kNone);
  std::vector<bool> used(columns.size(), false);
  for (std::uint32_t k = 0; k < choices.size(); ++k) {
    CHECK(wide(choices[k]));
    for (std::uint32_t row : choices[k].rows) {
      CHECK(choice_of[row] == kNone);
      choice_of[row] = k;
    }
  }
  CHECK(std::ranges::find(choice_of, kNone) == choice_of.end());
  for (std::uint32_t k = 0; k < choices.size(); ++k)
    for (std::uint32_t c : choices[k].columns) {
      CHECK_FALSE(used[c]);
      used[c] = true;
      CHECK(std::ranges::all_of(columns[c], [&](std::uint32_t row) { return choice_of[row] <= k; }));
    }
  CHECK(std::ranges::find(used, false) == used.end());
}

/// The columns x and y of the joints of a chain of rods; row i is the rod between joints i - 1 and i.
Columns chain(std::uint32_t rods, bool both_ends_fixed) {
  Columns columns;
  for (std::uint32_t joint = 0; joint + (both_ends_fixed ? 1 : 0) < rods; ++joint)
    for (int k = 0; k < 2; ++k) {
      columns.push_back({joint});
      if (joint + 1 < rods) columns.back().push_back(joint + 1);
    }
  return columns;
}

}  // namespace

TEST_CASE("a chain with a free end: each rod by itself, from that end") {
  const auto choices = local_choices(5, chain(5, false), 64, wide);
  REQUIRE(choices);
  check_triangular(5, chain(5, false), *choices);
  REQUIRE(choices->size() == 5);
  CHECK((*choices)[0].rows == std::vector<std::uint32_t>{4});
  CHECK((*choices)[0].columns == std::vector<std::uint32_t>{8, 9});
}

TEST_CASE("a chain with fixed ends: three rods first, the others by themselves") {
  const auto choices = local_choices(9, chain(9, true), 64, wide);
  REQUIRE(choices);
  check_triangular(9, chain(9, true), *choices);
  CHECK(choices->size() == 7);
  CHECK((*choices)[0].rows.size() == 3);
}

TEST_CASE("rows that belong to no choice") {
  const Columns square{{0, 1}, {1, 2}, {0, 2}};
  CHECK_FALSE(local_choices(3, square, 64, wide));
  CHECK_FALSE(local_choices(9, chain(9, true), 2, wide));  // three rows are needed
  CHECK_FALSE(local_choices(3, chain(3, false), 64, [](const LocalChoice&) { return false; }));
}

TEST_CASE("nets of rods in space") {
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    const std::uint32_t n = 2 + random() % 12;
    Columns columns(std::size_t{3} * n * n);  // three coordinates of each node
    std::uint32_t rows = 0;
    auto rod = [&](std::uint32_t a, std::uint32_t b) {
      if (random() % 8 == 0) return;
      for (std::uint32_t k = 0; k < 3; ++k)
        columns[3 * a + k].push_back(rows), columns[3 * b + k].push_back(rows);
      ++rows;
    };
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t k = 0; k < n; ++k) {
        if (k + 1 < n) rod(i * n + k, i * n + k + 1);
        if (i + 1 < n) rod(i * n + k, i * n + n + k);
      }
    std::erase_if(columns, [](const auto& column) { return column.empty(); });
    const auto choices = local_choices(rows, columns, 64, wide);
    REQUIRE(choices);
    check_triangular(rows, columns, *choices);
  }
}
