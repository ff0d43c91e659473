// sigrel linearize: tangents that are known in closed form.
#include <cmath>
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

const std::string kModels = std::string(SIGREL_SOURCE_DIR) + "/tests/numeric/models/linearize.sr";

json linear(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"linearize", kModels, "--format", "json", "-e"});
  Finished f = sigrel(arguments);
  INFO(f.err);
  REQUIRE(f.code == 0);
  return json::parse(f.out);
}

void refused(std::vector<std::string> arguments, const char* code, const char* part) {
  arguments.insert(arguments.begin(), {"linearize", kModels, "-e"});
  Finished f = sigrel(arguments);
  INFO(f.err);
  CHECK(f.code == 1);
  CHECK(f.err.find(code) != std::string::npos);
  CHECK(f.err.find(part) != std::string::npos);
}

using Rows = std::vector<std::vector<double>>;
void equal(const json& matrix, const Rows& expected) {
  auto rows = matrix.get<Rows>();
  INFO(matrix.dump());
  REQUIRE(rows.size() == expected.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    REQUIRE(rows[r].size() == expected[r].size());
    for (std::size_t c = 0; c < rows[r].size(); ++c) CHECK(rows[r][c] == Approx(expected[r][c]).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("linearize: a loop, closed and opened (MT-26)") {
  json closed = linear({"loop", "--input", "r", "--output", "y"});
  equal(closed["A"], {{-2}});
  equal(closed["B"], {{1}});
  equal(closed["C"], {{1}});
  equal(closed["D"], {{0}});
  json opened = linear({"loop", "--input", "u", "--output", "y"});
  equal(opened["A"], {{-1}});
  equal(opened["B"], {{1}});
  json itself = linear({"loop", "--input", "r", "--output", "r"});
  equal(itself["C"], {{0}});
  equal(itself["D"], {{1}});
}

TEST_CASE("linearize: blocks in series (MT-27), and at another time") {
  for (const char* at : {"0", "2.5"}) {
    json j = linear({"cascade", "--input", "u", "--output", "xp", "--at", at});
    // States in any order: by name.
    bool filter_first = j["states"][0] == "xf";
    equal(j["A"], filter_first ? Rows{{-2, 0}, {1, -2}} : Rows{{-2, 1}, {0, -2}});
    equal(j["B"], filter_first ? Rows{{1}, {0}} : Rows{{0}, {1}});
    equal(j["C"], filter_first ? Rows{{0, 1}} : Rows{{1, 0}});
    CHECK(j["time"].get<double>() == Approx(std::stod(at)));
  }
}

TEST_CASE("linearize: a nonlinear tank at its level (MP-12)") {
  json j = linear({"tank", "--input", "u", "--output", "h"});
  equal(j["A"], {{-0.1 / 20.0 * std::sqrt(2.0 * 9.81 / 5.0) }});
  equal(j["B"], {{0.05}});
  equal(j["C"], {{1}});
  equal(j["D"], {{0}});
}

TEST_CASE("linearize: simultaneous equations are eliminated") {
  json j = linear({"implicit", "--input", "u", "--output", "y"});
  equal(j["A"], {{-1}});
  equal(j["B"], {{1}});
  equal(j["C"], {{-1}});
  equal(j["D"], {{1}});
  refused({"implicit", "--input", "y"}, "SR0590", "solved together");
}

TEST_CASE("linearize: with the states that the run has chosen") {
  json j = linear({"pendulum"});
  REQUIRE(j["eigenvalues"].size() == 2);
  const double slope = 2.0 * 9.81 * -std::sqrt(1.0 - 0.95 * 0.95);
  CHECK(j["eigenvalues"][0][0].get<double>() == Approx(0.0).margin(1e-6));
  CHECK(j["eigenvalues"][0][1].get<double>() == Approx(std::sqrt(-slope)));
}

TEST_CASE("linearize: eigenvalues, text, mistakes") {
  json j = linear({"pair"});
  CHECK(j["eigenvalues"][0][0].get<double>() == Approx(-0.2));
  CHECK(j["eigenvalues"][0][1].get<double>() == Approx(std::sqrt(4 - 0.04)));
  Finished f = sigrel({"linearize", kModels, "-e", "pair"});
  CHECK(f.out.find("damping ratio 0.1") != std::string::npos);
  refused({"pair", "--input", "force"}, "SR0", "force");
  refused({"root"}, "SR0590", "no finite number");
}
