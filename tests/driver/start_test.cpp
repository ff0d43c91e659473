// How a model starts, as a user of the program sees it: --strict-initial, --init-from, explain --initial, and
// the messages.
#include <cmath>
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

const std::string kModels = SIGREL_SOURCE_DIR "/tests/numeric/models/starts.sr";

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

void refused(std::vector<std::string> arguments, std::initializer_list<const char*> parts) {
  Finished f = sigrel(arguments);
  INFO(f.err);
  CHECK(f.code == 1);
  for (const char* part : parts) CHECK(contains(f.err, part));
}

/// A final value that `run` prints.
double value(const Finished& f, const std::string& name) {
  const std::size_t at = f.out.find("  " + name + " ");
  REQUIRE(at != std::string::npos);
  return std::stod(f.out.substr(f.out.find('=', at) + 1));
}

const char* kDecay =
    "decay = sigrel () where\n"
    "  local x, y, z :: Real\n"
    "  der x = -x\n"
    "  der y = x - y\n"
    "  z = x + y\n"
    "main = simulate decay with { stop = 2.0, tolerance = 1.0e-9 }\n";

}  // namespace

TEST_CASE("strict: start values that are missing are listed, with what might be given") {
  const std::string model = temporary("open.sr", kDecay);
  refused({"run", model, "--strict-initial"},
          {"error[SR0405]: 2 initial equations are missing", "the start of `x` and `y` is open",
           "`z`, `der x` or `der y` would do as well"});
  refused({"linearize", model, "--strict-initial"}, {"SR0405"});
  CHECK(sigrel({"run", model}).code == 0);
}

TEST_CASE("a start that contradicts itself shows values (MD-13, MD-14, MT-14)") {
  refused({"run", kModels, "-e", "serialInductors 0.5 0.6"},
          {"error[SR0402]: 2 initial equations for 1 degree of freedom contradict each other",
           "its two sides differ by 0.1", "drop one of the two"});
  refused({"run", kModels, "-e", "inertiaAndDamper 1.0 0.0"}, {"error[SR0402]", "its two sides differ by 1"});
  refused({"run", kModels, "-e", "contradicted"},
          {"error[SR0402]: 4 initial equations for 3 degrees of freedom", "x^2 + y^2 = 1.0",
           "the two sides of its second derivative differ by 10"});
}

TEST_CASE("a start that is not found says so after continuation, too") {
  refused({"run", kModels, "-e", "noSolution"},
          {"error[SR0501]", "x^2 + 1.0 = 0.5 * sin x", "its two sides differ by 0.93", "no guess is given"});
}

TEST_CASE("from an earlier run: its last row, a time, an interpolated time") {
  const std::string model = temporary("decay.sr", kDecay);
  REQUIRE(
      sigrel({"run", model, "--init-from", temporary("first.csv", "time,x,y\n0,1,2\n1,3,4\n"), "--stop", "0"})
          .code == 0);
  Finished last = sigrel({"run", model, "--init-from", temporary("first.csv"), "--stop", "0"});
  CHECK(value(last, "x") == 3);
  CHECK(value(last, "z") == 7);
  CHECK(contains(last.err, "note[SR0593]: the initial values are taken from `"));
  CHECK(contains(last.err, "first.csv` at t = 1 s"));
  CHECK(!contains(last.err, "SR0403"));
  CHECK(value(sigrel({"run", model, "--init-from", temporary("first.csv") + "@0.25", "--stop", "0"}), "x") ==
        1.5);
  CHECK(value(sigrel({"run", model, "--init-from", temporary("first.csv") + "@0", "--stop", "0"}), "y") == 2);

  // Half a run and its other half are one run: x = e^-t, from x = 3 here.
  REQUIRE(sigrel({"run", model, "--init-from", temporary("first.csv"), "-o", temporary("half.csv"), "--stop",
                  "1"})
              .code == 0);
  CHECK(value(sigrel({"run", model, "--init-from", temporary("half.csv"), "--stop", "1"}), "x") ==
        Approx(3 * std::exp(-2.0)).epsilon(1e-7));
  // linearize takes the same start.
  Finished linear = sigrel({"linearize", model, "--init-from", temporary("half.csv"), "--format", "json"});
  CHECK(json::parse(linear.out)["A"] == json::parse("[[-1.0, 0.0], [1.0, -1.0]]"));
}

