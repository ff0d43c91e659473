#include "compiler/reduce/mechanisms/redundant_constraints.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "compiler/graph/signed_union_find.h"
#include "compiler/reduce/equation_rows.h"
#include "compiler/reduce/mechanisms/assemble_loops.h"
#include "compiler/reduce/mechanisms/configuration.h"
#include "compiler/reduce/mechanisms/kinematics.h"
#include "compiler/reduce/mechanisms/rank.h"
#include "compiler/reduce/mechanisms/statics.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

/// Largest residual of a removed constraint during a run, in its unit.
constexpr double kHolds = 1e-4;

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

/// By instance: whether another one, that is no part of it and that it is no part of, has the same frames, or
/// the part is between a frame and itself.
std::vector<bool> parallel_parts(const system::System& system, const Kinematics& kinematics) {
  std::vector<std::vector<std::uint32_t>> poses(system.instances.size());  // by instance, in ascending order
  std::map<std::vector<std::uint32_t>, std::uint32_t> parts;               // with these: their number
  for (std::uint32_t i = 0; i < system.instances.size(); ++i) {
    const system::Instance& instance = system.instances[i];
    const std::size_t size = system.templates[instance.body].interface.size();
    for (const std::uint32_t u : std::span(system.arguments).subspan(instance.first_argument, size))
      if (kinematics.is_pose(u)) poses[i].push_back(u);
    std::ranges::sort(poses[i]);
    if (i == system::kRoot || poses[instance.parent] != poses[i]) ++parts[poses[i]];
  }
  std::vector<bool> result;
  for (const auto& own : poses)
    result.push_back(!own.empty() && (parts[own] > 1 || std::ranges::adjacent_find(own) != own.end()));
  return result;
}

