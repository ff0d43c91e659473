#include "compiler/reduce/rotations/kinematics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <set>

#include "compiler/reduce/rotations/rank.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr int kIterations = 200, kAttempts = 16;
constexpr double kNear = 0.1;       // of a guess
constexpr double kDistinct = 1e-3;  // least difference of a coordinate in another position
// Up to so many coordinates other positions, free coordinates and singular positions are looked for.
constexpr std::uint32_t kFewCoordinates = 60;
constexpr double kSatisfied = 1e-11;
// Of columns of derivatives: what is a rounding error, and what at a singular position, which can only be
// found to the root of the accuracy of the constraints.
constexpr double kRounding = 1e-7, kSingular = 1e-5;
constexpr double kLeastDamping = 1e-4, kMostDamping = 1e8;

double norm(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

}  // namespace

Kinematics::Kinematics(system::System& system, RowValues& rows)
    : system_(system), rows_(rows), initial_rows_(system, system.initial) {
  find_frames();
  order();
}

void Kinematics::find_frames() {
  is_flow_.assign(system_.unknowns, false);
  is_pose_.assign(system_.unknowns, false);
  for (const system::Instance& instance : system_.instances) {
    const system::Template& body = system_.templates[instance.body];
    const auto interface = static_cast<std::uint32_t>(body.interface.size());
    auto unknown = [&](std::uint32_t column) {
      return column < interface ? system_.arguments[instance.first_argument + column]
                                : instance.first_unknown + column - interface;
    };
    for (const std::uint32_t c : body.flows) is_flow_[unknown(c)] = true;
    for (const std::uint32_t c : body.poses) is_pose_[unknown(c)] = true;
    for (std::uint32_t k = 0; k < body.locals.size(); ++k)
      if (body.locals[k].kind == system::UnknownKind::Flow) is_flow_[instance.first_unknown + k] = true;
  }
}

void Kinematics::order() {
  const auto equations = static_cast<std::uint32_t>(rows_.rows().size());
  known_.assign(system_.unknowns, false);
  step_of_.assign(system_.unknowns, kNone);
  coordinate_of_.assign(system_.unknowns, kNone);
  rows_of_.assign(system_.unknowns, {});
  open_.assign(equations, kNone);
  for (std::uint32_t e = 0; e < equations; ++e) {
    if (rows_.has_derivative(e)) continue;
    const auto unknowns = rows_.unknowns(e);
    if (std::ranges::any_of(unknowns, [&](std::uint32_t u) { return is_flow_[u]; })) continue;
    open_[e] = static_cast<std::uint32_t>(unknowns.size());
    for (const std::uint32_t u : unknowns) rows_of_[u].push_back(e);
    if (open_[e] == 1) ready_.push_back(e);
  }
  propagate();
  // Where a joint leaves something open: a pose follows from those before and from its coordinates. What may
  // follow from poses that are reached later is a coordinate only if they are not.
  std::vector<std::uint32_t> front, later;
  for (std::uint32_t u = 0; u < system_.unknowns; ++u)
    if (known_[u]) front.push_back(u);
  for (std::size_t k = 0, l = 0; k < front.size() || l < later.size();) {
    if (k == front.size()) {
      leave_open(later[l++], front);
      continue;
    }
    for (const std::uint32_t e : rows_of_[front[k++]]) {
      if (open_[e] == 0 || open_[e] == kNone) continue;
      if (waits_for_pose(e) || closes_loop(e))
        later.push_back(e);
      else
        leave_open(e, front);
    }
  }
  for (std::uint32_t e = 0; e < equations; ++e)
    if (open_[e] == 0) constraints_.push_back(e);
  for (std::uint32_t e = 0; e < initial_rows_.rows().size(); ++e) {
    const auto unknowns = initial_rows_.unknowns(e);
    if (!initial_rows_.has_derivative(e) &&
        std::ranges::all_of(unknowns, [&](std::uint32_t u) { return known_[u]; }))
      initial_.push_back(e);
  }
}