TEST_CASE(
    "initial equations are not used where a file gives the start, and a pendulum finds its states in it") {
  const std::string pendulum = SIGREL_SOURCE_DIR "/examples/05_pendulum.sr";
  Finished whole = sigrel({"run", pendulum, "--stop", "1.5", "--tolerance", "1e-10"});
  REQUIRE(sigrel({"run", pendulum, "-o", temporary("pendulum.csv"), "--stop", "1", "--tolerance", "1e-10"})
              .code == 0);
  Finished rest = sigrel(
      {"run", pendulum, "--init-from", temporary("pendulum.csv"), "--stop", "0.5", "--tolerance", "1e-10"});
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  CHECK(contains(rest.err, "initial equations of the model are not used"));
  CHECK(value(rest, "x") == Approx(value(whole, "x")).epsilon(1e-6));
}

TEST_CASE("from an earlier run at the time of a tick: after the event, and the tick is not repeated") {
  const std::string model = temporary("ticks.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local x :: Real\n"
                                      "  discrete n :: Int = 0\n  der x = real n - x\n  initially x = 3.0\n"
                                      "  every 0.5 do\n    n := pre n + 1\n"
                                      "main = simulate m with { stop = 2.0 }\n");
  const std::string whole = temporary("ticks.csv"), part = temporary("part.csv");
  REQUIRE(sigrel({"run", model, "-o", whole}).code == 0);
  CHECK(read(whole).find("\n0.5,") != read(whole).rfind("\n0.5,"));  // two rows at the tick
  const Finished at =
      sigrel({"run", model, "--init-from", whole + "@0.5", "--start", "0.5", "--stop", "0.75"});
  CHECK(at.code == 0);
  CHECK(at.out.find("n = 2\n") != std::string::npos);
  REQUIRE(sigrel({"run", model, "--stop", "0.5", "-o", part}).code == 0);
  const Finished last = sigrel({"run", model, "--init-from", part, "--start", "0.5", "--stop", "0.75"});
  CHECK(last.out == at.out);
}

TEST_CASE("from an earlier run that ends just before a crossing: the crossing belongs to the second run") {
  const std::string model = temporary("saw.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local x :: Real\n"
                                      "  discrete up :: Bool = True\n  discrete n :: Int = 0\n"
                                      "  der x = if up then 1.0 else -1.0\n  initially x = 0.0\n"
                                      "  when up && x >= 0.5 do\n    up := False\n    n := pre n + 1\n"
                                      "  when not up && x <= 0.0 do\n    up := True\n"
                                      "main = simulate m with { stop = 4.9 }\n");
  const std::string part = temporary("part.csv");
  for (const char* solver : {"auto", "cvode", "adams", "ida", "qss"}) {
    const Finished whole = sigrel({"run", model, "--no-plot", "--solver", solver});
    CHECK(whole.out.find("n  = 5\n") != std::string::npos);
    for (const char* split : {"0.5", "1.0", "1.5", "2.5", "3.0", "3.5", "4.5"}) {
      INFO(solver << ", split at " << split);
      REQUIRE(sigrel({"run", model, "--no-plot", "--solver", solver, "--stop", split, "-o", part}).code == 0);
      const Finished rest =
          sigrel({"run", model, "--no-plot", "--solver", solver, "--init-from", part, "--start", split});
      CHECK(rest.code == 0);
      CHECK(rest.out.find("n  = 5\n") != std::string::npos);
      CHECK(value(rest, "x") == Approx(0.1).margin(1e-5));
    }
  }
}

