#include "runtime/events/zero_crossings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace runtime {

namespace {
// A difference that has just crossed and is within this part of its largest value is at zero: the direction
// decides.
constexpr double kAtZero = 1e-9;
// This part of its largest value is a rounding error.
constexpr double kNothing = 1e-14;
}  // namespace

ZeroCrossings::ZeroCrossings(const Model& model) : model_(model) {
  for (std::uint32_t r = 0; r < model.zero_crossings.size(); ++r)
    for (std::uint32_t row = 0; row < model.batches[model.zero_crossings[r].batch].count; ++row) {
      if (!model.zero_crossings[r].linear_in_time)
        watched_.push_back(static_cast<std::uint32_t>(rows_.size()));
      rows_.push_back({r, row});
    }
  differences_.assign(rows_.size(), 0.0);
  largest_ = before_ = earlier_ = differences_;
  here_ = heading_ = present_ = differences_;
  crossed_.assign(rows_.size(), None);
  changed_.assign(rows_.size(), 0);
  came_ = changed_;
  sides_.assign(watched_.size(), 0.0);
  doubt_.assign(watched_.size(), Doubt::None);
  turned_.assign(watched_.size(), 0);
}

void ZeroCrossings::evaluate(const Point& point) {
  std::size_t at = 0;
  for (const ZeroCrossing& r : model_.zero_crossings) {
    runtime::evaluate(model_, model_.batches[r.batch], point, differences_.data() + at);
    at += model_.batches[r.batch].count;
  }
}

void ZeroCrossings::watch(const Point& point, double* out) {
  evaluate(point);
  for (std::size_t k = 0; k < watched_.size(); ++k) out[k] = differences_[watched_[k]];
}

double ZeroCrossings::nearest(const Point& point) {
  if (point.time > watched_from_ && point.time < sought_until_) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::uint32_t k : sought_) {
      const std::uint32_t at = watched_[k], row = rows_[at].row;
      evaluate_rows(model_, model_.batches[model_.zero_crossings[rows_[at].zero_crossing].batch], point, row,
                    row + 1, differences_.data() + (at - row));
      nearest = std::min(nearest, sides_[k] * differences_[at]);
    }
    return nearest;
  }
  evaluate(point);
  const bool begins = point.time <= watched_from_;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const double difference = differences_[watched_[k]];
    double& side = sides_[k];
    if (begins || side == 0) side = difference > 0 ? 1.0 : difference < 0 ? -1.0 : 0.0;
    if (side != 0) nearest = std::min(nearest, side * difference);
  }
  if (nearest <= 0) {
    sought_until_ = point.time;
    sought_.clear();
    for (std::uint32_t k = 0; k < watched_.size(); ++k)
      if (sides_[k] * differences_[watched_[k]] <= 0 && sides_[k] != 0) sought_.push_back(k);
  }
  return std::isfinite(nearest) ? nearest : 1.0;
}

void ZeroCrossings::crossings(const Point& point, std::vector<int>& directions) {
  evaluate(point);
  directions.assign(watched_.size(), 0);
  std::size_t first = 0;
  double least = std::numeric_limits<double>::infinity();
  auto cross = [&](std::size_t k) { directions[k] = sides_[k] > 0 ? -1 : 1; };
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    if (sides_[k] == 0) continue;
    const double distance = sides_[k] * differences_[watched_[k]];
    if (distance <= 0) cross(k);
    if (distance < least) {
      least = distance;
      first = k;
    }
  }
  if (least > 0 && std::isfinite(least))
    cross(first);  // the integrator saw it at a point that differs by rounding
  watch_from(point.time);
}

double ZeroCrossings::next(const Point& point, double time) {
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
    if (!model_.zero_crossings[rows_[k].zero_crossing].linear_in_time || differences_[k] == earlier_[k])
      continue;
    const double instant = earlier_[k] / (earlier_[k] - differences_[k]);
    if (instant > time && instant < next) next = instant;
  }
  return next;
}

