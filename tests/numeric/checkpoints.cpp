// Runs with checkpoints: one that continues from any of them has the same rows, to the last bit, and the rows
// agree with those of a run without checkpoints up to the tolerance.
#include <cmath>
#include <cstdint>

#include "numeric.h"
#include "runtime/integrate/checkpoint.h"

using namespace sigrel;
using numeric::Model;

namespace {

/// Keeps every checkpoint in memory; one is due whenever so many rows are written.
class Kept final : public runtime::Checkpoints {
 public:
  Kept(std::uint32_t every, std::string from = {}) : every_(every), from_(std::move(from)) {}
  bool due(std::uint32_t row) override {
    row_ = row;
    return row >= next_;
  }
  std::string store(double, std::string_view bytes) override {
    checkpoints.emplace_back(bytes);
    return {};
  }
  std::string_view path() const override { return "memory"; }
  std::string_view from() const override { return from_; }
  void visit(runtime::Archive& archive) override {
    if (!archive.loads()) next_ = row_ + every_;
    archive(next_);
  }

  std::vector<std::string> checkpoints;

 private:
  std::uint32_t every_, row_ = 0, next_ = 0;
  std::string from_;
};

/// The bits of all rows and of the final values, of which some may be no number.
std::string bits(const Run& run) {
  std::string all;
  auto add = [&](double value) { all.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const double value : run.final_values) add(value);
  for (std::size_t r = 0; r < run.trajectory.rows(); ++r) {
    add(run.trajectory.time(r));
    for (const double value : run.trajectory.values(r)) add(value);
  }
  return all;
}

/// The largest difference of values on the output grid, relative to the largest value of each column.
double difference(const Run& a, const Run& b) {
  double largest = 0;
  REQUIRE(a.trajectory.rows() == b.trajectory.rows());
  for (std::size_t c = 0; c < a.trajectory.columns(); ++c) {
    double scale = 1e-2;
    for (std::size_t r = 0; r < a.trajectory.rows(); ++r)
      scale = std::max(scale, std::abs(a.trajectory.value(r, c)));
    for (std::size_t r = 0; r < a.trajectory.rows(); ++r)
      largest = std::max(largest, std::abs(a.trajectory.value(r, c) - b.trajectory.value(r, c)) / scale);
  }
  return largest;
}

struct Case {
  const char *file, *expression;
  double stop;
  std::vector<const char*> solvers;
  /// Of values with checkpoints and without.
  double agrees = 1e-6;
  runtime::ComponentClocks components = runtime::ComponentClocks::Off;
};

void check(const Case& c, bool event_rows) {
  for (const char* solver : c.solvers) {
    INFO(c.file << ", " << (c.expression ? c.expression : "main") << ", " << solver);
    Model model(c.file, c.expression);
    RunOptions options{
        .stop = c.stop, .tolerance = 1e-9, .steps = 60, .solver = solver, .events = event_rows};
    options.components = c.components;
    if (std::string(solver) == "qss") options.tolerance = 1e-5;
    const Run plain = model.run(options);
    Kept kept(7);
    options.checkpoints = &kept;
    const Run whole = model.run(options);
    REQUIRE(kept.checkpoints.size() >= 3);
    CHECK(difference(whole, plain) < c.agrees);
    CHECK(whole.outcome.reached == Approx(plain.outcome.reached).epsilon(1e-6));
    for (const std::string& checkpoint : kept.checkpoints) {
      Kept rest(7, checkpoint);
      options.checkpoints = &rest;
      Model anew(c.file, c.expression);
      const Run continued = anew.run(options);
      REQUIRE(bits(continued) == bits(whole));
      CHECK(continued.outcome.statistics.steps == whole.outcome.statistics.steps);
      CHECK(continued.outcome.statistics.events == whole.outcome.statistics.events);
      CHECK(continued.outcome.statistics.evaluations == whole.outcome.statistics.evaluations);
    }
  }
}

void check(const std::vector<Case>& cases) {
  for (const Case& c : cases)
    for (const bool event_rows : {false, true}) check(c, event_rows);
}

}  // namespace

TEST_CASE("Checkpoints: smooth models, by every integrator") {
  check({{"hy02_van_der_pol.sr", nullptr, 2, {"auto", "cvode", "adams", "ida"}},
         {"hy02_van_der_pol.sr", nullptr, 2, {"qss"}, 1e-2},
         {"mb05_pendulum.sr", nullptr, 10, {"auto", "ida"}, 1e-5},
         {"mb05_pendulum.sr", "over 7.0", 10, {"auto"}, 1e-4},
         {"pm15_crank.sr", nullptr, 0.5, {"auto", "ida"}},
         {"hy01_no_states.sr", nullptr, 1, {"auto"}}});
}

