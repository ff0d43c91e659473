#include "runtime/events/zero_crossing_functions.h"

namespace runtime {

ZeroCrossingFunctions::ZeroCrossingFunctions(const Model& model) : model_(model) {
  for (std::uint32_t c = 0; c < model.zero_crossings.size(); ++c)
    for (std::uint32_t row = 0; row < model.batches[model.zero_crossings[c].batch].count; ++row) {
      if (!model.zero_crossings[c].linear_in_time)
        watched_.push_back(static_cast<std::uint32_t>(rows_.size()));
      rows_.push_back({c, row});
    }
  differences_.assign(rows_.size(), 0.0);
}

void ZeroCrossingFunctions::evaluate(const Point& point) {
  std::size_t at = 0;
  for (const ZeroCrossing& c : model_.zero_crossings) {
    runtime::evaluate(model_, model_.batches[c.batch], point, differences_.data() + at);
    at += model_.batches[c.batch].count;
  }
}

double ZeroCrossingFunctions::evaluate_one(const Point& point, std::uint32_t k) {
  const std::uint32_t row = rows_[k].row;
  evaluate_rows(model_, batch(k), point, row, row + 1, differences_.data() + (k - row));
  return differences_[k];
}

}  // namespace runtime