/// Whether an equation between positions has an unknown that another one gives as soon as more poses are
/// known, as `d` of a rod in `b.r = a.r + d` follows from `d = a.rot * r`.
bool Kinematics::waits_for_pose(std::uint32_t equation) const {
  for (const std::uint32_t u : rows_.unknowns(equation)) {
    if (known_[u] || is_pose_[u]) continue;
    for (const std::uint32_t e : rows_of_[u]) {
      if (e == equation || open_[e] == 0 || open_[e] == kNone) continue;
      const auto unknowns = rows_.unknowns(e);
      bool is_explicit = false, has_pose = false;
      for (std::size_t k = 0; k < unknowns.size(); ++k) {
        is_explicit |= unknowns[k] == u && rows_.is_explicit(e, k);
        has_pose |= !known_[unknowns[k]] && is_pose_[unknowns[k]];
      }
      if (is_explicit && has_pose) return true;
    }
  }
  return false;
}

/// Whether the equation is one of a part that gives no rotation, as a link between two points. Others carry
/// what it joins.
bool Kinematics::closes_loop(std::uint32_t equation) const {
  const Origin origin = rows_.origin(equation);
  const system::Template& body = system_.templates[system_.instances[origin.instance].body];
  return !body.poses.empty() && body.rotations.empty();
}

/// What the equation leaves open of a joint becomes coordinates; what follows from them joins the front.
void Kinematics::leave_open(std::uint32_t equation, std::vector<std::uint32_t>& front) {
  if (open_[equation] == 0 || open_[equation] == kNone) return;
  std::uint32_t poses = 0;
  bool follows = false;
  std::vector<std::uint32_t> others;
  const auto unknowns = rows_.unknowns(equation);
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (known_[unknowns[i]]) continue;
    if (is_pose_[unknowns[i]])
      poses += rows_.is_explicit(equation, i) ? 1 : 2;
    else
      others.push_back(unknowns[i]);
    follows |= rows_.is_explicit(equation, i);
  }
  // Between known poses the coordinates of the joint that closes a loop are left.
  if (poses > 1 || (poses == 0 && (follows || !is_of_frames(equation)))) return;
  const std::size_t steps = steps_.size();
  for (const std::uint32_t u : others)
    if (!known_[u]) add_coordinate(u);
  propagate();
  for (std::size_t s = steps; s < steps_.size(); ++s) front.push_back(steps_[s].unknown);
  for (const std::uint32_t u : others) front.push_back(u);
}

void Kinematics::add_coordinate(std::uint32_t unknown) {
  known_[unknown] = true;
  coordinate_of_[unknown] = static_cast<std::uint32_t>(coordinates_.size());
  coordinates_.push_back(unknown);
  for (const std::uint32_t e : rows_of_[unknown])
    if (open_[e] != kNone && --open_[e] == 1) ready_.push_back(e);
}

void Kinematics::propagate() {
  while (!ready_.empty()) {
    const std::uint32_t e = ready_.back();
    ready_.pop_back();
    if (open_[e] != 1) continue;
    const auto unknowns = rows_.unknowns(e);
    for (std::uint32_t k = 0; k < unknowns.size(); ++k) {
      const std::uint32_t u = unknowns[k];
      if (known_[u]) continue;
      if (!rows_.is_explicit(e, k)) break;
      known_[u] = true;
      step_of_[u] = static_cast<std::uint32_t>(steps_.size());
      steps_.push_back({e, u, k});
      open_[e] = kNone;  // used
      for (const std::uint32_t other : rows_of_[u])
        if (other != e && open_[other] != kNone && --open_[other] == 1) ready_.push_back(other);
      break;
    }
  }
}

bool Kinematics::is_of_frames(std::uint32_t equation) const {
  const Origin origin = rows_.origin(equation);
  return !system_.templates[system_.instances[origin.instance].body].poses.empty();
}

