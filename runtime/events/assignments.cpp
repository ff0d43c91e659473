#include "runtime/events/assignments.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace runtime {

namespace {

// A smaller relative change of a value that is assigned again in the same round is the rounding error of
// the equations solved in between.
constexpr double kSame = 1e-10;
// The displacement by which an assignment is examined: this part of the value, or of its nominal value.
constexpr double kDisplacement = 1e-4;

/// Whether two values of an assignment differ by rounding only, which those of Ints do not have.
bool agree(const Assignment& assignment, double a, double b, double nominal) {
  if (assignment.integer) return a == b;
  return a == b || (std::isfinite(a) && std::abs(b - a) <= kSame * std::max(std::abs(a), nominal));
}

/// The value without or with the sign of an alias.
double with_sign(bool negated, double value) { return negated ? 0.0 - value : value; }

}  // namespace

Assignments::Assignments(const Model& model) : model_(model), cycles_(model) {
  const Events& events = model.events;
  if (events.triggers == 0) return;
  previous_of_.assign(model.variables, kNone);
  next_previous_.assign(events.previous.size(), kNone);
  for (std::uint32_t k = 0; k < events.previous.size(); ++k)
    if (const std::uint32_t of = events.previous[k].of; of != kNone)
      next_previous_[k] = std::exchange(previous_of_[of], k);
  assigned_.assign(model.variables, 0);
  is_state_.assign(model.variables, 0);
  for (const State& state : model.states) is_state_[state.variable] = 1;
  for (const Assignment& a : events.assignments) {
    if (assigned_[a.variable]) first_.resize(model.variables);
    assigned_[a.variable] = 1;
  }
  std::size_t largest = 0;
  for (const std::uint32_t b : events.values)
    largest = std::max<std::size_t>(largest, model.batches[b].count);
  results_.assign(largest, 0.0);
  result_ = results_;
}

double Assignments::evaluate(const Assignment& assignment, const Point& point) {
  const auto [batch, row] = assignment.value;
  evaluate_rows(model_, model_.batches[batch], point, row, row + 1, result_.data());
  return with_sign(assignment.negated, result_[row]);
}

bool Assignments::would_change(std::uint32_t assignment, const Point& point) {
  const Assignment& a = model_.events.assignments[assignment];
  return evaluate(a, point) != point.values[a.variable];
}

/// Whether this is the first assignment of this execution that assigns its variable. Another value of a
/// later one is a conflict.
bool Assignments::is_first(std::uint32_t number, double value, const Point& point, double nominal) {
  if (first_.empty()) return true;
  const Assignment& assignment = model_.events.assignments[number];
  Executed& first = first_[assignment.variable];
  if (first.number == kNone) {
    first = {number, value};
    with_first_.push_back(assignment.variable);
    return true;
  }
  if (!agree(assignment, first.value, value, nominal)) {
    if (!conflict_) conflict_ = Conflict{first, {number, value}};
  } else if (!lost_ && counts_further(model_.events.assignments[first.number], value, point, nominal) &&
             counts_further(assignment, value, point, nominal)) {
    lost_ = Conflict{first, {number, value}};
  }
  return false;
}

/// The value that an assignment would give if its variable, and all that equals it, had had this value before
/// the round.
double Assignments::evaluate_after(const Assignment& assignment, double before, const Point& point) {
  held_.clear();
  for (std::uint32_t p = previous_of_[assignment.variable]; p != kNone; p = next_previous_[p]) {
    const Events::Previous& previous = model_.events.previous[p];
    held_.push_back(std::exchange(point.values[previous.variable], with_sign(previous.negated, before)));
  }
  const double value = evaluate(assignment, point);
  auto held = held_.begin();
  for (std::uint32_t p = previous_of_[assignment.variable]; p != kNone; p = next_previous_[p])
    point.values[model_.events.previous[p].variable] = *held++;
  return value;
}

/// Whether an assignment of this value to its variable would give another one if it were executed again, with
/// this value before it: a count does, `pre n + 1`, a largest value so far does not, `max (pre n) x`.
bool Assignments::counts_further(const Assignment& assignment, double value, const Point& point,
                                 double nominal) {
  return previous_of_[assignment.variable] != kNone &&
         !agree(assignment, value, evaluate_after(assignment, value, point), nominal);
}

void Assignments::check_value(std::uint32_t number, double value) {
  if (model_.events.assignments[number].integer && std::abs(value) >= kFirstInexact) {
    if (!not_exact_) not_exact_ = {number, value};
  } else if (!std::isfinite(value) && !not_finite_) {
    not_finite_ = {number, value};
  }
}

