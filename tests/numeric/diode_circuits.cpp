// Random circuits of resistors, diodes, a sine and a capacitor. At each row the reference tries all modes of
// the diodes, open or closed, on the nodal equations with the voltages of source and capacitor as given: a
// passive circuit has one solution. The sine is zero at the start and twice in a period, and parts without a
// current have nothing but rounding errors; there all diodes are undecided together.
#include <Eigen/LU>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/numeric/numeric.h"

using namespace sigrel;
using numeric::column;

namespace {

constexpr double kOn = 1e-3, kOff = 1e-5;  // resistance and conductance

struct Branch {
  int a = 0, b = 0;
  double value = 0;
};

struct Circuit {
  int nodes = 0;  // beside the ground, 0; the source is at node 1
  double amplitude = 0, frequency = 0;
  std::vector<Branch> resistors = {}, diodes = {};
  bool has_capacitor = false;  // at the last node, to the ground
};

Circuit draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto magnitude = [&] { return std::round(std::pow(10.0, 0.01 * below(150)) * 100) / 100; };
  Circuit c{.nodes = 2 + below(4), .amplitude = magnitude(), .frequency = 0.5 * (1 + below(4))};
  for (int j = 2; j <= c.nodes; ++j) c.resistors.push_back({j, below(j), magnitude()});
  for (int k = 1 + below(5); k > 0; --k) {
    const int a = below(c.nodes + 1);
    c.diodes.push_back({a, (a + 1 + below(c.nodes)) % (c.nodes + 1)});
  }
  c.has_capacitor = below(3) > 0;
  return c;
}

std::string text(const Circuit& c) {
  auto pins = [](const Branch& b) {
    return " <> (n" + std::to_string(b.a) + ", n" + std::to_string(b.b) + ")\n";
  };
  std::string t = "import Electrical\nm :: SR ()\nm = sigrel () where\n  ground <> n0\n  src: sineVoltage " +
                  std::to_string(c.amplitude) + " " + std::to_string(c.frequency) + " <> (n1, n0)\n";
  for (const Branch& r : c.resistors) t += "  resistor " + std::to_string(r.value) + pins(r);
  for (const Branch& d : c.diodes) t += "  switchingDiode 1.0e-3 1.0e-5" + pins(d);
  if (c.has_capacitor) t += "  capacitor 0.1" + pins({c.nodes, 0});
  return t + "main = simulate m with { stop = 2.0 }\n";
}

/// The potentials of nodes 1, 2, … by the mode that agrees with its own solution.
Eigen::VectorXd potentials(const Circuit& c, double source, double capacitor) {
  Eigen::VectorXd best;
  double least = HUGE_VAL;
  for (unsigned mode = 0; mode < 1u << c.diodes.size(); ++mode) {
    Eigen::MatrixXd g = Eigen::MatrixXd::Zero(c.nodes + 1, c.nodes + 1);
    auto add = [&](const Branch& b, double conductance) {
      g(b.a, b.a) += conductance, g(b.b, b.b) += conductance;
      g(b.a, b.b) -= conductance, g(b.b, b.a) -= conductance;
    };
    for (const Branch& r : c.resistors) add(r, 1 / r.value);
    for (std::size_t k = 0; k < c.diodes.size(); ++k) add(c.diodes[k], mode >> k & 1 ? 1 / kOn : kOff);
    Eigen::VectorXd given = Eigen::VectorXd::Zero(c.nodes + 1);
    auto fix = [&](int node, double potential) {
      g.row(node).setZero();
      g(node, node) = 1;
      given(node) = potential;
    };
    if (c.has_capacitor) fix(c.nodes, capacitor);
    fix(0, 0);
    fix(1, source);
    const Eigen::VectorXd v = g.fullPivLu().solve(given);
    double violation = 0;
    for (std::size_t k = 0; k < c.diodes.size(); ++k) {
      const double u = v(c.diodes[k].a) - v(c.diodes[k].b);
      violation = std::max(violation, mode >> k & 1 ? -u : u);
    }
    if (violation < least) least = violation, best = v;
  }
  CHECK(least < 1e-9 * c.amplitude);
  return best;
}

}  // namespace

TEST_CASE("Random diode circuits have the solution of their only consistent mode at every row") {
  const char* wanted = std::getenv("SIGREL_RANDOM_MODELS");
  const int models = wanted ? std::atoi(wanted) : 100;
  int compiled = 0;
  for (int seed = 1; seed <= models; ++seed) {
    const Circuit c = draw(static_cast<std::uint64_t>(seed));
    INFO("seed " << seed << "\n" << text(c));
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE(session.load_text("circuit.sr", text(c)));
    REQUIRE(session.check());
    const auto model = session.compile({}, Backend::Interpreter);
    if (!model) continue;  // a node with one connection
    ++compiled;
    const double tolerance = seed % 2 ? 1e-4 : 1e-7;
    const Run run =
        session.run(*model, {.tolerance = tolerance, .steps = 40, .solver = seed % 3 ? "auto" : "ida"});
    for (const Diagnostic& d : session.diagnostics().all())
      if (d.severity == Severity::Error) UNSCOPED_INFO(render_text(d, session.sources(), false));
    REQUIRE(run.completed());
    const std::vector<double>& times = run.trajectory.times();
    std::vector<std::vector<double>> v;
    for (int node = 1; node <= c.nodes; ++node) v.push_back(column(run, "n" + std::to_string(node) + ".v"));
    double worst = 0;
    for (std::size_t row = 0; row < times.size(); ++row) {
      const double source = c.amplitude * std::sin(2 * std::numbers::pi * c.frequency * times[row]);
      const Eigen::VectorXd expected = potentials(c, source, v.back()[row]);
      for (int node = 1; node <= c.nodes; ++node)
        worst = std::max(worst, std::abs(v[static_cast<std::size_t>(node - 1)][row] - expected(node)));
    }
    CHECK(worst < tolerance * c.amplitude);  // events are met to the precision of the solution
  }
  CHECK(compiled > models / 2);
}

