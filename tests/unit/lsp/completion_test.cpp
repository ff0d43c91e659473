// What the language server offers while somebody types.
#include <algorithm>

#include "compiler/lsp/outline.h"
#include "tests/unit/lsp/editor.h"

namespace {

const std::string kModel =
    "import Electrical\n"                                 // 0
    "import Blocks as B\n"                                // 1
    "\n"                                                  // 2
    "record Part = { mass :: Mass, length :: Length }\n"  // 3
    "\n"                                                  // 4
    "lag :: (k :: Real<1> = 1.0) -> (t :: Time) -> SR (in u :: Real, out y :: Real)\n"
    "lag k t = sigrel (u, y) where\n"    // 6
    "  t * der y + y = k * u\n"          // 7
    "  initially y = 0.0\n"              // 8
    "\n"                                 // 9
    "model :: SR ()\n"                   // 10
    "model = sigrel () where\n"          // 11
    "  local power :: Power\n"           // 12
    "  r1: resistor 10.0 <> (a, g)\n"    // 13
    "  power = r1.u * r1.p.i\n"          // 14
    "  constantVoltage 5.0 <> (a, g)\n"  // 15
    "  ground <> g\n";                   // 16

std::vector<std::string> labels(const Json& items) {
  std::vector<std::string> found;
  for (const Json& item : items) found.push_back(item["label"]);
  return found;
}
bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The labels that are offered behind a line that is added to the model.
std::vector<std::string> offered(const std::string& line) {
  Editor editor;
  editor.open(kModel);
  editor.replace(16, 0, 0, line + "\n");
  return labels(editor.at("textDocument/completion", 16, static_cast<int>(line.size())));
}

}  // namespace

TEST_CASE("lsp: members of parts, nodes and modules are offered while the text has errors") {
  CHECK(offered("  power = r1.") == std::vector<std::string>{"p", "n", "u"});
  CHECK(offered("  power = r1.p.") == std::vector<std::string>{"v", "i"});
  CHECK(offered("  power = a.") == std::vector<std::string>{"v", "i"});
  CHECK(has(offered("  x = B.in"), "integrator"));
  CHECK(offered("  power = nothing.").empty());
  CHECK(offered("  power = power.").empty());
}

TEST_CASE("lsp: locals, units, fields, arguments and modules") {
  const auto names = offered("  po");
  for (const char* name : {"power", "r1", "a", "g", "resistor", "model", "lag", "where", "initially"})
    CHECK(has(names, name));
  CHECK_FALSE(has(names, "y"));  // of another definition
  CHECK(has(offered("  power = 1.0<"), "W"));
  CHECK(has(offered("  local x :: Real<k"), "m"));
  CHECK(offered("  part: Part { ma") == std::vector<std::string>{"mass", "length"});
  CHECK(offered("  part: Part { mass = 1.0, ") == std::vector<std::string>{"mass", "length"});
  CHECK(has(offered("  part: Part { mass = po"), "power"));  // a value
  CHECK(offered("  l: lag { ") == std::vector<std::string>{"k", "t"});
  CHECK(has(offered("main = simulate model with { st"), "stop"));
  CHECK(has(offered("  local z :: Real with { no"), "nominal"));
  CHECK(has(offered("import Rot"), "Rotational"));
}

TEST_CASE("lsp: nothing is offered in comments, strings and numbers") {
  CHECK(offered("  -- the po").empty());
  CHECK(offered("  assert \"po").empty());
  CHECK(offered("  power = 12").empty());
  CHECK(offered("  power = 12.").empty());
}

TEST_CASE("lsp: completion anywhere in a text, and in parts of it, has an answer") {
  const std::string text = kModel + "\n{- a -} x = { (\n[\n";
  for (std::size_t cut : {text.size(), text.size() / 2, std::size_t{40}})
    for (std::size_t offset = 0; offset <= cut; ++offset) {
      lsp::typing_at(std::string_view(text).substr(0, cut), offset);
      lsp::definition_around(std::string_view(text).substr(0, cut), offset);
    }
  Editor editor;
  editor.open("");
  CHECK(editor.at("textDocument/completion", 0, 0).is_array());
  CHECK(editor.at("textDocument/completion", 7, 70).is_array());
}

TEST_CASE("lsp: the declaration that an empty line has completed is formatted") {
  Editor editor;
  editor.open("a :: Real\na =   1.0\n\nb = (\n");
  const Json options = {{"tabSize", 2}, {"insertSpaces", true}};
  const auto typed = [&](int line) {
    return editor.request("textDocument/onTypeFormatting", {{"textDocument", {{"uri", kUri}}},
                                                            {"position", {{"line", line}, {"character", 0}}},
                                                            {"ch", "\n"},
                                                            {"options", options}})["result"];
  };
  const Json edits = typed(3);
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["newText"] == "a = 1.0\n");
  CHECK(typed(1).empty());
  CHECK(typed(0).empty());
  CHECK(typed(99).empty());
}
