#include "compiler/reduce/mechanisms/statics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/reduce/mechanisms/rank.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// The balance equations, and what else contains forces and torques.
struct ForceGraph {
  std::vector<bool> is_force;            // of unknowns
  std::vector<std::uint32_t> equations;  // that contain one
};

ForceGraph force_graph(system::System& system, RowValues& rows, const Kinematics& kinematics) {
  ForceGraph graph;
  const auto count = static_cast<std::uint32_t>(rows.rows().size());
  std::vector<bool> is_state(system.unknowns, false), taken(count, false);
  std::vector<std::vector<std::uint32_t>> all(system.unknowns);
  for (std::uint32_t e = 0; e < count; ++e) {
    const auto unknowns = rows.unknowns(e);
    for (std::size_t k = 0; k < unknowns.size(); ++k) {
      all[unknowns[k]].push_back(e);
      if (rows.has_derivative(e, k)) is_state[unknowns[k]] = true;
    }
  }
  graph.is_force.assign(system.unknowns, false);
  std::vector<std::uint32_t> queue;
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    if (kinematics.is_flow(u) && !is_state[u] && !kinematics.is_known(u)) {
      graph.is_force[u] = true;
      queue.push_back(u);
    }
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (const std::uint32_t e : all[queue[k]]) {
      if (!taken[e]) {
        taken[e] = true;
        graph.equations.push_back(e);
        for (const std::uint32_t u : rows.unknowns(e)) {
          if (graph.is_force[u] || is_state[u] || kinematics.is_known(u)) continue;
          graph.is_force[u] = true;
          queue.push_back(u);
        }
      }
    }
  return graph;
}

/// The forces and torques of connectors that turn. Such a connector has the potentials of a rotation, and
/// then its flows, three for each vector.
class TurningVectors {
 public:
  TurningVectors(const system::System& system, const Kinematics& kinematics,
                 std::span<const Rotation> turning)
      : vector_of_(system.unknowns, kNone) {
    const auto rotations = known_rotations(kinematics, turning);
    for (const system::Instance& instance : system.instances) {
      const system::Template& body = system.templates[instance.body];
      const auto unknowns =
          std::span(system.arguments).subspan(instance.first_argument, body.interface.size());
      const Rotation* rotation = nullptr;  // of the connector
      for (std::size_t c = 0; c < unknowns.size();) {
        if (!std::ranges::binary_search(body.flows, static_cast<std::uint32_t>(c))) {
          const auto found = rotations.find(unknowns[c]);
          const bool whole = found != rotations.end() && c + 9 <= unknowns.size() &&
                             std::ranges::equal(*found->second, unknowns.subspan(c, 9));
          rotation = whole ? found->second : nullptr;
          c += whole ? 9 : 1;
          continue;
        }
        const std::size_t begin = c;
        while (c < unknowns.size() && std::ranges::binary_search(body.flows, static_cast<std::uint32_t>(c)))
          ++c;
        if (rotation && (c - begin) % 3 == 0)
          for (std::size_t at = begin; at < c; at += 3) add(unknowns.subspan(at, 3), *rotation);
        rotation = nullptr;
      }
    }
  }

  /// A component of a vector, or just this unknown.
  OpenForce component(std::uint32_t unknown) const {
    if (vector_of_[unknown] == kNone) return {.unknown = unknown};
    OpenForce result = vectors_[vector_of_[unknown]];
    result.unknown = unknown;
    result.component =
        static_cast<std::uint32_t>(std::ranges::find(result.vector, unknown) - result.vector.begin());
    return result;
  }

 private:
  void add(std::span<const std::uint32_t> vector, const Rotation& rotation) {
    if (std::ranges::any_of(vector, [&](std::uint32_t u) { return vector_of_[u] != kNone; })) return;
    OpenForce added{.rotation = rotation};
    std::ranges::copy(vector, added.vector.begin());
    for (const std::uint32_t u : vector) vector_of_[u] = static_cast<std::uint32_t>(vectors_.size());
    vectors_.push_back(added);
  }

  std::vector<std::uint32_t> vector_of_;  // of unknowns: in `vectors_`
  std::vector<OpenForce> vectors_;
};

struct Coefficient {
  std::uint32_t unknown = 0;
  double value = 0;
};

/// Of the forces in one equation. An unknown that is a component of a turning vector stands for the component
/// in the axes of its connector. Torques are in units of a force at the length of the mechanism.
std::vector<Coefficient> coefficients_of(RowValues& rows, std::uint32_t equation, const ForceGraph& graph,
                                         const TurningVectors& vectors, const Kinematics& kinematics,
                                         const Configuration& point) {
  std::vector<double> gradient;
  rows.evaluate(equation, point.values, gradient);
  const auto unknowns = rows.unknowns(equation);
  std::vector<Coefficient> result;
  auto add = [&](std::uint32_t unknown, double value) {
    const auto at = std::ranges::find(result, unknown, &Coefficient::unknown);
    at == result.end() ? result.push_back({unknown, value}) : void(at->value += value);
  };
  double largest = 0;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (!graph.is_force[unknowns[i]]) continue;
    if (kinematics.is_torque(unknowns[i])) gradient[i] *= kinematics.length();
    largest = std::max(largest, std::abs(gradient[i]));
    const OpenForce force = vectors.component(unknowns[i]);
    if (!force.rotation) add(unknowns[i], gradient[i]);
    for (std::size_t k = 0; k < 3 && force.rotation; ++k)
      add(force.vector[k], gradient[i] * point.values[(*force.rotation)[3 * force.component + k]]);
  }
  std::erase_if(result, [&](const Coefficient& c) { return !(std::abs(c.value) > 1e-12 * largest); });
  for (Coefficient& c : result) c.value /= largest;
  return result;
}

}  // namespace

