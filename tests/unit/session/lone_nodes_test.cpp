// Nodes that join only one part: what is reported, where, and what is not.
#include <catch2/catch.hpp>

#include "compiler/elaborate/elaborate.h"
#include "compiler/reduce/reduce.h"
#include "tests/unit/session/structure.h"

using namespace sigrel;
using structure::Structure;

namespace {

const std::string kCircuit = "import Electrical\nmain :: SR ()\nmain = sigrel () where\n";

/// No error and no warning.
void correct(const std::string& text) {
  Structure s(text);
  INFO(text << s.messages);
  CHECK(s.codes().empty());
}

}  // namespace

TEST_CASE("a node with one part is correct where something determines its flow") {
  const std::string circuit =
      kCircuit + "  constantVoltage 5.0 <> (a, g)\n  r: resistor 1.0 <> (a, b)\n  ground <> g\n";
  structure::refused(circuit.c_str(), "SR0308", "node `b` joins only one part");
  correct(circuit + "  open <> b\n");
  correct(circuit + "  b.i = 0.0\n");
  correct(circuit + "  r.n.i = 0.0\n");
  correct(circuit + "  b.v = 2.0\n");
  correct(circuit + "  connect b c\n");
  correct(circuit + "  connect b g\n");
}

TEST_CASE("reading the potential of a node does not determine its flow") {
  structure::refused((kCircuit + "  local x :: Voltage\n  constantVoltage 5.0 <> (a, g)\n"
                                 "  resistor 1.0 <> (a, b)\n  ground <> g\n  x = 2.0 * b.v\n")
                         .c_str(),
                     "SR0308", "node `b` joins only one part");
}

TEST_CASE("nodes of instances without arguments") {
  const std::string parts =
      "  source: constantVoltage 5.0\n  r: resistor 1.0\n  connect source.p r.p\n"
      "  connect source.n z\n  ground <> z\n";
  structure::refused((kCircuit + parts).c_str(), "SR0308", "node `r.n` joins only one part");
  correct(kCircuit + parts + "  connect r.n z\n");
}

TEST_CASE("signals and formals are not nodes of one part") {
  correct(R"(
import Electrical
import Blocks
passive :: SR (p :: Pin, n :: Pin)
passive = sigrel (p, n) where
  resistor 1.0 <> (p, n)
main :: SR ()
main = sigrel () where
  constantVoltage 5.0 <> (a, g)
  passive <> (a, g)
  ground <> g
  voltmeter <> (a, g, v)
)");
}

TEST_CASE("a termination is proposed where it would be a repair") {
  const std::string source = kCircuit + "  constantVoltage 5.0 <> (a, g)\n  ground <> g\n";
  structure::refused((source + "  resistor 1.0 <> (a, b)\n").c_str(), "SR0308", "`open <> b`");
  // The meter takes no current: what lacks an equation is the potential.
  Structure meter(source + "  resistor 1.0 <> (a, g)\n  voltmeter <> (b, g, u)\n");
  INFO(meter.messages);
  CHECK(meter.codes() == std::vector<std::string>{"SR0308"});
  CHECK(meter.messages.find("open <>") == std::string::npos);
}

TEST_CASE("the name that was meant") {
  const std::string source = kCircuit + "  constantVoltage 5.0 <> (input, g)\n  ground <> g\n";
  structure::refused((source + "  resistor 1.0 <> (input, g)\n  resistor 1.0 <> (inptu, g)\n").c_str(),
                     "SR0308", "did you mean `input`?");
  structure::refused((source + "  resistor 1.0 <> (input, m)\n  resistor 1.0 <> (n, g)\n").c_str(), "SR0308",
                     "nodes `m` and `n` join only one part each");
  structure::refused((source + "  local middle :: Pin\n  resistor 1.0 <> (input, m)\n").c_str(), "SR0308",
                     "did you mean `middle`, which nothing is connected to?");
  // All names of one letter are near to each other.
  Structure letter(source + "  resistor 1.0 <> (input, b)\n  resistor 1.0 <> (input, g)\n");
  CHECK(letter.messages.find("did you mean") == std::string::npos);
}

TEST_CASE("a node inside a part is reported in the part, once") {
  const char* source = R"(
import Electrical
part :: SR (p :: Pin, n :: Pin, u :: Voltage)
part = sigrel (p, n, u) where
  resistor 1.0  <> (p, m)
  resistor 1.0  <> (mm, n)
  u = p.v - n.v
first, second :: SR ()
first = sigrel () where
  constantVoltage 5.0 <> (a, g)
  part <> (a, g, u)
  ground <> g
second = sigrel () where
  constantVoltage 5.0 <> (a, g)
  x: part <> (a, g, u)
  y: part <> (a, g, v)
  ground <> g
)";
  Structure s(source);
  INFO(s.messages);
  CHECK(s.codes() == std::vector<std::string>{"SR0308"});
  CHECK(s.messages.find("nodes `m` and `mm` join only one part each") != std::string::npos);
  CHECK(s.messages.find("test.sr:5:24") != std::string::npos);
  CHECK(s.messages.find("because of this, `first` has fewer equations than unknowns") != std::string::npos);
}

