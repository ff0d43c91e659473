// A model without states has nothing to integrate: time goes on in steps as long as the rows of results are
// apart, and in each a watched difference that changes its sign is followed to where it does, by halving.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/integrate/integrator.h"

namespace runtime {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class Sampler final : public Integrator {
 public:
  Sampler(Problem& problem, const IntegratorOptions& options)
      : problem_(problem),
        options_(options),
        time_(options.start),
        stop_(options.stop),
        low_(problem.watched()),
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
  const double* y() const override { return &nothing_; }
  const double* rates() const override { return nullptr; }
  void statistics(Statistics&) const override {}

 private:
  bool differences(double time, std::vector<double>& out) {
    if (problem_.differences(time, &nothing_, nullptr, out.data())) return true;
    failure_ = problem_.failure();
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

  Problem& problem_;
  const IntegratorOptions options_;
  double time_, stop_;
  std::uint64_t row_ = 0;
  std::vector<double> low_, high_, middle_;  // differences
  double nothing_ = 0;
};

bool Sampler::step() {
  crossed_.clear();
  const double just_after = time_ + 8 * kEpsilon * std::abs(time_);
  while (row_ < options_.rows && row() <= just_after) ++row_;
  double to = std::min({row(), stop_, time_ + problem_.longest_step()});
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

std::unique_ptr<Integrator> make_sampler(Problem& problem, const IntegratorOptions& options) {
  return std::make_unique<Sampler>(problem, options);
}

}  // namespace runtime
