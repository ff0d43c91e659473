// The front end on programs that are well typed, and on what is left of them when tokens are missing.
#include <algorithm>

#include "tests/fuzz/front_end.h"
#include "tests/property/program.h"

using property::Choices;

namespace {

struct Span {
  std::size_t begin, end;
};

/// Words and single characters; white space and comments between them stay where they are.
std::vector<Span> tokens(const std::string& text) {
  auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  std::vector<Span> found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.compare(at, 2, "--") == 0) {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (word(text[at]))
      while (end < text.size() && word(text[end])) ++end;
    if (text[at] != ' ' && text[at] != '\n') found.push_back({at, end});
    at = end;
  }
  return found;
}

}  // namespace

TEST_CASE("a well-typed program is accepted; formatting it keeps its tree and its comments") {
  property::holds(
      [] {
        Choices choices(*property::decisions());
        std::vector<std::string> comments;
        const std::string text = property::program(choices, comments);
        RC_LOG() << text << "\n";
        const sigrel::fuzz::FrontEnd result = sigrel::fuzz::front_end(text);
        RC_LOG() << result.errors << "\n" << result.formatted << "\n";
        RC_ASSERT(result.errors == "");
        RC_ASSERT(result.parses);
        RC_ASSERT(result.checks);
        RC_ASSERT(result.fault == "");
        std::size_t at = 0;
        for (const std::string& comment : comments) {
          at = result.formatted.find(comment + "\n", at);
          RC_ASSERT(at != std::string::npos);
        }
      },
      {.cases = 250, .size = 250});
}

TEST_CASE("without some of its tokens a program is still read, checked and, where it parses, formatted") {
  int broken = 0;
  property::holds(
      [&] {
        Choices missing(*rc::gen::container<std::vector<std::uint16_t>>(
            6, rc::gen::resize(100, rc::gen::inRange<std::uint16_t>(0, 27720))));
        Choices choices(*property::decisions());
        std::vector<std::string> comments;
        std::string text = property::program(choices, comments);
        for (std::uint32_t k = 1 + missing.below(4); k > 0; --k) {
          const std::vector<Span> all = tokens(text);
          const Span token = all[missing.below(static_cast<std::uint32_t>(all.size()))];
          text.erase(token.begin, token.end - token.begin);
        }
        RC_LOG() << text << "\n";
        const sigrel::fuzz::FrontEnd result = sigrel::fuzz::front_end(text);
        RC_ASSERT(result.fault == "");
        if (!result.errors.empty()) ++broken;
      },
      {.cases = 400, .size = 80});
  CHECK(broken >= 100);  // else too little was damaged
}
