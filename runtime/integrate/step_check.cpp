#include "runtime/integrate/step_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "runtime/integrate/step_pieces.h"
#include "runtime/numbers.h"

namespace runtime {

namespace {

// Defects, times a length of time, may amount to these multiples of what the tolerance allows for a step:
// where enclosures have found something, and elsewhere.
constexpr double kAllowed = 10, kFarTooLarge = 1000, kFarBelow = 10;
constexpr int kMostEvaluations = 400;  // of one scan
constexpr double kLong = 1e-3;         // step, as a part of the run
// Points that are checked in any case: one step in this part of the unknowns, and in at most so many; and
// where a step is this many times as long as any that was checked. While defects are far below the limit:
// up to this many times as many steps between them, and where a step has grown by the second factor.
constexpr std::size_t kSmall = 32, kMostBetween = 32, kSpread = 4;
constexpr double kGrowth = 10, kGrowthFarBelow = 100;

/// Where the defect of a step is taken, as a part of it: multiples of the golden ratio, which are spread
/// evenly.
double check_position(std::uint32_t number) { return 0.1 + 0.8 * golden_fraction(number); }

/// All unknowns that an evaluation between steps solves for: those of the integrator, and those of loops that
/// it does not see.
std::size_t unknowns(const Model& model, const ReducedSystem& system) {
  std::size_t count = system.size();
  if (system.form() == Form::Implicit) return count;
  for (const Step& step : model.dynamic)
    if (step.kind == Step::Solve) count += model.loops[step.index].unknowns;
  return count;
}

}  // namespace

StepCheck::StepCheck(ModelInstance& instance, ReducedSystem& system, double start, double stop,
                     double tolerance)
    : instance_(instance),
      rows_(instance.model, instance.nominal),
      defect_(instance, system, tolerance),
      stop_(stop),
      long_step_(kLong * (stop - start)),
      least_between_(std::min(unknowns(instance.model, system) / kSmall, kMostBetween)),
      between_(least_between_) {
  for (auto* list : {&before_, &now_, &earlier_}) list->assign(rows_.variables().size(), 0.0);
  paths_.resize(rows_.variables().size());
  place_.assign(rows_.variables().size(), kNone);
  // In the implicit form the integrator sees the equations of loops.
  if (system.form() == Form::Explicit) poles_.emplace(instance, defect_);
}

void StepCheck::restart() {
  known_ = false;
  last_length_ = 0;
  longest_ = 0;
  between_ = least_between_;
  far_below_ = false;
  rows_.compare_parameters(instance_.parameters.data());
}

void StepCheck::evaluate_compared(double time) {
  if (rows_.reads_compared() && !instance_.evaluator.run(instance_.model.compared, instance_.point(time)))
    instance_.failure() = {};
}

/// From the current values, at a time.
void StepCheck::gather(double time, std::vector<double>& out) {
  evaluate_compared(time);
  const std::span<const std::uint32_t> variables = rows_.variables();
  const double* values = instance_.values.data();
  double* to = out.data();
#pragma GCC unroll 8
  for (const std::uint32_t variable : variables) *to++ = values[variable];
}

void StepCheck::begin(double time) {
  begin_ = time;
  if (known_) return;
  gather(time, before_);
  if (poles_) poles_->begin(time);
  known_ = true;
}

/// The values of the instance are those of the last evaluation of the integrator, at the end of the step.
bool StepCheck::accepts(Integrator& integrator) {
  const double length = integrator.time() - begin_;
  cuts_.clear();
  if (instance_.model.states.empty() || length <= 0) return true;
  gather(integrator.time(), now_);
  find_unresolved(integrator.time());
  const bool due = is_due(length), turned = poles_ && poles_->has_turned(integrator.time());
  if (due || turned || !unresolved_.empty()) {
    held_ = instance_.values;
    const bool accepted = (!due || is_solution(integrator)) && (unresolved_.empty() || scan(integrator)) &&
                          (!turned || has_no_pole(integrator));
    instance_.values.swap(held_);
    if (!accepted) return false;
  }
  std::ranges::sort(cuts_);
  if (poles_) poles_->advance();
  earlier_.swap(before_);
  before_.swap(now_);
  last_length_ = length;
  return true;
}

bool StepCheck::has_no_pole(Integrator& integrator) {
  const auto pole = poles_->find(begin_, integrator);
  return !pole || refuse(pole->from, pole->length);
}

bool StepCheck::is_due(double length) {
  if (++steps_ <= between_ && length <= (far_below_ ? kGrowthFarBelow : kGrowth) * longest_) return false;
  steps_ = 0;
  return true;
}

/// Whether the defect at a point of the step is not far too large.
bool StepCheck::is_solution(Integrator& integrator) {
  const double length = integrator.time() - begin_;
  if (!defect_.evaluate(begin_ + check_position(point_++) * length, integrator) ||
      (defect_.largest() * length > kFarTooLarge && !defect_.is_explained(length, kFarTooLarge, integrator)))
    return refuse(begin_, length);
  longest_ = std::max(longest_, length);
  far_below_ = defect_.largest() * length <= kFarBelow;
  between_ = far_below_ ? std::min(2 * between_, kSpread * least_between_) : least_between_;
  return true;
}

/// Finds the rows that are not resolved over the step. Those that are get new boxes.
void StepCheck::find_unresolved(double end) {
  unresolved_.clear();
  const double ratio = last_length_ > 0 ? (end - begin_) / last_length_ : 0;
  // By the change of the slope since the step before; where there is none, by what has changed at all.
  auto bend = [&](std::uint32_t v) {
    return 0.5 * std::abs(now_[v] - before_[v] - ratio * (before_[v] - earlier_[v]));
  };
  rows_.find_outside(end, now_.data(), bend, outside_);
  const double* parameters = instance_.parameters.data();
  for (const std::uint32_t row : outside_) {
    rows_.each_variable(row, [&](std::uint32_t v) { paths_[v] = {before_[v], now_[v], bend(v)}; });
    if (!rows_.find_box(row, {begin_, end}, stop_, paths_.data(), parameters) &&
        !rows_.over_path(row, {begin_, end}, paths_.data(), parameters).resolved)
      unresolved_.push_back(row);
  }
  rows_.find_common_parts();
  if (unresolved_.empty()) return;
  // What these compute may turn inside, and so may the rows that read it.
  for (const std::uint32_t row : rows_.turning()) {
    rows_.each_variable(row, [&](std::uint32_t v) { paths_[v] = {before_[v], now_[v], bend(v)}; });
    unresolved_.push_back(row);
  }
  std::ranges::sort(unresolved_);
  unresolved_.erase(std::ranges::unique(unresolved_).begin(), unresolved_.end());
}

bool StepCheck::refuse(double from, double length) {
  steps_ = between_ = least_between_;  // the step that takes its place is checked, too
  shorter_ = std::max(from - begin_, length / 4);
  return false;
}

StepCheck::Piece StepCheck::whole_step(double end) {
  for (const std::uint32_t v : scanned_) place_[v] = kNone;
  scanned_.clear();
  Piece piece{{begin_, {}}, {end, {}}, {}, unresolved_};
  for (const std::uint32_t row : unresolved_)
    rows_.each_variable(row, [&](std::uint32_t v) {
      if (place_[v] != kNone) return;
      place_[v] = static_cast<std::uint32_t>(scanned_.size());
      scanned_.push_back(v);
      piece.begin.values.push_back(before_[v]);
      piece.end.values.push_back(now_[v]);
      piece.bends.push_back(paths_[v].bend);
    });
  return piece;
}

/// Whether the step has seen what the unresolved rows do in it.
bool StepCheck::scan(Integrator& integrator) {
  evaluations_ = 0;
  largest_ = 0;
  const double end = integrator.time();
  std::deque<Piece> pieces;  // what has not been looked at, in the order of levels
  pieces.push_back(whole_step(end));
  while (!pieces.empty()) {
    Piece piece = std::move(pieces.front());
    pieces.pop_front();
    bool pole = false;
    if (is_resolved(piece, pole)) continue;
    const double length = piece.end.time - piece.begin.time;
    if (length <= shortest_piece(begin_, end)) {
      if (pole) return refuse(piece.begin.time, length);
    } else if (evaluations_ < kMostEvaluations && !halve(std::move(piece), integrator, pieces)) {
      return false;
    }
  }
  // Where much is left, it is judged by the points that were met, and a long step is refused.
  const double length = end - begin_;
  if (evaluations_ >= kMostEvaluations && (largest_ * length > kAllowed || length > long_step_))
    return refuse(begin_, length);
  return true;
}

/// Whether all rows of a piece are resolved. One that seems so may read what another one computes, so none is
/// left out before all are.
bool StepCheck::is_resolved(const Piece& piece, bool& pole) {
  bool resolved = true;
  for (const std::uint32_t row : piece.rows) {
    rows_.each_variable(row, [&](std::uint32_t v) {
      const std::uint32_t k = place_[v];
      paths_[v] = {piece.begin.values[k], piece.end.values[k], piece.bends[k]};
    });
    const Resolution resolution =
        rows_.over_path(row, {piece.begin.time, piece.end.time}, paths_.data(), instance_.parameters.data());
    pole = pole || resolution.pole;
    resolved = resolved && resolution.resolved;
  }
  return resolved;
}

/// Appends both parts of a piece. False: the step has missed what is in it.
bool StepCheck::halve(Piece piece, Integrator& integrator, std::deque<Piece>& pieces) {
  const double from = piece.begin.time, length = piece.end.time - from;
  Node middle{from + kCut * length, std::vector<double>(scanned_.size())};
  ++evaluations_;
  cuts_.push_back(middle.time);
  if (!defect_.evaluate(middle.time, integrator)) return refuse(from, length);
  evaluate_compared(middle.time);
  for (std::size_t k = 0; k < scanned_.size(); ++k)
    middle.values[k] = instance_.values[rows_.variables()[scanned_[k]]];
  const double whole = integrator.time() - begin_;
  if (defect_.largest() * whole > kAllowed && !defect_.is_explained(whole, kAllowed, integrator)) {
    largest_ = std::max(largest_, defect_.largest());
    if (defect_.largest() * length > kAllowed) return refuse(from, length);
  }
  for (std::size_t k = 0; k < scanned_.size(); ++k) {
    const double straight = (1 - kCut) * piece.begin.values[k] + kCut * piece.end.values[k];
    piece.bends[k] = 0.5 * std::abs(middle.values[k] - straight);
  }
  pieces.push_back({std::move(piece.begin), middle, piece.bends, piece.rows});
  pieces.push_back({std::move(middle), std::move(piece.end), std::move(piece.bends), std::move(piece.rows)});
  return true;
}

}  // namespace runtime
