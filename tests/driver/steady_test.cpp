// sigrel steady: steady states that are known in closed form or published.
#include <cmath>
#include <nlohmann/json.hpp>

#include "process.h"

using nlohmann::json;

namespace {

const std::string kModels = SIGREL_SOURCE_DIR "/tests/numeric/models/steady.sr";

json steady(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"steady", kModels, "--format", "json"});
  Finished f = sigrel(arguments);
  INFO(f.err);
  REQUIRE(f.code == 0);
  return json::parse(f.out);
}

void refused(std::vector<std::string> arguments, std::initializer_list<const char*> parts) {
  arguments.insert(arguments.begin(), {"steady", kModels});
  Finished f = sigrel(arguments);
  INFO(f.err);
  CHECK(f.code == 1);
  for (const char* part : parts) CHECK(f.err.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("steady: the bounds that are in the way are told, also where the search does not begin") {
  const std::string model = temporary("bounded.sr",
                                      "tank :: (q :: Real) -> SR ()\ntank q = sigrel () where\n"
                                      "  local h :: Real with { min = 0.0, max = 2.0 }\n"
                                      "  der h = q - 0.5 * h\n  initially h = 1.0\n"
                                      "q = 1.0\nmain = simulate (tank q) with { stop = 1.0 }\n");
  auto bounds = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"steady", model});
    const Finished f = sigrel(arguments);
    CHECK(f.code == 1);
    CHECK(f.err.find("300 iterations") == std::string::npos);
    const std::size_t at = f.err.find("bounds are in the way: ");
    return at == std::string::npos ? f.err : f.err.substr(at + 23, f.err.find('\n', at) - at - 23);
  };
  CHECK(bounds({"--set", "q=1.5"}) == "`h` at most 2");
  CHECK(bounds({"--vary", "q=1..3", "--fix", "h=1.9"}) == "`q` at least 1");
  CHECK(bounds({"--vary", "q=1..3", "--fix", "h=7"}) == "`h` at most 2, `q` at most 3");
  CHECK(bounds({"--vary", "q", "--fix", "h=-1"}) == "`h` at least 0");
}

TEST_CASE("steady: bounds of variables that are not free are compared in the result") {
  const std::string model = temporary("pressure.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local h :: Real\n"
                                      "  local p with { max = 2.0 }\n  der h = 3.0 - h\n  p = 1.5 * h\n");
  const Finished f = sigrel({"steady", model, "-e", "m"});
  CHECK(f.code == 0);
  CHECK(f.err.find("warning[SR0618]: `p` is above its `max` 2 in the steady state: 4.5\n") !=
        std::string::npos);
}

TEST_CASE("steady: what events alone change is held after the events of the start") {
  const std::string model = temporary("held.sr",
                                      "data Mode = Off | Run | Done\n"
                                      "m :: SR ()\nm = sigrel () where\n  local x :: Real\n"
                                      "  discrete n :: Int = 0\n  discrete mode :: Mode = Off\n"
                                      "  der x = real n - x\n"
                                      "  every 0.5 do\n    n := pre n + 1\n"
                                      "  when initial do\n    mode := Run\n"
                                      "  when terminal do\n    mode := Done\n"
                                      "main = simulate m with { stop = 2.0 }\n");
  const Finished f = sigrel({"steady", model});
  CHECK(f.code == 0);
  CHECK(f.out.find("  state      x       1\n") != std::string::npos);
  CHECK(f.out.find("  held       n       1\n") != std::string::npos);
  CHECK(f.out.find("  held       mode  Run\n") != std::string::npos);
  CHECK(f.out.find("held are discrete variables after the events of the start") != std::string::npos);
}

TEST_CASE("steady: --assert-bounds is that of run, and values have the names of constructors") {
  const std::string model =
      temporary("mode.sr",
                "data Mode = Off | Run\n"
                "m :: SR ()\nm = sigrel () where\n  local mode :: Mode\n"
                "  local y with { max = 1.0 }\n  mode = if time < 1.0 then Run else Off\n"
                "  y = 2.0\n"
                "main = simulate m with { assertBounds = True }\n");
  const Finished f = sigrel({"steady", model});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0510]: `y` is above its `max` 1 in the steady state: 2\n") != std::string::npos);
  const Finished other = sigrel({"steady", model, "-e", "m"});
  CHECK(other.code == 0);
  CHECK(other.out.find("mode  Run\n") != std::string::npos);
}

