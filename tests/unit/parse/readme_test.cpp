// The snippets of grammar/README.md parse.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

TEST_CASE("every snippet of the syntax reference parses") {
  std::ifstream in(SIGREL_SOURCE_DIR "/grammar/README.md");
  std::string text{std::istreambuf_iterator<char>(in), {}};
  int count = 0;
  for (std::size_t at = 0; (at = text.find("```sigrel\n", at)) != std::string::npos;) {
    std::size_t begin = at + 10, end = text.find("```", begin);
    test::Reading r(text.substr(begin, end - begin));
    CHECK(r.rendered() == "");
    CHECK(!r.module.decls.empty());
    at = end + 3;
    ++count;
  }
  CHECK(count >= 5);
}
