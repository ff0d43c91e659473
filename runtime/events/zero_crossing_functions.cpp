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
  std::uint32_t first = 0;
  for (std::uint32_t c = 0; c < model.zero_crossings.size(); ++c) {
    const ZeroCrossing& crossing = model.zero_crossings[c];
    (has_watched_[c] ? watched_sections_ : other_sections_)
        .push_back({c, crossing.batch, first, crossing.kind == ZeroCrossing::Comparison});
    first += model.batches[crossing.batch].count;
  }
  differences_.assign(rows_.size(), 0.0);
  arguments_.assign(rows_.size(), 0.0);
  rounding_.assign(rows_.size(), 0.0);
}

void ZeroCrossingFunctions::evaluate(const Point& point) {
  for (const Section& section : watched_sections_) evaluate(section, point);
}

void ZeroCrossingFunctions::evaluate_all(const Point& point) {
  evaluate(point);
  if (time_unchanged_) return;
  for (const Section& section : other_sections_) evaluate(section, point);
}

void ZeroCrossingFunctions::evaluate(const Section& section, const Point& point) {
  const KernelBatch& batch = model_.batches[section.batch];
  double* arguments = arguments_.data() + section.first;
  runtime::evaluate(model_, batch, point, arguments);
  if (section.is_comparison)
    std::copy_n(arguments, batch.count, differences_.data() + section.first);
  else
    measure(section.zero_crossing, section.first, 0, batch.count, point.parameters);
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
