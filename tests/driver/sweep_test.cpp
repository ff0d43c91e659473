// Many runs of one model: the same numbers as single runs, whatever the threads; tables that are continued;
// points that fail.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "process.h"

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// x' = -k x from x0; and y with p y = 1, which has no solution for p = 0.
std::string model() {
  return temporary(
      "swept.sr",
      "decay :: Real<1/s> -> Real -> SR ()\n"
      "decay k p = sigrel () where\n  local x, y :: Real\n  der x = -k * x * (1.0 + 0.1 * sin x)\n  p * y = "
      "x\n  initially x = 1.0\n"
      "main = simulate (decay 1.0 1.0) with { stop = 2.0, plot = [\"x\"], steps = 50 }\n"
      "sized :: Int -> SR ()\nsized n = sigrel () where\n  local x :: Real\n  x = real n * time\n");
}

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    rows.emplace_back();
    std::istringstream fields(line + ",");
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

}  // namespace

TEST_CASE("sweep: each row is what a run by itself gives, to the last bit") {
  Finished f = sigrel({"sweep", model(), "--vary", "k=0.5..2:4", "--vary", "p=1,3", "-v", "x", "-v", "y"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const auto rows = table(f.out);
  REQUIRE(rows.size() == 9);
  CHECK(rows[0] == std::vector<std::string>{"k", "p", "x", "min x", "max x", "y", "min y", "max y", "error"});
  CHECK(rows[1][0] == "0.5");
  CHECK(rows[1][1] == "1");
  CHECK(rows[2][1] == "3");  // the last axis changes fastest
  CHECK(rows[3][0] == "1");
  CHECK(rows[8][0] == "2");
  for (std::size_t r : {1u, 4u, 8u}) {
    Finished one =
        sigrel({"run", model(), "--set", "k=" + rows[r][0], "--set", "p=" + rows[r][1], "-o", "-"});
    const auto results = table(one.out);
    REQUIRE(results[0] == std::vector<std::string>{"time", "x", "y"});
    double least = HUGE_VAL, greatest = -HUGE_VAL;
    for (std::size_t k = 1; k < results.size(); ++k) {
      least = std::min(least, std::stod(results[k][2]));
      greatest = std::max(greatest, std::stod(results[k][2]));
    }
    CHECK(std::stod(rows[r][2]) == std::stod(results.back()[1]));
    CHECK(std::stod(rows[r][6]) == least);
    CHECK(std::stod(rows[r][7]) == greatest);
  }
  Finished logarithmic = sigrel({"sweep", model(), "--vary", "k=0.01..100:log:5", "--stop", "0"});
  const auto grid = table(logarithmic.out);
  REQUIRE(grid.size() == 6);
  CHECK(std::stod(grid[3][0]) == Approx(1));
  CHECK(grid[5][0] == "100");
}

// An axis of length 1 is one of a rotation, where accelerations of rotations are three numbers; others are
// not.
TEST_CASE("sweep: a matrix that is a rotation for some parameters only") {
  const std::string file = temporary(
      "own_hinge.sr",
      "import Spatial\n"
      "own :: (e :: Real<1>^3) -> SR (a :: Frame, b :: Frame)\n"
      "own e = sigrel (a, b) where\n  local phi :: Angle\n  local w :: AngularVelocity\n  w = der phi\n  b.r "
      "= a.r\n"
      "  b.rot = a.rot * turn e phi\n  a.f + b.f = [0.0, 0.0, 0.0]\n  a.t + b.t = [0.0, 0.0, 0.0]\n"
      "  dot (a.rot * e) b.t = 0.0\n"
      "main = simulate (sigrel () where\n  fixed [0.0, 0.0, 0.0] <> z\n  j: own [0.6, 0.8, 0.0] <> (z, a)\n"
      "  rod [0.5, 0.1, 0.2] <> (a, c)\n  body earth 1.0 (diagonal [0.3, 0.4, 0.5]) <> c\n"
      "  initially\n    j.phi = 0.2\n    j.w = 1.0) with { stop = 0.5, tolerance = 1.0e-9 }\n");
  Finished f = sigrel({"sweep", file, "--vary", "j.e[1]=0.6,0.9", "-v", "j.phi"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const auto rows = table(f.out);
  REQUIRE(rows.size() == 3);
  Finished run = sigrel({"run", file, "--set", "j.e[1]=0.9", "-v", "j.phi", "-o", "-"});
  REQUIRE(run.code == 0);
  CHECK(std::stod(rows[2][1]) == Approx(std::stod(table(run.out).back()[1])).epsilon(1e-7));
  CHECK(std::stod(rows[2][1]) == Approx(1.4835286).epsilon(1e-6));
}

// Both halves turn about one axis while p is negative, and then the model was compiled.
TEST_CASE("sweep: a joint about one axis for some parameters only") {
  const std::string file = temporary(
      "halves.sr",
      "import Spatial\n"
      "halves :: (p :: Real<1>) -> SR (a :: Frame, b :: Frame)\n"
      "halves p = sigrel (a, b) where\n  local phi :: Angle\n  local w :: AngularVelocity\n"
      "  let v = [1.0, max 0.0 p, 0.0]\n      f = (1.0 / norm v) * v\n      x = turn [1.0, 0.0, 0.0] phi\n"
      "  w = der phi\n  b.r = a.r\n  b.rot = a.rot * (x * turn f phi)\n  a.f + b.f = [0.0, 0.0, 0.0]\n"
      "  a.t + b.t = [0.0, 0.0, 0.0]\n  dot (a.rot * ([1.0, 0.0, 0.0] + x * f)) b.t = 0.0\n"
      "model :: (p :: Real<1>) -> SR ()\n"
      "model p = sigrel () where\n  fixed [0.0, 0.0, 0.0] <> z\n  j: halves p <> (z, s)\n"
      "  rod [0.5, 0.2, -0.3] <> (s, u)\n  body earth 1.0 (diagonal [0.2, 0.3, 0.4]) <> u\n"
      "  initially\n    j.phi = 0.3\n    j.w = 2.0\n"
      "main = simulate (model (-1.0)) with { stop = 1.0, tolerance = 1.0e-9 }\n");
  Finished f = sigrel({"sweep", file, "--vary", "p=-1,1", "-v", "j.phi"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const auto rows = table(f.out);
  REQUIRE(rows.size() == 3);
  CHECK(std::stod(rows[1][1]) == Approx(-0.2544572).epsilon(1e-6));
  CHECK(std::stod(rows[2][1]) == Approx(-0.0456103).epsilon(1e-5));
}

// Each point starts in the assembly that its guesses mean, whatever the first point was.
TEST_CASE("sweep: the loops of a mechanism close as in a run of each point") {
  const std::string file = temporary(
      "four_bar.sr",
      "import Spatial\n"
      "model :: (ph :: Angle) -> (l :: Length) -> SR ()\n"
      "model ph l = sigrel () where\n  fixed [0.0, 0.0, 0.0] <> z\n"
      "  one: revolute [0.0, 1.0, 0.0] <> (z, a)\n  rod [1.0, 0.0, 0.0] <> (a, b)\n"
      "  two: revolute [0.0, 1.0, 0.0] <> (b, c)\n  rod [2.0, 0.0, 0.0] <> (c, d)\n"
      "  fixed [l, 0.0, 0.0] <> y\n  four: revolute [0.0, 1.0, 0.0] <> (y, f)\n"
      "  rod [1.5, 0.0, 0.0] <> (f, g)\n  body earth 1.0 (diagonal [0.2, 0.3, 0.4]) <> b\n"
      "  body earth 1.0 (diagonal [0.2, 0.3, 0.4]) <> g\n  three: revolute [0.0, 1.0, 0.0] <> (g, d)\n"
      "  guess four.phi = -1.7\n  initially\n    one.phi = ph\n    one.w = 1.0\n"
      "main = simulate (model 0.5 2.5) with { stop = 0.1, tolerance = 1.0e-8 }\n");
  auto run = [&](const std::string& set) {
    Finished f = sigrel({"run", file, "--set", set, "-v", "four.phi", "-o", "-"});
    REQUIRE(f.code == 0);
    return std::stod(table(f.out).back()[1]);
  };
  Finished f = sigrel({"sweep", file, "--vary", "ph=0.5,1,3,6", "-v", "four.phi"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const auto rows = table(f.out);
  REQUIRE(rows.size() == 5);
  const std::vector<double> by_runs = {run("ph=0.5"), run("ph=1"), run("ph=3"), run("ph=6")};
  CHECK(by_runs[2] == Approx(-3.1266567).epsilon(1e-6));
  for (std::size_t k = 0; k < by_runs.size(); ++k)
    CHECK(std::stod(rows[k + 1][1]) == Approx(by_runs[k]).epsilon(1e-7));
  // A point that cannot be assembled is told with its row, also if it is the first one.
  for (const std::string values : {"l=30,2.5,2.0", "l=2.5,30,2.0"}) {
    Finished open = sigrel({"sweep", file, "--vary", values, "-v", "four.phi"});
    INFO(open.err << open.out);
    CHECK(contains(open.out, "SR0414"));
    CHECK(contains(open.out, std::to_string(run("l=2")).substr(0, 7)));
  }
}

TEST_CASE("sweep: threads change nothing, and a table is continued where it ends") {
  const std::string one = temporary("sweep_one.csv"), four = temporary("four.csv"),
                    svg = temporary("family.svg");
  const std::vector<std::string> common = {"sweep", model(), "--vary", "k=0.1..3:300", "--plot", svg};
  auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = common;
    all.insert(all.end(), more.begin(), more.end());
    return sigrel(all);
  };
  REQUIRE(with({"-o", one, "--threads", "1"}).code == 0);
  const std::string picture = read(svg);
  CHECK(contains(picture, ">k = 0.1<"));
  CHECK(contains(picture, ">k = 3<"));
  REQUIRE(with({"-o", four, "--threads", "4"}).code == 0);
  const std::string whole = read(one);
  CHECK(std::count(whole.begin(), whole.end(), '\n') == 301);
  CHECK(whole == read(four));
  CHECK(read(svg) == picture);

  Finished refused = with({"-o", one});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "error[SR0615]"));
  CHECK(contains(refused.err, "continue it with `--resume`"));
  CHECK(read(one) == whole);
  temporary("sweep_one.csv", whole.substr(0, whole.size() / 2));  // in the middle of a row
  REQUIRE(with({"-o", one, "--resume"}).code == 0);
  CHECK(read(one) == whole);
  CHECK(read(svg) == picture);
  REQUIRE(with({"-o", one, "--resume"}).code == 0);  // nothing is left to do
  CHECK(read(one) == whole);

  Finished other = sigrel({"sweep", model(), "--vary", "k=0.1..4:300", "-o", one, "--resume"});
  CHECK(other.code == 1);
  CHECK(contains(other.err, "error[SR0616]"));
  CHECK(contains(other.err, "line 3 has other parameters"));
  CHECK(contains(sigrel({"sweep", model(), "--vary", "p=1..4:300", "-o", one, "--resume"}).err,
                 "names other parameters or outputs"));
  CHECK(contains(sigrel({"sweep", model(), "--vary", "k=0.1..3:300", "-v", "y", "-o", one, "--resume"}).err,
                 "SR0616"));
  CHECK(read(one) == whole);
}

TEST_CASE("sweep: a table is continued with its own model and settings only") {
  const std::string table = temporary("own.csv"), file = temporary("own.sr", read(model()));
  const std::vector<std::string> sweep = {"sweep", file, "--vary", "k=1..4:4", "-o", table};
  REQUIRE(sigrel(sweep).code == 0);
  const std::string whole = read(table);
  CHECK(whole.starts_with("k,x,min x,max x,error,fingerprint\n1,"));
  auto cut = [&] { temporary("own.csv", whole.substr(0, whole.size() / 2)); };
  auto resumed = [&](std::vector<std::string> more) {
    cut();
    std::vector<std::string> all = sweep;
    all.emplace_back("--resume");
    all.insert(all.end(), more.begin(), more.end());
    return sigrel(all);
  };
  for (std::vector<std::string> other : {std::vector<std::string>{"--set", "p=2"},
                                         {"--stop", "3"},
                                         {"--tolerance", "1e-3"},
                                         {"--solver", "ida"},
                                         {"--start", "1"},
                                         {"--max-step", "0.1"},
                                         {"--steps", "3"},
                                         {"--strict-initial"}}) {
    const Finished f = resumed(other);
    INFO(other[0] << "\n" << f.err);
    CHECK(f.code == 1);
    CHECK(contains(f.err, "error[SR0616]"));
    CHECK(contains(f.err, "line 2 is of a run with other settings"));
    CHECK(read(table) == whole.substr(0, whole.size() / 2));
  }
  CHECK(resumed({"--threads", "3"}).code == 0);
  CHECK(read(table) == whole);
  temporary("own.sr", read(model()) + "-- another version\n");
  CHECK(contains(resumed({}).err, "line 2 is of another model, or of another version of it"));
  temporary("own.sr", read(model()));
  CHECK(resumed({}).code == 0);
  CHECK(read(table) == whole);
  temporary("own.csv", whole.substr(0, 7));  // ended before the header was complete
  REQUIRE(sigrel({"sweep", file, "--vary", "k=1..4:4", "-o", table, "--resume"}).code == 0);
  CHECK(read(table) == whole);
}

TEST_CASE("sweep: a point that fails is a row, not the end") {
  Finished f = sigrel({"sweep", model(), "--vary", "p=-1..1:3", "-v", "y"});
  INFO(f.err + f.out);
  CHECK(f.code == 0);
  const auto rows = table(f.out);
  REQUIRE(rows.size() == 4);
  CHECK(rows[1][1] == "-" + rows[3][1]);
  CHECK(rows[2][1].empty());
  CHECK(rows[2][4].starts_with("SR0"));
  CHECK(contains(f.err, "warning[SR0617]: 1 of 3 points failed"));
  CHECK(contains(f.err, "the first: p = 0: SR0"));
  Finished none = sigrel({"sweep", model(), "--vary", "p=0,0", "-v", "y"});
  CHECK(none.code == 1);
  CHECK(table(none.out).size() == 3);
  CHECK(contains(none.err, "warning[SR0617]: 2 of 2 points failed"));
}

TEST_CASE("sweep: mistakes") {
  Finished unknown = sigrel({"sweep", model(), "--vary", "kk=1..2:3"});
  CHECK(unknown.code == 1);
  CHECK(contains(unknown.err, "error[SR0601]: no parameter is named `kk`"));
  CHECK(contains(unknown.err, "did you mean `k`?"));
  Finished structural = sigrel({"sweep", model(), "-e", "sized 3", "--vary", "n=1,2"});
  CHECK(structural.code == 1);
  CHECK(contains(structural.err, "error[SR0601]: `n` is a structural parameter: a sweep cannot vary it"));
  CHECK(contains(sigrel({"sweep", model(), "--vary", "k=1,2", "-v", "xx"}).err, "SR0610"));
  for (const char* text :
       {"k", "k=", "k=1..2", "k=1..2:0", "k=1..2:2.5", "k=0..2:log:3", "k=a,b", "=1,2", "k=1..x:3"})
    CHECK(sigrel({"sweep", model(), "--vary", text}).code == 2);
  CHECK(sigrel({"sweep", model(), "--vary", "k=1,2", "--resume"}).code == 2);
  Finished full = sigrel({"sweep", model(), "--vary", "k=1..2:3", "-o", "/dev/full"});
  CHECK(full.code == 1);
  CHECK(contains(full.err, "error[SR0611]"));
}

TEST_CASE("sweep: interrupted, it keeps its rows") {
  const std::string out = temporary("interrupted.csv");
  Finished f = sigrel({"sweep", model(), "--vary", "k=0.1..3:100000", "--steps", "20000", "-o", out}, out);
  INFO(f.err);
  CHECK(f.code == 130);
  CHECK(contains(f.err, "of 100000 points are in " + out));
  const std::string rows = read(out);
  CHECK(rows.ends_with("\n"));
  CHECK(contains(f.err,
                 "interrupted: " + std::to_string(std::count(rows.begin(), rows.end(), '\n') - 1) + " of"));
}

TEST_CASE("new: a folder or a file with a model that runs; nothing is overwritten") {
  const std::string folder = temporary("dc-motor"), file = temporary("my_model.sr");
  Finished made = sigrel({"new", folder});
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(contains(made.out, "sigrel run " + folder + "/DcMotor.sr"));
  const std::string source = read(folder + "/DcMotor.sr");
  CHECK(contains(source, "module DcMotor where"));
  CHECK(contains(read(folder + "/README.md"), "sigrel run DcMotor.sr"));
  REQUIRE(sigrel({"fmt", "--check", folder + "/DcMotor.sr"}).code == 0);
  Finished run = sigrel({"run", folder + "/DcMotor.sr"});
  CHECK(run.code == 0);
  CHECK(run.err.empty());
  // u(t) = 10 (1 - exp(-t / rc)) at t = 5 rc.
  CHECK(std::stod(run.out.substr(run.out.find("c1.u") + 11)) ==
        Approx(10 * (1 - std::exp(-5.0))).epsilon(1e-5));
  temporary("dc-motor/DcMotor.sr", "mine");
  for (const std::string& there : {folder, folder + "/", folder + "/DcMotor.sr"}) {
    Finished again = sigrel({"new", there});
    CHECK(again.code == 1);
    CHECK(contains(again.err, "error[SR0615]"));
  }
  CHECK(read(folder + "/DcMotor.sr") == "mine");
  REQUIRE(sigrel({"new", file}).code == 0);
  CHECK(!contains(read(file), "module"));  // one that could not be imported from this file
  CHECK(sigrel({"run", file}).code == 0);
  CHECK(sigrel({"fmt", "--check", file}).code == 0);
  CHECK(sigrel({"new", temporary("3d")}).code == 2);
  CHECK(sigrel({"new", "/proc/nothing"}).code == 1);
}

TEST_CASE("new: a module can be imported from its file, and commands quote its path") {
  const std::string folder = temporary("two words"), module = temporary("two words/Tank.sr");
  Finished made = sigrel({"new", folder});
  INFO(made.err);
  REQUIRE(made.code == 0);
  CHECK(contains(made.out, "  sigrel run '" + folder + "/TwoWords.sr'\n"));
  REQUIRE(sigrel({"new", module}).code == 0);
  CHECK(contains(read(module), "module Tank where"));
  const std::string user =
      temporary("two words/user.sr", "import Tank as T\nimport TwoWords\nmain = T.main\n");
  Finished run = sigrel({"run", user, "--stop", "0.1"});
  INFO(run.err);
  CHECK(run.code == 0);
}

TEST_CASE("list: modules, and what one offers") {
  Finished all = sigrel({"list"});
  CHECK(all.code == 0);
  for (const char* module : {"Electrical", "Rotational", "Prelude"}) CHECK(contains(all.out, module));
  Finished one = sigrel({"list", "Electrical"});
  INFO(one.out);
  CHECK(one.code == 0);
  CHECK(contains(one.out, "\nrelations\n"));
  CHECK(contains(one.out, "  resistor :: (r :: Resistance) -> SR (p :: Pin, n :: Pin)\n      {"));
  CHECK(contains(one.out, "\ntypes\n"));
  CHECK(contains(one.out, "  Pin = { v :: Voltage, flow i :: Current }"));
  CHECK(contains(
      one.out,
      "  gyrator :: (g :: Conductance) -> SR (p1 :: Pin, n1 :: Pin, p2 :: Pin, n2 :: Pin)\n      {p1.v n1.v "
      "p2.i; "
      "p1.i n1.i; p1.i p2.v n2.v; p2.i n2.i}\n"
      "      A gyrator: each current is `g` times the voltage of the other side.\n"));  // and not a line of
                                                                                        // its picture
  Finished math = sigrel({"list", "Math"});
  CHECK(contains(math.out, "  wrap :: (period :: Real<u>) -> (x :: Real<u>) -> Real<u>\n"));
  CHECK(contains(math.out, "  log2 :: (x :: Real<1>) -> Real<1>\n      The logarithm"));
  CHECK(
      sigrel({"list", "Math", "clamp"})
          .out.starts_with("clamp :: (low :: Real<u>) -> (high :: Real<u>) -> (x :: Real<u>) -> Real<u>\n"));
  Finished name = sigrel({"list", "Electrical", "capacitor"});
  INFO(name.out);
  CHECK(name.code == 0);
  CHECK(name.out.starts_with(
      "capacitor :: (c :: Capacitance) -> SR (p :: Pin, n :: Pin)\nunits: Capacitance [F]; Pin: v [V], i "
      "[A]\n"
      "structural type: {p.v p.i n.v; p.i n.i}\n\nA linear capacitor: `c der u = i`.\n\n```\np --| |-- n\n   "
      "  "
      "c\n```\n\n```sigrel\nimport Electrical\n"));
  Finished unknown = sigrel({"list", "Electrical", "capacitator"});
  CHECK(unknown.code == 1);
  CHECK(contains(unknown.err, "error[SR0105]: `capacitator` is not defined in Electrical"));
  CHECK(contains(unknown.err, "did you mean `capacitor`?"));
  Finished file = sigrel({"list", model()});
  CHECK(file.code == 0);
  CHECK(contains(file.out, "  decay :: Real<1/s> -> Real -> SR ()"));
  Finished wrong = sigrel({"list", "Electricl"});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, "error[SR0003]: there is no module `Electricl`"));
  CHECK(contains(wrong.err, "did you mean `Electrical`?"));
}

TEST_CASE("sweep: models whose structure changes, as runs do") {
  // The part `r` is there in two of the modes only.
  const std::string model =
      temporary("switching.sr",
                "ramp :: Real<1/s> -> SR (x :: Real)\n"
                "ramp k = sigrel (x) where\n  der x = k\n"
                "model :: SR ()\n"
                "model = sigrel () where\n  local x :: Real\n"
                "  switch A where\n"
                "    mode A where\n      r: ramp 1.0 <> x\n      until time > 1.0 -> B\n"
                "    mode B where\n      r: ramp 3.0 <> x\n      until time > 2.0 -> C\n"
                "    mode C where\n      ramp 10.0 <> x\n"
                "  initially x = 0.0\n"
                "main = simulate model with { stop = 3.0, steps = 3 }\n");
  const Finished swept = sigrel({"sweep", model, "--vary", "r.k=1..3:3", "-v", "x"});
  INFO(swept.err);
  REQUIRE(swept.code == 0);
  const auto rows = table(swept.out);
  REQUIRE(rows.size() == 4);
  for (std::size_t r = 1; r < rows.size(); ++r) {
    const auto results = table(sigrel({"run", model, "--set", "r.k=" + rows[r][0], "-o", "-"}).out);
    CHECK(rows[r][1] == results.back()[1]);
    CHECK(std::abs(std::stod(rows[r][1]) - (2 * std::stod(rows[r][0]) + 10)) < 1e-6);
  }
}
