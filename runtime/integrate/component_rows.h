// Rows of results of a simulation with components (components/components.h): the time loop advances the
// remainder and gives its rows; each becomes a row of the whole model.
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
  /// `observed`: the steps that the columns need, of the whole model. `parameters`: of the remainder.
  /// `recorder` has begun and takes the rows.
  ComponentRows(Components& components, ModelInstance& whole, std::span<const Step> observed,
                std::span<const double> parameters, double stop, Recorder& recorder)
      : Recorder(kNoOutput),
        components_(components),
        whole_(whole),
        observed_(observed),
        parameters_(parameters),
        stop_(stop),
        recorder_(recorder) {}

  /// `values`: of the remainder. False: `failure()`, or an error of the recorder.
  bool row(double time, const std::vector<double>& values) override;
  const Failure& failure() const { return failure_; }

 private:
  static const Output kNoOutput;
  Components& components_;
  ModelInstance& whole_;
  std::span<const Step> observed_;
  std::span<const double> parameters_;
  double stop_;
  Recorder& recorder_;
  Failure failure_;
};

}  // namespace runtime
