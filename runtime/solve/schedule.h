// Running a schedule: runs of kernels and sums over `values`, and simultaneous blocks by Newton's method.
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

/// What an evaluation reads and writes.
struct Point {
  double time = 0;
  double* values = nullptr;  // Model::variables of them
  const double* parameters = nullptr;
  /// Called in every iteration of a block, when its variables have new values: parameters that depend on
  /// them. Whether any changed.
  const std::function<bool()>* follow = nullptr;
  ThreadPool* thread_pool = nullptr;  // works on long runs
};

/// The parts of a sum run's table.
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

/// The variable in a slot of a row of a kernel run.
inline std::uint32_t slot_variable(const Model& model, const KernelBatch& batch, std::uint32_t slot,
                                   std::size_t row) {
  return model.tables[batch.table + static_cast<std::uint64_t>(slot) * batch.count + row];
}

/// The variable that a row of a Solve run assigns.
inline std::uint32_t solved_variable(const Model& model, const KernelBatch& batch, std::size_t row) {
  return batch.kernel == kNone ? SumTable(model, batch).solved(row)
                               : slot_variable(model, batch, batch.solved, row);
}

inline std::span<const KernelBatch> loop_batches(const Model& model, const AlgebraicLoop& loop) {
  return {model.batches.data() + loop.first_batch, loop.batches};
}

/// Those of these steps that are needed for what is wanted (per variable: 1), to which is added what they
/// read.
std::vector<Step> needed_steps(const Model& model, std::span<const Step> steps,
                               std::vector<std::uint8_t>& wanted);

/// Solve: assigns the run's variables. Residual: writes `count` residuals to `out`.
void evaluate(const Model& model, const KernelBatch& batch, const Point& point, double* out);

/// The same for some rows of a kernel run.
void evaluate_rows(const Model& model, const KernelBatch& batch, const Point& point, std::uint32_t begin,
                   std::uint32_t end, double* out);

/// The partial derivatives of a kernel run: out[slot * count + row].
void evaluate_partials(const Model& model, const KernelBatch& batch, const Point& point, double* out);

/// Runs schedules of one model. Keeps the pattern and the factors of every loop; one evaluator per thread.
class Evaluator {
 public:
  Evaluator(const Model& model, std::vector<double> nominal);
  ~Evaluator();

  /// All steps in order; false when a loop fails, and then `failure()` says why. Loops start from the present
  /// values.
  bool run(std::span<const Step> steps, const Point& point);

  /// Like `run`, and looks for the first equations that give NaN or infinity. Slow: for failures and the
  /// first evaluation.
  bool run_checked(std::span<const Step> steps, const Point& point);

  /// While this is on, a block that Newton's method does not solve is tried by continuation (continuation.h).
  void allow_continuation(bool on) { continuation_ = on; }
  const std::vector<Continued>& continued() const { return continued_; }

  AlgebraicLoopSolver& loop(std::uint32_t index);
  /// To be called when parameters have changed since the last evaluation.
  void parameters_changed();
  const Failure& failure() const { return failure_; }
  Failure& failure() { return failure_; }

 private:
  bool solve_loop(std::uint32_t index, const Point& point);
  bool check_run(const KernelBatch& batch, const Point& point);

  const Model& model_;
  std::vector<double> nominal_;
  std::vector<std::unique_ptr<AlgebraicLoopSolver>> loops_;
  std::unique_ptr<GradientIndex> index_;
  Failure failure_;
  bool continuation_ = false;
  std::vector<Continued> continued_;
};

}  // namespace runtime
