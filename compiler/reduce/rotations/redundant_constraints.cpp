#include "compiler/reduce/rotations/redundant_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
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

/// Three constraints that are the components of a vector, and a rotation whose axes they can be given in.
struct VectorConstraint {
  std::array<std::uint32_t, 3> constraints{};
  const Rotation* rotation = nullptr;
};

/// The constraints of parts that turn, on positions and on rotations. Which components of those of a planar
/// linkage follow from others is the same in its own axes, whatever position it is in, and not in those of
/// the world.
std::vector<VectorConstraint> vector_constraints(const system::System& system, const Kinematics& kinematics,
                                                 const RowValues& rows, std::span<const Rotation> turning) {
  const auto rotations = known_rotations(kinematics, turning);
  auto rotation_of = [&](const system::Instance& instance) {
    const std::size_t size = system.templates[instance.body].interface.size();
    for (const std::uint32_t u : std::span(system.arguments).subspan(instance.first_argument, size))
      if (const auto found = rotations.find(u); found != rotations.end()) return found->second;
    return static_cast<const Rotation*>(nullptr);
  };
  using Equation = std::pair<std::uint32_t, Span>;  // the instance, and where it stands in its relation
  std::map<Equation, std::vector<std::uint32_t>> by_equation;
  for (std::uint32_t c = 0; c < kinematics.constraints().size(); ++c) {
    const Origin origin = rows.origin(kinematics.constraints()[c]);
    if (kinematics.is_of_joints(c))
      by_equation[{origin.instance, system.sources[origin.source].span}].push_back(c);
  }
  std::vector<VectorConstraint> result;
  for (auto& [equation, constraints] : by_equation) {
    const Rotation* rotation = rotation_of(system.instances[equation.first]);
    if (!rotation || constraints.size() != 3) continue;
    std::ranges::sort(constraints, {},
                      [&](std::uint32_t c) { return rows.origin(kinematics.constraints()[c]).source; });
    result.push_back({{constraints[0], constraints[1], constraints[2]}, rotation});
  }
  return result;
}

/// Constraints that follow from the others at this point; those of a vector are its components in the axes of
/// its rotation.
std::vector<std::uint32_t> dependent(Kinematics& kinematics, const Kinematics::Point& point,
                                     std::span<const VectorConstraint> vectors) {
  const auto constraints = static_cast<std::uint32_t>(kinematics.constraints().size());
  std::vector<const VectorConstraint*> vector_of(constraints, nullptr);
  for (const VectorConstraint& v : vectors)
    for (const std::uint32_t c : v.constraints) vector_of[c] = &v;
  std::vector<MatrixEntry> transposed;
  std::vector<double> largest(constraints, 0.0), weights(constraints, 1.0);
  const std::vector<Kinematics::Entry> jacobian = kinematics.jacobian(point);
  for (const auto& e : jacobian) {
    largest[e.row] = std::max(largest[e.row], std::abs(e.value));
    const VectorConstraint* v = vector_of[e.row];
    if (!v) transposed.push_back({e.column, e.row, e.value});
    const auto i = v ? std::ranges::find(v->constraints, e.row) - v->constraints.begin() : 0;
    for (std::size_t k = 0; k < 3 && v; ++k)
      transposed.push_back({e.column, v->constraints[k],
                            e.value * point.values[(*v->rotation)[3 * static_cast<std::size_t>(i) + k]]});
  }
  // An elimination takes each place once.
  const auto place = [](const MatrixEntry& e) { return std::pair(e.row, e.column); };
  std::ranges::sort(transposed, {}, place);
  std::size_t kept = 0;
  for (const MatrixEntry& e : transposed)
    if (kept > 0 && place(transposed[kept - 1]) == place(e))
      transposed[kept - 1].value += e.value;
    else
      transposed[kept++] = e;
  transposed.resize(kept);
  // Large weights for constraints that are not of joints, so that those of joints follow from them.
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

/// Where loops close: at edges of rotations, or at parts that hold less than these.
std::vector<Origin> places_of(std::span<const Origin> loops, const Kinematics& kinematics,
                              const RowValues& rows) {
  std::vector<Origin> result(loops.begin(), loops.end());
  for (std::uint32_t c = 0; c < kinematics.constraints().size() && loops.empty(); ++c)
    if (kinematics.is_of_joints(c)) result.push_back(rows.origin(kinematics.constraints()[c]));
  return result;
}

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
  angle = 2 * std::atan(std::sqrt(angle));  // of tan (angle / 2), close_loops.cpp
  const singularity::SourceNames names(system);
  const std::vector<Origin> origins = places_of(loops, kinematics, rows);
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
  auto add = [&](system::AttributeKind kind, std::uint32_t unknown) {
    system.attributes.push_back({kind, unknown, static_cast<std::uint32_t>(system.parameters.size()),
                                 system::unknown_info(system, unknown).span});
    system.parameters.push_back({.value = point.values[unknown]});
  };
  for (const std::uint32_t unknown : found) add(system::AttributeKind::Position, unknown);
  std::vector<bool> is_coordinate(system.unknowns, false);
  for (const std::uint32_t u : kinematics.coordinates()) is_coordinate[u] = true;
  for (std::uint32_t u = 0; u < system.unknowns && point.found; ++u)
    if (kinematics.is_known(u) && !is_coordinate[u] && point.values[u] != 0)
      add(system::AttributeKind::FirstIterate, u);
}

