// The components of a simulation: those that are solved exactly, each with a clock of its own, and the rest
// of the model, which an integrator advances with one clock.
//
//   whole model, initialised ─┬─ exact components (exact_components.h)
//                             └─ remainder: a Submodel with everything else
//
// All meet at result rows: there `advance` brings the exact components to the time of the remainder, and the
// schedules of the whole model give all other variables. A component is solved exactly if it has one
// state, or two that no event assigns, whose derivatives are affine in them between events (dependency.h) and
// do not depend on time, and is small, and has neither delays nor assertions, nor comparisons of what is not
// affine, nor other pieces than those of time alone, and neither terminates the simulation nor has a handler
// for its end. Counters and other sinks (discrete_sinks.h) do not connect exact components.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/components/dependency.h"
#include "runtime/components/discrete_sinks.h"
#include "runtime/components/exact_components.h"
#include "runtime/components/row_index.h"
#include "runtime/components/submodel.h"
#include "runtime/solve/model_instance.h"
#include "runtime/solve/needed_rows.h"

namespace runtime {

class Components {
 public:
  /// From `time` to `stop`; `moment`: EventIteration. `whole` outlives the components; its values are
  /// consistent at `time`.
  Components(ModelInstance& whole, double time, double stop, double moment);

  /// Whether at least so many components can be solved exactly.
  bool worthwhile(std::size_t fewest) const { return exact_of_.size() >= fewest; }

  /// Adds the exact components and extracts the remainder. False: `failure()`, as for the others.
  bool split();
  Submodel& remainder() { return remainder_; }
  const Submodel& remainder() const { return remainder_; }
  /// ExactComponents::find_interrupted.
  void find_interrupted(std::span<std::uint8_t> triggers) const { exact_.find_interrupted(triggers); }
  /// ExactComponents::keep_order, next_event.
  void keep_order(JoinedReports* reports) { exact_.keep_order(reports); }
  /// ExactComponents::store_reports, pass_on.
  void store_reports(JoinedReports& reports, StoredReports& others, double time) {
    exact_.store_reports(reports, others, time);
  }
  void pass_on(double until) { exact_.pass_on(until); }
  double next_event() const { return exact_.next_event(); }
  /// The current values and parameters of the whole model, for the remainder.
  std::vector<double> remainder_values() const;
  std::vector<double> remainder_parameters() const;
  std::vector<double> remainder_nominal() const;

  /// Processes the events of exact components until this time, and up to `margin` seconds later.
  bool process_events(double time, double margin);
  /// Sets the whole model to this time, at which the remainder has these values and parameters, and evaluates
  /// the dynamic schedule. Events at this time that are not processed yet have not happened.
  bool evaluate(double time, std::span<const double> values, std::span<const double> parameters);
  /// The same with these rows instead of the schedule, and with the states that they read.
  bool evaluate(double time, std::span<const double> values, std::span<const double> parameters,
                const NeededRows& rows);
  /// From now on these rows are evaluated.
  void show(const NeededRows& rows) { exact_.show(rows.variables()); }

  std::size_t exact() const { return exact_.size(); }
  std::size_t forms() const { return exact_.forms(); }
  std::size_t others() const { return dependency_.components - exact_.size(); }
  std::uint64_t events() const { return exact_.events(); }
  /// ExactComponents::visit_groups.
  template <class Visit>
  void visit_groups(const Visit& visit) const {
    exact_.visit_groups(visit);
  }
  /// In numbers of the whole model.
  const Failure& failure() const { return failure_; }

 private:
  void find_exact();
  bool is_exact(std::uint32_t component, std::vector<std::uint32_t>& rows);
  bool is_exact_row(std::uint32_t row) const;
  bool assigns_state(std::span<const std::uint32_t> rows) const;
  bool gather(std::uint32_t component, std::vector<std::uint32_t>& rows, std::size_t most);
  bool reads_known(std::uint32_t component, std::uint32_t row) const;
  void extract(std::span<const std::uint32_t> components, Submodel& part);
  void find_foreign(std::span<const std::uint32_t> components, Submodel& part) const;
  void extract_remainder();
  void load_remainder(std::span<const double> values, std::span<const double> parameters);
  bool fail();

  ModelInstance& whole_;
  double time_;
  RowIndex rows_;
  Variation variation_;
  std::vector<std::uint8_t> dependent_;  // dependent_nodes
  DiscreteSinks sinks_;
  Dependency dependency_;
  Extraction extraction_;
  std::vector<std::uint32_t> extracted_;  // rows of the last `extract`
  std::vector<std::uint32_t> exact_of_;   // components that are solved exactly
  std::vector<std::uint8_t> covered_;     // by row: in an exact component
  std::vector<std::uint8_t> at_end_;      // by trigger: it terminates the simulation, or fires at its end
  std::vector<std::uint8_t> of_time_;     // by zero crossing: a time function
  std::vector<std::uint8_t> in_order_;    // by component: a sink reads it
  ExactComponents exact_;
  Submodel remainder_;
  Failure failure_;
};

}  // namespace runtime
