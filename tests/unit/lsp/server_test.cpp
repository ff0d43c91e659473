// The language server as an editor sees it: messages in, messages out.
#include <unistd.h>
#include <catch2/catch.hpp>

#include <sstream>
#include <thread>

#include "compiler/lsp/transport.h"
#include "tests/unit/lsp/editor.h"

using namespace sigrel;
using lsp::Json;

TEST_CASE("lsp: diagnostics follow the text") {
  Editor editor;
  CHECK(editor.open(kText)["diagnostics"].empty());
  editor.replace(8, 14, 15, "b");
  const Json found = editor.published();
  CHECK(found["version"] == 2);
  REQUIRE(found["diagnostics"].size() == 1);
  const Json& d = found["diagnostics"][0];
  CHECK(d["code"] == "SR0308");
  CHECK(d["severity"] == 1);
  CHECK(d["range"]["start"]["line"] == 7);
  editor.replace(8, 14, 15, "a");
  CHECK(editor.published()["diagnostics"].empty());
}

TEST_CASE("lsp: hover and definition, in the module and in the library") {
  Editor editor;
  editor.open(kText);
  const std::string own = editor.at("textDocument/hover", 8, 4)["contents"]["value"];
  CHECK(own.find("divider :: SR (p :: Pin, n :: Pin)") != std::string::npos);
  CHECK(own.find("A divider: \xC3\xA4 half.") != std::string::npos);
  const Json here = editor.at("textDocument/definition", 8, 4);
  CHECK(here["uri"] == kUri);
  CHECK(here["range"]["start"]["line"].get<int>() >= 3);
  const std::string library = editor.at("textDocument/hover", 4, 20)["contents"]["value"];
  CHECK(library.find("resistor :: (r :: Resistance)") != std::string::npos);
  CHECK(library.find("of `Electrical`") != std::string::npos);
  const std::string uri = editor.at("textDocument/definition", 4, 20)["uri"];
  CHECK(uri.ends_with("/stdlib/Electrical.sr"));
  CHECK(editor.at("textDocument/hover", 1, 0).is_null());
}

TEST_CASE("lsp: a local name is no definition of a library that has this name") {
  Editor editor;
  editor.open(
      "import Rotational\n"
      "import Electrical (resistor)\n"
      "\n"
      "m :: (torque :: Real) -> SR ()\n"
      "m torque = sigrel () where\n"
      "  local speed :: Real\n"
      "  spring: inertia 1.0 <> (a, a)\n"
      "  speed = torque\n"
      "  free <> a\n");
  const auto is_known = [&](int line, int character) {
    return !editor.at("textDocument/definition", line, character).is_null();
  };
  CHECK(is_known(4, 0));         // m
  CHECK(is_known(6, 12));        // inertia
  CHECK(is_known(8, 3));         // free
  CHECK_FALSE(is_known(4, 3));   // the parameter torque
  CHECK_FALSE(is_known(5, 9));   // the local speed
  CHECK_FALSE(is_known(6, 3));   // the label spring
  CHECK_FALSE(is_known(7, 3));   // speed
  CHECK_FALSE(is_known(7, 11));  // torque
}

TEST_CASE("lsp: completion while there are errors") {
  Editor editor;
  editor.open("import Electrical\n\nhalf :: Real\nhalf = 0.5 + True\n\nmain = hal\n");
  const Json items = editor.at("textDocument/completion", 5, 10);
  const auto has = [&](const char* label) {
    return std::any_of(items.begin(), items.end(), [&](const Json& item) { return item["label"] == label; });
  };
  CHECK(has("half"));
  CHECK(has("resistor"));
}

TEST_CASE("lsp: completion offers what is imported") {
  Editor editor;
  editor.open(kText);
  const Json items = editor.at("textDocument/completion", 9, 2);
  const auto has = [&](const char* label) {
    return std::any_of(items.begin(), items.end(), [&](const Json& item) { return item["label"] == label; });
  };
  CHECK(has("divider"));
  CHECK(has("capacitor"));
  CHECK(has("Pin"));
  CHECK(has("foldl"));
  CHECK_FALSE(has("planetary"));
}

