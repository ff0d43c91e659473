// Rows of results of a simulation with components (components/components.h): the time loop advances the
// remainder and gives its rows; each becomes a row of the whole model.
//
// If rows at events are wanted, each event of an exact component has two of them, too: the time loop asks for
// the time of the next one and gives the values of the remainder then. An event of the remainder, and those
// of exact components at the same instant, have their rows together. Such a row evaluates what its columns
// need, not the whole model; a row of the grid evaluates everything.
#pragma once
#include <limits>
#include <span>
#include <vector>

#include "runtime/components/components.h"
#include "runtime/failure.h"
#include "runtime/results/recorder.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class ComponentRows final : public Recorder {
 public:
  struct Remainder {
    std::span<const double> parameters;
    bool reports = false;  // its events are reported: so are those of exact components, in the order of time
  };
  /// `observed`: the steps that the columns need, of the whole model; `shown`: the rows that they need.
  /// `recorder` has begun and takes the rows.
  ComponentRows(Components& components, ModelInstance& whole, std::span<const Step> observed,
                const NeededRows& shown, Remainder remainder, double stop, Recorder& recorder)
      : Recorder(kNoOutput),
        components_(components),
        whole_(whole),
        observed_(observed),
        shown_(shown),
        remainder_(remainder),
        stop_(stop),
        recorder_(recorder) {}

  // `values`: of the remainder. After a failure: `failure()`, or an error of the recorder.
  bool row(double time, const std::vector<double>& values) override;
  bool settle(double time, const std::vector<double>& values) override;
  bool is_settled(double time) const override;
  bool fine() const override { return !failure_ && recorder_.fine(); }
  bool wants_events() const override { return recorder_.wants_events() || remainder_.reports; }
  bool wants_steps() const override { return recorder_.wants_steps(); }
  void step(double time, const std::vector<double>& values) override;
  void before_event(double time, const std::vector<double>& values) override;
  bool after_event(double time, const std::vector<double>& values, bool changed) override;
  double next_event() const override;
  const Failure& failure() const { return failure_; }
  /// Spent in exact components and in the evaluation of rows.
  double seconds() const { return seconds_; }

 private:
  bool process_events(double time);
  bool process_events(double time, double margin);
  bool evaluate(double time, const std::vector<double>& values);
  bool evaluate_shown(double time, const std::vector<double>& values);

  static const Output kNoOutput;
  Components& components_;
  ModelInstance& whole_;
  std::span<const Step> observed_;
  const NeededRows& shown_;
  Remainder remainder_;
  double stop_;
  Recorder& recorder_;
  Failure failure_;
  double seconds_ = 0;
};

}  // namespace runtime
