// Matrices of any shape and of a known rank.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/linear/pivoted_qr.h"

using namespace runtime;

namespace {

/// A product of random factors, so that the rank is `rank`.
DenseMatrix random_matrix(std::size_t rows, std::size_t columns, std::size_t rank, std::mt19937& random) {
  std::uniform_real_distribution<double> entry(-1, 1);
  DenseMatrix left(rows, rank), right(rank, columns), product(rows, columns);
  for (double& v : left.values) v = entry(random);
  for (double& v : right.values) v = entry(random);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      for (std::size_t k = 0; k < rank; ++k) product(r, c) += left(r, k) * right(k, c);
  return product;
}

std::vector<double> times(const DenseMatrix& a, const std::vector<double>& x) {
  std::vector<double> result(a.rows, 0.0);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < a.columns; ++c) result[r] += a(r, c) * x[c];
  return result;
}

}  // namespace

TEST_CASE("pivoted QR: the rank, and a solution if there is one") {
  std::mt19937 random(1);
  for (std::size_t rows = 1; rows <= 7; ++rows)
    for (std::size_t columns = 1; columns <= 7; ++columns)
      for (std::size_t rank = 0; rank <= std::min(rows, columns); ++rank) {
        INFO(rows << " rows, " << columns << " columns, rank " << rank);
        const DenseMatrix a = random_matrix(rows, columns, rank, random);
        const PivotedQr factors(a);
        CHECK(factors.rank() == rank);
        std::vector<double> x(columns);
        for (double& v : x) v = std::uniform_real_distribution<double>(-1, 1)(random);
        const std::vector<double> b = times(a, x), found = factors.solve(b), again = times(a, found);
        for (std::size_t r = 0; r < rows; ++r) CHECK(again[r] == Approx(b[r]).margin(1e-10));
        // Of all solutions the one of least norm is orthogonal to its difference from any other.
        double product = 0;
        for (std::size_t c = 0; c < columns; ++c) product += found[c] * (x[c] - found[c]);
        CHECK(product == Approx(0).margin(1e-9));
        for (const bool determined : factors.determined()) CHECK(determined == (rank == columns));
      }
}

TEST_CASE("pivoted QR: unknowns that are determined although others are not") {
  // x1 = 1, x2 + x3 = 2
  DenseMatrix a(2, 3);
  a(0, 0) = a(1, 1) = a(1, 2) = 1;
  CHECK(PivotedQr(a).determined() == std::vector<bool>{true, false, false});
  // Pivots are compared with 1, not with each other: rows are scaled.
  DenseMatrix tiny(1, 1);
  tiny(0, 0) = 1e-14;
  CHECK(PivotedQr(tiny).rank() == 0);
  CHECK(PivotedQr(tiny).determined() == std::vector<bool>{false});
}

TEST_CASE("rows that add up to zero, and to a contradiction where there is one") {
  std::mt19937 random(2);
  for (std::size_t rank = 0; rank <= 3; ++rank) {
    const DenseMatrix a = random_matrix(5, 3, rank, random);
    const std::vector<double> factors = row_combination(a, std::vector<double>(5, 0.0));
    REQUIRE(factors.size() == 5);
    double largest = 0;
    for (double f : factors) largest = std::max(largest, std::abs(f));
    CHECK(largest == Approx(1));
    for (std::size_t c = 0; c < 3; ++c) {
      double sum = 0;
      for (std::size_t r = 0; r < 5; ++r) sum += factors[r] * a(r, c);
      CHECK(sum == Approx(0).margin(1e-9));
    }
  }
  CHECK(row_combination(random_matrix(3, 3, 3, random), std::vector<double>(3, 0.0)).empty());
  // x = 1, x = 1, y = 2, y = 3: the last two.
  DenseMatrix a(4, 2);
  a(0, 0) = a(1, 0) = a(2, 1) = a(3, 1) = 1;
  const std::vector<double> factors = row_combination(a, std::vector<double>{1, 1, 2, 3});
  REQUIRE(factors.size() == 4);
  CHECK(factors[0] == 0);
  CHECK(factors[1] == 0);
  CHECK(factors[2] == Approx(-factors[3]));
}
