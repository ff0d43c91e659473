// The library documents itself: every relation has a picture of its pins, a structural type, and an example
// that runs and checks a closed form or a conservation law by its own assertions.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include <catch2/catch.hpp>
#include "compiler/doc/markup.h"
#include "compiler/doc/module.h"
#include "compiler/session/session.h"

using namespace sigrel;
namespace fs = std::filesystem;

namespace {

SessionOptions options() { return {{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}; }

/// Errors and warnings; a note says what was chosen, and is no fault.
std::string complaints(Session& session, const SourceMap& sources) {
  std::string text;
  for (const Diagnostic& d : session.diagnostics().all())
    if (d.severity != Severity::Note) text += render_text(d, sources, false);
  return text;
}

bool mentions(const std::string& text, const std::string& name) {
  auto part = [&](std::size_t k) {
    return k < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[k])) || text[k] == '_' || text[k] == '\'');
  };
  for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; ++at)
    if ((at == 0 || !part(at - 1)) && !part(at + name.size())) return true;
  return false;
}

/// The example runs to its end, and asserts something.
std::string fault_of(const std::string& example) {
  if (!mentions(example, "assert")) return "it asserts nothing";
  Session session(options());
  if (session.load_text("example.sr", example) && session.check() && session.check_structure()) {
    if (!session.program().main) return "it has no `main`";
    if (auto model = session.compile({}, Backend::Interpreter))
      if (!session.run(*model).completed()) return complaints(session, session.sources());
  }
  return complaints(session, session.sources());
}

std::string join(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// The names in the interface of the relation that a signature ends in.
std::vector<std::string> interface_of(const std::string& signature) {
  const std::size_t begin = signature.rfind("SR (");
  std::vector<std::string> names;
  for (std::size_t at = begin; at != std::string::npos;) {
    at = signature.find(" :: ", at);
    if (at == std::string::npos) break;
    const std::size_t word = signature.find_last_of(" (", at - 1) + 1;
    names.push_back(signature.substr(word, at - word));
    at += 4;
  }
  return names;
}

}  // namespace

TEST_CASE(
    "every relation of the library has a picture, a structural type and an example that checks itself") {
  std::vector<std::string> missing;  // what a relation lacks
  std::map<std::string, std::string> faults;
  std::size_t relations = 0;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SIGREL_SOURCE_DIR "/stdlib")) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    Session session(options());
    const auto module = doc::read_module(file.string(), options(), session);
    INFO(file.string() << "\n" << complaints(session, session.sources()));
    REQUIRE(module);
    for (const doc::Entry& e : module->entries) {
      if (!e.is_relation()) continue;
      ++relations;
      const std::string name = module->name + "." + e.name;
      if (doc::first_sentence(e.text).empty()) missing.push_back(name + ": a sentence");
      bool picture = false, example = false;
      std::vector<std::string> not_shown = interface_of(e.signature);  // what no picture names
      for (const doc::Block& block : doc::blocks(e.text)) {
        if (block.language.empty()) {
          picture = true;
          std::erase_if(not_shown, [&](const std::string& n) { return mentions(block.text, n); });
        }
        if (block.language != "sigrel" || !mentions(block.text, e.name)) continue;
        example = true;
        if (auto [at, fresh] = faults.try_emplace(block.text); fresh)
          if (std::string fault = fault_of(block.text); !fault.empty()) at->second = name + ": " + fault;
      }
      if (!picture) missing.push_back(name + ": a picture");
      for (const std::string& n : not_shown) missing.push_back(name + ": `" + n + "` in its picture");
      if (!e.signature.starts_with("SR ") && !e.signature.starts_with("("))
        missing.push_back(name + ": names of its arguments");
      if (!example) missing.push_back(name + ": an example");
      // Where there is no type, or one with an unknown that is not in the interface, the text says why.
      const bool complete = !e.structure.empty() && e.structure.find('~') == std::string::npos;
      if (!complete && e.text.find("structural type") == std::string::npos)
        missing.push_back(name + ": a structural type, or why there is none");
    }
  }
  INFO(relations << " relations");
  CHECK(relations > 180);
  CHECK(join(missing) == "");
  for (const auto& [text, fault] : faults)
    if (!fault.empty()) FAIL_CHECK(text << fault);
}

TEST_CASE("what a module of the library shows at its top runs") {
  for (const auto& file : fs::directory_iterator(SIGREL_SOURCE_DIR "/stdlib")) {
    Session session(options());
    const auto module = doc::read_module(file.path().string(), options(), session);
    REQUIRE(module);
    for (const doc::Block& block : doc::blocks(module->text))
      if (block.language == "sigrel") {
        INFO(module->name << "\n" << block.text);
        Session example(options());
        REQUIRE((example.load_text("example.sr", block.text) && example.check()));
        auto model = example.compile({}, Backend::Interpreter);
        REQUIRE(model);
        CHECK(example.run(*model).completed());
      }
  }
}
