// The pages of the language say what is true: every snippet is compiled, the examples of mistakes have the
// mistake.
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
  bool runs = session.load_text(file_of(message), text) && session.check() && session.check_structure();
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
