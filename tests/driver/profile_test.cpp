// sigrel run --profile: where the time goes, and what limits the steps.
#include <cstdlib>

#include "process.h"

namespace {

/// The percentage in the line that ends with the text; -1 if there is none.
double percentage(const std::string& out, const std::string& end) {
  std::size_t at = out.find(end + "\n");
  if (at == std::string::npos) return -1;
  at = out.rfind('\n', at) + 1;
  return std::strtod(out.c_str() + at, nullptr);
}

const char* kFastAndSlow = R"(
wave :: Real -> SR (x :: Real)
wave w = sigrel (x) where
  local v
  der x = w * v
  der v = -w * x
  initially
    x = 1.0
    v = 0.0

model :: SR ()
model = sigrel () where
  local z
  slow: wave 0.01 <> a
  fast: wave 50.0 <> b
  z * exp z = a * b + 2.0

main = simulate model with { stop = 1.0 }
)";

}  // namespace

TEST_CASE("run --profile: the fast state limits the steps, and the loop is named") {
  Finished f = sigrel({"run", temporary("waves.sr", kFastAndSlow), "--no-plot", "--profile"});
  INFO(f.out);
  REQUIRE(f.code == 0);
  const double limited = std::max(percentage(f.out, "%  fast.v") + percentage(f.out, "%  b"),
                                  percentage(f.out, "%  fast.v") + percentage(f.out, "%  fast.x"));
  CHECK(limited > 85);
  CHECK(percentage(f.out, "%  slow.v") < 5);
  CHECK(f.out.find("z: 1 equation, solved ") != std::string::npos);
  CHECK(f.out.find("iterations of Newton's method") != std::string::npos);
  CHECK(f.out.find("z * exp z = a * b + 2.0   at ") != std::string::npos);
  CHECK(f.out.find("waves.sr:16:3") != std::string::npos);
}

TEST_CASE("run --profile changes no result") {
  const std::string file = SIGREL_SOURCE_DIR "/examples/10_rectifiers.sr";
  Finished with = sigrel({"run", file, "--no-plot", "-o", "-", "--profile"}),
           without = sigrel({"run", file, "--no-plot", "-o", "-"});
  REQUIRE(with.code == 0);
  CHECK(with.out.starts_with(without.out));
}

TEST_CASE("run --profile with every solver, and where the structure changes") {
  for (const char* solver : {"cvode", "adams", "ida", "qss"}) {
    Finished f =
        sigrel({"run", temporary("waves.sr", kFastAndSlow), "--no-plot", "--profile", "--solver", solver});
    INFO(solver << f.out << f.err);
    CHECK(f.code == 0);
    CHECK(f.out.find("initial values") != std::string::npos);
  }
  Finished f = sigrel({"run", SIGREL_SOURCE_DIR "/examples/22_rectifier.sr", "--no-plot", "--profile"});
  INFO(f.out);
  CHECK(f.code == 0);
  CHECK(percentage(f.out, "%  c.u") > 10);
}
