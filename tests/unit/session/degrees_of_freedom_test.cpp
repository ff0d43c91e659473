// Initial conditions of relations by themselves, through the whole front end.
#include <catch2/catch.hpp>

#include <map>

#include "compiler/elaborate/components.h"
#include "compiler/session/session.h"
#include "compiler/structural/degrees_of_freedom.h"

using namespace sigrel;

namespace {

std::map<std::string, std::optional<std::uint32_t>> freedom(const std::string& source) {
  Session session({{{}, std::string(SIGREL_SOURCE_DIR) + "/stdlib"}, true});
  session.load_text("test.sr", source);
  bool fine = session.check();
  std::string messages;
  for (const Diagnostic& d : session.diagnostics().all()) messages += render_text(d, session.sources(), false);
  INFO(messages);
  REQUIRE(fine);
  components::Library library = elaborate::library(session.program());
  std::map<std::string, std::optional<std::uint32_t>> result;
  for (auto& [definition, component] : library.definitions)
    if (component) result[std::string(text(session.program().globals[definition.value].name))] = structural::degrees_of_freedom(library, *component);
  return result;
}

}  // namespace

TEST_CASE("parts have the initial conditions that an engineer gives them") {
  auto f = freedom(
      "import Electrical\n"
      "r = resistor 1.0\nc = capacitor 1.0\nl = inductor 1.0\nv = constantVoltage 1.0\n"
      "lc = series l c\ncc = series c c\nll = series l l\nlall = parallel l l\n"
      "inertia :: SR (phi :: Angle, tau :: Torque)\ninertia = sigrel (phi, tau) where\n  local w :: AngularVelocity\n"
      "  der phi = w\n  2.0<kg*m^2> * der w = tau\n"
      "pendulum = sigrel () where\n  local x, y, vx, vy, f :: Real\n  der x = vx\n  der y = vy\n  der vx = f * x\n  der vy = f * y - 9.81\n"
      "  x * x + y * y = 1.0\n"
      "second = sigrel (x :: Real) where\n  der (der x) = 0.0 - x\n");
  CHECK(f == std::map<std::string, std::optional<std::uint32_t>>{{"r", 0}, {"c", 1}, {"l", 1}, {"v", 0}, {"lc", 2}, {"cc", 2}, {"ll", 1},
                                                                 {"lall", 2}, {"inertia", 2}, {"pendulum", 2}, {"second", 2}});
}
