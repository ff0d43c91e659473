// Whatever the text, parsing ends with a tree or a diagnostic, within bounded stack.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::vector<std::string> models() {
  std::vector<std::filesystem::path> paths;
  for (auto& entry : std::filesystem::directory_iterator(SIGREL_SOURCE_DIR "/tests/unit/parse/models"))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// Every declaration of the text is in the tree or there is an error.
bool sound(const test::Reading& r) {
  for (const Diagnostic& d : r.diagnostics.all()) {
    const Span& s = d.primary->span;
    if (s.begin > s.end || s.end > r.sources.file(s.file).text.size()) return false;
  }
  return r.diagnostics.has_errors() || r.module.damaged.empty();
}

std::string repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

}  // namespace

TEST_CASE("every prefix of a model") {
  for (const std::string& text : models()) {
    std::size_t step = text.size() > 700 ? 3 : 1;
    for (std::size_t n = 0; n <= text.size(); n += step) {
      test::Reading r(text.substr(0, n));
      if (!sound(r)) FAIL(text.substr(0, n));
      ast::print(r.module);
      r.rendered();
    }
  }
}

TEST_CASE("models with random changes") {
  std::mt19937 random(20240229);
  const std::vector<std::string> texts = models();
  const std::string_view pieces[] = {
      "(",    ")",      "[",      "]", "{",  "}", ",",  ";",  "\n", "  ", "where", " let ", " in ", " of ",
      " if ", " then ", " else ", "=", "<>", "-", "\"", "{-", "`",  "do", "\t",    "é",     "\xFF"};
  for (int i = 0; i < 1500; ++i) {
    std::string text = texts[random() % texts.size()];
    for (unsigned changes = random() % 4 + 1; changes > 0; --changes) {
      std::size_t at = random() % text.size();
      switch (random() % 3) {
        case 0: text.erase(at, random() % 8 + 1); break;
        case 1: text.insert(at, pieces[random() % std::size(pieces)]); break;
        default: text[at] = static_cast<char>(random() % 256); break;
      }
      if (text.empty()) text = "x";
    }
    test::Reading r(text);
    if (!sound(r)) FAIL(text);
    r.rendered();
  }
}

TEST_CASE("nesting is bounded") {
  const int n = 20000;
  for (const std::string& text :
       {"x = " + repeat("(", n) + "1" + repeat(")", n), "x = " + repeat("f [", n), "x = a" + repeat("+a", n),
        "x = a" + repeat("^a", n), "x = " + repeat("- ", n) + "a",
        "x = " + repeat("if a then b else ", n) + "a", "x :: " + repeat("a -> ", n) + "a",
        "x = " + repeat("let a = ", n) + "a", "x = a" + repeat(".b", n), "x = a" + repeat(" <> b", n),
        "x = " + repeat("\\a -> ", n) + "a", "x = " + repeat("case a of b -> ", n) + "a",
        "x = " + repeat("sigrel () where x = ", n) + "a",
        "x = sigrel () where\n  if a then b = 1 " + repeat("else if a then b = 1 ", n)}) {
    test::Reading r(text + "\ny = 2\n");
    INFO(text.substr(0, 40));
    CHECK(r.diagnostics.error_count() == 1);
    CHECK(r.diagnostics.all()[0].code == Code::NestingTooDeep);
    CHECK(r.module.decls.size() == 1);
  }
  test::Reading comments(repeat("{-", n) + repeat("-}", n) + "\nx = 1\n");
  CHECK(comments.rendered() == "");
}

TEST_CASE("what is just within the bounds is read") {
  for (const std::string& text :
       {"x = " + repeat("(", 990) + "1" + repeat(")", 990), "x = a" + repeat("+a", 2990),
        "x = a" + repeat("^a", 990), "x = " + repeat("[", 990) + repeat("]", 990),
        "x " + repeat("(", 990) + "a" + repeat(")", 990) + " = 1",
        "x = " + repeat("if a then b else ", 330) + "a", "x = f " + repeat("a ", 20000),
        "x = [" + repeat("a + b, ", 20000) + "]"}) {
    test::Reading r(text + "\n");
    INFO(text.substr(0, 40));
    CHECK(r.rendered() == "");
    CHECK(!ast::print(r.module).empty());
  }
}
