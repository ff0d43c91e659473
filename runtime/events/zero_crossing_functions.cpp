#include "runtime/events/zero_crossing_functions.h"

namespace runtime {

ZeroCrossingFunctions::ZeroCrossingFunctions(const Model& model)
    : model_(model), has_watched_(model.zero_crossings.size(), 0) {
  std::uint32_t next = 0;  // time functions are in the order of the rows
  for (std::uint32_t c = 0; c < model.zero_crossings.size(); ++c)
    for (std::uint32_t row = 0; row < model.batches[model.zero_crossings[c].batch].count; ++row) {
      const bool of_time = next < model.time_functions.size() &&
                           model.time_functions[next].zero_crossing == c &&
                           model.time_functions[next].row == row;
      if (!of_time) {
        watched_.push_back(static_cast<std::uint32_t>(rows_.size()));
        has_watched_[c] = 1;
      }
      const ZeroCrossing& crossing = model.zero_crossings[c];
      rows_.push_back({c, row, of_time ? next++ : kNone, crossing.first + row,
                       crossing.kind == ZeroCrossing::Comparison});
    }
  differences_.assign(rows_.size(), 0.0);
  arguments_.assign(rows_.size(), 0.0);
  rounding_.assign(rows_.size(), 0.0);
}

void ZeroCrossingFunctions::evaluate(const Point& point) { evaluate(point, false); }

void ZeroCrossingFunctions::evaluate_all(const Point& point) { evaluate(point, !time_at_rest_); }

void ZeroCrossingFunctions::evaluate(const Point& point, bool unwatched) {
  std::size_t at = 0;
  for (std::uint32_t c = 0; c < model_.zero_crossings.size(); ++c) {
    const KernelBatch& batch = model_.batches[model_.zero_crossings[c].batch];
    if (!unwatched && !has_watched_[c]) {
      at += batch.count;
      continue;
    }
    runtime::evaluate(model_, batch, point, arguments_.data() + at);
    if (model_.zero_crossings[c].kind == ZeroCrossing::Comparison)
      for (std::size_t k = at; k < at + batch.count; ++k) differences_[k] = arguments_[k];
    else
      measure(c, at, 0, batch.count, point.parameters);
    at += batch.count;
  }
}

double ZeroCrossingFunctions::evaluate_one(const Point& point, std::uint32_t k) {
  const std::uint32_t row = rows_[k].row;
  evaluate_rows(model_, batch(k), point, row, row + 1, arguments_.data() + (k - row));
  measure(rows_[k].zero_crossing, k - row, row, row + 1, point.parameters);
  return differences_[k];
}

/// From arguments to differences, for rows of zero crossing `c`, whose functions begin at `first`.
void ZeroCrossingFunctions::measure(std::uint32_t c, std::size_t first, std::uint32_t begin,
                                    std::uint32_t end, const double* parameters) {
  const ZeroCrossing& crossing = model_.zero_crossings[c];
  if (crossing.kind == ZeroCrossing::Comparison) {
    for (std::uint32_t row = begin; row < end; ++row) differences_[first + row] = arguments_[first + row];
    return;
  }
  for (std::uint32_t row = begin; row < end; ++row)
    differences_[first + row] = distance_inside(
        Pieces(model_, crossing, row, parameters).bounds(Pieces::held(crossing, row, parameters)),
        arguments_[first + row]);
}

}  // namespace runtime