void ZeroCrossings::crossed(std::span<const int> directions, std::span<double> parameters) {
  before_ = differences_;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    if (directions[k] == 0) continue;
    const std::uint32_t at = watched_[k];
    const double value = directions[k] < 0 ? 1.0 : 0.0;
    double& parameter = value_of(at, parameters);
    crossed_[at] = Came;
    came_[at] = value != 0;
    changed_[at] = parameter != value;
    parameter = value;
  }
}

/// Of a difference that has just crossed: whether it is where it crossed.
bool ZeroCrossings::at_zero(std::size_t k) const {
  return std::abs(differences_[k]) <= std::max(kAtZero * largest_[k], 100 * std::abs(before_[k]));
}

/// Whether the difference is below zero at the point, or right after it where it changes with time alone.
bool ZeroCrossings::below(const Point& point, std::size_t k) const {
  const ZeroCrossing& r = model_.zero_crossings[rows_[k].zero_crossing];
  const double difference = differences_[k];
  if (r.linear_in_time) {
    const double slope = differences_[k] - earlier_[k];  // per second: `earlier_` is of one second before
    const double instant = point.time - (slope != 0 ? difference / slope : 0.0);
    const bool now = std::abs(instant - point.time) <= 4 * std::numeric_limits<double>::epsilon() *
                                                           std::max(std::abs(point.time), std::abs(instant));
    if (slope != 0 && now) return slope < 0;
  }
  return r.strict ? difference < 0 : difference <= 0;
}

bool ZeroCrossings::update(const Point& point, std::span<double> parameters, bool first_only) {
  Point before = point;
  before.time = point.time - 1;
  if (watched_.size() != rows_.size()) {  // `earlier_` is of comparisons of time alone
    evaluate(before);
    earlier_ = differences_;
  }
  evaluate(point);
  present_ = differences_;
  bool any = false;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    largest_[k] = std::max(largest_[k], std::abs(differences_[k]));
    if ((crossed_[k] == Came || crossed_[k] == Goes || crossed_[k] == Leaves) && at_zero(k)) continue;
    const double value = below(point, k) ? 1.0 : 0.0;
    double& parameter = value_of(k, parameters);
    changed_[k] = parameter != value && !(any && first_only);
    if (!changed_[k]) continue;
    any = true;
    parameter = value;
  }
  return any;
}

bool ZeroCrossings::follow(const Point& point, std::span<double> parameters) {
  evaluate(point);
  bool any = false;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    const ZeroCrossing& r = model_.zero_crossings[rows_[k].zero_crossing];
    if (r.linear_in_time) continue;
    const double value = (r.strict ? differences_[k] < 0 : differences_[k] <= 0) ? 1.0 : 0.0;
    double& parameter = value_of(k, parameters);
    any = any || parameter != value;
    parameter = value;
  }
  return any;
}

bool ZeroCrossings::undecided(const Point& point, bool leaving) {
  evaluate(point);
  undecided_.clear();
  for (std::uint32_t w = 0; w < watched_.size(); ++w) {
    const std::uint32_t k = watched_[w];
    const bool open = crossed_[k] == None     ? std::abs(differences_[k]) <= kNothing * largest_[k]
                      : crossed_[k] == Leaves ? leaving && at_zero(k)
                                              : crossed_[k] == Placed && differences_[k] == 0;
    if (open) undecided_.push_back(w);
  }
  here_ = differences_;
  return !undecided_.empty();
}

bool ZeroCrossings::look_ahead(const Point& later, std::span<double> parameters) {
  evaluate(later);
  bool any = false;
  for (std::uint32_t w : undecided_) {
    const std::uint32_t k = watched_[w];
    const double goes = crossed_[k] == Leaves ? differences_[k] - here_[k] : differences_[k];
    const bool leaves = crossed_[k] == Leaves;
    if (leaves)
      doubt(w, Doubt::Goes);
    else
      before_[k] = 0;
    crossed_[k] = Goes;  // no second look
    if (goes == 0) continue;
    const double value = goes < 0 ? 1.0 : 0.0;
    double& parameter = value_of(k, parameters);
    lost_ = lost_ || (leaves && came_[k] == (value != 0) && goes * heading_[k] < 0);
    changed_[k] = parameter != value;
    any = any || changed_[k];
    parameter = value;
  }
  return any;
}