TEST_CASE("steady: where no derivative depends on a state, the help is to start elsewhere") {
  const std::string model =
      temporary("square.sr",
                "m :: SR ()\nm = sigrel () where\n  local x :: Real\n  der x = 5.0 - x^2\n"
                "  initially x = 0.0\n");
  const Finished f = sigrel({"steady", model, "-e", "m"});
  CHECK(f.code == 1);
  CHECK(f.err.find("no derivative depends on `x` at these values") != std::string::npos);
}

TEST_CASE("steady: where a free value is beyond a limit, the help is to start from another value") {
  const std::string model =
      temporary("limit.sr",
                "import Blocks\nm :: Real -> SR ()\nm q = sigrel () where\n  local h, u, v :: Real\n"
                "  der h = u - 0.3 * h\n  saturation 0.0 1.0 <> (v, u)\n  v = q\n  initially h = 0.0\n"
                "main = simulate (m 0.5)\n");
  CHECK(sigrel({"steady", model, "--vary", "q", "--fix", "h=2"}).code == 0);
  const Finished f = sigrel({"steady", model, "--set", "q=2", "--vary", "q", "--fix", "h=2"});
  CHECK(f.code == 1);
  CHECK(f.err.find("no condition depends on `q` at these values") != std::string::npos);
  CHECK(f.err.find("`--set q=") != std::string::npos);
}

TEST_CASE("steady: a free variable that only copies another one leaves that one its equation") {
  const std::string models = SIGREL_SOURCE_DIR "/tests/numeric/models/linearize.sr";
  Finished f =
      sigrel({"steady", models, "--format", "json", "-e", "copied", "--vary", "drive", "--fix", "y=5"});
  REQUIRE(f.code == 0);
  const json values = json::parse(f.out)["values"];
  CHECK(values["drive"].get<double>() == Approx(1.0));
  CHECK(values["u"].get<double>() == Approx(-8.0));
}

TEST_CASE("steady: a tank at a given level, by a parameter and by a signal (MP-11)") {
  for (auto [level, flow] :
       {std::pair{"5", 2 * std::sqrt(2 * 9.81 * 5)}, std::pair{"7", 2 * std::sqrt(2 * 9.81 * 7)}}) {
    json parameter = steady({"--vary", "v=0..50", "--fix", std::string("h=") + level});
    CHECK(parameter["parameter"]["v"].get<double>() == Approx(flow).epsilon(1e-9));
    json input = steady({"-e", "inlet", "--vary", "v", "--fix", std::string("h=") + level});
    CHECK(input["input"]["v"].get<double>() == Approx(flow).epsilon(1e-9));
    CHECK(input["given"]["h"].get<double>() == Approx(std::stod(level)));
  }
  CHECK(steady({"-e", "inlet"})["state"]["h"].get<double>() == Approx(25 / 19.62).epsilon(1e-9));
}

TEST_CASE("steady: a pendulum hangs or stands, as the start says (MP-16)") {
  CHECK(steady({"-e", "pendulum 3.0"})["state"]["phi"].get<double>() == Approx(std::acos(-1.0)));
  CHECK(steady({"-e", "pendulum 0.5"})["state"]["phi"].get<double>() == Approx(0).margin(1e-9));
}

TEST_CASE("steady: neither goal nor condition (MP-16)") {
  refused({"-e", "inlet", "--vary", "v"},
          {"error[SR0591]: 2 values are free, and there is 1 condition",
           "give one value more with `--fix NAME=VALUE`, or a goal with `--minimise NAME`"});
}

TEST_CASE("steady: two propellers give the thrust with the least power at equal speeds (MP-15)") {
  const double d = 8 * 0.0254, thrust = 0.09 * 1.29 * std::pow(d, 4), n = std::sqrt(10 / thrust),
               w = 2 * std::acos(-1.0) * n;
  for (const char* begin : {"propellers 3.0 6.0", "propellers 9.0 2.0"}) {
    json j =
        steady({"-e", begin, "--vary", "u1", "--vary", "u2", "--fix", "thrust=20", "--minimise", "power"});
    CHECK(j["state"]["a.w"].get<double>() == Approx(w).epsilon(1e-6));
    CHECK(j["state"]["b.w"].get<double>() == Approx(w).epsilon(1e-6));
    const double torque = 0.04 * 1.29 * std::pow(d, 5) * n * n / (2 * std::acos(-1.0));
    CHECK(j["goal"]["power"].get<double>() == Approx(2 * torque * w).epsilon(1e-9));
  }
}

