// Counters and other sinks, which do not connect independent components: the same results as with one clock.
#include <algorithm>
#include <cmath>

#include "numeric.h"
#include "row_check.h"

using namespace sigrel;
using numeric::Model;
using numeric::value;
using runtime::ComponentClocks;

namespace {

Run run_with(Model& model, ComponentClocks clocks, double stop, bool rows) {
  RunOptions options{.stop = stop, .tolerance = 1e-11, .steps = 40};
  options.components = clocks;
  options.events = rows;
  return model.run(options);
}

void check_same(const Run& own, const Run& one) {
  REQUIRE(own.trajectory.names() == one.trajectory.names());
  REQUIRE(own.trajectory.rows() == one.trajectory.rows());
  for (const std::string& name : one.trajectory.names()) {
    const std::vector<double> a = own.column(name), b = one.column(name);
    double error = 0;
    for (std::size_t k = 0; k < a.size(); ++k) error = std::max(error, std::abs(a[k] - b[k]));
    INFO(name);
    CHECK(error < 1e-6);
  }
}

}  // namespace

TEST_CASE("A counter over many events does not connect what it counts") {
  Model model("sinks.sr", "manyEvents 200");
  const Run run = run_with(model, ComponentClocks::Auto, 1.1, false);
  CHECK(run.outcome.statistics.exact_components == 200);
  CHECK(run.outcome.statistics.other_components == 0);
  const std::vector<double> count = numeric::column(run, "count"), latest = numeric::column(run, "latest");
  const std::vector<double>& times = run.trajectory.times();
  for (std::size_t k = 0; k < times.size(); ++k) {
    // Rows that are at no event: the k-th one is at k / 200.
    const double events = std::min(200.0 * times[k], 200.0);
    if (std::abs(events - std::round(events)) < 1e-6 && events < 200) continue;
    CHECK(count[k] == std::floor(events));
    CHECK(latest[k] == Approx(std::floor(events) / 200).epsilon(1e-12));
  }
}

TEST_CASE("Rows at events of a model with a counter are those of one clock") {
  Model model("sinks.sr", "manyEvents 20");
  check_same(run_with(model, ComponentClocks::On, 1.12, true),
             run_with(model, ComponentClocks::Off, 1.12, true));
}

TEST_CASE("Conditions of several components that become true together count once") {
  Model model("sinks.sr", "together");
  const Run run = run_with(model, ComponentClocks::On, 5.5, true);
  CHECK(run.outcome.statistics.exact_components == 3);
  CHECK(value(run, "count") == 5);  // at 1, 2, 3, 4, 5; at 2 all three
  CHECK(value(run, "rounds") == 5);
  check_same(run, run_with(model, ComponentClocks::Off, 5.5, true));
}

TEST_CASE("Random systems with sinks have the results of one clock") {
  for (const char* expression : {"random 4 1", "random 6 20", "random 9 30", "random 12 44", "random 5 57",
                                 "random 8 63", "random 3 71", "random 16 82"})
    for (const bool rows : {false, true}) {
      INFO(expression << ", rows at events: " << rows);
      Model model("sinks.sr", expression);
      const Run own = run_with(model, ComponentClocks::On, 4.03, rows);
      CHECK(own.outcome.statistics.other_components == 0);
      CHECK(value(own, "count") > 5);
      CHECK(value(own, "ons") > 0);
      CHECK(value(own, "changes") > 3);
      // One clock finds instants that are the same to rounding one after the other, each with its rows.
      const Run one = run_with(model, ComponentClocks::Off, 4.03, rows);
      if (!rows) check_same(own, one);
      for (const std::string& name : one.trajectory.names()) {
        INFO(name);
        CHECK(value(own, name) == Approx(value(one, name)).margin(1e-6));
      }
    }
}

TEST_CASE("Every row of a model with sinks satisfies the equations") {
  Model model("sinks.sr", "random 6 11");
  runtime::Experiment e;
  e.stop = 4;
  e.components = ComponentClocks::On;
  const numeric::RowCheck check = numeric::check_rows(model.compiled(), e);
  INFO(check.first);
  CHECK(check.wrong == 0);
  CHECK(check.events > 20);
}

TEST_CASE("What equations read of a counter, and what counts a nonlinear part, connects") {
  Model model("sinks.sr", "feedback");
  const Run own = run_with(model, ComponentClocks::On, 3.9, false);
  CHECK(own.outcome.statistics.exact_components == 1);  // b
  CHECK(own.outcome.statistics.other_components == 1);
  check_same(own, run_with(model, ComponentClocks::Off, 3.9, false));
}

TEST_CASE("Components that assign different values to one variable at one instant are an error") {
  RunOptions options{.stop = 2, .steps = 10};
  options.components = ComponentClocks::On;
  const std::string message = Model("sinks.sr", "conflict").refusal(options);
  CHECK(message.find("SR0515") != std::string::npos);
  CHECK(message.find("`last` is assigned different values at t = 1 s") != std::string::npos);
}
