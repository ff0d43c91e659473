// sigrel structure graph: published graphs in, published numbers out.
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

Finished graph(const std::string& document, bool fast = false) {
  std::string path = temporary("graph.json", document);
  return fast ? sigrel({"structure", "graph", path, "--fast"}) : sigrel({"structure", "graph", path});
}

json result(const std::string& document, bool fast = false) {
  Finished f = graph(document, fast);
  INFO(document << "\n" << f.err);
  CHECK(f.code == 0);
  CHECK(f.err.empty());
  return json::parse(f.out, nullptr, false);
}

const char* const kDocumented = R"("G": [[1,2,4],[1,7],[3,4],[3,7],[6,7],[2]])";
const char* const kPendulum = R"("G": [[3,5],[4,6],[1,7,9],[2,8,9],[1,2]], "A": [5,6,7,8,0,0,0,0,0])";

}  // namespace

TEST_CASE("structure graph: MB-1, with the documented assignment and with its own") {
  json r = result(std::string("{") + kDocumented + R"(, "assign": [2,6,3,1,0,5,4]})");
  CHECK(r["invAssign"] == json{4, 1, 3, 7, 6, 2});
  CHECK(r["unassigned"] == json{5});
  CHECK(r["blt"] == json{{6}, {3, 4, 2, 1}, {5}});
  CHECK(r["tearing"][1] ==
        json{{"eSolved", {3, 4, 2}}, {"vSolved", {3, 7, 1}}, {"eResidue", {1}}, {"vTear", {4}}});
  r = result(std::string("{") + kDocumented + R"(, "vActive": [true,true,true,true,false,true,true]})");
  CHECK(r["assign"] == json{1, 6, 4, 3, 0, 5, 2});
  CHECK(r["blt"] == json{{6}, {2, 4, 3, 1}, {5}});
}

TEST_CASE("structure graph: MB-4, a singular system") {
  json r = result(R"({"G": [[3],[3],[2,3]], "vActive": [true,true,true,true]})");
  CHECK(r["assign"] == json{0, 3, 1, 0});
  CHECK(r["invAssign"] == json{3, 0, 2});
  CHECK(r["unassigned"] == json{1, 4});
  CHECK(r["unassignedEquations"] == json{2});
}

TEST_CASE("structure graph: MB-5, the pendulum and its blocks with x and w as states") {
  json r = result(std::string("{") + kPendulum + "}");
  CHECK(r["consistency"]["verdict"] == "consistent");
  CHECK(r["assign"] == json{0, 0, 0, 0, 1, 2, 7, 4, 3, 9, 8});
  CHECK(r["A"] == json{5, 6, 7, 8, 10, 11, 0, 0, 0, 0, 0});
  CHECK(r["B"] == json{7, 8, 0, 0, 6, 9, 0, 0, 0});
  CHECK(r["G"][8] == json{1, 2, 5, 6, 10, 11});
  CHECK(result(std::string("{") + kPendulum + "}", true)["B"].size() == 9);
  r = result(std::string("{") + kPendulum + R"(, "vActive": [false,true,false]})");
  CHECK(r["assign"] == json{0, 5, 0, 2, 1, 6, 7, 4, 3, 9, 8});
  CHECK(r["blt"] == json{{1}, {5}, {6}, {2}, {4, 8, 9, 7, 3}});
}

TEST_CASE("structure graph: a system that cannot be reduced says what is left over") {
  json r = result(R"({"G": [[1,2],[1],[1]], "A": [2,0]})");
  CHECK(r["consistency"]["verdict"] == "too many equations");
  CHECK(r["consistency"]["equations"].size() == 2);
  CHECK(!r.contains("B"));
  r = result(R"({"G": [[1,2]], "A": [2,0,0]})");
  CHECK(r["consistency"]["verdict"] == "too many variables");
  CHECK(r["consistency"]["variables"] == json{3});
}

TEST_CASE("structure graph: MB-6, the reactor") {
  json r = result(R"({"G": [[1,3,5],[2,4,5,6],[1,2,5],[1]], "A": [3,4,0,0,0,0]})");
  CHECK(r["assign"] == json{0, 0, 1, 7, 3, 2, 8, 6});
  CHECK(r["A"] == json{3, 4, 7, 0, 8, 0, 0, 0});
  CHECK(r["B"] == json{6, 0, 7, 5, 8, 0, 0, 0});
  CHECK(r["blt"] == json{{3}, {1}, {8}, {6}, {7}, {2}, {4}, {5}});
}

TEST_CASE("structure graph: MB-7 and MT-7, tearing of one system") {
  json r = result(
      R"({"G": [[1,3],[2,4],[3,4]], "es": [1,2], "vs": [[4],[1,2]], "eSolvedFixed": [3], "vSolvedFixed": [3]})");
  CHECK(r["tearing"] ==
        json{{"eSolved", {2, 3, 1}}, {"vSolved", {4, 3, 1}}, {"eResidue", json::array()}, {"vTear", {2}}});
  r = result(R"({"G": [[1,2,3],[1,2],[2,3]], "es": [1,2,3], "vs": [1,2,3]})", true);
  CHECK(r["tearing"]["vTear"] == json{2});
  r = result(R"({"G": [[1,2],[1,2]], "es": [1,2], "vs": [1,2], "solvable": [[],[2]]})");
  CHECK(r["tearing"]["eSolved"] == json{2});
}

TEST_CASE("structure graph: what is wrong with a document: SR0630") {
  for (const char* document :
       {"",
        "{",
        "[]",
        "{}",
        R"({"G": 1})",
        R"({"G": [1]})",
        R"({"G": [[0]]})",
        R"({"G": [[1,1]]})",
        R"({"G": [[-1]]})",
        R"({"G": [["x"]]})",
        R"({"G": [[1.5]]})",
        R"({"G": [[1e30]]})",
        R"({"G": [[99999999999999999999]]})",
        R"({"G": [[1]], "A": [1]})",
        R"({"G": [[1,2]], "A": [2,1]})",
        R"({"G": [[1,2]], "A": [3,0]})",
        R"({"G": [[1,2]], "A": [2,2]})",
        R"({"G": [[1]], "B": [0]})",
        R"({"G": [[1]], "assign": [2]})",
        R"({"G": [[1,2]], "assign": [1,1]})",
        R"({"G": [[1]], "vActive": [1]})",
        R"({"G": [[1]], "es": [1]})",
        R"({"G": [[1]], "es": [2], "vs": [1]})",
        R"({"G": [[1]], "es": [1], "vs": [[1],[1]]})",
        R"({"G": [[1]], "typo": 1})",
        R"({"G": [[1,2],[1,2]], "es": [], "vs": [], "eSolvedFixed": [1,2], "vSolvedFixed": [1,2]})",
        "[[[[[[[[[[[[[[[[[[[["}) {
    Finished f = graph(document);
    INFO(document << "\n" << f.err);
    CHECK(f.code == 1);
    CHECK(f.out.empty());
    CHECK(f.err.find("error[SR0630]") != std::string::npos);
  }
  CHECK(sigrel({"structure", "graph", "/nowhere.json"}).code == 1);
}
