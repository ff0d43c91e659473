// Independent components with clocks of their own: the same results as with one clock, and as by hand.
#include <algorithm>
#include <cmath>
#include <map>

#include "numeric.h"
#include "row_check.h"
#include "runtime/events/event_observer.h"
#include "runtime/results/output.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;
using runtime::ComponentClocks;

namespace {

/// One air conditioner by hand: the solution between two switches is an exponential.
struct Conditioner {
  double c, r, p, th;
  bool on = false;
  int switched = 0;

  void advance(double from, double to, double ref) {
    double now = from;
    // A change of the reference may leave the band: then the handler is executed at once, also if it does not
    // change the switch. Before the start there is no band to leave.
    if (from > 0 && std::abs(th - ref) > 0.5) {
      on = th > ref;
      ++switched;
    }
    for (;;) {
      const double equilibrium = 32.0 - (on ? p * r : 0.0), limit = ref + (on ? -0.5 : 0.5);
      const double ratio = (equilibrium - limit) / (equilibrium - th);
      const double wait = ratio > 0 && ratio <= 1 ? -r * c * std::log(ratio) : HUGE_VAL;
      const double step = std::min(wait, to - now);
      th = equilibrium + (th - equilibrium) * std::exp(-step / (r * c));
      now += step;
      if (now >= to) return;
      th = limit;
      on = !on;
      ++switched;
    }
  }
};

double draw(std::int64_t k, std::int64_t i) {
  return static_cast<double>((i * 7 + k) * 16807 % 2147483647 * 48271 % 2147483647) / 2147483647.0;
}

RunOptions options(double stop, ComponentClocks clocks, double tolerance = 1e-9) {
  RunOptions options{.stop = stop, .tolerance = tolerance, .steps = 50};
  options.components = clocks;
  return options;
}

/// Every column of both runs, by the tolerance relative to the largest value of the column.
void check_equal(const Run& exact, const Run& reference, double tolerance) {
  REQUIRE(exact.trajectory.names() == reference.trajectory.names());
  REQUIRE(exact.trajectory.rows() == reference.trajectory.rows());
  for (const std::string& name : exact.trajectory.names()) {
    const std::vector<double> a = exact.column(name), b = reference.column(name);
    double largest = 1e-3;
    for (const double x : b) largest = std::max(largest, std::abs(x));
    double error = 0;
    for (std::size_t k = 0; k < a.size(); ++k) error = std::max(error, std::abs(a[k] - b[k]));
    INFO(name);
    CHECK(error <= tolerance * largest);
  }
}

}  // namespace

TEST_CASE("Air conditioners against the solution by hand") {
  Model model("components.sr", "airconds 30");
  Run run = model.run(options(3000, ComponentClocks::On));
  CHECK(run.outcome.statistics.exact_components == 30);
  CHECK(run.outcome.statistics.exact_forms == 1);
  CHECK(run.outcome.statistics.other_components == 0);
  double total = 0;
  int switched = 0;
  for (int i = 1; i <= 30; ++i) {
    Conditioner unit{550 + 100 * draw(1, i), 1.8 + 0.4 * draw(2, i), 13 + 2 * draw(3, i),
                     18 + 4 * draw(4, i)};
    // A condition that holds at the start has not become true, and above the band it never becomes false.
    if (unit.th - 20.0 > 0.5) continue;
    unit.advance(0, 1000, 20.0);
    unit.advance(1000, 2000, 20.5);
    unit.advance(2000, 3000, 20.0);
    const std::string name = "u[" + std::to_string(i) + "].";
    INFO(name);
    CHECK(value(run, name + "th") == Approx(unit.th).epsilon(1e-9));
    CHECK(value(run, name + "on") == (unit.on ? 1 : 0));
    CHECK(value(run, name + "switched") == unit.switched);
    total += unit.on ? unit.p : 0;
    switched += unit.switched;
  }
  CHECK(switched > 300);
  CHECK(value(run, "total") == Approx(total).epsilon(1e-12));
}

