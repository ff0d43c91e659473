// Sparse LU factors of a matrix of any shape: Gaussian elimination with pivots that keep it sparse and are
// not much smaller than the other entries of their column (Markowitz, Management Science 3, 1957; Duff,
// Erisman and Reid, Direct Methods for Sparse Matrices, 2017, chapter 7). What is left without such a pivot
// is small as a rule, and decomposed by PivotedQr.
//
// Much faster than SparseQr. But where the equations contradict each other, those of the pivots hold exactly,
// and only the others in the sense of least squares.
//
// The entries should be scaled so that each row, and each column, is of magnitude 1.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/pivoted_qr.h"
#include "runtime/linear/sparse_qr.h"

namespace runtime {

class RectangularLu {
 public:
  /// Entries at the same place add up.
  RectangularLu(std::size_t rows, std::size_t columns, std::span<const SparseMatrixEntry> entries);

  /// Whether what is left without pivots is too large for a dense decomposition: then nothing else is known.
  bool fills_in() const { return fills_in_; }
  std::size_t rank() const { return pivots_.size() + (rest_ ? rest_->rank() : 0); }
  std::vector<double> solve(std::span<const double> right_hand_side) const;
  /// As of PivotedQr.
  std::vector<bool> determined() const;

 private:
  struct Entry {
    std::uint32_t column;
    double value;
  };
  struct Factor {
    std::uint32_t row;
    double value;
  };
  struct Pivot {
    std::uint32_t row, column;
    double value;
    std::vector<Factor> factors;  // of the pivot's row, subtracted from others
    std::vector<Entry> others;    // entries of its row, but the pivot
  };

  bool eliminate(std::uint32_t column);
  void subtract(std::uint32_t from, std::uint32_t pivot_row, double factor);
  void decompose_rest();
  void substitute_back(std::span<const double> right, std::vector<double>& x) const;

  std::size_t columns_ = 0;
  std::vector<std::vector<Entry>> rows_;             // not yet pivots; by column
  std::vector<std::vector<std::uint32_t>> rows_of_;  // by column; some have no entry there any more
  std::vector<bool> is_pivot_row_;
  std::vector<Entry> merged_;
  std::vector<Pivot> pivots_;
  std::vector<std::uint32_t> rest_rows_, rest_columns_;
  std::optional<PivotedQr> rest_;
  bool fills_in_ = false;
};

}  // namespace runtime