void Kinematics::evaluate(std::vector<double>& values) {
  for (const Step& s : steps_) {
    values[s.unknown] = 0;
    const double rest = rows_.evaluate(s.equation, values, gradient_);
    values[s.unknown] = -rest / gradient_[s.slot];
  }
}

std::vector<double> Kinematics::residuals(std::vector<double>& values) {
  evaluate(values);
  std::vector<double> result;
  for (const std::uint32_t e : constraints_) result.push_back(rows_.evaluate(e, values, gradient_));
  return result;
}

Kinematics::Vector Kinematics::vector_of(std::uint32_t unknown) const {
  const auto after =
      std::ranges::upper_bound(system_.instances, unknown, {}, &system::Instance::first_unknown);
  const system::LocalInfo& info = system::unknown_info(system_, unknown);
  const std::string name(text(info.name));
  return {static_cast<std::uint32_t>(after - system_.instances.begin()),
          {info.span, name.substr(0, name.find('['))}};
}

/// Whether a guess stands in the definition of the part itself, behind its head: as that of the quaternion of
/// a joint, it says nothing about the mechanism. `heads`: of all definitions, ascending.
bool Kinematics::is_default(const system::Attribute& guess, std::span<const Span> heads) const {
  const auto after =
      std::ranges::upper_bound(system_.instances, guess.unknown, {}, &system::Instance::first_unknown);
  if (std::prev(after) == system_.instances.begin()) return false;
  const auto head = std::ranges::upper_bound(heads, guess.span);
  return head != heads.begin() && *std::prev(head) == system_.templates[std::prev(after)->body].span;
}

/// Of the guesses, and of the initial equations that give one coordinate a number.
std::vector<double> Kinematics::guesses() {
  std::vector<double> values(system_.unknowns, 0.0);
  given_.assign(system_.unknowns, false);
  guessed_ = initial_given_ = given_;
  const std::vector<double> none(system_.unknowns, 0.0);
  const std::vector<double> parameters = parameter_values(system_);
  std::vector<Span> heads;
  for (const system::Template& t : system_.templates) heads.push_back(t.span);
  std::ranges::sort(heads);
  for (const system::Attribute& a : system_.attributes)
    if (a.kind == system::AttributeKind::Guess) {
      values[a.unknown] = parameters[a.parameter];
      given_[a.unknown] = guessed_[a.unknown] = !is_default(a, heads);
    }
  for (const std::uint32_t e : initial_) {
    const std::uint32_t u = initial_rows_.unknowns(e)[0];
    if (initial_rows_.unknowns(e).size() != 1 || !initial_rows_.is_explicit(e, 0)) continue;
    const double rest = initial_rows_.evaluate(e, none, gradient_);
    values[u] = -rest / gradient_[0];
    given_[u] = initial_given_[u] = true;
  }
  // Backwards through aliases.
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s) {
    const auto unknowns = rows_.unknowns(s->equation);
    if (!given_[s->unknown] || unknowns.size() != 2) continue;
    const std::uint32_t k = 1 - s->slot, other = unknowns[k];
    if (given_[other] || !rows_.is_explicit(s->equation, k)) continue;
    values[other] = 0;
    const double rest = rows_.evaluate(s->equation, values, gradient_);
    values[other] = -rest / gradient_[k];
    given_[other] = true;
    guessed_[other] = guessed_[s->unknown];
    initial_given_[other] = initial_given_[s->unknown];
  }
  return values;
}

