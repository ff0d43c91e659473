// Models with a closed form or a published answer, through every stage: at tolerance 1e-9 (or tighter, as the
// model says) within 1e-6 relative, by the JIT and by the interpreter, by CVODE and by IDA.
#include <cmath>
#include <map>

#include "numeric.h"

namespace {

using numeric::Value;

struct Case {
  const char* title;
  const char* file;
  const char* expression;  // null: main
  std::vector<Value> values;
  sigrel::Settings set = {};
};

double closed_form(double c, double t) {  // MP-2: 100 x'' + 20 x' + c x = 0 from x = 10 at rest
  const double a = 0.1, w2 = c / 100.0, d = a * a - w2;
  if (d == 0) return 10 * (1 + a * t) * std::exp(-a * t);
  if (d > 0) {
    const double s = std::sqrt(d);
    return 10 * std::exp(-a * t) * (std::cosh(s * t) + a / s * std::sinh(s * t));
  }
  const double s = std::sqrt(-d);
  return 10 * std::exp(-a * t) * (std::cos(s * t) + a / s * std::sin(s * t));
}

const double kPi = std::acos(-1.0);

// The integral of min(hi, sin 2πs) from 0 to t, for t up to 1/4, and at 1/2.
double clamped_area(double t, double hi = 0.6) {
  const double a = std::asin(hi) / (2 * kPi), foot = (1 - std::cos(2 * kPi * a)) / (2 * kPi);
  return t == 0.5 ? 2 * foot + hi * (0.5 - 2 * a) : foot + hi * (t - a);
}

const double kErfDecay =
    0.12359000377741712;  // x' = -erf x from 1 to t = 2, by 20 000 steps of the classical Runge-Kutta method

// MB-6 at time t: the temperature follows from the rate, and that from the concentration.
std::vector<Value> reactor(double t) {
  const double c = 0.5 + 0.1 * std::sin(t), dc = 0.1 * std::cos(t), ddc = -0.1 * std::sin(t);
  const double r = 0.5 * (1 - c) - dc, dr = -0.5 * dc - ddc, log = std::log(r / (3 * c));
  const double temperature = -1 / log, rise = (dr / r - dc / c) / (log * log);
  return {{"r", r},
          {"t", temperature},
          {"rise", rise},
          {"tc", temperature + (rise - 0.5 * (1 - temperature) - 2 * r) / 0.3}};
}

std::vector<Case> cases() {
  const double x = 1.0 / 11.0;
  return {
      {"one combinator for all connectors",
       "any_connector.sr",
       nullptr,
       {{"d.m.v", 6.0}, {"e.phi", std::cos(2.0)}}},
      {"example: predator and prey",
       "../../../examples/02_predator_prey.sr",
       nullptr,
       {{"h", (0.1 * 10 - 0.4 * std::log(10.0) + 0.4 * 5 - 1.1 * std::log(5.0)) / 1.1}}},
      {"example: heated rod",
       "../../../examples/03_heated_rod.sr",
       nullptr,
       {{"rod.first.m.t", 369.15}, {"rod.rest^9.m.t", 297.15}}},
      {"example: motor",
       "../../../examples/04_dc_motor.sr",
       nullptr,
       {{"w", 200.0}, {"u", 1.2 * 0.08 + 0.05 * 200.0}}},
      {"example: pendulum",
       "../../../examples/05_pendulum.sr",
       nullptr,
       {{"x", 0.3895919540194288}, {"y", -0.9209875728604178}}},
      {"example: tanks",
       "../../../examples/06_tanks.sr",
       nullptr,
       {{"t1.level", 1.15}, {"t2.level", 1.15}, {"t3.level", 1.15}}},
      {"MD-1", "md01_first_order.sr", nullptr, {{"x", -0.361737312571}}},
      {"MD-1 slow", "md01_first_order.sr", "slow", {{"x", -0.179648706241}}},
      {"MD-2", "md02_rc_charge.sr", nullptr, {{"c1.u", 9.99955054069535}}},
      {"MD-2 r = 5", "md02_rc_charge.sr", nullptr, {{"c1.u", 6.35799353240272}}, {{"r", 5.0}}},
      {"MD-2 v0 = 3",
       "md02_rc_charge.sr",
       nullptr,
       {{"c1.u", 7.4248439117999}, {"r1.u", 2.5751560882}},
       {{"r", 5.0}, {"v0", 3.0}}},
      {"MD-5", "md05_inner_resistor.sr", nullptr, {{"c.u", 9.73652018820}}},
      {"MD-4",
       "md04_filters.sr",
       nullptr,
       {{"v[1]", 2.906340025},
        {"v[2]", 2.289872248},
        {"v[3]", 1.894565545},
        {"v[4]", 1.619830924},
        {"v[5]", 1.417908792},
        {"v[6]", 1.263280664},
        {"v[7]", 1.141090764},
        {"v[8]", 1.042109561},
        {"v[9]", 0.9603029088},
        {"v[10]", 0.8915602952}}},
      {"MD-15",
       "md04_filters.sr",
       "heated",
       {{"t[1]", 492.963024285},
        {"t[2]", 492.607375341},
        {"t[3]", 492.304842279},
        {"t[4]", 492.085039144},
        {"t[5]", 491.969481797}}},
      {"MD-19",
       "md04_filters.sr",
       "controlled",
       {{"x", 3.48784457617},
        {"fo", 106.828747826},
        {"i", 4.61608715125},
        {"phiM", 2.0141207238},
        {"wm", 41.9804882824},
        {"phiL", 0.018332432945},
        {"wl", 0.372593055289}}},
      {"MT-1", "mt09_structures.sr", nullptr, {{"u5", 1.6069926947050053}, {"u1", 0.9993449829954304}}},
      {"MT-9",
       "mt09_structures.sr",
       "zeros",
       {{"x", 0},
        {"y", 0},
        {"u1", 1 + std::sqrt(2.0)},
        {"u2", 1 + std::sqrt(2.0)},
        {"r", 1 + 2 * std::exp(-1.0)},
        {"q", 7 - 2 * std::exp(-1.0)}}},
      {"PM-6", "mt09_structures.sr", "hand", {{"error", 0, 1e-8}}},
      {"MD-6",
       "md06_series_inductors.sr",
       nullptr,
       {{"l1.p.i", 1.5 - 1.4 * std::exp(-200.0 / 9)},
        {"l2.p.i", 1.5 - 1.4 * std::exp(-200.0 / 9)},
        {"r2.p.i", 0.5}}},
      {"MB-5",
       "mb05_pendulum.sr",
       nullptr,
       {{"x", 0.275087478054, 3.6e-7},
        {"y", -0.961419200671, 1e-7},
        {"vx", -4.17559808123},
        {"vy", -1.19474912164},
        {"tension", 28.2945671582}}},
      {"MB-5 over the top",
       "mb05_pendulum.sr",
       "turning",
       {{"errorX", 0, 1e-6}, {"errorY", 0, 1e-6}, {"length", 0, 1e-12}}},
      {"PM-15", "pm15_crank.sr", nullptr, {{"a", 1.47243563}, {"w", 3.37188851}, {"x", 1.98621516}}},
      {"MD-11",
       "md11_second_order.sr",
       nullptr,
       {{"x", 0.997408957}, {"vx", 0.0118086492, 1e-5}, {"y", 1.0000295216}, {"vy", 0.00223678344, 1e-5}}},
      {"PM-11 and PM-12",
       "md11_second_order.sr",
       "springs",
       {{"z", -0.261110392061}, {"vz", -0.437799032923}, {"q", -0.157233838688}, {"vq", 3.62847911826}}},
      {"MT-13", "md11_second_order.sr", "lowered", {{"jerk", 5}, {"rise", 3}}},
      {"MB-6", "mb06_reactor.sr", nullptr, reactor(2.0)},
      {"MB-9 b",
       "mb09_inertias.sr",
       nullptr,
       {{"phi1", 1 + 0.5 * 2 + 8.0 / 30},
        {"phi2", 1 + 0.5 * 2 + 8.0 / 30},
        {"w1", 0.5 + 4.0 / 10},
        {"tau1", 0.8},
        {"tau2", 1.2}}},
      {"MD-23c",
       "mb09_inertias.sr",
       "rigid",
       {{"w1", 0.39337412}, {"w3", 0.39337412}, {"phi2", 0.30297293}, {"cut2", 1.3 * std::sin(2.0) / 3.6}}},
      {"MD-12", "mb09_inertias.sr", "geared", {{"phi2", 1.56295476115153}, {"phi1", 105 * 1.56295476115153}}},
      {"MT-4 in reach of one state", "mt04_pendulum.sr", nullptr, {{"error", 0, 1e-8}}},
      {"MT-4 with second derivatives", "mt04_pendulum.sr", "seconds", {{"error", 0, 1e-8}}},
      {"MT-15",
       "mt15_robertson.sr",
       nullptr,
       {{"y1", 0.7158270687}, {"y2", 9.185534765e-6}, {"y3", 0.2841637457}}},
      {"MT-15 late",
       "mt15_robertson.sr",
       "late",
       {{"y1", 0.0178659211}, {"y2", 7.2747514e-8}, {"y3", 0.982134006}}},
      {"HY-6", "hy06_circuits.sr", nullptr, {{"c.u", -0.155216049018}, {"l.p.i", 0}}},
      {"HY-7", "hy06_circuits.sr", "cellier", {{"c.u", -0.155216049016}, {"l.p.i", -0.155216049016}}},
      {"what is differentiated",
       "differentiated.sr",
       nullptr,
       {{"fa", std::cosh(1.5)},
        {"fb", 2},
        {"fc", 3},
        {"fd", 1 + std::exp(-1.5) * (0.5 / std::sqrt(2.5) - std::sqrt(2.5))},
        {"f[1]", 3 * 1.5 * 1.5},
        {"f[2]", 2 * std::cos(3.0)}}},
      {"MD-17", "md17_chirp.sr", nullptr, {{"x", -0.226330450940}}},
      {"MD-23b", "md23b_units.sr", nullptr, {{"x", 8.5 - 3 * std::exp(-5.0)}, {"v", 3}}},
      {"MD-24 t = 1", "md24_pendulum.sr", "short", {{"phi", -1.014201843}, {"w", -0.2237829043}}},
      {"MD-24 t = 10", "md24_pendulum.sr", nullptr, {{"phi", -0.02484928173}, {"w", -0.04808779765}}},
      {"HY-1", "hy01_no_states.sr", nullptr, {{"o", std::sin(10.0)}}},
      {"HY-2", "hy02_van_der_pol.sr", nullptr, {{"x", 1.18258412348}, {"y", -0.563345375695}}},
      {"HY-8",
       "hy08_cellier_loop.sr",
       nullptr,
       {{"l.p.i", 0.159154943092},
        {"source.p.i", -0.825821609759},
        {"b.v", 1.0 / 3.0},
        {"r1.p.i", 2.0 / 3.0}}},
      {"HY-14",
       "hy14_functions.sr",
       nullptr,
       {{"x", x},
        {"fExp", std::exp(x)},
        {"fSqrt", std::sqrt(x)},
        {"fLog", std::log(x)},
        {"fSin", std::sin(x)},
        {"fTan", std::tan(x)},
        {"fCos", std::cos(x)},
        {"fAsin", std::asin(x)},
        {"fAtan", std::atan(x)},
        {"fAcos", std::acos(x)},
        {"fSinh", std::sinh(x)},
        {"fTanh", std::tanh(x)},
        {"fCosh", std::cosh(x)},
        {"fAsinh", std::asinh(x)},
        {"fAtanh", std::atanh(x / 2)},
        {"fAcosh", std::acosh(1 + x)},
        {"fAbs", std::fabs(x - 0.5)},
        {"fSignum", -1},
        {"fNeg", -x},
        {"fAdd", x + 1},
        {"fSub", x - 1},
        {"fMul", x * x},
        {"fDiv", 1 / (1 + x)},
        {"fPow", x * x * x},
        {"fPowReal", std::pow(x, 2.5)}}},
      {"MP-1", "mp01_decay.sr", nullptr, {{"x", 10 * std::exp(-3.0)}}},
      {"MP-21",
       "mp21_blocks.sr",
       nullptr,
       {{"c", 90.0}, {"y1", 2.0}, {"y2", 6.0}, {"z1", 2.0}, {"z2", 8.0}, {"x", 1 + 2 * std::exp(-3.0)}}},
      {"MP-1 with an unused input", "mp01_decay.sr", "withInput", {{"x", 10 * std::exp(-3.0)}}},
      {"MP-2",
       "mp02_damped.sr",
       nullptr,
       {{"a1", closed_form(0.5, 30)}, {"b1", closed_form(1, 30)}, {"c1", closed_form(2, 30)}}},
      {"connectors in arrays",
       "stars.sr",
       nullptr,
       {{"s.p[1].i", 3}, {"s.p[2].i", 1.5}, {"s.p[3].i", 1}, {"s.p[3].v", 3}, {"v.p.i", -5.5}}},
      {"connectors in arrays, as arguments",
       "stars.sr",
       "arguments",
       {{"s.r[2].p.i", 1.5}, {"a[3].v", 3}, {"v.p.i", -5.5}}},
      {"matrices",
       "matrices.sr",
       nullptr,
       {{"position[1]", 0},
        {"position[2]", 2},
        {"position[3]", 1},
        {"moment[1]", 20},
        {"moment[2]", 0},
        {"moment[3]", 0},
        {"back[1]", 2 * std::cos(1.0)},
        {"back[2]", -2 * std::sin(1.0)},
        {"back[3]", 1},
        {"row[1]", 10},
        {"row[2]", 7},
        {"distance", std::sqrt(5.0)}}},
      {"MP-10",
       "mp10_gains.sr",
       nullptr,
       {{"a[1]", 11},
        {"a[2]", 25},
        {"c[1]", 0},
        {"b[1]", 7},
        {"b[2]", 10},
        {"d[1]", 30},
        {"d[2]", 36},
        {"d[3]", 42}}},
      {"PM-9", "pm09_linear.sr", nullptr, {{"x1", 1}, {"x2", 2}, {"x3", 3}}},
      {"PM-9 as a matrix", "pm09_linear.sr", "matrix", {{"x[1]", 1}, {"x[2]", 2}, {"x[3]", 3}}},
      {"identities",
       "identities.sr",
       nullptr,
       {{"one", 1}, {"x", 3}, {"y", 1 + std::cos(1.0)}, {"w", std::sin(1.0)}, {"q", std::exp(-1.0)}}},
      {"MP-18",
       "mp18_saturation.sr",
       nullptr,
       {{"a", 0.6}, {"b", 0.6}, {"c", 0.6}, {"error", 0}, {"area", clamped_area(0.2), 1e-5}}},
      {"MP-18 a whole period",
       "mp18_saturation.sr",
       "period",
       {{"area", clamped_area(0.5) - clamped_area(0.5, 0.5), 1e-5}, {"error", 0}}},
      {"Bool and Int signals",
       "discrete_signals.sr",
       nullptr,
       {{"s.high", 1},
        {"s.count", 10},
        {"low", 0},
        {"same", 0},
        {"other", 1},
        {"both", 0},
        {"either", 0},
        {"n", 29},
        {"m", -29},
        {"q", -8},
        {"r", 3},
        {"y", -14.5},
        {"z", -14.5},
        {"s.level", 1.94},
        {"w", 4.5 + 10 * 0.02 + 0.125, 1e-4}}},  // the steps of round (10 x), and x up to 1/2
      // The natural spline through (0, 1), (1, 3), (2, 2), (4, 0) has the second derivatives 0, -108/23,
      // 18/23, 0.
      {"Tables",
       "tables.sr",
       nullptr,
       {{"l", 2.5},
        {"s", 505.0 / 184},
        {"slope", -113.0 / 92},
        {"curve", -45.0 / 23},
        {"held", 0},
        {"further", -7.5},
        {"beyond", -255.0 / 46},
        {"p", 9.5},
        {"q", 2.5 * 505.0 / 184},
        {"g", 5397.0 / 1472},
        {"root", 0.5},
        {"both", 9},
        {"number", 1.5}}},
      {"Foreign functions",
       "foreign.sr",
       nullptr,
       {{"x", kErfDecay},
        {"y", kErfDecay},
        {"a", 0.476936276204470},
        {"b", 0.476936276204470},
        {"n", 10},
        {"m", std::sqrt(73.0)},
        {"f", 1.5},
        {"speed", 5},
        {"number", std::erf(0.25)}}},
      {"Foreign functions with another parameter",
       "foreign.sr",
       nullptr,
       {{"f", 2.0}, {"number", std::erf(0.5)}},
       {{"k", 0.5}}},
      {"MP-19", "mp19_pendulum.sr", nullptr, {{"phi", 0.172453145977}, {"w", 0.0839283093319}}},
  };
}

}  // namespace

