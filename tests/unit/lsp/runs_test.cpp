// Runs that an editor asks for, and what it shows of them.
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "tests/unit/lsp/editor.h"

namespace {

const std::string kModel =
    "import Electrical\n"                                // 0
    "\n"                                                 // 1
    "filter :: Resistance -> SR (p :: Pin, n :: Pin)\n"  // 2
    "filter r = sigrel (p, n) where\n"                   // 3
    "  local u :: Voltage\n"                             // 4
    "  r1: resistor r <> (p, m)\n"                       // 5
    "  c1: capacitor 1.0e-3 <> (m, n)\n"                 // 6
    "  u = m.v - n.v\n"                                  // 7
    "  initially c1.u = 0.0\n"                           // 8
    "\n"                                                 // 9
    "model = sigrel () where\n"                          // 10
    "  s: constantVoltage 2.0 <> (a, g)\n"               // 11
    "  one: filter 10.0 <> (a, g)\n"                     // 12
    "  two: filter 1.0 <> (a, g)\n"                      // 13
    "  ground <> g\n"                                    // 14
    "\n"                                                 // 15
    "main = simulate model with { stop = 1.0, plot = [\"one.u\"] }\n";

/// An editor that keeps what arrives later.
struct RunningEditor : Editor {
  std::mutex mutex;
  std::vector<Json> later;

  RunningEditor()
      : Editor(true, [this](Json message) {
          const std::lock_guard lock(mutex);
          later.push_back(std::move(message));
        }) {}

  void start(const std::string& method, Json params) {
    params["textDocument"] = {{"uri", kUri}};
    CHECK(
        server
            .handle(Json{{"jsonrpc", "2.0"}, {"id", ++ids}, {"method", method}, {"params", std::move(params)}}
                        .dump())
            .empty());
  }
  /// The answer to the last request.
  Json answer() {
    server.wait();
    for (const Json& message : later)
      if (message.value("id", Json()) == ids) return message;
    FAIL("there is no answer");
    return nullptr;
  }
};

double value(const Json& result, const std::string& name) {
  for (const Json& one : result["values"])
    if (one["name"] == name) return one["value"];
  FAIL("no value of " << name);
  return 0;
}

}  // namespace

TEST_CASE("lsp: a run has final values, and a plot a picture") {
  RunningEditor editor;
  editor.open(kModel);
  editor.start("sigrel/run", Json::object());
  const Json run = editor.answer()["result"];
  CHECK(run["completed"] == true);
  CHECK(run["time"] == 1.0);
  CHECK(value(run, "one.u") == Approx(2 * (1 - std::exp(-100.0))));
  CHECK(run["messages"] == "");
  CHECK_FALSE(run.contains("svg"));
  editor.start("sigrel/plot", {{"definition", "main"}, {"stop", 0.01}});
  const Json plot = editor.answer()["result"];
  CHECK(plot["time"] == 0.01);
  CHECK(value(plot, "one.u") == Approx(2 * (1 - std::exp(-1.0))).epsilon(1e-4));
  CHECK(plot["svg"].get<std::string>().find("one.u") != std::string::npos);
  editor.start("sigrel/blocks", Json::object());
  const Json blocks = editor.answer()["result"];
  CHECK(blocks["text"].get<std::string>().find("one.c1.u") != std::string::npos);
  CHECK(blocks["svg"].get<std::string>().starts_with("<svg"));
}

TEST_CASE("lsp: hover tells the values of the last run in each instance") {
  RunningEditor editor;
  editor.open(kModel);
  const auto hover = [&](int line, int character) {
    return editor.at("textDocument/hover", line, character)["contents"]["value"].get<std::string>();
  };
  CHECK(hover(7, 2).find("last run") == std::string::npos);
  editor.start("sigrel/run", {{"stop", 0.001}});
  editor.answer();
  const std::string u = hover(7, 2);
  INFO(u);
  CHECK(u.find("`one.u = ") != std::string::npos);
  CHECK(u.find("`two.u = ") != std::string::npos);
  CHECK(u.find("`one.u = 0.1903") != std::string::npos);  // 2 (1 - exp(-0.1))
  CHECK(u.find(" V`") != std::string::npos);
  CHECK(hover(7, 6).find("`one.m.v = ") != std::string::npos);
  // A text that has been edited since keeps them.
  editor.replace(4, 0, 0, "  -- a comment\n");
  CHECK(hover(8, 2).find("`two.u = ") != std::string::npos);
}

TEST_CASE("lsp: what cannot be run answers with its messages") {
  RunningEditor editor;
  editor.open(kModel);
  editor.replace(12, 7, 13, "filtr");
  editor.start("sigrel/run", Json::object());
  const Json run = editor.answer()["result"];
  CHECK(run["completed"] == false);
  CHECK(run["messages"].get<std::string>().find("SR0105") != std::string::npos);
  editor.start("sigrel/plot", {{"definition", "filter"}});
  CHECK(editor.answer()["result"]["completed"] == false);
  // Parameters that are none.
  for (const Json& wrong : {Json{{"definition", 3}}, Json{{"stop", "soon"}}}) {
    Json params = wrong;
    params["textDocument"] = {{"uri", kUri}};
    CHECK(editor.request("sigrel/run", params)["error"]["code"] == -32602);
  }
  CHECK(editor.request("sigrel/run", {{"textDocument", {{"uri", "file:///no"}}}})["error"]["code"] == -32602);
}

TEST_CASE("lsp: a run is cancelled, and tells how far it is") {
  RunningEditor editor;
  editor.open(
      "main = simulate m with { stop = 1.0e9 }\nm :: SR ()\nm = sigrel () where\n  local x, y\n  der x = y\n"
      "  der y = -x\n  initially\n    x = 1.0\n    y = 0.0\n");
  editor.start("sigrel/run", {{"workDoneToken", "t"}});
  const int run = editor.ids;
  const auto told = [&] {
    const std::lock_guard lock(editor.mutex);
    return !editor.later.empty();
  };
  while (!told()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  editor.notify("$/cancelRequest", {{"id", run}});
  const Json answer = editor.answer();
  CHECK(answer["error"]["code"] == -32800);
  CHECK(editor.later.front()["method"] == "$/progress");
  CHECK(editor.later.front()["params"]["value"]["kind"] == "begin");
  // One that has ended is none.
  editor.notify("$/cancelRequest", {{"id", run}});
}

TEST_CASE("lsp: the server ends while a run goes on") {
  RunningEditor editor;
  editor.open(
      "main = simulate m with { stop = 1.0e9 }\nm :: SR ()\nm = sigrel () where\n  local x\n  der x = -x + "
      "sin time\n"
      "  initially x = 1.0\n");
  for (int k = 0; k < 3; ++k) editor.start("sigrel/run", Json::object());
}
