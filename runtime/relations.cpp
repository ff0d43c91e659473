#include "runtime/relations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {
// A difference that has just crossed and is within this part of its largest value is at zero: the direction decides.
constexpr double kAtZero = 1e-9;
// This part of its largest value is a rounding error.
constexpr double kNothing = 1e-14;
}  // namespace

Relations::Relations(const Model& model) : model_(model) {
  for (std::uint32_t r = 0; r < model.relations.size(); ++r)
    for (std::uint32_t row = 0; row < model.runs[model.relations[r].run].count; ++row) {
      if (!model.relations[r].linear_in_time) watched_.push_back(static_cast<std::uint32_t>(rows_.size()));
      rows_.push_back({r, row});
    }
  differences_.assign(rows_.size(), 0.0);
  largest_ = before_ = earlier_ = differences_;
  crossed_.assign(rows_.size(), 0);
  changed_ = crossed_;
}

void Relations::evaluate(const Point& point) {
  std::size_t at = 0;
  for (const Relation& r : model_.relations) {
    runtime::evaluate(model_, model_.runs[r.run], point, differences_.data() + at);
    at += model_.runs[r.run].count;
  }
}

void Relations::watch(const Point& point, double* out) {
  evaluate(point);
  for (std::size_t k = 0; k < watched_.size(); ++k) out[k] = differences_[watched_[k]];
}

double Relations::next(const Point& point, double time) {
  if (watched_.size() == rows_.size()) return std::numeric_limits<double>::infinity();
  // Two points make a line.
  Point at = point;
  at.time = 0;
  evaluate(at);
  earlier_ = differences_;
  at.time = 1;
  evaluate(at);
  double next = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    if (!model_.relations[rows_[k].relation].linear_in_time || differences_[k] == earlier_[k]) continue;
    const double instant = earlier_[k] / (earlier_[k] - differences_[k]);
    if (instant > time && instant < next) next = instant;
  }
  return next;
}

void Relations::crossed(std::span<const int> directions, std::span<double> parameters) {
  before_ = differences_;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    if (directions[k] == 0) continue;
    const std::uint32_t at = watched_[k];
    const double value = directions[k] < 0 ? 1.0 : 0.0;
    double& parameter = parameters[model_.relations[rows_[at].relation].first + rows_[at].row];
    crossed_[at] = 1;
    changed_[at] = parameter != value;
    parameter = value;
  }
}

/// Whether the difference is below zero at the point, or right after it where it changes with time alone.
bool Relations::below(const Point& point, std::size_t k) const {
  const Relation& r = model_.relations[rows_[k].relation];
  const double difference = differences_[k];
  if (r.linear_in_time) {
    const double slope = differences_[k] - earlier_[k];  // per second: `earlier_` is of one second before
    const double instant = point.time - (slope != 0 ? difference / slope : 0.0);
    const bool now = std::abs(instant - point.time) <= 4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(point.time), std::abs(instant));
    if (slope != 0 && now) return slope < 0;
  }
  return r.strict ? difference < 0 : difference <= 0;
}

bool Relations::update(const Point& point, std::span<double> parameters, bool first_only) {
  Point before = point;
  before.time = point.time - 1;
  evaluate(before);
  earlier_ = differences_;
  evaluate(point);
  bool any = false;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    largest_[k] = std::max(largest_[k], std::abs(differences_[k]));
    if (crossed_[k] && std::abs(differences_[k]) <= std::max(kAtZero * largest_[k], 100 * std::abs(before_[k]))) continue;
    const double value = below(point, k) ? 1.0 : 0.0;
    double& parameter = parameters[model_.relations[rows_[k].relation].first + rows_[k].row];
    changed_[k] = parameter != value && !(any && first_only);
    if (!changed_[k]) continue;
    any = true;
    parameter = value;
  }
  return any;
}

bool Relations::follow(const Point& point, std::span<double> parameters) {
  evaluate(point);
  bool any = false;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const Relation& r = model_.relations[rows_[k].relation];
    if (r.linear_in_time) continue;
    const double value = (r.strict ? differences_[k] < 0 : differences_[k] <= 0) ? 1.0 : 0.0;
    double& parameter = parameters[r.first + rows_[k].row];
    any = any || parameter != value;
    parameter = value;
  }
  return any;
}

bool Relations::undecided(const Point& point) {
  evaluate(point);
  undecided_.clear();
  for (std::uint32_t k : watched_)
    if (!crossed_[k] && std::abs(differences_[k]) <= kNothing * largest_[k]) undecided_.push_back(k);
  return !undecided_.empty();
}

bool Relations::look_ahead(const Point& later, std::span<double> parameters) {
  evaluate(later);
  bool any = false;
  for (std::uint32_t k : undecided_) {
    crossed_[k] = 1;  // no second look
    before_[k] = 0;
    if (differences_[k] == 0) continue;
    const double value = differences_[k] < 0 ? 1.0 : 0.0;
    double& parameter = parameters[model_.relations[rows_[k].relation].first + rows_[k].row];
    changed_[k] = parameter != value;
    any = any || changed_[k];
    parameter = value;
  }
  return any;
}

void Relations::settled() { std::fill(crossed_.begin(), crossed_.end(), std::uint8_t(0)); }

Failure Relations::endless(const Point& point) const {
  Failure failure{.kind = FailureKind::EndlessEvents, .time = point.time};
  for (std::size_t k = 0; k < rows_.size() && failure.equations.size() < kFailureDetails; ++k) {
    if (!changed_[k]) continue;
    const Run& run = model_.runs[model_.relations[rows_[k].relation].run];
    failure.equations.push_back({model_.equations[run.equations + rows_[k].row], differences_[k]});
    for (std::uint32_t slot = 0; slot < run.slots && failure.variables.size() < kFailureDetails; ++slot) {
      const std::uint32_t variable = slot_variable(model_, run, slot, rows_[k].row);
      failure.variables.push_back({variable, point.values[variable], 0});
    }
  }
  return failure;
}

}  // namespace runtime