TEST_CASE("Published and closed-form answers") {
  for (const Case& c : cases()) {
    INFO(c.title);
    numeric::each_way(
        c.file, c.expression, {}, [&](const sigrel::Run& run) { numeric::check_values(run, c.values); },
        {"auto", "cvode", "ida"}, c.set);
  }
}

TEST_CASE("Andrews' squeezing mechanism, at a strict tolerance too") {
  // The reference solution of the Test Set for Initial Value Problem Solvers (2008), at 0.03 s. The solver is
  // chosen by the size of the loops: IDA needs five times the steps, and does not reach the end at 1e-10.
  const std::vector<numeric::Value> values = {{"be", 15.81077119629904},   {"th", -15.75637105984298},
                                              {"ga", 0.04082224013073101}, {"ph", -0.5347301163226948},
                                              {"de", 0.5244099658805304},  {"om", 0.5347301163226948},
                                              {"ep", 1.048080741042263}};
  numeric::Model model("andrews.sr");
  for (const char* solver : {"auto", "cvode", "adams"})
    for (const auto& [tolerance, error] : {std::pair{1e-6, 1e-4}, {1e-10, 1e-7}}) {
      const sigrel::Run run = model.run({.tolerance = tolerance, .solver = solver});
      for (const numeric::Value& v : values) {
        INFO(solver << ", " << tolerance << ", " << v.name);
        CHECK(run.value(v.name).value() == Approx(v.expected).epsilon(error));
      }
    }
}

