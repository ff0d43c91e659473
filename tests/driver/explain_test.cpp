// sigrel explain FILE --parameters; names that are not there in --set, plot and outputs; -e.
#include <utility>

#include "process.h"

namespace {

const std::string kTour = SIGREL_SOURCE_DIR "/examples/01_low_pass.sr";

const char* kCoils = R"(import Electrical

record Winding = { r :: Resistance = 0.5, l :: Inductance = 1.0e-3 }

coil :: Winding -> SR (p :: Pin, n :: Pin)
coil w = sigrel (p, n) where
  twoPin <> (p, n, u)
  u = w.r * p.i + w.l * der p.i

coils :: (n :: Int) -> Bool -> Real -> SR (Pin, Pin) -> SR (p :: Pin, n :: Pin)
coils count damped cut part = sigrel (p, q) where
  for i in 1 .. count do
    s: part <> (p, q)
  if damped then
    r: resistor 2.0 <> (p, q)
  if cut > 0.5 then
    r2: resistor (100.0 * cut) <> (p, q)

model :: SR ()
model = sigrel () where
  source: sineVoltage 5.0 50.0 <> (a, g)
  r1:     resistor 100.0       <> (a, g)
  l:      coils 2 True 0.75 (coil (Winding {})) <> (a, g)
  ground                       <> g

main = simulate model with { stop = 0.01, outputs = ["l.*.i"], plot = ["r1.u"] }
)";

/// The lines that start with the name, as words.
std::vector<std::string> row(const std::string& text, const std::string& name) {
  std::size_t at = text.find("  " + name + " ");
  if (at == std::string::npos) return {};
  std::vector<std::string> words;
  std::string line = text.substr(at, text.find('\n', at) - at), word;
  for (char c : line + " ") {
    if (c != ' ')
      word += c;
    else if (!word.empty())
      words.push_back(std::exchange(word, {}));
  }
  return words;
}

}  // namespace

TEST_CASE("explain --parameters: numbers and structure, with values, types and places") {
  std::string file = temporary("coils.sr", kCoils);
  Finished f = sigrel({"explain", file, "--parameters"});
  INFO(f.err);
  REQUIRE(f.code == 0);
  std::size_t structure = f.out.find("structural parameters:");
  REQUIRE(f.out.starts_with("parameters:"));
  REQUIRE(structure != std::string::npos);
  std::string numbers = f.out.substr(0, structure), rest = f.out.substr(structure);
  auto r1 = row(numbers, "r1.r");
  REQUIRE(r1.size() == 4);
  CHECK(r1[1] == "100");
  CHECK(r1[2] == "Resistance");
  CHECK(r1[3].find("Electrical.sr:") != std::string::npos);
  CHECK(row(numbers, "source.frequency")[2] == "Frequency");
  CHECK(row(numbers, "l.s[2].w.l")[1] == "0.001");
  CHECK(row(numbers, "l.r2.r")[1] == "75");
  CHECK(row(rest, "l.count") == std::vector<std::string>{"l.count", "2", "Int", file + ":11"});
  CHECK(row(rest, "l.damped")[1] == "True");
  CHECK(row(rest, "l.cut")[1] == "0.75");  // a Real that chooses equations
  CHECK(row(rest, "l.part")[1] == "coil");
  CHECK(row(numbers, "l.cut").empty());
}

