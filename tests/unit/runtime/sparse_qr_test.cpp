// SparseQr and RectangularLu agree with PivotedQr, on random sparse matrices whose rank is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "runtime/linear/pivoted_qr.h"
#include "runtime/linear/rectangular_lu.h"
#include "runtime/linear/sparse_qr.h"

using namespace runtime;

namespace {

struct Both {
  DenseMatrix dense;
  std::vector<SparseMatrixEntry> sparse;
};

/// Rows with three entries of magnitude 0.5 to 1, of which those beyond `independent` are sums of two others,
/// in a random order. Columns from `empty` on are zero.
Both draw(std::mt19937& random, std::uint32_t rows, std::uint32_t columns, std::uint32_t independent,
          std::uint32_t empty) {
  auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  Both m{DenseMatrix(rows, columns), {}};
  std::vector<std::uint32_t> place(rows);
  for (std::uint32_t r = 0; r < rows; ++r) place[r] = r;
  std::shuffle(place.begin(), place.end(), random);
  for (std::uint32_t r = 0; r < rows; ++r)
    if (r < independent)
      for (int k = 0; k < 3; ++k)
        m.dense(place[r], below(empty)) = (below(2) ? 1 : -1) * (0.5 + below(1000) / 2000.0);
    else
      for (std::uint32_t c = 0, a = below(independent), b = below(independent); c < columns; ++c)
        m.dense(place[r], c) = 0.5 * m.dense(place[a], c) - m.dense(place[b], c);
  for (std::uint32_t r = 0; r < rows; ++r)
    for (std::uint32_t c = 0; c < columns; ++c)
      if (m.dense(r, c) != 0) m.sparse.push_back({r, c, m.dense(r, c)});
  return m;
}

}  // namespace

TEST_CASE("rank, determined unknowns and solutions are those of the dense decomposition") {
  std::mt19937 random(7);
  std::size_t deficient = 0, partly = 0;
  for (int k = 0; k < 400; ++k) {
    const std::uint32_t columns = 3 + random() % 30, independent = 1 + random() % columns,
                        rows = independent + random() % 10, empty = columns - random() % 3;
    Both m = draw(random, rows, columns, independent, empty);
    INFO("matrix " << k << ": " << rows << " x " << columns);
    const PivotedQr dense(m.dense);
    const SparseQr sparse(rows, columns, m.sparse);
    const RectangularLu eliminated(rows, columns, m.sparse);
    CHECK(sparse.rank() == dense.rank());
    CHECK(eliminated.rank() == dense.rank());
    const std::vector<bool> determined = dense.determined();
    CHECK(sparse.determined() == determined);
    CHECK(eliminated.determined() == determined);
    deficient += dense.rank() < columns;
    partly += dense.rank() < columns && std::ranges::find(determined, true) != determined.end();

    std::vector<double> x(columns), right(rows, 0.0);
    for (double& value : x) value = static_cast<double>(random() % 100) / 50 - 1;
    for (const SparseMatrixEntry& e : m.sparse) right[e.row] += e.value * x[e.column];
    for (const std::vector<double>& found : {sparse.solve(right), eliminated.solve(right)}) {
      std::vector<double> left = right;
      for (const SparseMatrixEntry& e : m.sparse) left[e.row] -= e.value * found[e.column];
      for (const double r : left) CHECK(std::abs(r) < 1e-8);
      for (std::uint32_t c = 0; c < columns; ++c)
        if (determined[c]) CHECK(found[c] == Approx(x[c]).margin(1e-7));
    }
  }
  CHECK(deficient > 100);
  CHECK(partly > 50);
}