void ZeroCrossings::head(const Point& here, const Point& later) {
  evaluate(here);
  here_ = differences_;
  evaluate(later);
  for (std::uint32_t k : watched_) heading_[k] = differences_[k] - here_[k];
}

void ZeroCrossings::moved(const Point& point, std::span<const std::uint8_t> assigned) {
  evaluate(point);
  for (std::uint32_t k : watched_) {
    if (crossed_[k] == None) continue;
    bool placed = differences_[k] != present_[k];
    const KernelBatch& batch = model_.batches[model_.zero_crossings[rows_[k].zero_crossing].batch];
    for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
      placed = placed || assigned[slot_variable(model_, batch, slot, rows_[k].row)];
    crossed_[k] = placed ? Placed : Leaves;
  }
}

void ZeroCrossings::doubt(std::uint32_t watched, Doubt why) {
  if (doubt_[watched] == Doubt::None) doubtful_.push_back(watched);
  doubt_[watched] = why;
}

void ZeroCrossings::settled(std::span<const double> parameters) {
  std::ranges::fill(heading_, 0.0);
  lost_ = false;
  std::erase_if(doubtful_, [&](std::uint32_t w) {
    const std::uint32_t k = watched_[w];
    const bool gone =
        doubt_[w] == Doubt::Goes && (value_of(k, parameters) != 0 ? here_[k] < 0 : here_[k] > 0);
    if (gone) doubt_[w] = Doubt::None;
    return gone;
  });
  for (std::uint32_t w = 0; w < watched_.size(); ++w)
    if (crossed_[watched_[w]] == Came) doubt(w, Doubt::Crossed);
  std::ranges::fill(crossed_, None);
}

ZeroCrossings::Outlook ZeroCrossings::outlook(const Point& before, const Point& now,
                                              std::span<const double> parameters) {
  evaluate(now);
  std::ranges::fill(changed_, std::uint8_t(0));
  std::ranges::fill(turned_, 0);
  Outlook outlook = Outlook::AsDecided;
  std::erase_if(doubtful_, [&](std::uint32_t w) {
    const std::uint32_t k = watched_[w];
    const bool below = value_of(k, parameters) != 0,
               stays = below ? differences_[k] < 0 : differences_[k] > 0;
    if (!stays && at_zero(k)) return false;
    if (!stays) {
      changed_[k] = true;
      if (doubt_[w] == Doubt::Goes) {
        outlook = Outlook::Missed;
      } else {
        turned_[w] = below ? 1 : -1;
        if (outlook == Outlook::AsDecided) outlook = Outlook::TurnedBack;
      }
    }
    doubt_[w] = Doubt::None;
    return true;
  });
  if (outlook == Outlook::TurnedBack) evaluate(before);
  return outlook;
}

Failure ZeroCrossings::endless(const Point& point) const {
  Failure failure{.kind = FailureKind::EndlessEvents, .time = point.time};
  for (std::size_t k = 0; k < rows_.size() && failure.equations.size() < kFailureDetails; ++k) {
    if (!changed_[k]) continue;
    const KernelBatch& batch = model_.batches[model_.zero_crossings[rows_[k].zero_crossing].batch];
    failure.equations.push_back({model_.equations[batch.equations + rows_[k].row], differences_[k]});
    for (std::uint32_t slot = 0; slot < batch.slots && failure.variables.size() < kFailureDetails; ++slot) {
      const std::uint32_t variable = slot_variable(model_, batch, slot, rows_[k].row);
      if (std::ranges::find(failure.variables, variable, &FailedVariable::variable) ==
          failure.variables.end())
        failure.variables.push_back({variable, point.values[variable], 0});
    }
  }
  return failure;
}

}  // namespace runtime
