// A loop with several solutions, x^3 - e x = s: the run stays on the solution that it has started on, and
// where that one ends, at s = 2 (e / 3)^(3/2), it says so. The loop is solved at the rows alone, or in every
// evaluation of the integrator; the rows are so coarse that the end lies anywhere between two of them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/numeric/numeric.h"

using namespace sigrel;
using numeric::column;

namespace {

enum class Kind { Time, Observed, Integrated };

struct Fold {
  Kind kind;
  double e, amplitude, frequency;
  int steps;

  /// The last source value of the branch with negative x.
  double end() const { return 2 * std::pow(e / 3, 1.5); }
  double source(double t) const { return amplitude * std::sin(frequency * t - 1.5); }
  /// Infinite: the branch does not end before 1 s.
  double end_time() const {
    return amplitude > end() ? (std::asin(end() / amplitude) + 1.5) / frequency : HUGE_VAL;
  }
  /// The solution on the branch, by Newton's method from below, where the cubic is concave.
  double x(double t) const {
    double x = -2 - 2 * std::cbrt(amplitude) - e;
    for (int k = 0; k < 200; ++k) x -= (x * x * x - e * x - source(t)) / (3 * x * x - e);
    return x;
  }
  std::string text() const {
    const char* loop = "x * x * x - {0} * x = {1} * s";
    const char* states =
        "der s = {2} * c\n  der c = -{2} * s\n  initially\n    s = sin (-1.5)\n    c = cos (-1.5)";
    const std::string body =
        kind == Kind::Time ? "local x :: Real\n  x * x * x - {0} * x = {1} * sin ({2} * time - 1.5)"
        : kind == Kind::Observed
            ? fmt::format("local x, s, c :: Real\n  {}\n  {}", loop, states)
            : fmt::format("local x, s, c, y :: Real\n  {}\n  der y = x\n  initially y = 0.0\n  {}", loop,
                          states);
    return fmt::format(
        fmt::runtime("main = simulate m with {{ stop = 1.0, steps = {3} }}\nm :: SR ()\nm = sigrel () where\n"
                     "  " +
                     body + "\n  guess x = {4}\n"),
        e, amplitude, frequency, steps, -2 - 2 * std::cbrt(amplitude) - e);
  }
};

Fold draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const int steps[] = {1, 2, 3, 5, 8, 20, 100};
  Fold fold{.kind = static_cast<Kind>(seed % 3),
            .e = std::pow(10, uniform(-2, 0.3)),
            .amplitude = 0,
            .frequency = uniform(0.5, 3),
            .steps = steps[random() % 7]};
  fold.amplitude = fold.end() * uniform(0.8, 10);
  // The start is on the branch alone.
  fold.amplitude = std::max(fold.amplitude, 1.1 * fold.end() / std::sin(1.5));
  if (seed % 4 == 0) fold.frequency = uniform(0.1, 1.5);  // the source stays negative
  return fold;
}

}  // namespace

TEST_CASE("A loop stays on its solution, and a run says where that ends") {
  int ended = 0, stayed = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const Fold fold = draw(seed);
    for (const char* solver : {"auto", "cvode", "ida", "qss"}) {
      INFO("seed " << seed << ", " << solver << "\n" << fold.text());
      Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
      REQUIRE(session.load_text("fold.sr", fold.text()));
      REQUIRE(session.check());
      const auto model = session.compile({}, Backend::Interpreter);
      REQUIRE(model);
      RunOptions options{.solver = solver};
      options.solver = solver;
      const Run run = session.run(*model, options);
      std::string messages;
      bool told = false;
      for (const Diagnostic& d : session.diagnostics().all()) {
        messages += render_text(d, session.sources(), false);
        told = told || d.code == (fold.kind == Kind::Integrated ? Code::LoopNotSolved : Code::BranchJump);
      }
      INFO(messages);
      const double end = fold.end_time();
      const bool quantised = options.solver == std::string("qss");
      if (end > 1.001) {
        CHECK(run.completed());
        CHECK_FALSE(told);
        ++stayed;
      } else if (end < 0.999) {
        CHECK(told);
        CHECK(run.completed() == (fold.kind != Kind::Integrated));
        if (!run.completed()) CHECK(run.outcome.failure.time == Approx(end).margin(quantised ? 5e-3 : 1e-3));
        // Quantised states are not interpolated between rows.
        for (const runtime::BranchJump& jump : run.outcome.jumps)
          CHECK(jump.time == Approx(end).margin(quantised ? 1.0 / fold.steps : 1e-4));
        ++ended;
      }
      const std::vector<double>&times = run.trajectory.times(), x = column(run, "x");
      for (std::size_t row = 0; row < times.size(); ++row)
        if (times[row] < end - 1e-3) CHECK(x[row] == Approx(fold.x(times[row])).margin(1e-3));
    }
  }
  CHECK(stayed > 80);
  CHECK(ended > 160);
}

