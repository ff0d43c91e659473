#include "compiler/lsp/outline.h"

#include <algorithm>

namespace sigrel::lsp {
namespace {

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

std::size_t indent(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at == std::string_view::npos ? line.size() : at;
}

bool is_comment(std::string_view line) {
  const std::size_t at = line.find_first_not_of(' ');
  return at != std::string_view::npos && line.substr(at).starts_with("--");
}

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '\'' || c == '.';
}

/// The last line of the block that begins with this one: those that are indented more, and blank ones between
/// them.
std::size_t block_end(const Lines& lines, std::size_t first) {
  std::size_t last = first;
  const std::size_t column = indent(lines.line(first));
  for (std::size_t k = first + 1; k < lines.count(); ++k) {
    if (is_blank(lines.line(k))) continue;
    if (indent(lines.line(k)) <= column) break;
    last = k;
  }
  return last;
}

/// The start of a line of the text.
std::size_t start_of(const Lines& lines, std::size_t line) { return lines.offset({line, 0}, Encoding::Utf8); }

void add(std::vector<Extent>& found, std::size_t begin, std::size_t end) {
  const bool grows = found.empty() || (begin <= found.back().begin && end >= found.back().end &&
                                       end - begin > found.back().end - found.back().begin);
  if (grows && end > begin) found.push_back({begin, end});
}

}  // namespace

std::vector<Fold> folds(std::string_view text) {
  const Lines lines(text);
  std::vector<Fold> found;
  const auto run = [&](std::size_t first, auto belongs) {
    std::size_t last = first;
    while (last + 1 < lines.count() && belongs(lines.line(last + 1))) ++last;
    return last;
  };
  for (std::size_t k = 0; k < lines.count(); ++k) {
    const std::string_view line = lines.line(k);
    if (is_blank(line)) continue;
    if (is_comment(line)) {
      const std::size_t last = run(k, is_comment);
      if (last > k) found.push_back({k, last, Fold::Comment});
      k = last;
    } else if (line.starts_with("import ")) {
      const std::size_t last =
          run(k, [](std::string_view l) { return l.starts_with("import ") || l.starts_with(' '); });
      if (last > k) found.push_back({k, last, Fold::Imports});
      k = last;
    } else if (const std::size_t last = block_end(lines, k); last > k) {
      found.push_back({k, last, Fold::Code});
    }
  }
  return found;
}

std::vector<Extent> extents(std::string_view text, std::size_t offset) {
  std::vector<Extent> found;
  const Word word = word_at(text, offset);
  if (!word.text.empty()) add(found, word.begin, word.begin + word.text.size());
  const Lines lines(text);
  std::size_t line = lines.place(offset, Encoding::Utf8).line;
  const std::size_t line_begin = start_of(lines, line), line_end = line_begin + lines.line(line).size();
  // Brackets in the line, from the inside: what is in them, and then they themselves.
  std::size_t begin = offset, end = offset;
  for (int depth = 0; begin > line_begin;) {
    const char c = text[--begin];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c != '(' && c != '[' && c != '{') continue;
    if (depth-- > 0) continue;
    depth = 0;
    int inner = 0;
    while (end < line_end) {
      const char d = text[end];
      if (d == '(' || d == '[' || d == '{') ++inner;
      if ((d == ')' || d == ']' || d == '}') && inner-- == 0) break;
      ++end;
    }
    if (end >= line_end) break;
    add(found, begin + 1, end);
    add(found, begin, ++end);
  }
  add(found, line_begin + indent(lines.line(line)), line_end);
  // Blocks: each begins with a line that is indented less.
  for (;;) {
    const std::size_t last = block_end(lines, line);
    add(found, start_of(lines, line) + indent(lines.line(line)),
        start_of(lines, last) + lines.line(last).size());
    const std::size_t column = indent(lines.line(line));
    std::size_t above = line;
    while (above > 0 && (is_blank(lines.line(above)) || indent(lines.line(above)) >= column)) --above;
    if (above == line || indent(lines.line(above)) >= column) break;
    line = above;
  }
  add(found, 0, text.size());
  return found;
}

Call call_at(std::string_view text, std::size_t offset) {
  // Back to the beginning of the application: an open bracket, an operator, a comma, or the line.
  constexpr std::string_view kEnds = "=,:;<>+-*/^&|\\";
  std::size_t begin = std::min(offset, text.size());
  for (int depth = 0; begin > 0; --begin) {
    const char c = text[begin - 1];
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') {
      if (depth == 0) break;
      --depth;
    }
    if (depth == 0 && (c == '\n' || kEnds.find(c) != std::string_view::npos)) {
      // A sign or an exponent of a number, and a unit, are no ends.
      const bool in_number =
          (c == '-' || c == '+') && begin > 1 && (text[begin - 2] == 'e' || text[begin - 2] == 'E');
      if (!in_number) break;
    }
  }
  const std::size_t stop = std::min(offset, text.size());
  while (begin < stop && text[begin] == ' ') ++begin;
  std::size_t end = begin;
  while (end < text.size() && is_name_part(text[end])) ++end;
  if (end == begin || end >= stop) return {};  // the function itself is being written
  Call call{{text.substr(begin, end - begin), begin}, 0};
  // Arguments are separated by blanks outside of brackets; the last one is being written.
  int depth = 0;
  bool inside = false;
  for (std::size_t k = end; k < stop; ++k) {
    const char c = text[k];
    if (c == ' ' && depth == 0) {
      if (inside) ++call.arguments;
      inside = false;
      continue;
    }
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    inside = true;
  }
  return call;
}

}  // namespace sigrel::lsp
