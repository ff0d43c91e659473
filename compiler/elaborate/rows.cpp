#include "compiler/elaborate/rows.h"

namespace sigrel::elaborate {

void Rows::add(ExprId residual, std::uint32_t source, RowKind kind, std::uint32_t tag) {
  begin(0, source, kind, tag);
  numbers_.clear();
  rows_[static_cast<std::size_t>(kind)].back().table = table(residual, kind, slots_, numbers_);
  for (ExprId number : numbers_) row_reals_.push_back(reals_.add(number));
}

void Rows::end_sum(std::uint32_t source) {
  sum_offsets_.push_back(static_cast<std::uint32_t>(sum_terms_.size()));
  sum_sources_.push_back(source);
}

}  // namespace sigrel::elaborate
