// What 0/1 structure cannot see: N-8 of the reference cases and circuits, good ones and faulty ones, through
// the whole front end.
#include <catch2/catch.hpp>

#include "compiler/session/session.h"

using namespace sigrel;

namespace {

struct Checked {
  explicit Checked(const std::string& text) : session({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true}) {
    session.load_text("test.sr", text);
    bool well_typed = session.check();
    if (well_typed) session.check_structure();
    for (const Diagnostic& d : session.diagnostics().all()) {
      codes.emplace_back(info(d.code).id);
      messages += render_text(d, session.sources(), false);
    }
  }
  Session session;
  std::vector<std::string> codes;
  std::string messages;
};

const std::string kParts = R"(
import Electrical

-- | An ideal transformer: `n` turns of the first winding for one of the second.
transformer :: Real -> SR (p1 :: Pin, n1 :: Pin, p2 :: Pin, n2 :: Pin)
transformer n = sigrel (p1, n1, p2, n2) where
  p1.v - n1.v = n * (p2.v - n2.v)
  n * p1.i + p2.i = 0.0
  p1.i + n1.i = 0.0
  p2.i + n2.i = 0.0

-- | A connection without resistance.
wire :: SR (p :: Pin, n :: Pin)
wire = sigrel (p, n) where
  p.v = n.v
  p.i + n.i = 0.0

-- | An ideal operational amplifier: no current into its inputs, no voltage between them.
amplifier :: SR (p :: Pin, n :: Pin, out :: Pin)
amplifier = sigrel (p, n, out) where
  p.v = n.v
  p.i = 0.0
  n.i = 0.0

)";

Checked circuit(const std::string& body) {
  return Checked(kParts + "circuit :: SR ()\ncircuit = sigrel () where\n" + body);
}

void fine(const std::string& body) {
  Checked c = circuit(body);
  INFO(body << c.messages);
  CHECK(c.codes.empty());
}