TEST_CASE("a file that does not fit is one message") {
  const std::string model = temporary("fit.sr", kDecay);
  auto with = [&](const char* text, std::initializer_list<const char*> parts, const std::string& at = "") {
    refused({"run", model, "--init-from", temporary("bad.csv", text) + at}, parts);
  };
  refused({"run", model, "--init-from", temporary("nowhere.csv")},
          {"error[SR0409]: `", "nowhere.csv` cannot be read"});
  with("", {"SR0409", "no table of results"});
  with("time,x,y\n", {"SR0409", "no rows"});
  with("time,x,y\n0,1\n", {"SR0409", "2 numbers in line 2, for 3 names"});
  with("time,x,y\n0,1,zwei\n", {"SR0409", "no number in line 2, column 3", "`zwei`"});
  with("time,a,b\n0,1,2\n", {"SR0409", "no variable of this model", "its columns are a, b"});
  with("time,x,z\n0,1,2\n", {"SR0409", "has no value of `y`"});
  const std::string tank = temporary("tank.sr",
                                     "main = simulate m with { stop = 1.0 }\n"
                                     "m :: SR ()\n"
                                     "m = sigrel () where\n"
                                     "  local h :: Length\n"
                                     "  der h = -h / 2.0<s>\n"
                                     "  initially h = 1.0<m>\n");
  for (const char* unit : {"mm", "s", "1"})
    refused({"run", tank, "--init-from", temporary("bad.csv", "time,h [" + std::string(unit) + "]\n0,2\n")},
            {"SR0409", "`h` in ", unit, "in this model it is in m", "in SI units"});
  for (const char* unit : {"m", "m^1"})
    CHECK(sigrel({"run", tank, "--init-from",
                  temporary("good.csv", "time,h [" + std::string(unit) + "]\n0,2\n")})
              .code == 0);
  const std::string counter = temporary("counter.sr",
                                        "main = simulate m with { stop = 1.0 }\n"
                                        "m :: SR ()\n"
                                        "m = sigrel () where\n"
                                        "  discrete n :: Int = 0\n"
                                        "  discrete on :: Bool = False\n"
                                        "  every 0.5 do\n"
                                        "    n := pre n + 1\n"
                                        "    on := not (pre on)\n");
  refused({"run", counter, "--init-from", temporary("bad.csv", "time,n,on\n0,1.5,0\n")},
          {"SR0409", "gives `n` the value 1.5", "whole number"});
  refused({"run", counter, "--init-from", temporary("bad.csv", "time,n,on\n0,1,0.5\n")},
          {"SR0409", "gives `on` the value 0.5", "0 or 1"});
  with("time,x,y\n0,1,2\n1,2,3\n", {"SR0409", "no results at t = 5 s", "they end at t = 1 s"}, "@5");
}

TEST_CASE("explain --initial: what every state starts from") {
  Finished f = sigrel({"explain", kModels, "-e", "atRest", "--initial"});
  INFO(f.out);
  REQUIRE(f.code == 0);
  CHECK(contains(f.out, "constants of the run"));
  CHECK(contains(f.out, "c1.u = 2.5"));
  Finished open = sigrel({"explain", temporary("explained.sr", kDecay), "--initial"});
  CHECK(contains(open.out, "x    free: starts at 0.0, the default: there is no guess"));
  Finished block = sigrel({"explain", kModels, "-e", "coupledCubic", "--initial"});
  CHECK(contains(block.out, "block 1: "));
  CHECK(contains(block.out, "exp y = 3.0 + x * y - y"));
  Finished spare = sigrel({"explain", kModels, "-e", "serialInductors 1.0 1.0", "--initial"});
  CHECK(contains(spare.out, "redundant: these equations are only checked"));
}

TEST_CASE("a start from results: a model whose structure changes begins in the modes of the start") {
  const std::string model = SIGREL_SOURCE_DIR "/tests/numeric/models/structural_change.sr";
  const std::string results = temporary("motor.csv");
  const std::vector<std::string> motor = {"run", model, "-e", "motor", "--tolerance", "1e-9", "-v", "w,i"};
  auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all = motor;
    all.insert(all.end(), more.begin(), more.end());
    return sigrel(all);
  };
  REQUIRE(run({"--stop", "0.5", "-o", results}).code == 0);
  const Finished whole = run({"--stop", "2"});
  const Finished rest = run({"--start", "0.5", "--stop", "2", "--init-from", results});
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  CHECK(contains(rest.err, "warning[SR0593]"));  // the modes may be others
  CHECK(contains(rest.err, "results do not tell in which modes the switches were"));
  CHECK(value(rest, "w") == Approx(value(whole, "w")).epsilon(1e-6));
  CHECK(value(rest, "i") == Approx(value(whole, "i")).epsilon(1e-6));
  // The states of the modes at the start are required.
  const std::string pendulum = temporary("breaking.csv");
  REQUIRE(sigrel({"run", model, "-e", "later", "--stop", "1.5", "-v", "y", "-o", pendulum}).code == 0);
  const Finished missing = sigrel({"run", model, "-e", "later", "--init-from", pendulum});
  CHECK(missing.code == 1);
  CHECK(contains(missing.err, "error[SR0409]"));
}
