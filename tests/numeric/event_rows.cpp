// The rows of results at events: two at each, before and after it, and no row that contradicts the equations.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>

#include "numeric.h"
#include "row_check.h"

using namespace sigrel;
using numeric::column;

namespace {

/// A model given as text, compiled.
struct Text {
  explicit Text(const std::string& text) : session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}}) {
    session.load_text("model.sr", text);
    if (session.check()) model = session.compile();
    std::string messages;
    for (const Diagnostic& d : session.diagnostics().all())
      messages += render_text(d, session.sources(), false);
    INFO(messages);
    REQUIRE(model);
  }
  Run run(const RunOptions& options = {}) {
    Run run = session.run(*model, options);
    REQUIRE(run.completed());
    return run;
  }

  Session session;
  std::shared_ptr<Compiled> model;
};

/// A sawtooth with a step in the middle of each tooth; the rest of the experiment's settings.
std::string saw_tooth(const std::string& settings) {
  return fmt::format(R"(
saw :: SR ()
saw = sigrel () where
  local x, y :: Real
  discrete n :: Int = 0
  der x = 1.0
  y = if x > 0.5 then 1.0 else -1.0
  initially x = 0.0
  when x > 1.0 do
    x := 0.0
    n := pre n + 1
main = simulate saw with {{ stop = 2.75, {} }}
)",
                     settings);
}

}  // namespace

TEST_CASE("An event leaves two rows with its time, before and after it") {
  for (const char* solver : {"cvode", "adams", "ida"}) {
    INFO(solver);
    Run run = Text(saw_tooth("steps = 10")).run({.solver = solver});
    const std::vector<double> t = run.trajectory.times(), x = column(run, "x"), y = column(run, "y"),
                              n = column(run, "n");
    REQUIRE(t.size() == 11 + 2 * 5);  // the grid, and the events at 0.5, 1, …, 2.5
    std::size_t pairs = 0;
    for (std::size_t r = 1; r < t.size(); ++r) {
      if (t[r] != t[r - 1]) continue;
      ++pairs;
      INFO("t = " << t[r]);
      CHECK(t[r] == Approx(0.5 * double(pairs)).epsilon(1e-9));
      const bool jump = pairs % 2 == 0;
      CHECK(x[r - 1] == Approx(jump ? 1.0 : 0.5).epsilon(1e-9));
      CHECK(x[r] == Approx(jump ? 0.0 : 0.5).epsilon(1e-9).margin(1e-9));
      CHECK(y[r - 1] == (jump ? 1.0 : -1.0));
      CHECK(y[r] == (jump ? -1.0 : 1.0));
      CHECK(n[r] - n[r - 1] == (jump ? 1.0 : 0.0));
    }
    CHECK(pairs == 5);
  }
}

TEST_CASE("A row of the grid at the time of an event is not written a third time") {
  Run run = Text(R"(
clocked :: SR ()
clocked = sigrel () where
  local x :: Real
  discrete n :: Int = 0
  der x = -x
  initially x = 1.0
  every 0.3 do n := pre n + 1
main = simulate clocked with { steps = 10 }
)")
                .run();
  const std::vector<double> t = run.trajectory.times(), n = column(run, "n");
  // At 0 the clock ticks before the first row.
  CHECK(n == std::vector<double>{1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4});
  REQUIRE(t.size() == 14);
  for (std::size_t r : {3, 7, 11}) CHECK(t[r] == t[r + 1]);
  CHECK(t[3] == 1.0 * (3.0 / 10));  // to the last bit that of the grid
}

TEST_CASE("Without event rows there is the grid alone, with the same values") {
  Text saw(saw_tooth("steps = 10"));
  Run all = saw.run(), grid = saw.run({.events = false});
  REQUIRE(grid.trajectory.rows() == 11);
  for (std::size_t r = 0; r < 11; ++r) {
    CHECK(grid.trajectory.time(r) == Approx(0.275 * double(r)));
    // The last row of this time.
    const std::vector<double> times = all.trajectory.times();
    const auto at = std::ranges::upper_bound(times, grid.trajectory.time(r)) - times.begin() - 1;
    CHECK(grid.trajectory.value(r, 0) ==
          Approx(all.trajectory.value(std::size_t(at), 0)).epsilon(1e-9).margin(1e-9));
  }
}