/// The derivatives of a row with respect to coordinates, through the steps.
void Kinematics::gradient_of(std::uint32_t equation, RowValues& rows, const std::vector<double>& values,
                             std::vector<std::pair<std::uint32_t, double>>& out) {
  std::map<std::uint32_t, double, std::greater<>> open;  // by step, the last first
  std::map<std::uint32_t, double> found;                 // by coordinate
  auto add = [&](std::uint32_t unknown, double value) {
    if (value == 0) return;
    if (coordinate_of_[unknown] != kNone)
      found[coordinate_of_[unknown]] += value;
    else if (step_of_[unknown] != kNone)
      open[step_of_[unknown]] += value;
  };
  std::vector<double> gradient;
  rows.evaluate(equation, values, gradient);
  {
    const auto unknowns = rows.unknowns(equation);
    for (std::size_t k = 0; k < unknowns.size(); ++k) add(unknowns[k], gradient[k]);
  }
  while (!open.empty()) {
    const auto [step, adjoint] = *open.begin();
    open.erase(open.begin());
    const Step& s = steps_[step];
    rows_.evaluate(s.equation, values, gradient);
    const auto unknowns = rows_.unknowns(s.equation);
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      if (k != s.slot) add(unknowns[k], -adjoint * gradient[k] / gradient[s.slot]);
  }
  out.assign(found.begin(), found.end());
}

std::vector<Kinematics::Entry> Kinematics::jacobian(const Point& point) {
  std::vector<Entry> result;
  std::vector<std::pair<std::uint32_t, double>> row;
  for (std::uint32_t c = 0; c < constraints_.size(); ++c) {
    gradient_of(constraints_[c], rows_, point.values, row);
    for (const auto& [coordinate, value] : row)
      if (std::abs(value) > 1e-13) result.push_back({c, coordinate, value});
  }
  return result;
}

/// The least residual near `values`.
Kinematics::Point Kinematics::solve(std::vector<double> values, bool with_initial,
                                    const std::vector<bool>& held) {
  Point point;
  auto is_free = [&](std::uint32_t coordinate) { return held.empty() || !held[coordinate]; };
  auto all = [&](std::vector<double>& at) {
    std::vector<double> r = residuals(at);
    if (with_initial)
      for (const std::uint32_t e : initial_) r.push_back(initial_rows_.evaluate(e, at, gradient_));
    return r;
  };
  std::vector<double> r = all(values);
  double size = norm(r), damping = 0;
  const double farthest = 30 * std::max(1.0, norm(values));
  std::vector<std::pair<std::uint32_t, double>> row;
  for (int iteration = 0; iteration < kIterations && std::isfinite(size); ++iteration) {
    if (size <= kSatisfied) break;
    std::vector<MatrixEntry> entries;
    auto add = [&](std::uint32_t at) {
      for (const auto& [coordinate, value] : row)
        if (is_free(coordinate)) entries.push_back({at, coordinate, value});
    };
    for (std::uint32_t c = 0; c < constraints_.size(); ++c) {
      gradient_of(constraints_[c], rows_, values, row);
      add(c);
    }
    if (with_initial)
      for (std::uint32_t k = 0; k < initial_.size(); ++k) {
        gradient_of(initial_[k], initial_rows_, values, row);
        add(static_cast<std::uint32_t>(constraints_.size()) + k);
      }
    // The Levenberg-Marquardt method: shorter steps along the gradient where a full one leads too far.
    bool smaller = false;
    const auto count = static_cast<std::uint32_t>(r.size());
    for (; !smaller && damping < kMostDamping; damping = damping == 0 ? kLeastDamping : damping * 10) {
      std::vector<MatrixEntry> damped = entries;
      std::vector<double> right = r;
      std::uint32_t rows = count;
      if (damping > 0)
        for (std::uint32_t k = 0; k < coordinates_.size(); ++k) {
          damped.push_back({rows++, k, std::sqrt(damping)});
          right.push_back(0);
        }
      const std::vector<double> step =
          least_squares(damped, rows, static_cast<std::uint32_t>(coordinates_.size()), right);
      std::vector<double> next = values;
      for (std::size_t k = 0; k < coordinates_.size(); ++k) next[coordinates_[k]] -= step[k];
      // A very large step is a rounding error: the length of a quaternion, for one, changes nothing.
      if (!(norm(next) <= farthest)) continue;
      std::vector<double> next_r = all(next);
      const double next_size = norm(next_r);
      if (!(next_size < size)) continue;
      smaller = true;
      point.is_stationary = next_size > (1 - 1e-6) * size;
      values = std::move(next);
      r = std::move(next_r);
      size = next_size;
    }
    damping = smaller && damping > 100 * kLeastDamping ? damping * 1e-2 : 0;
    if (!smaller) point.is_stationary = true;
    if (point.is_stationary) break;
  }
  point.found = size <= 1e-9 * std::max(1.0, norm(values));
  r.resize(constraints_.size());
  point.residuals = std::move(r);
  point.values = std::move(values);
  return point;
}