void report_other_position(const system::System& system, const std::vector<Origin>& origins,
                           const Kinematics::Other& other, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
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

/// A residual with its own list of unknowns and parameters.
struct Residual {
  ExprId value{};
  std::vector<std::uint32_t> unknowns, parameters;
};

Residual residual_of(system::System& system, RowValues& rows, std::uint32_t equation) {
  ExprPool& pool = system.exprs;
  const RowValues::Row at = rows.rows()[equation];
  const auto unknowns = rows.unknowns(equation);
  Residual result{pool.constant(0), {unknowns.begin(), unknowns.end()}, {}};
  if (at.table < system.equations.tables.size()) {
    const EquationTable& table = system.equations.tables[at.table];
    result.value = table.residual;
    const auto p = table.parameters_of(at.row);
    result.parameters.assign(p.begin(), p.end());
    return result;
  }
  const auto terms = system.equations.sums.terms_of(at.row);
  for (std::uint32_t i = 0; i < terms.size(); ++i)
    result.value = terms[i].negative() ? symbolic::sub(pool, result.value, pool.slot(i))
                                       : symbolic::add(pool, result.value, pool.slot(i));
  return result;
}

/// The k-th component of a vector of constraints in the axes of its rotation.
Residual component_of(system::System& system, RowValues& rows, const Kinematics& kinematics,
                      const VectorConstraint& vector, std::uint32_t k) {
  ExprPool& pool = system.exprs;
  Residual result{pool.constant(0), {}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Residual row = residual_of(system, rows, kinematics.constraints()[vector.constraints[i]]);
    const auto first_unknown = static_cast<std::uint32_t>(result.unknowns.size()),
               first_parameter = static_cast<std::uint32_t>(result.parameters.size());
    const ExprId shifted = symbolic::rewrite(pool, row.value, pool, [&](const Node& node) {
      if (node.op == Op::Slot) return pool.slot(first_unknown + node.a);
      if (node.op == Op::Param) return pool.param(first_parameter + node.a);
      return pool.intern(Node(node));
    });
    result.unknowns.insert(result.unknowns.end(), row.unknowns.begin(), row.unknowns.end());
    result.parameters.insert(result.parameters.end(), row.parameters.begin(), row.parameters.end());
    const ExprId axis = pool.slot(static_cast<std::uint32_t>(result.unknowns.size()));
    result.unknowns.push_back((*vector.rotation)[3 * i + k]);
    result.value = symbolic::add(pool, result.value, symbolic::mul(pool, axis, shifted));
  }
  return result;
}

/// The component in the axes of its connector: a column of the rotation, times the vector.
void add_zero(Equations& added, ExprPool& pool, const OpenForce& force, Origin origin) {
  if (!force.rotation) return add_row(added, pool.slot(0), {&force.unknown, 1}, {}, origin);
  std::array<std::uint32_t, 6> unknowns{};
  ExprId sum = pool.constant(0);
  for (std::uint32_t k = 0; k < 3; ++k) {
    unknowns[k] = (*force.rotation)[3 * k + force.component];
    unknowns[3 + k] = force.vector[k];
    sum = symbolic::add(pool, sum, symbolic::mul(pool, pool.slot(k), pool.slot(3 + k)));
  }
  add_row(added, sum, unknowns, {}, origin);
}

}  // namespace

