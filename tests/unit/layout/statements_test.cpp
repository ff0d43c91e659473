// tests/numeric/EVENTS.md: its statements are in the reference, its tests exist, and every paragraph of the
// chapter on events has a statement there.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = SIGREL_SOURCE_DIR;

struct Statement {
  std::string words, tests;
};

std::string read(const fs::path& path) {
  std::ifstream in(path);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// With one space wherever there is space.
std::string one_line(const std::string& text) {
  std::istringstream in(text);
  std::string result;
  for (std::string word; in >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

std::vector<Statement> statements() {
  static const std::regex row(R"(\| (.+) \| (.+) \|)");
  std::vector<Statement> found;
  std::smatch match;
  for (const std::string& line : lines_of(read(kRoot / "tests/numeric/EVENTS.md")))
    if (std::regex_match(line, match, row) && match[1] != "statement") found.push_back({match[1], match[2]});
  return found;
}

/// The names of the test cases of a file.
std::vector<std::string> test_cases(const fs::path& file) {
  static const std::regex parts(R"("\s*\n\s*")"), name(R"re(TEST_CASE\(\s*"([^"]+)")re");
  const std::string text = std::regex_replace(read(file), parts, "");
  std::vector<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

/// Paragraphs, items of lists and rows of tables of a chapter, each on one line, without snippets.
std::vector<std::string> paragraphs(const std::string& chapter) {
  static const std::regex begins(R"(^(- |\d+\. |\| ).*)");
  std::vector<std::string> found(1);
  bool snippet = false;
  for (const std::string& line : lines_of(chapter)) {
    if (line.starts_with("```")) snippet = !snippet;
    if (line.empty() || snippet || line.starts_with("```") || std::regex_match(line, begins))
      found.emplace_back();
    if (!line.empty() && !snippet && !line.starts_with("```")) found.back() += line + " ";
  }
  std::erase_if(found, [](const std::string& p) {
    return p.empty() || p.starts_with("## ") || p.starts_with("|---") || p.starts_with("| operation") ||
           p.starts_with("| setting");
  });
  for (std::string& p : found) p = one_line(p);
  return found;
}

}  // namespace

TEST_CASE("statements on events are words of the reference") {
  const std::string reference = one_line(read(kRoot / "grammar/README.md"));
  const std::vector<Statement> all = statements();
  CHECK(all.size() > 90);
  for (const Statement& s : all) {
    INFO(s.words);
    CHECK(reference.find(s.words) != std::string::npos);
  }
}

TEST_CASE("tests of the statements on events exist") {
  static const std::regex part(R"re(([\w/]+\.(?:cpp|sr))|"([^"]+)")re");
  std::map<fs::path, std::vector<std::string>> names;
  for (const Statement& s : statements()) {
    INFO(s.words);
    fs::path file;
    std::size_t tests = 0;
    for (std::sregex_iterator at(s.tests.begin(), s.tests.end(), part), end; at != end; ++at) {
      if ((*at)[1].matched) {
        file = kRoot / "tests" / (*at)[1].str();
        INFO(file.string());
        REQUIRE(fs::exists(file));
        tests += file.extension() == ".sr";
        continue;
      }
      ++tests;
      REQUIRE(file.extension() == ".cpp");
      if (!names.contains(file)) names[file] = test_cases(file);
      const std::string name = (*at)[2];
      INFO(file.string() << ": " << name);
      CHECK(std::ranges::find(names[file], name) != names[file].end());
    }
    CHECK(tests > 0);
  }
}

TEST_CASE("every paragraph of the chapter on events has a statement with a test") {
  const std::string reference = read(kRoot / "grammar/README.md");
  const std::size_t begin = reference.find("\n## Events and structural change\n");
  REQUIRE(begin != std::string::npos);
  const std::string chapter = reference.substr(begin, reference.find("\n## ", begin + 1) - begin);
  const std::vector<Statement> all = statements();
  const std::vector<std::string> found = paragraphs(chapter);
  CHECK(found.size() >= 40);
  for (const std::string& paragraph : found) {
    INFO(paragraph);
    CHECK(std::ranges::any_of(
        all, [&](const Statement& s) { return paragraph.find(s.words) != std::string::npos; }));
  }
}
