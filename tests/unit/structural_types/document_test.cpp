// JSON documents: the reference file comes back as it is, and mistakes are named.
#include <fstream>
#include <sstream>

#include "compiler/structural_types/document.h"

using namespace sigrel;

namespace {

std::string answer(const std::string& text) {
  SourceMap sources;
  Diagnostics diagnostics;
  auto document = structural_types::types_of_document(sources.add("test.json", text), sources, diagnostics);
  CHECK(document.has_value() != diagnostics.has_errors());
  if (document) return *document;
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) {
    CHECK(!render_text(d, sources, false).empty());
    messages += (messages.empty() ? "" : " | ") + d.message;
    for (const Help& help : d.helps) messages += " (" + help.text + ")";
  }
  return messages;
}
std::string one(const std::string& definitions) {
  return answer("{\"hierarchies\":[[" + definitions + "]]}");
}

const std::string kFoo = R"({"name":"foo","interface":["x","y"],"equations":[["x","y"]]})";

}  // namespace

TEST_CASE("the reference file comes back as it is") {
  std::ifstream file(SIGREL_SOURCE_DIR "/tests/data/structural/hierarchies.json");
  std::ostringstream text;
  text << file.rdbuf();
  std::string expected = text.str();
  while (expected.ends_with('\n')) expected.pop_back();
  CHECK((answer(expected) == expected));
}

TEST_CASE("types are filled in") {
  CHECK(
      one(kFoo) ==
      R"({"hierarchies":[[{"name":"foo","interface":["x","y"],"equations":[["x","y"]],"verdict":"ok","rank":1,"bases":[["x"],["y"]]}]]})");
  CHECK(one(R"({"name":"a","verdict":"ok","bases":[],"rank":7,"interface":[],"locals":["z"],"remark":1})") ==
        R"({"hierarchies":[[{"name":"a","verdict":"singular","interface":[],"locals":["z"],"remark":1}]]})");
}

TEST_CASE("mistakes in a document") {
  CHECK(answer("{\"hierarchies\": [") == "the file is not JSON");
  CHECK(answer("") == "the file is not JSON");
  CHECK(answer("[]") == "there is no list `hierarchies` in `test.json`");
  CHECK(answer(std::string(100000, '[') + std::string(100000, ']')) ==
        "lists are nested more than 32 deep in `test.json`");
  CHECK(answer(R"({"hierarchies":[1]})") == "hierarchy 1 of `test.json` is not a list of definitions");
  CHECK(one("{}") == "definition 1 of hierarchy 1 of `test.json` has no `name`");
  CHECK(one(R"({"name":"a"})") == "definition `a`: it has no `interface`");
  CHECK(one(R"({"name":"a","interface":["x","x"]})") == "definition `a`: it has two variables `x`");
  CHECK(one(R"({"name":"a","interface":["x"],"locals":["x"]})") ==
        "definition `a`: it has two variables `x`");
  CHECK(one(R"({"name":"a","interface":["speed"],"equations":[["sped"]]})") ==
        "definition `a`: `sped` is neither in its interface nor a local (did you mean `speed`?)");
  CHECK(one(kFoo +
            R"(,{"name":"a","interface":["x"],"applications":[{"relation":"foo","arguments":["x"]}]})") ==
        "definition `a`: it applies `foo` to 1 argument, its interface has 2");
  CHECK(one(R"({"name":"a","interface":["x"],"applications":[{"relation":"a","arguments":["x"]}]})") ==
        "definition `a`: it applies `a`, which is no earlier definition of its hierarchy");
  CHECK(one(kFoo + "," + kFoo) == "definition `foo`: the hierarchy has another definition of that name");
  // One mistake, one message: what applies a definition with a mistake is not reported.
  CHECK(
      one(R"({"name":"b","interface":["x"],"equations":["x"]},{"name":"a","interface":["x"],"applications":[{"relation":"b","arguments":["x"]}]})") ==
      "definition `b`: an equation is not a list of variables");
}

TEST_CASE("too many bases to list") {
  std::string interface, equations;
  for (int i = 0; i < 24; ++i) interface += (i ? ",\"v" : "\"v") + std::to_string(i) + "\"";
  for (int i = 0; i < 12; ++i) equations += (i ? ",[" : "[") + interface + "]";
  CHECK(one("{\"name\":\"bus\",\"interface\":[" + interface + "],\"equations\":[" + equations + "]}") ==
        "definition `bus` has more than 100000 bases");
}
