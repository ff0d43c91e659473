// The same graphs through BTF and CSparse. Rows are given as columns: the blocks of a transpose are the same
// sets, in reverse.
#pragma once
#include <suitesparse/btf.h>
#include <suitesparse/cs.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "compiler/graph/bipartite.h"

namespace suitesparse {

struct Matrix {
  std::vector<int> offsets, targets;
  int n;
  explicit Matrix(const sigrel::graph::Bipartite& g)
      : offsets(g.offsets.begin(), g.offsets.end()),
        targets(g.targets.begin(), g.targets.end()),
        n(static_cast<int>(g.rows())) {}
};

/// Block of each row, -1 of those in no matching; how many rows are matched.
struct Blocks {
  std::vector<int> block_of_row;
  int count = 0, matched = 0;
};
inline Blocks btf(Matrix& m) {
  const auto n = static_cast<std::size_t>(m.n);
  std::vector<int> p(n), q(n), r(n + 1), work(5 * n);
  double done = 0;
  Blocks result;
  result.count = btf_order(m.n, m.offsets.data(), m.targets.data(), 0, &done, p.data(), q.data(), r.data(),
                           &result.matched, work.data());
  result.block_of_row.assign(n, -1);
  for (int b = 0; b < result.count; ++b)
    for (int k = r[b]; k < r[b + 1]; ++k)
      if (q[k] >= 0) result.block_of_row[q[k]] = b;
  return result;
}

/// Rows of the over-determined and the under-determined part, ascending. Any number of rows and columns.
struct Coarse {
  std::vector<std::uint32_t> over, under;
};
inline Coarse dulmage_mendelsohn(const sigrel::graph::Bipartite& g) {
  std::vector<int> offsets(g.offsets.begin(), g.offsets.end()), targets(g.targets.begin(), g.targets.end());
  cs_di matrix{};
  matrix.nzmax = static_cast<int>(targets.size());
  matrix.m = static_cast<int>(g.columns);
  matrix.n = static_cast<int>(g.rows());
  matrix.p = offsets.data();
  matrix.i = targets.data();
  matrix.nz = -1;
  cs_did* d = cs_di_dmperm(&matrix, 0);
  Coarse result;
  // Columns of the matrix, our rows: C0 C1 under-determined there (more columns than rows), C2 square, C3
  // over-determined there.
  for (int k = d->cc[0]; k < d->cc[2]; ++k) result.over.push_back(static_cast<std::uint32_t>(d->q[k]));
  for (int k = d->cc[3]; k < d->cc[4]; ++k) result.under.push_back(static_cast<std::uint32_t>(d->q[k]));
  cs_di_dfree(d);
  std::ranges::sort(result.over);
  std::ranges::sort(result.under);
  return result;
}

}  // namespace suitesparse
