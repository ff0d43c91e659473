// The parts of `Switching` and the examples of models that change their structure, against closed forms and
// against exact integration of each mode.
#include <cmath>
#include <numbers>

#include "numeric.h"

using namespace sigrel;
using numeric::value;

namespace {

constexpr double kAccuracy = 1e-6;

void check(const char* expression, const std::vector<numeric::ValueAt>& expected) {
  numeric::check_values_at("library_switching.sr", expression, expected, kAccuracy);
}

void check_example(const std::string& name, const std::vector<numeric::ValueAt>& expected) {
  numeric::check_values_at("../../../examples/" + name, nullptr, expected, kAccuracy);
}

/// The number of descendants of a cell after `time`, when it started with `mass` and grows at the rate 1.
double descendants(double mass, double time) {
  const double division = std::log(2 / mass);
  if (division > time) return 1;
  return descendants(0.8, time - division) + descendants(1.2, time - division);
}

}  // namespace

TEST_CASE("Library: Switching, electrical") {
  check("charged", {{"u", 3, 2 - 2 * std::cos(3.0)}, {"u", 4, 4}});
  const double both = 8 * std::exp(-0.5) / 4;  // the charge of 1 F is shared with 3 F
  check("shared", {{"u2", 0.4, 0},
                   {"u1", 1, both * std::exp(-0.125)},
                   {"u2", 1, both * std::exp(-0.125)},
                   {"u1", 2, both * std::exp(-0.25 - 0.5)},
                   {"u2", 2, both * std::exp(-0.25)}});
  const double omega = 2 * std::numbers::pi, reactance = omega * 0.4, phase = std::atan2(reactance, 2);
  const auto current = [&](double t) {
    return 10 / std::hypot(2, reactance) *
           (std::sin(omega * t - phase) - std::sin(omega * 0.1 - phase) * std::exp(-(t - 0.1) * 2 / 0.4));
  };
  check("controlled", {{"i", 0.08, 0}, {"i", 0.3, current(0.3)}, {"i", 0.6, current(0.6)}, {"i", 1.2, 0}});
}

TEST_CASE("Library: Switching, clutches") {
  check("slipping", {{"w1", 0.5, 10.64924424},
                     {"w2", 0.5, 0.8207372017},
                     {"w1", 3, 8.092437920},
                     {"w2", 3, 8.092437920},
                     {"w1", 4.4, 13.53002226},
                     {"w2", 4.4, 13.50473909},
                     {"w1", 7, 17.70821611},
                     {"w2", 7, 16.67724116},
                     {"w1", 10, 23.26276592},
                     {"w2", 10, 23.26276592}});
  check("held", {{"w", 0.4, 0}, {"w", 1, -0.25}, {"w", 2, -2.25}});
  check("overtaken", {{"w1", 0.2, 0.6},
                      {"w2", 0.2, 1},
                      {"w1", 1, 5.0 / 3},
                      {"w2", 1, 5.0 / 3},
                      {"w1", 3, -1.0 / 3},
                      {"w2", 3, 8.0 / 3}});
  // The play of 1 rad is taken up at 0.5 s; after 2 s it is crossed in sqrt(1/2) s.
  check("reversed", {{"w1", 0.4, 1.6},
                     {"w2", 0.4, 0},
                     {"w1", 1.5, 1.5},
                     {"w2", 1.5, 1.5},
                     {"w1", 2.5, 0},
                     {"w2", 2.5, 2},
                     {"w1", 3.5, 0.5},
                     {"w2", 3.5, 0.5}});
}

TEST_CASE("Library: Switching, impacts and strings") {
  check("collision", {{"v1", 0.2, 0}, {"v2", 0.2, -1}, {"v1", 1, -0.375}, {"v2", 1, 0.125}});
  check("bounces", {{"s", 0.75, 0.3125}, {"s", 1.125, 0.078125}, {"s", 2, 0}, {"s", 4, 2}});
  check("swinging", {{"x", 0.5, 0.05395927007},
                     {"y", 0.5, 0.9686427350},
                     {"x", 2, 0.2852916718},
                     {"y", 2, 0.7619992968},
                     {"x", 5, 0.3459888641},
                     {"y", 5, -0.9382386189}});
}

TEST_CASE("Library: Switching, a valve that closes") {
  check("pulsed", {{"q", 1, 1.5 * std::sin(2.0)}, {"q", 2, 0}, {"q", 4, 1.5 * std::sin(8.0)}});
}

TEST_CASE("the examples of cup and ball, of balls that split, of a controller and of cells") {
  check_example("24_cup_and_ball.sr",
                {{"x", 1, -0.9209500240}, {"x", 5, 0.3459888641}, {"y", 5, -0.9382386189}});
  check_example("25_splitting_balls.sr", {{"number", 2, 2},
                                          {"height", 2, 2.401423108},
                                          {"height", 3, 0.4032019924},
                                          {"number", 4, 16},
                                          {"height", 4, 0.03783665404},
                                          {"first", 4, 2.369454636},
                                          {"last", 4, 0.8523713175}});
  const double e0 = 0.5 * (1 + std::exp(-4.0));  // the deviation when the controller is exchanged
  check_example("26_exchanged_controller.sr", {{"x", 1, 0.5 * (1 - std::exp(-2.0))},
                                               {"x", 3, 1 - std::exp(-1.0) - (e0 - 1) * std::exp(-2.0)},
                                               {"x", 8, 1 - std::exp(-6.0) - (e0 - 1) * std::exp(-12.0)}});
  check_example("27_dividing_cells.sr", {{"number", 1, descendants(1, 1)},
                                         {"total", 2, std::exp(2.0)},
                                         {"number", 3, descendants(1, 3)},
                                         {"total", 3, std::exp(3.0)}});
}
