// Mechanics in space: cases with known answers, computed by an independent program (redundant coordinates,
// order 8 at 1e-11), or in closed form.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "numeric.h"

namespace {

// IDA controls the error of every reaction, too, and takes 10^5 steps at this tolerance.
const std::vector<std::string> kSolvers = {"auto", "cvode"};

void check(const char* expression, double stop, const std::vector<numeric::Value>& values) {
  INFO(expression << " at t = " << stop);
  numeric::each_way(
      "library_spatial.sr", expression, {.stop = stop, .tolerance = 1e-9},
      [&](const sigrel::Run& run) { numeric::check_values(run, values); }, kSolvers);
}

}  // namespace

TEST_CASE("Library: Spatial, a tumbling body") {
  check("tumbling", 10,
        {{"b.w[1]", -0.31976004948},
         {"b.w[2]", 4.9897748958},
         {"b.w[3]", 0.18560395941},
         {"m.q[1]", 0.38106376458},
         {"m.q[2]", 0.00484816951, 1e-5},
         {"m.q[3]", -0.92388043345},
         {"m.q[4]", -0.03481159678}});
}

TEST_CASE("Library: Spatial, two rods on spherical joints") {
  check("rods", 0.5, {{"tip.r[1]", 0.9548592957}, {"tip.r[2]", 0.7706591347}, {"tip.r[3]", -1.4186648991}});
  check("rods", 2, {{"tip.r[1]", 0.5770433855}, {"tip.r[2]", 0.4899127568}, {"tip.r[3]", -1.7715491073}});
}

TEST_CASE("Library: Spatial, the double pendulum of Modelica's MultiBody") {
  check("doublePendulum", 1, {{"flange.phi", -2.9151613579}, {"r2.phi", -0.5164476260}});
  check("doublePendulum", 3, {{"flange.phi", -2.3158147126}, {"r2.phi", -1.7366106428}});
}

TEST_CASE("Library: Spatial, a stiff governor") {
  for (const auto& [stop, position] :
       {std::pair{0.1, 0.5238364756}, {0.5, 0.7432494248}, {1.0, 0.5014209224}, {2.0, 0.5059092943}}) {
    numeric::Model model("library_spatial.sr", "flyball");
    const sigrel::Run run = model.run({.stop = stop, .tolerance = 1e-9});
    numeric::check_values(run, {{"slider.s", position}});
  }
}

TEST_CASE("Library: Spatial, a heavy top in regular precession") {
  const double radius = 0.4 * std::sin(0.5);
  check("heavyTop", 2,
        {{"b.r[1]", radius * std::cos(4.0)},
         {"b.r[2]", radius * std::sin(4.0)},
         {"b.r[3]", 0.4 * std::cos(0.5)}});
}

TEST_CASE("Library: Spatial, loops: a rod with mass-less joints moves as a link") {
  numeric::each_way(
      "library_spatial.sr", "crank", {.stop = 2, .tolerance = 1e-9},
      [&](const sigrel::Run& run) {
        CHECK(std::abs(run.value("apart").value()) < 1e-7);
        CHECK(std::abs(run.value("turn").value()) < 1e-7);
      },
      kSolvers);
}

TEST_CASE("Library: Spatial, what is conserved over many turns") {
  numeric::Model model("library_spatial.sr", "rods");
  const double begin = numeric::value(model.run({.stop = 0.0}), "energy");
  const double end = numeric::value(model.run({.stop = 10, .tolerance = 1e-10}), "energy");
  CHECK(std::abs(end - begin) < 1e-6);  // of 20 J
}

// Computed in minimal coordinates, the absolute angles of the links, by Runge and Kutta's method in 8 000
// steps.
TEST_CASE("Library: Spatial, a rope of links") {
  for (const auto& [rope, angle] :
       {std::pair{"chain 10", 1.335780210802143}, {"chain 40", 1.2488182193358885}}) {
    numeric::Model model("../../bench/run/rope_in_space.sr", rope);
    numeric::check_values(model.run({.stop = 1.0, .tolerance = 1e-9, .steps = 2}),
                          {{"rope.hinge.flange.phi", angle, 1e-7}});
  }
}

// Three numbers for the acceleration of each rotation, where second derivatives of its elements are nine.
TEST_CASE("Library: Spatial, the loop of the accelerations of a rope") {
  const numeric::Model model("../../bench/run/rope_in_space.sr", "chain 100");
  std::uint32_t largest = 0;
  for (const runtime::AlgebraicLoop& loop : model.compiled().plan.model.loops)
    largest = std::max(largest, loop.unknowns);
  CHECK(largest > 0);
  CHECK(largest <= 16 * 100);
}