bool Kinematics::is_angle(std::uint32_t unknown) const {
  return text(system::unknown_info(system_, unknown).unit) == "rad";
}

/// At random: a turn, or else, as for the numbers of a quaternion and for lengths, up to 1.
double Kinematics::any_value(std::uint32_t unknown, std::mt19937& random) const {
  return std::uniform_real_distribution<double>(-1, 1)(random) * (is_angle(unknown) ? 3.2 : 1.0);
}

/// The largest difference of a coordinate from the value that is given for it.
double Kinematics::moved(const Point& point, const std::vector<double>& guesses) const {
  double largest = 0;
  for (std::uint32_t k = 0; k < coordinates_.size(); ++k)
    if (is_given(k))
      largest = std::max(largest, std::abs(point.values[coordinates_[k]] - guesses[coordinates_[k]]));
  return largest;
}

/// Moves on in the position that was found to where as many guesses as possible, the first ones first, are
/// the values of their coordinates.
void Kinematics::keep_guesses(Point& point, const std::vector<double>& guesses, bool with_initial) {
  const double near = std::max(kNear, 2 * moved(point, guesses));
  std::vector<bool> held(coordinates_.size(), false);
  for (std::uint32_t k = 0; k < coordinates_.size(); ++k) {
    const std::uint32_t u = coordinates_[k];
    if (!guessed_[u]) continue;
    held[k] = true;
    std::vector<double> values = point.values;
    values[u] = guesses[u];
    Point kept = solve(std::move(values), with_initial, held);
    held[k] = kept.found && moved(kept, guesses) <= near;
    if (held[k]) point = std::move(kept);
  }
}

/// Guesses of some coordinates say how the mechanism is assembled: first the others follow from these, from
/// several values at random if need be, and then all are corrected.
Kinematics::Point Kinematics::solve_near_given(const std::vector<double>& guesses, bool with_initial) {
  std::vector<std::uint32_t> others;
  std::vector<bool> given(coordinates_.size(), false);
  for (std::uint32_t k = 0; k < coordinates_.size(); ++k) {
    given[k] = is_given(k);
    if (!given[k]) others.push_back(coordinates_[k]);
  }
  if (others.size() == coordinates_.size())  // the values of no guess may be where the gap is largest
    if (Point point = solve(guesses, with_initial); point.found || coordinates_.size() > kFewCoordinates)
      return point;
  Point best;
  std::mt19937 random(1);
  std::vector<double> values = guesses;
  for (int attempt = 0; attempt < kAttempts && !(best.found && moved(best, guesses) < kNear); ++attempt) {
    Point point = solve(solve(values, with_initial, given).values, with_initial);
    if (attempt == 0 || (point.found && (!best.found || moved(point, guesses) < moved(best, guesses))))
      best = std::move(point);
    if (others.empty()) break;
    for (const std::uint32_t u : others) values[u] = any_value(u, random);
  }
  if (best.found && coordinates_.size() <= kFewCoordinates) keep_guesses(best, guesses, with_initial);
  return best;
}