TEST_CASE("Components with clocks of their own give what one clock gives") {
  for (const char* expression :
       {"airconds 20", "mixed 3 1", "mixed 2 50", "mixed 2 99", "ends 5", "coupled 6", "handlers 3"})
    for (const Backend backend : {Backend::Jit, Backend::Interpreter}) {
      INFO(expression);
      Model model("components.sr", expression, {}, backend);
      const bool airconds = std::string(expression).starts_with("air");
      const double stop = airconds ? 3000 : 5;
      const Run one = model.run(options(stop, ComponentClocks::Off, 1e-11));
      const Run own = model.run(options(stop, ComponentClocks::On, 1e-11));
      CHECK(one.outcome.statistics.exact_components == 0);
      CHECK(own.outcome.terminated == one.outcome.terminated);
      CHECK(own.outcome.reached == Approx(one.outcome.reached).epsilon(1e-9));
      check_equal(own, one, 1e-6);
    }
}

TEST_CASE("Components give the same to the last bit with any number of threads") {
  for (const char* expression : {"airconds 1100", "mixed 400 1"}) {
    INFO(expression);
    Model model("components.sr", expression);
    RunOptions run = options(expression[0] == 'a' ? 300 : 2, ComponentClocks::On);
    run.threads = 1;
    const Run alone = model.run(run);
    run.threads = 3;
    const Run shared = model.run(run);
    CHECK(shared.outcome.statistics.threads == 3);
    CHECK(shared.outcome.statistics.exact_events == alone.outcome.statistics.exact_events);
    CHECK(shared.outcome.statistics.exact_events > 1000);
    CHECK(shared.outcome.statistics.exact_forms == alone.outcome.statistics.exact_forms);
    CHECK(shared.outcome.values == alone.outcome.values);
    for (const std::string& name : alone.trajectory.names()) CHECK(shared.column(name) == alone.column(name));
  }
}

TEST_CASE("Which components are solved exactly") {
  struct Case {
    const char* expression;
    std::uint64_t exact, forms, others;
  };
  for (const Case& c : {Case{"mixed 3 1", 9, 3, 3}, Case{"ends 5", 5, 1, 1}, Case{"coupled 6", 0, 0, 0},
                        Case{"coupled 9", 0, 0, 0}, Case{"handlers 3", 6, 2, 6}}) {
    INFO(c.expression);
    const Run run = Model("components.sr", c.expression).run(options(0.5, ComponentClocks::On));
    CHECK(run.outcome.statistics.exact_components == c.exact);
    CHECK(run.outcome.statistics.exact_forms == c.forms);
    CHECK(run.outcome.statistics.other_components == c.others);
  }
}

TEST_CASE("Few components keep one clock unless they are asked for") {
  const Run few = Model("components.sr", "airconds 3").run(options(10, ComponentClocks::Auto));
  CHECK(few.outcome.statistics.exact_components == 0);
  for (auto [expression, exact] :
       {std::pair{"airconds 15", 0u}, {"airconds 16", 16u}, {"airconds 40", 40u}}) {
    const Run many = Model("components.sr", expression).run(options(10, ComponentClocks::Auto));
    CHECK(many.outcome.statistics.exact_components == exact);
  }
  RunOptions cvode = options(10, ComponentClocks::Auto);
  cvode.solver = "cvode";
  CHECK(Model("components.sr", "airconds 40").run(cvode).outcome.statistics.exact_components == 0);
}

TEST_CASE("A component without a next instant is an error that names its line") {
  const std::string message = Model("components.sr", "allStuck 2").refusal(options(5, ComponentClocks::On));
  CHECK(message.find("SR0511") != std::string::npos);
  CHECK(message.find("at t = 1.5 s") != std::string::npos);  // when the first one reaches zero
  CHECK(message.find("components.sr:110") != std::string::npos);
  CHECK(message.find("`t[1].x`") != std::string::npos);
}

