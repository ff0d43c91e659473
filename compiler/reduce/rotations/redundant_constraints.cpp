#include "compiler/reduce/rotations/redundant_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "compiler/reduce/equation_rows.h"
#include "compiler/reduce/rotations/kinematics.h"
#include "compiler/reduce/rotations/rank.h"
#include "compiler/reduce/rotations/statics.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

constexpr double kOpen = 1e-6;   // of the size of the mechanism: a loop that is not closed
constexpr double kHolds = 1e-4;  // the same during a run, for constraints that are not among the equations

/// Constraints that follow from the others at this point.
std::vector<std::uint32_t> dependent(Kinematics& kinematics, const Kinematics::Point& point) {
  const auto constraints = static_cast<std::uint32_t>(kinematics.constraints().size());
  std::vector<MatrixEntry> transposed;
  std::vector<double> largest(constraints, 0.0), weights(constraints, 1.0);
  const std::vector<Kinematics::Entry> jacobian = kinematics.jacobian(point);
  for (const auto& e : jacobian) largest[e.row] = std::max(largest[e.row], std::abs(e.value));
  for (const auto& e : jacobian) transposed.push_back({e.column, e.row, e.value});
  // Constraints that are not of joints come first, so that those of joints follow from them.
  for (std::uint32_t c = 0; c < constraints; ++c)
    if (!kinematics.is_of_joints(c)) weights[c] = 1e3 / std::max(largest[c], 1e-9);
  return dependent_columns(transposed, static_cast<std::uint32_t>(kinematics.coordinates().size()),
                           constraints, weights);
}

/// The largest length in the mechanism.
double size_of(const system::System& system, const Kinematics::Point& point) {
  double size = 0;
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    if (text(system::unknown_info(system, u).unit) == "m") size = std::max(size, std::abs(point.values[u]));
  return size > 0 ? size : 1.0;
}

std::vector<Origin> of_loops(std::span<const Origin> loops) { return {loops.begin(), loops.end()}; }

void report_open(const system::System& system, std::span<const Origin> loops, Kinematics& kinematics,
                 RowValues& rows, const Kinematics::Point& point, Diagnostics& diagnostics) {
  double distance = 0, angle = 0;
  for (std::size_t c = 0; c < point.residuals.size(); ++c) {
    const Origin origin = rows.origin(kinematics.constraints()[c]);
    const bool turns = std::ranges::any_of(loops, [&](Origin o) {
      return o.instance == origin.instance &&
             system.sources[o.source].span == system.sources[origin.source].span;
    });
    (turns ? angle : distance) += point.residuals[c] * point.residuals[c];
  }
  distance = std::sqrt(distance);
  angle = 2 * std::atan(std::sqrt(angle));  // close_loops.cpp
  const singularity::SourceNames names(system);
  const std::vector<Origin> origins = of_loops(loops);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(origins, scope);
  auto& d =
      diagnostics.report(Code::LoopNotClosed, places.empty() ? system.templates[0].span : places[0].span,
                         fmt::format("the joints cannot close this loop: {:.3g} m are left{}", distance,
                                     angle > 1e-2 ? fmt::format(", and an angle of {:.3g} rad", angle) : ""));
  d.label("the loop closes here");
  d.note("this is the shortest distance near the initial values and guesses of the joints");
  d.help(
      "look at the lengths, at the axes of the joints, and at the initial values; a guess of a joint angle "
      "says in "
      "which position the loop is assembled");
}

/// Where the search for a start begins, for the coordinates of loops that have no guess, or one that only
/// says which position is meant: these positions are consistent, and those that are found from others may be
/// none of the joints.
void add_positions(system::System& system, Kinematics& kinematics, const Kinematics::Point& point) {
  std::vector<bool> in_loop(kinematics.coordinates().size(), false);
  for (const Kinematics::Entry& e : kinematics.jacobian(point)) in_loop[e.column] = true;
  std::vector<std::uint32_t> found, corrected;
  for (std::uint32_t k = 0; k < in_loop.size(); ++k) {
    if (!in_loop[k]) continue;
    if (!kinematics.is_given(k)) found.push_back(kinematics.coordinates()[k]);
    if (point.found && kinematics.differs_from_guess(k, point))
      corrected.push_back(kinematics.coordinates()[k]);
  }
  std::ranges::sort(found);
  std::erase_if(system.attributes, [&](const system::Attribute& a) {  // a default of the joint
    return a.kind == system::AttributeKind::Guess && std::ranges::binary_search(found, a.unknown);
  });
  found.insert(found.end(), corrected.begin(), corrected.end());
  for (const std::uint32_t unknown : found) {
    system.attributes.push_back({system::AttributeKind::Position, unknown,
                                 static_cast<std::uint32_t>(system.parameters.size()),
                                 system::unknown_info(system, unknown).span});
    system.parameters.push_back({.value = point.values[unknown]});
  }
}

