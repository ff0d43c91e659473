// Components that are affine between events and have few states, solved exactly, each with a clock of its own
// (exact_form.h). An event is an instant of EventIteration, with the same semantics as in any other model, on
// a model of the component alone; no step is limited by accuracy, and no event is missed.
//
// Components of one form are divided into groups of at most ExactForm::kMostComponents, each with an instance
// of its own. Between two rows, groups are independent unless sinks are counted in order, so threads share
// them; what each group computes does not depend on the threads.
#pragma once
#include <compare>
#include <cstdint>
#include <memory>
#include <queue>
#include <span>
#include <unordered_map>
#include <vector>

#include "runtime/components/exact_form.h"
#include "runtime/components/submodel.h"
#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class ExactComponents {
 public:
  /// With fewer components threads are not worth waking.
  static constexpr std::size_t kFewestForThreads = 1000;

  /// Extracts the part of several components, in ascending order of their `id`.
  using Extract = std::function<void(std::span<const std::uint32_t> ids, Submodel& part)>;
  ExactComponents(ModelInstance& whole, const ExactForm::Times& times, Extract extract)
      : whole_(whole), times_(times), extract_(std::move(extract)) {}

  std::size_t size() const { return count_; }
  std::size_t forms() const { return last_groups_.size(); }
  std::uint64_t events() const { return events_; }  // that changed a component
  /// Visits the groups of all forms, each an ExactForm with its components and what they have cost; a form
  /// has one or several groups.
  template <class Visit>
  void visit_groups(const Visit& visit) const {
    for (const auto& group : groups_) visit(*group);
  }
  bool has_form(const Submodel& part) const { return find(part) != kNone; }

  /// Adds a component, with the current values of the whole model, which are consistent at this time. `id`:
  /// of `Extract`; `in_order`: a sink reads it. False: `failed()`, as for `advance`.
  bool add(const Submodel& part, std::uint32_t id, bool in_order, double time);
  /// From now on events are processed in the order of time, and reported, unless `reports` is null.
  /// To be called once, after the last `add`.
  void keep_order(JoinedReports* reports);
  /// From now on events are reported, without jumps and later, in any order of processing; and with them, in
  /// the order of time, those of `others`. To be called once, instead of `keep_order`; `pass_on` at the end.
  void store_reports(JoinedReports& reports, StoredReports& others, double time);
  /// Passes on the reports up to this time.
  std::size_t pass_on(double until) { return StoredReports::pass_on(stored_, until, *reports_); }
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
  /// In numbers of a part, with the components that failed and the part of their group (`renumber`).
  struct Failed {
    Failure failure;
    std::vector<std::uint32_t> ids;
    const Submodel* part = nullptr;
  };
  const Failed& failed() const { return failed_; }
  /// Sets a 1 for the triggers, by number in the whole model, of which a condition has not always held since
  /// its component was added.
  void find_interrupted(std::span<std::uint8_t> triggers) const;

 private:
  using Group = ExactForm;  // some components of one form, at most kMostComponents, which share an instance
  struct Next {
    double time = 0;
    std::uint32_t group = 0, component = 0;
    auto operator<=>(const Next&) const = default;
  };
  bool advance_to(double time);
  bool process(Group& group, std::size_t component, double until);
  void process_group(Group& group, double until);
  bool finish_group(Group& group);
  bool process_next();
  void take_simultaneous(double time);
  bool process_together();
  void join();
  bool process_joined(double time);
  bool continue_apart(const Next& next, double time);
  std::uint32_t find(const Submodel& part) const;
  template <class Body>
  void each_group(const Body& body);
  void write(const Group& group, std::size_t component);
  bool evaluate(Group& group, std::size_t component, double time);
  bool fail(const Group& group, std::size_t component, double time);
  bool fail_not_finite(Group& group, std::size_t component, double time);

  ModelInstance& whole_;
  ExactForm::Times times_;
  Extract extract_;
  std::unique_ptr<Group> together_;  // of the last components that had an event together
  std::vector<std::uint32_t> together_ids_;
  std::vector<Next> simultaneous_, aside_;
  std::vector<std::uint32_t> crossed_;     // zero crossings, ascending
  std::vector<std::uint8_t> interrupted_;  // by trigger: `find_interrupted`, by events together
  std::size_t count_ = 0;
  std::size_t queued_ = 0;  // components in the queue, or without another event
  std::uint64_t events_ = 0;
  std::vector<std::unique_ptr<Group>> groups_;
  // Of each form its last group, by the hash of its structure.
  std::unordered_multimap<std::uint64_t, std::uint32_t> last_groups_;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue_;  // in order: each component
  std::vector<Next> shown_;                                             // components
  std::vector<double> states_;
  Failed failed_;
  JoinedReports* reports_ = nullptr;  // with `stored_`, which are passed on after each part of the run
  std::vector<StoredReports*> stored_;
  double reported_ = 0, part_ = 0;  // seconds: the end of the last part, and the length of the next one
};

}  // namespace runtime
