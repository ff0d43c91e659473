// The pages of the language say what is true: every snippet is compiled, the examples of mistakes have the
// mistake.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "compiler/parse/parse.h"
#include "compiler/session/session.h"
#include "tests/reference/snippets.h"

using namespace sigrel;

namespace {

const std::string kRoot = SIGREL_SOURCE_DIR;

SessionOptions options() { return {{{}, kRoot + "/stdlib"}, true}; }

std::string errors(const Diagnostics& diagnostics, const SourceMap& sources) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) text += render_text(d, sources, false);
  return text;
}

std::string codes(const Diagnostics& diagnostics) {
  std::string text;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity == Severity::Error) text += (text.empty() ? "" : " ") + std::string(info(d.code).id);
  return text;
}

void parsed(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  ast::Module module = parse(sources.add("snippet.sr", text), sources, diagnostics);
  CHECK(errors(diagnostics, sources) == "");
  CHECK(!module.decls.empty());
}

/// "supply.sr" of "  --> supply.sr:7:3".
std::string file_of(const std::string& message) {
  const std::string arrow = "--> ";
  const std::size_t at = message.find(arrow);
  if (at == std::string::npos) return "snippet.sr";
  const std::size_t begin = at + arrow.size();
  return message.substr(begin, message.find(':', begin) - begin);
}

void compiled(const std::string& text, const std::string& expected, const std::string& message = "") {
  Session session(options());
  bool runs = session.load_text(file_of(message), text, kRoot + "/examples") && session.check() &&
              session.check_structure();
  if (runs && session.program().main) {
    auto model = session.compile({}, Backend::Interpreter);
    if (model) session.run(*model);
  }
  if (expected.empty())
    CHECK(errors(session.diagnostics(), session.sources()) == "");
  else
    CHECK(codes(session.diagnostics()) == expected);
  if (!message.empty()) CHECK(errors(session.diagnostics(), session.sources()) == message);
}

}  // namespace

TEST_CASE("every snippet of the pages is what it says") {
  std::size_t checked = 0;
  for (const char* page : {"/README.md", "/grammar/README.md"})
    for (const test::Snippet& snippet : test::snippets(kRoot + page)) {
      INFO(page << ":" << snippet.line << "\n" << snippet.text);
      if (snippet.kind == "parsed")
        parsed(snippet.text);
      else if (snippet.kind.empty())
        compiled(snippet.text, ""), ++checked;
      else if (snippet.kind.starts_with("error "))
        compiled(snippet.text, snippet.kind.substr(6), snippet.message), ++checked;
      else
        FAIL("unknown kind of snippet: " << snippet.kind);
    }
  CHECK(checked >= 10);
}

// tests/cases/check_against_run.cpp finds codes that the table lacks; this, codes that no run of a case
// reports.
TEST_CASE("every code of the table of what only a run finds has a golden case") {
  std::ifstream page(kRoot + "/grammar/README.md");
  bool inside = false;
  std::vector<std::string> listed;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("What only a run finds")) inside = true;
    if (inside && line.starts_with("**")) break;
    if (!inside || !line.starts_with("| SR")) continue;
    const std::size_t cell = line.find('|', 1);
    CHECK(line.size() > cell + 10);  // the reason
    for (std::size_t at = line.find("SR"); at < cell; at = line.find("SR", at + 1))
      listed.push_back(line.substr(at, 6));
  }
  CHECK(listed.size() >= 10);
  std::string cases;
  for (const auto& file : std::filesystem::directory_iterator(kRoot + "/tests/cases/run"))
    if (file.path().extension() == ".sr") {
      std::ifstream in(file.path());
      cases.append(std::istreambuf_iterator<char>(in), {});
    }
  for (const std::string& code : listed) {
    INFO(code);
    const bool found = std::ranges::any_of(std::array{"ERROR ", "WARNING ", "NOTE "}, [&](const char* kind) {
      return cases.find(kind + code) != std::string::npos;
    });
    CHECK(found);
  }
}