void report_other_position(const system::System& system, std::span<const Origin> loops,
                           const Kinematics::Other& other, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
  const std::vector<Origin> origins = of_loops(loops);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(origins, scope);
  const std::string name = names.name(other.unknown, scope);
  auto& d = diagnostics.report(
      Code::SeveralSolutions, places.empty() ? system.templates[0].span : places[0].span,
      fmt::format("the joints can be assembled in several ways, and no guess chooses: `{}` = {:.6g}", name,
                  other.value));
  d.label("a loop closes here");
  d.note(fmt::format("another position has `{}` = {:.6g}", name, other.other));
  d.help(
      fmt::format("choose by a guess near the intended one, such as `guess {} = {:.6g}`", name, other.value));
}

}  // namespace

void remove_redundant_constraints(system::System& system, std::span<const Origin> loops,
                                  Diagnostics& diagnostics) {
  RowValues rows(system, system.equations);
  Kinematics kinematics(system, rows);
  if (kinematics.constraints().empty()) return;
  Kinematics::Point point = kinematics.start();
  const double size = size_of(system, point);
  if (!point.found) {
    double left = 0;
    for (const double r : point.residuals) left = std::max(left, std::abs(r));
    if (point.is_stationary && left > kOpen * size)
      report_open(system, loops, kinematics, rows, point, diagnostics);
    return;
  }
  add_positions(system, kinematics, point);
  if (const auto other = kinematics.other(point)) report_other_position(system, loops, *other, diagnostics);
  // The start may be a position of its own kind; constraints are redundant if they are so around it.
  if (const Kinematics::Point other = kinematics.near(point); other.found) point = other;
  std::vector<std::uint32_t> redundant = dependent(kinematics, point);
  if (redundant.empty() ||
      !std::ranges::all_of(redundant, [&](std::uint32_t c) { return kinematics.is_of_joints(c); }))
    return;
  std::vector<std::uint32_t> closing;
  for (const Origin loop : loops) closing.push_back(loop.instance);
  const std::vector<std::uint32_t> open = undetermined_forces(system, rows, kinematics, point, closing);
  // Otherwise something else is wrong, which is reported where it is found.
  if (open.size() != redundant.size()) return;

  std::ranges::sort(redundant);
  const std::size_t before = system.equations.count();
  IdVector<EquationId, bool> removed(before, false);
  Equations added;
  std::vector<Origin> origins;
  ExprPool& pool = system.exprs;
  for (std::size_t k = 0; k < redundant.size(); ++k) {
    const std::uint32_t e = kinematics.constraints()[redundant[k]];
    const Origin origin = rows.origin(e);
    removed[EquationId{e}] = true;
    origins.push_back(origin);
    add_row(added, pool.slot(0), {&open[k], 1}, {}, origin);
    // It must hold, although it is not among the equations.
    const RowValues::Row at = rows.rows()[e];
    ExprId residual{};
    std::vector<std::uint32_t> parameters;
    const auto unknowns = rows.unknowns(e);
    if (at.table < system.equations.tables.size()) {
      const EquationTable& table = system.equations.tables[at.table];
      residual = table.residual;
      const auto p = table.parameters_of(at.row);
      parameters.assign(p.begin(), p.end());
    } else {
      residual = pool.constant(0);
      const auto terms = system.equations.sums.terms_of(at.row);
      for (std::uint32_t i = 0; i < terms.size(); ++i)
        residual = terms[i].negative() ? symbolic::sub(pool, residual, pool.slot(i))
                                       : symbolic::add(pool, residual, pool.slot(i));
    }
    const ExprId condition = symbolic::binary(pool, Op::Less, symbolic::unary(pool, Op::Abs, residual),
                                              pool.constant(kHolds * std::min(1.0, size)));
    const auto source = static_cast<std::uint32_t>(system.sources.size());
    system.sources.push_back(
        {system::EquationKind::Assertion, system.sources[origin.source].span,
         local_name("the loop of joints is no longer closed: constraints that followed from the others "
                    "at the start do not any more")});
    add_row(system.assertions, condition, unknowns, parameters, {origin.instance, source});
  }
  const singularity::SourceNames names(system);
  const std::vector<Origin> closes = of_loops(loops);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(closes, scope);
  std::string zero;
  constexpr std::size_t kNamed = 6;
  for (std::size_t k = 0; k < std::min(open.size(), kNamed); ++k)
    zero += fmt::format("{}`{}`", k ? ", " : "", names.name(open[k], scope));
  if (open.size() > kNamed) zero += fmt::format(" and {} more", open.size() - kNamed);
  auto& d = diagnostics.report(
      Code::RedundantLoop, places.empty() ? system.templates[0].span : places[0].span,
      redundant.size() == 1
          ? "one constraint of this loop of joints follows from the others"
          : fmt::format("{} constraints of these loops of joints follow from the others", redundant.size()));
  d.label("a loop closes here");
  d.note(fmt::format("rigid bodies do not determine how the loop is strained inside: {} {} set to zero", zero,
                     open.size() == 1 ? "is" : "are"));
  d.help("the motion does not depend on it; forces and torques of joints in the loop do");

  remove_equations(system.equations, removed);
  for (EquationTable& table : added.tables) system.equations.tables.push_back(std::move(table));
}

}  // namespace sigrel::reduce
