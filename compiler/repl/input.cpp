#include "compiler/repl/input.h"

#include <array>

namespace sigrel::repl {
namespace {

bool name_part(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '\'';
}
bool blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

bool ends_in_word(std::string_view line, std::string_view word) {
  return line.ends_with(word) &&
         (line.size() == word.size() || !name_part(line[line.size() - word.size() - 1]));
}

}  // namespace

std::string_view leading_name(std::string_view line) {
  if (line.empty() || !((line[0] >= 'a' && line[0] <= 'z') || line[0] == '_')) return {};
  std::size_t end = 0;
  while (end < line.size() && name_part(line[end])) ++end;
  return line.substr(0, end);
}

Input::Next Input::add(std::string_view line) {
  if (empty()) {
    if (blank(line)) return Next::Complete;
    std::string_view trimmed = line.substr(line.find_first_not_of(" \t"));
    if (trimmed.starts_with(":{")) {
      braced_ = true;
      std::string_view rest = trimmed.substr(2);
      if (!blank(rest)) text_ = std::string(rest.substr(rest.find_first_not_of(" \t"))) + "\n";
      return Next::Taken;
    }
    text_ = line;
    if (trimmed.starts_with(":")) return Next::Complete;  // a command is one line
    text_ += '\n';
    scan();
    return bracket_ || block_ ? Next::Taken : Next::Complete;
  }
  if (braced_) {
    std::string_view trimmed = blank(line) ? std::string_view{} : line.substr(line.find_first_not_of(" \t"));
    if (trimmed.starts_with(":}")) return Next::Complete;
    (text_ += line) += '\n';
    return Next::Taken;
  }
  if (blank(line)) return Next::Complete;
  bool command = line.size() > 1 && line[0] == ':' && line[1] >= 'a' && line[1] <= 'z';
  bool indented = line[0] == ' ' || line[0] == '\t';
  if (command || (!bracket_ && !indented && !goes_on(line))) return Next::Ended;
  if (!bracket_) block_ = true;  // only an empty line or the next input ends it
  (text_ += line) += '\n';
  scan();
  return bracket_ || block_ ? Next::Taken : Next::Complete;
}

bool Input::goes_on(std::string_view line) const {
  if (blank(line) || text_.empty() || text_[0] == ':') return false;
  if (line[0] == ' ' || line[0] == '\t') return true;
  // The last line at the margin tells what is defined; a comment belongs to the declaration after it.
  std::string_view last, rest = text_;
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(one.size() + 1);
    if (!blank(one) && one[0] != ' ' && one[0] != '\t') last = one;
  }
  if (last.starts_with("--")) return true;
  std::string_view name = leading_name(last);
  if (name.empty() || name != leading_name(line)) return false;
  // Another clause, or the definition after a signature; not an expression that starts with the same name.
  auto defines = [](std::string_view l) {
    std::size_t at = l.find('=');
    return (at != std::string_view::npos && at + 1 <= l.size() && (at + 1 == l.size() || l[at + 1] != '=')) ||
           l.find("::") != std::string_view::npos;
  };
  return defines(last) && defines(line);
}

/// Finds the brackets and blocks that are open at the end of the text.
void Input::scan() {
  int depth = 0, comment = 0;
  bool quoted = false, typed = false, defined = false;
  std::string_view last;  // the last line without its comment
  std::size_t line_start = 0, code_end = 0;
  for (std::size_t i = 0; i < text_.size(); ++i) {
    char c = text_[i], next = i + 1 < text_.size() ? text_[i + 1] : '\0';
    if (c == '\n') {
      if (code_end > line_start) last = std::string_view(text_).substr(line_start, code_end - line_start);
      line_start = code_end = i + 1;
      quoted = false;  // a string ends with its line: the parser reports it
      continue;
    }
    if (comment > 0) {
      if (c == '-' && next == '}')
        --comment, ++i;
      else if (c == '{' && next == '-')
        ++comment, ++i;
      continue;
    }
    if (quoted) {
      if (c == '\\' && next != '\n')
        ++i;
      else if (c == '"')
        quoted = false;
      code_end = i + 1;
      continue;
    }
    if (c == '-' && next == '-') {
      while (i + 1 < text_.size() && text_[i + 1] != '\n') ++i;
      continue;
    }
    if (c == '{' && next == '-') {
      ++comment, ++i;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && depth > 0) --depth;
    if (depth == 0 && c == ':' && next == ':') typed = true;
    if (c == '=') defined = true;
    if (c != ' ' && c != '\t' && c != '\r') code_end = i + 1;
  }
  bracket_ = depth > 0 || comment > 0;
  if (bracket_) return;
  static constexpr std::array<std::string_view, 9> openers = {"where", "of", "do",        "let",  "then",
                                                              "else",  "in", "initially", "guess"};
  for (std::string_view word : openers) block_ |= ends_in_word(last, word);
  for (std::string_view end : {"=", "->", "<>", "→", "◇"}) block_ |= last.ends_with(end);
  block_ |= typed && !defined && !leading_name(text_).empty();
  block_ |= last.empty() && text_.starts_with("-- |");
}

}  // namespace sigrel::repl
