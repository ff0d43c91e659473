// Events of independent parts in which rounding could decide: against closed forms, with clocks of their own
// and with one clock.
#include "numeric.h"

using namespace sigrel;
using numeric::Model;
using numeric::Value;
using runtime::ComponentClocks;

namespace {

void check_both(const char* expression, double stop, const std::vector<Value>& values) {
  for (const ComponentClocks clocks : {ComponentClocks::On, ComponentClocks::Off}) {
    INFO(expression << (clocks == ComponentClocks::On ? ", own clocks" : ", one clock"));
    RunOptions options{.stop = stop, .tolerance = 1e-10, .steps = 4};
    options.components = clocks;
    check_values(Model("part_events.sr", expression).run(options), values);
  }
}

}  // namespace

TEST_CASE("A handler samples a state that is not coupled to its condition") {
  check_both("many 2 sampling", 1, {{"p[1].m", 0.25}, {"p[2].m", 0.25}, {"p[2].x", 0.75}});
  check_both("many 2 samplingBent", 1, {{"p[1].m", 0.175}, {"p[2].m", 0.175}, {"p[2].x", 0.425}});
}

TEST_CASE("What a handler assigns at equality is not beyond it") {
  check_both("many 2 meeting", 2, {{"p[1].k", 1}, {"p[1].x", 1}, {"p[1].y", 0.25}, {"p[2].m", 0}});
  // Both are exponentials from the crossing at t = 0.252895 on.
  check_both("many 2 meetingDamped", 2, {{"p[1].k", 1}, {"p[1].x", 1.908807}, {"p[1].y", 0.5325441}});
}

TEST_CASE("A comparison at equality that has not crossed decides nothing about a reversal") {
  const double turn = (0.5 - 0.0721) / 2.0343;
  check_both("many 2 turning", 1, {{"p[1].n", 1}, {"p[2].n", 1}, {"p[1].x", 0.5 - 1.9286 * (1 - turn)}});
}

TEST_CASE("A part that slides along a comparison comes to an end") {
  for (const double b : {1.7122, 0.856, 1.9}) {
    Model model("part_events.sr", ("many 2 (sliding " + std::to_string(b) + ")").c_str());
    for (const ComponentClocks clocks : {ComponentClocks::On, ComponentClocks::Off}) {
      RunOptions options{.stop = 4, .steps = 16};
      options.components = clocks;
      CHECK(model.refusal(options).find("SR0511") != std::string::npos);
    }
  }
}
