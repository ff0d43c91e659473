#include "compiler/exact/independent_columns.h"

#include <algorithm>

namespace sigrel::exact {

IndependentColumns::IndependentColumns(std::uint32_t rows)
    : pivot_of_row_(rows, kNone), value_(rows), fixed_(rows, 1), touched_(rows, 0) {}

void IndependentColumns::touch(std::uint32_t row) {
  if (touched_[row]) return;
  touched_[row] = 1;
  fixed_[row] = 1;
  rows_.push_back(row);
  if (pivot_of_row_[row] != kNone) queue_.push(pivot_of_row_[row]);
}

IndependentColumns::Answer IndependentColumns::offer(std::span<const Entry> column, bool varying) {
  for (const Entry& e : column) {
    touch(e.row);
    value_[e.row] += e.value;
    fixed_[e.row] &= e.fixed;
  }
  while (!queue_.empty()) {  // entries below a pivot belong to later pivots only
    const Pivot& pivot = pivots_[queue_.top()];
    queue_.pop();
    if (value_[pivot.row].zero()) continue;
    const Field factor = -(value_[pivot.row] * pivot.inverse);
    const bool fixed = fixed_[pivot.row] && pivot.fixed;
    for (const Entry& e : pivot.below) {
      touch(e.row);
      value_[e.row] += factor * e.value;
      fixed_[e.row] &= static_cast<std::uint8_t>(fixed && e.fixed);
    }
    work_ += pivot.below.size() + 1;
  }
  remainder_.clear();
  for (std::uint32_t row : rows_)
    if (pivot_of_row_[row] == kNone && !value_[row].zero()) remainder_.push_back(row);
  std::ranges::sort(remainder_);
  auto at = std::ranges::find_if(remainder_, [&](std::uint32_t row) { return fixed_[row] != 0; });
  if (at == remainder_.end() && varying) at = remainder_.begin();
  Answer answer = remainder_.empty() ? Answer::Dependent : Answer::Varies;
  if (at != remainder_.end()) {
    answer = Answer::Taken;
    Pivot pivot{*at, value_[*at].inverse(), fixed_[*at] != 0, {}};
    for (std::uint32_t row : remainder_)
      if (row != *at) pivot.below.push_back({row, value_[row], fixed_[row] != 0});
    pivot_of_row_[*at] = static_cast<std::uint32_t>(pivots_.size());
    pivots_.push_back(std::move(pivot));
  }
  for (std::uint32_t row : rows_) {
    value_[row] = Field{};
    touched_[row] = 0;
  }
  rows_.clear();
  return answer;
}

void IndependentColumns::take(std::span<const Entry> column, std::uint32_t row) {
  Pivot pivot{row, {}, true, {}};
  for (const Entry& e : column)
    if (e.row == row)
      pivot.inverse = e.value.inverse();
    else
      pivot.below.push_back(e);
  pivot_of_row_[row] = static_cast<std::uint32_t>(pivots_.size());
  pivots_.push_back(std::move(pivot));
}

}  // namespace sigrel::exact
