#include "compiler/structural/kernel.h"

#include <bit>

namespace sigrel::structural {

Kernel::Kernel(const Incidence& incidence)
    : interface_(incidence.interface), hidden_(incidence.hidden), rows_(incidence.rows.rows()), stride_((columns() + 63) / 64),
      words_(std::size_t{rows_} * stride_) {
  for (std::uint32_t r = 0; r < rows_; ++r)
    for (std::uint32_t c : incidence.rows.row(r)) words_[std::size_t{r} * stride_ + c / 64] |= std::uint64_t{1} << (c % 64);
}

Incidence Kernel::incidence() const {
  Incidence incidence{interface_, hidden_, {}};
  incidence.rows.columns = columns();
  for (std::uint32_t r = 0; r < rows_; ++r) {
    for (std::uint32_t w = 0; w < stride_; ++w)
      for (std::uint64_t rest = words(r)[w]; rest; rest &= rest - 1)
        incidence.rows.targets.push_back(64 * w + static_cast<std::uint32_t>(std::countr_zero(rest)));
    incidence.rows.end_row();
  }
  return incidence;
}

std::string to_text(const Kernel& kernel, std::span<const std::string> names) {
  std::string text = "{";
  Incidence incidence = kernel.incidence();
  for (std::uint32_t r = 0; r < kernel.rows(); ++r) {
    if (r > 0) text += "; ";
    bool first = true;
    for (std::uint32_t c : incidence.rows.row(r)) {
      if (!first) text += ' ';
      first = false;
      text += c < kernel.interface() ? names[c] : "~" + std::to_string(c - kernel.interface() + 1);
    }
  }
  return text + "}";
}

}  // namespace sigrel::structural