TEST_CASE("lsp: symbols, formatting and quick fixes") {
  Editor editor;
  editor.open(kText);
  const Json document = {{"textDocument", {{"uri", kUri}}}};
  const Json symbols = editor.request("textDocument/documentSymbol", document)["result"];
  REQUIRE(symbols.size() == 2);
  CHECK(symbols[0]["name"] == "divider");
  CHECK(editor.request("textDocument/formatting", document)["result"].empty());
  editor.replace(9, 0, 2, "  ");
  editor.replace(9, 8, 8, "   ");
  const Json edits = editor.request("textDocument/formatting", document)["result"];
  REQUIRE(edits.size() == 1);
  CHECK(edits[0]["newText"] == kText);

  editor.open("m :: SR ()\nm = sigrel () where\n  local x :: Real^2\n  x = {1.0, 2.0}\n");
  const Json range = {{"start", {{"line", 3}, {"character", 0}}}, {"end", {{"line", 3}, {"character", 19}}}};
  const Json actions = editor.request(
      "textDocument/codeAction",
      {{"textDocument", {{"uri", kUri}}}, {"range", range}, {"context", Json::object()}})["result"];
  REQUIRE(!actions.empty());
  CHECK(actions[0]["edit"]["changes"][kUri][0]["newText"].get<std::string>().find("[1.0, 2.0]") !=
        std::string::npos);
  CHECK(editor.request("textDocument/formatting", document)["error"]["code"] == -32600);
}

namespace {

const std::string kRelations =
    "record Size = { length :: Real, width :: Real }\n"             // 0
    "\n"                                                            // 1
    "area :: Size -> Real\n"                                        // 2
    "area Size {length, width} = length * width\n"                  // 3
    "\n"                                                            // 4
    "tank :: (a :: Real) -> SR (q :: Real)\n"                       // 5
    "tank a = sigrel (q) where\n"                                   // 6
    "  local level, speed :: Real\n"                                // 7
    "  speed = der level\n"                                         // 8
    "  a * speed = q\n"                                             // 9
    "  initially level = 0.0\n"                                     // 10
    "\n"                                                            // 11
    "main = sigrel () where\n"                                      // 12
    "  local q :: Real\n"                                           // 13
    "  t: tank (area (Size { length = 1.0, width = 2.0 })) <> q\n"  // 14
    "  q = 1.0 - t.level\n";                                        // 15

/// The edits of the answer to a renaming, applied.
std::string renamed(Editor& editor, std::string text, int line, int character, const std::string& name) {
  const Json answer =
      editor.request("textDocument/rename", {{"textDocument", {{"uri", kUri}}},
                                             {"position", {{"line", line}, {"character", character}}},
                                             {"newName", name}});
  if (answer.contains("error")) return answer["error"]["message"];
  const lsp::Lines lines(text);
  const Json& edits = answer["result"]["changes"][kUri];
  const auto offset = [&](const Json& at) {
    return lines.offset({at["line"], at["character"]}, lsp::Encoding::Utf8);
  };
  std::string result = text;
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    const std::size_t begin = offset((*edit)["range"]["start"]);
    result.replace(begin, offset((*edit)["range"]["end"]) - begin, (*edit)["newText"].get<std::string>());
  }
  return result;
}

}  // namespace

TEST_CASE("lsp: a request between a change and its check does not hide the diagnostics") {
  Editor editor;
  editor.open(kText);
  editor.replace(8, 14, 15, "b");
  CHECK(!editor.at("textDocument/documentSymbol", 0, 0).empty());
  CHECK(editor.published()["diagnostics"].size() == 1);
}

TEST_CASE("lsp: where a name is used") {
  Editor editor;
  CHECK(editor.open(kRelations)["diagnostics"].empty());
  CHECK(editor.at("textDocument/documentHighlight", 8, 3).size() == 3);   // `speed`
  CHECK(editor.at("textDocument/documentHighlight", 13, 8).size() == 3);  // `q` of main, not of tank
  CHECK(editor.at("textDocument/documentHighlight", 14, 2).size() == 2);  // `t`
  CHECK(editor.at("textDocument/references", 14, 6).size() == 3);         // `tank`: signature, clause, use
  CHECK(editor.at("textDocument/references", 0, 1).empty());              // a keyword
}

