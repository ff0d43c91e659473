// Random networks of linear conductances with loads whose currents increase steeply with the potential, such
// as those of diodes. The currents are the gradient of a strictly convex function, so there is one solution,
// and values that satisfy all equations are it. Substitution along the tearing order gives exponentials
// arguments for which they overflow, or residuals without any slope.
#include <fmt/format.h>

#include <cmath>
#include <random>

#include "tests/numeric/numeric.h"

using namespace sigrel;
using numeric::column;

namespace {

struct Conductance {
  int a, b;
  double value;
};

enum class LoadKind { Linear, Cubic, Diode, DiodePair };

struct Load {
  LoadKind kind;
  double saturation, slope;

  std::string text(const std::string& v) const {
    switch (kind) {
      case LoadKind::Linear: return fmt::format("0.1 * {}", v);
      case LoadKind::Cubic: return fmt::format("{}^3", v);
      case LoadKind::Diode: return fmt::format("{} * (exp ({:.1f} * {}) - 1.0)", saturation, slope, v);
      default: return fmt::format("{0} * (exp ({1:.1f} * {2}) - exp (-{1:.1f} * {2}))", saturation, slope, v);
    }
  }
  double current(double v) const {
    switch (kind) {
      case LoadKind::Linear: return 0.1 * v;
      case LoadKind::Cubic: return v * v * v;
      case LoadKind::Diode: return saturation * std::expm1(slope * v);
      default: return 2 * saturation * std::sinh(slope * v);
    }
  }
  double conductance(double v) const {
    switch (kind) {
      case LoadKind::Linear: return 0.1;
      case LoadKind::Cubic: return 3 * v * v;
      case LoadKind::Diode: return saturation * slope * std::exp(slope * v);
      default: return 2 * saturation * slope * std::cosh(slope * v);
    }
  }
};

struct Network {
  double amplitude, frequency;   // of the source, which a conductance of 1 connects to the last node
  std::vector<Load> loads = {};  // at each node
  std::vector<Conductance> conductances = {};
};

Network draw(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto one_of = [&](std::initializer_list<double> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  };
  Network n{.amplitude = one_of({-200, -20, -2, 1, 20, 200}), .frequency = one_of({6.3, 40, 700})};
  const int nodes = 2 + below(10);
  for (int k = 0; k < nodes; ++k) {
    n.loads.push_back(
        {static_cast<LoadKind>(std::max(0, below(6) - 2)), one_of({1e-6, 0.01}), one_of({1, 5, 20, 40})});
    if (k > 0) n.conductances.push_back({k, below(k), one_of({0.05, 1, 1, 30})});
    if (const int other = below(nodes); other != k) n.conductances.push_back({k, other, 1});
  }
  return n;
}

std::string text(const Network& n) {
  std::string names = "s", equations;
  for (std::size_t k = 0; k < n.loads.size(); ++k) {
    const auto node = static_cast<int>(k);
    const std::string v = fmt::format("v{}", k);
    names += ", " + v;
    std::string sum = n.loads[k].text(v);
    for (const Conductance& c : n.conductances)
      if (c.a == node || c.b == node)
        sum = fmt::format("{} * ({} - v{}) + {}", c.value, v, c.a == node ? c.b : c.a, sum);
    if (k + 1 == n.loads.size()) sum = fmt::format("({} - s) + {}", v, sum);
    equations += "  " + sum + " = 0.0\n";
  }
  return fmt::format(
      "m :: SR ()\nm = sigrel () where\n  local {} :: Real\n  s = {:.1f} * cos ({} * time)\n{}"
      "main = simulate m with {{ stop = 1.0, steps = 12 }}\n",
      names, n.amplitude, n.frequency, equations);
}

/// The largest sum of currents at a node, relative to their magnitudes and to what a change of the potential
/// by its rounding error changes.
double violation(const Network& n, double source, const std::vector<double>& v) {
  std::vector<double> sums(v.size()), terms(v.size());
  auto add = [&](std::size_t node, double current, double slope) {
    sums[node] += current;
    terms[node] += std::abs(current) + slope * (1 + std::abs(v[node]));
  };
  for (std::size_t k = 0; k < v.size(); ++k) add(k, n.loads[k].current(v[k]), n.loads[k].conductance(v[k]));
  for (const Conductance& c : n.conductances) {
    const auto a = static_cast<std::size_t>(c.a), b = static_cast<std::size_t>(c.b);
    add(a, c.value * (v[a] - v[b]), c.value);
    add(b, c.value * (v[b] - v[a]), c.value);
  }
  add(v.size() - 1, v.back() - source, 1);
  double worst = 0;
  for (std::size_t k = 0; k < v.size(); ++k) worst = std::max(worst, std::abs(sums[k]) / terms[k]);
  return worst;
}

}  // namespace

TEST_CASE("Random networks of exponential loads are solved at the start and from row to row") {
  const char* wanted = std::getenv("SIGREL_RANDOM_MODELS");
  const int models = wanted ? std::atoi(wanted) : 60;
  for (int seed = 1; seed <= models; ++seed) {
    const Network n = draw(static_cast<std::uint64_t>(seed));
    INFO("seed " << seed << "\n" << text(n));
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    REQUIRE(session.load_text("network.sr", text(n)));
    REQUIRE(session.check());
    const auto model = session.compile({}, Backend::Interpreter);
    REQUIRE(model);
    const Run run = session.run(*model, {});
    for (const Diagnostic& d : session.diagnostics().all())
      if (d.severity == Severity::Error) UNSCOPED_INFO(render_text(d, session.sources(), false));
    REQUIRE(run.completed());
    const std::vector<double>& times = run.trajectory.times();
    std::vector<std::vector<double>> columns;
    for (std::size_t k = 0; k < n.loads.size(); ++k) columns.push_back(column(run, fmt::format("v{}", k)));
    double worst = 0;
    for (std::size_t row = 0; row < times.size(); ++row) {
      std::vector<double> v;
      for (const auto& values : columns) v.push_back(values[row]);
      worst = std::max(worst, violation(n, n.amplitude * std::cos(n.frequency * times[row]), v));
    }
    CHECK(times.size() == 13);
    CHECK(worst < 1e-9);
  }
}
