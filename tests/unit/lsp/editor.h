// An editor that talks to the language server.
#pragma once
#include <catch2/catch.hpp>

#include <string>

#include "compiler/lsp/server.h"

using namespace sigrel;
using lsp::Json;

inline const std::string kUri = "file:///nowhere/m.sr";
inline const std::string kText =
    "import Electrical\n"
    "\n"
    "-- | A divider: \xC3\xA4 half.\n"
    "divider :: SR (p :: Pin, n :: Pin)\n"
    "divider = series (resistor 1.0) (resistor 1.0)\n"
    "\n"
    "main = sigrel () where\n"
    "  constantVoltage 1.0 <> (a, g)\n"
    "  divider <> (a, g)\n"
    "  ground <> g\n";

struct Editor {
  lsp::Server server;
  int ids = 0;

  explicit Editor(bool utf8 = true, std::function<void(Json)> later = nullptr)
      : server({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}}, "0", std::move(later)) {
    Json capabilities = Json::object();
    if (utf8) capabilities["general"]["positionEncodings"] = {"utf-8", "utf-16"};
    const Json answer = request("initialize", {{"capabilities", capabilities}});
    CHECK(answer["result"]["capabilities"]["positionEncoding"] == (utf8 ? "utf-8" : "utf-16"));
    notify("initialized", Json::object());
  }
  Json request(const std::string& method, Json params) {
    const auto answers = server.handle(
        Json{{"jsonrpc", "2.0"}, {"id", ++ids}, {"method", method}, {"params", std::move(params)}}.dump());
    REQUIRE(answers.size() == 1);
    CHECK(answers[0]["id"] == ids);
    return answers[0];
  }
  void notify(const std::string& method, Json params) {
    CHECK(server.handle(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}}.dump())
              .empty());
  }
  /// Opens a text; its diagnostics.
  Json open(const std::string& text, const std::string& uri = kUri) {
    notify("textDocument/didOpen",
           {{"textDocument", {{"uri", uri}, {"languageId", "sigrel"}, {"version", 1}, {"text", text}}}});
    return published();
  }
  Json published() {
    CHECK(server.has_changes());
    const auto messages = server.publish();
    CHECK_FALSE(server.has_changes());
    REQUIRE(messages.size() == 1);
    CHECK(messages[0]["method"] == "textDocument/publishDiagnostics");
    return messages[0]["params"];
  }
  void replace(int line, int from, int to, const std::string& text) {
    const Json range = {{"start", {{"line", line}, {"character", from}}},
                        {"end", {{"line", line}, {"character", to}}}};
    notify("textDocument/didChange", {{"textDocument", {{"uri", kUri}, {"version", 2}}},
                                      {"contentChanges", {{{"range", range}, {"text", text}}}}});
  }
  Json at(const std::string& method, int line, int character) {
    return request(method, {{"textDocument", {{"uri", kUri}}},
                            {"position", {{"line", line}, {"character", character}}}})["result"];
  }
};