TEST_CASE("lsp: renaming, and what would make an error") {
  Editor editor;
  editor.open(kRelations);
  const auto with = [&](std::initializer_list<std::pair<std::string, std::string>> changes) {
    std::string text = kRelations;
    for (const auto& [from, to] : changes) text.replace(text.find(from), from.size(), to);
    return text;
  };
  const auto rename = [&](int line, int character, const std::string& name) {
    return renamed(editor, kRelations, line, character, name);
  };
  CHECK(rename(8, 3, "v") ==
        with({{"level, speed", "level, v"}, {"speed = der", "v = der"}, {"a * speed", "a * v"}}));
  CHECK(rename(14, 6, "vessel") ==
        with({{"tank ::", "vessel ::"}, {"tank a", "vessel a"}, {"t: tank", "t: vessel"}}));
  CHECK(rename(14, 2, "first") == with({{"t: tank", "first: tank"}, {"- t.level", "- first.level"}}));
  CHECK(rename(3, 28, "l") == with({{"{length, width} = length", "{length = l, width} = l"}}));
  CHECK_THAT(rename(8, 14, "h"), Catch::Contains("`level` cannot be renamed") && Catch::Contains("level"));
  CHECK_THAT(rename(8, 3, "level"), Catch::Contains("already used"));
  CHECK_THAT(rename(8, 3, "where"), Catch::Contains("cannot be renamed"));
  CHECK_THAT(rename(8, 3, "2x"), Catch::Contains("is no name"));
  CHECK_THAT(rename(12, 0, "model"), Catch::Contains("what a run executes"));
  CHECK_THAT(rename(0, 8, "Extent"), Catch::Contains("only variables"));
  CHECK_THAT(rename(8, 11, "d"), Catch::Contains("only variables"));  // `der`, of the language
}

TEST_CASE("lsp: positions in UTF-16 and UTF-8") {
  const std::string text = "\xC3\xA4\xF0\x9D\x84\x9E x\r\nsecond";
  const lsp::Lines lines(text);
  CHECK(lines.offset({0, 4}, lsp::Encoding::Utf16) == text.find('x'));
  CHECK(lines.offset({0, 7}, lsp::Encoding::Utf8) == text.find('x'));
  CHECK(lines.place(text.find('x'), lsp::Encoding::Utf16).character == 4);
  CHECK(lines.offset({0, 99}, lsp::Encoding::Utf16) == text.find('\r'));
  CHECK(lines.offset({9, 0}, lsp::Encoding::Utf16) == text.size());
  CHECK(lines.place(text.size(), lsp::Encoding::Utf16).line == 1);
  CHECK(lsp::path_of("file:///a%20b/m.sr") == "/a b/m.sr");
  CHECK(lsp::uri_of("/a b/m.sr") == "file:///a%20b/m.sr");
}

TEST_CASE("lsp: a file that is imported and wrong, and one that cannot be parsed") {
  Editor editor(false);
  const Json missing = editor.open("import Nowhere\n\nx = 1.0\n")["diagnostics"];
  REQUIRE(missing.size() == 1);
  CHECK(missing[0]["range"]["start"]["line"] == 0);
  const Json wrong = editor.open("x = = 1.0\n")["diagnostics"];
  CHECK(!wrong.empty());
  CHECK(editor.at("textDocument/hover", 0, 0).is_null());
  CHECK(editor.at("textDocument/completion", 0, 0).size() > 20);  // of the Prelude
}

