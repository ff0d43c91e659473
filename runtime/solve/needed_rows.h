// The rows of schedules that some variables need, evaluated alone: for results with few columns of a large
// model, where a whole schedule at each event would cost what the model is large.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class NeededRows {
 public:
  /// The rows of `dynamic` and then `observed` that the `wanted` variables (per variable: 1) need, directly
  /// or through others. Linear in the schedules.
  NeededRows(const Model& model, std::span<const Step> dynamic, std::span<const Step> observed,
             std::vector<std::uint8_t> wanted);

  /// Evaluates them in order. False: a loop failed, as for Evaluator::run.
  bool evaluate(Evaluator& evaluator, const Point& point) const;
  /// Per variable: 1 if it is wanted, or one of these rows reads it.
  const std::vector<std::uint8_t>& variables() const { return wanted_; }
  std::uint64_t rows() const { return rows_; }  // a loop counts as one

 private:
  struct Part {
    Step step;
    std::uint32_t begin = 0, end = 0;  // rows of the batch
  };
  void add(std::span<const Step> steps);
  void add_rows(const Step& step);

  const Model& model_;
  std::vector<std::uint8_t> wanted_;
  std::vector<Part> parts_;
  std::uint64_t rows_ = 0;
};

}  // namespace runtime
