#include "runtime/solve/loop_predictor.h"

#include <algorithm>
#include <cmath>

namespace runtime {

namespace {
constexpr double kBetter = 0.5;
}

LoopPredictor::LoopPredictor(const Model& model, std::span<const Step> steps,
                             const std::vector<double>& nominal) {
  for (const Step& step : steps) {
    if (step.kind != Step::Solve) continue;
    const AlgebraicLoop& loop = model.loops[step.index];
    if (loop.kind != AlgebraicLoop::Nonlinear) continue;
    const auto first = model.tearing_variables.begin() + loop.first_unknown;
    variables_.insert(variables_.end(), first, first + loop.unknowns);
  }
  for (const std::uint32_t variable : variables_) nominal_.push_back(nominal[variable]);
  before_.resize(variables_.size());
  for (Solution& solution : last_) solution.values.resize(variables_.size());
}

std::array<double, LoopPredictor::kOrders> LoopPredictor::weights(std::size_t order, double time) const {
  std::array<double, kOrders> result{};
  for (std::size_t i = 0; i <= order; ++i) {
    result[i] = 1;
    for (std::size_t j = 0; j <= order; ++j)
      if (j != i) result[i] *= (time - last_[j].time) / (last_[i].time - last_[j].time);
  }
  return result;
}

bool LoopPredictor::predict(double time, std::vector<double>& values) {
  if (order_ == 0 || !(time > last_[1].time)) return false;
  const auto w = weights(order_, time);
  for (std::size_t k = 0; k < variables_.size(); ++k) {
    double& value = values[variables_[k]];
    before_[k] = value;
    value = w[0] * last_[0].values[k] + w[1] * last_[1].values[k] + w[2] * last_[2].values[k];
  }
  return true;
}

void LoopPredictor::restore(std::vector<double>& values) const {
  for (std::size_t k = 0; k < variables_.size(); ++k) values[variables_[k]] = before_[k];
}

void LoopPredictor::record(double time, const std::vector<double>& values) {
  if (count_ > 0 && !(time > last_[0].time)) count_ = 0;
  choose_order(time, values);
  std::ranges::rotate(last_, last_.end() - 1);
  last_[0].time = time;
  for (std::size_t k = 0; k < variables_.size(); ++k) last_[0].values[k] = values[variables_[k]];
  count_ = std::min(count_ + 1, kOrders);
}

/// By the largest errors of the values that the orders would have predicted: a higher order must have been
/// clearly better, which it is not after a jump.
void LoopPredictor::choose_order(double time, const std::vector<double>& values) {
  order_ = 0;
  double least = HUGE_VAL;
  for (std::size_t order = 0; order < count_; ++order) {
    const auto w = weights(order, time);
    double error = 0;
    for (std::size_t k = 0; k < variables_.size(); ++k) {
      double predicted = 0;
      for (std::size_t i = 0; i <= order; ++i) predicted += w[i] * last_[i].values[k];
      const double value = values[variables_[k]];
      error = std::max(error, std::abs(predicted - value) / (std::abs(value) + nominal_[k]));
    }
    if (!(error < kBetter * least)) continue;
    least = error;
    order_ = order;
  }
}

}  // namespace runtime