TEST_CASE("steady: a bound holds, and without it the optimum is inside") {
  // a^2 + 3 b^2 with a + b = 3: a = 9/4; with a <= 2 that.
  json bounded = steady({"-e", "cost 0.0 0.0", "--vary", "a=0..2", "--vary", "b=0..", "--fix", "total=3",
                         "--minimise", "price"});
  CHECK(bounded["parameter"]["a"].get<double>() == Approx(2));
  CHECK(bounded["goal"]["price"].get<double>() == Approx(7));
  json open =
      steady({"-e", "cost 0.0 0.0", "--vary", "a", "--vary", "b", "--fix", "total=3", "--minimise", "price"});
  CHECK(open["parameter"]["a"].get<double>() == Approx(2.25));
  CHECK(open["goal"]["price"].get<double>() == Approx(6.75));
  refused({"-e", "cost 0.0 0.0", "--vary", "a", "--vary", "b", "--fix", "total=3", "--maximise", "price"},
          {"SR0592", "the objective is unbounded"});
}

TEST_CASE("steady: a state that only moves along is excluded") {
  json j = steady({"-e", "vehicle 200.0", "--exclude", "x"});
  CHECK(j["state"]["v"].get<double>() == Approx(20));
  CHECK(j["values"]["x"].get<double>() == 3);
  refused({"-e", "vehicle 200.0"}, {"SR0592", "`--exclude x`"});
}

TEST_CASE("steady: where there is none, the violated conditions are told") {
  refused({"-e", "restless"}, {"error[SR0592]", "the derivative of `x` is 1"});
  refused({"--vary", "v=0..10", "--fix", "h=5"},
          {"error[SR0592]", "bounds are in the way: `v` at most 10", "instead of 5"});
  refused({"--vary", "q", "--fix", "h=5"}, {"SR0610", "`q`"});
}

TEST_CASE("steady: a model without states is at rest") {
  CHECK(steady({"-e", "cubic 2.0"})["values"]["x"].get<double>() == Approx(1).epsilon(1e-9));
  CHECK(steady({"-e", "cubic 2.0", "--fix", "y=2"})["given"]["y"].get<double>() == Approx(2));
  json free = steady({"-e", "cubic 2.0", "--vary", "p", "--fix", "y=3"});
  CHECK(free["parameter"]["p"].get<double>() == Approx(10).epsilon(1e-9));
  json goal = steady({"-e", "cubic 2.0", "--vary", "p=0..10", "--maximise", "y"});
  CHECK(goal["parameter"]["p"].get<double>() == Approx(10));
  CHECK(goal["goal"]["y"].get<double>() == Approx(3).epsilon(1e-9));
  refused({"-e", "cubic 2.0", "--fix", "y=3"}, {"error[SR0592]: no value is free", "`y` is 2 instead of 3"});
  refused({"-e", "cubic 2.0", "--vary", "p"}, {"error[SR0591]: 1 value is free, and there are 0 conditions"});
  Finished text = sigrel({"steady", kModels, "-e", "cubic 2.0"});
  CHECK(text.code == 0);
  CHECK(text.out == "steady at t = 0 s\n  variable   x  1\n  variable   y  2\n");
}

TEST_CASE("steady: a state that is excluded, with nothing else free") {
  json j = steady({"-e", "inlet", "--exclude", "h"});
  CHECK(j["values"]["h"].get<double>() == 1);
  refused({"-e", "inlet", "--exclude", "h", "--fix", "h=2"}, {"error[SR0592]: no value is free", "`h` is 1"});
}

TEST_CASE("steady: its CSV is a start") {
  Finished f = sigrel({"steady", kModels, "-e", "inlet", "--format", "csv"});
  REQUIRE(f.code == 0);
  CHECK(f.out.starts_with("time,h,v\n0,1.27"));
}

