// Random terms that switch at known instants, touch the ends of their pieces, or both: their integrals
// against closed forms. SIGREL_RANDOM_MODELS is the number of models; each has its seed, which failures show.
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr int kForms = 11;

struct SwitchingTerm {
  int form;
  double a, c;
};

/// As in models/switching.sr.
double at(const SwitchingTerm& term, double t) {
  const double u = t - term.a;
  auto sign = [](double v) { return v > 0 ? 1.0 : v < 0 ? -1.0 : 0.0; };
  switch (term.form) {
    case 0: return u > 0 ? 1 : 0;
    case 1:
    case 2: return sign(u);
    case 3: return 1;
    case 4: return 0;
    case 5: return std::floor(7 * u);
    case 6: return u > 0 && u < 1e-4 ? 1e3 : 0;
    case 7: return std::sin(40 * u) > 0 ? 1 : 0;
    case 8: return std::cos(4 * u) >= std::cos(5 * u) ? 1 : 0;
    case 9: return std::floor(std::cos(20 * u));
    default: return sign(std::abs(u) - 0.01);
  }
}

/// From 0 to 1, over the parts between instants at which it may switch.
double integral(const SwitchingTerm& term) {
  std::vector<double> instants{0, 1};
  auto add = [&](double u) {
    if (term.a + u > 0 && term.a + u < 1) instants.push_back(term.a + u);
  };
  for (const double u : {0.0, 1e-4, 0.01, -0.01}) add(u);
  for (int k = -14; k <= 14; ++k)
    for (const double period : {1.0 / 7, kPi / 40, kPi / 40 + 1.0, 2 * kPi / 9, 2 * kPi, kPi / 40})
      add(k * period);
  for (int k = -14; k <= 14; ++k) add((k + 0.5) * kPi / 20);
  std::ranges::sort(instants);
  double total = 0;
  for (std::size_t k = 1; k < instants.size(); ++k)
    total += at(term, 0.5 * (instants[k - 1] + instants[k])) * (instants[k] - instants[k - 1]);
  return term.c * total;
}

}  // namespace

TEST_CASE("Random terms that switch at known instants") {
  const char* wanted = std::getenv("SIGREL_RANDOM_MODELS");
  const int models = wanted ? std::atoi(wanted) : 150;
  for (int seed = 1; seed <= models; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const SwitchingTerm term{below(kForms), below(4) == 0 ? 0.125 * below(8) : 1e-4 * below(10'000),
                             1.0 + below(5)};
    const double expected = integral(term);
    const std::string expression = "switching " + std::to_string(term.form) + " " + std::to_string(term.a) +
                                   " " + std::to_string(term.c);
    const std::string solver = seed % 3 == 0 ? "ida" : seed % 3 == 1 ? "cvode" : "auto";
    INFO("seed " << seed << ", " << solver << ": " << expression);
    const Backend backend = seed % 2 ? Backend::Interpreter : Backend::Jit;
    const Run run =
        numeric::Model("switching.sr", expression.c_str(), {}, backend).run({.stop = 1, .solver = solver});
    // Rounding hides when a square leaves zero for some 1e-8 s.
    CHECK(value(run, "x") == Approx(expected).epsilon(1e-8).margin(1e-7 * term.c));
    CHECK(value(run, "y") == Approx(expected).epsilon(1e-6).margin(1e-6));
  }
}