TEST_CASE("lsp: what is no request of the protocol") {
  lsp::Server server({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}}, "0");
  const auto code = [&](const std::string& message) {
    return server.handle(message).at(0)["error"]["code"].get<int>();
  };
  CHECK(code("{") == -32700);
  CHECK(code("[1]") == -32600);
  CHECK(code(R"({"jsonrpc": "2.0", "id": 1})") == -32600);
  CHECK(code(R"({"id": 1, "method": "textDocument/hover", "params": {}})") == -32002);
  CHECK(server.handle(R"({"method": "textDocument/didOpen", "params": {}})").empty());
  CHECK(server.handle(R"({"id": 2, "method": "initialize", "params": {"capabilities": {}}})")
            .at(0)
            .contains("result"));
  CHECK(code(R"({"id": 3, "method": "nothing"})") == -32601);
  CHECK(code(R"({"id": 4, "method": "textDocument/hover", "params": {}})") == -32602);
  CHECK(
      code(
          R"({"id": 5, "method": "textDocument/hover", "params": {"textDocument": {"uri": "file:///no"}}})") ==
      -32602);
  CHECK(server
            .handle(
                R"({"method": "textDocument/didChange", "params": {"textDocument": {"uri": "file:///no"}}})")
            .empty());
  CHECK(server.handle(R"({"id": 6, "method": "shutdown"})").at(0)["result"].is_null());
  CHECK(code(R"({"id": 7, "method": "textDocument/hover", "params": {}})") == -32600);
  CHECK_FALSE(server.exit_code());
  CHECK(server.handle(R"({"method": "exit"})").empty());
  CHECK(server.exit_code() == 0);
}

namespace {

/// What arrives if a client writes a text and closes its end.
std::vector<lsp::Message> received(const std::string& text) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::thread client([&] {
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t count = write(ends[1], text.data() + at, std::min<std::size_t>(text.size() - at, 1000));
      if (count <= 0) break;
      at += static_cast<std::size_t>(count);
    }
    close(ends[1]);
  });
  lsp::Inbox inbox(ends[0]);
  client.join();  // all of it has arrived: nothing here is longer than a pipe holds
  std::vector<lsp::Message> messages;
  while (auto message = inbox.next()) messages.push_back(*message);
  CHECK_FALSE(inbox.more_within(0));
  close(ends[0]);
  return messages;
}

std::string framed(const std::string& content) {
  return "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" + content;
}

}  // namespace

TEST_CASE("lsp: headers of messages") {
  const auto two = received("Content-Type: x\r\nContent-Length: 2\r\n\r\n{}" + framed("[1]") +
                            "Content-Length: 9999999999999\r\n\r\n");
  REQUIRE(two.size() == 2);
  CHECK(two[0].content == "{}");
  CHECK(two[1].content == "[1]");
  CHECK(received("Content-Length: 20\r\n\r\n{}").empty());
  CHECK(received("GET / HTTP/1.1\r\nHost: x\r\n\r\n").empty());
  CHECK(received("Content-Length: minus\r\n\r\n{}").empty());
  CHECK(received("").empty());
  std::ostringstream out;
  lsp::write_message(out, "{}");
  CHECK(out.str() == "Content-Length: 2\r\n\r\n{}");
}

TEST_CASE("lsp: a request is taken back before it is handled") {
  const std::string first = R"({"jsonrpc": "2.0", "id": 1, "method": "textDocument/hover", "params": {}})",
                    second = R"({"jsonrpc": "2.0", "id": "b", "method": "textDocument/hover", "params": {}})",
                    cancel = R"({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "b"}})";
  const auto messages = received(framed(first) + framed(second) + framed(cancel) +
                                 framed(R"({"method": "$/cancelRequest"})") + framed("$/cancelRequest"));
  REQUIRE(messages.size() == 5);
  CHECK_FALSE(messages[0].cancelled);
  CHECK(messages[1].cancelled);
  Editor editor;
  const auto answers = editor.server.handle(messages[1].content, messages[1].cancelled);
  REQUIRE(answers.size() == 1);
  CHECK(answers[0]["id"] == "b");
  CHECK(answers[0]["error"]["code"] == -32800);
  for (std::size_t k = 2; k < 4; ++k) CHECK(editor.server.handle(messages[k].content).empty());
}
