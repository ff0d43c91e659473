// Whole models parse; the fixtures are in tests/unit/parse/models.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/unit/parse/reading.h"

using namespace sigrel;

namespace {

std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> out;
  for (auto& entry : std::filesystem::directory_iterator(SIGREL_SOURCE_DIR "/tests/unit/parse/models"))
    out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("every model parses without a diagnostic") {
  REQUIRE(models().size() > 10);
  for (auto& path : models()) {
    INFO(path);
    test::Reading r(read(path));
    CHECK(r.rendered() == "");
    CHECK(!r.module.decls.empty());
  }
}
