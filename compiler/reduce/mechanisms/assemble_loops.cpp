#include "compiler/reduce/mechanisms/assemble_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "compiler/reduce/mechanisms/mobility.h"
#include "compiler/singularity/source_names.h"

namespace sigrel::reduce {
namespace {

/// Of the unit of a constraint: a loop that is not closed. Values that differ by less agree, as those of
/// redundant initial equations.
constexpr double kOpen = 1e-6;

bool is_open(const Configuration& point) {
  return point.is_stationary &&
         std::ranges::any_of(point.residuals, [](double r) { return std::abs(r) > kOpen; });
}

/// How far one point would have to move for a constraint to hold, in metres; none for one without lengths. It
/// may be one on the square of a distance: Newton's method along its gradient.
std::optional<double> distance_left(const Kinematics& kinematics, RowValues& rows, std::uint32_t equation,
                                    std::vector<double> values) {
  constexpr int kIterations = 20;
  std::vector<double> gradient;
  const double residual = rows.evaluate(equation, values, gradient);
  const auto unknowns = rows.unknowns(equation);
  std::map<Kinematics::Vector, double> slopes;  // squared
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    if (kinematics.is_length(unknowns[k]))
      slopes[kinematics.vector_of(unknowns[k])] += gradient[k] * gradient[k];
  const auto steepest = std::ranges::max_element(slopes, {}, [](const auto& s) { return s.second; });
  if (steepest == slopes.end() || !(steepest->second > 0)) return std::nullopt;
  const double length = std::sqrt(steepest->second);
  std::vector<double> direction(unknowns.size(), 0.0);
  for (std::size_t k = 0; k < unknowns.size(); ++k)
    if (kinematics.vector_of(unknowns[k]) == steepest->first) direction[k] = gradient[k] / length;
  double moved = 0, left = residual;
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    double slope = 0;
    for (std::size_t k = 0; k < unknowns.size(); ++k) slope += gradient[k] * direction[k];
    const double step = left / slope;
    for (std::size_t k = 0; k < unknowns.size(); ++k) values[unknowns[k]] -= step * direction[k];
    moved += step;
    left = rows.evaluate(equation, values, gradient);
    if (!(std::abs(step) > 1e-9 * std::abs(moved))) break;
  }
  return std::isfinite(moved) ? moved : residual / length;
}

/// The shortest name of the unknowns that are equal to a coordinate: `j.phi` rather than `j.flange.phi`.
std::string name_of(const singularity::SourceNames& names, const Kinematics& kinematics, RowValues& rows,
                    const Configuration& point, std::uint32_t coordinate) {
  std::string best = names.name(coordinate, system::kRoot);
  std::vector<std::uint32_t> equal{coordinate};
  std::vector<double> gradient;
  for (const Kinematics::Step& step : kinematics.steps()) {
    const auto unknowns = rows.unknowns(step.equation);
    if (unknowns.size() != 2 || std::ranges::find(equal, unknowns[1 - step.slot]) == equal.end() ||
        !rows.is_explicit(step.equation, 0) || !rows.is_explicit(step.equation, 1))
      continue;
    rows.evaluate(step.equation, point.values, gradient);
    if (gradient[0] != -gradient[1] || point.values[step.unknown] != point.values[coordinate]) continue;
    equal.push_back(step.unknown);
    if (std::string name = names.name(step.unknown, system::kRoot); name.size() < best.size())
      best = std::move(name);
  }
  return best;
}

void report_open(const system::System& system, std::span<const Origin> loops, Kinematics& kinematics,
                 RowValues& rows, const Configuration& point, std::span<const std::uint32_t> given,
                 Diagnostics& diagnostics) {
  double distance = 0, angle = 0, other = 0;  // other: of constraints without lengths, as between angles
  for (std::uint32_t c = 0; c < point.residuals.size(); ++c) {
    const Origin origin = rows.origin(kinematics.constraints()[c]);
    const double residual = point.residuals[c] * kinematics.unit_of(c);
    const bool of_rotation = std::ranges::any_of(loops, [&](Origin o) {
      return o.instance == origin.instance &&
             system.sources[o.source].span == system.sources[origin.source].span;
    });
    if (of_rotation)
      angle += residual * residual;
    else if (const auto left = distance_left(kinematics, rows, kinematics.constraints()[c], point.values))
      distance += *left * *left;
    else
      other = std::max(other, std::abs(residual));
  }
  distance = std::sqrt(distance);
  angle = 2 * std::atan(std::sqrt(angle));  // of tan (angle / 2), close_loops.cpp
  const singularity::SourceNames names(system);
  const std::vector<Origin> origins = closing_origins(loops, kinematics, rows);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(origins, scope);
  std::string initial;
  constexpr std::size_t kNamed = 3;
  for (std::size_t k = 0; k < std::min(given.size(), kNamed); ++k)
    initial += fmt::format("{}`{}` = {:.6g}", k ? ", " : "",
                           name_of(names, kinematics, rows, point, given[k]), point.values[given[k]]);
  if (given.size() > kNamed) initial += fmt::format(" and {} more", given.size() - kNamed);
  auto& d = diagnostics.report(
      Code::LoopNotClosed, places.empty() ? system.templates[0].span : places[0].span,
      fmt::format("the joints cannot close this loop{}: {:.3g} m are left{}",
                  given.empty() ? "" : " at its initial values", distance,
                  angle > 1e-2 || (angle > 1e-8 && angle * kinematics.length() > 0.1 * distance)
                      ? fmt::format(", and an angle of {:.3g} rad", angle)
                      : ""));
  d.label("the loop closes here");
  if (other > 1e-6)
    d.note(fmt::format(
        "besides, an equation between coordinates of the joints, as of a gear, differs by {:.3g}", other));
  if (given.empty()) {
    d.note(
        "this is the gap in the position that fits best near the initial values and guesses of the joints");
  } else {
    d.note(fmt::format("this is the gap in the position that fits best with {}", initial));
    d.note("from other initial values the loop can be closed");
  }
  constexpr double kRounded = 1e-3;  // of the size
  if (given.empty() && distance < kRounded * kinematics.length() && angle < kRounded)
    d.help(
        "rounded axes and lengths leave such a small gap: write them with all digits, or compute them; a "
        "part with fewer constraints, such as `closingPlane` where all axes are parallel, need not meet them "
        "all");
  if (given.size() > 1)
    d.help(
        "values from a drawing are rounded, and close a loop up to their last digit: give as many as the "
        "mechanism has degrees of freedom, and make the others guesses");
  d.help(
      "look at the lengths, at the axes of the joints, and at the initial values; a guess of a joint angle "
      "says in which position the loop is assembled");
}

/// Where the search for a start begins, for the coordinates of loops that have no guess, or one that only
/// says which configuration is meant: from other values Newton's method may converge to a solution that the
/// joints cannot take.
void add_positions(system::System& system, const ConfigurationSearch& search, Kinematics& kinematics,
                   const Configuration& start, const Configuration& nearby) {
  const auto coordinates = kinematics.coordinates();
  std::vector<bool> in_loop(coordinates.size(), false);
  for (const MatrixEntry& e : kinematics.jacobian(start.values, Kinematics::Rows::Constraints))
    in_loop[e.column] = true;
  // With other values of parameters a guess may be corrected, and what is zero may not be (reassembly.h).
  const bool may_change = has_changeable_parameters(system);
  std::vector<std::uint32_t> found, corrected;
  for (std::uint32_t k = 0; k < in_loop.size(); ++k) {
    if (!in_loop[k]) continue;
    if (!search.is_given(k)) found.push_back(coordinates[k]);
    if (search.is_guessed(k) && (may_change || search.differs_from_guess(k, start)))
      corrected.push_back(coordinates[k]);
  }
  std::vector<bool> guessed(system.unknowns, false);
  for (const system::Attribute& a : system.attributes)
    if (a.kind == system::AttributeKind::Guess) guessed[a.unknown] = true;
  std::ranges::sort(found);
  std::erase_if(system.attributes, [&](const system::Attribute& a) {  // a default of the joint
    return a.kind == system::AttributeKind::Guess && std::ranges::binary_search(found, a.unknown);
  });
  found.insert(found.end(), corrected.begin(), corrected.end());
  auto add = [&](system::AttributeKind kind, std::uint32_t unknown) {
    system.attributes.push_back({kind, unknown, static_cast<std::uint32_t>(system.parameters.size()),
                                 system::unknown_info(system, unknown).span});
    system.parameters.push_back({.value = start.values[unknown]});
  };
  for (const std::uint32_t unknown : found) add(system::AttributeKind::Position, unknown);
  for (const std::uint32_t k : free_coordinates(search, kinematics, start, nearby))
    add(system::AttributeKind::Independent, coordinates[k]);
  // Also of guesses that are the values of their coordinates: Newton's method is not to leave them.
  std::vector<bool> begins_elsewhere(system.unknowns, false);
  for (std::uint32_t k = 0; k < coordinates.size(); ++k)
    begins_elsewhere[coordinates[k]] = !in_loop[k] || !search.is_guessed(k);
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    if (kinematics.is_known(u) && !begins_elsewhere[u] && (may_change || start.values[u] != 0 || guessed[u]))
      add(system::AttributeKind::FirstIterate, u);
}

void report_alternative(const system::System& system, const std::vector<Origin>& origins,
                        const Kinematics& kinematics, RowValues& rows, const Configuration& point,
                        const ConfigurationSearch::Alternative& alternative, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(origins, scope);
  const std::string name = name_of(names, kinematics, rows, point, alternative.unknown);
  auto& d = diagnostics.report(
      Code::SeveralSolutions, places.empty() ? system.templates[0].span : places[0].span,
      fmt::format("the joints can be assembled in several ways, and no guess chooses: `{}` = {:.6g}", name,
                  alternative.value));
  d.label("a loop closes here");
  d.note(fmt::format("another position has `{}` = {:.6g}", name, alternative.other));
  if (alternative.has_default)
    d.note(
        "its guess in the definition of the part is one of every use, and says nothing about this mechanism");
  d.help(fmt::format("choose by a guess near the intended one, such as `guess {} = {:.6g}`", name,
                     alternative.value));
}

void report_singular(const system::System& system, const std::vector<Origin>& origins,
                     const Kinematics& kinematics, RowValues& rows, const Configuration& point,
                     std::uint32_t free, bool can_move, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(origins, scope);
  auto& d =
      diagnostics.report(Code::SingularStart, places.empty() ? system.templates[0].span : places[0].span,
                         fmt::format("the mechanism starts at a singular position: there its joints do not "
                                     "determine `der {}`",
                                     name_of(names, kinematics, rows, point, free)));
  d.label("a loop closes here");
  d.note(can_move
             ? "velocities and forces are not determined at this position, or grow without bound near it, "
               "and a mechanism can leave it in several ways"
             : "the loop lets the joints move to the first order, but no other position is near this one: "
               "velocities and forces are not determined");
  d.help(can_move ? "start from another position, which may be near this one"
                  : "look at the arrangement of the joints and links, or change a length a little");
}

}  // namespace

