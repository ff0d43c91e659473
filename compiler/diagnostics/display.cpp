#include "compiler/diagnostics/display.h"

#include <algorithm>
#include <array>

namespace sigrel {
namespace {

constexpr std::uint32_t kTabWidth = 4;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct CodePoint {
  std::uint32_t value;
  std::uint32_t bytes;
  bool valid;
};

/// The code point at the start of a nonempty text. An invalid byte counts as one code point.
CodePoint decode(std::string_view s) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  auto continues = [&](std::size_t i) { return i < s.size() && (byte(i) & 0xC0) == 0x80; };
  std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead >= 0xC2 && lead < 0xE0 && continues(1)) return {(lead & 0x1F) << 6 | (byte(1) & 0x3Fu), 2, true};
  if (lead >= 0xE0 && lead < 0xF0 && continues(1) && continues(2)) {
    std::uint32_t v = (lead & 0x0F) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    if (v >= 0x800 && (v < 0xD800 || v > 0xDFFF)) return {v, 3, true};
  }
  if (lead >= 0xF0 && lead < 0xF5 && continues(1) && continues(2) && continues(3)) {
    std::uint32_t v =
        (lead & 0x07) << 18 | (byte(1) & 0x3Fu) << 12 | (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    if (v >= 0x10000 && v <= 0x10FFFF) return {v, 4, true};
  }
  return {0xFFFD, 1, false};
}

struct Range {
  std::uint32_t first, last;
};
constexpr bool within(const auto& ranges, std::uint32_t c) {
  auto it = std::ranges::lower_bound(ranges, c, {}, &Range::last);
  return it != ranges.end() && it->first <= c;
}

// The blocks of Unicode's EastAsianWidth W and F, and of its combining marks, that a model's text can
// contain.
constexpr std::array kWide = {
    Range{0x1100, 0x115F},   Range{0x231A, 0x231B},   Range{0x23E9, 0x23EC},   Range{0x2E80, 0x303E},
    Range{0x3041, 0x33FF},   Range{0x3400, 0x4DBF},   Range{0x4E00, 0x9FFF},   Range{0xA000, 0xA4CF},
    Range{0xA960, 0xA97F},   Range{0xAC00, 0xD7A3},   Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},
    Range{0xFF00, 0xFF60},   Range{0xFFE0, 0xFFE6},   Range{0x1F300, 0x1F64F}, Range{0x1F680, 0x1F6FF},
    Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x2FFFD}, Range{0x30000, 0x3FFFD}};
constexpr std::array kCombining = {Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD},
                                   Range{0x0610, 0x061A}, Range{0x064B, 0x065F}, Range{0x1AB0, 0x1AFF},
                                   Range{0x1DC0, 0x1DFF}, Range{0x200B, 0x200F}, Range{0x20D0, 0x20FF},
                                   Range{0x3099, 0x309A}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F}};

std::uint32_t width_of(std::uint32_t c) { return within(kCombining, c) ? 0 : within(kWide, c) ? 2 : 1; }

/// C0 and C1 controls, and the marks that reorder text, which could disguise source code.
bool hidden(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

DisplayLine display(std::string_view line) {
  DisplayLine out;
  out.columns.reserve(line.size() + 1);
  std::uint32_t column = 0;
  for (std::size_t i = 0; i < line.size();) {
    CodePoint c = decode(line.substr(i));
    out.columns.insert(out.columns.end(), c.bytes, column);
    if (c.value == '\t') {
      std::uint32_t spaces = kTabWidth - column % kTabWidth;
      out.text.append(spaces, ' ');
      column += spaces;
    } else if (!c.valid || hidden(c.value)) {
      out.text += kReplacement;
      ++column;
    } else {
      out.text += line.substr(i, c.bytes);
      column += width_of(c.value);
    }
    i += c.bytes;
  }
  out.columns.push_back(column);
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    CodePoint c = decode(text.substr(i));
    if (c.valid && (c.value == '\n' || !hidden(c.value)))
      out += text.substr(i, c.bytes);
    else
      out += kReplacement;
    i += c.bytes;
  }
  return out;
}

std::uint32_t display_width(std::string_view text) { return display(text).width(); }

}  // namespace sigrel
