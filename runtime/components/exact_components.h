// Components with one state that are affine between events, solved exactly, each with a clock of its own.
//
//   x' = f0 + a (x - x0)     x(t) = x0 + f0 s phi(a s),   s = t - t0, phi(z) = (exp z - 1) / z
//
// The rate never changes its sign, so each watched difference, which is affine in x, crosses zero at most
// once before the next event, at a time that a logarithm gives: no event is missed and no step is limited by
// accuracy. An event is an instant of EventIteration, with the same semantics as in any other model, on a
// model of the component alone.
//
// Components of one form share a model, an instance and an event iteration; each has its own row of numbers:
// the values, their nominal values, the parameters, and what events remember. They are loaded for an event,
// which therefore costs what the component is large, whatever their number. An affine function is determined
// by its values at two points; so a and the slopes of the differences need no derivatives.
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/components/part_reports.h"
#include "runtime/components/submodel.h"
#include "runtime/events/event_iteration.h"
#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class ExactComponents {
 public:
  /// Extracts the part of several components, in ascending order of their `id`.
  using Extract = std::function<void(std::span<const std::uint32_t> ids, Submodel& part)>;
  /// `range`: seconds of the simulation; `moment`: EventIteration.
  ExactComponents(ModelInstance& whole, double range, double moment, Extract extract)
      : whole_(whole), range_(range), moment_(moment), extract_(std::move(extract)) {}

  std::size_t size() const { return count_; }
  std::size_t forms() const { return forms_.size(); }
  std::uint64_t events() const { return events_; }  // that changed a component
  bool has_form(const Submodel& part) const { return find(part) != kNone; }

  /// Adds a component, with the current values of the whole model, which are consistent at this time. `id`:
  /// of `Extract`; `in_order`: a sink reads it. False: `failed()`, as for `advance`.
  bool add(const Submodel& part, std::uint32_t id, bool in_order, double time);
  /// From now on events are processed in the order of time, and reported, unless `reports` is null.
  /// To be called once, after the last `add`.
  void keep_order(JoinedReports* reports);
  /// The time of the next event of all, in that order; infinity if there is none.
  double next_event() const { return queue_.empty() ? HUGE_VAL : queue_.top().time; }
  /// Processes the events until this time, and up to `margin` seconds later, and writes what they changed to
  /// the whole model.
  bool advance(double time, double margin);
  /// Writes the states at this time, before the next event. False: one is not finite.
  bool evaluate(double time);
  /// The same for those that `show` has selected: by variable of the whole model, 1.
  bool evaluate_shown(double time);
  void show(std::span<const std::uint8_t> variables);
  /// In numbers of a part, with the components that failed and the part of their form (`renumber`).
  struct Failed {
    Failure failure;
    std::vector<std::uint32_t> ids;
    const Submodel* part = nullptr;
  };
  const Failed& failed() const { return failed_; }

 private:
  /// The solution from an event to the next.
  struct Piece {
    double start = 0, x = 0, rate = 0, coefficient = 0;  // t0, x0, f0, a
    double end = 0;                                      // of the next event; infinity: none
    std::uint32_t watched = kNone;                       // the difference that crosses zero there; none: time
    std::uint32_t close_events = 0;                      // that did not advance time, and since when
    double event_mark = -HUGE_VAL;
    double at(double time) const;
  };
  struct Form {
    Form(const Submodel& part, const ModelInstance& whole, double moment);
    Submodel part;
    ModelInstance instance;
    EventIteration events;
    std::uint32_t state, derivative;
    std::vector<std::uint32_t> written_variables,
        written_parameters;              // own numbers: those that events change
    std::vector<std::uint32_t> ids;      // by component
    std::vector<std::uint8_t> in_order;  // by component
    std::vector<Piece> pieces;           // by component
    std::vector<double> numbers;         // by component: `stride` of them
    // By component: numbers in the whole model.
    std::vector<std::uint32_t> variables, parameters, crossings, triggers;
    PartReports report;
    std::size_t stride = 0;
    std::vector<double> before, differences;
    std::vector<int> directions;

    static std::span<const std::uint32_t> numbers_of(const std::vector<std::uint32_t>& list,
                                                     std::size_t component, std::size_t size) {
      return std::span(list).subspan(component * size, size);
    }
    bool common() const { return !part.foreign_variables.empty() || !part.foreign_parameters.empty(); }
    std::uint32_t number_of_state(std::size_t component) const {
      return variables[component * instance.values.size() + state];
    }
    void load(std::size_t component);
    /// The magnitudes of differences so far, alone.
    void load_memory_of_crossings(std::size_t component) {
      events.zero_crossings().load(numbers.data() + (component + 1) * stride - events.memory_size());
    }
    void load_common(std::size_t component, const ModelInstance& whole);
    void save(std::size_t component);
    bool process(std::size_t component, double range, bool& changed);
    /// Of the differences that are beyond zero here, and of those (watched numbers) that have crossed it by
    /// prediction.
    void find_directions(const std::function<bool(std::uint32_t)>& crossed);
    bool advances(Piece& piece, double time, double range);
    bool begin_piece(Piece& piece, double time);
    void find_end(Piece& piece, std::span<const double> later, double distance);
    bool evaluate(double time);
  };
  struct Next {
    double time = 0;
    std::uint32_t form = 0, component = 0;
    auto operator<=>(const Next&) const = default;
  };
  bool process(Form& form, std::size_t component, double until);
  bool process_next();
  void take_simultaneous(double time);
  bool process_together();
  void join();
  bool process_joined(double time);
  bool continue_apart(const Next& next, double time);
  std::uint32_t find(const Submodel& part) const;
  void write(const Form& form, std::size_t component);
  bool evaluate(Form& form, std::size_t component, double time);
  bool fail(const Form& form, std::size_t component, double time);

  ModelInstance& whole_;
  double range_, moment_;
  Extract extract_;
  std::unique_ptr<Form> together_;  // of the last components that had an event together
  std::vector<std::uint32_t> together_ids_;
  std::vector<Next> simultaneous_, aside_;
  std::vector<std::uint32_t> crossed_;  // zero crossings, ascending
  std::size_t count_ = 0;
  std::size_t queued_ = 0;  // components in the queue, or without another event
  std::uint64_t events_ = 0;
  std::vector<std::unique_ptr<Form>> forms_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> form_of_;       // by hash of the structure
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;  // in order: each component
  std::vector<Next> shown_;                                             // components
  Failed failed_;
};

}  // namespace runtime
