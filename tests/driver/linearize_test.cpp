// sigrel linearize: tangents that are known in closed form.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "process.h"

using nlohmann::json;

namespace {

const std::string kModels = SIGREL_SOURCE_DIR "/tests/numeric/models/linearize.sr";

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

TEST_CASE("linearize: an input that only copies a signal is cut from it") {
  // Between `drive` and `u` is the equation `drive = u` alone: as one variable, u would be the input itself.
  json opened = linear({"copied", "--input", "drive", "--output", "u", "--output", "y", "--output", "w"});
  equal(opened["A"], {{-1}});
  equal(opened["B"], {{5}});
  equal(opened["C"], {{-2}, {1}, {0}});
  equal(opened["D"], {{0}, {0}, {1}});
  json further = linear({"copied", "--input", "w", "--output", "drive"});
  equal(further["C"], {{-2}});
  equal(further["D"], {{0}});
  json source = linear({"copied", "--input", "zero", "--output", "y"});
  equal(source["A"], {{-11}});
  equal(source["B"], {{5}});
  json both = linear({"copied", "--input", "drive", "--input", "w", "--output", "y", "--output", "u"});
  equal(both["B"], {{0, 5}});
  equal(both["C"], {{1}, {-2}});
}

TEST_CASE("linearize: an analysis point opens a loop and has its sensitivities") {
  // L = 4 / (s + 1). S = 1 / (1 + L) = (s + 1) / (s + 5); T = L / (1 + L) = 4 / (s + 5).
  json loop = linear({"pointed", "--input", "p.y", "--output", "p.u"});
  equal(loop["A"], {{-1}});
  equal(loop["B"], {{1}});
  equal(loop["C"], {{-4}});
  equal(loop["D"], {{0}});
  json sensitivities = linear({"pointed", "--input", "p.d", "--output", "p.y", "--output", "p.u"});
  equal(sensitivities["A"], {{-5}});
  equal(sensitivities["B"], {{1}});
  equal(sensitivities["C"], {{-4}, {-4}});
  equal(sensitivities["D"], {{1}, {0}});
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

TEST_CASE("linearize: discrete variables are those at its time, and `terminal` does not happen") {
  for (auto [at, slope] : {std::pair{"0", -2.0}, {"0.5", -2.0}, {"1", -3.0}, {"2.5", -3.0}}) {
    INFO(at);
    equal(linear({"switched", "--at", at})["A"], {{slope}});
  }
}

TEST_CASE("linearize: a nonlinear tank at its level (MP-12)") {
  json j = linear({"tank", "--input", "u", "--output", "h"});
  equal(j["A"], {{-0.1 / 20.0 * std::sqrt(2.0 * 9.81 / 5.0)}});
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
  refused({"implicit", "--input", "y"}, "SR0590", "solved in an algebraic loop");
}

TEST_CASE("linearize: what depends on the derivative of an input is refused") {
  json j = linear({"differentiated", "--input", "u", "--output", "x"});
  equal(j["A"], {{-1}});
  equal(j["B"], {{1}});
  refused({"differentiated", "--input", "u", "--output", "y"}, "SR0590", "`u` cannot be an input");
  refused({"differentiated", "--input", "u", "--output", "w"}, "SR0590", "depend on its derivative");
  // Beside outputs of other sizes and units, and where the derivative itself has no tangent.
  refused({"capacitor", "--input", "u", "--output", "i", "--output", "u"}, "SR0590",
          "depend on its derivative");
  equal(linear({"bend", "--input", "u"})["B"], {{0}, {1}});
}

TEST_CASE("linearize: a small rate is not zero") {
  CHECK(linear({"leakage", "--input", "i"})["derivatives"][0].get<double>() == Approx(5e-10));
}

TEST_CASE("linearize: with the states that the run has chosen") {
  json j = linear({"pendulum"});
  REQUIRE(j["eigenvalues"].size() == 2);
  const double slope = 2.0 * 9.81 * -std::sqrt(1.0 - 0.95 * 0.95);
  CHECK(j["eigenvalues"][0][0].get<double>() == Approx(0.0).margin(1e-6));
  CHECK(j["eigenvalues"][0][1].get<double>() == Approx(std::sqrt(-slope)));
}

TEST_CASE("linearize: a table of comma-separated values, which a model reads") {
  Finished f =
      sigrel({"linearize", kModels, "--format", "csv", "-e", "cascade", "--input", "u", "--output", "xp"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string filter_first = "row,xf,xp,u\nder(xf),-2,0,1\nder(xp),1,-2,0\nxp,0,1,0\n";
  const std::string plant_first = "row,xp,xf,u\nder(xp),-2,1,0\nder(xf),0,-2,1\nxp,1,0,0\n";
  INFO(f.out);
  CHECK((f.out == filter_first || f.out == plant_first));
}

TEST_CASE("linearize: the example of an inverted pendulum has the linear model of its plant") {
  const std::string examples = SIGREL_SOURCE_DIR "/examples/";
  Finished f = sigrel({"linearize", examples + "47_inverted_pendulum.sr", "--format", "csv", "-e", "loose",
                       "--input", "fx", "--input", "fy"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  auto cells = [](std::istream& in) {
    std::vector<std::vector<std::string>> rows;
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      rows.emplace_back();
      for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
    }
    return rows;
  };
  std::istringstream out(f.out);
  std::ifstream file(examples + "data/inverted_pendulum.csv");
  const auto now = cells(out), then = cells(file);
  REQUIRE(now.size() == 9);
  REQUIRE(then.size() == now.size());
  CHECK(then[0] == now[0]);
  for (std::size_t r = 1; r < now.size(); ++r) {
    REQUIRE(then[r].size() == now[r].size());
    CHECK(then[r][0] == now[r][0]);
    for (std::size_t c = 1; c < now[r].size(); ++c)
      CHECK(std::stod(then[r][c]) == Approx(std::stod(now[r][c])).margin(1e-9));
  }
}

// Wright, Smith, Thresher, Wang, Journal of Applied Mechanics 49 (1982): a cantilever that rotates
// with twice the reciprocal of its time constant. In the plane of rotation the square is less by that of the
// speed.
TEST_CASE("linearize: a flexible beam that rotates is stiffer") {
  Finished f = sigrel({"linearize", SIGREL_SOURCE_DIR "/tests/numeric/models/flexible.sr", "--format", "json",
                       "-e", "rotating"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const json j = json::parse(f.out);
  std::vector<double> found;
  for (const json& z : j["eigenvalues"])
    if (z[1].get<double>() > 0) found.push_back(z[1].get<double>());
  std::ranges::sort(found);
  REQUIRE(found.size() == 6);
  std::vector<double> expected;
  for (const double w : {4.1373, 22.6149, 62.2732}) {
    expected.push_back(std::sqrt(w * w - 4));
    expected.push_back(w);
  }
  for (std::size_t k = 0; k < found.size(); ++k) CHECK(found[k] == Approx(expected[k]).epsilon(5e-5));
}

TEST_CASE("linearize: a PID controller (MT-28)") {
  json j = linear({"pid", "--input", "r", "--input", "y", "--output", "u"});
  equal(j["D"], {{4400, -4400}});
  if (j["states"][0] == "xi") {
    equal(j["A"], {{0, 0}, {0, -10}});
    equal(j["B"], {{2, -2}, {10, -10}});
    equal(j["C"], {{400, -4000}});
  } else {
    equal(j["A"], {{-10, 0}, {0, 0}});
    equal(j["B"], {{10, -10}, {2, -2}});
    equal(j["C"], {{-4000, 400}});
  }
}

TEST_CASE("linearize: a limiter inside and outside of its limits (MT-29)") {
  equal(linear({"saturated", "--input", "u", "--output", "y"})["D"], {{1}});
  equal(linear({"saturated", "--input", "u", "--output", "y", "--at", "0.4"})["D"], {{1}});
  equal(linear({"saturated", "--input", "u", "--output", "y", "--at", "2"})["D"], {{0}});
  refused({"saturated", "--input", "v"}, "SR0", "`v`");
  refused({"saturated", "--input", "u", "--output", "w"}, "SR0", "`w`");
}

TEST_CASE("linearize: coupled inertias and a lag (MD-26)") {
  json j = linear({"coupled"});
  std::vector<std::vector<double>> a = j["A"].get<Rows>();
  REQUIRE(a.size() == 3);
  double sum = 0;
  for (const auto& row : a)
    for (double v : row) sum += v;
  CHECK(sum == Approx(1 - 2.5));  // [[0, 1], [0, 0]] and -2.5, states in any order
  for (std::size_t k = 0; k < 3; ++k)
    CHECK(a[k][k] == Approx(j["states"][k] == "x" ? -2.5 : 0).margin(1e-12));
}

TEST_CASE("linearize: eigenvalues, text, mistakes") {
  json j = linear({"pair"});
  CHECK(j["eigenvalues"][0][0].get<double>() == Approx(-0.2));
  CHECK(j["eigenvalues"][0][1].get<double>() == Approx(std::sqrt(4 - 0.04)));
  Finished f = sigrel({"linearize", kModels, "-e", "pair"});
  CHECK(f.out.find("damping ratio 0.1") != std::string::npos);
  refused({"pair", "--input", "force"}, "SR0", "force");
  refused({"root"}, "SR0590", "is not finite");
}

TEST_CASE("linearize, steady: a delay has no tangent, and is not taken as one that stands still") {
  const std::string delays = SIGREL_SOURCE_DIR "/tests/numeric/models/delays.sr";
  for (const char* command : {"linearize", "steady"}) {
    Finished f = sigrel({command, delays, "-e", "steps"});
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(f.err.find("error[SR0514]") != std::string::npos);
    CHECK(f.err.find("der x = -(delay x 1.0)") != std::string::npos);
  }
}

TEST_CASE("linearize: a point that is no equilibrium, and a state that is selected among several") {
  const Finished f = sigrel({"linearize", SIGREL_SOURCE_DIR "/tests/bench/run/windows_in_space.sr"});
  INFO(f.out << f.err);
  CHECK(f.code == 0);
  CHECK(f.out.find("no equilibrium: der(first.hinge.flange.phi) = 1; ") != std::string::npos);
  CHECK(f.out.find("one of (") == std::string::npos);
  const Finished still =
      sigrel({"linearize", SIGREL_SOURCE_DIR "/examples/47_inverted_pendulum.sr", "-e", "loose"});
  INFO(still.out);
  CHECK(still.code == 0);
  CHECK(still.out.find("no equilibrium") == std::string::npos);
}
