// Initial conditions of relations by themselves, through the whole front end.
#include <catch2/catch.hpp>

#include <map>

#include "compiler/elaborate/components.h"
#include "compiler/session/session.h"
#include "compiler/structural_types/degrees_of_freedom.h"

using namespace sigrel;

namespace {

std::map<std::string, std::optional<std::uint32_t>> freedom(const std::string& source) {
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  session.load_text("test.sr", source);
  bool fine = session.check();
  std::string messages;
  for (const Diagnostic& d : session.diagnostics().all())
    messages += render_text(d, session.sources(), false);
  INFO(messages);
  REQUIRE(fine);
  components::Library library = elaborate::library(session.program());
  std::map<std::string, std::optional<std::uint32_t>> result;
  for (auto& [definition, component] : library.definitions)
    if (component)
      result[std::string(text(session.program().globals[definition.value].name))] =
          structural_types::degrees_of_freedom(library, *component);
  return result;
}

}  // namespace

TEST_CASE("parts have the initial conditions that an engineer gives them") {
  auto f = freedom(
      "import Electrical\n"
      "r = resistor 1.0\nc = capacitor 1.0\nl = inductor 1.0\nv = constantVoltage 1.0\n"
      "lc = series l c\ncc = series c c\nll = series l l\nlall = parallel l l\n"
      "inertia :: SR (phi :: Angle, tau :: Torque)\ninertia = sigrel (phi, tau) where\n  local w :: "
      "AngularVelocity\n"
      "  der phi = w\n  2.0<kg*m^2> * der w = tau\n"
      "pendulum = sigrel () where\n  local x, y, vx, vy, f :: Real\n  der x = vx\n  der y = vy\n  der vx = f "
      "* x\n  der vy = f * y - 9.81\n"
      "  x * x + y * y = 1.0\n"
      "second = sigrel (x :: Real) where\n  der (der x) = 0.0 - x\n");
  for (auto [part, expected] : std::map<std::string, std::uint32_t>{{"r", 0},
                                                                    {"c", 1},
                                                                    {"l", 1},
                                                                    {"v", 0},
                                                                    {"lc", 2},
                                                                    {"cc", 2},
                                                                    {"ll", 1},
                                                                    {"lall", 2},
                                                                    {"inertia", 2},
                                                                    {"pendulum", 2},
                                                                    {"second", 2}}) {
    INFO(part);
    CHECK(f[part] == expected);
  }
}

TEST_CASE("a model has as many degrees of freedom as a run has states") {
  const std::string parts =
      "import Electrical\n"
      "inertia j = sigrel (phi :: Angle, tau :: Torque) where\n  local w :: AngularVelocity\n  der phi = w\n "
      " j * der w = tau\n";
  struct Case {
    const char* body;
    std::uint32_t states;
  };
  const Case cases[] = {
      {"  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n  ground <> "
       "g\n",
       1},
      // Storages that are tied to each other, or to a source, have no start of their own.
      {"  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n  capacitor "
       "2.0 <> (b, g)\n  ground <> g\n",
       1},
      {"  sineVoltage 5.0 50.0 <> (a, g)\n  capacitor 1.0 <> (a, g)\n  ground <> g\n", 0},
      {"  constantVoltage 5.0 <> (a, g)\n  inductor 1.0 <> (a, b)\n  inductor 2.0 <> (b, c)\n  resistor 1.0 "
       "<> (c, g)\n  ground <> g\n",
       1},
      {"  constantVoltage 5.0 <> (a, g)\n  inductor 1.0 <> (a, b)\n  resistor 1.0 <> (b, c)\n  capacitor 2.0 "
       "<> (c, g)\n  ground <> g\n",
       2},
      // Two inertias on one shaft.
      {"  local phi :: Angle\n  local t1, t2 :: Torque\n  inertia 1.0<kg*m^2> <> (phi, t1)\n  inertia "
       "2.0<kg*m^2> <> (phi, t2)\n  t1 + t2 = 0.0\n",
       2},
      // A pendulum: its states are chosen while it runs.
      {"  local x, y, vx, vy, f :: Real\n  der x = vx\n  der y = vy\n  der vx = f * x\n  der vy = f * y - "
       "9.81\n  x * x + y * y = 1.0\n",
       2},
      {"  local x :: Real\n  der (der x) = 0.0 - x\n", 2},
  };
  for (const Case& c : cases) {
    const std::string source =
        parts + "circuit :: SR ()\ncircuit = sigrel () where\n" + c.body + "main = simulate circuit\n";
    INFO(source);
    CHECK(freedom(source).at("circuit") == c.states);
    Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
    session.load_text("test.sr", source);
    REQUIRE(session.check());
    auto compiled = session.compile({}, Backend::Interpreter);
    REQUIRE(compiled);
    CHECK(compiled->plan.model.states.size() == c.states);
  }
}
