// Models whose structure changes, against closed forms, by JIT and interpreter and by several integrators.
#include <cmath>
#include <complex>
#include <filesystem>
#include <numbers>

#include "numeric.h"
#include "runtime/results/result_file.h"

using namespace sigrel;
using numeric::value;

namespace {

constexpr double kPi = std::numbers::pi;

void check(const char* expression, const std::vector<numeric::ValueAt>& expected, double accuracy,
           double tolerance = 1e-9) {
  numeric::check_values_at("structural_change.sr", expression, expected, accuracy, tolerance);
}

}  // namespace

TEST_CASE("a diode interrupts the current of an inductor: one state, or none") {
  // L i' = 20 sin(w t) - R i from each rising zero of the source until i is zero.
  const double w = 100 * kPi, r = 5, l = 1e-2, z2 = r * r + w * w * l * l;
  const auto current = [&](double t) {
    return 20 / z2 * (r * std::sin(w * t) - w * l * std::cos(w * t) + w * l * std::exp(-r / l * t));
  };
  check("halfWave",
        {{"l.p.i", 0.005, current(0.005)},
         {"l.p.i", 0.01, current(0.01)},
         {"l.p.i", 0.015, 0},
         {"l.p.i", 0.025, current(0.005)},
         {"l.p.i", 0.032, 0}},
        1e-7);
}

TEST_CASE("a pendulum that breaks flies on, from index 3 to index 1") {
  numeric::Model model("structural_change.sr", "breaking 0.5");
  const Run at_break = model.run({.stop = 0.5, .tolerance = 1e-10});
  const Run run = model.run({.stop = 1.0, .tolerance = 1e-10});
  const double x = value(at_break, "x"), y = value(at_break, "y"), vx = value(at_break, "vx"),
               vy = value(at_break, "vy");
  CHECK(x * x + y * y == Approx(1).epsilon(1e-9));
  CHECK(value(run, "energy") == Approx(-9.81 * 0.8).epsilon(1e-8));
  CHECK(value(run, "x") == Approx(x + 0.5 * vx).epsilon(1e-7));
  CHECK(value(run, "y") == Approx(y + 0.5 * vy - 9.81 * 0.125).epsilon(1e-7));
  CHECK(std::isnan(value(run, "f")));  // a variable of the mode that was left
}

TEST_CASE("a mode that enters itself with other arguments") {
  const double first = std::sqrt(20 / 9.81), v = 9.81 * first;
  const double second = first + 2 * 0.8 * v / 9.81, t = 5 - second;
  check("falling", {{"y", 5, 0.64 * v * t - 9.81 * t * t / 2}, {"bounces", 5, 2}}, 1e-7);
}

TEST_CASE("friction that sticks: two states, or one") {
  // From integrations in minimal coordinates of order 8, with exact events.
  check("friction 8.0", {{"w1", 5, 24.59767882}, {"w2", 5, 8.240312087}}, 1e-7);
  check("friction 11.0",
        {{"w1", 2, 12.13410905},
         {"w1", 3, 8.092437920},
         {"w2", 3, 8.092437920},
         {"w1", 4.4, 13.53002226},
         {"w2", 4.4, 13.50473909},
         {"w1", 5, 13.69276767},
         {"w1", 7, 17.70821611},
         {"w2", 7, 16.67724116},
         {"w1", 8, 20.58083557},
         {"w2", 10, 23.26276592}},
        1e-6);
  check("friction 11.0", {{"w1", 5, 13.69276767}, {"w2", 10, 23.26276592}}, 1e-8, 1e-11);
}

TEST_CASE("switches in a loop, and inside modes; two transitions at one instant") {
  check("pair", {{"y[1]", 1, 1}, {"y[1]", 2, 0}, {"y[1]", 3, -2}, {"y[2]", 3, 3}}, 1e-9);
}

TEST_CASE("values before a mode, targets chosen by signals, handlers outside") {
  // x rises from 0 to 1, and falls to 0.5 while z grows from 10; both again; then the mode that stays.
  check("relay", {{"z", 1.2, 10.2}, {"z", 1.9, 10.15}, {"x", 5, 1}, {"z", 5, 1}, {"n", 5, 2}}, 1e-7);
}

TEST_CASE("a ball splits: relations that a mode applies capture values of the instant") {
  const double impact = std::sqrt(20 / 9.81), v = 9.81 * impact / 2, t = 2 - impact;
  check("splitting", {{"y", 2, v * t - 9.81 * t * t / 2}, {"x", 2, impact + 0.5 * t}}, 1e-7);
}

