// What the fuzzers found once, and a few hundred programs of the generator: neither crashes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/front_end.h"
#include "tests/fuzz/generator.h"

using namespace sigrel::fuzz;

TEST_CASE("what was found once is read") {
  for (const auto& entry : std::filesystem::directory_iterator(SIGREL_SOURCE_DIR "/tests/fuzz/found")) {
    INFO(entry.path());
    std::ifstream in(entry.path(), std::ios::binary);
    run_front_end(std::string{std::istreambuf_iterator<char>(in), {}});
  }
}

TEST_CASE("the harness parses and checks, with the library that a text imports") {
  const FrontEnd good = front_end("import Electrical\npart = resistor 1.0\n");
  CHECK(good.errors == "");
  CHECK((good.parses && good.checks));
  CHECK(good.formatted == "import Electrical\npart = resistor 1.0\n");
  const FrontEnd unknown = front_end("import Electrical\npart = resistr 1.0\n");
  CHECK(unknown.errors.starts_with("error[SR0105]"));
  CHECK((unknown.parses && !unknown.checks));
  CHECK_FALSE(front_end("part = (1.0\n").parses);
}

TEST_CASE("generated programs are read") {
  Random random(1);
  std::string text;
  for (int k = 0; k < 300; ++k) {
    std::string next = generate_module(random);
    run_front_end(next);
    text = mutate(text, next, random);
    if (text.size() > 3000) text.resize(3000);
    run_front_end(text);
  }
}
