#include "compiler/lsp/outline.h"

#include <algorithm>
#include <optional>

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

std::string_view defined_in(std::string_view line) {
  const Word word = word_at(line, 0);
  const bool is_name = !word.text.empty() && word.begin == 0 && word.text[0] >= 'a' && word.text[0] <= 'z';
  if (!is_name || line.starts_with("import ") || line.starts_with("module ") || line.starts_with("foreign "))
    return {};
  return line.find('=') != std::string_view::npos || line.find("::") != std::string_view::npos
             ? word.text
             : std::string_view();
}

std::string_view definition_around(std::string_view text, std::size_t offset) {
  const Lines lines(text);
  std::size_t line = lines.place(offset, Encoding::Utf8).line;
  while (line > 0 && (is_blank(lines.line(line)) || indent(lines.line(line)) > 0)) --line;
  return defined_in(lines.line(line));
}

namespace {

bool is_unit_part(char c) {
  return is_name_part(c) || c == '*' || c == '/' || c == '^' || c == '(' || c == ')' || c == '-' || c == '%';
}

/// The name before a brace that is open at the offset, if a name is written there, not a value.
std::optional<std::string_view> open_brace(std::string_view text, std::size_t offset) {
  int depth = 0;
  bool decided = false;  // whether it is a name: the last `,` or `{` before it is behind the last `=`
  for (std::size_t k = offset; k > 0; --k) {
    const char c = text[k - 1];
    // A declaration begins at the margin.
    if (c == '\n' && k != offset && text[k] != ' ' && text[k] != '\n') return std::nullopt;
    if (c == ')' || c == ']' || c == '}') ++depth;
    if (c == '(' || c == '[' || c == '{') {
      if (depth > 0) {
        --depth;
        continue;
      }
      if (c != '{') return std::nullopt;
      std::size_t end = k - 1;
      while (end > 0 && text[end - 1] == ' ') --end;
      std::size_t begin = end;
      while (begin > 0 && is_name_part(text[begin - 1])) --begin;
      return text.substr(begin, end - begin);
    }
    if (depth > 0 || decided) continue;
    if (c == '=') return std::nullopt;
    if (c == ',') decided = true;
  }
  return std::nullopt;
}

}  // namespace

Typing typing_at(std::string_view text, std::size_t offset) {
  offset = std::min(offset, text.size());
  std::size_t line_begin = offset;
  while (line_begin > 0 && text[line_begin - 1] != '\n') --line_begin;
  const std::string_view before = text.substr(line_begin, offset - line_begin);
  bool in_string = false;
  for (std::size_t k = 0; k < before.size(); ++k) {
    if (before[k] == '"' && (k == 0 || before[k - 1] != '\\')) in_string = !in_string;
    if (!in_string && before.substr(k).starts_with("--")) return {Typing::Nothing, {}};
  }
  if (in_string) return {Typing::Nothing, {}};
  if (before.starts_with("import ") && before.find('(') == std::string_view::npos)
    return {Typing::Module, {}};
  // A unit: `<` directly behind a number or a name, and no blank since.
  std::size_t unit = offset;
  while (unit > line_begin && is_unit_part(text[unit - 1])) --unit;
  if (unit > line_begin + 1 && text[unit - 1] == '<' && is_name_part(text[unit - 2]))
    return {Typing::Unit, {}};
  std::size_t begin = offset;
  while (begin > line_begin && is_name_part(text[begin - 1]) && text[begin - 1] != '.') --begin;
  if (begin > line_begin && text[begin - 1] == '.') {
    std::size_t first = begin - 1;
    for (int depth = 0; first > line_begin; --first) {
      const char c = text[first - 1];
      if (c == ']') ++depth;
      if (depth == 0 && !is_name_part(c)) break;
      if (c == '[') --depth;
    }
    const std::string_view owner = text.substr(first, begin - 1 - first);
    const bool is_number = owner.empty() || (owner[0] >= '0' && owner[0] <= '9');
    return {is_number ? Typing::Nothing : Typing::Member, owner};
  }
  if (begin < offset && text[begin] >= '0' && text[begin] <= '9') return {Typing::Nothing, {}};
  if (const auto owner = open_brace(text, begin))
    return {owner->empty() ? Typing::Nothing : Typing::Field, *owner};
  return {};
}

Piece piece_around(const Lines& lines, std::size_t line) {
  const auto begins = [&](std::size_t k) { return !is_blank(lines.line(k)) && indent(lines.line(k)) == 0; };
  Piece piece{std::min(line, lines.count() - 1), 0};
  while (piece.first > 0 && !begins(piece.first)) --piece.first;
  piece.end = piece.first + 1;
  while (piece.end < lines.count() && !begins(piece.end)) ++piece.end;
  return piece;
}

}  // namespace sigrel::lsp
