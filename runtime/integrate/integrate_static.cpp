// A model without states has nothing to integrate: each step ends at the next result row, or where a watched
// difference changes its sign, which is located by bisection.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/integrate/integrator.h"
#include "runtime/integrate/root_functions.h"

namespace runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class Sampler final : public Integrator {
 public:
  Sampler(RootFunctions& roots, const IntegratorOptions& options)
      : roots_(roots),
        options_(options),
        time_(options.start),
        stop_(options.stop),
        low_(roots.count()),
        high_(low_),
        middle_(low_) {}

  bool step() override;
  bool limit(double time) override {
    stop_ = time;
    return true;
  }
  bool restart(double time) override {
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
  bool differences(double time, std::vector<double>& out) {
    if (roots_.differences(time, &no_unknowns_, nullptr, out.data())) return true;
    failure_ = roots_.failure();
    return false;
  }
  double row() const {
    return options_.start + (options_.stop - options_.start) * (static_cast<double>(row_) / options_.rows);
  }
  static bool changes(double before, double after) { return before != 0 && (before < 0) != (after < 0); }
  bool any_changes(const std::vector<double>& after) const {
    for (std::size_t k = 0; k < low_.size(); ++k)
      if (changes(low_[k], after[k])) return true;
    return false;
  }

  RootFunctions& roots_;
  const IntegratorOptions options_;
  double time_, stop_;
  std::uint64_t row_ = 0;
  std::vector<double> low_, high_, middle_;  // watched differences
  double no_unknowns_ = 0;
};

bool Sampler::step() {
  crossed_.clear();
  const double just_after = time_ + 8 * kEpsilon * std::abs(time_);
  while (row_ < options_.rows && row() <= just_after) ++row_;
  double to = std::min({row(), stop_, time_ + options_.longest_step});
  if (!low_.empty()) {
    if (!differences(time_, low_) || !differences(to, high_)) return false;
    if (any_changes(high_)) {
      double from = time_;
      const double precision = 4 * kEpsilon * (std::abs(time_) + std::abs(to - time_));
      while (to - from > precision) {
        const double between = from + (to - from) / 2;
        if (!differences(between, middle_)) return false;
        if (any_changes(middle_)) {
          to = between;
          high_.swap(middle_);
        } else {
          from = between;
        }
      }
      for (std::size_t k = 0; k < low_.size(); ++k)
        crossed_.push_back(!changes(low_[k], high_[k]) ? 0 : low_[k] < 0 ? 1 : -1);
    }
  }
  time_ = to;
  return true;
}

}  // namespace

std::unique_ptr<Integrator> make_sampler(RootFunctions& roots, const IntegratorOptions& options) {
  return std::make_unique<Sampler>(roots, options);
}

}  // namespace runtime