/// Constraints that follow from the others at this point; those of a vector are its components in the axes of
/// its rotation.
std::vector<std::uint32_t> dependent(Kinematics& kinematics, const Configuration& point,
                                     std::span<const VectorConstraint> vectors) {
  const auto constraints = static_cast<std::uint32_t>(kinematics.constraints().size());
  std::vector<const VectorConstraint*> vector_of(constraints, nullptr);
  for (const VectorConstraint& v : vectors)
    for (const std::uint32_t c : v.constraints) vector_of[c] = &v;
  std::vector<MatrixEntry> transposed;
  std::vector<double> largest(constraints, 0.0);
  const std::vector<MatrixEntry> jacobian = kinematics.jacobian(point.values, Kinematics::Rows::Constraints);
  for (const MatrixEntry& e : jacobian) {
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
  // Constraints of joints follow from others rather than the other way round.
  for (MatrixEntry& e : transposed)
    if (!kinematics.is_of_joints(e.column)) e.value /= largest[e.column];
  std::vector<Preference> preferences(constraints, Preference::None);
  for (std::uint32_t c = 0; c < constraints; ++c)
    if (!kinematics.is_of_joints(c)) preferences[c] = Preference::Independent;
  return dependent_columns(transposed, static_cast<std::uint32_t>(kinematics.coordinates().size()),
                           constraints, preferences);
}

/// Whether the joints of a loop with redundant constraints, which nothing drives, leave no movement: as many
/// constraints are left as it has coordinates.
bool is_locked(Kinematics& kinematics, const Configuration& point, std::span<const std::uint32_t> redundant) {
  const auto columns = static_cast<std::uint32_t>(kinematics.coordinates().size());
  const auto rows = static_cast<std::uint32_t>(kinematics.constraints().size());
  graph::SignedUnionFind parts(columns + rows);  // the coordinates, then the constraints
  for (const MatrixEntry& e : kinematics.jacobian(point.values, Kinematics::Rows::Constraints))
    parts.unite(e.column, columns + e.row, false);
  std::vector<std::uint32_t> coordinates(columns + rows, 0), constraints = coordinates;  // by part
  std::vector<bool> is_driven(columns + rows, false);
  for (std::uint32_t k = 0; k < columns; ++k) ++coordinates[parts.find(k).root];
  for (std::uint32_t c = 0; c < rows; ++c) ++constraints[parts.find(columns + c).root];
  for (const std::uint32_t c : redundant) --constraints[parts.find(columns + c).root];
  const std::vector<bool> driven = kinematics.depend_on_time();
  for (std::uint32_t c = 0; c < rows; ++c)
    if (driven[c]) is_driven[parts.find(columns + c).root] = true;
  return std::ranges::any_of(redundant, [&](std::uint32_t c) {
    const std::uint32_t part = parts.find(columns + c).root;
    return coordinates[part] > 0 && coordinates[part] <= constraints[part] && !is_driven[part];
  });
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

void report_redundant(const system::System& system, const std::vector<Origin>& closing,
                      std::span<const OpenForce> open, bool locked, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
  const std::uint32_t scope = system::kRoot;
  const auto places = names.places(closing, scope);
  std::string zero;
  constexpr std::size_t kNamed = 6;
  for (std::size_t k = 0; k < std::min(open.size(), kNamed); ++k)
    zero += fmt::format("{}`{}`", k ? ", " : "", names.name(open[k].unknown, scope));
  if (open.size() > kNamed) zero += fmt::format(" and {} more", open.size() - kNamed);
  auto& d = diagnostics.report(
      Code::RedundantLoop, places.empty() ? system.templates[0].span : places[0].span,
      open.size() == 1
          ? "one constraint of this loop of joints follows from the others"
          : fmt::format("{} constraints of these loops of joints follow from the others", open.size()));
  d.label("a loop closes here");
  const auto turned = static_cast<std::size_t>(
      std::ranges::count_if(open, [](const OpenForce& f) { return f.rotation.has_value(); }));
  d.note(fmt::format("rigid bodies do not determine how the loop is strained inside: {} {} set to zero{}",
                     zero, open.size() == 1 ? "is" : "are",
                     turned == 0             ? ""
                     : turned == open.size() ? ", in the axes of their frames"
                                             : ", those of frames that turn in the axes of these"));
  if (locked)
    d.note(
        "the joints of such a loop leave no movement at this position: it is as rigid as one body. If it is "
        "meant to move, look at the axes of its joints");
  d.help("the motion does not depend on it; forces and torques in the loop do, also those that sensors show");
}

/// Those of them that depend on the others at `point` and near it.
void remove_redundant_constraints(system::System& system, RowValues& rows, Kinematics& kinematics,
                                  const Configuration& point, std::span<const Origin> loops,
                                  std::span<const Rotation> turning, Diagnostics& diagnostics) {
  const std::vector<VectorConstraint> vectors = vector_constraints(system, kinematics, rows, turning);
  std::vector<std::uint32_t> redundant = dependent(kinematics, point, vectors);
  // Two joints between the same frames are a mistake, and no loop.
  if (redundant.empty() ||
      !std::ranges::all_of(redundant, [&](std::uint32_t c) { return kinematics.is_of_joints(c); }))
    return;
  const std::vector<bool> is_bond = kinematics.bind_coordinates();
  std::vector<std::uint32_t> without_coordinates;
  std::ranges::copy_if(redundant, std::back_inserter(without_coordinates),
                       [&](std::uint32_t c) { return !is_bond[c]; });
  if (!without_coordinates.empty()) {
    const std::vector<bool> is_parallel = parallel_parts(system, kinematics);
    if (std::ranges::any_of(without_coordinates, [&](std::uint32_t c) {
          return is_parallel[rows.origin(kinematics.constraints()[c]).instance];
        }))
      return;
  }
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
    // It must hold, although it is not among the equations. The bound is a parameter: as a number it would
    // give each copy of a mechanism an equation of its own shape.
    std::vector<std::uint32_t> parameters = residual.parameters;
    const ExprId bound = pool.param(static_cast<std::uint32_t>(parameters.size()));
    parameters.push_back(static_cast<std::uint32_t>(system.parameters.size()));
    system.parameters.push_back({.value = kHolds * kinematics.unit_of(constraint)});
    const ExprId condition =
        symbolic::binary(pool, Op::Less, symbolic::unary(pool, Op::Abs, residual.value), bound);
    const auto source = static_cast<std::uint32_t>(system.sources.size());
    system.sources.push_back(
        {system::EquationKind::Assertion, system.sources[origin.source].span,
         local_name("the loop of joints is no longer closed: constraints that followed from the others "
                    "at the start do not any more")});
    add_row(system.assertions, condition, residual.unknowns, parameters, {origin.instance, source});
  }
  report_redundant(system, closing_origins(loops, kinematics, rows), open,
                   is_locked(kinematics, point, redundant), diagnostics);
  remove_equations(system.equations, removed);
  for (EquationTable& table : added.tables) system.equations.tables.push_back(std::move(table));
}

}  // namespace

std::shared_ptr<const Reassembly> remove_redundant_constraints(system::System& system, double start_time,
                                                               std::span<const Origin> loops,
                                                               std::span<const Rotation> turning,
                                                               Diagnostics& diagnostics) {
  RowValues rows(system, system.equations, start_time);
  Kinematics kinematics(system, rows);
  if (kinematics.constraints().empty()) return nullptr;
  std::shared_ptr<const Reassembly> reassembly;
  if (has_changeable_parameters(system))
    reassembly = std::make_shared<Reassembly>(system, start_time, std::vector(loops.begin(), loops.end()));
  if (const auto assembly = assemble_loops(system, rows, kinematics, loops, diagnostics))
    remove_redundant_constraints(system, rows, kinematics, *assembly, loops, turning, diagnostics);
  return reassembly;
}

}  // namespace sigrel::reduce
