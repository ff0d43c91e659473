// Changes of structure against closed forms: arguments of modes, transitions to the same mode, nested
// switches, switches in loops, priorities; by JIT and interpreter and by several integrators.
#include <cmath>
#if defined(__GLIBC__) && !defined(SIGREL_SANITIZED)
#include <malloc.h>
#endif

#include "compiler/pipeline/structures.h"
#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

template <class Check>
void eachWay(const char* expression, Check check) {
  for (const Backend backend : {Backend::Jit, Backend::Interpreter})
    for (const char* solver : {"auto", "cvode", "ida"})
      for (const double tolerance : {1e-6, 1e-9}) {
        INFO(expression << ", " << solver << ", " << tolerance);
        numeric::Model model("modes.sr", expression, {}, backend);
        const auto at = [&](double stop) {
          return model.run({.stop = stop, .tolerance = tolerance, .solver = solver});
        };
        check(at, 100 * tolerance);
      }
}

}  // namespace

TEST_CASE("a pendulum keeps its energy, breaks, and falls on a parabola") {
  eachWay("breaking", [](const auto& at, double accuracy) {
    const Run before = at(0.5), after = at(1.5);
    const double x = value(before, "x"), y = value(before, "y");
    const double vx = value(before, "vx"), vy = value(before, "vy");
    CHECK((vx * vx + vy * vy) / 2 + 9.81 * y == Approx(-0.8 * 9.81).epsilon(accuracy));
    CHECK(value(after, "x") == Approx(x + vx).epsilon(accuracy));
    CHECK(value(after, "y") == Approx(y + vy - 9.81 / 2).epsilon(accuracy));
    CHECK(std::isnan(value(after, "f")));  // the force exists in the mode Swinging only
  });
}

TEST_CASE("the example of a pendulum that breaks: its energy stays, before and after") {
  const std::string file = "../../../examples/21_breaking_pendulum.sr";
  for (const double stop : {0.4, 1.0}) {
    const Run run = numeric::Model(file).run({.stop = stop, .tolerance = 1e-9});
    const double vx = value(run, "p.vx"), vy = value(run, "p.vy");
    CHECK((vx * vx + vy * vy) / 2 + 9.81 * value(run, "y") == Approx(-0.8 * 9.81).epsilon(1e-7));
    const double length = std::hypot(value(run, "x"), value(run, "y"));
    CHECK((stop < 0.5 ? std::abs(length - 1) < 1e-7 : length > 2));
  }
}

TEST_CASE("the examples of a rectifier and of a rocket") {
  // From matrix exponentials of the modes of the rectifier; the rocket's is a polynomial in each mode.
  const Run rectifier = numeric::Model("../../../examples/22_rectifier.sr").run({.tolerance = 1e-9});
  CHECK(value(rectifier, "u") == Approx(8.920399401).epsilon(1e-7));
  CHECK(value(rectifier, "i") == Approx(0).margin(1e-9));
  const Run rocket = numeric::Model("../../../examples/23_rocket.sr").run({.tolerance = 1e-9});
  CHECK(value(rocket, "y2") == Approx(1232.208333).epsilon(1e-9));
  CHECK(value(rocket, "v2") == Approx(77.85).epsilon(1e-8));
}

TEST_CASE("a ball enters its mode again at each impact, with arguments") {
  eachWay("bouncing", [](const auto& at, double accuracy) {
    const double first = std::sqrt(2 * 10 / 9.81), v1 = 0.8 * 9.81 * first, second = first + 2 * v1 / 9.81;
    const auto height = [](double v, double t) { return v * t - 9.81 / 2 * t * t; };
    CHECK(value(at(3), "y") == Approx(height(v1, 3 - first)).epsilon(accuracy));
    CHECK(value(at(5), "y") == Approx(height(0.8 * v1, 5 - second)).epsilon(accuracy));
  });
}

