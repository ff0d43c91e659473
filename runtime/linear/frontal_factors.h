// Multifrontal factors of a sparse matrix, for matrices with much fill-in, such as those of grids. A *front*
// is a dense matrix over a group of pivots and the later unknowns they touch. The rows and columns of its
// pivots are factorised, and the rest, its contribution, is added to the front of the first unknown that they
// touch. So the work is on dense blocks, vectorised, and indices are read once for a whole row. A group is a
// relaxed supernode (elimination_tree.h).
//
// Orders and pivots are chosen once, as for SparseFactors: the diagonal of the diagonal blocks that KLU
// finds, or where that is singular, pivots of KLU. In these orders the pattern of each diagonal block is made
// symmetric; that above the blocks is unchanged.
//
// Duff, Reid, The multifrontal solution of unsymmetric sets of linear equations, SIAM J. Sci. Stat. Comput. 5
// (1984).
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
  /// `row_order[i]` and `column_order[i]` are the matrix's row and column of pivot i; diagonal blocks start
  /// at `blocks`, which ends with n. Nothing if the factors have more than `most` entries: pivots far from
  /// the diagonal can make a symmetric pattern full.
  static std::optional<FrontalFactors> of(const SparsePattern& pattern,
                                          std::span<const std::int64_t> row_order,
                                          std::span<const std::int64_t> column_order,
                                          std::span<const std::int64_t> blocks, double most);
  FrontalFactors(const FrontalFactors&) = delete;
  FrontalFactors(FrontalFactors&&) = default;

  /// As those of SparseFactors.
  double factor(std::span<const double> values, std::span<const double> row_scale,
                std::span<const double> least);
  void solve(const double* right_hand_side, double* solution);
  int determinant_sign() const;
  double smallest_pivot() const;
  /// With the padding of the fronts.
  std::size_t entries() const { return (lower_.size() + upper_.size()) * kWidth; }

 private:
  struct alignas(64) Line {
    std::array<double, kWidth> values;
  };
  /// Its columns: pivots, then, from a multiple of kWidth on, the touched unknowns, padded to the next
  /// multiple. Its rows: those of U, columns of L, and the contribution.
  struct Front {
    std::uint32_t begin = 0, end = 0;                     // pivots
    std::uint32_t touched = 0, size = 0;                  // unknowns; columns
    std::uint32_t entries = 0, children = 0, panels = 0;  // ends of those of this front in their lists
    std::uint32_t shared = 0;                             // touched unknowns that are pivots of the parent
    std::size_t places = 0;  // in places_: the columns of the touched unknowns in the parent
    std::size_t rest = 0;    // in rests_: the line of the contribution

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
  bool odd_ = false;  // both orders, one after the other
  std::vector<std::uint32_t> row_order_, column_order_;
  std::vector<std::uint32_t> blocks_, block_panels_;  // first pivot and first panel of each; and the end
  Above above_;
  std::vector<Front> fronts_;
  std::vector<std::uint32_t> children_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_, rest_places_;  // the latter 0 for pivots of the parent
  std::vector<Panel> panels_;
  std::vector<std::uint32_t> later_;  // unknowns of panels; n as padding
  std::vector<Line> lower_, upper_, front_, rests_;
  std::vector<double> scale_, work_;
};

}  // namespace runtime
