#include "compiler/reduce/mechanisms/configuration.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include "compiler/reduce/mechanisms/rank.h"

namespace sigrel::reduce {
namespace {

using Rows = Kinematics::Rows;

constexpr int kIterations = 200;
constexpr int kAttempts = 16, kMostAttempts = 64;  // as long as none has closed the loops
// The search ends where the distance that is left has not become half as large in so many iterations.
constexpr int kSlowIterations = 30;
// Coordinates and residuals are in the units of `Kinematics`.
constexpr double kNear = 0.1;       // of a guess
constexpr double kBeside = 0.03;    // the guesses, if these lead to no configuration
constexpr double kDistinct = 1e-3;  // least difference of a coordinate in another configuration
constexpr double kSatisfied = 1e-11;
constexpr double kWhole = 1e-6;  // difference of a factor, or of a residual, from a whole number
constexpr double kClosed = 1e-9, kRounding = 1e-13;  // the latter of positions
constexpr double kLeastDamping = 1e-4, kMostDamping = 1e8;
// Of one step: how far a frame moves, in radians and in units of length, or in gaps of the loops if these are
// larger. With longer steps the search goes to any configuration rather than to one near the guesses.
constexpr double kLongestStep = 1.0;

constexpr double kTurn = 2 * std::numbers::pi;

double norm(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

/// At random: a turn, or else, as for the numbers of a quaternion and for lengths, up to 1.
double any_value(const Kinematics& kinematics, std::uint32_t unknown, std::mt19937& random) {
  return std::uniform_real_distribution<double>(-1, 1)(random) *
         (kinematics.is_angle(unknown) ? 3.2 : kinematics.unit(unknown));
}

}  // namespace

ConfigurationSearch::ConfigurationSearch(const system::System& system, RowValues& rows,
                                         Kinematics& kinematics)
    : system_(system), rows_(rows), kinematics_(kinematics) {
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    if (kinematics.is_known(u) && kinematics.is_position(u)) {
      positions_.push_back(u);
      if (kinematics.is_pose(u)) poses_.push_back(u);
    }
  find_given();
  kinematics.choose_units(given_value_);
}

/// Whether a guess stands in the definition of the part itself, behind its head: as that of the quaternion of
/// a joint, it says nothing about the mechanism. `heads`: of all definitions, ascending.
bool ConfigurationSearch::is_default(const system::Attribute& guess, std::span<const Span> heads) const {
  const auto after =
      std::ranges::upper_bound(system_.instances, guess.unknown, {}, &system::Instance::first_unknown);
  if (std::prev(after) == system_.instances.begin()) return false;
  const auto head = std::ranges::upper_bound(heads, guess.span);
  return head != heads.begin() && *std::prev(head) == system_.templates[std::prev(after)->body].span;
}

/// The guesses, and the initial equations that give one coordinate a number.
void ConfigurationSearch::find_given() {
  given_value_.assign(system_.unknowns, 0.0);
  given_.assign(system_.unknowns, false);
  guessed_ = initial_given_ = given_;
  const std::vector<double> none(system_.unknowns, 0.0);
  const std::vector<double> parameters = parameter_values(system_);
  std::vector<Span> heads;
  for (const system::Template& t : system_.templates) heads.push_back(t.span);
  std::ranges::sort(heads);
  std::vector<bool> seen(system_.unknowns, false);  // those of the model come before those of its parts
  for (const system::Attribute& a : system_.attributes)
    if (a.kind == system::AttributeKind::Guess && std::isfinite(parameters[a.parameter]) &&
        !seen[a.unknown]) {
      seen[a.unknown] = true;
      given_value_[a.unknown] = parameters[a.parameter];
      given_[a.unknown] = guessed_[a.unknown] = !is_default(a, heads);
    }
  RowValues& initial = kinematics_.initial_rows();
  std::vector<double> gradient;
  for (const std::uint32_t e : kinematics_.initial_equations()) {
    if (initial.unknowns(e).size() != 1 || !initial.is_explicit(e, 0)) continue;
    const std::uint32_t u = initial.unknowns(e)[0];
    const double rest = initial.evaluate(e, none, gradient);
    given_value_[u] = -rest / gradient[0];
    given_[u] = initial_given_[u] = true;
  }
  // Backwards through aliases. What remains is a target.
  const auto steps = kinematics_.steps();
  for (auto s = steps.rbegin(); s != steps.rend(); ++s) {
    const auto unknowns = rows_.unknowns(s->equation);
    if (!given_[s->unknown]) continue;
    const std::uint32_t k = 1 - s->slot;
    if (unknowns.size() != 2 || !rows_.is_explicit(s->equation, k)) {
      if (guessed_[s->unknown]) targets_.push_back({s->unknown, given_value_[s->unknown]});
      continue;
    }
    const std::uint32_t other = unknowns[k];
    if (given_[other]) continue;
    given_value_[other] = 0;
    const double rest = rows_.evaluate(s->equation, given_value_, gradient);
    given_value_[other] = -rest / gradient[k];
    given_[other] = true;
    guessed_[other] = guessed_[s->unknown];
    initial_given_[other] = initial_given_[s->unknown];
  }
}

/// In the unit of the unknown; of angles without whole turns.
double ConfigurationSearch::difference(std::uint32_t unknown, double a, double b) const {
  if (kinematics_.is_modulo_turns(unknown)) return std::abs(std::remainder(a - b, kTurn));
  return std::abs(a - b) / kinematics_.unit(unknown);
}

/// The least residual near `values`.
Configuration ConfigurationSearch::solve(std::vector<double> values, const Search& search) {
  const auto coordinates = kinematics_.coordinates();
  const auto columns = static_cast<std::uint32_t>(coordinates.size());
  Configuration result;
  std::vector<double> r = kinematics_.residuals(values, search.rows, search.targets);
  const auto count = static_cast<std::uint32_t>(r.size());
  double size = norm(r), damping = 0, mark = size;
  int since_mark = 0;
  auto extent = [&](const std::vector<double>& at) {
    double sum = 0;  // of the mechanism, not of other unknowns
    for (const std::uint32_t u : positions_) sum += std::pow(at[u] / kinematics_.unit(u), 2);
    return std::max(1.0, std::sqrt(sum));
  };
  const double farthest = 30 * std::max(extent(values), size);
  for (int iteration = 0; iteration < kIterations && std::isfinite(size); ++iteration) {
    if (size <= kSatisfied) break;
    std::vector<MatrixEntry> entries = kinematics_.jacobian(values, search.rows, search.targets);
    if (!search.held.empty())
      std::erase_if(entries, [&](const MatrixEntry& e) { return search.held[e.column]; });
    // Shorter steps along the gradient where a full one leads too far.
    bool smaller = false;
    for (; !smaller && damping < kMostDamping; damping = damping == 0 ? kLeastDamping : damping * 10) {
      std::vector<MatrixEntry> damped = entries;
      std::vector<double> right = r;
      std::uint32_t rows = count;
      for (std::uint32_t k = 0; k < columns && damping > 0; ++k) {
        damped.push_back({rows++, k, std::sqrt(damping)});
        right.push_back(0);
      }
      const std::vector<double> step = least_squares(damped, rows, columns, right, search.zero);
      std::vector<double> next = values;
      for (std::size_t k = 0; k < columns; ++k)
        next[coordinates[k]] -= step[k] * kinematics_.unit(coordinates[k]);
      // A very large step is a rounding error: the length of a quaternion, for one, changes nothing.
      if (!(extent(next) <= farthest)) continue;
      std::vector<double> next_r = kinematics_.residuals(next, search.rows, search.targets);
      const bool is_long = std::ranges::any_of(poses_, [&](std::uint32_t u) {
        const double longest = kinematics_.is_length(u) ? std::max(1.0, size) : 1.0;
        return !(std::abs(next[u] - values[u]) <= kLongestStep * longest * kinematics_.unit(u));
      });
      if (is_long) continue;
      const double next_size = norm(next_r);
      if (!(next_size < size)) continue;
      smaller = true;
      result.is_stationary = next_size > (1 - 1e-6) * size;
      values = std::move(next);
      r = std::move(next_r);
      size = next_size;
    }
    damping = smaller && damping > 100 * kLeastDamping ? damping * 1e-2 : 0;
    if (size <= 0.5 * mark) {
      mark = size;
      since_mark = 0;
    }
    result.is_stationary |= !smaller || ++since_mark > kSlowIterations;
    if (result.is_stationary) break;
  }
  double farthest_length = 0;
  for (const std::uint32_t u : positions_)
    if (kinematics_.is_length(u)) farthest_length = std::max(farthest_length, std::abs(values[u]));
  result.found = std::isfinite(size);
  for (std::size_t row = 0; row < r.size(); ++row) {
    const double unit = row < kinematics_.rows() ? kinematics_.unit_of(static_cast<std::uint32_t>(row)) : 1.0;
    result.found &= std::abs(r[row]) <= kClosed + kRounding * farthest_length / unit;
  }
  r.resize(kinematics_.constraints().size());
  result.residuals = std::move(r);
  result.values = std::move(values);
  return result;
}

/// The largest difference of a position from the value that is given for it.
double ConfigurationSearch::distance_from_given(const Configuration& configuration) const {
  double largest = 0;
  for (std::uint32_t k = 0; k < kinematics_.coordinates().size(); ++k) {
    const std::uint32_t u = kinematics_.coordinates()[k];
    if (is_given(k)) largest = std::max(largest, difference(u, configuration.values[u], given_value_[u]));
  }
  for (const Kinematics::Target& t : targets_)
    largest = std::max(largest, difference(t.unknown, configuration.values[t.unknown], t.value));
  return largest;
}

/// Moves on from the configuration to where as many guesses as possible, the first ones first, are the values
/// of their positions.
void ConfigurationSearch::keep_guesses(Configuration& configuration) {
  const auto coordinates = kinematics_.coordinates();
  const double near = std::max(kNear, 2 * distance_from_given(configuration));
  Search search{.held = std::vector<bool>(coordinates.size(), false)};
  auto keep = [&](std::vector<double> values) {
    Configuration kept = solve(std::move(values), search);
    const bool can = kept.found && distance_from_given(kept) <= near;
    if (can) configuration = std::move(kept);
    return can;
  };
  for (std::uint32_t k = 0; k < coordinates.size(); ++k) {
    const std::uint32_t u = coordinates[k];
    if (!guessed_[u] || !kinematics_.is_in_loop(k)) continue;
    search.held[k] = true;
    std::vector<double> values = configuration.values;
    values[u] = given_value_[u];
    search.held[k] = keep(std::move(values));
  }
  std::vector<Kinematics::Target> targets;
  for (const Kinematics::Target& t : targets_) {
    targets.push_back(t);
    search.targets = targets;
    if (!keep(configuration.values)) targets.pop_back();
  }
}

/// Guesses of some positions say how the mechanism is assembled: first the others follow from these, from
/// several values at random if need be, and then all are corrected.
Configuration ConfigurationSearch::solve_near_given() {
  const auto coordinates = kinematics_.coordinates();
  std::vector<std::uint32_t> others;
  Search first{.held = std::vector<bool>(coordinates.size(), false), .targets = targets_};
  for (std::uint32_t k = 0; k < coordinates.size(); ++k) {
    first.held[k] = is_given(k);
    if (!first.held[k]) others.push_back(coordinates[k]);
  }
  // The values of no guess may be where the gap is largest.
  if (others.size() == coordinates.size() && targets_.empty())
    if (Configuration c = solve(given_value_, {}); c.found || !is_few()) return c;
  auto is_better = [&](const Configuration& next, const Configuration& than) {
    if (next.found != than.found) return next.found;
    if (next.found) return distance_from_given(next) < distance_from_given(than);
    return next.is_stationary && norm(next.residuals) < norm(than.residuals);
  };
  Configuration best;
  std::mt19937 random(1);
  std::vector<double> values = given_value_;
  for (int attempt = 0; attempt < (best.found || !is_few() ? kAttempts : kMostAttempts) &&
                        !(best.found && distance_from_given(best) < kNear);
       ++attempt) {
    Configuration next = solve(solve(values, first).values, {});
    if (attempt == 0 || is_better(next, best)) best = std::move(next);
    if (best.found ? others.empty() || !is_few() : others.empty() && !is_few()) break;
    for (const std::uint32_t u : others) values[u] = any_value(kinematics_, u, random);
    if (!others.empty()) continue;
    for (const std::uint32_t u : coordinates)
      if (!initial_given_[u]) values[u] = given_value_[u] + kBeside * any_value(kinematics_, u, random);
  }
  if (best.found && is_few()) keep_guesses(best);
  return best;
}

/// Coordinates without a guess of the model, where this changes no constraint: angles lose whole turns, and
/// vectors get the length of that of their part, as the quaternion of a joint, whose length is of no concern.
void ConfigurationSearch::normalise(Configuration& configuration) {
  const auto coordinates = kinematics_.coordinates();
  auto error = [&](std::vector<double>& values) {
    double largest = 0;
    for (const double r : kinematics_.residuals(values, Rows::WithInitial, targets_))
      largest = std::max(largest, std::abs(r));
    return largest;
  };
  const double most = std::max(2 * error(configuration.values), kSatisfied);
  // All angles at once, because their sum around a loop may be given; then one by one.
  std::vector<double> without_turns = configuration.values;
  for (std::uint32_t k = 0; k < coordinates.size(); ++k)
    if (double& value = without_turns[coordinates[k]]; kinematics_.is_angle(coordinates[k]) && !is_given(k))
      value = std::remainder(value, kTurn);
  if (error(without_turns) <= most) configuration.values = std::move(without_turns);
  for (std::uint32_t k = 0, end = 0; k < coordinates.size(); k = end) {
    const Kinematics::Vector vector = kinematics_.vector_of(coordinates[k]);
    bool given = false;
    double squared = 0, squared_guess = 0;
    for (end = k; end < coordinates.size() && coordinates[end] == coordinates[k] + (end - k) &&
                  kinematics_.vector_of(coordinates[end]) == vector &&
                  (end == k || !kinematics_.is_angle(coordinates[k]));
         ++end) {
      given |= is_given(end);
      squared += std::pow(configuration.values[coordinates[end]], 2);
      squared_guess += std::pow(given_value_[coordinates[end]], 2);
    }
    if (given || !kinematics_.is_in_loop(k)) continue;
    std::vector<double> values = configuration.values;
    if (double& first = values[coordinates[k]]; kinematics_.is_angle(coordinates[k])) {
      if (std::abs(first) <= std::numbers::pi) continue;
      first = std::remainder(first, kTurn);
    } else {
      if (end - k < 2 || !(squared > 0 && squared_guess > 0) || squared == squared_guess) continue;
      for (std::uint32_t i = k; i < end; ++i) values[coordinates[i]] *= std::sqrt(squared_guess / squared);
    }
    if (error(values) <= most) configuration.values = std::move(values);
  }
}

/// Holds the coordinates that have initial values, and searches for the others, from values at random if need
/// be. Sets `contradiction_` if the constraints do not allow these values.
Configuration ConfigurationSearch::solve_with_initial_values() {
  const auto coordinates = kinematics_.coordinates();
  Contradiction least;
  std::vector<bool> held(coordinates.size(), false);
  for (std::uint32_t k = 0; k < coordinates.size(); ++k)
    if (held[k] = is_given(k) && initial_given_[coordinates[k]]; held[k])
      least.unknowns.push_back(coordinates[k]);
  if (least.unknowns.empty()) return {};
  std::mt19937 random(3);
  std::vector<double> values = given_value_;
  const int attempts = is_few() ? kAttempts : 1;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Configuration next = solve(values, {.rows = Rows::Constraints, .held = held});
    if (next.found) return next;
    if (attempt == 0 || (next.is_stationary && norm(next.residuals) < norm(least.configuration.residuals)))
      least.configuration = std::move(next);
    for (std::uint32_t k = 0; k < coordinates.size(); ++k)
      if (!held[k]) values[coordinates[k]] = any_value(kinematics_, coordinates[k], random);
  }
  if (least.configuration.is_stationary) contradiction_ = std::move(least);
  return {};
}

/// Adds whole turns to angles, to those without guesses rather than to others, so that combinations of angles
/// hold with their turns. False: none do that.
bool ConfigurationSearch::add_turns(std::vector<double>& values) {
  const auto coordinates = kinematics_.coordinates();
  std::vector<double> turns = kinematics_.turns(values);
  if (std::ranges::none_of(turns, [](double t) { return std::abs(t) > 0; })) return true;
  struct Entry {
    std::uint32_t column;
    double value;
  };
  std::vector<std::vector<Entry>> rows(turns.size());
  for (const MatrixEntry& e : kinematics_.jacobian(values, Rows::WithInitial))
    if (!std::isnan(turns[e.row])) {
      const double value = e.value * kinematics_.unit_of(e.row), whole = std::round(value);
      rows[e.row].push_back({e.column, std::abs(value - whole) < kWhole ? whole : value});
    }
  // Gauss-Jordan elimination with pivots of 1 or -1; first of gears, of which sums may need other angles.
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, [&](std::size_t r) {
    return std::ranges::any_of(rows[r], [](const Entry& e) { return std::abs(e.value) != 1; });
  });
  std::vector<std::pair<std::size_t, std::uint32_t>> pivots;
  for (const std::size_t r : order) {
    const Entry* pivot = nullptr;
    for (const Entry& e : rows[r])
      if (std::abs(e.value) == 1 && (!pivot || (is_given(pivot->column) && !is_given(e.column)))) pivot = &e;
    if (!pivot) continue;
    const auto [column, value] = *pivot;
    pivots.emplace_back(r, column);
    for (Entry& e : rows[r]) e.value *= value;
    turns[r] *= value;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      const auto at = std::ranges::find(rows[other], column, &Entry::column);
      if (other == r || at == rows[other].end()) continue;
      const double factor = at->value;
      for (const Entry& e : rows[r]) {
        const auto same = std::ranges::find(rows[other], e.column, &Entry::column);
        if (same == rows[other].end())
          rows[other].push_back({e.column, -factor * e.value});
        else
          same->value -= factor * e.value;
      }
      turns[other] -= factor * turns[r];
      std::erase_if(rows[other], [](const Entry& e) { return std::abs(e.value) < kWhole; });
    }
  }
  std::vector<double> turned = values;
  for (const auto& [row, column] : pivots) turned[coordinates[column]] -= kTurn * std::round(turns[row]);
  turns = kinematics_.turns(turned);
  const std::vector<double> residuals = kinematics_.residuals(turned, Rows::WithInitial);
  for (std::size_t row = 0; row < turns.size(); ++row)
    if (std::abs(turns[row]) > 0 || std::abs(residuals[row]) > kWhole) return false;
  values = std::move(turned);
  return true;
}

