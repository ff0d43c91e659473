#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

std::string to_text(const StructuralType& type, std::span<const std::string> names) {
  std::string text = "{";
  for (std::uint32_t r = 0; r < type.rows(); ++r) {
    if (r > 0) text += "; ";
    bool first = true;
    for (std::uint32_t c : type.row(r)) {
      if (!first) text += ' ';
      first = false;
      text += c < type.interface() ? names[c] : "~" + std::to_string(c - type.interface() + 1);
    }
  }
  return text + "}";
}

}  // namespace sigrel::structural_types
