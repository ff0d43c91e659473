// Factors of a sparse matrix by dense blocks, for matrices that fill in, as those of grids do. What is left
// of the matrix when a few unknowns are to be eliminated is a dense *front* over them and the unknowns they
// touch; it is factorised in their rows and columns, and the rest added to the front of the first of those
// they touch. So the work is on dense blocks, with the vector unit, and indices are looked at once for a
// whole row. A front takes pivots whose rows have the same pattern, or nearly so: some zeros cost less than
// another front.
//
// Orders and pivots are chosen once, as for SparseFactors: the diagonal of the diagonal blocks that KLU
// finds, or where that does not do, pivots of KLU. In these orders the pattern is made symmetric, that of
// each block by itself; what is above the blocks stays as it is.
//
// Duff, Reid, The multifrontal solution of unsymmetric sets of linear equations, SIAM J. Sci. Stat. Comput. 5
// (1984). Ashcraft, Grimes, The influence of relaxed supernode partitions on the multifrontal method, ACM
// TOMS 15 (1989).
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/front_kernels.h"

namespace runtime {

struct SparsePattern;

class FrontalFactors {
 public:
  /// `row_order[i]` and `column_order[i]` are the matrix's row and column of pivot i; blocks start at
  /// `blocks`, which ends with n. Nothing when the factors have more entries than `most`: pivots far from the
  /// diagonal can make a symmetric pattern full.
  static std::optional<FrontalFactors> of(const SparsePattern& pattern,
                                          std::span<const std::int64_t> row_order,
                                          std::span<const std::int64_t> column_order,
                                          std::span<const std::int64_t> blocks, double most);
  FrontalFactors(const FrontalFactors&) = delete;
  FrontalFactors(FrontalFactors&&) = default;

  /// As those of SparseFactors.
  bool factor(std::span<const double> values, std::span<const double> row_scale,
              std::span<const double> least, double limit);
  void solve(const double* right_hand_side, double* solution);

 private:
  struct alignas(64) Line {
    std::array<double, kWidth> values;
  };
  /// Its places: pivots, then, from a multiple of kWidth on, the unknowns they touch, then nothing up to the
  /// next multiple. Its rows: those of U, columns of L, and what is left for the touched.
  struct Front {
    std::uint32_t begin = 0, end = 0;                     // pivots
    std::uint32_t touched = 0, size = 0;                  // unknowns; places
    std::uint32_t entries = 0, children = 0, panels = 0;  // where those of this front end
    std::uint32_t shared = 0;                             // of the touched: pivots of the parent
    std::size_t places = 0,
                rest = 0;  // where those of the touched in the parent begin; line where what is left goes

    std::uint32_t pivots() const { return end - begin; }
    std::uint32_t left() const { return (touched + kWidth - 1) / kWidth * kWidth; }
    std::uint32_t first_touched() const { return size - left(); }
    std::uint32_t rows() const { return 2 * pivots() + left(); }
  };
  struct Entry {
    std::uint32_t place, row, value;  // row by row in its front; of the matrix
  };
  struct Above {  // entries above the diagonal blocks, by rows
    std::vector<std::uint32_t> starts, columns, value;
    std::vector<double> values;
  };
  struct Symbolic;

  FrontalFactors() = default;
  static double* at(std::vector<Line>& lines, std::size_t line) {
    return reinterpret_cast<double*>(lines.data() + line);
  }
  double analyse(const SparsePattern& pattern, Symbolic& symbolic);
  void lay_out(const Symbolic& symbolic);
  void assemble(std::size_t front, std::span<const double> values, std::span<const double> row_scale);
  bool eliminate_front(std::size_t front, std::span<const double> least, Largest& largest);

  std::size_t n_ = 0;
  std::vector<std::uint32_t> row_order_, column_order_;
  std::vector<std::uint32_t> blocks_, block_panels_;  // where pivots and panels of each begin; and the end
  Above above_;
  std::vector<Front> fronts_;
  std::vector<std::uint32_t> children_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_, rest_places_;  // the latter 0 where the parent has a pivot
  std::vector<Panel> panels_;
  std::vector<std::uint32_t> later_;  // unknowns of panels; n where there is none
  std::vector<Line> lower_, upper_, front_, rests_;
  std::vector<double> scale_, work_;
};

}  // namespace runtime
