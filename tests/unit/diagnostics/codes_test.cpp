#include "compiler/diagnostics/diagnostic.h"

using namespace sigrel;

TEST_CASE("codes are found by their id") {
  CHECK(code_from_id("SR0010") == Code::SyntaxError);
  CHECK(code_from_id("sr0010") == Code::SyntaxError);
  CHECK(code_from_id("10") == Code::SyntaxError);
  CHECK(!code_from_id("SR9999"));
  CHECK(!code_from_id("SR"));
  CHECK(!code_from_id(""));
  CHECK(!code_from_id("SR0010x"));
  CHECK(info(Code::SyntaxError).id == "SR0010");
}

TEST_CASE("ids are unique") {
  std::vector<CodeInfo> codes = all_codes();
  for (std::size_t i = 1; i < codes.size(); ++i) CHECK(codes[i - 1].code < codes[i].code);
}

TEST_CASE("every code has a page whose heading is its id and title") {
  for (const CodeInfo& code : all_codes()) {
    INFO(code.id << " " << code.name);
    CHECK(page(code.code).starts_with("# " + std::string(code.id) + ": " + std::string(code.title) + "\n"));
  }
}

TEST_CASE("did you mean") {
  std::vector<std::string_view> names = {"capacitor", "resistor", "ground", "x"};
  CHECK(did_you_mean("capacitator", names) == "capacitor");
  CHECK(did_you_mean("gruond", names) == "ground");
  CHECK(!did_you_mean("inductor_with_core", names));
}