TEST_CASE("transitions without end are an error with their line") {
  numeric::Model model("structural_change.sr", "endless");
  const std::string text = model.refusal({.stop = 1.0});
  INFO(text);
  CHECK(text.find("SR0511") != std::string::npos);
  CHECK(text.find("until x >") != std::string::npos);
}

TEST_CASE("a list may double at one instant, as long as it comes to an end") {
  check("doubling", {{"y", 0.4, 1}, {"y", 0.6, 1024}}, 1e-12);
}

TEST_CASE("a parameter that is set holds in every structure") {
  numeric::Model model("structural_change.sr", "friction 8.0", {{"most", 11.0}});
  const Run run = model.run({.stop = 5, .tolerance = 1e-9, .set = {{"most", 11.0}}});
  CHECK(value(run, "w1") == Approx(13.69276767).epsilon(1e-6));
}

TEST_CASE("delays keep their history over a change of structure") {
  check("delayedOuter", {{"y", 0.2, 0}, {"y", 1.2, 0.9}, {"y", 1.5, 0.6}, {"y", 1.8, 0}}, 1e-8);
  // By the method of steps.
  check("delayedFeedback", {{"x", 1.5, -0.375}, {"x", 2, -0.25}, {"x", 2.5, -17.0 / 48}, {"x", 3, -0.5}},
        1e-7);
}

TEST_CASE("what jumps at a transition arrives in delays as a jump") {
  check("delayedJumps",
        {{"y", 1.2, 0.95},
         {"y", 1.3, 6.05},
         {"y", 1.36, 0},
         {"z", 1.5, 0.9},
         {"z", 1.65, 6.05},
         {"z", 1.75, 0}},
        1e-8);
  // Case SC-6: the clutch conserves angular momentum.
  check("delayedClutch",
        {{"seen", 0.8, 21.2}, {"seen", 0.95, 2.1875}, {"seen", 2.05, 2.4625}, {"seen", 3, 4.275}}, 1e-8);
}

TEST_CASE("a delay in a mode begins when the mode is entered") {
  check("delayedInner", {{"y", 0.9, 0.9}, {"y", 1.2, 1}, {"y", 1.39, 1}, {"y", 1.6, 1.2}, {"y", 2, 1.6}},
        1e-8);
  // Its start is no initial equation that would replace the jump.
  check("clutchWithMemory", {{"seen", 0.8, 2.175}, {"seen", 1, 2.2}, {"w1", 1.7, 2.425}}, 1e-8);
}

TEST_CASE("a state that begins at an instant keeps its value where another switch follows") {
  check("following", {{"w", 0.4, 0}, {"w", 0.6, 1}, {"z", 1, 5.5}}, 1e-8);
}

TEST_CASE("a linear model is that of the modes at its point") {
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  session.load(SIGREL_SOURCE_DIR "/tests/numeric/models/structural_change.sr");
  REQUIRE(session.check("motor"));
  const auto model = session.compile();
  REQUIRE(model);
  const auto off = session.linearize(*model, {.run = {.stop = 0.5}, .inputs = {}, .outputs = {"w"}});
  REQUIRE(off);
  CHECK(off->states == std::vector<std::string>{"w"});
  const auto on = session.linearize(*model, {.run = {.stop = 2.0}, .inputs = {"u"}, .outputs = {"w"}});
  REQUIRE(on);
  REQUIRE(on->states.size() == 2);
  const auto poles = runtime::eigenvalues(on->model.a);
  REQUIRE(poles.size() == 2);
  // s^2 + 3 s + 4
  for (const std::complex<double> s : poles) CHECK(std::abs(s * s + 3.0 * s + 4.0) < 1e-9);
}

