// Start values of algebraic loops at the next instant: polynomials through their last solutions. Newton's
// method then begins nearer to the solution, often within the reach of kept factors (newton.cpp).
//
// The order, 0 to 2, is the one that would have predicted the last solution best; with order 0 the values
// stay as they are. So a jump, or coarse instants, do no harm: after them the order falls.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"

namespace runtime {

class LoopPredictor {
 public:
  /// For the nonlinear loops of these steps. `nominal`: per variable.
  LoopPredictor(const Model& model, std::span<const Step> steps, const std::vector<double>& nominal);

  bool empty() const { return variables_.empty(); }
  /// Sets the tearing variables to their values predicted for this time, if it is later than all recorded
  /// ones but the last. Whether any were set.
  bool predict(double time, std::vector<double>& values);
  /// Sets them to the values that they had before the last `predict`.
  void restore(std::vector<double>& values) const;
  /// The values are a solution at this time. One that is not later than all others begins anew.
  void record(double time, const std::vector<double>& values);

 private:
  static constexpr std::size_t kOrders = 3;
  struct Solution {
    double time = 0;
    std::vector<double> values;
  };
  /// The weights of the last solutions, the latest first, in the polynomial through `order` + 1 of them.
  std::array<double, kOrders> weights(std::size_t order, double time) const;
  void choose_order(double time, const std::vector<double>& values);

  std::vector<std::uint32_t> variables_;
  std::vector<double> nominal_, before_;
  std::array<Solution, kOrders> last_;  // the latest first
  std::size_t count_ = 0, order_ = 0;
};

}  // namespace runtime