void remove_redundant_constraints(system::System& system, std::span<const Origin> loops,
                                  std::span<const Rotation> turning, Diagnostics& diagnostics) {
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
  if (const auto other = kinematics.other(point))
    report_other_position(system, places_of(loops, kinematics, rows), *other, diagnostics);
  // The start may be a position of its own kind; constraints are redundant if they are so around it.
  if (const Kinematics::Point other = kinematics.near(point); other.found) point = other;
  const std::vector<VectorConstraint> vectors = vector_constraints(system, kinematics, rows, turning);
  std::vector<std::uint32_t> redundant = dependent(kinematics, point, vectors);
  if (redundant.empty() ||
      !std::ranges::all_of(redundant, [&](std::uint32_t c) { return kinematics.is_of_joints(c); }))
    return;
  std::vector<std::uint32_t> closing;
  for (const Origin loop : loops) closing.push_back(loop.instance);
  const std::vector<OpenForce> open = undetermined_forces(system, rows, kinematics, point, closing, turning);
  // Otherwise something else is wrong, which is reported where it is found.
  if (open.size() != redundant.size()) return;

  std::ranges::sort(redundant);
  const std::size_t before = system.equations.count();
  IdVector<EquationId, bool> removed(before, false);
  Equations added;
  ExprPool& pool = system.exprs;
  auto is_redundant = [&](std::uint32_t c) { return std::ranges::binary_search(redundant, c); };
  std::vector<std::pair<Residual, std::uint32_t>> holds;  // with their constraints
  std::vector<bool> of_vector(kinematics.constraints().size(), false);
  for (const VectorConstraint& v : vectors)
    for (const std::uint32_t c : v.constraints) of_vector[c] = true;
  for (const std::uint32_t c : redundant) {
    removed[EquationId{kinematics.constraints()[c]}] = true;
    if (!of_vector[c]) holds.emplace_back(residual_of(system, rows, kinematics.constraints()[c]), c);
  }
  for (const VectorConstraint& v : vectors) {
    if (std::ranges::none_of(v.constraints, is_redundant)) continue;
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t c = v.constraints[k], e = kinematics.constraints()[c];
      const Residual component = component_of(system, rows, kinematics, v, k);
      removed[EquationId{e}] = true;
      if (is_redundant(c))
        holds.emplace_back(component, c);
      else
        add_row(added, component.value, component.unknowns, component.parameters, rows.origin(e));
    }
  }
  for (std::size_t k = 0; k < holds.size(); ++k) {
    const auto& [residual, constraint] = holds[k];
    const Origin origin = rows.origin(kinematics.constraints()[constraint]);
    add_zero(added, pool, open[k], origin);
    // It must hold, although it is not among the equations.
    const ExprId condition = symbolic::binary(pool, Op::Less, symbolic::unary(pool, Op::Abs, residual.value),
                                              pool.constant(kHolds * std::min(1.0, size)));
    const auto source = static_cast<std::uint32_t>(system.sources.size());
    system.sources.push_back(
        {system::EquationKind::Assertion, system.sources[origin.source].span,
         local_name("the loop of joints is no longer closed: constraints that followed from the others "
                    "at the start do not any more")});
    add_row(system.assertions, condition, residual.unknowns, residual.parameters, {origin.instance, source});
  }
  const singularity::SourceNames names(system);
  const std::vector<Origin> closes = places_of(loops, kinematics, rows);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(closes, scope);
  std::string zero;
  constexpr std::size_t kNamed = 6;
  for (std::size_t k = 0; k < std::min(open.size(), kNamed); ++k)
    zero += fmt::format("{}`{}`", k ? ", " : "", names.name(open[k].unknown, scope));
  if (open.size() > kNamed) zero += fmt::format(" and {} more", open.size() - kNamed);
  auto& d = diagnostics.report(
      Code::RedundantLoop, places.empty() ? system.templates[0].span : places[0].span,
      redundant.size() == 1
          ? "one constraint of this loop of joints follows from the others"
          : fmt::format("{} constraints of these loops of joints follow from the others", redundant.size()));
  d.label("a loop closes here");
  const bool turned = std::ranges::any_of(open, [](const OpenForce& f) { return f.rotation.has_value(); });
  d.note(fmt::format("rigid bodies do not determine how the loop is strained inside: {} {} set to zero{}",
                     zero, open.size() == 1 ? "is" : "are", turned ? ", in the axes of their frames" : ""));
  d.help("the motion does not depend on it; forces and torques in the loop do, also those that sensors show");

  remove_equations(system.equations, removed);
  for (EquationTable& table : added.tables) system.equations.tables.push_back(std::move(table));
}

}  // namespace sigrel::reduce