// With so many states the Jacobian is not formed. The reference is the articulated-body algorithm with CVODE
// at 1e-11 (tests/bench/run/hand_rope.cpp).
TEST_CASE("Library: Spatial, a rope with more links than a Jacobian is formed for") {
  numeric::Model model("../../bench/run/rope_in_space.sr", "chain 301");
  const sigrel::Run run = model.run({.stop = 0.2, .tolerance = 1e-8, .steps = 2});
  numeric::check_values(run, {{"rope.hinge.flange.phi", 0.336616985146956, 1e-7}});
}

// Six axes with elastic gears and dry friction that starts and stops: each follows its path.
TEST_CASE("Library: Spatial, a robot with drives") {
  numeric::Model model("../../bench/run/robot_r3.sr", "robot 15.0");
  const sigrel::Run run = model.run({.stop = 0.3, .steps = 2});
  const double path = numeric::value(run, "s");
  for (const auto& [axis, begin, end] :
       {std::tuple{"f1.phi", -60, 60}, {"f4.phi", 0, 45}, {"f5.phi", -110, 110}}) {
    const double wanted = (begin + (end - begin) * path) * std::acos(-1.0) / 180;
    CHECK(std::abs(numeric::value(run, axis) - wanted) < 0.05);
  }
}

TEST_CASE("Library: Spatial, windows pass where all of their bars are in line") {
  // The posts swing together: phi'' = 9.81 (3 n + 1) / 2 / (4 n / 3 + 1 / 3) sin phi. With an odd number of
  // windows determinants of loops change their signs at phi = pi / 2, pi, ... .
  const auto angle = [](double n, double stop) {
    const double factor = 9.81 * (1.5 * n + 0.5) / (4 * n / 3 + 1.0 / 3);
    constexpr int kSteps = 20000;
    const double h = stop / kSteps;
    double phi = 0, w = 1;
    for (int k = 0; k < kSteps; ++k) {
      const double a1 = factor * std::sin(phi), w2 = w + h / 2 * a1;
      const double a2 = factor * std::sin(phi + h / 2 * w), w3 = w + h / 2 * a2;
      const double a3 = factor * std::sin(phi + h / 2 * w2), w4 = w + h * a3;
      const double a4 = factor * std::sin(phi + h * w3);
      phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
      w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return phi;
  };
  for (const int n : {1, 2, 3, 7})
    for (const double tolerance : {1e-6, 1e-8}) {
      INFO(n << " windows, tolerance " << tolerance);
      numeric::Model model("library_spatial.sr", fmt::format("windows {}", n).c_str());
      const sigrel::Run run =
          model.run({.stop = 3.5, .tolerance = tolerance, .outputs = {"first.hinge.phi"}});
      CHECK(std::abs(numeric::value(run, "first.hinge.phi") - angle(n, 3.5)) < 3e3 * tolerance);
    }
}

TEST_CASE("Library: Spatial, loops start where their guesses close them") {
  for (const auto& [loop, angles] :
       {std::pair{"closedFour", std::vector{"one.phi", "two.phi", "three.phi"}},
        {"closedSeven", {"k0.phi", "k1.phi", "k2.phi", "k3.phi", "k4.phi", "k5.phi"}}}) {
    numeric::Model model("library_spatial.sr", loop);
    const sigrel::Run run = model.run({.stop = 0});
    for (const char* angle : angles) {
      INFO(loop << " " << angle);
      CHECK(std::abs(numeric::value(run, angle)) < 1e-6);
    }
  }
}

TEST_CASE("Library: Spatial, forces that a loop leaves open are zero in axes that turn with it") {
  // After a quarter of a turn of the table, at 0.5236 s, the axis of the bearing lies across the world's y.
  for (const double stop : {0.3, 0.5236, 1.0}) {
    INFO(stop);
    numeric::Model open("library_spatial.sr", "onTable (revolute [0.0, 1.0, 0.0])");
    numeric::Model closed("library_spatial.sr", "onTable (closingPlane [0.0, 1.0, 0.0])");
    const sigrel::Run one = open.run({.stop = stop, .tolerance = 1e-9}),
                      other = closed.run({.stop = stop, .tolerance = 1e-9});
    for (const char* name :
         {"main.a.f[1]", "main.a.f[2]", "main.a.f[3]", "main.a.t[1]", "main.a.t[2]", "main.a.t[3]"}) {
      INFO(name);
      CHECK(numeric::value(one, name) == Approx(numeric::value(other, name)).epsilon(1e-6).margin(1e-6));
    }
  }
}

TEST_CASE("Library: Spatial, loops of revolute joints that nothing closes") {
  numeric::each_way(
      "library_spatial.sr", "hinges", {.stop = 2, .tolerance = 1e-9},
      [&](const sigrel::Run& run) { CHECK(std::abs(run.value("apart").value()) < 1e-6); }, kSolvers);
  for (const char* loop : {"bennett", "skewBars 1.0", "skewBars (-1.0)", "ballBars 1.0", "ballBars (-1.0)"}) {
    INFO(loop);
    numeric::Model model("library_spatial.sr", loop);
    CHECK(std::abs(numeric::value(model.run({.stop = 1.0}), "apart")) < 1e-9);
  }
  // The angles are solutions of |base + turn rocker - turn crank| = bar.
  const std::pair<const char*, double> bars[] = {
      {"skewBar [1.880413606833, 0.419958728644, 0.394499755919] [-0.825322327392, 0.096455335168, "
       "0.556362673285] [0.477183964962, -0.294514837350, -0.181559655041]"
       " [0.567849760183, 0.794653535467, -0.214644842542] [-0.034062922748, -0.387274083476, "
       "-0.417777850187] 1.79569928584843 2.327660 (-1.803777124410)",
       2.5276601},
      {"skewBar [1.278797987242, 0.191005836778, 0.307452215453] [0.399238628831, -0.572144127944, "
       "-0.716421394229] [0.312456551443, -0.175629638232, 0.152737935954]"
       " [0.089046735506, -0.661157009426, -0.744944352138] [0.951409200698, 0.908956370515, "
       "-0.586354960769] 0.694186816892452 (-2.028584) (-0.917361937145)",
       -1.82858362},
      {"skewBar [1.597545255394, 0.679095898823, 0.951182490949] [0.711326190848, -0.611793352164, "
       "-0.346011480247] [0.386198038199, 0.312157734889, 0.011190090430]"
       " [0.659070807412, 0.741784452915, 0.124022160240] [-0.367973134655, 0.316943803388, 0.800288844204] "
       "2.31625101631699 1.814962 1.627423133631",
       2.01496222},
      {"skewBar [1.443271002357, 0.907242614175, 0.145126979661] [-0.310944214814, -0.603022852796, "
       "0.734627207691] [0.199328466078, -0.450506952103, 0.390199536827]"
       " [0.490687496083, 0.867736883732, -0.079110566927] [0.151002822512, -0.810086700109, "
       "-0.146178096528] 1.60145825201369 (-1.994048) 2.758133390368",
       -2.19404841},
  };
  for (const auto& [bar, angle] : bars) {
    INFO(bar);
    numeric::Model skew("library_spatial.sr", bar);
    CHECK(std::abs(numeric::value(skew.run({.stop = 1e-4}), "swing.phi") - angle) < 1e-5);
  }
  for (const auto& [near, angle] :
       {std::pair("twoGuesses 1.2", 1.920741794), {"twoGuesses (-1.2)", -2.114259000}}) {
    numeric::Model guessed("library_spatial.sr", near);
    const sigrel::Run run = guessed.run({.stop = 1e-4});
    CHECK(std::abs(numeric::value(run, "crank.phi") - 0.3) < 1e-9);
    CHECK(std::abs(numeric::value(run, "rocker.phi") - angle) < 1e-7);
  }
  numeric::Model twelve("library_spatial.sr", "windows 12");
  const sigrel::Run many =
      twelve.run({.stop = 0.5, .tolerance = 1e-9, .outputs = {"apart", "first.hinge.phi"}});
  CHECK(std::abs(numeric::value(many, "apart")) < 1e-6);
  CHECK(numeric::value(many, "first.hinge.phi") > 0.5);
  numeric::Model model("library_spatial.sr", "bricard");
  const sigrel::Run run = model.run({.stop = 2, .tolerance = 1e-10});
  CHECK(std::abs(numeric::value(run, "energy") - 3 * 9.80665) < 1e-6);
  CHECK(std::abs(numeric::value(run, "j1.phi")) > 0.1);
}