TEST_CASE("a steady state is that of the modes after the start, and does not leave them") {
  std::vector<Diagnostic> told;
  auto steady = [&](const char* expression) {
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    session.load(SIGREL_SOURCE_DIR "/tests/numeric/models/structural_change.sr");
    REQUIRE(session.check(expression));
    const auto model = session.compile();
    REQUIRE(model);
    auto found = session.steady(*model, {});
    told.assign(session.diagnostics().all().begin(), session.diagnostics().all().end());
    return found;
  };
  const auto rest = steady("running 0.5");
  REQUIRE(rest);
  REQUIRE(rest->rows.size() == 2);
  for (const SteadyRow& row : rest->rows) CHECK(row.value == Approx(1));
  const auto off = steady("motor");
  REQUIRE(off);
  CHECK(off->rows.at(0).value == Approx(0).margin(1e-12));
  CHECK_FALSE(steady("tank"));
  REQUIRE(!told.empty());
  const Diagnostic& d = told.back();
  CHECK(d.code == Code::SteadyNotFound);
  CHECK(d.message.find("enters the mode `High`") != std::string::npos);
}

TEST_CASE("columns and parameters of later modes") {
  numeric::Model model("structural_change.sr", "later", {{"g.k", 5.0}});
  const Run run = model.run({.stop = 3.0, .steps = 5, .outputs = {"x", "y", "z", "g.*"}});
  const std::vector<double> x = numeric::column(run, "x"), y = numeric::column(run, "y"),
                            z = numeric::column(run, "z");
  CHECK(numeric::column(run, "g.x").back() == Approx(3));
  REQUIRE(y.size() == 6);
  for (std::size_t k = 0; k < 6; ++k) {
    INFO(x[k]);
    CHECK(std::isnan(y[k]) == (k < 2 || k > 3));
    CHECK(std::isnan(z[k]) == (k < 4));
    if (k == 2) CHECK(y[k] == Approx(1.2));
    if (k > 3) CHECK(z[k] == Approx(5 * x[k]));
  }
  CHECK(run.description("y") == "[m]");
  // Files have the same values; in one of text a missing value is an empty field.
  const std::filesystem::path folder = std::filesystem::temp_directory_path();
  const std::string csv = folder / "sigrel_later.csv", mat = folder / "sigrel_later.mat";
  const auto to_csv = runtime::make_result_file(csv), to_mat = runtime::make_result_file(mat);
  model.run({.stop = 3.0, .steps = 5, .outputs = {"x", "y", "z"}, .sinks = {to_csv.get(), to_mat.get()}});
  const auto from_csv = runtime::open_results(csv), from_mat = runtime::open_results(mat);
  runtime::ResultReader::Row a, b;
  for (std::size_t k = 0; k < 6; ++k) {
    REQUIRE(from_csv->next(a));
    REQUIRE(from_mat->next(b));
    REQUIRE(a.values.size() == 3);
    for (std::size_t c = 0; c < 3; ++c) {
      const double in_mat = b.values.at(static_cast<std::size_t>(
          std::ranges::find(from_mat->names(), from_csv->names()[c]) - from_mat->names().begin()));
      const double expected = (c == 0 ? x : c == 1 ? y : z)[k];
      CHECK((std::isnan(expected) ? std::isnan(a.values[c]) : a.values[c] == Approx(expected)));
      CHECK((std::isnan(expected) ? std::isnan(in_mat) : in_mat == Approx(expected)));
    }
  }
  CHECK_FALSE(from_csv->next(a));
  std::filesystem::remove(csv);
  std::filesystem::remove(mat);
  // Without recompilation, as sweeps do.
  const Run other = model.run({.stop = 3.0, .set = {{"g.k", 2.0}}, .outputs = {"z"}});
  CHECK(value(other, "z") == Approx(6));
  CHECK(model.refusal({.outputs = {"q"}}).find("no variable is named `q`") != std::string::npos);
  CHECK(model.refusal({.set = {{"g.q", 2.0}}}).find("has no parameter `g.q`") != std::string::npos);
  Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
  session.load(SIGREL_SOURCE_DIR "/tests/numeric/models/structural_change.sr");
  REQUIRE(session.check("later"));
  CHECK_FALSE(session.compile({{"g.q", 1.0}}));
}

TEST_CASE("a handler fires for the condition that becomes true over a change, while another one holds") {
  check("severalConditions", {{"n", 0.4, 0}, {"n", 1, 1}, {"k", 1, 1}}, 1e-12);
}

TEST_CASE("what only assignments change is tied to nothing") {
  check("held", {{"q", 1, 2}, {"x", 1, 1.5}}, 1e-9);
}

TEST_CASE("a condition of the instant of a change becomes true once") {
  for (const char* solver : {"auto", "cvode", "ida"})
    CHECK(value(numeric::Model("structural_change.sr", "firesOnce").run({.stop = 0.03, .solver = solver}),
                "k") == 1);
}
