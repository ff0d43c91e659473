// A model without states has nothing to integrate: each step ends at the next result row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/integrate/integrator.h"

namespace runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

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
    while (row_ > 0 && row() > time) --row_;
    return true;
  }
  Failure stuck() override { return {.kind = FailureKind::NoProgress, .time = time_}; }
  double time() const override { return time_; }
  void interpolate(double) override {}
  const double* y() const override { return &no_unknowns_; }
  const double* rates() const override { return nullptr; }
  void statistics(Statistics&) const override {}

 private:
  double row() const {
    return options_.start + (options_.stop - options_.start) * (static_cast<double>(row_) / options_.rows);
  }

  const IntegratorOptions options_;
  double time_, stop_;
  std::uint64_t row_ = 0;
  double no_unknowns_ = 0;
};

bool Sampler::step() {
  const double just_after = time_ + 8 * kEpsilon * std::abs(time_);
  while (row_ < options_.rows && row() <= just_after) ++row_;
  time_ = std::min({row(), stop_, time_ + options_.longest_step});
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_sampler(const IntegratorOptions& options) {
  return std::make_unique<Sampler>(options);
}

}  // namespace runtime
