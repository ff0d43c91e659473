// The attributes `min` and `max` during a run: the variables are compared with them at each row of the
// results and, in models with few columns, at each step of the integrator. A steady state is one row.
#pragma once
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "runtime/results/output.h"

namespace sigrel::session {

class Bounds final : public runtime::Sink {
 public:
  /// `parameters`: their values in this run. Adds the bounded variables that are not in `columns` to them.
  Bounds(const pipeline::Compiled& model, std::span<const double> parameters, pipeline::Columns& columns);

  bool empty() const { return bounds_.empty(); }
  /// From now on an attribute that does not hold is an error, and sets `stop` to end the run.
  void assert_all(std::atomic<bool>* stop = nullptr) {
    asserted_ = true;
    stop_ = stop;
  }
  bool violated() const { return violated_; }
  /// One warning for each attribute that did not hold, with the first time and the farthest value; or one
  /// error for each of those that ended the run.
  void report(const pipeline::Compiled& model, Diagnostics& diagnostics) const;
  /// The same for a single row, a steady state.
  void report_steady(const pipeline::Compiled& model, Diagnostics& diagnostics) const;

  Error begin(const runtime::Output&) override { return {}; }
  Error row(double time, std::span<const double> values) override;
  bool wants_steps() const override { return steps_; }
  void step(double time, std::span<const double> values) override;
  Error save(runtime::Archive& archive) override {
    archive.fixed(bounds_);
    archive(violated_);
    return {};
  }
  Error resume(const runtime::Output&, runtime::Archive& archive) override { return save(archive); }
  Error finish() override { return {}; }

 private:
  struct Bound;
  void report(const pipeline::Compiled& model, Diagnostics& diagnostics,
              const std::function<void(const Bound&, Diagnostic&)>& describe) const;
  struct Bound {
    std::uint32_t attribute = 0;  // index in system::System::attributes
    std::size_t column = 0;
    bool least = true;  // `min`
    double value = 0;
    bool violated = false;
    double since = 0, farthest = 0, farthest_at = 0;
    void visit(runtime::Archive& archive) { archive(violated, since, farthest, farthest_at); }
  };
  std::vector<Bound> bounds_;
  bool steps_ = false, asserted_ = false, violated_ = false;
  std::atomic<bool>* stop_ = nullptr;
};

}  // namespace sigrel::session
