// What messages advise: names of other libraries, parts in series and in parallel.
#include <catch2/catch.hpp>

#include "compiler/check/names/library_names.h"
#include "tests/unit/session/structure.h"

using structure::Structure;

namespace {

void advises(const std::string& body, const char* help) {
  Structure s("import Electrical\nmodel :: SR ()\nmodel = sigrel () where\n" + body + "  ground <> g\n");
  INFO(body << s.messages);
  CHECK(s.messages.find(help) != std::string::npos);
  CHECK(s.messages.find("is declared with `local") == std::string::npos);
}

}  // namespace

TEST_CASE("every part that a name of another library leads to is in the library") {
  for (const sigrel::check::LibraryName& name : sigrel::check::all_library_names()) {
    Structure s("import " + std::string(name.module) + "\nit = " + std::string(name.module) + "." +
                std::string(name.ours) + "\n");
    INFO(name.theirs << " " << s.messages);
    CHECK(s.messages.find("is not defined") == std::string::npos);
    CHECK(name.theirs != name.ours);
  }
}

TEST_CASE("parts by the names of other libraries") {
  advises("  s: voltageSource 5.0 <> (a, g)\n  resistor 1.0 <> (a, g)\n",
          "the library calls it `constantVoltage`");
  advises("  constantVoltage 5.0 <> (a, g)\n  CurrentSensor <> (a, g, i)\n",
          "the library calls it `ammeter`");
  advises("  constantVoltage 5.0 <> (a, g)\n  thermalResistor 5.0 <> (c, d)\n",
          "the library calls it `conduction`, after `import Thermal`");
  advises("  constantVoltage 5.0 <> (a, g)\n  frobnicator <> (a, g)\n", "`frobnicator` is not defined");
}

TEST_CASE("two parts that determine the same") {
  advises(
      "  s1: constantCurrent 5.0 <> (a, b)\n  s2: constantCurrent 6.0 <> (b, g)\n  resistor 1.0 <> (a, g)\n",
      "`s1` and `s2` both determine the flow at `b`");
  advises("  s: constantVoltage 5.0 <> (a, g)\n  m: ammeter <> (a, g, i)\n  resistor 1.0 <> (a, g)\n",
          "`s` and `m` both determine what is between the nodes that they join");
  advises("  s: constantVoltage 5.0 <> (a, g)\n  m: ammeter <> (g, a, i)\n  resistor 1.0 <> (a, g)\n",
          "`s` and `m` both determine what is between the nodes that they join");
  advises(
      "  s: constantVoltage 5.0 <> (a, g)\n  m: constantVoltage 4.0 <> (a, g)\n  resistor 1.0 <> (a, g)\n",
      "`m` is applied to the same signals as `s`");
}

TEST_CASE("the size of a vector behind its name") {
  advises("  local x[5] :: Real\n", "write `local x :: Real^5`");
  advises("  local x[k + 1] :: Real\n", "write `local x :: Real^n`");
}
