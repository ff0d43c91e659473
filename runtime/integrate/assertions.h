// The assertions of a model: conditions that must hold at every result row and step.
#pragma once
#include <vector>

#include "runtime/solve/model_instance.h"

namespace runtime {

class Assertions {
 public:
  explicit Assertions(ModelInstance& instance) : instance_(instance) {}
  bool empty() const { return instance_.model.assertions.empty(); }

  /// Whether all hold at the current values, with the observed variables up to date. False: `failure()` of
  /// the instance names the first that does not.
  bool hold(double time);
  /// The same from the current values of the states: evaluates what the assertions read first.
  bool evaluate_and_hold(double time);

 private:
  ModelInstance& instance_;
  std::vector<double> conditions_;
};

}  // namespace runtime