TEST_CASE("A state that grows without bound is no end of the loop that reads it") {
  // x = 1 / (1 - t); the solution of each loop goes on for every x.
  for (const char* loop : {"y * y * y + y = x", "y * y * y - y = -x", "exp y + y = x"})
    for (const char* solver : {"auto", "cvode", "ida", "qss"}) {
      const std::string text = fmt::format(
          "main = simulate m with {{ stop = 2.0, solver = \"{}\" }}\nm :: SR ()\nm = sigrel () where\n"
          "  local x, y, z :: Real\n  der x = x * x + 0.0 * y\n  {}\n  der z = y - z\n  initially\n    x = "
          "1.0\n"
          "    z = 0.0\n  guess y = -1.5\n",
          solver, loop);
      INFO(text);
      Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
      REQUIRE(session.load_text("blowup.sr", text));
      REQUIRE(session.check());
      const auto model = session.compile({}, Backend::Interpreter);
      REQUIRE(model);
      const Run run = session.run(*model, {});
      CHECK(!run.completed());
      CHECK(run.outcome.failure.kind != runtime::FailureKind::BranchEnds);
    }
}

namespace {

/// x^3 - a x + p y = s(t), y^3 - b y + q x = r(t), with p so small that tearing, which takes y from the first
/// equation, moves it far where s moves little.
struct Pair {
  double a, b, p, q, amplitude[2], frequency, phase[2];
  int steps;
  double x = 0, y = 0;  // at the start

  double source(int k, double t) const { return amplitude[k] * std::sin(frequency * t + phase[k]); }
  double determinant() const { return (3 * x * x - a) * (3 * y * y - b) - p * q; }
  /// By Newton's method from the present values. False: it does not converge.
  bool solve(double t) {
    for (int k = 0; k < 30; ++k) {
      const double f = x * x * x - a * x + p * y - source(0, t), g = y * y * y - b * y + q * x - source(1, t);
      const double d = determinant(), dx = (f * (3 * y * y - b) - p * g) / d;
      const double dy = ((3 * x * x - a) * g - q * f) / d;
      x -= dx, y -= dy;
      if (std::abs(dx) + std::abs(dy) < 1e-12) return true;
    }
    return false;
  }
  /// In steps so short that a jump is seen. False: the branch ends before t.
  bool follow(double from, double t) {
    for (int k = 1; k <= 400; ++k) {
      const Pair before = *this;
      if (!solve(from + (t - from) * k / 400) || std::abs(x - before.x) + std::abs(y - before.y) > 0.05)
        return false;
      if (before.determinant() * determinant() < 0) return false;
    }
    return true;
  }
  std::string text() const {
    return fmt::format(
        "main = simulate m with {{ stop = 1.0, steps = {} }}\nm :: SR ()\nm = sigrel () where\n"
        "  local x, y, s, r :: Real\n"
        "  x * x * x - {} * x + {} * y = s\n  y * y * y - {} * y + ({}) * x = r\n"
        "  s = {} * sin ({} * time + ({}))\n  r = {} * sin ({} * time + ({}))\n  guess\n"
        "    x = {}\n    y = {}\n",
        steps, a, p, b, q, amplitude[0], frequency, phase[0], amplitude[1], frequency, phase[1], x, y);
  }
};

Pair draw_pair(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto uniform = [&](double a, double b) {
    return a + (b - a) * static_cast<double>(random() >> 11) * 0x1p-53;
  };
  const int steps[] = {5, 10, 20, 50};
  for (;;) {
    Pair pair{.a = uniform(0.3, 2),
              .b = uniform(0.3, 2),
              .p = uniform(0.02, 0.1),
              .q = uniform(-0.4, 0.4),
              .amplitude = {uniform(0.3, 1), uniform(0.3, 1)},
              .frequency = uniform(0.5, 4),
              .phase = {uniform(-1.5, 1.5), uniform(-1.5, 1.5)},
              .steps = steps[random() % 4]};
    pair.x = uniform(-2, 2), pair.y = uniform(-2, 2);
    if (pair.solve(0) && std::abs(pair.determinant()) > 0.1) return pair;
  }
}

}  // namespace

