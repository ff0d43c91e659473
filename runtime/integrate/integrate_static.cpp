// A model without states has nothing to integrate: each step ends at the next result row.
#include <algorithm>
#include <cmath>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/row_time.h"
#include "runtime/rounding.h"

namespace runtime {

namespace {

class Sampler final : public Integrator {
 public:
  explicit Sampler(const IntegratorOptions& options)
      : options_(options), time_(options.begin), stop_(options.stop) {}

  bool step() override;
  bool limit(double time) override {
    stop_ = time;
    return true;
  }
  bool restart(double time, double) override {
    time_ = time;
    while (row_ > 0 && row_time() > time) --row_;
    return true;
  }
  Failure stuck() override { return {.kind = FailureKind::NoProgress, .time = time_}; }
  double time() const override { return time_; }
  void interpolate(double) override {}
  const double* y() const override { return &no_unknowns_; }
  const double* rates() const override { return nullptr; }
  void statistics(Statistics&) const override {}

 private:
  double row_time() const { return rows_.at(row_); }

  const IntegratorOptions options_;
  const RowTimes rows_{options_.start, options_.stop, options_.rows};
  double time_, stop_;
  std::uint64_t row_ = 0;
  double no_unknowns_ = 0;
};

bool Sampler::step() {
  while (row_ < options_.rows && row_time() <= just_after(time_)) ++row_;
  time_ = std::min({row_time(), stop_, time_ + options_.longest_step});
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_sampler(const IntegratorOptions& options) {
  return std::make_unique<Sampler>(options);
}

}  // namespace runtime
