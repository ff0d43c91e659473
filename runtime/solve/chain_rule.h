// The Jacobian of the reduced problem: gradients (gradients.h) through explicit assignments and through
// blocks.
//
// A torn block in the explicit form: with its unknowns t held, its Solve runs and residuals R give dR/dw for
// the columns w on which the block depends; grad t = -(dR/dt)^-1 dR/dw, where dR/dt is what the block's own
// solver factorises; and its Solve runs once more, now with the gradients of t, give those of the inner
// variables. In the implicit form a block is its runs: the unknowns are columns, and the residuals rows.
//
// A long chain of sums would make gradients that are nearly full (quadratic cost). A variable can therefore
// be *retained*: it becomes an unknown of the integrator with an equation of its own, and its gradient is a
// single 1.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/linear_system.h"
#include "runtime/model.h"
#include "runtime/solve/gradients.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// Which variables the integrator knows, and the rows of its system. In the explicit form unknowns are the
/// states and row i is the derivative of state i. In the implicit form the unknowns are the states, then
/// retained variables (all loop unknowns, and assigned variables where it pays); a retained derivative of a
/// state is no unknown but the y' of its state.
struct Layout {
  bool implicit = false;
  std::vector<std::uint32_t> unknowns;     // variable of each unknown; the states come first
  std::vector<std::uint32_t> column;       // per variable: its unknown, or kNone
  std::vector<std::uint32_t> rate_column;  // implicit, per variable: the state whose y' it is, or kNone
  std::vector<std::uint8_t> retained;      // implicit, per variable: assigned by a run, yet retained

  /// Row of the equation of each retained variable and each state derivative; loop residuals take what is
  /// left, in order.
  std::vector<std::uint32_t> loop_rows;
  std::uint32_t row_of_retained(std::uint32_t variable) const {
    return rate_column[variable] != kNone ? rate_column[variable] : column[variable];
  }
};

Layout explicit_layout(const Model& model);
Layout implicit_layout(const Model& model, std::vector<std::uint8_t> retained);

class ChainRule {
 public:
  struct Limits {
    std::uint64_t operations = ~0ull;  // give up when the list becomes longer
    std::uint32_t gradient = kNone;    // note assigned variables whose gradient is longer in `crowded`
  };

  /// Number of partial derivatives in the schedule: what evaluating it costs at least.
  static std::uint64_t direct_size(const Model& model);

  /// Works the pattern out; false when a limit is passed. With `crowded`, variables with more than
  /// Limits::gradient entries are marked in it and counted as retained from there on.
  bool build(const Model& model, const Layout& layout, const Limits& limits,
             std::vector<std::uint8_t>* crowded = nullptr);

  /// Rows and columns of the integrator's system, every diagonal entry included.
  const SparsePattern& pattern() const { return pattern_; }
  std::span<const std::uint32_t> diagonal() const { return diagonal_; }
  std::uint64_t operations() const { return gradients_.operations(); }

  /// Writes the values of the Jacobian dF/dy + rate * dF/dy' at a point where the schedule has been
  /// evaluated. False when a block inside has a singular Jacobian.
  bool evaluate(Evaluator& evaluator, const Point& point, double rate, double* out);

 private:
  struct Block {  // a loop inside the explicit form: grad u = -J^-1 R_w grad w, all unknowns over one list of
                  // columns
    std::uint32_t loop = 0, size = 0, columns = 0;
    std::uint32_t rows_at = 0, unknowns_at = 0;  // places, row by row
    std::uint64_t operations_before = 0;
  };
  struct Builder;

  SparsePattern pattern_;
  std::vector<std::uint32_t> gather_;    // per nonzero: its place
  std::vector<std::uint32_t> diagonal_;  // per column: the nonzero on the diagonal
  Gradients gradients_;
  std::vector<Block> blocks_;
  std::vector<double> column_buffer_;
  const Model* model_ = nullptr;
};

}  // namespace runtime
