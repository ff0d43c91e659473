// Gradients of variables that kernel batches compute, composed of the partial derivatives of single
// equations.
//
// Every variable v that depends on the columns of a Jacobian has a sparse gradient: a list of (column, place
// in a flat array). An assignment `v = f(a, b)` has grad v = f_a grad a + f_b grad b. The places that are
// combined never change, so the pattern is determined once, as a flat list of multiply-adds `d[destination]
// += c[coefficient] * d[source]`; an evaluation calls the Partials kernels and executes the list. The cost of
// both is linear in the length of the list. This is sparse forward-mode differentiation (Griewank and
// Walther, Evaluating Derivatives, 2008, chapter 7).
//
//   x' = a - x, a = 2 b, b = x y        grad b: {x: y, y: x}; grad a = 2 grad b; row of x': grad a - {x: 1}
//
// The Jacobians of the integrator (chain_rule.h) and of algebraic loops (algebraic_loop.h) are evaluated so.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// The list of multiply-adds, and the values that it operates on.
class Gradients {
 public:
  // Constant places; the rate is the factor of dF/dy' (chain_rule.h).
  static constexpr std::uint32_t kZeroPlace = 0, kOnePlace = 1, kRatePlace = 2, kFirstPlace = 3;

  /// Evaluates the partial derivatives and sets all places but the constant ones to zero. Partial derivatives
  /// of Solve batches are divided by minus that of the solved slot.
  void begin(const Model& model, const Point& point, double rate);
  /// Changes every partial derivative by this part of it, up or down at random: what changes by much more in
  /// the result is a difference of nearly equal numbers.
  void perturb(double relative);
  /// Executes the multiply-adds before the given one that have not been executed.
  void run_to(std::size_t operation);
  void run_all() { run_to(operations_.size()); }

  double* values() { return values_.data(); }
  std::size_t operations() const { return operations_.size(); }

 private:
  friend class GradientBuilder;
  struct Operation {
    std::uint32_t destination, coefficient, source;
  };
  struct Part {  // partial derivatives of one batch
    std::uint32_t batch = 0;
    std::uint64_t offset = 0;
  };
  struct Duplicate {  // a further slot with the solved variable
    std::uint32_t part = 0, into = 0, from = 0;
  };

  std::vector<Part> parts_;
  std::vector<Duplicate> duplicates_;  // parts ascending, mostly none
  std::vector<Operation> operations_;
  std::vector<double> coefficients_, values_;
  std::size_t done_ = 0;
};

/// The position of each variable's gradient. As large as the model and therefore shared by its loops; all
/// gradients are empty between uses.
struct GradientIndex {
  std::vector<std::uint32_t> first, last;
  void fit(std::size_t variables) {
    first.resize(variables, 0);
    last.resize(variables, 0);
  }
};

/// Builds the list: seeds first, then rows one after the other, each by collect, unite and emit.
class GradientBuilder {
 public:
  static constexpr std::uint32_t kPlus = 0, kMinus = 1, kFirstCoefficient = 2;  // coefficients 1 and -1
  struct Term {
    std::uint32_t coefficient, variable;
  };

  GradientBuilder(Gradients& program, const Model& model, std::size_t columns, GradientIndex& index);
  ~GradientBuilder();
  GradientBuilder(const GradientBuilder&) = delete;
  GradientBuilder& operator=(const GradientBuilder&) = delete;

  /// The gradient of the variable is this column, with its value at `place`.
  void seed(std::uint32_t variable, std::uint32_t column, std::uint32_t place);
  /// Allocates the partial derivatives of a batch. Their offset, for `collect` of its rows.
  std::uint64_t add_part(std::uint32_t batch);
  /// Collects the terms of a row in `terms`, without the solved variable of a Solve row. `again`: the row has
  /// been collected before.
  void collect(const KernelBatch& batch, std::uint32_t row, std::uint64_t offset, bool again = false);
  /// Collects the columns of the terms in `found`, ascending.
  void unite();
  bool has(std::uint32_t column) const { return stamp_[column] == clock_; }  // after unite
  /// Allocates successive places for the columns in `found` and appends the multiply-adds of `terms`.
  void emit();
  std::uint32_t place(std::uint32_t column) const { return place_of_[column]; }  // after emit
  /// Allocates new places for the columns in `found`.
  void fresh_places();
  /// Records the places emitted last as the gradient of this variable.
  void record(std::uint32_t variable);
  void add(std::uint32_t place, std::uint32_t coefficient, std::uint32_t source) {
    program_.operations_.push_back({place, coefficient, source});
  }
  /// Calls visit(column, place) for the gradient of a variable.
  template <class Visit>
  void each(std::uint32_t variable, Visit visit) const {
    for (std::uint32_t k = index_.first[variable]; k < index_.last[variable]; ++k)
      visit(columns_[k], places_[k]);
  }
  /// False: indices exceed 32 bits.
  bool fits() const { return size_ < kNone - 1 && columns_.size() < kNone - 1 && next_place_ < kNone - 1; }
  std::uint32_t next_place() const { return next_place_; }
  std::size_t operations() const { return program_.operations_.size(); }
  void finish();

  std::vector<Term> terms;
  std::vector<std::uint32_t> found;

 private:
  Gradients& program_;
  const Model& model_;
  GradientIndex& index_;
  std::vector<std::uint32_t> touched_;           // variables with a gradient
  std::vector<std::uint32_t> columns_, places_;  // gradients end to end
  std::vector<std::uint32_t> stamp_, place_of_;  // per column: clock of its last use; its place
  std::uint32_t clock_ = 0, next_place_ = Gradients::kFirstPlace;
  std::uint64_t size_ = kFirstCoefficient;
};

}  // namespace runtime
