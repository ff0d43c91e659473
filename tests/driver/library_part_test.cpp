// Processes that have parsed nothing but their model and what it mentions of the library.
#include "process.h"

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("an expression mentions what the file does not") {
  const std::string file = temporary("numbers.sr", "numbers = [1.0, 2.0]\n");
  Finished f = sigrel(
      {"run", file, "-e",
       "sigrel () where { local x :: Real; der x = real (length (reverse numbers)); initially x = 0.0 }"});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(contains(f.out, "x = 2"));
}

TEST_CASE("a suggestion names what the file does not mention") {
  const std::string file = temporary("misspelt.sr", "import Electrical\nmain = resistr 1.0\n");
  Finished f = sigrel({"check", file});
  CHECK(f.code == 1);
  CHECK(contains(f.err, "`resistor`"));
}

TEST_CASE("a field is found although nothing mentions its record") {
  const std::string file = temporary("field.sr",
                                     "import Electrical (ground, resistor, constantVoltage)\n"
                                     "main = sigrel () where\n"
                                     "  local power :: Real\n"
                                     "  constantVoltage 5.0 <> (a, g)\n"
                                     "  r: resistor 10.0 <> (a, g)\n"
                                     "  ground <> g\n"
                                     "  power = a.v * r.u\n");
  Finished f = sigrel({"run", file, "--no-plot"});
  INFO(f.err);
  CHECK(f.code == 0);
  CHECK(contains(f.out, "= 25"));
}