// Stop times at which no row of results is at the instant of an event, which one clock finds to its
// tolerance.
TEST_CASE("The models of events are the same with clocks of their own") {
  struct Case {
    const char *file, *expression;
    double stop;
  };
  const Case cases[] = {{"instants.sr", "ball", 3},       {"instants.sr", "counters", 5},
                        {"instants.sr", "samples", 5},    {"instants.sr", "clocks", 4},
                        {"instants.sr", "rounds", 3},     {"instants.sr", "thermostat", 5},
                        {"instants.sr", "counted", 5},    {"instants.sr", "many 20", 2.03},
                        {"instants.sr", "integrals", 3},  {"instants.sr", "sampledP", 100},
                        {"events.sr", "gear", 4},         {"events.sr", "static", 1},
                        {"sampled.sr", "relay", 3},       {"sampled.sr", "drive", 1},
                        {"pieces.sr", "rectified", 3.03}, {"pieces.sr", "roundingsOfTime", 3.03}};
  for (const Case& c : cases) {
    INFO(c.file << ", " << c.expression);
    Model model(c.file, c.expression);
    const Run one = model.run(options(c.stop, ComponentClocks::Off, 1e-11));
    const Run own = model.run(options(c.stop, ComponentClocks::On, 1e-11));
    CHECK(own.outcome.terminated == one.outcome.terminated);
    check_equal(own, one, 1e-6);
  }
}

namespace {

/// What a run reports of its events: how often each comparison changed and each trigger fired, and the sum of
/// all jumps; reports of one instant count once.
struct Reports : runtime::EventObserver {
  std::map<std::uint32_t, int> comparisons, triggers;
  double jumps = 0, last = -HUGE_VAL;
  std::size_t reports = 0, disordered = 0;

  void event(const runtime::EventReport& report) override {
    ++reports;
    disordered += report.time < last;
    last = report.time;
    for (const runtime::ChangedComparison& c : report.comparisons) ++comparisons[c.number];
    for (const runtime::FiredTrigger& t : report.triggers) ++triggers[t.trigger];
    for (const runtime::Jump& j : report.jumps) jumps += std::abs(j.after - j.before);
  }
};

/// The same, of an observer that wants no more.
struct Counts final : runtime::EventObserver {
  Reports reports;
  void event(const runtime::EventReport& report) override { reports.event(report); }
  bool only_counts() const override { return true; }
};

/// The extremes of one variable over rows and steps.
struct Extremes final : runtime::Sink {
  std::size_t column = 0;
  double least = HUGE_VAL, greatest = -HUGE_VAL;

  Error begin(const runtime::Output& output) override {
    const auto at = std::ranges::find(output.names, "s[1].x");
    REQUIRE(at != output.names.end());
    column = static_cast<std::size_t>(at - output.names.begin());
    return {};
  }
  Error row(double, std::span<const double> values) override { return take(values); }
  bool wants_steps() const override { return true; }
  void step(double, std::span<const double> values) override { take(values); }
  Error finish() override { return {}; }

 private:
  Error take(std::span<const double> values) {
    least = std::min(least, values[column]);
    greatest = std::max(greatest, values[column]);
    return {};
  }
};

}  // namespace

TEST_CASE("Rows at events and reports of events are those of one clock") {
  struct Case {
    const char* expression;
    double stop;
  };
  for (const Case& c : {Case{"airconds 8", 3000}, {"mixed 3 1", 5}, {"ends 5", 5}, {"handlers 3", 5}}) {
    INFO(c.expression);
    Model model("components.sr", c.expression);
    Reports of_one, of_own;
    RunOptions o = options(c.stop, ComponentClocks::Off, 1e-11);
    o.events = true;
    o.event_observer = &of_one;
    const Run one = model.run(o);
    o.components = ComponentClocks::On;
    o.event_observer = &of_own;
    const Run own = model.run(o);
    CHECK(own.outcome.statistics.exact_components > 0);
    check_equal(own, one, 1e-6);
    const std::vector<double>&t = own.trajectory.times(), &expected = one.trajectory.times();
    for (std::size_t k = 0; k < t.size(); ++k) CHECK(t[k] == Approx(expected[k]).epsilon(1e-8).margin(1e-8));
    CHECK(of_own.disordered == 0);
    CHECK(of_own.comparisons == of_one.comparisons);
    CHECK(of_own.triggers == of_one.triggers);
    CHECK(of_own.jumps == Approx(of_one.jumps).epsilon(1e-6));
    o.events = false;  // in order also without rows
    Reports without_rows;
    o.event_observer = &without_rows;
    model.run(o);
    CHECK(without_rows.disordered == 0);
    CHECK(without_rows.reports == of_own.reports);
    CHECK(without_rows.triggers == of_own.triggers);
  }
}

