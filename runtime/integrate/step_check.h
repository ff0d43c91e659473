// Checks that a step has seen what terms of the time do inside it: a short pulse between two steps leaves no
// trace in the values that an integrator sees, and so none in its error estimate.
//
// The time-dependent terms are the rows of the dynamic schedule that read the time, and those that read what
// such rows give, up to algebraic loops. They are few, as a rule, and are evaluated alone, all else as the
// integrator evaluated it last, at equidistant times kResolution of the time range apart, over the step.
// Where one of them misses the cubic polynomial given by its values and rates at both ends of the step, the
// derivatives of the states are compared at that time: those with the time there, those with the time of
// either end, at the same states. Where the difference over the step is more than ten times what the
// tolerance allows, the step is refused.
//
// So what is longer than kResolution of the time range is seen. What is shorter may be missed, as may short
// terms of the states; the attribute `maxStep` of an experiment is for those. A step that is shorter than the
// distance of these times costs nothing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/reduced_system.h"

namespace runtime {

class StepCheck {
 public:
  /// `range`: of time, in seconds; `tolerance`: of a step, relative.
  StepCheck(ModelInstance& instance, ReducedSystem& system, double range, double tolerance);

  /// Whether the last step of the integrator, which began at this time, has seen all of it.
  bool accepts(double begin, Integrator& integrator);
  /// The length of the step that takes the place of a refused one, which was this long: not so short that
  /// what is far from the pulse takes many.
  double shorter(double length) const { return std::max(length / 4, resolution_ / 8); }

 private:
  struct Rows {  // of a batch that depend on the time
    std::uint32_t batch, begin, end;
  };
  void collect();
  void collect(std::uint32_t batch, std::vector<std::uint8_t>& depends);
  void evaluate_sum(const SumTable& table, std::uint32_t row);
  void sample(double time, std::vector<double>& out);
  bool derivatives(double time, double at, Integrator& integrator, std::vector<double>& out);
  bool matters(double begin, double end, double at, Integrator& integrator);

  ModelInstance& instance_;
  ReducedSystem& system_;
  double resolution_, tolerance_;
  std::vector<Rows> rows_;
  std::size_t terms_ = 0;  // rows in all
  std::vector<double> results_;
  std::vector<double> largest_;           // by term: magnitude so far
  std::vector<double> miss_, missed_at_;  // by term: the largest in this step, and its time
  std::vector<double> first_, last_, after_first_, before_last_, here_;
  std::vector<double> at_, at_begin_, at_end_;  // derivatives
};

}  // namespace runtime