/// Whether an assignment gives a state its value before the round, whatever that is: x := pre x. Another
/// expression of the same value, such as x := 2.0 where x crosses 2, is an assignment that stops it there.
bool Assignments::keeps_state(const Assignment& assignment, const Point& point, double nominal) {
  const std::uint32_t p = previous_of_[assignment.variable];
  if (p == kNone) return false;
  const Events::Previous& previous = model_.events.previous[p];
  const double held = with_sign(previous.negated, point.values[previous.variable]);
  const double distance = kDisplacement * std::max(std::abs(held), nominal);
  auto follows = [&](double displaced) { return evaluate_after(assignment, displaced, point) == displaced; };
  return follows(held + distance) && follows(held - distance);
}

std::span<const std::pair<std::uint32_t, double>> Assignments::execute(std::span<const std::uint8_t> fired,
                                                                       const Point& point,
                                                                       std::span<const double> nominal,
                                                                       bool again) {
  if (!again) std::ranges::fill(assigned_, std::uint8_t(0));
  for (const std::uint32_t v : with_first_) first_[v].number = kNone;
  with_first_.clear();
  conflict_.reset();
  lost_.reset();
  not_finite_.reset();
  not_exact_.reset();
  executed_ = 0;
  disagree_ = false;
  // All values are computed before the first is assigned: the order of assignments does not matter.
  changes_.clear();
  const std::span<const Assignment> all = model_.events.assignments;
  for (std::uint32_t number = 0; number < all.size();) {
    if (!fired[all[number].trigger]) {
      ++number;
      continue;
    }
    // Consecutive rows of one batch are evaluated together.
    const auto [batch, row] = all[number].value;
    std::uint32_t rows = 1;
    while (number + rows < all.size() && all[number + rows].value.batch == batch &&
           fired[all[number + rows].trigger])
      ++rows;
    evaluate_rows(model_, model_.batches[batch], point, row, row + rows, results_.data());
    for (const std::uint32_t end = number + rows; number < end; ++number) {
      const Assignment& assignment = all[number];
      const std::uint32_t v = assignment.variable;
      const double value = with_sign(assignment.negated, results_[assignment.value.row]);
      ++executed_;
      check_value(number, value);
      if (!is_first(number, value, point, nominal[v])) continue;
      const double old = point.values[v];
      const bool same = again ? agree(assignment, old, value, nominal[v]) : value == old;
      disagree_ = disagree_ || !same;
      if (is_state_[v])
        assigned_[v] = same && keeps_state(assignment, point, nominal[v]) ? 0 : kState;
      else if (!same)  // its own value changes nothing
        assigned_[v] = kDiscrete;
      if (value != old) changes_.emplace_back(v, value);
    }
  }
  for (auto [variable, value] : changes_) point.values[variable] = value;
  return changes_;
}

std::optional<Failure> Assignments::invalid(double time) const {
  auto failure = [&](FailureKind kind, std::initializer_list<Executed> executed) {
    Failure result{.kind = kind, .time = time};
    for (const Executed& e : executed) {
      result.assignments.push_back(e.number);
      result.variables.push_back({model_.events.assignments[e.number].variable, e.value, 0});
    }
    return result;
  };
  // An Int guard gives an infinite value (reduce/value_guards.h), from which others that are no numbers may
  // follow.
  if (not_exact_ && std::isinf(not_exact_->value)) return failure(FailureKind::IntegerRange, {*not_exact_});
  if (not_finite_) return failure(FailureKind::NotFinite, {*not_finite_});
  if (conflict_) return failure(FailureKind::AssignmentsConflict, {conflict_->first, conflict_->second});
  if (not_exact_) return failure(FailureKind::IntegerRange, {*not_exact_});
  if (lost_) return failure(FailureKind::AssignmentLost, {lost_->first, lost_->second});
  return std::nullopt;
}

std::optional<Failure> Assignments::cyclic(std::span<const std::uint8_t> fired, double time) {
  const std::span<const std::uint32_t> cycle = cycles_.find(fired);
  if (cycle.empty()) return std::nullopt;
  Failure failure{.kind = FailureKind::AssignmentsDisagree, .time = time};
  for (const std::uint32_t a : cycle.first(std::min(cycle.size(), kFailureDetails))) {
    failure.assignments.push_back(a);
    failure.variables.push_back({model_.events.assignments[a].variable, 0, 0});
  }
  return failure;
}

}  // namespace runtime