TEST_CASE("`events = False` of an experiment gives the grid alone") {
  const std::string text = saw_tooth("steps = 10, events = False");
  CHECK(Text(text).run().trajectory.rows() == 11);
  CHECK(Text(text).run({.events = true}).trajectory.rows() == 21);
}

TEST_CASE("An event has rows if results show it, and none if nothing does") {
  // The counter is read by no equation; `high` is read by nothing that is recorded or integrated.
  Text text(R"(
quiet :: SR ()
quiet = sigrel () where
  local x :: Real
  discrete n :: Int = 0
  der x = 1.0
  initially x = 0.0
  when x > 0.55 do n := pre n + 1
main = simulate quiet with { steps = 10 }
)");
  CHECK(text.run({.outputs = {"n"}}).trajectory.rows() == 13);
  CHECK(text.run({.outputs = {"x"}}).trajectory.rows() == 11);
}

TEST_CASE("The row before an event has a value where only the other side of the crossing has one") {
  Run run = Text(R"(
tank :: SR ()
tank = sigrel () where
  local h, q :: Real
  der h = -1.0
  q = if h > 0.0 then sqrt h else 0.0
  initially h = 0.5
main = simulate tank with { steps = 3 }
)")
                .run();
  const std::vector<double> t = run.trajectory.times(), q = column(run, "q");
  REQUIRE(t.size() == 6);  // at 0, 1/3, 1/2 twice, 2/3, 1
  for (double value : q) CHECK(std::isfinite(value));
  CHECK(q[2] == Approx(0).margin(1e-4));  // the root of what rounding leaves
  CHECK(q[3] == 0);
}

TEST_CASE("A run that is terminated has both rows of its last event") {
  Run run = Text(R"(
falling :: SR ()
falling = sigrel () where
  local x :: Real
  discrete done :: Bool = False
  der x = -1.0
  initially x = 0.55
  when x < 0.0 do done := True
  terminate when done
main = simulate falling with { steps = 10 }
)")
                .run();
  const std::vector<double> t = run.trajectory.times(), done = column(run, "done");
  REQUIRE(t.size() == 8);
  CHECK(t[6] == t[7]);
  CHECK(t[7] == Approx(0.55));
  CHECK(done[6] == 0);
  CHECK(done[7] == 1);
}

TEST_CASE("Least and greatest values of a sweep are those of steps and events") {
  Text saw(saw_tooth("steps = 1"));
  for (bool events : {true, false}) {
    const session::SweepGrid grid({});
    session::SweepOptions options;
    options.grid = &grid;
    std::vector<session::SweepRow> rows;
    options.row = [&](session::SweepRow& row) {
      rows.push_back(std::move(row));
      return true;
    };
    const RunOptions run{.events = events, .outputs = {"x"}};
    const pipeline::Columns columns = saw.session.sweep_columns(*saw.model, run);
    REQUIRE(saw.session.sweep(*saw.model, run, columns, options) == true);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].greatest[0] == Approx(1).epsilon(1e-9));
    CHECK(rows[0].least[0] == Approx(0).margin(1e-9));
    CHECK(rows[0].last[0] == Approx(0.75).epsilon(1e-6));
  }
}

TEST_CASE("Every row of the examples satisfies the equations") {
  for (const char* name :
       {"00_cooling", "01_low_pass", "02_predator_prey", "04_dc_motor", "06_tanks", "07_bouncing_ball",
        "08_thermostat", "09_servo", "10_rectifiers", "12_aircraft_engine", "13_op_amp_filter",
        "14_cruise_control", "15_chua", "19_shower"}) {
    INFO(name);
    Session session({.path = {{}, SIGREL_SOURCE_DIR "/stdlib"}});
    session.load(SIGREL_SOURCE_DIR "/examples/" + std::string(name) + ".sr");
    REQUIRE(session.check());
    const auto model = session.compile();
    REQUIRE(model);
    runtime::Experiment e;
    e.start = model->experiment.start, e.stop = model->experiment.stop;
    e.steps = static_cast<std::uint32_t>(model->experiment.steps);
    const numeric::RowCheck check = numeric::check_rows(*model, e);
    INFO(check.first);
    CHECK(check.wrong == 0);
    CHECK(check.rows >= e.steps + 1);
  }
}