TEST_CASE("steady: its CSV has the parameters that were found, and a start from it tells where they differ") {
  std::string file = temporary("level.sr", R"(tank :: Real -> Real -> SR ()
tank inflow k = sigrel () where
  local h, q
  initially h = 1.0
  der h = inflow - q
  q = k * h^2

main = simulate (tank 1.0 0.5) with { stop = 1.0 }
)");
  Finished found = sigrel({"steady", file, "--fix", "h=3", "--vary", "inflow", "--format", "csv"});
  REQUIRE(found.code == 0);
  CHECK(found.out.starts_with("time,h,q,inflow\n"));
  std::string start = temporary("level.csv", found.out);
  Finished other = sigrel({"run", file, "--init-from", start});
  CHECK(other.code == 0);
  CHECK(other.err.find("`--set inflow=4.5`, which is 1 here") != std::string::npos);
  Finished same = sigrel({"run", file, "--init-from", start, "--set", "inflow=4.5"});
  CHECK(same.err.find("inflow") == std::string::npos);
  CHECK(same.out.find("h = 3\n") != std::string::npos);
  std::string unknown = temporary("unknown.csv", "time,h,r1.r\n0,3,5\n");
  CHECK(sigrel({"run", file, "--init-from", unknown})
            .err.find("the model has no variable of this name: `r1.r`") != std::string::npos);
}

TEST_CASE("steady: each condition is judged by its own size") {
  const std::string model = temporary("bound_far.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local a :: Real\n"
                                      "  local b :: Real with { min = 0.0 }\n"
                                      "  der a = 1.0e10 - a\n  der b = -0.5 - b\n"
                                      "  initially\n    a = 0.0\n    b = 1.0\n");
  const Finished f = sigrel({"steady", model, "-e", "m"});
  CHECK(f.code == 1);
  CHECK(f.err.find("SR0592") != std::string::npos);
  CHECK(f.err.find("the derivative of `b` is -0.5") != std::string::npos);
  CHECK(f.err.find("the derivative of `a`") == std::string::npos);
}

TEST_CASE("steady: a value that is far from its nominal value is told") {
  const std::string model = temporary("far.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local p :: Real\n"
                                      "  der p = 3.0e5 - sqrt p\n  initially p = 1.0\n");
  const Finished f = sigrel({"steady", model, "-e", "m"});
  CHECK(f.code == 1);
  CHECK(f.err.find("`p` became more than 10^9 times its nominal value and its value at the start") !=
        std::string::npos);
  CHECK(f.err.find("declare `p` with a `nominal` value") != std::string::npos);
}

TEST_CASE("steady: bounds that are expressions of parameters hold, unless a free one moves them") {
  const std::string model = temporary("expression_bound.sr",
                                      "m :: (h :: Real) -> SR ()\nm h = sigrel () where\n"
                                      "  local b :: Real with { max = 0.5 * h }\n"
                                      "  der b = (b - 1.0) * (b - 3.0)\n  initially b = 0.9\n"
                                      "h = 1.0\nmain = simulate (m h)\n");
  const Finished f = sigrel({"steady", model});
  CHECK(f.code == 1);
  CHECK(f.err.find("bounds are in the way: `b` at most 0.5") != std::string::npos);
  CHECK(sigrel({"steady", model, "--set", "h=2.5"}).code == 0);
  const Finished free = sigrel({"steady", model, "--vary", "h", "--fix", "h=2.5"});
  CHECK(free.err.find("at most 0.5") == std::string::npos);
}

TEST_CASE("steady: a variable that nothing needs may have no tangent at the start") {
  const std::string model = temporary("unneeded.sr",
                                      "m :: SR ()\nm = sigrel () where\n  local x, y :: Real\n"
                                      "  der x = 1.0 - x\n  y = sqrt x\n  initially x = 0.0\n");
  const Finished f = sigrel({"steady", model, "-e", "m"});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(f.out.find("x  1\n") != std::string::npos);
  CHECK(sigrel({"linearize", model, "-e", "m"}).code == 0);
}

TEST_CASE("steady: the search stays on the branch of an algebraic loop, or says that it does not") {
  const std::string model =
      temporary("branch.sr",
                "m :: (a :: Real) -> SR ()\nm a = sigrel () where\n  local x, y :: Real\n"
                "  y^3 - y = x\n  der x = -(y - a) * (y + 1.5)\n"
                "  guess y = 1.4\n  initially x = 1.0\na = 0.65\n"
                "main = simulate (m a) with { stop = 50.0 }\n");
  const Finished f = sigrel({"steady", model});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(f.out.find("-0.375") != std::string::npos);
  CHECK(f.err.find("SR0521") == std::string::npos);
}
