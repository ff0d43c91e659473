// What the pages for readers point at exists: files named in the table "Where is it?", and relative links.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace {

const fs::path kRoot = SIGREL_SOURCE_DIR;

std::string read(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> captures(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back((*at)[1]);
  return found;
}

}  // namespace

TEST_CASE("every file of the table `Where is it?` exists") {
  const std::string page = read(kRoot / "CONTRIBUTING.md");
  const std::size_t begin = page.find("## Where is it?");
  REQUIRE(begin != std::string::npos);
  const std::string table = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  static const std::regex file(R"(`((compiler|runtime|grammar|tests|tools|stdlib)/[^`]+)`)");
  const std::vector<std::string> files = captures(table, file);
  CHECK(files.size() >= 7);
  for (const std::string& name : files) {
    INFO(name);
    CHECK(fs::exists(kRoot / name));
  }
}

TEST_CASE("relative links of the pages lead to files") {
  static const std::regex link(R"(\]\(([^)#:\s]+)(#[^)]*)?\))");
  std::size_t links = 0;
  for (const char* page : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "compiler", "runtime", "grammar",
                           "tests", "stdlib", "examples"}) {
    std::vector<fs::path> files;
    if (fs::is_directory(kRoot / page)) {
      for (const auto& entry : fs::recursive_directory_iterator(kRoot / page))
        if (entry.path().filename() == "README.md") files.push_back(entry.path());
    } else {
      files.push_back(kRoot / page);
    }
    for (const fs::path& file : files)
      for (const std::string& target : captures(read(file), link)) {
        ++links;
        INFO(file.string() << ": " << target);
        CHECK(fs::exists(file.parent_path() / target));
      }
  }
  CHECK(links > 20);
}
