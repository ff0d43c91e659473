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
  /// `range`: seconds of the simulation; `moment`: EventIteration.
  ExactComponents(ModelInstance& whole, double range, double moment)
      : whole_(whole), range_(range), moment_(moment) {}

  std::size_t size() const { return count_; }
  std::size_t forms() const { return forms_.size(); }
  std::uint64_t events() const { return events_; }  // that changed a component
  bool has_form(const Submodel& part) const { return find(part) != nullptr; }

  /// Adds a component, with the current values of the whole model, which are consistent at this time. `id`:
  /// to name it after a failure. False: `failure()`, as for `advance`.
  bool add(const Submodel& part, std::uint32_t id, double time);
  /// From now on events are processed in the order of time, and reported, unless `reports` is null.
  /// To be called once, after the last `add`.
  void keep_order(JoinedReports* reports);
  /// The time of the next event of all, in that order; infinity if there is none.
  double next_event() const { return queue_.empty() ? HUGE_VAL : queue_.top().time; }
  /// Advances all components to this time, including events at it up to `margin` seconds later, and writes
  /// their states, and what events changed, to the whole model.
  bool advance(double time, double margin);
  /// Writes their states at this time, before the next event. False: one is not finite.
  bool evaluate(double time);
  /// In numbers of a part, with the component that failed and the part of its form (`renumber`).
  struct Failed {
    Failure failure;
    std::uint32_t id = 0;
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
        written_parameters;          // own numbers: those that events change
    std::vector<std::uint32_t> ids;  // by component
    std::vector<Piece> pieces;       // by component
    std::vector<double> numbers;     // by component: `stride` of them
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
    void load(std::size_t component);
    void save(std::size_t component);
    bool process(std::size_t component, double range, bool& changed);
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
  Form* find(const Submodel& part) const;
  void write(const Form& form, std::size_t component);
  bool fail(const Form& form, std::size_t component, double time);

  ModelInstance& whole_;
  double range_, moment_;
  std::size_t count_ = 0;
  std::uint64_t events_ = 0;
  std::vector<std::unique_ptr<Form>> forms_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> form_of_;       // by hash of the structure
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;  // in order: each component
  Failed failed_;
};

}  // namespace runtime
