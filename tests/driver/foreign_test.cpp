// `--library`: functions of a shared library, in a process of its own.
#include <catch2/catch.hpp>

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

TEST_CASE("a library that cannot be loaded") {
  std::string file = temporary("foreign.sr", kModel), text = temporary("text.so", "no library\n");
  for (const std::string& library : {text, std::string("no_such_library.so")}) {
    Finished f = sigrel({"run", file, "--library", library});
    CHECK(f.code == 1);
    CHECK(f.err.find("error[SR0006]") != std::string::npos);
  }
}
