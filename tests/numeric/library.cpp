// The relations of the standard library: each in a model with a closed form, a conservation law or a published answer, by JIT and
// interpreter, by the automatic solver, CVODE and IDA.
#include <array>
#include <cmath>
#include <functional>

#include "numeric.h"

namespace {

const double kPi = std::acos(-1.0);

struct Value {
  const char* name;
  double expected;
  double relative = 1e-6;
};

struct Case {
  const char* expression;
  double stop;
  std::vector<Value> values;
};

void check(const char* file, const std::vector<Case>& cases) {
  for (const Case& c : cases)
    for (const char* solver : {"auto", "cvode", "ida"})
      for (sigrel::Backend backend : {sigrel::Backend::Jit, sigrel::Backend::Interpreter}) {
        INFO(c.expression << ", solver " << solver << (backend == sigrel::Backend::Jit ? ", JIT" : ", interpreter"));
        numeric::Model model(file, c.expression, {}, backend);
        sigrel::Run run = model.run({.stop = c.stop, .tolerance = 1e-9, .solver = solver});
        for (const Value& v : c.values) {
          INFO(v.name);
          auto actual = run.value(v.name);
          REQUIRE(actual);
          CHECK(*actual == Approx(v.expected).epsilon(v.relative).margin(v.expected == 0 ? v.relative : 1e-12));
        }
      }
}

/// Where an increasing function is zero.
double root(const std::function<double(double)>& f, double low, double high) {
  for (int k = 0; k < 200; ++k) (f((low + high) / 2) < 0 ? low : high) = (low + high) / 2;
  return low;
}

/// The classical Runge-Kutta method in `steps` steps.
template <std::size_t N, class F>
std::array<double, N> integrate(std::array<double, N> y, double stop, int steps, F f) {
  const double h = stop / steps;
  auto at = [&](const std::array<double, N>& k, double factor) {
    std::array<double, N> z = y;
    for (std::size_t i = 0; i < N; ++i) z[i] += factor * k[i];
    return z;
  };
  for (int n = 0; n < steps; ++n) {
    const double t = n * h;
    auto k1 = f(t, y), k2 = f(t + h / 2, at(k1, h / 2)), k3 = f(t + h / 2, at(k2, h / 2)), k4 = f(t + h, at(k3, h));
    for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

/// MT-37 after 300 s: the current and the two voltages.
std::array<double, 3> chua() {
  return integrate<3>({0, 4, 0}, 300, 60000, [](double, const std::array<double, 3>& y) {
    const double nonlinear = -0.409091 * y[1] + 0.5 * (-0.757576 + 0.409091) * (std::fabs(y[1] + 1) - std::fabs(y[1] - 1));
    return std::array<double, 3>{(y[2] - 0.0125 * y[0]) / 18, (0.565 * (y[2] - y[1]) - nonlinear) / 10, (0.565 * (y[1] - y[2]) - y[0]) / 100};
  });
}

}  // namespace

TEST_CASE("Library: Electrical") {
  // The two diodes behind resistors of 1 kOhm.
  const double diode = root([](double u) { return (u - 1) / 1e3 + 1e-14 * (std::exp(u / 0.025) - 1); }, 0, 1);
  const double zener = root([](double u) { return (u - 12) / 1e3 + 1e-9 * (1 + std::exp((u - 5.1) / 0.025)); }, 5, 6);
  // Feedback by the base resistor: the base current from the voltage of the junction, and back.
  const double junction = root([](double u) {
    const double base = 1e-16 * (std::exp(u / 0.02585) - 1), both = 101 * base;
    return 100 * both + u + 200e3 * base + 2e3 * both - 10;
  }, 0.5, 0.8);
  const double base = 1e-16 * (std::exp(junction / 0.02585) - 1);
  const double g = (std::sqrt(5.0) - 1) / 2;
  const auto end = chua();
  check("library_electrical.sr", {
      {"coils", 2, {{"m.p1.i", 1 - std::cos(2.0)}, {"m.p2.i", std::cos(2.0) - 1}, {"y.p1.i", 1 - std::cos(2.0)}, {"d.v", std::sin(2.0) / 4},
                    {"t.p1.i", std::sin(2.0) / 80}}},
      {"bridge", 0.7, {{"load.u", -10 * std::sin(1.4 * kPi), 1e-4}, {"d1.p.i", 0, 1e-3}}},
      {"bridge", 2.2, {{"load.u", 10 * std::sin(0.4 * kPi), 1e-4}, {"d2.p.i", 0, 1e-3}}},
      {"diodes", 0, {{"d.u", diode}, {"f.v", zener}, {"i.p.i", 0}, {"j.p.i", 1.5}}},
      {"transistors", 0, {{"t1.c.i", 1e-3}, {"t1.e.i", -1.01e-3}, {"t2.c.i", -1e-3}, {"t2.e.i", 1.01e-3}, {"m1.d.i", 4e-3}, {"m2.d.i", 3e-3},
                          {"m3.d.i", -3e-3}, {"m4.d.i", 4.4e-3}, {"m5.d.i", 0}, {"m6.d.i", -16e-3}, {"m7.d.i", -12e-3}}},
      {"amplifier", 0, {{"t.b.i", base}, {"t.c.i", 100 * base}, {"e.v", 100 * 101 * base}, {"c.v", 10 - 2e3 * 101 * base}}},
      {"operational", 0, {{"o.v", -1.5}, {"q.v", 4}, {"f.v", 5.0 / 11}}},
      {"meters", 0, {{"power", 20}, {"i", 2}, {"u", 10}, {"d.v", 30}, {"e.v", 2}, {"h.v", 210}, {"m.v", 105}}},
      {"contacts", 2.2, {{"c1.u", 1 - std::exp(-1.0)}, {"c3.u", 4.84},
                         {"c2.u", 1 - std::exp(-2.0 - 1.2 * 0.25)}}},
      {"combined", 0, {{"c.x[4].v", 0.7}, {"c.p.i", 0.05}, {"net.p.i", g}, {"net.x[3].v", (1 - g) * (1 - g)}, {"s.p.i", -1.0}, {"x[1,2].v", 0.5}}},
      {"chua", 300, {{"l.p.i", end[0], 1e-5}, {"c1.u", end[1], 1e-5}, {"c2.u", end[2], 1e-5}}},
  });
}
