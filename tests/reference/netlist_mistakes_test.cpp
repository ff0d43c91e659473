// Random mistakes in netlists: the first line of the message names the node.
//
// The circuits, mechanisms and pipes are the examples and the examples of the library. A mistake is one of
// those that users make most: another node or a misspelt one in one use, a part or `connect` that was
// forgotten, one that stands there twice. Some mistakes make another correct model; those are passed over.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include "compiler/doc/markup.h"
#include "compiler/doc/module.h"
#include "compiler/session/session.h"

using namespace sigrel;
namespace fs = std::filesystem;

namespace {

SessionOptions options() { return {{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}; }

std::vector<fs::path> files_in(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(SIGREL_SOURCE_DIR "/" + folder))
    if (entry.path().extension() == ".sr") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
  Lines lines;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  if (at < text.size()) lines.push_back(text.substr(at));
  // The name of the file does not matter.
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("module "); });
  return lines;
}

std::vector<Lines> programs() {
  std::vector<Lines> result;
  for (const fs::path& file : files_in("examples")) {
    std::ifstream in(file);
    result.push_back(lines_of({std::istreambuf_iterator<char>(in), {}}));
  }
  for (const fs::path& file : files_in("stdlib")) {
    Session session(options());
    const auto module = doc::read_module(file.string(), options(), session);
    REQUIRE(module);
    for (const doc::Entry& e : module->entries)
      for (const doc::Block& block : doc::blocks(e.text))
        if (block.language == "sigrel") result.push_back(lines_of(block.text));
  }
  return result;
}

/// The lines [first, last) of a relation body, and its formals.
struct Body {
  std::set<std::string> formals;
  std::size_t first, last;
};
std::vector<std::string> identifiers(const std::string& text) {
  static const std::regex identifier("[a-z][A-Za-z0-9_']*");
  return {std::sregex_token_iterator(text.begin(), text.end(), identifier), {}};
}
std::vector<Body> bodies(const Lines& lines) {
  static const std::regex head(R"(sigrel\s*\(([^)]*)\)\s*where\s*$)");
  std::vector<Body> result;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    std::smatch match;
    if (!std::regex_search(lines[k], match, head)) continue;
    const std::vector<std::string> formals = identifiers(match[1]);
    Body body{{formals.begin(), formals.end()}, k + 1, k + 1};
    while (body.last < lines.size() && (lines[body.last].empty() || lines[body.last][0] == ' ')) ++body.last;
    result.push_back(body);
  }
  return result;
}

/// A name among the arguments of an application.
struct Use {
  std::size_t line, begin;
  std::string name;
};
std::vector<Use> uses_in(const Lines& lines, const Body& body) {
  static const std::regex application(R"(^(\s+[^-]*<>\s*)(\([^()]*\)|[a-z][A-Za-z0-9_']*)\s*$)");
  static const std::regex argument("([(,]\\s*|^)([a-z][A-Za-z0-9_']*)(?=\\s*([,)]|$))");
  std::vector<Use> result;
  for (std::size_t k = body.first; k < body.last; ++k) {
    std::smatch match;
    if (!std::regex_match(lines[k], match, application)) continue;
    const std::string arguments = match[2];
    for (std::sregex_iterator a(arguments.begin(), arguments.end(), argument), end; a != end; ++a)
      result.push_back({k, static_cast<std::size_t>(match.position(2) + a->position(2)), (*a)[2]});
  }
  return result;
}

struct Mistake {
  std::string description, text;
  std::set<std::string> nodes;  // one of which the message should name
};

class Mistakes {
  std::size_t number(std::size_t below) { return random_() % below; }
  template <class Element>
  const Element& any(const std::vector<Element>& list) {
    return list[number(list.size())];
  }

 public:
  Mistakes(std::vector<Lines> programs, unsigned seed) : programs_(std::move(programs)), random_(seed) {}