TEST_CASE(
    "Diodes that change together at the zero of their source: the scale of a difference is not that of "
    "events") {
  // The current of d2 is near zero at every event, and thousands of amperes between them.
  const std::string circuit = R"(import Electrical

m = sigrel () where
  ground <> n0
  l0: inductor 0.172 <> (n1, n0)
  src: sineVoltage 5.96 2.06 <> (n1, n0)
  d2: switchingDiode 1.0e-3 1.0e-5 <> (n0, n1)
  d1: switchingDiode 1.0e-3 1.0e-5 <> (n1, n3)
  r3: resistor 57.5 <> (n3, n0)
  d0: switchingDiode 1.0e-3 1.0e-5 <> (n3, n0)

main = simulate m with { stop = 5.0, steps = 100 }
)";
  for (const char* solver : {"auto", "cvode", "adams", "ida"})
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      INFO(solver << ", " << tolerance);
      Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
      REQUIRE((session.load_text("circuit.sr", circuit) && session.check()));
      const auto model = session.compile();
      REQUIRE(model);
      const Run run = session.run(*model, {.tolerance = tolerance, .solver = solver, .events = false});
      REQUIRE(run.completed());
      // At the end the source is positive: d1 and d0 conduct, d0 beside the resistor.
      const double u = 5.96 * std::sin(2 * std::acos(-1.0) * 2.06 * 5.0);
      CHECK(u > 0);
      CHECK(*run.value("d1.p.i") == Approx(u / (1e-3 + 1 / (1 / 57.5 + 1 / 1e-3))).epsilon(1e-9));
      CHECK(run.outcome.statistics.events <= 42);  // at most two at each zero
    }
}

TEST_CASE("A diode whose current is always zero has no events by rounding without end") {
  // d3 and r5 are a loop of their own; d0 carries thousands of amperes.
  const std::string circuit = R"(import Electrical

m :: SR ()
m = sigrel () where
  ground <> n0
  d1: switchingDiode 1.0e-3 1.0e-5 <> (n1, n3)
  d2: switchingDiode 1.0e-3 1.0e-5 <> (n3, n2)
  d4: switchingDiode 1.0e-3 1.0e-5 <> (n2, n3)
  r2: resistor 14.5 <> (n2, n0)
  r3: resistor 1.04 <> (n3, n2)
  c0: capacitor 0.181 <> (n3, n0)
  r5: resistor 1.97 <> (n5, n2)
  d3: switchingDiode 1.0e-3 1.0e-5 <> (n2, n5)
  r4: resistor 4.09 <> (n4, n1)
  d0: switchingDiode 1.0e-3 1.0e-5 <> (n1, n0)
  src: sineVoltage 5.14 0.436 <> (n1, n0)
  l0: inductor 0.338 <> (n4, n0)

main = simulate m with { stop = 5.0, steps = 100 }
)";
  for (const char* solver : {"auto", "ida"}) {
    INFO(solver);
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE((session.load_text("circuit.sr", circuit) && session.check()));
    const auto model = session.compile();
    REQUIRE(model);
    const Run run = session.run(*model, {.solver = solver});
    REQUIRE(run.completed());
    CHECK(run.outcome.statistics.events < 5000);
  }
}

TEST_CASE("A small signal among large ones keeps its events, however many") {
  // At 1e-12 of the nominal value it is far below the tolerance, but exact; 2000 zeros upwards.
  const std::string model_text = R"(
m :: SR ()
m = sigrel () where
  local phi, x, y, z, w :: Real
  discrete n :: Int = 0
  der phi = 200.0
  der w = w - w
  initially
    phi = 1.0e7
    w = 1.0e4
  x = 1.0e-12 * sin phi
  y + z = x
  y - z = w * 0.0
  when y > 0.0 do
    n := pre n + 1

main = simulate m with { stop = 62.831853, steps = 10 }
)";
  for (const char* solver : {"auto", "cvode", "ida"}) {
    INFO(solver);
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE((session.load_text("m.sr", model_text) && session.check()));
    const auto model = session.compile();
    REQUIRE(model);
    const Run run = session.run(*model, {.solver = solver});
    REQUIRE(run.completed());
    CHECK(*run.value("n") == 2000);
  }
}
