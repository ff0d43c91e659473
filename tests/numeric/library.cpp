// The relations of the standard library: each in a model with a closed form, a conservation law or a
// published answer, by JIT and interpreter, by the automatic solver, CVODE and IDA.
#include <array>
#include <cmath>
#include <functional>

#include "numeric.h"

namespace {

const double kPi = std::acos(-1.0);

using numeric::Value;

struct Case {
  const char* expression;
  double stop;
  std::vector<Value> values;
};

void check(const char* file, const std::vector<Case>& cases) {
  for (const Case& c : cases)
    numeric::each_way(file, c.expression == std::string("main") ? nullptr : c.expression,
                      {.stop = c.stop, .tolerance = 1e-9},
                      [&](const sigrel::Run& run) { numeric::check_values(run, c.values); });
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
    auto k1 = f(t, y), k2 = f(t + h / 2, at(k1, h / 2)), k3 = f(t + h / 2, at(k2, h / 2)),
         k4 = f(t + h, at(k3, h));
    for (std::size_t i = 0; i < N; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

/// MT-37 after 300 s: the current and the two voltages.
std::array<double, 3> chua() {
  return integrate<3>({0, 4, 0}, 300, 60000, [](double, const std::array<double, 3>& y) {
    const double nonlinear =
        -0.409091 * y[1] + 0.5 * (-0.757576 + 0.409091) * (std::fabs(y[1] + 1) - std::fabs(y[1] - 1));
    return std::array<double, 3>{(y[2] - 0.0125 * y[0]) / 18, (0.565 * (y[2] - y[1]) - nonlinear) / 10,
                                 (0.565 * (y[1] - y[2]) - y[0]) / 100};
  });
}

}  // namespace

TEST_CASE("Library: Electrical") {
  // The two diodes behind resistors of 1 kOhm.
  const double diode = root([](double u) { return (u - 1) / 1e3 + 1e-14 * (std::exp(u / 0.025) - 1); }, 0, 1);
  const double zener =
      root([](double u) { return (u - 12) / 1e3 + 1e-9 * (1 + std::exp((u - 5.1) / 0.025)); }, 5, 6);
  // Feedback by the base resistor: the base current from the voltage of the junction, and back.
  const double junction = root(
      [](double u) {
        const double base = 1e-16 * (std::exp(u / 0.02585) - 1), both = 101 * base;
        return 100 * both + u + 200e3 * base + 2e3 * both - 10;
      },
      0.5, 0.8);
  const double base = 1e-16 * (std::exp(junction / 0.02585) - 1);
  const double g = (std::sqrt(5.0) - 1) / 2;
  const auto end = chua();
  check("library_electrical.sr",
        {
            {"coils",
             2,
             {{"m.p1.i", 1 - std::cos(2.0)},
              {"m.p2.i", std::cos(2.0) - 1},
              {"y.p1.i", 1 - std::cos(2.0)},
              {"d.v", std::sin(2.0) / 4},
              {"t.p1.i", std::sin(2.0) / 80}}},
            {"bridge", 0.7, {{"load.u", -10 * std::sin(1.4 * kPi), 1e-4}, {"d1.p.i", 0, 1e-3}}},
            {"bridge", 2.2, {{"load.u", 10 * std::sin(0.4 * kPi), 1e-4}, {"d2.p.i", 0, 1e-3}}},
            {"diodes", 0, {{"d.u", diode}, {"f.v", zener}, {"i.p.i", 0}, {"j.p.i", 1.5}}},
            {"transistors",
             0,
             {{"t1.c.i", 1e-3},
              {"t1.e.i", -1.01e-3},
              {"t2.c.i", -1e-3},
              {"t2.e.i", 1.01e-3},
              {"m1.d.i", 4e-3},
              {"m2.d.i", 3e-3},
              {"m3.d.i", -3e-3},
              {"m4.d.i", 4.4e-3},
              {"m5.d.i", 0},
              {"m6.d.i", -16e-3},
              {"m7.d.i", -12e-3}}},
            {"amplifier",
             0,
             {{"t.b.i", base},
              {"t.c.i", 100 * base},
              {"e.v", 100 * 101 * base},
              {"c.v", 10 - 2e3 * 101 * base}}},
            {"operational", 0, {{"o.v", -1.5}, {"q.v", 4}, {"f.v", 5.0 / 11}}},
            {"meters",
             0,
             {{"power", 20}, {"i", 2}, {"u", 10}, {"d.v", 30}, {"e.v", 2}, {"h.v", 210}, {"m.v", 105}}},
            {"contacts",
             2.2,
             {{"c1.u", 1 - std::exp(-1.0)}, {"c3.u", 4.84}, {"c2.u", 1 - std::exp(-2.0 - 1.2 * 0.25)}}},
            {"combined",
             0,
             {{"c.x[4].v", 0.7},
              {"c.p.i", 0.05},
              {"net.p.i", g},
              {"net.x[3].v", (1 - g) * (1 - g)},
              {"s.p.i", -1.0},
              {"x[1,2].v", 0.5}}},
            {"chua", 300, {{"l.p.i", end[0], 1e-5}, {"c1.u", end[1], 1e-5}, {"c2.u", end[2], 1e-5}}},
        });
}

TEST_CASE("Library: Blocks") {
  auto second = [](double w, double d, double t) {  // the step response of a lag of second order
    const double root = std::sqrt(1 - d * d);
    return 1 - std::exp(-d * w * t) * (std::cos(root * w * t) + d / root * std::sin(root * w * t));
  };
  const double e1 = std::exp(-2.0), e2 = std::exp(-4.0);
  check(
      "library_blocks.sr",
      {
          {"all",
           2,
           {{"g", 6},
            {"i", 2.5},
            {"f", 2 * (1 - e2)},
            {"s", second(2, 0.25, 2)},
            {"d", 1 - e2},
            {"p", 10},
            {"q", 3},
            {"pi1.i", 0.7 - 0.2 * std::exp(-17.5), 1e-5},
            {"z", 0.5},
            {"x", 0.75},
            {"a", 7},
            {"b", 4.0 / 7},
            {"m", 3},
            {"o", 8}}},
          {"all", 0.2, {{"q", 2.8}, {"z", -0.3}, {"x", 0.2}}},
          {"curves",
           1.2,
           {{"l", 2.8},
            {"rt", 0.5},
            {"tz", 2.8},
            {"high", 0},
            {"mid", 0},
            {"any", 0},
            {"not1", 1},
            {"sw", 2}}},
          {"curves",
           1.6,
           {{"u", 2 * std::sin(0.8 * kPi + 0.5)},
            {"l", 2.4},
            {"c", 4},
            {"r", 3.3},
            {"s", 2},
            {"rt", 1.5},
            {"tz", 4},
            {"ch", std::sin(2 * kPi * 0.65 * 1.6)},
            {"high", 1},
            {"mid", 1},
            {"both", 1},
            {"odd", 0},
            {"not1", 0},
            {"sw", 4},
            {"sl", 0.45}}},
          {"curves", 3, {{"tz", 0}, {"rt", 5}, {"mid", 0}, {"both", 0}, {"any", 1}, {"odd", 1}, {"sl", 1.5}}},
          {"waves",
           0.55,
           {{"p", 0},
            {"s", 1},
            {"w", 0.1},
            {"t", -0.6},
            {"area", 0.2},
            {"way", 0.05},
            {"q", -0.5},
            {"f", 1 - std::pow(0.5, 6)},
            {"m", 0.4},
            {"set", 1}}},
          {"waves",
           1.12,
           {{"p", 0},
            {"s", 1},
            {"w", 0.24},
            {"t", -0.04},
            {"area", 0.4},
            {"way", 0.12},
            {"q", 1},
            {"f", 1 - std::pow(0.5, 12)},
            {"m", 1.0},
            {"set", 0}}},
          {"waves", 1.25, {{"p", 2}, {"s", -1}, {"area", 0.5}, {"way", 0.25}, {"q", 1.5}}},
          {"linear",
           2,
           {{"second", second(1, 0.25, 2)},
            {"x[1]", second(1, 0.25, 2)},
            {"lead", 2 + (1 - e1)},
            {"third", 1 - e1 * (1 + 2 + 2)},
            {"none", 1.5}}},
          {"linear", 80, {{"x[1]", 1}, {"x[2]", 0}}},  // MT-36
      });
}

TEST_CASE("Library: Rotational and Translational") {
  const double g = 9.80665, limit = std::sqrt(2 * 2 * g / 0.6), e2 = std::exp(-2.0);
  const auto vibration = integrate<2>({0, 0}, 2, 20000, [](double t, const std::array<double, 2>& y) {
    return std::array<double, 2>{y[1], 2 * std::sin(6 * kPi * t) - y[0] - y[1]};
  });
  // The spring pulls with 1.5 N after 1.5 s; then x'' = 10 (0.1 t - x) - 1 until it rests again.
  const double w = std::sqrt(10.0), slip = 2 * (kPi - std::atan(0.5 * w));
  const double rests = 0.05 + 0.1 * slip / w - 0.05 * std::cos(slip) - 0.1 / w * std::sin(slip);
  const double meet = 4 / (4 + 5.2 / 3);  // 4 - 4 t = 5.2 / 3 t, then 0.3 rad/s^2 for both
  check(
      "library_mechanics.sr",
      {
          {"sticking",
           1.4,
           {{"a.s", 0},
            {"d.s", -2 * 1.4 + 0.5 * 1.4 * 1.4},
            {"i.w", 4 - 4 * meet + 0.3 * (1.4 - meet)},
            {"k.b.tau", 0.3}}},
          {"sticking",
           3.5,
           {{"a.s", rests}, {"m.v", 0}, {"d.s", -2}, {"n.v", 0}, {"j.w", 4 - 4 * meet + 0.3 * (3.5 - meet)}}},
          {"vibration", 2, {{"m.a.s", vibration[0]}, {"v", vibration[1]}}},
          {"parts", 2, {{"s", 1.2 + 0.1 * std::sin(4.0)}, {"f", 6}, {"n.a.s", 7}}},
          {"falls", 2, {{"free.a.s", -2 * g}, {"air.v", -limit * std::tanh(2 * g / limit)}}},
          {"falls", 3, {{"slide.a.s", 2}, {"slide.v", 0}}},
          {"bounce", 2, {{"m.a.s", 0.3819352531}, {"m.v", 0.712558968}}},
          {"static",
           1,
           {{"tau", 1 + 2 * std::exp(-1.0 / 16)}, {"phi", 0.3}, {"pressed", 2}, {"slack", 0}, {"power", 6}}},
          {"trains", 1, {{"i1.w", 2}, {"i2.w", 2.0 / 3}}},
          {"trains",
           2,
           {{"i1.w", 1},
            {"i2.w", 1},
            {"i3.w", 5},
            {"i4.w", (std::cos(2.0) + std::sin(2.0) - e2) / 2},
            {"i5.a.phi", 7 * std::exp(-6.0)}}},
          {"engine", 0.01, {{"w", 12.75415682}, {"m.p.i", 16.45578847}}},  // MP-13
          {"engine", 0.1, {{"w", 572.6320494}, {"m.p.i", 66.6412009}}},
          {"engine", 0.5, {{"w", 846.2856159}, {"m.p.i", 65.41114352}, {"thrust", 3.590882679}}},
      });
}

TEST_CASE("Library: a driven mass swings within the published limits") {  // MT-35
  numeric::Model model("library_mechanics.sr", "vibration");
  sigrel::Run run = model.run({.stop = 20, .tolerance = 1e-8, .steps = 5000});
  double least = 0;
  const auto speed = numeric::column(run, "v");
  for (std::size_t k = 3750; k < speed.size(); ++k)
    least = std::min(least, speed[k]);  // from 15 s on, when it has swung in
  CHECK(least < -0.10);
  CHECK(least > -0.11);
}

TEST_CASE("Library: Thermal and Fluid") {
  auto turbulent = [](double square, double creep) {  // q sqrt (q^2 + creep^2) = square
    return std::sqrt((-creep * creep + std::sqrt(std::pow(creep, 4) + 4 * square * square)) / 2);
  };
  const double area = kPi / 4 * 0.05 * 0.05, hole = 0.6e-4;
  check("library_flows.sr",
        {
            {"heat",
             2,
             {{"q", 2268.147, 2e-6},
              {"loss", 180},
              {"t", 310 - 20 * std::exp(-3.0)},
              {"l.t", 300 + 10.0 / 3},
              {"n.t", 301},
              {"o.t", 301},
              {"warm", 22},
              {"p.v", 11},
              {"air.solid.q", 18}}},
            {"fluid",
             2,
             {{"laminar", 1e5 * kPi * 1.6e-11 / 0.128},
              {"turbulent", turbulent(1e5 / (0.02 * 200 * 500) * area * area, 0.01 * area)},
              {"jet", turbulent(200 * hole * hole, 0.01 * hole)},
              {"half", turbulent(50 * hole * hole, 0.005 * hole)},
              {"forward.a.q", 1e-3},
              {"backward.a.q", -1e-12},
              {"head", -1e5 * (std::sqrt(5.0) - 1) / 4},
              {"l.p", (2e5 - 5000 * 9.80665) / 2},
              {"n.p", 2e5},
              {"m.p", 2e5},
              {"pipe.a.q", 0.5},
              {"t.level", 1.008},
              {"q.p", 1008 * 9.80665}}},
        });
}

TEST_CASE("Library: Planar") {
  const double sag = -1.5 * 9.80665 / 2 / 9;
  check(
      "library_planar.sr",
      {
          {"pendulum", 1, {{"hinge.phi", -0.901697916271}}},  // PM-12
          {"pendulum", 10, {{"hinge.phi", -0.157233838688, 5e-6}, {"hinge.w", 3.62847911826}}},
          {"crank",
           0.5,
           {{"hinge.phi", 1.47243563}, {"hinge.w", 3.37188851}, {"slide.s", 1.98621516}}},  // PM-15
          {"crank", 1, {{"hinge.phi", 3.1415892}}},
          {"fourBar", 10, {{"gap", 0, 1e-9}}},
          {"circle", 30, {{"a.x", 10}, {"a.y", 10}, {"a.phi", kPi / 2}, {"b.phi", kPi / 2}}},  // MP-17
          {"orbit", 31592904.44, {{"x", 1, 1e-6}, {"y", 0, 2e-6}, {"energy", 1}}},             // MP-20
          {"orbit", 31592904.44 / 2, {{"x", -(2 * 1.4969019e11 - 147.1e9) / 147.1e9, 1e-6}, {"y", 0, 2e-6}}},
          {"geared", 1, {{"f1.phi", -0.901697916271}, {"f2.phi", -0.901697916271}}},  // PM-19
          {"reserved 9.81", 1, {{"hinge.phi", -0.901697916271}}},
          {"reserved 9.81", 1, {{"hinge.phi", -0.901697916271}}},
          {"rope 15", 0.5, {{"energy", 0, 1e-5}}},  // PM-18
          {"springs",
           2,
           {{"a.x", 1 + std::cos(4.0)},
            {"a.phi", 1},
            {"b.x", 1.5 * (1 - std::exp(-4.0))},
            {"axis.s", sag * (1 - std::cos(2 * std::sqrt(6.0)))}}},
      });
}

TEST_CASE("Library: a four-bar linkage that turns freely keeps its energy") {
  numeric::Model model("library_planar.sr", "fourBar");
  sigrel::Run run = model.run({.stop = 20, .tolerance = 1e-9});
  const auto energy = numeric::column(run, "energy");
  for (double e : energy) CHECK(e == Approx(energy[0]).epsilon(1e-5));
  CHECK(numeric::value(run, "crank.phi") > 100);  // some eighteen turns
}

TEST_CASE("Library: the examples give what is known of them") {
  // The bridge: a capacitor that the magnitude of the voltage charges through 1 Ohm, when it is the higher.
  const double bridge = integrate<1>({0}, 0.1, 200000, [](double t, const std::array<double, 1>& y) {
    return std::array<double, 1>{
        (std::max(0.0, std::fabs(10 * std::sin(100 * kPi * t)) - y[0]) - y[0] / 100) / 1e-3};
  })[0];
  const double slope = kPi / 45,
               climb = (1600 * 9.8 * (std::sin(slope) + 0.01) + 0.5 * 1.3 * 0.32 * 2.4 * 400) / 5000;
  const auto chaos = chua();
  check("../../../examples/00_cooling.sr", {{"main", 3600, {{"t", 293.15 + 70 * std::exp(-3.6)}}}});
  check("../../../examples/09_servo.sr", {{"main", 3, {{"phi", 3, 1e-5}, {"w", 0, 1e-5}}}});
  check("../../../examples/10_rectifiers.sr", {{"half", 0.045, {{"load.u", 10}}},
                                               {"half", 0.055, {{"load.u", 0, 1e-2}}},
                                               {"main", 0.1, {{"load.u", bridge, 5e-3}}}});
  check("../../../examples/12_aircraft_engine.sr",
        {{"main", 0.5, {{"w", 846.2856159}, {"motor.p.i", 65.41114352}, {"thrust", 3.590882679}}}});
  check("../../../examples/13_op_amp_filter.sr",
        {{"main", 1e-3, {{"v", 1 - std::exp(-5.0) * (std::cos(5.0) + std::sin(5.0))}}}});
  check("../../../examples/14_cruise_control.sr",
        {{"main", 60, {{"v", 20, 1e-4}, {"throttle", climb, 1e-3}}}});
  check("../../../examples/15_chua.sr",
        {{"main", 300, {{"c1.u", chaos[1], 1e-5}, {"c2.u", chaos[2], 1e-5}}}});
  check("../../../examples/16_akzo_nobel.sr",  // the reference solution of the test set
        {{"main",
          180,
          {{"y1", 0.1150794920661702},
           {"y2", 0.1203831471567715e-2},
           {"y3", 0.1611562887407974},
           {"y4", 0.3656156421249283e-3},
           {"y5", 0.1708010885264404e-1},
           {"y6", 0.4873531310307455e-2}}}});
  check("../../../examples/17_plate.sr", {{"main", 500, {{"middle", 298.15}}}});
  check("../../../examples/18_pendulums.sr",
        {{"double", 2, {{"pendulum.energy", -2 * 9.80665 * std::cos(1.0), 1e-5}}},
         {"hanging 5", 1, {{"pendulum.energy", -12.5 * 9.80665 * std::cos(1.0), 1e-5}}}});
}

TEST_CASE("Library: examples in motion keep what must be kept") {
  {  // the piston is where the angle of the crank puts it, at every row; it comes back to where it started
     // from
    numeric::Model model("../../../examples/11_crank_slider.sr");
    sigrel::Run run = model.run({});
    const auto angle = numeric::column(run, "crank.phi"), piston = numeric::column(run, "piston.s");
    double highest = 0;
    for (std::size_t k = 0; k < angle.size(); ++k) {
      CHECK(piston[k] ==
            Approx(0.5 * std::cos(angle[k]) + std::sqrt(4 - 0.25 * std::pow(std::sin(angle[k]), 2)))
                .epsilon(1e-9));
      if (k > angle.size() / 4) highest = std::max(highest, angle[k]);
    }
    CHECK(highest == Approx(kPi / 4).epsilon(1e-3));
  }
  {  // no force acts along the track: the centre of mass stays above its place
    numeric::Model model("../../../examples/18_pendulums.sr", "withCart");
    sigrel::Run run = model.run({});
    const auto cart = numeric::column(run, "track.s"), bob = numeric::column(run, "b.x");
    for (std::size_t k = 0; k < cart.size(); ++k)
      CHECK(2 * cart[k] + bob[k] == Approx(std::sin(1.0)).epsilon(1e-5));
  }
}

TEST_CASE("Library: Planar, windows of four-bars pass where their degrees of freedom jump") {
  for (const auto& [stop, values] : std::vector<std::pair<double, std::vector<numeric::Value>>>{
           {1, {{"b0.x", -0.195020302, 1e-6}, {"b0.y", -0.980799206, 1e-6}}},
           {5, {{"b0.x", -0.811310461, 1e-6}, {"b0.y", -0.584615546, 1e-6}}},
           {10, {{"j0.phi", kPi / 2 - 31.75059719, 1e-6}}}}) {
    numeric::Model model("library_planar.sr", "window");
    numeric::check_values(model.run({.stop = stop, .tolerance = 1e-9}), values);
  }
}
