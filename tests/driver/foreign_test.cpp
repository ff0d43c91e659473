// `--library`: functions of a shared library, in a process of its own.
#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>

#include "process.h"

namespace {

const char* kModel = R"(
foreign import "sigrel_test_halve" halve :: Real -> Real
foreign import "sigrel_test_mix" mix :: Real -> Real -> Real -> Real

model :: SR ()
model = sigrel () where
  local x, y, z :: Real
  der x = -halve x
  y = mix 2.0 (halve 3.0) time
  halve z = 4.0
  initially x = 1.0

main = simulate model with { stop = 2.0, tolerance = 1.0e-9 }
)";

}  // namespace

TEST_CASE("foreign functions of a shared library") {
  std::string file = temporary("foreign.sr", kModel);
  for (const char* backend : {"jit", "interpreter"}) {
    Finished f = sigrel({"run", file, "--no-plot", "--backend", backend, "--library", SIGREL_TEST_LIBRARY});
    INFO(f.err);
    CHECK(f.code == 0);
    CHECK(f.out.find("x = 0.367879") != std::string::npos);  // exp (-1)
    CHECK(f.out.find("y = 5\n") != std::string::npos);
    CHECK(f.out.find("z = 8") != std::string::npos);
  }
}

TEST_CASE("without the library its functions are not found") {
  std::string file = temporary("foreign.sr", kModel);
  Finished f = sigrel({"run", file, "--no-plot"});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0119]: there is no C function `sigrel_test_halve`") != std::string::npos);
  CHECK(f.err.find("--library FILE.so") != std::string::npos);
}

TEST_CASE("a model reaches no function of the system, and no command runs one: SR0119") {
  for (const char* symbol :
       {"system", "_exit", "abort", "fork", "pause", "getpid", "sigrel_lookup1", "drand48"}) {
    const std::string file = temporary(
        "system.sr", "foreign import \"" + std::string(symbol) +
                         "\" f :: Real -> Real\nmain = sigrel () where\n  local y :: Real\n  y = f 1.0\n");
    for (std::vector<std::string> command : {std::vector<std::string>{"check"},
                                             {"run", "--no-plot"},
                                             {"run", "--no-plot", "--library", SIGREL_TEST_LIBRARY},
                                             {"dump", "plan"},
                                             {"explain", "--states"}}) {
      command.push_back(file);
      const Finished f = sigrel(command);
      INFO(symbol << " " << command[0] << "\n" << f.err);
      CHECK(f.code == 1);
      CHECK(f.err.find("error[SR0119]: there is no C function `" + std::string(symbol) + "`") !=
            std::string::npos);
    }
  }
}

TEST_CASE("an imported mathematical function has the arguments that it has in C: SR0119") {
  const Finished f = sigrel({"check", temporary("arity.sr",
                                                "foreign import \"hypot\" h :: Real -> Real\n"
                                                "main = sigrel () where\n  local y :: Real\n  y = h 1.0\n")});
  CHECK(f.code == 1);
  CHECK(f.err.find("error[SR0119]: the C function `hypot` has 2 arguments, not 1") != std::string::npos);
}

TEST_CASE("a check neither loads nor calls a shared library") {
  const std::string mark = temporary("library_was_used");
  setenv("SIGREL_TEST_MARK", mark.c_str(), 1);
  auto used = [&] {
    const bool there = std::filesystem::exists(mark);
    std::filesystem::remove(mark);
    return there;
  };
  const std::string file = temporary("foreign.sr", kModel);  // `y` needs the value of halve 3.0
  for (std::vector<std::string> command : {std::vector<std::string>{"check", file},
                                           {"check", "--types", file},
                                           {"doc", file, "-o", temporary("pages")}}) {
    command.insert(command.end(), {"--library", SIGREL_TEST_LIBRARY});
    const Finished f = sigrel(command);
    INFO(command[0] << "\n" << f.err);
    CHECK(f.code == 0);
    CHECK(!used());
    if (command[0] == "check") {
      CHECK(f.err.find("warning[SR0120]") != std::string::npos);
      CHECK(f.err.find("value of `halve`") != std::string::npos);
      CHECK(f.out.find("error") == std::string::npos);
    }
  }
  // Signals need no value: the model is checked to its end.
  const std::string wrong =
      temporary("wrong.sr",
                "foreign import \"sigrel_test_halve\" halve :: Real -> Real\n"
                "main = sigrel () where\n  local x, y :: Real\n  x = halve time\n  x = 1.0\n");
  const Finished singular = sigrel({"check", wrong, "--library", SIGREL_TEST_LIBRARY});
  INFO(singular.err);
  CHECK(singular.code == 1);
  CHECK(singular.err.find("SR0120") == std::string::npos);
  CHECK(!used());
  CHECK(sigrel({"run", file, "--no-plot", "--library", SIGREL_TEST_LIBRARY}).code == 0);
  CHECK(used());
  unsetenv("SIGREL_TEST_MARK");
}

TEST_CASE("a library that cannot be loaded") {
  std::string file = temporary("foreign.sr", kModel), text = temporary("text.so", "no library\n");
  for (const std::string& library : {text, std::string("no_such_library.so")}) {
    Finished f = sigrel({"run", file, "--library", library});
    CHECK(f.code == 1);
    CHECK(f.err.find("error[SR0006]") != std::string::npos);
  }
}
