// Rank of a sparse matrix of any shape by QR decomposition: what PivotedQr tells of a dense one. Columns are
// ordered by COLAMD; those that depend on the ones before are moved to the end (Davis, Direct Methods for
// Sparse Linear Systems, 2006, sections 5.4 and 7.7; Heath, SIAM J. Sci. Stat. Comput. 3, 1982). Columns are
// not chosen by size, so a small pivot stands for a rank that is lost only as a rule.
//
// The entries should be scaled so that each row, and each column, is of magnitude 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace runtime {

struct SparseMatrixEntry {
  std::uint32_t row, column;
  double value;
};

class SparseQr {
 public:
  /// Entries at the same place add up.
  SparseQr(std::size_t rows, std::size_t columns, std::span<const SparseMatrixEntry> entries);
  ~SparseQr();

  /// As of PivotedQr, with its threshold.
  std::size_t rank() const;
  std::vector<double> solve(std::span<const double> right_hand_side) const;
  std::vector<bool> determined() const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace runtime