TEST_CASE("every number that is listed can be set, and nothing that is not") {
  std::string file = temporary("coils.sr", kCoils);
  for (const char* name : {"r1.r=50", "source.amplitude=1", "l.s[2].w.l=0.01", "l.r2.r=3", "l.cut=0.25"})
    CHECK(sigrel({"run", file, "--set", name}).code == 0);
  Finished f = sigrel({"run", file, "--set", "l.count=3"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0601]") != std::string::npos);
}

TEST_CASE("explain --parameters: expressions, models without parameters, mistakes") {
  std::string file = temporary("plain.sr",
                               "m = sigrel () where\n  local x :: Real\n  x = time\nk :: Real -> SR ()\nk a "
                               "= sigrel () where\n  local x :: Real\n  x = a\n");
  CHECK(sigrel({"explain", file, "--parameters", "-e", "m"}).out == "this model has no parameters\n");
  CHECK(row(sigrel({"explain", file, "--parameters", "-e", "k 2.5"}).out, "a")[1] == "2.5");
  Finished f = sigrel({"explain", file, "--parameters"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0602]") != std::string::npos);
  CHECK(sigrel({"explain", "--parameters"}).code == 2);
  CHECK(sigrel({"explain", "SR0301", "-e", "m"}).code == 2);
  CHECK(sigrel({"explain", file}).err.find("--parameters` lists") != std::string::npos);
}

TEST_CASE("explain --states and --index") {
  std::string file = temporary("pendulum.sr", R"(pendulum :: SR ()
pendulum = sigrel () where
  local x, y, vx, vy, tension, z, w :: Real
  der x = vx
  der y = vy
  der vx = -tension * x
  der vy = -tension * y - 9.81
  x^2 + y^2 = 1.0
  der z = w - z
  z = 2.0 * sin time
)");
  auto has = [](const Finished& f, const std::string& text) {
    INFO(f.out << f.err);
    CHECK(f.out.find(text) != std::string::npos);
  };
  Finished states = sigrel({"explain", file, "--states", "-e", "pendulum"});
  CHECK(states.code == 0);
  has(states, "2 states\n");
  has(states, "  1 of x, y    selected during the run");
  has(states, "  1 of vx, vy    selected during the run");
  has(states, "  z, from\n    z = 2.0 * sin time\n    at " + file + ":10:3\n");
  Finished index = sigrel({"explain", file, "--index", "-e", "pendulum"});
  has(index, "4 differentiated equations, twice at most\n");
  has(index, "twice\n  x^2 + y^2 = 1.0\n    at " + file + ":8:3\n");
  has(index, "once\n  der x = vx\n");
  has(sigrel({"explain", kTour, "--index"}), "no equation was differentiated");
  has(sigrel({"explain", kTour, "--states"}), "1 state\n  c1.u    declared at ");
  CHECK(sigrel({"explain", "--states"}).code == 2);
}

TEST_CASE("explain --why: by which equations a variable is another one, and what determines it") {
  std::string file = temporary("series.sr", R"(import Electrical
circuit :: SR ()
circuit = sigrel () where
  v:  constantVoltage 10.0 <> (a, d)
  l1: inductor 0.1         <> (a, b)
  r1: resistor 10.0        <> (b, c)
  l2: inductor 0.2         <> (c, d)
  initially l1.p.i = 0.0
main = simulate circuit
)");
  auto why = [&](const std::string& name, std::vector<std::string> lines) {
    Finished f = sigrel({"explain", file, "--why", name});
    INFO(f.out << f.err);
    CHECK(f.code == 0);
    std::size_t at = 0;
    for (const std::string& line : lines) {
      INFO(line);
      at = f.out.find(line, at);
      REQUIRE(at != std::string::npos);
    }
  };
  why("l2.p.i", {"`l2.p.i` is declared at " + file + ":7:3\n", "`l2.p.i` = -`", ", because\n",
                 "it always equals `l1.p.i`\n", "`l1.p.i` is a state: integrated from `der(l1.p.i)`\n",
                 "`der(l1.p.i)` is determined by\n", "in an algebraic loop of "});
  why("d.v", {"`d.v` is set to 0: no equation fixes this floating potential", "`d.v` is always zero"});
  why("v.u", {"`v.u` = `a.v`, because\n  u = p.v - n.v    (`twoPin` in v.twoPin)\n",
              "`a.v` is determined by\n", "from parameters only: it is constant\n"});
  Finished wrong = sigrel({"explain", file, "--why", "l3.u"});
  CHECK(wrong.code == 1);
  CHECK(wrong.err.find("error[SR0610]: no variable is named `l3.u` (in `--why`)") != std::string::npos);
  CHECK(wrong.err.find("did you mean") != std::string::npos);
  CHECK(sigrel({"explain", "--why", "x"}).code == 2);
}

TEST_CASE("a name that is not there: the nearest one is suggested") {
  auto says = [](const Finished& f, const char* code, const char* help) {
    INFO(f.err);
    CHECK(f.code == 1);
    CHECK(f.err.find(std::string("error[") + code + "]") != std::string::npos);
    CHECK(f.err.find(help) != std::string::npos);
  };
  says(sigrel({"run", kTour, "--set", "r1.q=1"}), "SR0601", "did you mean `r1.r`?");
  says(sigrel({"run", kTour, "--set", "r.r=1"}), "SR0601", "did you mean");
  std::string plot =
      temporary("plot.sr", std::string(kCoils) + "\nother = simulate model with { plot = [\"r1.v\"] }\n");
  says(sigrel({"run", plot, "-e", "other", "--plot", temporary("a.svg")}), "SR0610", "did you mean `r1.u`?");
  says(sigrel({"run", plot, "-e", "simulate model with { outputs = [\"l.s[3].p.i\"] }"}), "SR0610",
       "did you mean `l.s[1].p.i`?");
  says(sigrel({"run", plot, "-e", "simulate model with { stopp = 1.0 }"}), "SR0108", "did you mean `stop`?");
}

TEST_CASE("-e: an experiment, a relation, and what is neither") {
  CHECK(sigrel({"run", kTour, "-e", "lowPass 220.0", "--stop", "0.01"}).code == 0);
  CHECK(
      sigrel({"run", kTour, "-e", "simulate (lowPass 220.0) with { stop = 0.02 }"}).out.find("t = 0.02 s") !=
      std::string::npos);
  Finished f = sigrel({"run", kTour, "-e", "lowPas 220.0"});
  CHECK(f.code == 1);
  CHECK(f.err.find("<expression>:1:1") != std::string::npos);
  CHECK(f.err.find("did you mean `lowPass`?") != std::string::npos);
  CHECK(sigrel({"run", kTour, "-e", "1 + 2"}).err.find("error[SR0602]") != std::string::npos);
  CHECK(sigrel({"run", kTour, "-e", "lowPass (1.0"}).err.find("error[SR0011]") != std::string::npos);
}

TEST_CASE("explain: variables that events and history buffers change") {
  const std::string models = SIGREL_SOURCE_DIR "/tests/numeric/models/";
  Finished states = sigrel({"explain", models + "delays.sr", "-e", "arrival", "--states"});
  INFO(states.out);
  CHECK(states.out.find("discrete variables: change only at events\n  at ") != std::string::npos);
  CHECK(states.out.find("delays: from history buffers; at the start the delayed value itself\n  delay u ") !=
        std::string::npos);
  CHECK(states.out.find("pre ") == std::string::npos);
  Finished delayed = sigrel({"explain", models + "delays.sr", "-e", "arrival", "--why", "y"});
  INFO(delayed.out);
  CHECK(delayed.out.find("is a delayed value, from the history buffer of\n  delay u 0.7") !=
        std::string::npos);
  Finished assigned = sigrel({"explain", models + "delays.sr", "-e", "arrival", "--why", "was"});
  INFO(assigned.out);
  CHECK(assigned.out.find("`was` changes only at events, by\n  was := pre y") != std::string::npos);
}
