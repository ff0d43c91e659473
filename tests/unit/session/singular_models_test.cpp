// One reporter: what `check` says of a definition is what the flat system of the same model says.
#include <catch2/catch.hpp>

#include "compiler/elaborate/elaborate.h"
#include "compiler/reduce/reduce.h"
#include "compiler/session/session.h"

using namespace sigrel;

namespace {

struct Reports {
  std::string definition, flat;
};

Reports reports(const std::string& items) {
  const std::string model = "import Electrical\nmodel :: SR ()\nmodel = sigrel () where\n" + items;
  Reports result;
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  session.load_text("test.sr", model + "main = simulate model\n");
  REQUIRE(session.check());
  Diagnostics flat;
  auto elaborated = elaborate::elaborate(session.program(), {}, flat);
  REQUIRE(elaborated);
  reduce::reduce(elaborated->system, flat);
  for (const Diagnostic& d : flat.all()) result.flat += render_text(d, session.sources(), false);
  session.check_structure();
  for (const Diagnostic& d : session.diagnostics().all())
    result.definition += render_text(d, session.sources(), false);
  return result;
}

void same(const std::string& items, const std::string& part) {
  const Reports r = reports(items);
  INFO(r.definition);
  CHECK(r.flat == r.definition);
  CHECK(r.flat.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("a definition and a flat system with the same fault have the same report") {
  same("  local x, y :: Real\n  x = 1.0\n  sin x = 2.0\n  der y = x\n",
       "2 equations of `model` determine only 1 unknown");
  same("  local x, y :: Real\n  der x = y\n", "nothing determines all of `x` and `y` in `model`");
  same("  local x, y, z :: Real\n  x = exp z\n  sin y = x + z\n  local u :: Real\n",
       "nothing determines `u` in `model`");
  same("  local x, y :: Real\n  x = 1.0\n  sin x = 2.0\n  exp x = 3.0\n",
       "at the same time 1 equation is too few for `y`");
  same("  local x, y :: Real\n  x = 1.0\n  sin x = 2.0\n  exp x = 3.0\n", "in all, 2 equations are too many");
  same("  local x :: Real\n  x = 1.0\n  2.0 = 3.0\n", "contains no unknown");
}

TEST_CASE("and so has one with floating potentials") {
  const std::string loop =
      "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n";
  same(loop, "no reference potential: `g.v` is taken as 0");
  same(loop + "  local x :: Real\n  x = if a.v > 1.0<V> then 1.0 else 2.0\n",
       "a condition here depends on the absolute value");
}