Configuration ConfigurationSearch::start() {
  Configuration result = search();
  if (!result.found || add_turns(result.values)) return result;
  kinematics_.count_turns();
  return search();
}

Configuration ConfigurationSearch::search() {
  contradiction_.reset();
  Configuration result = solve_near_given();
  if (result.found && is_few()) normalise(result);
  if (result.found || kinematics_.initial_equations().empty()) return result;
  if (Configuration held = solve_with_initial_values(); held.found) return held;
  return solve(given_value_, {.rows = Rows::Constraints});
}

std::optional<ConfigurationSearch::Alternative> ConfigurationSearch::alternative(
    const Configuration& configuration) {
  const auto coordinates = kinematics_.coordinates();
  const auto columns = static_cast<std::uint32_t>(coordinates.size());
  std::vector<bool> takes_part(columns, false);
  for (const MatrixEntry& e : kinematics_.jacobian(configuration.values, Rows::Constraints))
    takes_part[e.column] = true;
  std::vector<MatrixEntry> entries = kinematics_.jacobian(configuration.values, Rows::WithInitial);
  auto rows =
      static_cast<std::uint32_t>(kinematics_.constraints().size() + kinematics_.initial_equations().size());
  std::uint32_t count = 0;
  for (std::uint32_t k = 0; k < columns; ++k) {
    count += takes_part[k];
    if (takes_part[k] && guessed_[coordinates[k]]) return std::nullopt;
    if (!takes_part[k]) entries.push_back({rows++, k, 1.0});
  }
  if (count == 0 || count > kFewCoordinates) return std::nullopt;
  const std::vector<Preference> preferences(columns, Preference::None);
  if (!dependent_columns(entries, rows, columns, preferences).empty()) return std::nullopt;

  std::mt19937 random(2);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::vector<double> values = configuration.values;
    for (std::uint32_t k = 0; k < columns; ++k)
      if (takes_part[k]) values[coordinates[k]] = any_value(kinematics_, coordinates[k], random);
    const Configuration found = solve(std::move(values), {});
    if (!found.found) continue;
    bool chosen = false;  // a guess says which of the two is meant
    for (std::uint32_t u = 0; u < system_.unknowns; ++u)
      chosen |= guessed_[u] && difference(u, found.values[u], configuration.values[u]) > kDistinct;
    if (chosen) continue;
    // What differs most: an angle, if there is one.
    std::optional<Alternative> differs;
    std::pair most(false, kDistinct);
    for (std::uint32_t k = 0; k < columns; ++k) {
      const std::uint32_t u = coordinates[k];
      const double a = configuration.values[u], b = found.values[u], by = difference(u, a, b);
      const bool angle = kinematics_.is_angle(u);
      if (!takes_part[k] || by <= kDistinct || std::pair(angle, by) <= most) continue;
      most = {angle, by};
      differs = {u, a, angle ? std::remainder(b, kTurn) : b, !given_[u] && given_value_[u] != 0};
    }
    if (differs) return differs;
  }
  return std::nullopt;
}

Configuration ConfigurationSearch::moved(const Configuration& configuration,
                                         std::span<const double> by_coordinate, double zero) {
  std::vector<double> values = configuration.values;
  for (std::size_t k = 0; k < by_coordinate.size(); ++k) {
    const std::uint32_t u = kinematics_.coordinates()[k];
    values[u] += by_coordinate[k] * kinematics_.unit(u);
  }
  return solve(std::move(values), {.rows = Rows::Constraints, .zero = zero});
}

}  // namespace sigrel::reduce