/// Vectors of coordinates without a guess of the model get the length of that of their part, where this
/// changes no constraint: the quaternion of a joint, whose length is of no concern, starts with length 1.
void Kinematics::keep_lengths(Point& point, const std::vector<double>& guesses) {
  auto error = [&](std::vector<double>& values) {
    double largest = norm(residuals(values));
    for (const std::uint32_t e : initial_)
      largest = std::max(largest, std::abs(initial_rows_.evaluate(e, values, gradient_)));
    return largest;
  };
  const double before = error(point.values);
  for (std::uint32_t k = 0, end = 0; k < coordinates_.size(); k = end) {
    bool given = false;
    double squared = 0, squared_guess = 0;
    for (end = k; end < coordinates_.size() && coordinates_[end] == coordinates_[k] + (end - k) &&
                  vector_of(coordinates_[end]) == vector_of(coordinates_[k]);
         ++end) {
      given |= is_given(end);
      squared += std::pow(point.values[coordinates_[end]], 2);
      squared_guess += std::pow(guesses[coordinates_[end]], 2);
    }
    if (given || end - k < 2 || !(squared > 0 && squared_guess > 0) || squared == squared_guess) continue;
    std::vector<double> values = point.values;
    for (std::uint32_t i = k; i < end; ++i) values[coordinates_[i]] *= std::sqrt(squared_guess / squared);
    if (error(values) <= std::max(2 * before, kSatisfied)) point.values = std::move(values);
  }
}

Kinematics::Point Kinematics::start() {
  const std::vector<double> guesses = this->guesses();
  given_value_ = guesses;
  Point point = solve_near_given(guesses, true);
  if (point.found && coordinates_.size() <= kFewCoordinates) keep_lengths(point, guesses);
  if (point.found || initial_.empty()) return point;
  holds_initial_values_ = false;
  return solve(guesses, false);
}

std::optional<Kinematics::Contradiction> Kinematics::contradiction() {
  if (holds_initial_values_) return std::nullopt;
  Contradiction result;
  std::vector<bool> held(coordinates_.size(), false);
  for (std::uint32_t k = 0; k < coordinates_.size(); ++k)
    if (held[k] = is_initial(k); held[k]) result.unknowns.push_back(coordinates_[k]);
  if (result.unknowns.empty()) return std::nullopt;
  std::mt19937 random(3);
  std::vector<double> values = given_value_;
  const int attempts = coordinates_.size() <= kFewCoordinates ? kAttempts : 1;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Point point = solve(values, false, held);
    if (point.found) return std::nullopt;
    if (attempt == 0 || (point.is_stationary && norm(point.residuals) < norm(result.point.residuals)))
      result.point = std::move(point);
    for (std::uint32_t k = 0; k < coordinates_.size(); ++k)
      if (!held[k]) values[coordinates_[k]] = any_value(coordinates_[k], random);
  }
  if (!result.point.is_stationary) return std::nullopt;
  return result;
}

Kinematics::LoopMatrix Kinematics::loop_matrix(const Point& point) {
  LoopMatrix result{{}, static_cast<std::uint32_t>(constraints_.size()), {}};
  result.takes_part.assign(coordinates_.size(), false);
  for (const Entry& e : jacobian(point)) {
    result.entries.push_back({e.row, e.column, e.value});
    result.takes_part[e.column] = true;
  }
  std::vector<std::pair<std::uint32_t, double>> row;
  for (const std::uint32_t e : initial_) {
    gradient_of(e, initial_rows_, point.values, row);
    for (const auto& [coordinate, value] : row) result.entries.push_back({result.rows, coordinate, value});
    ++result.rows;
  }
  return result;
}

/// Coordinates that the equations leave free: those with a given value if possible, then those of the first
/// joints.
std::vector<std::uint32_t> Kinematics::dependent_coordinates(const LoopMatrix& m, double threshold) const {
  std::vector<std::uint32_t> order(coordinates_.size());  // those that are to be dependent come last
  std::iota(order.rbegin(), order.rend(), 0u);
  std::ranges::stable_partition(order, [&](std::uint32_t k) { return !is_given(k); });
  return dependent_on_earlier(m.entries, m.rows, order, threshold);
}