TEST_CASE("Every row of models with events satisfies the equations") {
  struct Case {
    const char* expression;
    double stop;
    std::size_t events;  // at least
  };
  for (const Case& c : {Case{"gear", 4, 3},
                        {"release", 10, 4},
                        {"rectifier", 3, 9},
                        {"halfWave", 9.3, 36},
                        {"contact", 2, 6}})
    for (runtime::Solver solver : {runtime::Solver::Cvode, runtime::Solver::Ida}) {
      INFO(c.expression);
      numeric::Model model("events.sr", c.expression);
      runtime::Experiment e;
      e.stop = c.stop;
      e.solver = solver;
      const numeric::RowCheck check = numeric::check_rows(model.compiled(), e);
      INFO(check.first);
      CHECK(check.wrong == 0);
      CHECK(check.events >= c.events);
    }
}

TEST_CASE("A column with a comparison is that of the others in every row, whatever the frequency and level") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 12; ++k) {
    const double w = 0.2 + 20 * unit(random) * unit(random), level = unit(random) - 0.5;
    Text text(fmt::format(R"(
driven :: SR ()
driven = sigrel () where
  local x, y :: Real
  der x = {0} * cos ({0} * time)
  y = if x > {1} then x else 3.0 - x
  initially x = 0.0
main = simulate driven with {{ stop = 10.0 }}
)",
                          w, level));
    Run run = text.run();
    const std::vector<double> t = run.trajectory.times(), x = column(run, "x"), y = column(run, "y");
    INFO("w = " << w << ", level " << level << ", rows " << t.size());
    CHECK(t.size() > 501);
    for (std::size_t r = 0; r < t.size(); ++r) {
      const bool high = y[r] == x[r], low = y[r] == 3.0 - x[r];
      if (std::abs(x[r] - level) < 1e-9)
        CHECK((high || low));
      else
        CHECK((x[r] > level ? high : low));
    }
  }
}

TEST_CASE("A condition of time alone holds in every row") {
  Run run = Text(R"(
pulsed :: SR ()
pulsed = sigrel () where
  local x, y :: Real
  y = if sin (10.0 * time) > 0.0 then 1.0 else 0.0
  der x = y
  initially x = 0.0
main = simulate pulsed with { stop = 20.0 }
)")
                .run();
  const std::vector<double> t = run.trajectory.times(), y = column(run, "y");
  std::size_t wrong = 0;
  for (std::size_t r = 0; r < t.size(); ++r)
    if (std::abs(std::sin(10 * t[r])) > 1e-9) wrong += (std::sin(10 * t[r]) > 0) != (y[r] == 1);
  CHECK(wrong == 0);
}

TEST_CASE("A column is the same alone as beside all others") {
  // Rows evaluate what they show: with loops, delays, events, and variables that are observed only.
  for (const char* name : {"01_low_pass", "04_dc_motor", "06_tanks", "07_bouncing_ball", "09_servo",
                           "11_crank_slider", "16_akzo_nobel"})
    for (const bool events : {false, true}) {
      numeric::Model model(std::string("../../../examples/") + name + ".sr");
      const Run all = model.run({.events = events, .outputs = {"*"}});
      const std::vector<std::string>& names = all.trajectory.names();
      for (std::size_t k = 0; k < names.size(); k += 1 + names.size() / 3) {
        INFO(name << ", " << names[k]);
        const Run one = model.run({.events = events, .outputs = {names[k]}});
        CHECK(one.outcome.statistics.steps == all.outcome.statistics.steps);
        if (!events) CHECK(one.column(names[k]) == all.column(names[k]));
        CHECK(one.final_values.front() == *all.value(names[k]));
      }
    }
}