TEST_CASE("Differentiated equations of any number of parts are the same few kernels") {
  for (const char* relation : {"gears", "pendulums", "shaft"}) {
    auto compiled = [&](int n) {
      std::string expression =
          std::string("simulate (") + relation + " " + std::to_string(n) + ") with { stop = 0.1 }";
      numeric::Model model("many_constraints.sr", expression.c_str());
      CHECK(model.run({.solver = "auto"}).completed());
      return std::pair(model.compiled().plan.kernels.size(), model.compiled().dae.equations.tables.size());
    };
    INFO(relation);
    CHECK(compiled(30) ==
          compiled(200));  // blocks of a few dozen equations may be torn in another way than larger ones
  }
}

TEST_CASE("A pendulum that turns over for ever keeps its length") {
  for (const char* solver : {"cvode", "ida"}) {
    numeric::Model model("mb05_pendulum.sr", "long");
    sigrel::Run run = model.run({.stop = 200, .tolerance = 1e-7, .solver = solver});
    CHECK(run.outcome.statistics.state_changes > 400);  // twice and more in each of some 110 turns
    for (double length : numeric::column(run, "length")) CHECK(length == Approx(0).margin(1e-12));
  }
}

TEST_CASE("Other parameters need no new compilation") {
  // MD-2: all parameter sets on one compiled model.
  numeric::Model model("md02_rc_charge.sr");
  const std::pair<sigrel::Settings, double> sets[] = {{{{"r", 0.5}, {"v0", 0.1}}, 9.99955054069535},
                                                      {{{"r", 5.0}, {"v0", 0.1}}, 6.35799353240272},
                                                      {{{"r", 5.0}, {"v0", 3.0}}, 7.4248439117999}};
  for (const auto& [set, expected] : sets) {
    sigrel::Run run = model.run({.set = set});
    CHECK(numeric::value(run, "c1.u") == Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("The trajectory follows the closed form at every output point") {
  numeric::Model model("mp02_damped.sr");
  sigrel::Run run = model.run({});
  const auto& times = run.trajectory.times();
  for (auto [name, c] : std::map<const char*, double>{{"a1", 0.5}, {"b1", 1.0}, {"c1", 2.0}}) {
    auto values = numeric::column(run, name);
    REQUIRE(values.size() == times.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(values[i] == Approx(closed_form(c, times[i])).epsilon(1e-8).margin(1e-8));
  }
}

TEST_CASE("A ladder of any length is the same few kernels") {
  std::map<std::string, std::size_t> kernels;
  for (const char* form : {"recursive", "looped"})
    for (const char* n : {"10", "1000", "10000"}) {
      INFO(form << " " << n);
      numeric::Model model("ladder.sr",
                           (std::string(form) + " " + n + " with { outputs = [\"a.v\"] }").c_str());
      std::size_t count = model.compiled().plan.kernels.size();
      auto [it, fresh] = kernels.try_emplace(form, count);
      CHECK(it->second == count);
      // What the integrator evaluates; the ground current of a recursive ladder, which only results need, is
      // a chain.
      CHECK(model.compiled().plan.model.dynamic.size() < 30);
      CHECK(model.run({.solver = "auto"}).completed());
    }
}

TEST_CASE("Tables and assertions of any number of parts are the same few kernels") {
  auto kernels = [](const char* expression) {
    numeric::Model model("many_tables.sr", expression);
    // While x is below 1: x' = i (1 + x), so x = exp (i t) - 1.
    CHECK(numeric::value(model.run({.stop = 0.1, .tolerance = 1e-9}), "p[2].x") ==
          Approx(std::exp(0.2) - 1).epsilon(1e-6));
    CHECK(model.compiled().plan.model.assertions.size() == 1);
    return model.compiled().plan.kernels.size();
  };
  CHECK(kernels("model 3") == kernels("model 60"));
}

TEST_CASE("Recursion and for give the same ladder") {
  auto current = [](const char* expression) {
    numeric::Model model("ladder.sr", expression);
    return numeric::value(model.run({.tolerance = 1e-10}), "source.p.i");
  };
  CHECK(current("recursive 40") == Approx(current("looped 40")).epsilon(1e-8));
}
