#include "compiler/kernel/cell.h"

#include <algorithm>

#include "compiler/repl/input.h"
#include "compiler/session/declared_names.h"

namespace sigrel::kernel {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r\n") == std::string_view::npos; }

bool is_name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}

struct Piece {
  std::size_t line = 0;  // of the cell, from 0
  std::string text;
};

std::vector<Piece> pieces_of(std::string_view cell) {
  const std::vector<std::string_view> lines = lines_of(cell);
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < lines.size();) {
    if (is_blank(lines[i])) {
      ++i;
      continue;
    }
    repl::Input input;
    const std::size_t first = i;
    while (i < lines.size()) {
      const repl::Input::Next next = input.add(lines[i]);
      if (next == repl::Input::Next::Ended) break;
      ++i;
      if (next == repl::Input::Next::Complete &&
          !(i < lines.size() && !is_blank(lines[i - 1]) && input.may_go_on() && input.goes_on(lines[i])))
        break;
    }
    if (!is_blank(input.text())) pieces.push_back({first, input.text()});
  }
  return pieces;
}

}  // namespace

std::vector<std::string> inputs_of(std::string_view cell) {
  std::vector<std::string> inputs;
  bool definitions = false;  // the last input has some
  std::size_t lines = 0;     // of the cell, that the last input has come to
  for (const Piece& piece : pieces_of(cell)) {
    const bool is_command = piece.text[piece.text.find_first_not_of(" \t")] == ':';
    const bool more = !is_command && session::looks_like_declaration(piece.text);
    if (!(definitions && more)) {
      inputs.emplace_back();
      lines = 0;
    }
    std::string& input = inputs.back();
    input.append(piece.line - lines, '\n');
    input += piece.text;
    if (!input.ends_with('\n')) input += '\n';
    lines = static_cast<std::size_t>(std::ranges::count(input, '\n'));
    definitions = more;
  }
  return inputs;
}

bool is_complete(std::string_view cell) {
  const std::vector<std::string_view> lines = lines_of(cell);
  repl::Input input;
  bool complete = true;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    repl::Input::Next next = input.add(lines[i]);
    if (next == repl::Input::Next::Ended) {
      input = {};
      next = input.add(lines[i]);
    }
    complete = next == repl::Input::Next::Complete;
    if (complete && !(i + 1 < lines.size() && input.may_go_on() && input.goes_on(lines[i + 1]))) input = {};
  }
  return complete;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::size_t byte_of(std::string_view text, int code_point) {
  std::size_t byte = 0;
  for (int seen = 0; byte < text.size(); ++byte)
    if ((text[byte] & 0xC0) != 0x80 && seen++ == code_point) break;
  return byte;
}

std::string name_at(std::string_view text, std::size_t byte) {
  std::size_t begin = std::min(byte, text.size()), end = begin;
  while (begin > 0 && (is_name_part(text[begin - 1]) || text[begin - 1] == '.')) --begin;
  while (end < text.size() && is_name_part(text[end])) ++end;
  std::string_view name = text.substr(begin, end - begin);
  while (name.starts_with('.')) name.remove_prefix(1);
  while (name.ends_with('.')) name.remove_suffix(1);
  const bool is_number = !name.empty() && name[0] >= '0' && name[0] <= '9';
  return is_number ? std::string() : std::string(name);
}

}  // namespace sigrel::kernel
