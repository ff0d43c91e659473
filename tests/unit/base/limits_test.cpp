// The limits of the compiler, against their table in the reference.
#include "compiler/base/limits.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>

using namespace sigrel;

TEST_CASE("limits: the table of the reference has each, with its value") {
  std::ifstream in(SIGREL_SOURCE_DIR "/grammar/README.md");
  const std::string page{std::istreambuf_iterator<char>(in), {}};
  const std::size_t begin = page.find("### Limits\n"), fixed = page.find("\nThese are fixed:", begin);
  REQUIRE(fixed != std::string::npos);
  std::istringstream lines(page.substr(begin, fixed - begin));
  std::map<std::string, std::string> table;
  const std::regex row(R"(\| `(\w+)` \| (\w+) \|.*)");
  for (std::string line; std::getline(lines, line);)
    if (std::smatch match; std::regex_match(line, match, row)) table[match[1]] = match[2];
  CHECK(table.size() == kLimits.size());
  for (const LimitInfo& info : kLimits) {
    INFO(info.name);
    const std::string& shown = table[std::string(info.name)];
    REQUIRE(!shown.empty());
    const std::uint64_t unit = info.name == "memory" ? 1024 : 1000;
    std::uint64_t value = std::stoull(shown);
    if (shown.back() == 'K' || shown.back() == 'k') value *= unit;
    if (shown.back() == 'M') value *= unit * unit;
    if (shown.back() == 'G') value *= unit * unit * unit;
    CHECK(Limits{}.*info.value == value);
  }
}
