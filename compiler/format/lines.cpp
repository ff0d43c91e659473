#include "compiler/format/lines.h"

#include <algorithm>

namespace sigrel::format {

std::uint32_t Text::width(std::size_t i) const {
  std::string_view s = spelling(i);
  if (is_comment(i))
    while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return static_cast<std::uint32_t>(std::ranges::count_if(s, [](char c) { return (c & 0xC0) != 0x80; }));
}

Text split(const TokenList& list, std::string_view source) {
  Text text{list, source, {}, std::vector<std::uint32_t>(list.tokens.size(), 0)};
  auto newlines = [&](std::uint32_t from, std::uint32_t to) {
    return static_cast<std::uint32_t>(std::count(source.begin() + from, source.begin() + to, '\n'));
  };
  for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
    std::uint32_t breaks = i == 0 ? 0 : newlines(text.token(i - 1).span.end, text.token(i).span.begin);
    bool starts = i == 0 || breaks > 0;
    // A block comment that starts a line, or spans several, gets its lines for itself: the next token needs a
    // definite column.
    if (!starts && text.is_comment(i - 1))
      starts = text.lines.back().comment || text.spelling(i - 1).find('\n') != std::string_view::npos;
    if (starts) text.lines.push_back({i, i, breaks > 1 ? breaks - 1 : 0, 0, text.is_comment(i)});
    text.lines.back().end = i + 1;
  }
  return text;
}

std::string plain_comment(std::string_view comment) {
  std::string out;
  for (char c : comment) {
    if (c == '\n')
      while (!out.empty() && (out.back() == ' ' || out.back() == '\t' || out.back() == '\r')) out.pop_back();
    out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\t' || out.back() == '\r')) out.pop_back();
  return out;
}

std::string print(const Text& text) {
  std::string out;
  for (const Line& line : text.lines) {
    if (!out.empty()) out.append(std::min(line.empty_before, line.indent == 0 ? 2u : 1u), '\n');
    out.append(line.indent, ' ');
    for (std::uint32_t i = line.first; i < line.end; ++i) {
      if (i > line.first) out.append(text.blanks[i], ' ');
      out += text.is_comment(i) ? plain_comment(text.spelling(i)) : std::string(text.spelling(i));
    }
    out += '\n';
  }
  return out;
}

}  // namespace sigrel::format