TEST_CASE("the first transition that is due is taken, to the mode that its condition chooses") {
  eachWay("chosen True", [](const auto& at, double accuracy) {
    CHECK(value(at(0.75), "x") == Approx(0).margin(accuracy));
    CHECK(value(at(3), "x") == Approx(12).epsilon(accuracy));
  });
  eachWay("chosen False",
          [](const auto& at, double accuracy) { CHECK(value(at(3), "x") == Approx(0).margin(accuracy)); });
}

TEST_CASE("switches in a loop, with switches inside their modes, while a clock goes on") {
  eachWay("stages", [](const auto& at, double accuracy) {
    const Run run = at(2.95);
    CHECK(value(run, "x[1]") == Approx(-0.2).margin(accuracy));
    CHECK(value(run, "x[2]") == Approx(0.05).margin(accuracy));
    CHECK(value(run, "x[3]") == Approx(0.3).margin(accuracy));
    CHECK(value(run, "n") == 30);
  });
}

TEST_CASE("two switches leave their modes at one instant") {
  eachWay("two", [](const auto& at, double accuracy) {
    CHECK(value(at(0.5), "y") == Approx(1).epsilon(accuracy));
    const Run run = at(2.5);
    CHECK(value(run, "x") == Approx(7).epsilon(accuracy));
    CHECK(value(run, "y") == Approx(14).epsilon(accuracy));
  });
}

TEST_CASE("the list of relations that a mode applies grows at each transition") {
  eachWay("growing", [](const auto& at, double accuracy) {
    for (const int parts : {1, 2, 3, 4})
      CHECK(value(at(parts - 0.5), "s") == Approx(0.5 * parts).epsilon(accuracy));
  });
}

TEST_CASE("Modes: arguments are evaluated where their transition is due") {
  for (const char* solver : {"cvode", "ida"}) {
    const Run run =
        numeric::Model("modes.sr", "laterArguments").run({.stop = 1, .tolerance = 1e-9, .solver = solver});
    CHECK(value(run, "x") == Approx(0.5 + 0.5 * (2 + std::sqrt(0.1))).epsilon(1e-7));
  }
  CHECK(numeric::Model("modes.sr", "infiniteArgument").refusal({.stop = 1}).find("`argument of B`") !=
        std::string::npos);
}

TEST_CASE("Modes: transitions that accumulate end the run") {
  const double limit = 3 * std::sqrt(2 / 9.81);
  for (const char* solver : {"cvode", "adams", "ida"})
    for (const double tolerance : {1e-3, 1e-6, 1e-10}) {
      INFO(solver << ", " << tolerance);
      const std::string text = numeric::Model("modes.sr", "accumulating")
                                   .refusal({.stop = 10, .tolerance = tolerance, .solver = solver});
      CHECK(text.find("SR0511") != std::string::npos);
      // From where the bounces are smaller than the errors: less than a bounce of this size before the limit.
      const std::size_t at = text.find("at t = ");
      REQUIRE(at != std::string::npos);
      const double time = std::stod(text.substr(at + 7));
      CHECK(time < limit);
      CHECK(time > limit - (tolerance > 1e-4 ? 0.3 : 100 * std::sqrt(tolerance)));
    }
}

#if defined(__GLIBC__) && !defined(SIGREL_SANITIZED)
TEST_CASE("Modes: what structures take is estimated for their limit, with the equations of jumps") {
  const auto in_use = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd);
  };
  for (const char* expression : {"rooms", "shares"}) {
    INFO(expression);
    numeric::Model model("modes.sr", expression, {}, Backend::Interpreter);
    const pipeline::Structures& structures = *model.compiled().structures;
    const RunOptions begin{.stop = 0.02, .steps = 1, .outputs = std::vector<std::string>{}};
    RunOptions all = begin;
    all.stop = 0.19;
    model.run(begin);
    const double before = in_use(), estimated = static_cast<double>(structures.bytes());
    const std::size_t compiled = structures.compiled();
    model.run(all);
    CHECK(structures.compiled() >= compiled + 15);
    const double taken = in_use() - before, estimate = static_cast<double>(structures.bytes()) - estimated;
    INFO(taken << ", estimated " << estimate);
    CHECK(estimate > 0.7 * taken);
    CHECK(estimate < 1.3 * taken);
  }
}
#endif
