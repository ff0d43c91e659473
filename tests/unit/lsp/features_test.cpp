// Colours, folds, hints and lenses of the language server.
#include "compiler/lsp/outline.h"
#include "tests/unit/lsp/editor.h"

namespace {

const std::string kModel =
    "import Electrical\n"               // 0
    "import Blocks\n"                   // 1
    "\n"                                // 2
    "-- A filter\n"                     // 3
    "-- of two parts.\n"                // 4
    "filter r = sigrel (p, n) where\n"  // 5
    "  local u\n"                       // 6
    "  discrete k :: Int = 0\n"         // 7
    "  r1: resistor r <> (p, m)\n"      // 8
    "  capacitor 1.0e-6 <> (m, n)\n"    // 9
    "  u = p.v - n.v\n"                 // 10
    "  when u > 1.0<V> do\n"            // 11
    "    k := pre k + 1\n"              // 12
    "\n"                                // 13
    "main :: SR ()\n"                   // 14
    "main = sigrel () where\n"          // 15
    "  sineVoltage 1.0 50.0 <> (a, g)\n"
    "  filter 10.0 <> (a, g)\n"
    "  ground <> g\n";

Json whole() {
  return {{"start", {{"line", 0}, {"character", 0}}}, {"end", {{"line", 99}, {"character", 0}}}};
}

/// The tokens as lines "6:8 variable".
std::vector<std::string> tokens_of(Editor& editor) {
  const Json data = editor.request("textDocument/semanticTokens/full",
                                   {{"textDocument", {{"uri", kUri}}}})["result"]["data"];
  const char* types[] = {"function", "class", "variable", "parameter", "property"};
  std::vector<std::string> found;
  std::size_t line = 0, character = 0;
  for (std::size_t k = 0; k + 4 < data.size(); k += 5) {
    const std::size_t down = data[k];
    line += down;
    character = data[k + 1].get<std::size_t>() + (down ? 0 : character);
    found.push_back(std::to_string(line) + ":" + std::to_string(character) + "+" +
                    std::to_string(data[k + 2].get<int>()) + " " + types[data[k + 3].get<int>()]);
  }
  return found;
}

bool has(const std::vector<std::string>& all, const std::string& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

TEST_CASE("lsp: hover shows the types of signals and the relations of parts") {
  Editor editor;
  editor.open(kModel);
  const auto shown = [&](int line, int character) {
    const Json hover = editor.at("textDocument/hover", line, character);
    return hover.is_null() ? std::string() : hover["contents"]["value"].get<std::string>();
  };
  CHECK(shown(6, 8).find("u :: Real<V>") != std::string::npos);
  CHECK(shown(10, 2).find("u :: Real<V>") != std::string::npos);
  CHECK(shown(5, 19).find("p :: Pin") != std::string::npos);
  CHECK(shown(8, 24).find("m :: Pin") != std::string::npos);
  CHECK(shown(9, 23).find("without declaration") != std::string::npos);
  CHECK(shown(12, 4).find("k :: Int") != std::string::npos);
  CHECK(shown(12, 4).find("only events") != std::string::npos);
  CHECK(shown(8, 3).find("r1: resistor r") != std::string::npos);
  CHECK(shown(8, 8).find("resistor ::") != std::string::npos);
}

TEST_CASE("lsp: semantic tokens tell relations, signals, parameters and parts apart") {
  Editor editor;
  editor.open(kModel);
  const std::vector<std::string> found = tokens_of(editor);
  CHECK(has(found, "5:0+6 class"));       // filter
  CHECK(has(found, "5:7+1 parameter"));   // r
  CHECK(has(found, "6:8+1 variable"));    // u
  CHECK(has(found, "8:2+2 property"));    // r1
  CHECK(has(found, "8:6+8 class"));       // resistor
  CHECK(has(found, "8:15+1 parameter"));  // r
  CHECK(has(found, "9:23+1 variable"));   // m
  CHECK(has(found, "17:2+6 class"));
}

TEST_CASE("lsp: types that are not written are hints") {
  Editor editor;
  editor.open(kModel);
  const Json hints = editor.request("textDocument/inlayHint",
                                    {{"textDocument", {{"uri", kUri}}}, {"range", whole()}})["result"];
  const auto at = [&](int line, int character) {
    for (const Json& hint : hints)
      if (hint["position"]["line"] == line && hint["position"]["character"] == character)
        return hint["label"].get<std::string>();
    return std::string();
  };
  CHECK(at(5, 6).starts_with(":: "));  // filter has no signature
  CHECK(at(5, 6).find("SR (p :: Pin, n :: Pin)") != std::string::npos);
  CHECK(at(6, 9) == ":: Real<V>");
  CHECK(at(8, 25) == ":: Pin");  // m, which has no declaration
  CHECK(at(7, 12).empty());      // k has a type
  CHECK(at(15, 4).empty());      // main has a signature
}

TEST_CASE("lsp: lenses run models and show structural types") {
  Editor editor;
  editor.open(kModel);
  const Json lenses = editor.request("textDocument/codeLens", {{"textDocument", {{"uri", kUri}}}})["result"];
  std::vector<std::string> titles;
  for (const Json& lens : lenses) titles.push_back(lens["command"]["title"]);
  CHECK(has(titles, "Run"));
  CHECK(has(titles, "Plot"));
  CHECK(has(titles, "Report"));
  bool structural = false;
  for (const Json& lens : lenses)
    structural |=
        lens["range"]["start"]["line"] == 5 && lens["command"]["title"].get<std::string>().starts_with("{");
  CHECK(structural);
}

TEST_CASE("lsp: the signature of the function whose arguments are written") {
  Editor editor;
  editor.open(kModel);
  const Json help = editor.at("textDocument/signatureHelp", 16, 18);  // sineVoltage 1.0 |50.0
  REQUIRE_FALSE(help.is_null());
  CHECK(help["signatures"][0]["label"].get<std::string>().starts_with("sineVoltage :: "));
  CHECK(help["activeParameter"] == 1);
  const Json& parameter = help["signatures"][0]["parameters"][1]["label"];
  const std::string label = help["signatures"][0]["label"];
  const std::size_t begin = parameter[0], end = parameter[1];
  CHECK(end <= label.size());
  CHECK(label.substr(begin, end - begin).find("Frequency") != std::string::npos);
  CHECK(editor.at("textDocument/signatureHelp", 16, 5).is_null());
  CHECK(editor.at("textDocument/signatureHelp", 2, 0).is_null());
}

TEST_CASE("lsp: folds and selections follow the lines") {
  Editor editor;
  editor.open(kModel);
  const Json folds =
      editor.request("textDocument/foldingRange", {{"textDocument", {{"uri", kUri}}}})["result"];
  const auto folded = [&](int first, int last) {
    return std::any_of(folds.begin(), folds.end(),
                       [&](const Json& f) { return f["startLine"] == first && f["endLine"] == last; });
  };
  CHECK(folded(0, 1));
  CHECK(folded(3, 4));
  CHECK(folded(5, 12));
  CHECK(folded(11, 12));
  CHECK(folded(15, 18));
  Json extent = editor.request(
      "textDocument/selectionRange",
      {{"textDocument", {{"uri", kUri}}}, {"positions", {{{"line", 12}, {"character", 4}}}}})["result"][0];
  std::vector<int> firsts;
  for (; !extent.is_null(); extent = extent.value("parent", Json()))
    firsts.push_back(extent["range"]["start"]["line"]);
  CHECK(firsts == std::vector<int>{12, 12, 11, 5, 0});  // word, line, handler, definition, text
}

TEST_CASE("lsp: extents grow, whatever the text and the offset") {
  for (const std::string& text :
       {std::string(), std::string("("), std::string(")]}"), std::string("a (b [c"), kModel})
    for (std::size_t offset = 0; offset <= text.size(); ++offset) {
      const auto all = lsp::extents(text, offset);
      for (std::size_t k = 0; k < all.size(); ++k) {
        CHECK(all[k].begin < all[k].end);
        CHECK(all[k].end <= text.size());
        if (k > 0) CHECK((all[k].begin <= all[k - 1].begin && all[k].end >= all[k - 1].end));
      }
      lsp::call_at(text, offset);
      lsp::folds(text.substr(0, offset));
    }
}

TEST_CASE("lsp: symbols of the workspace") {
  Editor editor;
  editor.open(kModel);
  const Json all = editor.request("workspace/symbol", {{"query", "fltr"}})["result"];
  REQUIRE(all.size() == 1);
  CHECK(all[0]["name"] == "filter");
  CHECK(all[0]["location"]["range"]["start"]["line"] == 5);
  CHECK(editor.request("workspace/symbol", {{"query", "nothing"}})["result"].empty());
}

TEST_CASE("lsp: these requests have answers while there are errors") {
  Editor editor;
  editor.open(kModel + "broken = (\n");
  for (const char* method :
       {"textDocument/semanticTokens/full", "textDocument/foldingRange", "textDocument/codeLens"})
    CHECK(editor.request(method, {{"textDocument", {{"uri", kUri}}}}).contains("result"));
  CHECK(editor.request("textDocument/inlayHint", {{"textDocument", {{"uri", kUri}}}, {"range", whole()}})
            .contains("result"));
  CHECK(editor.at("textDocument/signatureHelp", 16, 18).is_null());
}

TEST_CASE("lsp: a range is formatted, and the rest stays") {
  Editor editor;
  const std::string untidy = "a :: Real\na =   1.0\n\nb :: Real\nb =   2.0\n";
  editor.open(untidy);
  const Json edits = editor.request(
      "textDocument/rangeFormatting",
      {{"textDocument", {{"uri", kUri}}},
       {"range",
        {{"start", {{"line", 3}, {"character", 0}}}, {"end", {{"line", 4}, {"character", 3}}}}}})["result"];
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["range"]["start"]["line"] == 4);
  CHECK(edits[0]["newText"] == "b = 2.0\n");
}

TEST_CASE("lsp: what uses a definition, and what it uses") {
  Editor editor;
  editor.open(kModel);
  const Json items = editor.at("textDocument/prepareCallHierarchy", 17, 4);  // filter
  REQUIRE(items.size() == 1);
  CHECK(items[0]["name"] == "filter");
  const Json users = editor.request("callHierarchy/incomingCalls", {{"item", items[0]}})["result"];
  REQUIRE(users.size() == 1);
  CHECK(users[0]["from"]["name"] == "main");
  CHECK(users[0]["fromRanges"][0]["start"]["line"] == 17);
  const Json used = editor.request("callHierarchy/outgoingCalls", {{"item", items[0]}})["result"];
  std::vector<std::string> names;
  for (const Json& one : used) names.push_back(one["to"]["name"]);
  CHECK(has(names, "resistor"));
  CHECK(has(names, "capacitor"));
  CHECK_FALSE(has(names, "sineVoltage"));
}
