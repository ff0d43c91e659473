#include "tests/fuzz/mistake.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "compiler/parse/tokens.h"
#include "compiler/session/session.h"

namespace sigrel::fuzz {
namespace {

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// What a typing error makes of a name: letters exchanged, missing, or doubled.
std::string misspelt(std::string name, std::size_t at, std::size_t how) {
  at %= name.size();
  if (how == 0 && name.size() > 1 && at + 1 < name.size() && name[at] != name[at + 1])
    std::swap(name[at], name[at + 1]);
  else if (how == 1 && name.size() > 1)
    name.erase(at, 1);
  else
    name.insert(at, 1, name[at]);
  return name;
}

}  // namespace

Program::Program(std::string path) : path_(std::move(path)), text_(read(path_)) {
  SourceMap sources;
  Diagnostics diagnostics;
  for (const SourceToken& token : sigrel::tokens(sources.add(path_, text_), sources, diagnostics).tokens) {
    if (token.kind == TokenKind::LineComment || token.kind == TokenKind::BlockComment) continue;
    if (token.span.end <= token.span.begin) continue;
    tokens_.push_back({token.span.begin, token.span.end, token.line,
                       token.kind == TokenKind::Name || token.kind == TokenKind::Capital});
    if (!lines_.empty() && lines_.back().line == token.line) continue;
    const std::size_t newline = text_.rfind('\n', token.span.begin);
    const std::size_t end = text_.find('\n', token.span.begin);
    lines_.push_back({newline == std::string::npos ? 0 : newline + 1,
                      end == std::string::npos ? text_.size() : end + 1, token.line, false});
  }
}

Program::Mistake Program::make_mistake(std::minstd_rand& random) const {
  auto below = [&](std::size_t n) { return random() / 7 % n; };
  auto pick = [&](const std::vector<Token>& from) { return from[below(from.size())]; };
  auto other_token = [&]() -> std::string {
    constexpr std::array<const char*, 24> kTokens = {"(", ")",  "[",  "]",   "{",    "}",    ",",     ".",
                                                     "=", "<>", "->", "::",  ":",    ":=",   "+",     "*",
                                                     "<", "1",  "x",  "let", "then", "with", "where", "of"};
    return below(2) == 0 ? kTokens[below(kTokens.size())] : std::string(text_of(pick(tokens_)));
  };
  auto at_line = [](std::string what, const Token& token) {
    std::replace(what.begin(), what.end(), '\n', ' ');
    return what + ", line " + std::to_string(token.line);
  };
  if (tokens_.empty()) return {"nothing", text_};
  std::string text = text_;
  const Token token = pick(tokens_), line = pick(lines_), other = pick(lines_);
  const std::string here(text_of(token)), there(text_of(other));
  switch (below(10)) {
    case 0: return {at_line("delete `" + here + "`", token), text.erase(token.begin, here.size())};
    case 1: {
      const std::string added = other_token();
      return {at_line("insert `" + added + "`", token), text.insert(token.begin, added + " ")};
    }
    case 2: {
      const std::string now = other_token();
      return {at_line("`" + now + "` for `" + here + "`", token),
              text.replace(token.begin, here.size(), now)};
    }
    case 3: return {at_line("delete the line", line), text.erase(line.begin, line.end - line.begin)};
    case 4: return {at_line("insert the line `" + there + "`", line), text.insert(line.begin, there)};
    case 5:
      return {at_line("replace the line by `" + there + "`", line),
              text.replace(line.begin, line.end - line.begin, there)};
    case 6: {
      const std::string blanks(1 + below(4), ' ');
      return {at_line("insert " + std::to_string(blanks.size()) + " blanks", line),
              text.insert(line.begin, blanks)};
    }
    case 7: {
      const std::size_t indent = std::min(text.find_first_not_of(' ', line.begin), line.end) - line.begin;
      const std::size_t count = indent == 0 ? 0 : 1 + below(indent);
      return {at_line("delete " + std::to_string(count) + " blanks", line), text.erase(line.begin, count)};
    }
    default: break;
  }
  std::vector<Token> names;
  std::copy_if(tokens_.begin(), tokens_.end(), std::back_inserter(names),
               [](const Token& t) { return t.is_name; });
  if (names.empty()) return {"nothing", text_};
  const Token name = pick(names);
  const std::string old(text_of(name));
  const std::string now =
      below(2) == 0 ? std::string(text_of(pick(names))) : misspelt(old, below(64), below(3));
  return {at_line("name `" + now + "` for `" + old + "`", name), text.replace(name.begin, old.size(), now)};
}

std::vector<std::string> errors_of_check(const std::string& path, std::string text) {
  Session session(
      {.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}, .library_part = pipeline::LibraryPart::Mentioned});
  session.load_text(path, std::move(text), std::filesystem::path(path).parent_path().string());
  static_cast<void>(session.check() && session.check_structure() && session.check_main());
  std::vector<std::string> errors;
  for (const Diagnostic& d : session.diagnostics().all())
    if (d.severity == Severity::Error) errors.push_back(render_text(d, session.sources(), false));
  return errors;
}

}  // namespace sigrel::fuzz
