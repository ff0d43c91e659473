// Dynamic state selection: the state sets of a model, and their selection in the course of a simulation
// (state_choice.h has the criterion for one set).
#pragma once
#include <optional>
#include <vector>

#include "runtime/events/state_choice.h"
#include "runtime/failure.h"
#include "runtime/solve/model_instance.h"

namespace runtime {

class StateSelection {
 public:
  explicit StateSelection(ModelInstance& instance);
  bool empty() const { return choices_.empty(); }

  /// Selects states at the current values, at which the derivatives are known, whatever was selected before.
  void select(double time);
  /// Records the current determinants of the sets with fixed states, with which `check_fixed` compares.
  void start_checks(double time);
  void after_event() {
    for (StateChoice& choice : choices_) choice.begin_piece();
  }

  /// Solves the dynamic schedule and selects anew where the present selection has become bad. Whether a
  /// selection changed: then the integrator must restart from the current values.
  bool reselect(double time);

  /// Whether there are sets whose states were selected at compile time.
  bool any_fixed() const { return any_fixed_; }
  /// Solves the dynamic schedule and checks that these states still determine the others. False: `failure()`
  /// of the instance.
  bool check_fixed(double time);
  void visit(Archive& archive) { archive.fixed(choices_); }
  /// The failure of a set that is near the loss of its states: why an integrator makes no progress.
  std::optional<Failure> nearly_lost(double time) const;

 private:
  Failure lost(const StateSet& set, double time) const;

  ModelInstance& instance_;
  std::vector<StateChoice> choices_;  // one for each set
  bool any_fixed_;
};

}  // namespace runtime
