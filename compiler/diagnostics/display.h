// The display of a source line on a terminal: its text and the column of each byte. Tabs become spaces,
// control characters and invalid UTF-8 become U+FFFD; wide characters (East Asian, emoji) take two columns,
// combining marks none.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sigrel {

struct DisplayLine {
  std::string text;
  std::vector<std::uint32_t> columns;  // of every byte, 0-based; one more for the end of the line

  std::uint32_t width() const { return columns.back(); }
  std::uint32_t column(std::size_t byte) const {
    return columns[byte < columns.size() ? byte : columns.size() - 1];
  }
};

DisplayLine display(std::string_view line);

/// The text with invalid UTF-8 and control characters replaced by U+FFFD; newlines are
/// kept.
std::string printable(std::string_view text);

/// The width of a text on a terminal, in columns.
std::uint32_t display_width(std::string_view text);

}  // namespace sigrel
