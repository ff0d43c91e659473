// Evaluation of schedules: kernel batches and sums over `values`, and algebraic loops.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "runtime/failure.h"
#include "runtime/model.h"

namespace runtime {

class AlgebraicLoopSolver;
class ThreadPool;
struct GradientIndex;
struct Profile;

/// The data that an evaluation reads and writes.
struct Point {
  double time = 0;
  double* values = nullptr;  // Model::variables of them
  const double* parameters = nullptr;
  /// Called in every iteration of an algebraic loop when its variables have new values: updates the
  /// parameters that depend on them. Whether one changed.
  const std::function<bool()>* follow = nullptr;
  ThreadPool* thread_pool = nullptr;  // for long batches
};

/// The parts of the table of a batch of sums.
struct SumTable {
  const std::uint32_t* offsets;    // count + 1
  const std::uint32_t* positions;  // Solve: of the solved term in its row
  const std::uint32_t* terms;      // index << 1 | negative

  SumTable(const Model& model, const KernelBatch& batch)
      : offsets(model.tables.data() + batch.table),
        positions(offsets + batch.count + 1),
        terms(positions + (batch.role == Role::Solve ? batch.count : 0)) {}
  std::uint32_t solved(std::size_t row) const { return terms[offsets[row] + positions[row]] >> 1; }
};

/// The variable in a slot of a row, not of a sum.
inline std::uint32_t slot_variable(const Model& model, const KernelBatch& batch, std::uint32_t slot,
                                   std::size_t row) {
  return model.tables[batch.table + static_cast<std::uint64_t>(slot) * batch.count + row];
}

/// Calls visit(variable) for every variable that a row contains.
template <class Visit>
void each_variable(const Model& model, const KernelBatch& batch, std::uint32_t row, const Visit& visit) {
  if (batch.kernel == kNone) {
    const SumTable table(model, batch);
    for (std::uint32_t k = table.offsets[row]; k < table.offsets[row + 1]; ++k) visit(table.terms[k] >> 1);
  } else {
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot) visit(slot_variable(model, batch, slot, row));
  }
}

/// The variable that a row of a Solve batch assigns.
inline std::uint32_t solved_variable(const Model& model, const KernelBatch& batch, std::size_t row) {
  return batch.kernel == kNone ? SumTable(model, batch).solved(row)
                               : slot_variable(model, batch, batch.solved, row);
}

inline std::span<const KernelBatch> loop_batches(const Model& model, const AlgebraicLoop& loop) {
  return {model.batches.data() + loop.first_batch, loop.batches};
}

/// The steps that are needed to compute the `wanted` variables (per variable: 1). Variables that these read
/// are added to `wanted`.
std::vector<Step> needed_steps(const Model& model, std::span<const Step> steps,
                               std::vector<std::uint8_t>& wanted);

/// Solve: assigns the variables of the batch. Residual: writes `count` residuals to `out`.
void evaluate(const Model& model, const KernelBatch& batch, const Point& point, double* out);

/// The same for the rows [begin, end) of a batch.
void evaluate_rows(const Model& model, const KernelBatch& batch, const Point& point, std::uint32_t begin,
                   std::uint32_t end, double* out);

/// The partial derivatives of a batch, not of sums: out[slot * count + row].
void evaluate_partials(const Model& model, const KernelBatch& batch, const Point& point, double* out);

/// Evaluates schedules of one model. Keeps the pattern and the factors of every algebraic loop; not
/// thread-safe.
class Evaluator {
 public:
  Evaluator(const Model& model, std::vector<double> nominal);
  ~Evaluator();

  /// Evaluates all steps in order; loops start from the current values. False: a loop failed (`failure()`).
  bool run(std::span<const Step> steps, const Point& point);

  /// Like `run`, and fails with the first equations that give NaN or infinity. Slower: for initial values,
  /// events and the explanation of failures.
  bool run_checked(std::span<const Step> steps, const Point& point);

  /// While this is on, a loop that Newton's method does not solve is tried by continuation
  /// (continuation.cpp). `listed`: in `continued`.
  void allow_continuation(bool on, bool listed = true) { continuation_ = on, lists_continued_ = listed; }
  const std::vector<Continued>& continued() const { return continued_; }

  /// Measures each step from now on; null: none.
  void profile_to(Profile* profile) { profile_ = profile; }
  Profile* profile() const { return profile_; }

  AlgebraicLoopSolver& loop(std::uint32_t index);
  /// Of the Jacobians of loops, since the beginning.
  std::uint64_t loop_factorisations() const;
  /// To be called after parameters have changed.
  void parameters_changed();
  const Failure& failure() const { return failure_; }
  Failure& failure() { return failure_; }

 private:
  bool solve_loop(std::uint32_t index, const Point& point);
  template <bool checked>
  bool run_step(const Step& step, const Point& point);
  template <bool checked>
  bool run_all(std::span<const Step> steps, const Point& point);
  bool check_finite(const KernelBatch& batch, const Point& point);
  void evaluate_guesses(const KernelBatch& batch, const Point& point);

  const Model& model_;
  std::vector<double> nominal_;
  std::vector<std::unique_ptr<AlgebraicLoopSolver>> loops_;
  std::unique_ptr<GradientIndex> index_;
  Failure failure_;
  bool continuation_ = false, lists_continued_ = true;
  std::vector<Continued> continued_;
  Profile* profile_ = nullptr;
};

}  // namespace runtime
