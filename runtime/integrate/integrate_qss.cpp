// Quantised states (quantised/quantised_solver.h) as an integrator: a step ends at a result row, at the
// limit, or at a crossing that is an event of the whole model.
#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/events/event_iteration.h"
#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"
#include "runtime/integrate/row_time.h"
#include "runtime/quantised/quantised_solver.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {

class QuantisedIntegrator final : public Integrator {
 public:
  QuantisedIntegrator(ModelInstance& instance, ReducedSystem& system, EventIteration& events,
                      const IntegratorOptions& options)
      : instance_(instance),
        solver_(instance, events.zero_crossings(), events.handler(),
                {.tolerance = options.tolerance,
                 .range = options.stop - options.start,
                 .stop = options.stop,
                 .longest = options.longest_step,
                 .observer = events.observer()}),
        options_(options),
        limit_(options.stop),
        y_(system.size()) {}

  bool make() { return solver_.start(options_.begin) || fail(); }

  bool step() override {
    if (!std::exchange(new_start_, false) && !solver_.resume()) return fail();
    while (row_ < options_.rows && row_time() <= just_after(solver_.time())) ++row_;
    // A row that misses a time event by a rounding error is at that event.
    const bool at_limit = limit_ <= row_time() + time_rounding(limit_);
    if (!solver_.advance(at_limit ? limit_ : row_time())) return fail();
    return true;
  }
  bool limit(double time) override {
    limit_ = time;
    return true;
  }
  bool restart(double time, double) override {
    new_start_ = true;
    while (row_ > 0 && row_time() > time) --row_;
    return solver_.start(time) || fail();
  }
  bool locates_crossings() const override { return true; }
  std::span<const int> crossed() const override { return solver_.crossed(); }
  bool locates_time_functions() const override { return solver_.times_are_local(); }
  Failure stuck() override { return {.kind = FailureKind::NoProgress, .time = solver_.time()}; }
  /// An event may miss the stop time by a rounding error.
  double time() const override {
    const double time = solver_.time();
    const double largest = std::max(std::abs(options_.start), std::abs(options_.stop));
    return std::abs(time - options_.stop) <= time_rounding(largest) ? options_.stop : time;
  }
  void interpolate(double time) override { solver_.states(time, y_.data()); }
  const double* y() const override { return y_.data(); }
  const double* rates() const override { return nullptr; }
  void statistics(Statistics& s) const override;

 private:
  double row_time() const { return rows_.at(row_); }
  bool fail() {
    failure_ = solver_.failure();
    return false;
  }

  ModelInstance& instance_;
  QuantisedSolver solver_;
  const IntegratorOptions options_;
  const RowTimes rows_{options_.start, options_.stop, options_.rows};
  double limit_;
  bool new_start_ = true;  // nothing has happened since the solver began at the current values
  std::uint64_t row_ = 0;
  std::vector<double> y_;
};

void QuantisedIntegrator::statistics(Statistics& s) const {
  constexpr std::size_t kBusiest = 5;
  s.solver = "LIQSS2";
  s.steps = options_.before.steps + solver_.counters().updates;
  s.evaluations = options_.before.evaluations + solver_.counters().evaluations;
  s.events += solver_.counters().events;
  s.last_order = 2;
  s.updates.assign(solver_.updates().begin(), solver_.updates().end());
  for (std::size_t k = 0; k < options_.before.updates.size(); ++k) s.updates[k] += options_.before.updates[k];
  const std::vector<std::uint64_t>& updates = s.updates;
  std::vector<std::uint32_t> order(updates.size());
  for (std::uint32_t k = 0; k < order.size(); ++k) order[k] = k;
  const std::size_t count = std::min(kBusiest, order.size());
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return updates[a] > updates[b] || (updates[a] == updates[b] && a < b);
  });
  s.busiest.clear();
  for (std::size_t k = 0; k < count; ++k)
    s.busiest.push_back({instance_.model.states[order[k]].variable, updates[order[k]]});
}

}  // namespace

std::unique_ptr<Integrator> make_qss(ModelInstance& instance, ReducedSystem& system, EventIteration& events,
                                     const IntegratorOptions& options, Failure& failure) {
  failure = quantised_refusal(instance.model);
  if (failure) return nullptr;
  auto integrator = std::make_unique<QuantisedIntegrator>(instance, system, events, options);
  if (integrator->make()) return integrator;
  failure = integrator->failure();
  return nullptr;
}

}  // namespace runtime
