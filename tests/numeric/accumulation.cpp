// Events that come closer and closer: their limit is an error that names the handler, and what only seems to
// have one goes on.
#include <cmath>
#include <string>

#include "numeric.h"

using namespace sigrel;
using numeric::Model;

namespace {

RunOptions options(double stop, const std::string& solver) {
  RunOptions run{.stop = stop, .steps = 4, .solver = solver == "own" ? "auto" : solver};
  if (solver == "own") run.components = runtime::ComponentClocks::On;
  return run;
}

const std::vector<std::string> kSolvers = {"auto", "own", "cvode", "ida", "qss"};

}  // namespace

TEST_CASE("The limit of infinitely many events ends the run") {
  for (const char* expression :
       {"chase 0.5", "chase 0.75", "chase 0.25", "chaseOfTime 1.0", "chaseOfTime 1e6", "chases 3"})
    for (const std::string& solver : kSolvers) {
      Model model("accumulation.sr", expression);
      const std::string text = model.refusal(options(2, solver));
      INFO(expression << ", " << solver << "\n" << text);
      CHECK(text.find("SR0511") != std::string::npos);
      CHECK(text.find("ever more closely until t = 1.25 s") != std::string::npos);
      CHECK(text.find("each after a shorter time") != std::string::npos);
      CHECK(text.find(">= m do") != std::string::npos);
    }
}

TEST_CASE("Events that come closer for some time only go on") {
  for (const std::string& solver : kSolvers) {
    INFO(solver);
    const Run end = Model("accumulation.sr", "chaseWithEnd").run(options(3, solver));
    numeric::check_values(end, {{"n", 22}, {"y", 1.25}, {"u", 2.75}});
    // The waiting times are 0.01 + 0.49 * 0.9 ^ n.
    int events = 0;
    double wait = 0.5;
    for (double time = wait; time < 5.5; wait = 0.001 + 0.9 * wait, time += wait) ++events;
    const Run sweep = Model("accumulation.sr", "sweep").run(options(5.5, solver));
    CHECK(numeric::value(sweep, "n") == events);
  }
}

TEST_CASE("Bounces do not accumulate where a position is put back with a rounding error") {
  for (const char* ball : {"putOnGround 0.7 0.1", "putOnGround 0.7 0.2", "putOnGround 0.25 0.5"})
    for (const std::string& solver : kSolvers) {
      INFO(ball << ", " << solver);
      CHECK(numeric::value(Model("accumulation.sr", ball).run(options(7, solver)), "n") == 13);
    }
}

TEST_CASE("Events of a state of small magnitude do not accumulate") {
  for (const std::string& solver : kSolvers) {
    INFO(solver);
    const Run run = Model("accumulation.sr", "smallLevels").run(options(30, solver));
    CHECK(numeric::value(run, "n") == 38);  // e^3 = 20.09: levels from 1.5 to 20
  }
}

TEST_CASE("A clock ticks as often as it is set to, however short that is beside the run") {
  for (const std::string& solver : kSolvers) {
    INFO(solver);
    CHECK(numeric::value(Model("accumulation.sr", "burst").run(options(3.2e7, solver)), "n") == 3001);
  }
}

TEST_CASE("Clocks have no part in a comparison that changes without end") {
  const std::string text = Model("accumulation.sr", "chatter").refusal(options(2, "auto"));
  INFO(text);
  CHECK(text.find("SR0511") != std::string::npos);
  CHECK(text.find("if y > 0.7") != std::string::npos);
  CHECK(text.find("every") == std::string::npos);
  CHECK(text.find("clock") == std::string::npos);
}
