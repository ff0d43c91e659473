#include "compiler/exact/sparse_elimination.h"

#include <catch2/catch.hpp>
#include <random>

#include "compiler/exact/null_space.h"

using namespace sigrel::exact;

namespace {

template <class Value>
std::vector<RowOver<Value>> rows(const std::vector<std::vector<int>>& dense) {
  std::vector<RowOver<Value>> result;
  for (const auto& line : dense) {
    RowOver<Value>& row = result.emplace_back();
    for (std::uint32_t c = 0; c < line.size(); ++c)
      if (line[c] != 0) row.push_back({c, Value(line[c])});
  }
  return result;
}

std::vector<std::vector<int>> random_matrix(std::mt19937& random, std::size_t rows, std::size_t columns) {
  std::vector<std::vector<int>> m(rows, std::vector<int>(columns));
  for (auto& row : m)
    for (int& v : row) v = random() % 3 == 0 ? static_cast<int>(random() % 5) - 2 : 0;
  return m;
}

/// The rank by dense elimination over the field.
std::size_t dense_rank(const std::vector<std::vector<int>>& dense, std::size_t columns) {
  std::vector<std::vector<Field>> m;
  for (const auto& line : dense) {
    auto& row = m.emplace_back();
    for (int v : line) row.push_back(Field(v));
  }
  std::size_t rank = 0;
  for (std::size_t c = 0; c < columns && rank < m.size(); ++c) {
    std::size_t p = rank;
    while (p < m.size() && m[p][c].zero()) ++p;
    if (p == m.size()) continue;
    std::swap(m[p], m[rank]);
    for (std::size_t r = rank + 1; r < m.size(); ++r) {
      const Field factor = m[r][c] * m[rank][c].inverse();
      for (std::size_t k = 0; k < m[r].size(); ++k) m[r][k] = m[r][k] - factor * m[rank][k];
    }
    ++rank;
  }
  return rank;
}

constexpr std::size_t kUnlimited = 1'000'000;

}  // namespace

TEST_CASE("the example of elimination, over the field and over the integers") {
  auto field = eliminate(rows<Field>({{1, -1}, {1, -1, 5}}), 2, kUnlimited);
  REQUIRE(field);
  REQUIRE(field->pivots.size() == 1);
  const SparseRow& left = field->rows[1 - field->pivots[0].row];
  REQUIRE(left.size() == 1);
  CHECK(left[0].column == 2);
  CHECK(left[0].value == Field(5));

  auto integers = eliminate(rows<std::int64_t>({{1, -1}, {1, -1, 5}}), 2, kUnlimited);
  REQUIRE(integers.pivots.size() == 1);
  CHECK(integers.given_up.empty());
  const IntegerRow& whole = integers.rows[1 - integers.pivots[0].row];
  REQUIRE(whole.size() == 1);
  CHECK(whole[0].column == 2);
  CHECK(std::abs(whole[0].value) == 1);
}

TEST_CASE("elimination finds the rank, and leaves no eliminated column outside pivot rows") {
  std::mt19937 random(5);
  for (int k = 0; k < 500; ++k) {
    const std::uint32_t columns = 2 + random() % 8, eliminated = 1 + random() % columns;
    const auto dense = random_matrix(random, 1 + random() % 8, columns);
    auto check = [&](const auto& echelon) {
      CHECK(echelon.pivots.size() == dense_rank(dense, eliminated));
      std::vector<bool> used(dense.size(), false);
      for (const auto& pivot : echelon.pivots) used[pivot.row] = true;
      for (std::size_t r = 0; r < used.size(); ++r)
        if (!used[r])
          for (const auto& e : echelon.rows[r]) CHECK(e.column >= eliminated);
    };
    auto field = eliminate(rows<Field>(dense), eliminated, kUnlimited);
    REQUIRE(field);
    check(*field);
    auto integers = eliminate(rows<std::int64_t>(dense), eliminated, kUnlimited);
    REQUIRE(integers.given_up.empty());
    check(integers);
    // Both say the same about which rows follow from the others.
    for (std::size_t r = 0; r < dense.size(); ++r) CHECK(field->rows[r].empty() == integers.rows[r].empty());
  }
}

TEST_CASE("a row whose coefficients become too large is given up as it was") {
  const int large = 1 << 15;
  auto echelon = eliminate(rows<std::int64_t>({{large, 1}, {large + 1, 0, large - 1}}), 1, kUnlimited);
  REQUIRE(echelon.pivots.size() == 1);
  REQUIRE(echelon.given_up.size() == 1);
  CHECK(echelon.given_up[0] != echelon.pivots[0].row);
  CHECK(echelon.rows[echelon.given_up[0]].front().column == 0);
}

TEST_CASE("elimination stops at its limit of work") {
  std::vector<std::vector<int>> full(12, std::vector<int>(12));
  std::mt19937 random(3);
  for (auto& row : full)
    for (int& v : row) v = 1 + static_cast<int>(random() % 9);
  CHECK_FALSE(eliminate(rows<Field>(full), 12, 100));
  CHECK(eliminate(rows<std::int64_t>(full), 12, 100).given_up.size() >= 2);
}

TEST_CASE("the example of the null space") {
  auto echelon = eliminate(rows<Field>({{1, -2, 0}}), 3, kUnlimited);
  REQUIRE(echelon);
  REQUIRE(echelon->pivots[0].column == 0);
  auto vectors = null_space(*echelon, 3, 10);
  REQUIRE(vectors.size() == 2);
  REQUIRE(vectors[0].size() == 2);
  CHECK(vectors[0][0].value == Field(2));
  CHECK(vectors[0][1].value == Field(1));
  REQUIRE(vectors[1].size() == 1);
  CHECK(vectors[1][0].column == 2);
  CHECK(null_space(*echelon, 3, 1).size() == 1);
}

TEST_CASE("null vectors are annihilated, and there are as many as columns without rank") {
  std::mt19937 random(8);
  for (int k = 0; k < 500; ++k) {
    const std::uint32_t columns = 1 + random() % 9;
    const auto matrix = rows<Field>(random_matrix(random, 1 + random() % 7, columns));
    auto echelon = eliminate(matrix, columns, kUnlimited);
    REQUIRE(echelon);
    const auto vectors = null_space(*echelon, columns, columns);
    CHECK(vectors.size() == columns - echelon->pivots.size());
    for (const SparseRow& vector : vectors)
      for (const SparseRow& row : matrix) {
        Field sum;
        for (const Entry& e : row)
          if (const Entry* x = find(vector, e.column)) sum += e.value * x->value;
        CHECK(sum.zero());
      }
  }
}