TEST_CASE("A loop of which tearing moves the other unknowns far stays on its solution") {
  int stayed = 0, ended = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Pair pair = draw_pair(seed);
    INFO("seed " << seed << "\n" << pair.text());
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE(session.load_text("pair.sr", pair.text()));
    REQUIRE(session.check());
    const auto model = session.compile({}, Backend::Interpreter);
    REQUIRE(model);
    const Run run = session.run(*model, {});
    const bool told = !run.outcome.jumps.empty() || !run.completed();
    const std::vector<double>&times = run.trajectory.times(), x = column(run, "x"), y = column(run, "y");
    bool follows = true;
    for (std::size_t row = 0; row < times.size() && follows; ++row) {
      follows = row == 0 || pair.follow(times[row - 1], times[row]);
      if (!follows) break;
      CHECK(x[row] == Approx(pair.x).margin(1e-4));
      CHECK(y[row] == Approx(pair.y).margin(1e-4));
    }
    if (follows && !run.completed()) follows = pair.follow(times.back(), run.outcome.failure.time + 1e-3);
    CHECK(told == !follows);
    ++(follows ? stayed : ended);
  }
  CHECK(stayed > 15);
  CHECK(ended > 15);
}

TEST_CASE("The end of a branch between a row and an event is told") {
  // x^2 = 0.5 - s has no solution from 0.5 s until 0.6 s.
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  REQUIRE(
      session.load_text("event.sr",
                        "main = simulate m with { stop = 1.2, steps = 3 }\nm :: SR ()\nm = sigrel () where\n"
                        "  local x, s :: Real\n  x * x = 0.5 - s\n"
                        "  s = if time < 0.6 then time else 0.3\n  guess x = -0.7\n"));
  REQUIRE(session.check());
  const auto model = session.compile({}, Backend::Interpreter);
  REQUIRE(model);
  for (const bool rows : {true, false}) {
    RunOptions options;
    options.events = rows;
    const Run run = session.run(*model, options);
    REQUIRE(run.completed());
    REQUIRE(run.outcome.jumps.size() == 1);
    CHECK(run.outcome.jumps[0].time == Approx(0.5).margin(1e-4));
  }
}

TEST_CASE("A run that creeps along the end of a branch is an error at once") {
  // At x = 1 the loop has no derivative; steps of 1e-9 s would go on for hours.
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  REQUIRE(session.load_text("circle.sr",
                            "main = simulate m with { stop = 2.0 }\nm :: SR ()\nm = sigrel () where\n"
                            "  local x, y :: Real\n  der x = 2.3 * y\n  x^2 + y^2 = 1.0\n"
                            "  initially x = 0.0\n  guess y = 1.0\n"));
  REQUIRE(session.check());
  const auto model = session.compile({}, Backend::Interpreter);
  REQUIRE(model);
  for (const char* solver : {"auto", "cvode", "adams"}) {
    INFO(solver);
    const Run run = session.run(*model, {.solver = solver});
    CHECK_FALSE(run.completed());
    CHECK(run.outcome.failure.kind == runtime::FailureKind::BranchEnds);
    CHECK(run.outcome.failure.time == Approx(std::numbers::pi / 2 / 2.3).epsilon(1e-3));
  }
}

