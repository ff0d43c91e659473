#include "compiler/exact/independent_columns.h"

#include <algorithm>

#include "compiler/exact/random_point.h"

namespace sigrel::exact {

using namespace modular;

Pivots::Pivots(std::uint32_t rows)
    : pivot_of_row_(rows, kNone), value_(rows, 0), fixed_(rows, 1), touched_(rows, 0) {}

void Pivots::touch(std::uint32_t row) {
  if (touched_[row]) return;
  touched_[row] = 1;
  fixed_[row] = 1;
  rows_.push_back(row);
  if (pivot_of_row_[row] != kNone) queue_.push(pivot_of_row_[row]);
}

Pivots::Answer Pivots::offer(std::span<const Entry> column, bool varying) {
  for (const Entry& e : column) {
    touch(e.row);
    value_[e.row] = plus(value_[e.row], e.value);
    fixed_[e.row] &= e.fixed;
  }
  while (!queue_.empty()) {  // entries below a pivot belong to later pivots only
    const Pivot& pivot = pivots_[queue_.top()];
    queue_.pop();
    if (value_[pivot.row] == 0) continue;
    const std::uint64_t factor = minus(times(value_[pivot.row], pivot.inverse));
    const bool fixed = fixed_[pivot.row] && pivot.fixed;
    for (const Entry& e : pivot.below) {
      touch(e.row);
      value_[e.row] = plus(value_[e.row], times(factor, e.value));
      fixed_[e.row] &= static_cast<std::uint8_t>(fixed && e.fixed);
    }
    work_ += pivot.below.size() + 1;
  }
  rest_.clear();
  for (std::uint32_t row : rows_)
    if (pivot_of_row_[row] == kNone && value_[row] != 0) rest_.push_back(row);
  std::ranges::sort(rest_);
  auto at = std::ranges::find_if(rest_, [&](std::uint32_t row) { return fixed_[row] != 0; });
  if (at == rest_.end() && varying) at = rest_.begin();
  Answer answer = rest_.empty() ? Answer::Dependent : Answer::Varies;
  if (at != rest_.end()) {
    answer = Answer::Taken;
    Pivot pivot{*at, inverse(value_[*at]), fixed_[*at] != 0, {}};
    for (std::uint32_t row : rest_)
      if (row != *at) pivot.below.push_back({row, value_[row], fixed_[row] != 0});
    pivot_of_row_[*at] = static_cast<std::uint32_t>(pivots_.size());
    pivots_.push_back(std::move(pivot));
  }
  for (std::uint32_t row : rows_) value_[row] = touched_[row] = 0;
  rows_.clear();
  return answer;
}

}  // namespace sigrel::exact
