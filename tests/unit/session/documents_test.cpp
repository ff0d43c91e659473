// What is written for readers is true: pages of codes, examples, the library, snippets of the READMEs.
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "compiler/session/session.h"

namespace fs = std::filesystem;
using namespace sigrel;

namespace {

const fs::path kSource = SIGREL_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// ```sigrel words … ```
struct Snippet {
  std::set<std::string> words;
  std::string text;
};
std::vector<Snippet> snippets(const std::string& markdown) {
  std::vector<Snippet> found;
  std::istringstream lines(markdown);
  Snippet* open = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (open) {
      if (line == "```")
        open = nullptr;
      else
        open->text += line + "\n";
    } else if (line.starts_with("```sigrel")) {
      open = &found.emplace_back();
      std::istringstream words(line.substr(9));
      for (std::string word; words >> word;) open->words.insert(word);
    }
  }
  return found;
}

struct Result {
  std::set<std::string> codes;
  bool fine = false;
  std::string text;
};
/// Checks a text, or runs it.
Result compile(const std::string& name, const std::string& text, bool run, const std::string& folder = ".") {
  Session session({{{}, (kSource / "stdlib").string()}, true});
  session.load_text(name, text, folder);
  Result result;
  result.fine = session.check() && (run || session.check_structure());
  if (result.fine && run) {
    auto model = session.compile({}, Backend::Interpreter);
    result.fine = model && session.run(*model, {.outputs = {}}).completed();
  }
  for (const Diagnostic& d : session.diagnostics().all()) {
    result.codes.insert(std::string(info(d.code).id));
    result.text += render_text(d, session.sources(), false);
  }
  return result;
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".sr") found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

TEST_CASE("pages: the wrong example gives the code and no other, the right one is right") {
  for (const CodeInfo& code : all_codes()) {
    std::string id(code.id);
    std::string markdown(page(code.code));
    bool wrong = false, right = false;
    for (const Snippet& snippet : snippets(markdown)) {
      // Data files of the pages are those of the examples.
      Result result =
          compile(id + ".sr", snippet.text, snippet.words.contains("run"), (kSource / "examples").string());
      INFO(id << "\n" << snippet.text << "\n" << result.text);
      if (snippet.words.contains("wrong")) {
        wrong = true;
        CHECK(result.codes == std::set<std::string>{id});
      } else {
        right = true;
        CHECK(result.fine);
        CHECK(result.codes.empty());
      }
    }
    INFO(id);
    bool command = markdown.find("```sh\n") != std::string::npos;
    CHECK((right || command));
    (void)wrong;
  }
}

TEST_CASE("pages: there is none without a code") {
  for (const auto& entry : fs::directory_iterator(kSource / "compiler" / "diagnostics" / "pages")) {
    INFO(entry.path().string());
    CHECK(code_from_id(entry.path().stem().string()));
  }
}

TEST_CASE("every code is shown by a golden case, a page or a test of the driver") {
  std::set<std::string> shown;
  static const std::regex note(R"(--~[\^?]*\s*(?:ERROR|WARNING|NOTE)\s+(SR\d{4}))");
  static const std::regex id(R"(SR\d{4})");
  auto collect = [&](const std::string& text, const std::regex& pattern, int group) {
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
      shown.insert((*it)[group]);
  };
  for (const fs::path& path : sources(kSource / "tests" / "cases")) collect(read(path), note, 1);
  for (const char* folder : {"tests/driver", "tests/unit", "tests/numeric"})
    for (const auto& entry : fs::recursive_directory_iterator(kSource / folder))
      if (entry.path().extension() == ".cpp" && entry.path().filename() != "documents_test.cpp") {
        std::string text = read(entry.path());
        collect(text, id, 0);
        for (const CodeInfo& code : all_codes())
          if (text.find("Code::" + std::string(code.name)) != std::string::npos)
            shown.insert(std::string(code.id));
      }
  for (const CodeInfo& code : all_codes()) {
    INFO(code.id << " " << code.name);
    CHECK(shown.contains(std::string(code.id)));
  }
}

TEST_CASE("examples and the library check") {
  for (const char* folder : {"examples", "stdlib"})
    for (const fs::path& path : sources(kSource / folder)) {
      Result result = compile(path.filename().string(), read(path), false, path.parent_path().string());
      INFO(path.string() << "\n" << result.text);
      CHECK(result.fine);
      CHECK(result.codes.empty());
    }
}

TEST_CASE("examples in the comments of the library run") {
  for (const fs::path& path : sources(kSource / "stdlib")) {
    std::string comments;
    std::istringstream lines(read(path));
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with("--")) comments += line.substr(std::min<std::size_t>(3, line.size())) + "\n";
    for (const Snippet& snippet : snippets(comments)) {
      Result result = compile("example.sr", snippet.text, true);
      INFO(path.string() << "\n" << snippet.text << "\n" << result.text);
      CHECK(result.fine);
    }
  }
}

TEST_CASE("snippets of the READMEs check") {
  // README.md and grammar/README.md have a test of their own, with errors: tests/reference.
  for (const char* file :
       {"CONTRIBUTING.md", "compiler/README.md", "examples/README.md", "stdlib/README.md"}) {
    if (!fs::exists(kSource / file)) continue;
    for (const Snippet& snippet : snippets(read(kSource / file))) {
      Result result = compile(file, snippet.text, false);
      INFO(file << "\n" << snippet.text << "\n" << result.text);
      CHECK(result.fine);
    }
  }
}
