#include "runtime/integrate/step_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/numbers.h"
#include "runtime/solve/algebraic_loop.h"

namespace runtime {

namespace {

// Defects, times a length of time, may amount to these multiples of what the tolerance allows for a step:
// where enclosures have found something, and elsewhere.
constexpr double kAllowed = 10, kFarTooLarge = 1000, kFarBelow = 10;
constexpr int kMostEvaluations = 400;  // of one scan
constexpr double kLong = 1e-3;         // step, as a part of the run
// Cut a little before the middle: a pulse about the middle of a step has no slope there.
constexpr double kCut = 0.48;
// Points that are checked in any case: one step in this part of the unknowns, and in at most so many; and
// where a step is this many times as long as any that was checked. While defects are far below the limit:
// up to this many times as many steps between them, and where a step has grown by the second factor.
constexpr std::size_t kSmall = 32, kMostBetween = 32, kSpread = 4;
constexpr double kGrowth = 10, kGrowthFarBelow = 100;

// A change of a determinant's sign is isolated to this part of the step. Whether the solution has a pole
// there, c / (t - moment), is decided by four values at multiples of the second number times the step: nearer
// to the moment rounding errors look like a pole. None is seen if c, as a part of the length of the step, is
// at most the third number times value plus nominal value.
constexpr double kIsolated = 1e-3, kSpacing = 0.02, kResidue = 1e-6;

/// Places about the moment, as multiples of the spacing, and weights of the values there: the sum is 0 for
/// polynomials of degree two, and 1 for 1 / place.
struct Stencil {
  std::array<double, 4> places, weights;
};
constexpr Stencil kAround = {{-2, -1, 1, 2}, {1.0 / 3, -2.0 / 3, 2.0 / 3, -1.0 / 3}},
                  kAfter = {{1, 2, 3, 4}, {4, -12, 12, -4}}, kBefore = {{-1, -2, -3, -4}, {-4, 12, -12, 4}};

double shortest_piece(double begin, double end) {
  return 64 * std::numeric_limits<double>::epsilon() * std::max(std::abs(begin), std::abs(end)) +
         1e-12 * (end - begin);
}

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
  if (system.form() != Form::Explicit) return;
  for (const Step& step : instance.model.dynamic)
    if (step.kind == Step::Solve && instance.model.loops[step.index].kind == AlgebraicLoop::Linear)
      loops_.push_back({step.index});
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
  find_turned(time);
  for (WatchedLoop& watched : loops_) watched.before = watched.now;
  known_ = true;
}

/// The values of the instance are those of the last evaluation of the integrator, at the end of the step.
bool StepCheck::accepts(Integrator& integrator) {
  const double length = integrator.time() - begin_;
  cuts_.clear();
  if (instance_.model.states.empty() || length <= 0) return true;
  gather(integrator.time(), now_);
  find_unresolved(integrator.time());
  const bool due = is_due(length), turned = find_turned(integrator.time());
  if (due || turned || !unresolved_.empty()) {
    held_ = instance_.values;
    const bool accepted = (!due || is_solution(integrator)) && (unresolved_.empty() || scan(integrator)) &&
                          (!turned || passes_poles(integrator));
    instance_.values.swap(held_);
    if (!accepted) return false;
  }
  std::ranges::sort(cuts_);
  for (WatchedLoop& watched : loops_) watched.before = watched.now;
  earlier_.swap(before_);
  before_.swap(now_);
  last_length_ = length;
  return true;
}

/// Whether the determinant of a watched loop has another sign, at the current values, than at the beginning
/// of the step.
bool StepCheck::find_turned(double time) {
  bool turned = false;
  for (WatchedLoop& watched : loops_) {
    watched.now = instance_.evaluator.loop(watched.loop).determinant_sign(instance_.point(time));
    turned = turned || watched.now != watched.before;
  }
  return turned;
}

/// At the current values.
int StepCheck::sign(const TurnedLoop& turned, double time) {
  AlgebraicLoopSolver& solver = instance_.evaluator.loop(turned.loop);
  const Point point = instance_.point(time);
  return turned.untorn ? solver.untorn_determinant_sign(point) : solver.determinant_sign(point);
}

bool StepCheck::passes_poles(Integrator& integrator) {
  std::vector<TurnedLoop> turned;
  for (const WatchedLoop& watched : loops_)
    if (watched.now != watched.before) turned.push_back({watched.loop, false, watched.before, watched.now});
  while (!turned.empty())
    if (!compare_untorn(turned, integrator) || !are_continuous(turned, integrator)) return false;
  return true;
}

/// Signs with and without tearing are those of different matrices. Where a loop has one of each, both become
/// the latter. Loops without a change of this sign are removed.
bool StepCheck::compare_untorn(std::vector<TurnedLoop>& turned, Integrator& integrator) {
  bool any = false;
  for (TurnedLoop& t : turned) {
    t.untorn = t.untorn || (t.before * t.now != 0 && std::abs(t.before) != std::abs(t.now));
    any = any || t.untorn;
  }
  if (!any) return true;
  for (const double time : {begin_, integrator.time()}) {
    if (!defect_.evaluate(time, integrator)) return refuse(begin_, integrator.time() - begin_);
    for (TurnedLoop& t : turned)
      if (t.untorn) (time == begin_ ? t.before : t.now) = sign(t, time);
  }
  std::erase_if(turned, [](const TurnedLoop& t) { return t.before == t.now; });
  return true;
}

/// Whether the solutions have no pole at the moment at which the sign of a determinant changes, that of the
/// first of these loops. It is that of all loops that turn at this moment, as equal parts of a model do; they
/// are removed from the list.
bool StepCheck::are_continuous(std::vector<TurnedLoop>& turned, Integrator& integrator) {
  if (turned.empty()) return true;
  const Model& model = instance_.model;
  std::vector<std::uint32_t> variables, ends;  // the variables of a loop after another
  for (const TurnedLoop& loop : turned) {
    AlgebraicLoopSolver& solver = instance_.evaluator.loop(loop.loop);
    variables.insert(variables.end(), solver.unknowns().begin(), solver.unknowns().end());
    for (const KernelBatch& batch : loop_batches(model, model.loops[loop.loop]))
      for (std::uint32_t row = 0; row < batch.count && batch.role == Role::Solve; ++row)
        variables.push_back(solved_variable(model, batch, row));
    ends.push_back(static_cast<std::uint32_t>(variables.size()));
  }
  struct Bound {
    double time;
    std::vector<int> signs;
  };
  Bound low{begin_, {}}, high{integrator.time(), {}}, middle{};
  for (const TurnedLoop& loop : turned) {
    low.signs.push_back(loop.before);
    high.signs.push_back(loop.now);
  }
  const double whole = high.time - low.time;
  const double least = std::max(kIsolated * whole, shortest_piece(low.time, high.time));
  while (high.time - low.time > least) {
    middle.time = low.time + kCut * (high.time - low.time);
    if (!defect_.evaluate(middle.time, integrator)) return refuse(low.time, high.time - low.time);
    middle.signs.clear();
    for (const TurnedLoop& loop : turned) middle.signs.push_back(sign(loop, middle.time));
    const int first = middle.signs.front(),
              kind = std::max(std::abs(turned[0].before), std::abs(turned[0].now));
    if (first != 0 && std::abs(first) != kind) {
      turned[0].untorn = true;  // begin again with the signs without tearing
      return true;
    }
    std::swap(first == turned[0].before ? low : high, middle);
  }
  const double moment = (low.time + high.time) / 2, spacing = kSpacing * whole;
  const Stencil& stencil = moment - begin_ < 2 * spacing              ? kAfter
                           : integrator.time() - moment < 2 * spacing ? kBefore
                                                                      : kAround;
  std::array<std::vector<double>, 4> near;
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (!defect_.evaluate(moment + stencil.places[i] * spacing, integrator))
      return refuse(low.time, high.time - low.time);
    for (const std::uint32_t v : variables) near[i].push_back(instance_.values[v]);
  }
  std::vector<TurnedLoop> others;
  std::size_t k = 0;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const bool here = low.signs[i] == turned[i].before && high.signs[i] != turned[i].before;
    if (!here) others.push_back(turned[i]);
    for (; k < ends[i]; ++k) {
      double residue = 0, size = HUGE_VAL;
      for (std::size_t p = 0; p < near.size(); ++p) {
        residue += kSpacing * stencil.weights[p] * near[p][k];
        size = std::min(size, std::abs(near[p][k]));
      }
      size += instance_.nominal[variables[k]];
      if (here && !(std::abs(residue) <= kResidue * size)) return refuse(low.time, high.time - low.time);
    }
  }
  turned = std::move(others);
  return true;
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