std::vector<Origin> closing_origins(std::span<const Origin> loops, const Kinematics& kinematics,
                                    const RowValues& rows) {
  std::vector<Origin> result(loops.begin(), loops.end());
  for (std::uint32_t c = 0; c < kinematics.constraints().size() && loops.empty(); ++c)
    if (kinematics.is_of_joints(c)) result.push_back(rows.origin(kinematics.constraints()[c]));
  return result;
}

std::optional<Configuration> find_position(const system::System& system, RowValues& rows,
                                           Kinematics& kinematics, ConfigurationSearch& search,
                                           std::span<const Origin> loops, Diagnostics& diagnostics) {
  Configuration start = search.start();
  if (!start.found) {
    if (start.is_stationary) report_open(system, loops, kinematics, rows, start, {}, diagnostics);
    return std::nullopt;
  }
  if (const auto& open = search.contradiction(); open && is_open(open->configuration)) {
    report_open(system, loops, kinematics, rows, open->configuration, open->unknowns, diagnostics);
    return std::nullopt;
  }
  return start;
}

std::optional<Configuration> assemble_loops(system::System& system, RowValues& rows, Kinematics& kinematics,
                                            std::span<const Origin> loops, Diagnostics& diagnostics) {
  ConfigurationSearch search(system, rows, kinematics);
  const std::optional<Configuration> found =
      find_position(system, rows, kinematics, search, loops, diagnostics);
  if (!found) return std::nullopt;
  const Configuration& start = *found;
  const Configuration nearby = reduce::nearby(search, kinematics, start);
  add_positions(system, search, kinematics, start, nearby);
  const std::vector<Origin> origins = closing_origins(loops, kinematics, rows);
  if (const auto alternative = search.alternative(start))
    report_alternative(system, origins, kinematics, rows, start, *alternative, diagnostics);
  const auto singular = singular_coordinate(search, kinematics, start, nearby);
  if (singular)
    report_singular(system, origins, kinematics, rows, start, kinematics.coordinates()[singular->coordinate],
                    singular->can_move, diagnostics);
  if (singular && !singular->can_move) return displaced(kinematics, start);
  return nearby.found ? nearby : start;
}

}  // namespace sigrel::reduce