std::vector<std::uint32_t> Kinematics::free_only_at(const Point& point, const Point& nearby) {
  if (coordinates_.size() > kFewCoordinates) return {};
  LoopMatrix here = loop_matrix(point), there = loop_matrix(nearby);
  std::vector<std::uint32_t> result = dependent_coordinates(here, kSingular);
  const std::vector<std::uint32_t> regular = dependent_coordinates(there, kSingular);
  if (result.size() <= regular.size()) return {};
  std::erase_if(result, [&](std::uint32_t k) {
    return std::ranges::find(regular, k) != regular.end() || !there.takes_part[k];
  });
  return result;
}

std::vector<std::uint32_t> Kinematics::independent(const Point& point, const Point& nearby) {
  if (coordinates_.size() > kFewCoordinates) return {};
  std::vector<std::uint32_t> result = dependent_coordinates(loop_matrix(point), kRounding);
  // A vector takes part with all of its elements: the derivatives by the first number of the quaternion
  // (1, 0, 0, 0) are zero.
  const std::vector<bool> takes_part = loop_matrix(nearby.found ? nearby : point).takes_part;
  std::set<Vector> vectors;
  for (std::uint32_t k = 0; k < coordinates_.size(); ++k)
    if (takes_part[k]) vectors.insert(vector_of(coordinates_[k]));
  std::erase_if(result, [&](std::uint32_t k) { return !vectors.contains(vector_of(coordinates_[k])); });
  return result;
}

std::optional<Kinematics::Alternative> Kinematics::alternative(const Point& point) {
  const auto columns = static_cast<std::uint32_t>(coordinates_.size());
  auto [entries, rows, takes_part] = loop_matrix(point);
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < columns; ++k) {
    count += takes_part[k];
    if (takes_part[k] && guessed_[coordinates_[k]]) return std::nullopt;
    if (!takes_part[k]) entries.push_back({rows++, k, 1.0});
  }
  if (count == 0 || count > kFewCoordinates) return std::nullopt;
  const std::vector<Preference> preferences(columns, Preference::None);
  if (!dependent_columns(entries, rows, columns, preferences).empty()) return std::nullopt;

  std::mt19937 random(2);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> values = point.values;
    for (std::uint32_t k = 0; k < columns; ++k)
      if (takes_part[k]) values[coordinates_[k]] = any_value(coordinates_[k], random);
    const Point found = solve(std::move(values), true);
    if (!found.found) continue;
    std::optional<Alternative> differs;  // an angle, if there is one
    for (std::uint32_t k = 0; k < columns; ++k) {
      const std::uint32_t u = coordinates_[k];
      const double a = point.values[u], b = found.values[u], turn = 2 * std::numbers::pi;
      const bool angle = is_angle(u);
      if (!takes_part[k] || std::abs(angle ? std::remainder(b - a, turn) : b - a) <= kDistinct) continue;
      if (!differs || angle) differs = {u, a, angle ? std::remainder(b, turn) : b};
      if (angle) break;
    }
    if (differs) return differs;
  }
  return std::nullopt;
}

Kinematics::Point Kinematics::perturbed(const Point& point) {
  std::vector<MatrixEntry> entries;
  for (const Entry& e : jacobian(point)) entries.push_back({e.row, e.column, e.value});
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.02, 0.08);
  std::vector<double> move, along(constraints_.size(), 0.0);
  for (std::size_t k = 0; k < coordinates_.size(); ++k)
    move.push_back(random() % 2 ? number(random) : -number(random));
  for (const MatrixEntry& e : entries) along[e.row] += e.value * move[e.column];
  const std::vector<double> back = least_squares(entries, static_cast<std::uint32_t>(constraints_.size()),
                                                 static_cast<std::uint32_t>(coordinates_.size()), along);
  std::vector<double> values = point.values;
  for (std::size_t k = 0; k < coordinates_.size(); ++k) values[coordinates_[k]] += move[k] - back[k];
  return solve(std::move(values), false);
}

}  // namespace sigrel::reduce
