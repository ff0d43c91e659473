// The Jacobian of the reduced system, by the chain rule: gradients (gradients.h) through assignments and
// through algebraic loops.
//
// A torn loop in the explicit form: with its tearing variables t constant, its Solve batches and residuals R
// give dR/dw for the columns w on which the loop depends; grad t = -(dR/dt)^-1 dR/dw, where dR/dt is
// factorised by the solver of the loop; and its Solve batches again, now with the gradients of t, give those
// of the inner variables. In the implicit form the tearing variables are columns and the residuals rows.
//
// A long chain of sums has gradients that are nearly full (quadratic cost). A variable can therefore be
// *retained*: it becomes an unknown of the integrator with an equation of its own, and its gradient is a
// single 1.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/linear/linear_system.h"
#include "runtime/model.h"
#include "runtime/solve/gradients.h"
#include "runtime/solve/layout.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class ChainRule {
 public:
  struct Limits {
    std::uint64_t operations = ~0ull;  // multiply-adds
    std::uint32_t gradient = kNone;    // entries of a gradient; variables with more are marked in `crowded`
  };

  /// The number of partial derivatives in the schedule: a lower bound for the cost of the Jacobian.
  static std::uint64_t direct_size(const Model& model);

  /// Determines the pattern. False: a limit is exceeded. With `crowded`, per variable, those with more than
  /// Limits::gradient entries are marked in it and treated as retained; there is no Jacobian then.
  bool build(const Model& model, const Layout& layout, const Limits& limits,
             std::vector<std::uint8_t>* crowded = nullptr);

  /// Of the integrator's system; in the explicit form with all diagonal entries.
  const SparsePattern& pattern() const { return pattern_; }
  /// Explicit form: positions of the diagonal entries.
  std::span<const std::uint32_t> diagonal() const { return diagonal_; }
  std::uint64_t operations() const { return gradients_.operations(); }

  /// Writes the Jacobian dF/dy + rate * dF/dy' at a point at which the schedule has been evaluated, in the
  /// order of the pattern. False: the Jacobian of a loop inside is singular.
  bool evaluate(Evaluator& evaluator, const Point& point, double rate, double* out);

 private:
  struct Block {  // a loop that is solved inside, explicit form: grad t = -(dR/dt)^-1 dR/dw
    std::uint32_t loop = 0, size = 0, columns = 0;
    std::uint32_t rows_at = 0, unknowns_at = 0;  // places of dR/dw and grad t, by rows
    std::uint64_t operations_before = 0;         // multiply-adds that give dR/dw
  };
  struct Builder;

  SparsePattern pattern_;
  std::vector<std::uint32_t> gather_;    // per nonzero: its place in gradients_
  std::vector<std::uint32_t> diagonal_;  // per column: the nonzero on the diagonal
  Gradients gradients_;
  std::vector<Block> blocks_;
  std::vector<double> column_buffer_;
  const Model* model_ = nullptr;
};

}  // namespace runtime