TEST_CASE("Events that are only counted are those of the log, with any number of threads") {
  struct Case {
    const char* expression;
    double stop;
  };
  for (const Case& c :
       {Case{"airconds 1100", 2000}, {"mixed 400 1", 2}, {"ends 5", 5}, {"handlers 3", 5}, {"ticking 20", 4}})
    for (const std::uint32_t steps : {1u, 40u}) {
      INFO(c.expression << ", " << steps);
      Model model("components.sr", c.expression);
      RunOptions o = options(c.stop, ComponentClocks::On);
      o.steps = steps;
      Reports log;
      o.event_observer = &log;
      o.threads = 1;
      const Run logged = model.run(o);
      for (const unsigned threads : {1u, 3u}) {
        Counts counts;
        o.event_observer = &counts;
        o.threads = threads;
        const Run counted = model.run(o);
        CHECK(counted.outcome.values == logged.outcome.values);
        CHECK(counts.reports.comparisons == log.comparisons);
        CHECK(counts.reports.triggers == log.triggers);
        CHECK(counts.reports.reports == log.reports);
        CHECK(counts.reports.disordered == 0);
      }
    }
}

TEST_CASE("Rows at events with few columns are those with all columns") {
  Model model("components.sr", "airconds 12");
  RunOptions o = options(3000, ComponentClocks::On);
  o.events = true;
  const Run all = model.run(o);
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"u[3].th"}, {"total"}, {"u[2].on", "power[5]"}, {"u[1].switched", "ref"}}) {
    INFO(names.front());
    o.outputs = names;
    const Run few = model.run(o);
    REQUIRE(few.trajectory.rows() == all.trajectory.rows());
    CHECK(few.trajectory.times() == all.trajectory.times());
    for (const std::string& name : names) CHECK(few.column(name) == all.column(name));
    // At the end, also of what no column shows.
    for (const runtime::State& state : model.compiled().plan.model.states) {
      CHECK(few.outcome.values[state.variable] == all.outcome.values[state.variable]);
      CHECK(few.outcome.values[state.derivative] == all.outcome.values[state.derivative]);
    }
  }
}

TEST_CASE("Every row at an event of a component satisfies the equations") {
  for (const char* expression : {"airconds 8", "mixed 3 1", "switching 3"}) {
    INFO(expression);
    Model model("components.sr", expression);
    runtime::Experiment e;
    e.stop = std::string(expression).starts_with("air") ? 3000 : 5;
    e.components = ComponentClocks::On;
    const numeric::RowCheck check = numeric::check_rows(model.compiled(), e);
    INFO(check.first);
    CHECK(check.wrong == 0);
    CHECK(check.events > 50);
  }
}

TEST_CASE("Sinks that want the steps have the extremes at events of components") {
  Model model("components.sr", "mixed 2 1");
  for (const bool rows : {true, false}) {
    Extremes extremes;
    RunOptions o = options(5, ComponentClocks::On);
    o.steps = 1;
    o.events = rows;
    o.sinks = {&extremes};
    model.run(o);
    CHECK(extremes.greatest == Approx(1).epsilon(1e-9));
    CHECK(extremes.least == Approx(0).margin(1e-9));
  }
}
