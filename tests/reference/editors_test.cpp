// The colours of editors know the words of the grammar.
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <catch2/catch.hpp>

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(SIGREL_SOURCE_DIR "/" + file);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every keyword of the grammar has a colour in Visual Studio Code") {
  const std::string lexer = text_of("grammar/SigrelLexer.g4");
  const std::string colours = text_of("editors/vscode/syntaxes/sigrel.tmLanguage.json");
  static const std::regex keyword(R"([A-Z]+: '([a-z]+)')");
  int count = 0;
  for (std::sregex_iterator k(lexer.begin(), lexer.end(), keyword), end; k != end; ++k, ++count) {
    INFO((*k)[1]);
    CHECK(std::regex_search(colours, std::regex("[:|]" + (*k)[1].str() + "[|)]")));
  }
  CHECK(count > 30);
}
