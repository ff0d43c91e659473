// Files of results, as a user of the program sees them: MATLAB beside CSV, read back by the program and by
// Octave.
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "process.h"

namespace {

const std::string kLowPass = SIGREL_SOURCE_DIR "/examples/01_low_pass.sr";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("derivatives of states are found by pattern; states without a name are recorded") {
  const std::string model =
      temporary("oscillator.sr",
                "m :: SR ()\nm = sigrel () where\n  local x :: Real\n  der (der x) = -x\n"
                "  initially\n    x = 1.0\n    der x = 0.0\n"
                "main = simulate m with { stop = 1.0 }\n");
  const std::string csv = temporary("oscillator.csv");
  REQUIRE(sigrel({"run", model, "-o", csv}).code == 0);
  CHECK(read(csv).starts_with("time,x,der(x)\n"));
  CHECK(sigrel({"linearize", model, "--init-from", csv}).code == 0);
  CHECK(sigrel({"run", model, "-v", "der*", "-o", "-"}).out.starts_with("time,der(x),der(der(x))\n"));
  const Finished steady = sigrel({"steady", model, "--format", "csv"});
  REQUIRE(steady.code == 0);
  CHECK(sigrel({"run", model, "--init-from", temporary("steady.csv", steady.out)}).code == 0);
}

TEST_CASE("MATLAB results start another run like CSV does") {
  const std::string mat = temporary("low_pass.mat"), csv = temporary("low_pass.csv");
  REQUIRE(sigrel({"run", kLowPass, "-o", mat}).code == 0);
  REQUIRE(sigrel({"run", kLowPass, "-o", csv}).code == 0);
  for (const char* at : {"", "@0.05", "@0.0123"}) {
    Finished a = sigrel({"run", kLowPass, "--init-from", mat + at, "-o", "-"});
    Finished b = sigrel({"run", kLowPass, "--init-from", csv + at, "-o", "-"});
    REQUIRE(a.code == 0);
    CHECK(a.out == b.out);  // to the last bit
  }
  Finished outside = sigrel({"run", kLowPass, "--init-from", mat + "@5"});
  CHECK(outside.code == 1);
  CHECK(contains(outside.err, "has no results at t = 5 s"));
  Finished cut = sigrel({"run", kLowPass, "--init-from", temporary("cut.mat", read(mat).substr(0, 300))});
  CHECK(cut.code == 1);
  CHECK(contains(cut.err, "SR0409"));
  CHECK(contains(cut.err, "may have been cut off"));
}

TEST_CASE("a large model without states shows its first variables") {
  const std::string model = temporary("many.sr", R"(many :: SR ()
many = sigrel () where
  local x :: Real^2000
  for i in 1 .. 2000 do
    x[i] = real i + time
main = simulate many with { stop = 1.0, steps = 2 }
)");
  Finished run = sigrel({"run", model, "--no-plot"});
  REQUIRE(run.code == 0);
  CHECK(contains(run.out, "x[1] = 2\n"));
  CHECK(contains(run.out, "x[6] = 7\n"));
  Finished written = sigrel({"run", model, "-o", "-"});
  CHECK(contains(written.out, "x[1000]"));
  CHECK(!contains(written.out, "x[1001]"));
}

TEST_CASE("an interrupted run leaves a MATLAB file that can be read") {
  const std::string model =
      temporary("long.sr",
                "decay = sigrel () where\n  local x :: Real\n  der x = -x + sin time\n  initially x = 1.0\n"
                "main = simulate decay with { stop = 1.0e6, steps = 2000000000 }\n");
  const std::string mat = temporary("long.mat");
  Finished f = sigrel({"run", model, "-o", mat}, mat);
  INFO(f.err);
  CHECK(f.code == 130);
  CHECK(contains(f.err, "are kept in " + mat));
  CHECK(sigrel({"run", model, "--init-from", mat, "--stop", "1", "--steps", "10"}).code == 0);
}

TEST_CASE("Octave reads what the program writes") {
  if (std::system("command -v octave-cli >/dev/null 2>&1") != 0) {
    WARN("there is no octave-cli here");
    return;
  }
  const std::string mat = temporary("octave.mat"), text = temporary("octave.txt");
  Finished f = sigrel({"run", kLowPass, "-o", mat, "--set", "r1.r=47"});
  REQUIRE(f.code == 0);
  const std::string script = "d=load('" + mat +
                             "');n=cellstr(d.name');k=find(strcmp(n,'c1.u'));i=d.dataInfo(:,k);"
                             "p=d.dataInfo(:,find(strcmp(n,'r1.r')));f=fopen('" +
                             text +
                             "','w');"
                             "fprintf(f,'%.17g %.17g %d "
                             "%s',sign(double(i(2)))*d.data_2(abs(i(2)),end),d.data_1(p(2),2),columns(d.data_"
                             "2),d.Aclass(4,:));fclose(f);";
  std::system(("octave-cli --no-init-file --eval \"" + script + "\" >/dev/null 2>&1").c_str());
  std::istringstream in(read(text));
  double u = 0, r = 0;
  int rows = 0;
  std::string form;
  in >> u >> r >> rows >> form;
  CHECK(u == Approx(std::stod(f.out.substr(f.out.find("c1.u") + 11))).epsilon(1e-9));
  CHECK(r == 47);
  CHECK(rows == 501);
  CHECK(form == "binTrans");
}

TEST_CASE("Octave reads the units of variables, where Dymola writes them") {
  if (std::system("command -v octave-cli >/dev/null 2>&1") != 0) {
    WARN("there is no octave-cli here");
    return;
  }
  const std::string mat = temporary("units.mat"), text = temporary("units.txt");
  const std::string model = temporary("units.sr", R"(import Electrical
import Rotational

drive :: SR ()
drive = sigrel () where
  local position :: Real<m>^2
  local ratio :: Real<1>
  local on :: Bool
  constantVoltage 10.0 <> (p, g)
  c: capacitor 0.5 <> (q, g)
  resistor 2.0 <> (p, q)
  ground <> g
  i: inertia 1.0 <> (a, b)
  free <> a
  torque 1.0 <> b
  position = vector [1.0<m>, 2.0<m> + 1.0<m/s> * time]
  ratio = position[2] / position[1]
  on = ratio > 2.5
  initially
    c.u = 0.0
    b.phi = 0.0
    i.w = 0.0
main = drive
)");
  Finished f = sigrel({"run", model, "-o", mat, "--no-plot"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string script = "d=load('" + mat + "');n=cellstr(d.name');t=cellstr(d.description');f=fopen('" +
                             text +
                             "','w');"
                             "for k=1:numel(n) fprintf(f,'%s %s;',n{k},t{k}); end; fclose(f);";
  std::system(("octave-cli --no-init-file --eval \"" + script + "\" >/dev/null 2>&1").c_str());
  const std::string all = ";" + read(text);
  INFO(all);
  for (const char* entry :
       {";time [s];", ";q.v [V];", ";c.p.i [A];", ";c.u [V];", ";position[2] [m];", ";ratio [1];",
        ";g.v [V];", ";c.n.v [V];", ";i.a.tau [N*m];", ";i.w [rad/s];", ";on Bool;", ";b.phi [rad];"})
    CHECK(contains(all, entry));
}

namespace {

/// Two runs of x' = -k x from 1, with a counter; the second starts 1 % higher and has another variable.
struct TwoRuns {
  std::string a = temporary("a.csv"), b = temporary("b.mat");
  TwoRuns() {
    const std::string model = temporary(
        "two.sr",
        "decay x0 = sigrel () where\n  local x, y :: Real\n  local n :: Int\n  der x = -x\n  y = 2.0 * x\n"
        "  n = if time < 0.25 then 0 else 1\n  initially x = x0\n"
        "main = simulate (decay 1.0) with { stop = 1.0, tolerance = 1.0e-10, steps = 100 }\n");
    REQUIRE(sigrel({"run", model, "-o", a}).code == 0);
    REQUIRE(sigrel({"run", model, "--set", "x0=1.01", "-o", b}).code == 0);
  }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("plot: runs, panes, patterns, and steps of what is piecewise constant") {
  const TwoRuns runs;
  const std::string svg = temporary("plot.svg"), png = temporary("plot.png");
  Finished f = sigrel({"plot", runs.a, runs.b, "-v", "x,y", "-v", "n", "-o", svg, "--title", "Two <runs>"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  const std::string text = read(svg);
  CHECK(contains(text, "Two &lt;runs&gt;"));
  for (const char* label : {">x (a)<", ">x (b)<", ">y (a)<", ">y (b)<", ">n (a)<", ">n (b)<"})
    CHECK(contains(text, label));
  CHECK(count(text, ">time<") == 2);
  // A step: two points at the same place along the time.
  const std::size_t n = text.rfind(" d=\"M", text.rfind("h24\"", text.find(">n (a)<")) - 20);
  const std::string path = text.substr(n, 20000);
  std::istringstream in(path.substr(5, path.find('"', 5) - 5));
  std::string point;
  double x = -1, y = -1, jumps = 0;
  while (std::getline(in, point, 'L')) {
    const double px = std::stod(point), py = std::stod(point.substr(point.find(' ')));
    if (px == x && py != y) ++jumps;
    if (x >= 0 && py != y) CHECK(px == x);
    x = px, y = py;
  }
  CHECK(jumps == 1);

  Finished terminal = sigrel({"plot", runs.a, "-v", "*"});
  CHECK(terminal.code == 0);
  CHECK(contains(terminal.out, "── x   ── y   ── n"));

  Finished picture = sigrel({"plot", runs.a, "-v", "x", "-o", png, "--width", "400", "--height", "300"});
  if (contains(picture.err, "librsvg is not installed")) {
    CHECK(contains(picture.err, "librsvg2-2"));
    WARN("librsvg is not installed here");
  } else {
    REQUIRE(picture.code == 0);
    const std::string bytes = read(png);
    REQUIRE(bytes.size() > 1000);
    CHECK(bytes.substr(1, 3) == "PNG");
    auto number = [&](std::size_t at) {
      return (unsigned(static_cast<unsigned char>(bytes[at + 2])) << 8) |
             static_cast<unsigned char>(bytes[at + 3]);
    };
    CHECK(number(16) == 800);  // two dots for each unit
    CHECK(number(20) == 600);
  }
}

TEST_CASE("run: a plot is SVG or PNG by the name of its file") {
  const std::string model = temporary("line.sr",
                                      "main = sigrel () where\n"
                                      "  local x :: Real\n"
                                      "  der x = 1.0\n"
                                      "  initially x = 0.0\n");
  const std::string svg = temporary("line.svg"), png = temporary("line.png");
  REQUIRE(sigrel({"run", model, "--plot", svg}).code == 0);
  CHECK(contains(read(svg), "<svg"));
  const Finished picture = sigrel({"run", model, "--plot", png});
  if (contains(picture.err, "librsvg is not installed")) {
    CHECK(picture.code == 1);
    CHECK(contains(picture.err, "librsvg2-2"));
  } else {
    REQUIRE(picture.code == 0);
    CHECK(read(png).substr(1, 3) == "PNG");
  }
  const Finished other = sigrel({"run", model, "--plot", temporary("line.jpg")});
  CHECK(other.code == 2);
  CHECK(contains(other.err, "must end in .svg or .png"));
}

TEST_CASE("plot: mistakes") {
  const TwoRuns runs;
  Finished name = sigrel({"plot", runs.a, runs.b, "-v", "x,yy"});
  CHECK(name.code == 1);
  CHECK(contains(name.err, "error[SR0610]: no variable is named `yy` in `" + runs.a));
  CHECK(contains(name.err, "did you mean `y`?"));
  Finished pattern = sigrel({"plot", runs.a, "-v", "q*"});
  CHECK(contains(pattern.err, "no variable matches `q*`"));
  CHECK(contains(pattern.err, "available: `x`, `y`, `n`"));
  Finished none = sigrel({"plot", temporary("nowhere.csv"), "-v", "x"});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "error[SR0613]"));
  CHECK(contains(none.err, "cannot be read"));
  Finished broken = sigrel({"plot", temporary("broken.csv", "time,x\n0,1\n1,a\n"), "-v", "x"});
  CHECK(contains(broken.err, "has no number in line 3, column 2"));
  CHECK(contains(sigrel({"plot", temporary("empty.csv", "time,x\n"), "-v", "x"}).err, "has no rows"));
  CHECK(sigrel({"plot", runs.a, "-v", "x", "-o", temporary("plot.pdf")}).code == 2);
  Finished folder = sigrel({"plot", runs.a, "-v", "x", "-o", temporary("no/such.svg")});
  CHECK(folder.code == 1);
  CHECK(contains(folder.err, "SR0611"));
}

TEST_CASE("diff: a tube, what leaves it first and by how much, and what is missing") {
  const TwoRuns runs;
  CHECK(sigrel({"diff", runs.a, runs.a}).code == 0);
  Finished f = sigrel({"diff", runs.a, runs.b, "--relative", "0", "--absolute", "0.005"});
  INFO(f.out);
  CHECK(f.code == 1);
  CHECK(contains(f.out, "2 of 3 variables differ"));
  // The difference is 0.01 exp(-t) at first: 0.005 outside, at t = 0.
  CHECK(contains(
      f.out,
      "x  leaves the tube at t = 0 s: 1.01 is not in 0.995 … 1.005; largest deviation 0.005 at t = 0 s"));
  CHECK(sigrel({"diff", runs.a, runs.b, "--relative", "0.011"}).code == 0);
  CHECK(sigrel({"diff", runs.a, runs.b, "-v", "n"}).code == 0);
  CHECK(sigrel({"diff", runs.a, runs.b, "-v", "nn"}).code == 1);
  Finished missing =
      sigrel({"diff", runs.a, temporary("part.csv", "time,x,extra\n0,1,1\n1,0.36787944117144233,1\n")});
  CHECK(missing.code == 1);
  CHECK(contains(missing.out, "0 of 1 variables differ"));
  CHECK(contains(missing.out, "part.csv`: y, n"));
  CHECK(contains(missing.out, "part.csv`: extra"));
  Finished shorter = sigrel({"diff", runs.a, temporary("short.csv", "time,x,y,n\n0,1,2,0\n"), "-v", "x"});
  CHECK(shorter.code == 1);
  CHECK(contains(shorter.out, "t = 0 … 1 s"));
  CHECK(sigrel({"diff", runs.a, runs.b, "--relative", "-1"}).code == 2);
}

TEST_CASE("diff: the same numbers in other units differ") {
  const std::string volts = temporary("volts.csv", "time,u [V],s [m]\n0,1,2\n1,1,2\n"),
                    millivolts = temporary("millivolts.csv", "time,u [mV],s [m]\n0,1,2\n1,1,2\n"),
                    numbers = temporary("numbers.csv", "time,u,s\n0,1,2\n1,1,2\n");
  const Finished f = sigrel({"diff", volts, millivolts});
  CHECK(f.code == 1);
  CHECK(contains(f.out, "1 of 2 variables differ"));
  CHECK(contains(f.out, "u (V and mV)"));
  CHECK(sigrel({"diff", volts, numbers}).code == 0);
}

TEST_CASE("run -v: what is named is computed, written and shown, and nothing else") {
  const std::string csv = temporary("chosen.csv");
  Finished f = sigrel({"run", kLowPass, "-v", "c1.u,r1.*", "-v", "c1.p.v", "-o", csv, "--no-plot"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  CHECK(read(csv).starts_with("time,c1.u,r1."));
  CHECK(read(csv).size() > 1000);
  CHECK(contains(f.out, "c1.p.v"));
  CHECK(contains(f.out, "r1.u"));
  CHECK(!contains(f.out, "source"));
  CHECK(!contains(f.out, "more"));
  f = sigrel({"run", kLowPass, "-v", "c1.w"});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "no variable is named `c1.w`"));
}

TEST_CASE("the name of a vector stands for its elements: run -v, plot, linearize") {
  const std::string model = temporary("vector.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local v :: Real^3\n"
                                      "  local a :: Real^(2,2)\n  local vx :: Real\n  der v = -v\n"
                                      "  a = [[time, 1.0], [2.0, 3.0]]\n  vx = 7.0\n"
                                      "  initially v = [1.0, 2.0, 3.0]\n"
                                      "main = simulate m with { stop = 0.0 }\n");
  const std::string csv = temporary("vector.csv");
  const Finished f = sigrel({"run", model, "-v", "v,a,der(v)", "-o", csv});
  CHECK(f.code == 0);
  CHECK(
      read(csv).starts_with("time,v[1],v[2],v[3],\"a[1,1]\",\"a[1,2]\",\"a[2,1]\",\"a[2,2]\","
                            "der(v[1]),der(v[2]),der(v[3])\n"));
  const Finished plot = sigrel({"plot", csv, "-v", "v"});
  CHECK(plot.code == 0);
  CHECK(plot.out.find("v[3]") != std::string::npos);
  CHECK(plot.out.find("vx") == std::string::npos);
  const Finished linear = sigrel({"linearize", model, "--output", "v"});
  CHECK(linear.code == 0);
  CHECK(linear.out.find("v[2]") != std::string::npos);
  CHECK(sigrel({"run", model, "-v", "w"}).err.find("error[SR0610]: no variable is named `w`") !=
        std::string::npos);
}

TEST_CASE("run --assert-bounds ends the run where a bound does not hold, and keeps the results") {
  const std::string model =
      temporary("tank.sr",
                "m = sigrel () where\n  local h with { min = 0.0 }\n  initially h = 1.0\n"
                "  der h = -0.5\nmain = simulate m with { stop = 3.0 }\n");
  const std::string csv = temporary("tank.csv");
  const Finished warned = sigrel({"run", model});
  CHECK(warned.code == 0);
  CHECK(warned.err.find("warning[SR0618]") != std::string::npos);
  const Finished f = sigrel({"run", model, "--assert-bounds", "-o", csv});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0510]: `h` is below its `min` 0 at t = 2") != std::string::npos);
  CHECK(f.err.find("interrupted") == std::string::npos);
  const std::string rows = read(csv);
  CHECK(rows.find("\n1.99") != std::string::npos);
  CHECK(rows.find("\n2.5") == std::string::npos);
}

TEST_CASE("threads do not change the results of a large model, to the last bit") {
  const std::string model = temporary("large.sr", R"(row :: Int -> SR ()
row n = sigrel () where
  local phi, w :: Real^n
  for i in 1 .. n do
    der phi[i] = w[i]
    der w[i] = -sin phi[i] + 0.1 * (phi[if i == n then 1 else i + 1] - phi[i]) - 1.0e-2 * w[i]
  initially
    for i in 1 .. n do
      phi[i] = 0.5 * sin (real i)
      w[i] = 0.0
main = simulate (row 50001) with { stop = 0.5, steps = 2 }
)");
  const std::string one = temporary("one.csv"), three = temporary("three.csv");
  REQUIRE(sigrel({"run", model, "--threads", "1", "-o", one}).code == 0);
  Finished f = sigrel({"run", model, "--threads", "3", "--stats", "-o", three});
  REQUIRE(f.code == 0);
  CHECK(contains(f.out, "threads                3"));
  CHECK(read(one).size() > 100'000);
  CHECK(read(one) == read(three));
}

TEST_CASE("MATLAB and CSV files of a model whose structure changes have the same values") {
  const std::string model = SIGREL_SOURCE_DIR "/tests/numeric/models/structural_change.sr";
  auto same = [&](const std::string& expression, const std::string& variables, const std::string& stop) {
    INFO(expression);
    const std::string csv = temporary("switched.csv"), mat = temporary("switched.mat");
    for (const std::string& file : {csv, mat})
      REQUIRE(sigrel({"run", model, "-e", expression, "--stop", stop, "-v", variables, "-o", file}).code ==
              0);
    const Finished compared = sigrel({"diff", csv, mat});
    INFO(compared.out << compared.err);
    CHECK(compared.code == 0);
  };
  same("halfWave", "l.p.i,b.v,d.u", "0.03");  // zero, or equal to others, at the start and not later
}
