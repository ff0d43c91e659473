// The functions whose zero crossings are events: one for each comparison of the model, left side minus right
// side. All of them are numbered through; those whose crossings depend on the solution have a second number
// among the *watched* ones, which the integrator monitors. Crossings of the others are known beforehand,
// because they are linear in time.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class ZeroCrossingFunctions {
 public:
  explicit ZeroCrossingFunctions(const Model& model);

  std::size_t size() const { return rows_.size(); }
  /// By watched number: the number of the function.
  std::span<const std::uint32_t> watched() const { return watched_; }
  bool any_linear_in_time() const { return watched_.size() != rows_.size(); }

  /// Evaluates all functions at a point at which the variables they read are up to date.
  void evaluate(const Point& point);
  /// Evaluates one.
  double evaluate_one(const Point& point, std::uint32_t k);
  /// By number: the values of the last evaluation.
  const std::vector<double>& differences() const { return differences_; }

  const ZeroCrossing& crossing(std::size_t k) const { return model_.zero_crossings[rows_[k].zero_crossing]; }
  const KernelBatch& batch(std::size_t k) const { return model_.batches[crossing(k).batch]; }
  /// The row of function k in its batch.
  std::uint32_t row(std::size_t k) const { return rows_[k].row; }
  std::uint32_t equation(std::size_t k) const { return model_.equations[batch(k).equations + row(k)]; }
  std::uint32_t variable(std::size_t k, std::uint32_t slot) const {
    return slot_variable(model_, batch(k), slot, row(k));
  }
  /// The discrete parameter that holds the value of comparison k: 1 below zero, else 0.
  template <class T>
  T& value_of(std::size_t k, std::span<T> parameters) const {
    return parameters[crossing(k).first + row(k)];
  }

 private:
  struct Row {
    std::uint32_t zero_crossing = 0, row = 0;
  };
  const Model& model_;
  std::vector<Row> rows_;               // by number
  std::vector<std::uint32_t> watched_;  // by watched number
  std::vector<double> differences_;     // by number
};

}  // namespace runtime
