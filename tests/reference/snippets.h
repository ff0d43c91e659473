// The code in the pages of the language. The words after ```sigrel say what is tested:
//
//   ```sigrel               a module: it is checked without errors; its `main`, where it has one, is run
//   ```sigrel more          goes on where the snippet before ended: both are one module
//   ```sigrel parsed        it parses; what it names is not there
//   ```sigrel error SR0105  it has this error and no other
//
// ```text message after an error is how it reads.
#pragma once
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sigrel::test {

struct Snippet {
  std::string kind, text, message;
  std::size_t line = 0;  // in the page
};

inline std::vector<Snippet> snippets(const std::string& path) {
  std::vector<Snippet> found;
  std::ifstream in(path);
  const std::string fence = "```sigrel";
  bool inside = false;
  std::string Snippet::* part = &Snippet::text;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (!inside && line.starts_with(fence)) {
      inside = true;
      part = &Snippet::text;
      std::string kind = line.size() > fence.size() ? line.substr(fence.size() + 1) : "";
      if (kind == "more" && !found.empty())
        found.push_back({found.back().kind, found.back().text + "\n", "", found.back().line});
      else
        found.push_back({kind, "", "", number});
    } else if (!inside && line == "```text message" && !found.empty()) {
      inside = true;
      part = &Snippet::message;
    } else if (inside && line.starts_with("```")) {
      inside = false;
    } else if (inside) {
      found.back().*part += line + "\n";
    }
  }
  return found;
}

}  // namespace sigrel::test