TEST_CASE("a definition with fewer equations than flows is warned of; where a model fails, it is an error") {
  const std::string part = R"(
import Electrical
part :: SR (p :: Pin, n :: Pin)
part = sigrel (p, n) where
  resistor 1.0 <> (p, m)
  resistor 1.0 <> (m, q)
)";
  Structure alone(part);
  INFO(alone.messages);
  CHECK(alone.fine);
  REQUIRE(alone.codes() == std::vector<std::string>{"SR0308"});
  CHECK(alone.session.diagnostics().all().front().severity == Severity::Warning);
  CHECK(alone.messages.find("did you mean `n`, which nothing is connected to?") != std::string::npos);

  Structure used(part +
                 "main :: SR ()\nmain = sigrel () where\n  constantVoltage 5.0 <> (a, g)\n"
                 "  part <> (a, g)\n  ground <> g\n");
  INFO(used.messages);
  REQUIRE(used.codes() == std::vector<std::string>{"SR0308"});
  CHECK(used.session.diagnostics().all().front().severity == Severity::Error);
}

TEST_CASE("a connector that nothing in an unbalanced part is connected to is named") {
  structure::refused(R"(
import Electrical
half :: SR (p :: Pin, n :: Pin)
half = sigrel (p, n) where
  resistor 1.0 <> (p, m)
  resistor 2.0 <> (m, p)
main :: SR ()
main = sigrel () where
  constantVoltage 5.0 <> (a, g)
  half <> (a, g)
  ground <> g
)",
                     "SR0302", "nothing in `half` is connected to `n`");
}

TEST_CASE("a flat system has the same report as the definition, and one for all instances of a body") {
  const std::string model = kCircuit +
                            "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n"
                            "  resistor 1.0 <> (bb, g)\n  ground <> g\n";
  Session session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  session.load_text("test.sr", model);
  REQUIRE(session.check());
  Diagnostics flat;
  auto elaborated = elaborate::elaborate(session.program(), {}, flat);
  REQUIRE(elaborated);
  reduce::reduce(elaborated->system, flat);
  REQUIRE(flat.all().size() == 1);
  CHECK(render_text(flat.all().front(), session.sources(), false) == Structure(model).messages);

  Session twice({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  twice.load_text("test.sr",
                  "import Electrical\npart :: SR (p :: Pin, n :: Pin)\npart = sigrel (p, n) where\n"
                  "  resistor 1.0 <> (p, m)\n  resistor 1.0 <> (m, q)\n" +
                      kCircuit.substr(kCircuit.find("main")) +
                      "  constantVoltage 5.0 <> (a, g)\n  part <> (a, g)\n  part <> (a, g)\n  ground <> g\n");
  REQUIRE(twice.check());
  Diagnostics reports;
  auto both = elaborate::elaborate(twice.program(), {}, reports);
  REQUIRE(both);
  reduce::reduce(both->system, reports);
  CHECK(reports.error_count() == 1);
}

TEST_CASE("an element that is a node of one part") {
  structure::refused(R"(
import Electrical
ladder :: Int -> SR ()
ladder n = sigrel () where
  local m :: Pin^(n + 1)
  constantVoltage 1.0 <> (m[1], g)
  for i in 1 .. n do
    resistor 1.0 <> (m[i], m[i + 1])
  ground <> g
four :: SR ()
four = ladder 4
)",
                     "SR0308", "node `m[5]` joins only one part");
}

TEST_CASE("a node of one part in a mode that the run may come to is warned of") {
  Structure s(kCircuit +
              "  constantVoltage 5.0 <> (a, g)\n  switch Off where\n    mode Off where\n"
              "      resistor 2.0 <> (a, g)\n      until time > 1.0 -> On\n    mode On where\n"
              "      resistor 2.0 <> (a, b)\n  ground <> g\n");
  INFO(s.messages);
  CHECK(s.fine);
  CHECK(s.codes() == std::vector<std::string>{"SR0308"});
  CHECK(s.messages.find("warning[SR0308]: node `b` joins only one part in the mode `On`") !=
        std::string::npos);
}

TEST_CASE("a recursion that is singular for some sizes is an error, and no warning besides") {
  structure::refused(R"(
import Electrical
rod :: Int -> SR (p :: Pin, n :: Pin)
rod n = if n == 1 then resistor 1.0 else sigrel (p, q) where
  resistor 1.0 <> (p, m)
  rod (n - 1)  <> (mm, q)
)",
                     "SR0307", "for every n from 3 on, node `mm` joins only one part");
}

TEST_CASE("a signal in the interface of a part that no equation of the part contains") {
  auto model = [](const char* equation) {
    return std::string(
               "lag :: SR (u :: Real, y :: Real)\nlag = sigrel (u, y) where\n  local w :: Real\n"
               "  w = 2.0 * y\n  ") +
           equation +
           "\nmodel :: SR ()\nmodel = sigrel () where\n  local x, u, y :: Real\n  der x = 1.0 - u\n"
           "  x1: lag <> (u, y)\n  x = 3.0 * u\n";
  };
  CHECK(Structure(model("der y = u - y")).fine);
  structure::refused(("one :: SR ()\none = sigrel () where\n  local x, u, y :: Real\n  der x = 1.0 - u\n"
                      "  lag <> (u, y)\n" +
                      model("der y = 1.0 - w").substr(0, model("der y = 1.0 - w").find("model")))
                         .c_str(),
                     "SR0302", "`u` is in no equation of `lag`");
}