TEST_CASE("A row at which the method contracts to another solution by chance") {
  // Between the rows at 0 and 0.1 s the slope of y + 1.53 sin (2 y) triples: from the first one the method
  // jumps next to the solution behind its fold.
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  REQUIRE(session.load_text(
      "chance.sr",
      "main = simulate m with { stop = 0.1, steps = 1 }\nm :: SR ()\nm = sigrel () where\n"
      "  local x, y, z, r, s, t :: Real\n"
      "  x + 2.9849968252527184 * sin (2.0 * x) - 0.09519077907608171 * y + 0.013379719568732351 * z = r\n"
      "  y + 1.5286911386482438 * sin (2.0 * y) - 0.08251041863140224 * x - 0.3694340298021574 * z = s\n"
      "  z + 1.315297941790563 * sin (2.0 * z) + 0.02474561403071379 * x = t\n"
      "  r = 0.8990484660307331 * sin (5.40162027811529 * time - 0.4236778636457639)\n"
      "  s = 2.5966301746737943 * sin (5.40162027811529 * time - 1.1382405559020818)\n"
      "  t = 0.45847603541882725 * sin (5.40162027811529 * time - 0.06528949344088586)\n"
      "  guess\n    x = -0.06761974288987545\n    y = -1.0565171545374066\n    z = -0.00777832078502991\n"));
  REQUIRE(session.check());
  const auto model = session.compile({}, Backend::Interpreter);
  REQUIRE(model);
  const Run run = session.run(*model, {});
  REQUIRE(run.completed());
  CHECK(run.outcome.jumps.empty());
  CHECK(numeric::value(run, "y") == Approx(-1.63399991));
}

TEST_CASE("Loops with one smooth solution are followed over rows that are far apart") {
  // G x + f(x) = s(time) with the sum of G and its transpose positive definite and f ascending: of one or two
  // unknowns, with slopes of f from 0 to thousands, so that a tearing variable determines the other one
  // badly.
  std::mt19937_64 random(1);
  auto between = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const char* ascending[] = {"{0} * {1}^3", "{0} * atan (20.0 * {1})", "{0} * (exp {1} - 1.0)",
                             "{0} * {1} * sqrt (1.0 + {1}^2)", "{0} * {1}^5"};
  for (int k = 0; k < 60; ++k) {
    const double a = between(0.1, 1), d = between(0.1, 1), sum = 1.8 * std::sqrt(a * d) * between(-1, 1),
                 difference = between(-3, 3);
    const double g[2][2] = {{a, (sum + difference) / 2}, {(sum - difference) / 2, d}};
    std::string text = "m :: SR ()\nm = sigrel () where\n  local x, y :: Real\n";
    for (int row = 0; row < 2; ++row) {
      const std::string f = fmt::format(fmt::runtime(ascending[random() % 5]), std::pow(10, between(-2, 2)),
                                        row == 0 ? "x" : "y");
      const double size = std::pow(10, between(-1, 2)), rate = std::pow(10, between(-1, 1.5));
      text += fmt::format("  ({}) * x + ({}) * y + {} = {} * cos ({} * time){}\n", g[row][0], g[row][1], f,
                          size, rate, random() % 2 ? " * time" : "");
    }
    text += fmt::format("main = simulate m with {{ stop = 20.0, steps = {} }}\n", 4 << random() % 3);
    INFO(text);
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE((session.load_text("smooth.sr", text) && session.check()));
    const auto model = session.compile({}, Backend::Interpreter);
    REQUIRE(model);
    const Run run = session.run(*model, {});
    REQUIRE(run.completed());
    CHECK(run.outcome.jumps.empty());
  }
}