  Mistake next() {
    while (true) {
      Lines lines = any(programs_);
      const std::vector<Body> all = bodies(lines);
      if (all.empty()) continue;
      const Body& body = any(all);
      const std::vector<Use> uses = uses_in(lines, body);
      if (uses.empty()) continue;
      if (auto mistake = number(3) ? of_name(lines, body, uses) : of_line(lines, uses)) return *mistake;
    }
  }

 private:
  static std::string joined(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  std::optional<Mistake> of_name(Lines& lines, const Body& body, const std::vector<Use>& uses) {
    const Use& use = any(uses);
    if (body.formals.contains(use.name) || std::ranges::count(uses, use.name, &Use::name) < 2)
      return std::nullopt;
    std::string name;
    switch (number(3)) {
      case 0: name = any(uses).name; break;
      case 1: name = "fresh"; break;
      default: name = use.name + use.name.back();
    }
    if (name == use.name) return std::nullopt;
    lines[use.line].replace(use.begin, use.name.size(), name);
    return Mistake{
        "`" + use.name + "` became `" + name + "` in: " + lines[use.line], joined(lines), {use.name, name}};
  }

  std::optional<Mistake> of_line(Lines& lines, const std::vector<Use>& uses) {
    const std::size_t line = any(uses).line;
    std::set<std::string> nodes;
    for (const Use& use : uses)
      if (use.line == line) nodes.insert(use.name);
    const std::string item = lines[line];
    // `y = block <> u` is what determines `y`.
    static const std::regex result(R"(^\s*([a-z][A-Za-z0-9_']*) = )");
    if (std::smatch match; std::regex_search(item, match, result)) nodes.insert(match[1]);
    const auto at = lines.begin() + static_cast<std::ptrdiff_t>(line);
    if (number(2)) {
      lines.erase(at);
      return Mistake{"missing: " + item, joined(lines), nodes};
    }
    lines.insert(at + 1, std::regex_replace(item, std::regex(R"(^(\s+)[a-zA-Z0-9_']+:\s)"), "$1"));
    return Mistake{"twice: " + item, joined(lines), nodes};
  }

  std::vector<Lines> programs_;
  std::mt19937 random_;
};

/// The first errors about structure; an error of another kind is another test's.
std::string first_line(const Mistake& mistake) {
  Session session(options());
  if (session.load_text("mistake.sr", mistake.text) && session.check() && session.check_structure() &&
      session.program().main)
    session.compile({}, Backend::Interpreter);
  for (const Diagnostic& d : session.diagnostics().all())
    if (d.severity == Severity::Error) return info(d.code).id.starts_with("SR03") ? d.message : std::string();
  return {};
}

/// Among the first names of the message.
bool names_one_of(const std::string& message, const std::set<std::string>& nodes) {
  constexpr int kFirst = 3;
  static const std::regex quoted("`([^`]*)`");
  int count = 0;
  for (std::sregex_iterator q(message.begin(), message.end(), quoted), end; q != end && count < kFirst;
       ++q, ++count)
    if (nodes.contains((*q)[1].str().substr(0, (*q)[1].str().find('.')))) return true;
  return false;
}

}  // namespace

TEST_CASE("of fifty random mistakes in netlists, the first line of 48 messages and more names the node") {
  const std::vector<Lines> all = programs();
  REQUIRE(all.size() > 100);
  for (const unsigned seed : {1u, 2u}) {
    Mistakes mistakes(all, seed);
    int errors = 0, named = 0, tries = 0;
    std::string others;
    while (errors < 50) {
      REQUIRE(++tries < 1000);
      const Mistake mistake = mistakes.next();
      const std::string line = first_line(mistake);
      if (line.empty()) continue;
      ++errors;
      if (names_one_of(line, mistake.nodes))
        ++named;
      else
        others += mistake.description + "\n    " + line + "\n";
    }
    INFO(others);
    CHECK(named >= 48);
  }
}
