// All models of the project, as they are and with their spacing disturbed.
#include <algorithm>
#include <random>

#include "tests/unit/format/formatted.h"

using namespace sigrel;
using namespace sigrel::test;

namespace {

std::vector<std::string> texts() {
  std::vector<std::string> found = reference_snippets();
  for (const auto& path : all_models()) found.push_back(read(path));
  return found;
}

std::string spellings(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file = sources.add("test.sr", text);
  std::string out;
  for (const SourceToken& t : tokens(file, sources, diagnostics).tokens) {
    std::string spelling(sources.text(t.span));
    while (spelling.ends_with(' ') || spelling.ends_with('\r')) spelling.pop_back();
    out += spelling + "\n";
  }
  return out;
}

/// More blanks between tokens, moved lines, empty lines, trailing blanks: the variants that parse to the same
/// tree.
std::string disturbed(const std::string& text, std::mt19937& random) {
  SourceMap sources;
  Diagnostics diagnostics;
  FileId file = sources.add("test.sr", text);
  TokenList list = tokens(file, sources, diagnostics);
  const std::string tree_before = tree(text);
  std::string out = text;
  // From the end, so that the offsets before stay right.
  for (std::size_t k = list.tokens.size(); k-- > 1;) {
    const SourceToken &a = list.tokens[k - 1], &b = list.tokens[k];
    std::uint32_t gap = b.span.begin - a.span.end;
    std::string before = out;
    switch (random() % 8) {
      case 0: out.insert(a.span.end, random() % 4, ' '); break;
      case 1:
        if (gap > 1 && text.find('\n', a.span.end) >= b.span.begin) out.erase(a.span.end, gap - 1);
        break;
      case 2:
        if (gap == 1 && text[a.span.end] == ' ') out.erase(a.span.end, 1);
        break;
      case 3:
        if (text.find('\n', a.span.end) < b.span.begin) out.insert(a.span.end, random() % 3, '\n');
        break;
      case 4:
        if (b.first_on_line) out.insert(b.span.begin, 1 + random() % 3, ' ');
        break;
      case 5:
        if (b.first_on_line && out[b.span.begin - 1] == ' ') out.erase(b.span.begin - 1, 1);
        break;
      case 6:
        if (b.first_on_line)
          out.insert(b.span.begin, "{- a\n   comment -}  -- and one more\n" + std::string(b.column - 1, ' '));
        break;
      default: continue;
    }
    if (!parses(out) || tree(out) != tree_before) out = before;
  }
  return out;
}

}  // namespace

TEST_CASE("formatting twice is formatting once") {
  REQUIRE(all_models().size() > 30);
  for (const std::string& text : texts()) {
    std::string once = formatted(text);
    INFO(once);
    CHECK(formatted(once) == once);
    CHECK(tree(once) == tree(text));
    CHECK(spellings(once) == spellings(text));
  }
}

TEST_CASE("the library and the examples stay as they are") {
  for (const char* folder : {"stdlib", "examples"})
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(SIGREL_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".sr") CHECK(formatted(read(entry.path())) == read(entry.path()));
}

TEST_CASE("disturbed spacing: the tokens and the tree stay") {
  std::mt19937 random(7);
  for (const std::string& text : texts()) {
    if (text.size() > 4000 || !parses(text)) continue;
    std::string other = disturbed(text, random);
    INFO(other);
    std::string once = formatted(other);
    INFO(once);
    CHECK(spellings(once) == spellings(other));
    CHECK(tree(once) == tree(text));
    CHECK(formatted(once) == once);
  }
}
