// Derivatives of what runs compute, put together from the partial derivatives of single equations.
//
// Every variable v that depends on the columns of a Jacobian has a sparse gradient: a list of (column, place
// in a flat array). An assignment `v = f(a, b)` has grad v = f_a grad a + f_b grad b. Which places are
// combined never changes, so the pattern is worked out once, into a flat list of multiply-adds `d[dst] +=
// c[coefficient] * d[source]`; evaluating then means calling the Partials kernels, and running down that
// list. Cost of both: linear in the length of the list.
//
//   x' = a - x, a = 2 b, b = x y        grad b: {x: y, y: x}; grad a = 2 grad b; row of x': grad a - {x: 1}
//
// The chain rule of the integrator (chain_rule.h) and simultaneous blocks (loop.h) are both made of this.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

/// The list, and the values on which it works.
class Gradients {
 public:
  // Places that are always there; a rate is what multiplies y' (chain_rule.h).
  static constexpr std::uint32_t kZeroPlace = 0, kOnePlace = 1, kRatePlace = 2, kFirstPlace = 3;

  /// Evaluates the partial derivatives; all places but the fixed ones are zero then. Those of Solve runs are
  /// divided by minus the one of the solved slot.
  void begin(const Model& model, const Point& point, double rate);
  /// The multiply-adds before the given one that were not done yet.
  void run_to(std::size_t operation);
  void run_all() { run_to(operations_.size()); }

  double* values() { return values_.data(); }
  std::size_t operations() const { return operations_.size(); }

 private:
  friend class GradientBuilder;
  struct Operation {
    std::uint32_t destination, coefficient, source;
  };
  struct Part {  // partials of one run
    std::uint32_t batch = 0;
    std::uint64_t offset = 0;
  };
  struct Duplicate {  // a slot that holds the solved variable again
    std::uint32_t part = 0, into = 0, from = 0;
  };

  std::vector<Part> parts_;
  std::vector<Duplicate> duplicates_;  // parts ascending, mostly none
  std::vector<Operation> operations_;
  std::vector<double> coefficients_, values_;
  std::size_t done_ = 0;
};

/// Where the gradient of each variable is. As large as the model, so blocks of one model take turns; all
/// empty between turns.
struct GradientIndex {
  std::vector<std::uint32_t> first, last;
  void fit(std::size_t variables) {
    first.resize(variables, 0);
    last.resize(variables, 0);
  }
};

/// Works the list out: seeds first, then rows one after the other, each with collect, unite and emit.
class GradientBuilder {
 public:
  static constexpr std::uint32_t kPlus = 0, kMinus = 1,
                                 kFirstCoefficient = 2;  // coefficients that are always there
  struct Term {
    std::uint32_t coefficient, variable;
  };

  GradientBuilder(Gradients& program, const Model& model, std::size_t columns, GradientIndex& index);
  ~GradientBuilder();
  GradientBuilder(const GradientBuilder&) = delete;
  GradientBuilder& operator=(const GradientBuilder&) = delete;

  /// The variable is this column (or, in the place of a rate, multiplies it).
  void seed(std::uint32_t variable, std::uint32_t column, std::uint32_t place);
  /// Makes room for the partial derivatives of a run: their offset, for `collect`, which then goes through
  /// its rows.
  std::uint64_t add_part(std::uint32_t batch);
  /// Into `terms`: what a row contains. A Solve row leaves its solved variable out. `again`: not for the
  /// first time.
  void collect(const KernelBatch& batch, std::uint32_t row, std::uint64_t offset, bool again = false);
  /// Into `found`: the columns of the terms, ascending.
  void unite();
  bool has(std::uint32_t column) const { return stamp_[column] == clock_; }  // after unite
  /// Gives the columns in `found` places in a row and appends the multiply-adds of `terms`.
  void emit();
  std::uint32_t place(std::uint32_t column) const { return place_of_[column]; }  // after emit
  /// New places for the columns in `found`.
  void fresh_places();
  /// What was emitted last is the gradient of this variable.
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
  /// False when numbers of 32 bits no longer do.
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
  std::vector<std::uint32_t> stamp_, place_of_;  // per column: when last seen, and where
  std::uint32_t clock_ = 0, next_place_ = Gradients::kFirstPlace;
  std::uint64_t size_ = kFirstCoefficient;
};

}  // namespace runtime
