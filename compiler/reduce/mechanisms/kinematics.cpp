#include "compiler/reduce/mechanisms/kinematics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <string>
#include <utility>

#include "compiler/graph/signed_union_find.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr double kLeastDerivative = 1e-13;  // others are rounding errors
constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kWay = 0.3;  // to points at which derivatives are no accident

}  // namespace

Kinematics::Kinematics(system::System& system, RowValues& rows)
    : system_(system), rows_(rows), initial_rows_(system, system.initial, rows.time()) {
  find_frames();
  order();
  drop_unrelated_constraints();
  find_loops();
  units_.assign(constraints_.size() + initial_.size(), 1.0);
  unit_.assign(system_.unknowns, 1.0);
  none_.assign(system_.unknowns, 0.0);
  find_sums_of_angles();
  find_turns();
}

std::uint32_t Kinematics::unknown_of(const system::Instance& instance, std::uint32_t column) const {
  const auto interface = static_cast<std::uint32_t>(system_.templates[instance.body].interface.size());
  return column < interface ? system_.arguments[instance.first_argument + column]
                            : instance.first_unknown + column - interface;
}

void Kinematics::find_frames() {
  is_flow_.assign(system_.unknowns, false);
  is_pose_.assign(system_.unknowns, false);
  is_position_.assign(system_.unknowns, false);
  is_length_.assign(system_.unknowns, false);
  for (std::uint32_t u = 0; u < system_.unknowns; ++u) is_length_[u] = has_unit(u, "m");
  for (const system::Instance& instance : system_.instances) {
    const system::Template& body = system_.templates[instance.body];
    for (const std::uint32_t c : body.flows) is_flow_[unknown_of(instance, c)] = true;
    for (const std::uint32_t c : body.poses)
      is_pose_[unknown_of(instance, c)] = is_position_[unknown_of(instance, c)] = true;
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
  pose_rows_of_.assign(system_.unknowns, {});
  open_.assign(equations, kNone);
  for (std::uint32_t e = 0; e < equations; ++e) {
    if (rows_.has_derivative(e)) continue;
    const auto unknowns = rows_.unknowns(e);
    if (std::ranges::any_of(unknowns, [&](std::uint32_t u) { return is_flow_[u]; })) continue;
    open_[e] = static_cast<std::uint32_t>(unknowns.size());
    const bool has_pose = std::ranges::any_of(unknowns, [&](std::uint32_t u) { return bool(is_pose_[u]); });
    for (const std::uint32_t u : unknowns) {
      rows_of_[u].push_back(e);
      if (has_pose) pose_rows_of_[u].push_back(e);
    }
    if (open_[e] == 1) ready_.push_back(e);
  }
  propagate();
  // Where a joint leaves something open: a pose follows from those before and from its coordinates. What may
  // follow from poses that are reached later is a coordinate only if they are not.
  std::vector<std::uint32_t> front, later;
  for (std::uint32_t u = 0; u < system_.unknowns; ++u)
    if (known_[u]) front.push_back(u);
  for (std::size_t k = 0, l = 0;;) {
    if (k == front.size()) {
      if (l < later.size()) {
        leave_open(later[l++], front);
        continue;
      }
      if (!add_free_frame(front)) break;
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
  const std::vector<double> none(system_.unknowns, 0.0);
  for (std::uint32_t e = 0; e < initial_rows_.rows().size(); ++e) {
    const auto unknowns = initial_rows_.unknowns(e);
    if (initial_rows_.has_derivative(e) || unknowns.empty() ||
        std::ranges::any_of(unknowns, [&](std::uint32_t u) { return !known_[u]; }))
      continue;
    // A value that is no finite number is told by the start.
    const bool is_value = unknowns.size() == 1 && initial_rows_.is_explicit(e, 0);
    if (!is_value || std::isfinite(initial_rows_.evaluate(e, none, gradient_))) initial_.push_back(e);
  }
}

/// Makes the position and the angle of a frame of the plane that nothing has reached coordinates. False:
/// there is none.
bool Kinematics::add_free_frame(std::vector<std::uint32_t>& front) {
  for (; next_free_ < system_.instances.size(); ++next_free_) {
    const system::Instance& instance = system_.instances[next_free_];
    const system::Template& body = system_.templates[instance.body];
    if (!body.rotations.empty()) continue;
    // The poses of its first node; all of them unknown, and one an angle.
    std::vector<std::uint32_t> frame;
    std::string_view node;
    for (const std::uint32_t c : body.poses) {
      if (c >= body.interface.size()) break;
      const std::string_view name =
          std::string_view(body.interface[c]).substr(0, body.interface[c].find('.'));
      if (!frame.empty() && name != node) break;
      node = name;
      frame.push_back(unknown_of(instance, c));
    }
    if (frame.size() != 3 || std::ranges::any_of(frame, [&](std::uint32_t u) { return bool(known_[u]); }) ||
        std::ranges::none_of(frame, [&](std::uint32_t u) { return is_angle(u); }))
      continue;
    const std::size_t steps = steps_.size();
    for (const std::uint32_t u : frame)
      if (!known_[u]) add_coordinate(u);
    propagate();
    for (std::size_t s = steps; s < steps_.size(); ++s) front.push_back(steps_[s].unknown);
    front.insert(front.end(), frame.begin(), frame.end());
    return true;
  }
  return false;
}

/// Equations of which all unknowns are known, without poses and whatever the coordinates are, are no
/// constraints of a mechanism; what is wrong with them is reported elsewhere.
void Kinematics::drop_unrelated_constraints() {
  const std::vector<bool> binds = bind_coordinates();
  std::size_t kept = 0;
  for (std::size_t c = 0; c < binds.size(); ++c)
    if (const auto unknowns = rows_.unknowns(constraints_[c]);
        binds[c] || std::ranges::any_of(unknowns, [&](std::uint32_t u) { return bool(is_pose_[u]); }))
      constraints_[kept++] = constraints_[c];
  constraints_.resize(kept);
}

void Kinematics::find_loops() {
  std::vector<bool> needed(system_.unknowns, false);
  auto need = [&](std::uint32_t equation) {
    for (const std::uint32_t u : rows_.unknowns(equation)) needed[u] = true;
  };
  for (const std::uint32_t e : constraints_) need(e);
  for (auto s = steps_.rbegin(); s != steps_.rend(); ++s)
    if (needed[s->unknown]) need(s->equation);
  for (const std::uint32_t u : coordinates_) {
    in_loop_.push_back(needed[u]);
    coordinates_in_loops_ += needed[u];
  }
}

/// Whether an equation between positions has an unknown that another one gives as soon as more poses are
/// known, as `d` of a rod in `b.r = a.r + d` follows from `d = a.rot * r`.
bool Kinematics::waits_for_pose(std::uint32_t equation) const {
  for (const std::uint32_t u : rows_.unknowns(equation)) {
    if (known_[u] || is_pose_[u]) continue;
    for (const std::uint32_t e : pose_rows_of_[u]) {
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

/// Whether the equation is one of a part in space that gives no rotation, as a link between two points.
/// Others carry what it joins.
bool Kinematics::closes_loop(std::uint32_t equation) const {
  const system::Instance& instance = system_.instances[rows_.origin(equation).instance];
  const system::Template& body = system_.templates[instance.body];
  if (body.poses.empty() || !body.rotations.empty()) return false;
  return std::ranges::none_of(body.poses,
                              [&](std::uint32_t pose) { return is_angle(unknown_of(instance, pose)); });
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
  others = replace_by_definitions(equation, std::move(others));
  const std::size_t steps = steps_.size();
  for (const std::uint32_t u : others)
    if (!known_[u]) add_coordinate(u);
  propagate();
  for (std::size_t s = steps; s < steps_.size(); ++s) front.push_back(steps_[s].unknown);
  for (const std::uint32_t u : others) front.push_back(u);
}

/// `unknowns`, each that an equation defines by several others replaced by these: the points of a flexible
/// beam by the amplitudes of its modes.
std::vector<std::uint32_t> Kinematics::replace_by_definitions(std::uint32_t equation,
                                                              std::vector<std::uint32_t> unknowns) {
  std::vector<std::uint32_t> result, used{equation};
  std::ranges::reverse(unknowns);
  while (!unknowns.empty()) {
    const std::uint32_t u = unknowns.back();
    unknowns.pop_back();
    const std::uint32_t definition = definition_of(u, used);
    if (definition == kNone) {
      if (std::ranges::find(result, u) == result.end()) result.push_back(u);
      continue;
    }
    used.push_back(definition);
    const auto origins = rows_.unknowns(definition);
    for (auto o = origins.rbegin(); o != origins.rend(); ++o)
      if (*o != u && !known_[*o]) unknowns.push_back(*o);
  }
  return result;
}

/// An equation `u = f(...)` of several unknowns, none of them a pose; kNone.
std::uint32_t Kinematics::definition_of(std::uint32_t unknown, const std::vector<std::uint32_t>& used) {
  for (const std::uint32_t e : rows_of_[unknown]) {
    if (open_[e] == kNone || open_[e] < 3 || std::ranges::find(used, e) != used.end()) continue;
    const auto unknowns = rows_.unknowns(e);
    if (const auto left = rows_.left_side(e); !left || unknowns[*left] != unknown) continue;
    if (std::ranges::none_of(unknowns, [&](std::uint32_t u) { return is_pose_[u] && !known_[u]; })) return e;
  }
  return kNone;
}

void Kinematics::add_coordinate(std::uint32_t unknown) {
  known_[unknown] = true;
  is_position_[unknown] = true;
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

void Kinematics::choose_units(std::vector<double> values) {
  evaluate(values);
  std::vector<double> rigid = values;  // links have their lengths where joints do not slide
  for (const std::uint32_t u : coordinates_)
    if (is_length_[u]) rigid[u] = 0;
  evaluate(rigid);
  std::vector<std::uint32_t> all(steps_.size());
  std::iota(all.begin(), all.end(), 0u);
  length_ = longest_link(all, coordinates_, rigid, values).value_or(1.0);
  for (std::uint32_t u = 0; u < system_.unknowns; ++u) unit_[u] = is_length_[u] ? length_ : 1.0;

  std::mt19937 random(1);
  std::uniform_real_distribution<double> way(-kWay, kWay);
  auto moved = [&] {
    std::vector<double> result = values;
    for (const std::uint32_t u : coordinates_) result[u] += way(random) * unit_[u];
    evaluate(result);
    return result;
  };
  std::vector<double> lengths(constraints_.size(), length_);
  for (const Loops& loops : separate_loops(moved())) {
    const double length = longest_link(loops.steps, loops.coordinates, rigid, values).value_or(length_);
    for (const std::uint32_t c : loops.constraints) lengths[c] = length;
    for (const std::uint32_t u : loops.coordinates)
      if (is_length_[u]) unit_[u] = length;
  }
  const std::vector<double> points[] = {values, moved(), moved()};
  auto length_of_constraint = [&](std::size_t row, std::uint32_t u) {
    return is_length_[u] ? lengths[row] : 1.0;
  };
  units_ = units_of(rows_, constraints_, points, length_of_constraint);
  auto unit = [&](std::size_t, std::uint32_t u) { return unit_[u]; };
  std::ranges::copy(units_of(initial_rows_, initial_, points, unit), std::back_inserter(units_));
}

/// Loops that share no coordinate, so that one may be much larger than another. Derivatives with respect to
/// what moves a loop as a whole are zero up to rounding.
std::vector<Kinematics::Loops> Kinematics::separate_loops(const std::vector<double>& values) {
  constexpr double kRounding = 1e-13;  // of positions
  double farthest = 1;
  for (const Step& s : steps_)
    if (is_pose_[s.unknown] && is_length_[s.unknown])
      farthest = std::max(farthest, std::abs(values[s.unknown]));
  const auto count = static_cast<std::uint32_t>(coordinates_.size());
  graph::SignedUnionFind parts(count + static_cast<std::uint32_t>(constraints_.size()));
  for (const MatrixEntry& e : jacobian(values, Rows::Constraints))
    if (std::abs(e.value) > kRounding * farthest) parts.unite(e.column, count + e.row, false);
  std::vector<Loops> result;
  std::vector<std::uint32_t> number(parts.size(), kNone);
  for (std::uint32_t c = 0; c < constraints_.size(); ++c) {
    std::uint32_t& loops = number[parts.find(count + c).root];
    if (loops == kNone) {
      loops = static_cast<std::uint32_t>(result.size());
      result.emplace_back();
    }
    result[loops].constraints.push_back(c);
  }
  for (std::uint32_t k = 0; k < count; ++k)
    if (const std::uint32_t loops = number[parts.find(k).root]; loops != kNone)
      result[loops].coordinates.push_back(coordinates_[k]);
  // What their constraints are computed from.
  std::vector<std::uint32_t> seen(steps_.size(), kNone);
  for (std::uint32_t l = 0; l < result.size(); ++l) {
    std::vector<std::uint32_t>& steps = result[l].steps;
    auto need = [&](std::uint32_t equation) {
      for (const std::uint32_t u : rows_.unknowns(equation))
        if (const std::uint32_t s = step_of_[u]; s != kNone && std::exchange(seen[s], l) != l)
          steps.push_back(s);
    };
    for (const std::uint32_t c : result[l].constraints) need(constraints_[c]);
    for (std::size_t k = 0; k < steps.size(); ++k) need(steps_[steps[k]].equation);
    std::ranges::sort(steps);
  }
  return result;
}

/// The longest distance, along an axis, between a frame that moves with the coordinates and the one that it
/// follows from, where coordinates that are lengths are zero; of none the largest of these coordinates.
std::optional<double> Kinematics::longest_link(std::span<const std::uint32_t> steps,
                                               std::span<const std::uint32_t> coordinates,
                                               const std::vector<double>& rigid,
                                               const std::vector<double>& values) {
  double longest = 0, slide = 0;
  varies_.resize(system_.unknowns, false);
  for (const std::uint32_t u : coordinates) varies_[u] = true;
  for (const std::uint32_t k : steps) {
    const Step& s = steps_[k];
    const auto unknowns = rows_.unknowns(s.equation);
    varies_[s.unknown] = std::ranges::any_of(unknowns, [&](std::uint32_t u) { return bool(varies_[u]); });
    if (!varies_[s.unknown] || !is_pose_[s.unknown] || !is_length_[s.unknown]) continue;
    for (const std::uint32_t u : unknowns)
      if (is_pose_[u] && is_length_[u]) longest = std::max(longest, std::abs(rigid[s.unknown] - rigid[u]));
  }
  for (const std::uint32_t k : steps) varies_[steps_[k].unknown] = false;
  for (const std::uint32_t u : coordinates) {
    varies_[u] = false;
    if (is_length_[u]) slide = std::max(slide, std::abs(values[u]));
  }
  if (longest == 0) longest = slide;
  if (!(longest > 0 && std::isfinite(longest))) return std::nullopt;
  return longest;
}

/// By equation: by how much it changes where an unknown changes by its unit, the same for all elements of a
/// vector. The median over the points, because a derivative may be zero at one of them. Of what contains no
/// length, as the equations between rotations that close a loop, it is 1: far from the solution these have
/// very large derivatives.
std::vector<double> Kinematics::units_of(
    RowValues& rows, std::span<const std::uint32_t> equations, std::span<const std::vector<double>> points,
    const std::function<double(std::size_t row, std::uint32_t unknown)>& unit) {
  std::map<std::pair<std::uint32_t, Span>, double> of_equation;
  auto place = [&](std::uint32_t equation) {
    const Origin origin = rows.origin(equation);
    const bool has_source = origin.source < system_.sources.size();
    return std::pair(origin.instance, has_source ? system_.sources[origin.source].span : Span{});
  };
  for (std::size_t row = 0; row < equations.size(); ++row) {
    const std::uint32_t e = equations[row];
    std::vector<double> changes;
    const bool has_length =
        std::ranges::any_of(rows.unknowns(e), [&](std::uint32_t u) { return bool(is_length_[u]); });
    if (!has_length) continue;
    for (const std::vector<double>& values : points) {
      rows.evaluate(e, values, gradient_);
      const auto unknowns = rows.unknowns(e);
      double& change = changes.emplace_back(0.0);
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        change = std::max(change, std::abs(gradient_[k]) * unit(row, unknowns[k]));
    }
    std::ranges::sort(changes);
    double& largest = of_equation[place(e)];
    largest = std::max(largest, changes[changes.size() / 2]);
  }
  std::vector<double> result;
  for (const std::uint32_t e : equations) {
    const double change = of_equation[place(e)];
    result.push_back(change > 0 && std::isfinite(change) ? change : 1.0);
  }
  return result;
}

std::vector<double> Kinematics::residuals(std::vector<double>& values, Rows which,
                                          std::span<const Target> targets) {
  evaluate(values);
  std::vector<double> result;
  auto add = [&](RowValues& rows, std::uint32_t equation) {
    const std::size_t row = result.size();
    result.push_back(without_turns(row, rows.evaluate(equation, values, gradient_)) / units_[row]);
  };
  for (const std::uint32_t e : constraints_) add(rows_, e);
  if (which == Rows::WithInitial)
    for (const std::uint32_t e : initial_) add(initial_rows_, e);
  for (const Target& t : targets) {
    const double rest = values[t.unknown] - t.value;
    result.push_back(is_modulo_turns(t.unknown) ? std::remainder(rest, kTurn) : rest / unit(t.unknown));
  }
  return result;
}

Kinematics::Angles Kinematics::angles_in(RowValues& rows, std::uint32_t equation) {
  const auto unknowns = rows.unknowns(equation);
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    if (!is_angle(unknowns[k]) || !rows.is_linear(equation, k)) return Angles::None;
  rows.evaluate(equation, none_, gradient_);
  const bool all_ones = std::ranges::all_of(gradient_, [](double g) { return std::abs(g) == 1; });
  return all_ones ? Angles::Sum : Angles::Combination;
}

void Kinematics::find_sums_of_angles() {
  for (const std::uint32_t e : constraints_) angles_.push_back(angles_in(rows_, e));
  for (const std::uint32_t e : initial_) angles_.push_back(angles_in(initial_rows_, e));
}

/// Angles of gears, and those that are equal to them, count their turns.
void Kinematics::find_turns() {
  is_modulo_turns_.assign(system_.unknowns, false);
  for (std::uint32_t u = 0; u < system_.unknowns; ++u) is_modulo_turns_[u] = known_[u] && is_angle(u);
  auto count = [&](std::uint32_t equation) {
    for (const std::uint32_t u : rows_.unknowns(equation)) is_modulo_turns_[u] = false;
  };
  std::vector<std::uint32_t> equal;
  for (std::size_t c = 0; c < constraints_.size(); ++c)
    if (angles_[c] == Angles::Combination) count(constraints_[c]);
  for (const Step& s : steps_) {
    const Angles angles = angles_in(rows_, s.equation);
    if (angles == Angles::Combination) count(s.equation);
    if (angles == Angles::Sum && rows_.unknowns(s.equation).size() == 2) equal.push_back(s.equation);
  }
  auto spread = [&](std::uint32_t equation) {
    const auto pair = rows_.unknowns(equation);
    if (!is_modulo_turns_[pair[0]] || !is_modulo_turns_[pair[1]]) count(equation);
  };
  for (auto e = equal.rbegin(); e != equal.rend(); ++e) spread(*e);
  for (const std::uint32_t e : equal) spread(e);
}

double Kinematics::without_turns(std::size_t row, double residual) const {
  return angles_[row] == Angles::Sum && !counts_turns_ ? std::remainder(residual, kTurn) : residual;
}

std::vector<double> Kinematics::turns(std::vector<double>& values) {
  evaluate(values);
  std::vector<double> result;
  auto add = [&](RowValues& rows, std::uint32_t equation) {
    const Angles angles = angles_[result.size()];
    const double residual = rows.evaluate(equation, values, gradient_);
    result.push_back(angles == Angles::None  ? std::numeric_limits<double>::quiet_NaN()
                     : angles == Angles::Sum ? std::round(residual / kTurn)
                                             : 0.0);
  };
  for (const std::uint32_t e : constraints_) add(rows_, e);
  for (const std::uint32_t e : initial_) add(initial_rows_, e);
  return result;
}

std::vector<MatrixEntry> Kinematics::jacobian(const std::vector<double>& values, Rows which,
                                              std::span<const Target> targets) {
  // Backwards through the steps, from each row; what a step depends on is the same for all of them.
  std::vector<std::size_t> first_partial(steps_.size());
  std::vector<double> partials;
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    rows_.evaluate(steps_[s].equation, values, gradient_);
    first_partial[s] = partials.size();
    for (const double g : gradient_) partials.push_back(-g / gradient_[steps_[s].slot]);
  }
  std::vector<double> adjoint(steps_.size(), 0.0), by_coordinate(coordinates_.size(), 0.0);
  std::vector<bool> is_open(steps_.size(), false), is_met(coordinates_.size(), false);
  std::vector<std::uint32_t> open, met;  // steps, as a heap with the last first; coordinates
  auto add = [&](std::uint32_t unknown, double value) {
    if (value == 0) return;
    if (const std::uint32_t c = coordinate_of_[unknown]; c != kNone) {
      if (!is_met[c]) met.push_back(c);
      is_met[c] = true;
      by_coordinate[c] += value;
    } else if (const std::uint32_t s = step_of_[unknown]; s != kNone) {
      adjoint[s] += value;
      if (is_open[s]) return;
      is_open[s] = true;
      open.push_back(s);
      std::ranges::push_heap(open);
    }
  };
  std::vector<MatrixEntry> result;
  std::uint32_t count = 0;
  auto finish_row = [&](double row_unit) {
    while (!open.empty()) {
      std::ranges::pop_heap(open);
      const std::uint32_t s = open.back();
      open.pop_back();
      is_open[s] = false;
      const double factor = std::exchange(adjoint[s], 0.0);
      const auto before = rows_.unknowns(steps_[s].equation);
      for (std::size_t k = 0; k < before.size(); ++k)
        if (k != steps_[s].slot) add(before[k], factor * partials[first_partial[s] + k]);
    }
    std::ranges::sort(met);
    for (const std::uint32_t c : met) {
      is_met[c] = false;
      const double value = std::exchange(by_coordinate[c], 0.0) * unit(coordinates_[c]) / row_unit;
      if (std::abs(value) > kLeastDerivative) result.push_back({count, c, value});
    }
    met.clear();
    ++count;
  };
  auto add_row = [&](RowValues& rows, std::uint32_t equation, double row_unit) {
    rows.evaluate(equation, values, gradient_);
    const auto unknowns = rows.unknowns(equation);
    for (std::size_t k = 0; k < unknowns.size(); ++k) add(unknowns[k], gradient_[k]);
    finish_row(row_unit);
  };
  for (const std::uint32_t e : constraints_) add_row(rows_, e, units_[count]);
  if (which == Rows::WithInitial)
    for (const std::uint32_t e : initial_) add_row(initial_rows_, e, units_[count]);
  for (const Target& t : targets) {
    add(t.unknown, 1);
    finish_row(unit(t.unknown));
  }
  return result;
}

/// Of unknowns: a coordinate, or computed from one.
std::vector<bool> Kinematics::varying() const {
  std::vector<bool> varies(system_.unknowns, false);
  for (const std::uint32_t u : coordinates_) varies[u] = true;
  for (const Step& s : steps_)
    varies[s.unknown] =
        std::ranges::any_of(rows_.unknowns(s.equation), [&](std::uint32_t u) { return bool(varies[u]); });
  return varies;
}

std::vector<bool> Kinematics::bind_coordinates() const {
  const std::vector<bool> varies = varying();
  std::vector<bool> result;
  auto any = [&](std::uint32_t equation) {
    return std::ranges::any_of(rows_.unknowns(equation), [&](std::uint32_t u) { return bool(varies[u]); });
  };
  // Between the two sides of a joint at the same frame the same unknown stands twice, and cancels.
  const std::vector<double> none(system_.unknowns, 0.0);
  std::vector<double> gradient;
  auto cancels = [&](std::uint32_t equation) {
    const auto unknowns = rows_.unknowns(equation);
    rows_.evaluate(equation, none, gradient);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      double sum = 0;
      for (std::size_t i = 0; i < unknowns.size(); ++i) sum += unknowns[i] == unknowns[k] ? gradient[i] : 0;
      if (sum != 0 || !rows_.is_explicit(equation, k)) return false;
    }
    return true;
  };
  for (const std::uint32_t e : constraints_) result.push_back(any(e) && !cancels(e));
  return result;
}

std::vector<bool> Kinematics::depend_on_time() {
  std::vector<bool> varies(system_.unknowns, false), result;
  auto depends = [&](std::uint32_t equation) {
    return rows_.reads_time(equation) ||
           std::ranges::any_of(rows_.unknowns(equation), [&](std::uint32_t u) { return bool(varies[u]); });
  };
  for (const Step& s : steps_) varies[s.unknown] = depends(s.equation);
  for (const std::uint32_t e : constraints_) result.push_back(depends(e));
  return result;
}

bool Kinematics::has_unit(std::uint32_t unknown, std::string_view unit) const {
  const auto written = text(system::unknown_info(system_, unknown).unit);
  return written.substr(0, written.find('|')) == unit;  // behind it: the unit in which results show it
}

Kinematics::Vector Kinematics::vector_of(std::uint32_t unknown) const {
  const auto after =
      std::ranges::upper_bound(system_.instances, unknown, {}, &system::Instance::first_unknown);
  const system::LocalInfo& info = system::unknown_info(system_, unknown);
  const std::string name(text(info.name));
  return {static_cast<std::uint32_t>(after - system_.instances.begin()),
          {info.span, name.substr(0, name.find('['))}};
}

}  // namespace sigrel::reduce