std::unordered_map<std::uint32_t, const Rotation*> known_rotations(const Kinematics& kinematics,
                                                                   std::span<const Rotation> rotations) {
  std::unordered_map<std::uint32_t, const Rotation*> result;
  for (const Rotation& rotation : rotations)
    if (std::ranges::all_of(rotation, [&](std::uint32_t u) { return kinematics.is_known(u); }))
      result.emplace(rotation[0], &rotation);
  return result;
}

std::vector<OpenForce> undetermined_forces(system::System& system, RowValues& rows,
                                           const Kinematics& kinematics, const Configuration& point,
                                           std::span<const std::uint32_t> closing,
                                           std::span<const Rotation> turning) {
  const ForceGraph graph = force_graph(system, rows, kinematics);
  const TurningVectors vectors(system, kinematics, turning);
  const auto equations = static_cast<std::uint32_t>(graph.equations.size());
  std::vector<std::vector<Coefficient>> coefficients(equations);
  std::vector<std::vector<std::uint32_t>> of_unknown(system.unknowns);
  for (std::uint32_t k = 0; k < equations; ++k) {
    coefficients[k] = coefficients_of(rows, graph.equations[k], graph, vectors, kinematics, point);
    for (const Coefficient& c : coefficients[k]) of_unknown[c.unknown].push_back(k);
  }

  std::vector<bool> closes(system.unknowns, false);  // forces of joints where loops close
  for (const std::uint32_t instance : closing) {
    const system::Instance& i = system.instances[instance];
    const system::Template& body = system.templates[i.body];
    for (const std::uint32_t c : body.flows)
      if (c < body.interface.size()) closes[system.arguments[i.first_argument + c]] = true;
  }

  // An equation with one force left determines it; a force in one equation only is what that equation is for.
  // What then remains is in loops. Forces that close them remain: these are to be chosen from.
  std::vector<bool> row_done(equations, false), done(system.unknowns, false);
  std::vector<std::uint32_t> in_row(equations, 0), in_rows(system.unknowns, 0), ready_rows, ready;
  for (std::uint32_t k = 0; k < equations; ++k) {
    in_row[k] = static_cast<std::uint32_t>(coefficients[k].size());
    if (in_row[k] == 1) ready_rows.push_back(k);
  }
  for (std::uint32_t u = 0; u < system.unknowns; ++u) {
    in_rows[u] = static_cast<std::uint32_t>(of_unknown[u].size());
    if (graph.is_force[u] && in_rows[u] == 1 && !closes[u]) ready.push_back(u);
  }
  auto finish_row = [&](std::uint32_t k) {
    row_done[k] = true;
    for (const Coefficient& c : coefficients[k])
      if (!done[c.unknown] && --in_rows[c.unknown] == 1 && !closes[c.unknown]) ready.push_back(c.unknown);
  };
  auto finish = [&](std::uint32_t u) {
    done[u] = true;
    for (const std::uint32_t k : of_unknown[u])
      if (!row_done[k] && --in_row[k] == 1) ready_rows.push_back(k);
  };
  while (!ready_rows.empty() || !ready.empty()) {
    if (!ready_rows.empty()) {
      const std::uint32_t k = ready_rows.back();
      ready_rows.pop_back();
      if (row_done[k] || in_row[k] != 1) continue;
      const auto left =
          std::ranges::find_if(coefficients[k], [&](const Coefficient& c) { return !done[c.unknown]; });
      finish_row(k);
      finish(left->unknown);
    } else {
      const std::uint32_t u = ready.back();
      ready.pop_back();
      if (done[u] || in_rows[u] != 1) continue;
      const auto row = std::ranges::find_if(of_unknown[u], [&](std::uint32_t k) { return !row_done[k]; });
      finish(u);
      finish_row(*row);
    }
  }

  std::vector<std::uint32_t> columns, column_of(system.unknowns, kNone);
  std::vector<MatrixEntry> entries;
  std::uint32_t count = 0;
  for (std::uint32_t u = 0; u < system.unknowns; ++u)
    if (graph.is_force[u] && !done[u]) {
      column_of[u] = static_cast<std::uint32_t>(columns.size());
      columns.push_back(u);
    }
  for (std::uint32_t k = 0; k < equations; ++k) {
    if (row_done[k]) continue;
    for (const Coefficient& c : coefficients[k])
      if (!done[c.unknown]) entries.push_back({count, column_of[c.unknown], c.value});
    ++count;
  }
  std::vector<Preference> preferences(columns.size(), Preference::None);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (closes[columns[k]]) preferences[k] = Preference::Dependent;
  std::vector<OpenForce> result;
  for (const std::uint32_t c :
       dependent_columns(entries, count, static_cast<std::uint32_t>(columns.size()), preferences))
    result.push_back(vectors.component(columns[c]));
  return result;
}

}  // namespace sigrel::reduce
