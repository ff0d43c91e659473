// What the fuzzers found once, and a few hundred programs of the generator: neither crashes.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/fuzz/command_lines.h"
#include "tests/fuzz/front_end.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/json_documents.h"
#include "tests/fuzz/mistake.h"
#include "tests/fuzz/whole_run.h"

using namespace sigrel::fuzz;

TEST_CASE("what was found once is read") {
  for (const auto& entry : std::filesystem::directory_iterator(SIGREL_SOURCE_DIR "/tests/fuzz/found")) {
    INFO(entry.path());
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    run_front_end(text);
    run_whole(text);
    run_results(text);
  }
}

TEST_CASE("the harness parses and checks, with the library that a text imports") {
  const FrontEnd good = front_end("import Electrical\npart = resistor 1.0\n");
  CHECK(good.errors == "");
  CHECK((good.parses && good.checks));
  CHECK(good.formatted == "import Electrical\npart = resistor 1.0\n");
  const FrontEnd unknown = front_end("import Electrical\npart = resistr 1.0\n");
  CHECK(unknown.errors.starts_with("error[SR0105]"));
  CHECK((unknown.parses && !unknown.checks));
  CHECK_FALSE(front_end("part = (1.0\n").parses);
}

TEST_CASE("generated programs are read") {
  Random random(1);
  std::string text;
  for (int k = 0; k < 300; ++k) {
    std::string next = generate_module(random);
    run_front_end(next);
    text = mutate(text, next, random);
    if (text.size() > 3000) text.resize(3000);
    run_front_end(text);
  }
}

TEST_CASE("the harness of whole runs compiles and runs, and sees a failure") {
  const WholeRun good =
      whole_run("main = sigrel () where\n  local x :: Real\n  der x = -x\n  initially x = 1.0\n");
  CHECK(good.fault == "");
  CHECK((good.compiled && good.completed));
  const WholeRun pole =
      whole_run("main = sigrel () where\n  local x :: Real\n  der x = x^2\n  initially x = 1.0\n");
  CHECK(pole.fault == "");
  CHECK((pole.compiled && !pole.completed));
  CHECK(pole.errors.starts_with("error["));
}

TEST_CASE("mutants of a model run, or an error says why not") {
  const std::string model =
      "import Electrical\n\nmain = sigrel () where\n  sineVoltage 1.0 2.0 <> (a, g)\n  r1: resistor 10.0 <> "
      "(a, b)\n"
      "  c1: capacitor 1.0e-3 <> (b, g)\n  ground <> g\n  discrete n :: Int = 0\n  when b.v > 0.5 do\n"
      "    n := pre n + 1\n  initially c1.u = 0.0\n";
  Random random(3);
  int completed = 0;
  for (int k = 0; k < 80; ++k) {
    const std::string text = k % 4 == 0 ? mutate(model, model, random) : change_values(model, random);
    INFO(text);
    const WholeRun run = whole_run(text);
    CHECK(run.fault == "");
    completed += run.completed;
  }
  CHECK(completed > 5);
}

TEST_CASE("one mistake leads to a few errors") {
  std::minstd_rand random(11);
  int refused = 0;
  for (const char* name : {"examples/09_servo.sr", "examples/20_batch_reactor.sr",
                           "examples/21_breaking_pendulum.sr", "stdlib/Thermal.sr"}) {
    const Program program(std::string(SIGREL_SOURCE_DIR "/") + name);
    REQUIRE(errors_of_check(program.path(), program.text()).empty());
    for (int k = 0; k < 60; ++k) {
      const Program::Mistake mistake = program.make_mistake(random);
      const std::vector<std::string> errors = errors_of_check(program.path(), mistake.text);
      INFO(name << ": " << mistake.what);
      for (const std::string& error : errors) UNSCOPED_INFO(error);
      CHECK(errors.size() <= kErrorsOfOneMistake);
      refused += !errors.empty();
    }
  }
  CHECK(refused > 120);
}

TEST_CASE("damaged result files are read, or refused with a reason") {
  Random random(5);
  const std::string whole = "time,\"x [V]\",y\n0,1,2\n0.5,1e-3,-inf\n1,nan,1\n";
  CHECK(read_results(whole) == "");
  for (int k = 0; k < 500; ++k) {
    std::string damaged = whole;
    for (std::size_t changes = 1 + random() / 7 % 3; changes-- > 0;)
      damaged[random() / 7 % damaged.size()] = static_cast<char>(random() / 7 % 256);
    damaged.resize(1 + random() / 7 % damaged.size());
    INFO(damaged);
    CHECK(read_results(damaged) == "");
  }
}

TEST_CASE("random command lines end with a reason and leave their inputs alone") {
  CommandLines commands(SIGREL_EXECUTABLE);
  Random random(7);
  for (int k = 0; k < 40; ++k) {
    const std::vector<std::string> arguments = commands.generate(random);
    REQUIRE(!arguments.empty());
    std::string line;
    for (const std::string& argument : arguments) line += "'" + argument + "' ";
    INFO(line);
    CHECK(commands.run(arguments) == "");
  }
}

TEST_CASE("damaged JSON documents are read, or refused with a reason") {
  CommandLines commands(SIGREL_EXECUTABLE);
  Random random(9);
  for (int k = 0; k < 80; ++k) {
    const JsonDocument document = generate_json_document(random);
    INFO(document.text);
    CHECK(commands.run_with_document(document.arguments, document.text) == "");
  }
}