TEST_CASE("Checkpoints: events, clocks and discrete variables") {
  check({{"events.sr", "gear", 4, {"auto", "cvode", "ida"}},
         {"events.sr", "gear", 4, {"qss"}, 1e-2},
         {"events.sr", "rectifier", 3, {"auto", "ida"}, 1e-5},
         {"events.sr", "latched", 10, {"auto", "ida"}},
         {"instants.sr", "counted", 5, {"auto", "ida"}},
         {"instants.sr", "sampledP", 100, {"auto", "cvode"}},
         {"sampled.sr", "drive", 1, {"auto", "ida"}},
         {"pieces.sr", "rectified", 3.03, {"auto", "ida"}},
         {"discrete_signals.sr", nullptr, 0.97, {"auto"}},
         {"quantised.sr", "loop", 5, {"qss"}, 1e-2}});
}

TEST_CASE("Checkpoints: delays") {
  check({{"delays.sr", "sines", 3, {"auto", "cvode", "adams", "ida"}},
         {"delays.sr", "steps", 3, {"auto", "ida"}},
         {"delays.sr", "arrival", 3.75, {"auto"}},
         {"delays.sr", "samples", 0.999, {"auto", "ida"}}});
}

TEST_CASE("Checkpoints: structures that change") {
  check({{"structural_change.sr", "halfWave", 0.1, {"auto", "cvode", "adams", "ida"}, 1e-5},
         {"structural_change.sr", "halfWave", 0.1, {"qss"}, 2e-2},
         {"structural_change.sr", "friction 11.0", 10, {"auto", "cvode", "adams", "ida"}},
         {"structural_change.sr", "friction 11.0", 10, {"qss"}, 1e-2},
         {"structural_change.sr", "falling", 4, {"auto", "ida"}},
         {"structural_change.sr", "pair", 4, {"auto", "ida"}},
         {"structural_change.sr", "relay", 6, {"auto", "cvode", "ida"}},
         {"structural_change.sr", "breaking 0.5", 1, {"auto", "ida"}, 1e-5},
         {"structural_change.sr", "delayedFeedback", 3, {"auto", "ida"}},
         {"structural_change.sr", "delayedClutch", 3, {"auto", "ida"}}});
}

TEST_CASE("Checkpoints: models that grow") {
  // The list of balls has more of them at each bounce, with numbers of their own.
  check({{"structural_change.sr", "generations", 4.15, {"auto", "cvode", "adams", "ida"}},
         {"structural_change.sr", "generations", 4.15, {"qss"}, 1e-2},
         {"structural_change.sr", "cells", 5.5, {"auto", "cvode", "adams", "ida"}},
         {"structural_change.sr", "cells", 5.5, {"qss"}, 1e-2}});
}

TEST_CASE("Checkpoints: components with clocks of their own") {
  const auto on = runtime::ComponentClocks::On;
  check({{"components.sr", "airconds 20", 3000, {"auto"}, 1e-6, on},
         {"components.sr", "mixed 3 1", 5, {"auto"}, 1e-6, on},
         {"components.sr", "handlers 3", 5, {"auto"}, 1e-6, on},
         {"components.sr", "coupled 6", 5, {"auto"}, 1e-6, on},
         {"sinks.sr", "manyEvents 20", 5, {"auto"}, 1e-6, on}});
}

TEST_CASE("Checkpoints: what is saved of another model is refused") {
  Model one("events.sr", "gear"), other("delays.sr", "sines");
  Kept kept(7);
  RunOptions options{.stop = 4, .steps = 60, .checkpoints = &kept};
  one.run(options);
  Kept foreign(7, kept.checkpoints.at(1));
  options.checkpoints = &foreign;
  CHECK(other.refusal(options).find("error[SR0624]") != std::string::npos);
  for (std::size_t size = 0; size < kept.checkpoints[1].size(); size += 97) {  // cut off, without a checksum
    Kept cut(7, kept.checkpoints[1].substr(0, size + 1));
    options.checkpoints = &cut;
    CHECK(one.refusal(options).find("error[SR0624]") != std::string::npos);
  }
}
