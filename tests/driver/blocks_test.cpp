// sigrel explain FILE --blocks, its pictures, and the vectors of ModiaBase in dumps.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "process.h"

namespace {

using nlohmann::json;

const char* kLoop = R"(model :: SR ()
model = sigrel () where
  local x, y, z, u1, u2 :: Real
  der x = y - x
  y = 2.0 * x + u1
  u1 = sin u2
  u2 = 0.5 * u1 + x
  z = y^2
  initially x = 1.0

main = simulate model
)";

const std::string kBlocks = SIGREL_SOURCE_DIR "/tests/numeric/models/blocks.sr";

void shows(const Finished& f, const std::string& text) {
  INFO(f.out << f.err);
  INFO("looked for: " << text);
  CHECK(f.out.find(text) != std::string::npos);
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("blocks in order, with tearing variables, inner and residual equations") {
  Finished f = sigrel({"explain", temporary("loop.sr", kLoop), "--blocks"});
  CHECK(f.code == 0);
  shows(f, "4 blocks: 3 explicit equations, 1 algebraic loop\n");
  shows(f,
        "1. algebraic loop of 2 equations, nonlinear: Newton's method\n  1 tearing variable: u2\n  u1, from\n"
        "    u1 = sin u2\n");
  shows(f, "  residual equation\n    u2 = 0.5 * u1 + x\n");
  shows(f, "2. y, from\n    y = 2.0 * x + u1\n");
  shows(f, "4. z, from\n    z = y^2\n");
  shows(sigrel({"explain", kBlocks, "--blocks", "-e", "mt9e"}),
        "linear with constant coefficients: factorised once");
  CHECK(sigrel({"explain", temporary("loop.sr", kLoop), "--dot", "x.dot"}).code == 2);
  CHECK(sigrel({"explain", temporary("loop.sr", kLoop), "--states", "--svg", "x.svg"}).code == 2);
}

TEST_CASE("the incidence matrix as pictures, before and after") {
  std::string file = temporary("loop.sr", kLoop), svg = temporary("loop.svg"), dot = temporary("loop.dot");
  CHECK(sigrel({"explain", file, "--blocks", "--svg", svg, "--dot", dot}).code == 0);
  std::string text = read(svg), graph = read(dot);
  CHECK(text.starts_with("<svg "));
  CHECK(text.ends_with("</svg>\n"));
  for (const char* title : {">source order<", ">order of solution<", ">u2<", ">der(x)<"})
    CHECK(text.find(title) != std::string::npos);
  // Entries in unknowns: der x with y, y with u1, u1 with u2, u2 with u1, z with y; in both matrices.
  CHECK(count(text, "fill=\"#34495e\"") + count(text, "width=\"13.0\" height=\"13.0\" fill=\"#c0392b\"") ==
        20);
  CHECK(graph.starts_with("graph incidence {"));
  CHECK(count(graph, " -- ") == 10);
  CHECK(count(graph, "style=bold") == 4);
  CHECK(count(graph, "peripheries=2") == 1);
  CHECK(count(graph, "subgraph cluster") == 1);

  Finished big = sigrel({"explain", kBlocks, "--blocks", "-e", "grid 20", "--svg", svg});
  CHECK(big.code == 1);
  CHECK(big.err.find("error[SR0611]") != std::string::npos);
  CHECK(big.err.find("pictures are limited to 400") != std::string::npos);
  CHECK(big.out.size() < 50000);
}

TEST_CASE("a dump carries the vectors of ModiaBase, and structure graph reads them") {
  std::string file = temporary("loop.sr", kLoop);
  for (const char* stage : {"dae", "plan"}) {
    INFO(stage);
    Finished dumped = sigrel({"dump", stage, file, "--format", "json"});
    REQUIRE(dumped.code == 0);
    json g = json::parse(dumped.out)["graph"];
    CHECK(g["G"].size() == 5);
    CHECK(g["assign"].size() == g["Avar"].size());
    CHECK(g["Bequ"] == json{0, 0, 0, 0, 0});
    for (std::size_t v = 0; v < g["assign"].size(); ++v)
      if (int e = g["assign"][v]; e > 0) CHECK(g["invAssign"][e - 1] == v + 1);
    Finished again = sigrel({"structure", "graph", temporary("dump.json", dumped.out)});
    INFO(again.err);
    REQUIRE(again.code == 0);
    json r = json::parse(again.out);
    CHECK(r["assign"] == g["assign"]);
    CHECK(r["invAssign"] == g["invAssign"]);
    CHECK(r["G"] == g["G"]);
    auto sizes = [](const json& blocks) {
      std::vector<std::size_t> list;
      for (const json& b : blocks) list.push_back(b.size());
      std::sort(list.begin(), list.end());
      return list;
    };
    CHECK(sizes(g["blt"]) == sizes(r["blt"]));
    CHECK(sizes(g["blt"]) == std::vector<std::size_t>{1, 1, 1, 2});
    if (stage != std::string("plan")) continue;
    int torn = 0;
    for (const json& t : g["tearing"]) torn += static_cast<int>(t["vTear"].size());
    CHECK(torn == 1);
    CHECK(g["tearing"].size() == 4);
  }
}
