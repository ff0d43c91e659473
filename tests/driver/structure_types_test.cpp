// sigrel structure types: definitions in, verdict, rank and bases out.
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

Finished types(const std::string& document) {
  return sigrel({"structure", "types", temporary("types.json", document)});
}

const char* const kResistors = R"({"hierarchies": [[
  {"name": "resistor", "interface": ["pv", "pi", "nv", "ni"], "locals": ["u"],
   "equations": [["u", "pv", "nv"], ["pi", "ni"], ["u", "pi"]]},
  {"name": "pair", "interface": ["pv", "pi", "nv", "ni"], "locals": ["mv", "ai", "bi"],
   "equations": [["ai", "bi"]],
   "applications": [{"relation": "resistor", "arguments": ["pv", "pi", "mv", "ai"]},
                    {"relation": "resistor", "arguments": ["mv", "bi", "nv", "ni"]}]},
  {"name": "surplus", "interface": ["x", "y", "z"], "equations": [["x", "y", "z"], ["z"], ["z"]]}
]]})";

}  // namespace

TEST_CASE("structure types: a resistor, two in series, and a definition that no use can complete") {
  Finished f = types(kResistors);
  INFO(f.err);
  CHECK(f.code == 0);
  json all = json::parse(f.out, nullptr, false)["hierarchies"][0];
  for (int k : {0, 1}) {
    CHECK(all[k]["verdict"] == "ok");
    CHECK(all[k]["rank"] == 2);
  }
  CHECK(all[0]["bases"] == all[1]["bases"]);
  CHECK(all[0]["bases"].size() == 5);  // {pv, nv} alone cannot be determined
  CHECK(all[2]["verdict"] == "singular");
  CHECK_FALSE(all[2].contains("bases"));
}

TEST_CASE("structure types: what is wrong in a document is one error at its place") {
  for (
      const char* document :
      {"{", "[]", R"({"hierarchies": [[{"interface": []}]]})",
       R"({"hierarchies": [[{"name": "a", "interface": ["x"], "equations": [["y"]]}]]})",
       R"({"hierarchies": [[{"name": "a", "interface": ["x"], "applications": [{"relation": "b", "arguments": []}]}]]})"}) {
    Finished f = types(document);
    INFO(document << "\n" << f.err);
    CHECK(f.code == 1);
    CHECK(f.err.find("error[SR0620]") != std::string::npos);
    CHECK(f.out.empty());
  }
}

TEST_CASE("structure types: too many bases to list") {
  json columns = json::array(), equations = json::array();
  for (int i = 0; i < 20; ++i) columns.push_back("x" + std::to_string(i));
  for (int i = 0; i < 10; ++i) equations.push_back(columns);
  json document = {{"hierarchies", {{{{"name", "wide"}, {"interface", columns}, {"equations", equations}}}}}};
  Finished f = types(document.dump());
  INFO(f.err);
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0621]") != std::string::npos);
}
