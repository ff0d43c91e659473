// Shared by the tests of the formatter.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compiler/format/format.h"
#include "compiler/ir/ast_print.h"
#include "compiler/parse/parse.h"
#include "compiler/parse/tokens.h"
#include "tests/reference/snippets.h"

namespace sigrel::test {

/// The formatted text, or the diagnostics.
inline std::string formatted(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file = sources.add("test.sr", text);
  if (auto result = format::format(file, sources, diagnostics)) return *result;
  std::string out;
  for (const Diagnostic& d : diagnostics.all()) out += render_text(d, sources, false);
  return out;
}

inline bool parses(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  parse(sources.add("test.sr", text), sources, diagnostics);
  return !diagnostics.has_errors();
}

inline std::string tree(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  return ast::print(parse(sources.add("test.sr", text), sources, diagnostics));
}

inline std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every source file of the project that parses.
inline std::vector<std::filesystem::path> all_models() {
  std::vector<std::filesystem::path> found;
  for (const char* folder : {"stdlib", "examples", "tests"})
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(std::filesystem::path(SIGREL_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".sr" && parses(read(entry.path()))) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

/// The snippets of the language's reference that parse, which have every construct.
inline std::vector<std::string> reference_snippets() {
  std::vector<std::string> found;
  for (const Snippet& snippet : snippets(SIGREL_SOURCE_DIR "/grammar/README.md"))
    if (parses(snippet.text)) found.push_back(snippet.text);
  return found;
}

}  // namespace sigrel::test
