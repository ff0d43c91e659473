#include "compiler/exact/row_dependencies.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler/exact/rational.h"

using namespace sigrel::exact;

TEST_CASE("rational numbers are recognised in the prime field") {
  for (auto [a, b] : {std::pair{2, 3}, {-7, 4}, {1, 1}, {-1, 1000003}, {1 << 20, (1 << 20) - 1}}) {
    const auto found = rational(Field(a) * Field(b).inverse());
    REQUIRE(found.has_value() == (b <= 1 << 20));
    if (!found) continue;
    CHECK(found->numerator == a);
    CHECK(found->denominator == b);
  }
  CHECK(rational(Field{})->numerator == 0);
  CHECK_FALSE(rational(Field::from_bits(0x9E3779B97F4A7C15ull)));
}

TEST_CASE("dependencies of rows: as many as the rank leaves, each for the preferred row") {
  std::mt19937 random(3);
  auto whole = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  for (int trial = 0; trial < 200; ++trial) {
    // Rows 0 … rank-1 have a column of their own; the others are combinations of them.
    const auto rank = static_cast<std::uint32_t>(whole(1, 6)), more = static_cast<std::uint32_t>(whole(0, 4)),
               count = rank + more;
    std::vector<std::vector<int>> dense(count, std::vector<int>(rank + 3, 0));
    for (std::uint32_t r = 0; r < rank; ++r) {
      for (int& value : dense[r]) value = whole(-2, 2);
      for (std::uint32_t c = 0; c < rank; ++c) dense[r][c] = c == r;
    }
    for (std::uint32_t r = rank; r < count; ++r)
      for (std::uint32_t from = 0; from < rank; ++from)
        for (int c = 0, factor = whole(-2, 2); c < static_cast<int>(rank) + 3; ++c)
          dense[r][static_cast<std::size_t>(c)] += factor * dense[from][static_cast<std::size_t>(c)];
    std::vector<SparseRow> columns(rank + 3);
    for (std::uint32_t r = 0; r < count; ++r)
      for (std::uint32_t c = 0; c < rank + 3; ++c)
        if (dense[r][c] != 0) columns[c].push_back({r, Field(dense[r][c])});
    std::vector<std::uint32_t> preferred(count);
    for (std::uint32_t r = 0; r < count; ++r) preferred[r] = r;
    std::ranges::shuffle(preferred, random);

    const std::vector<Dependency> found = row_dependencies(columns, preferred, 1'000'000);
    CHECK(found.size() == more);
    for (const Dependency& d : found) {
      CHECK(find(d.factors, d.row)->value == Field(1));
      for (const Dependency& other : found)
        if (other.row != d.row) CHECK_FALSE(find(other.factors, d.row));
      for (std::uint32_t c = 0; c < rank + 3; ++c) {
        Field sum;
        for (const Entry& e : d.factors) sum += e.value * Field(dense[e.column][c]);
        CHECK(sum.zero());
      }
      const auto place = [&](std::uint32_t row) { return std::ranges::find(preferred, row); };
      for (const Entry& e : d.factors) CHECK(place(d.row) <= place(e.column));
    }
  }
}