void refused(const std::string& body, const std::string& code, const std::string& part) {
  Checked c = circuit(body);
  INFO(body << c.messages);
  CHECK(c.codes == std::vector{code});
  CHECK(c.messages.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("N-8: source and resistor, with grounds enough, too many, and none") {
  fine("  constantVoltage 5.0 <> (a, g)\n  resistor 10.0 <> (a, g)\n  ground <> g\n");
  refused("  constantVoltage 5.0 <> (a, g)\n  constantVoltage 5.0 <> (a, g)\n  ground <> g\n", "SR0301",
          "of `circuit` determine only");
  refused("  constantVoltage 5.0 <> (a, g)\n  resistor 10.0 <> (a, g)\n  ground <> g\n  ground <> g\n",
          "SR0301", "of `circuit` determine only");
  refused("  constantVoltage 5.0 <> (a, g)\n  resistor 10.0 <> (a, g)\n", "SR0312",
          "nothing determines the common reference of `a.v` and `g.v`: every equation contains only their "
          "differences");
}

TEST_CASE("N-8: a resistor with its balance written twice and no voltage is wrong where it is defined") {
  Checked c(
      "import Electrical\n"
      "wrong :: Resistance -> SR (p :: Pin, n :: Pin)\n"
      "wrong r = sigrel (p, n) where\n"
      "  local u :: Voltage\n"
      "  p.i + n.i = 0.0\n"
      "  r * p.i = u\n"
      "  n.i + p.i = 0.0\n"
      "row r = sigrel (p :: Pin, n :: Pin) where\n  wrong r <> (p, m)\n  wrong r <> (m, n)\n"
      "model :: SR ()\nmodel = sigrel () where\n  constantVoltage 5.0 <> (a, g)\n  row 10.0 <> (a, g)\n  "
      "ground <> g\n");
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0311"});
  CHECK(c.messages.find("2 equations of `wrong` say the same") != std::string::npos);
  CHECK(c.messages.find("test.sr:7:3") != std::string::npos);
  CHECK(c.messages.find("what this says of `p.i` and `n.i` follows from the other equation") !=
        std::string::npos);
}

TEST_CASE(
    "fifteen circuits, eight of them faulty: four are a matter of counting, four of coefficients, of which "
    "three do no harm") {
  SECTION("good ones") {
    fine(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n  ground <> "
        "g\n");
    // Two capacitors in a loop: their voltages are tied, the currents are their derivatives.
    fine(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n  capacitor "
        "2.0 <> (b, g)\n  ground <> g\n");
    // A capacitor between the poles of a source.
    fine("  sineVoltage 5.0 50.0 <> (a, g)\n  capacitor 1.0 <> (a, g)\n  ground <> g\n");
    // Inductors in series: a cut that only inductors and a current source cross.
    fine(
        "  constantVoltage 5.0 <> (a, g)\n  inductor 1.0 <> (a, b)\n  inductor 2.0 <> (b, c)\n  resistor 1.0 "
        "<> (c, g)\n  ground <> g\n");
    fine(
        "  constantCurrent 1.0 <> (g, a)\n  inductor 1.0 <> (a, b)\n  resistor 1.0 <> (b, g)\n  ground <> "
        "g\n");
    // A bridge, whose resistors have all the same value.
    fine(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  resistor 1.0 <> (b, g)\n  resistor 1.0 "
        "<> (a, c)\n  resistor 1.0 <> (c, g)\n"
        "  resistor 1.0 <> (b, c)\n  ground <> g\n");
    // A transformer with both sides grounded, and an inverting amplifier.
    fine(
        "  sineVoltage 5.0 50.0 <> (a, g)\n  transformer 10.0 <> (a, g, b, g)\n  resistor 1.0 <> (b, g)\n  "
        "ground <> g\n");
    fine(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  resistor 10.0 <> (b, c)\n  amplifier "
        "<> (g, b, c)\n  ground <> g\n");
  }
  SECTION("faults of structure") {
    refused(
        "  constantVoltage 5.0 <> (a, g)\n  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, g)\n  "
        "ground <> g\n",
        "SR0301", "`circuit`");
    refused(
        "  constantCurrent 1.0 <> (a, b)\n  constantCurrent 2.0 <> (b, g)\n  resistor 1.0 <> (a, g)\n  "
        "ground <> g\n",
        "SR0301", "`circuit`");
    refused("  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, g)\n  ground <> g\n  ground <> a\n",
            "SR0301", "`circuit`");
    refused(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  resistor 1.0 <> (b, c)\n  "
        "constantCurrent 1.0 <> (c, d)\n  open <> d\n  ground <> g\n",
        "SR0301", "`circuit`");
  }
  SECTION("a forgotten ground") {
    refused("  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n",
            "SR0312", "nothing determines the common reference of `a.v`, `g.v` and `b.v`");
  }
  SECTION("a secondary side that floats") {
    refused(
        "  sineVoltage 5.0 50.0 <> (a, g)\n  transformer 10.0 <> (a, g, b, c)\n  resistor 1.0 <> (b, c)\n  "
        "ground <> g\n",
        "SR0312", "nothing determines the common reference of `b.v` and `c.v`");
  }
  SECTION("an island") {
    refused(
        "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, g)\n  resistor 1.0 <> (b, c)\n  capacitor "
        "1.0 <> (c, d)\n  inductor 1.0 <> (d, b)\n"
        "  ground <> g\n",
        "SR0312", "nothing determines the common reference of `b.v`, `c.v` and `d.v`");
  }
  SECTION("two wires between the same nodes") {
    refused(
        "  constantCurrent 5.0 <> (a, g)\n  wire <> (a, b)\n  wire <> (a, b)\n  resistor 1.0 <> (b, g)\n  "
        "ground <> g\n",
        "SR0311", "2 equations of `circuit` say the same");
  }
}

TEST_CASE("one cause, one error, through five levels of use") {
  Checked c(kParts +
            "stage :: Resistance -> SR (p :: Pin, n :: Pin)\nstage r = sigrel (p, n) where\n  transformer "
            "2.0 <> (p, n, b, c)\n  resistor r <> (b, c)\n"
            "two r = series (stage r) (stage r)\n"
            "three r = parallel (two r) (stage r)\n"
            "four r = sigrel (p :: Pin, n :: Pin) where\n  three r <> (p, m)\n  inductor 1.0 <> (m, n)\n"
            "five :: SR ()\nfive = sigrel () where\n  constantVoltage 1.0 <> (a, g)\n  four 2.0 <> (a, g)\n  "
            "ground <> g\n");
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0312"});
  CHECK(c.messages.find("stage r = sigrel") != std::string::npos);
  CHECK(c.messages.find("`b.v` and `c.v`") != std::string::npos);
}

TEST_CASE("what only a use makes singular is said of the use") {
  // Nothing is wrong with a wire, nor with two of them in a row.
  Checked c(
      "import Electrical\nwire :: SR (p :: Pin, n :: Pin)\nwire = sigrel (p, n) where\n  p.v = n.v\n  p.i + "
      "n.i = 0.0\n"
      "row = series wire wire\nring = parallel wire row\n");
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0304"});
  CHECK(c.messages.find("`parallel` cannot be completed by what it is applied to") != std::string::npos);
  CHECK(c.messages.find("with these, some of its equations are redundant") != std::string::npos);
}

TEST_CASE("what depends on itself in a circle is no missing reference") {
  Checked c("f :: SR ()\nf = sigrel () where\n  local x, y, z :: Real\n  x = y\n  y = z\n  z = x\n");
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0311"});
  CHECK(c.messages.find("so nothing determines `x`, `y` and `z`") != std::string::npos);
}

TEST_CASE("unknowns of which only a combination is determined") {
  Checked c(
      "f :: SR (p :: Real, q :: Real)\nf = sigrel (p, q) where\n  local x, y :: Real\n  x + y = p\n  2.0 * x "
      "+ 2.0 * y = q\n");
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0302"});
  CHECK(c.messages.find("nothing determines `x` and `y` in `f`") != std::string::npos);
}

namespace {

/// What `run` says of a model, without notes.
std::string said_by_run(const std::string& model, bool compiles) {
  Session running({{{}, SIGREL_SOURCE_DIR "/stdlib"}, true});
  running.load_text("test.sr", model);
  REQUIRE(running.check());
  CHECK((running.compile({}, Backend::Interpreter) != nullptr) == compiles);
  std::string messages;
  for (const Diagnostic& d : running.diagnostics().all())
    if (d.severity != Severity::Note) messages += render_text(d, running.sources(), false);
  return messages;
}

const std::string kLeak =
    "leak :: SR (p :: Pin, n :: Pin)\nleak = sigrel (p, n) where\n  p.v - n.v = 2.0<Ohm> * p.i\n  p.i + n.i "
    "= 1.0<A>\n";

}  // namespace

TEST_CASE("check and run say the same of a missing reference") {
  auto same = [](const std::string& parts, const std::string& body, const std::string& code) {
    const std::string model =
        kParts + parts + "circuit :: SR ()\ncircuit = sigrel () where\n" + body + "main = simulate circuit\n";
    Checked checked(model);
    INFO(checked.messages);
    CHECK(checked.codes == std::vector{code});
    CHECK(said_by_run(model, code == "SR0312") == checked.messages);
  };
  const std::string loop =
      "  constantVoltage 5.0 <> (a, g)\n  resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n";
  same("", loop, "SR0312");
  // Nodes where three currents meet: no two of the equations are aliases.
  same("", loop + "  resistor 2.0 <> (a, g)\n  resistor 3.0 <> (b, g)\n", "SR0312");
  // It matters where the level is when something looks at it, and when the currents do not balance by
  // themselves.
  same("", loop + "  local x :: Real\n  x = if a.v > 1.0<V> then 1.0 else 2.0\n", "SR0310");
  same(kLeak, "  constantVoltage 5.0 <> (a, g)\n  leak <> (a, g)\n", "SR0310");
}

TEST_CASE("a level in a part and one around it are two warnings, wherever the part is used") {
  const std::string model = kParts +
                            "stage :: Resistance -> SR (p :: Pin, n :: Pin)\nstage r = sigrel (p, n) where\n "
                            " transformer 2.0 <> (p, n, b, c)\n"
                            "  resistor r <> (b, c)\n"
                            "circuit :: SR ()\ncircuit = sigrel () where\n  sineVoltage 5.0 50.0 <> (a, g)\n "
                            " stage 1.0 <> (a, g)\n  stage 2.0 <> (a, g)\n"
                            "main = simulate circuit\n";
  Checked c(model);
  INFO(c.messages);
  CHECK(c.codes == std::vector<std::string>{"SR0312", "SR0312"});
  CHECK(c.messages.find("nothing determines the common reference of `b.v` and `c.v`") != std::string::npos);
  CHECK(c.messages.find("nothing determines the common reference of `a.v` and `g.v`") != std::string::npos);
  CHECK(said_by_run(model, true) == c.messages);
}

TEST_CASE("what starts or is asserted at an arbitrary level is told for the whole model") {
  const std::string loop =
      "import Electrical\ncircuit :: SR ()\ncircuit = sigrel () where\n  constantVoltage 5.0 <> (a, g)\n  "
      "resistor 1.0 <> (a, b)\n  capacitor 1.0 <> (b, g)\n";
  auto says = [&](const std::string& item, bool fine, const std::string& part) {
    std::string said = said_by_run(loop + item + "main = simulate circuit\n", fine);
    INFO(said);
    CHECK(said.find(part) != std::string::npos);
  };
  says("  initially b.v = 1.0\n", false, "its start depends on the absolute value");
  says("  initially b.v - g.v = 1.0\n", true, "warning[SR0312]");
  says("  assert \"high\" a.v < 10.0\n", false, "a condition here depends on the absolute value");
}
