#include "compiler/reduce/mechanisms/rotation_edges.h"

#include <algorithm>
#include <unordered_map>

#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

/// The slots and parameters of several equations in one numbering.
class Joined {
 public:
  Joined(const ExprPool& from, ExprPool& pool, RotationEdge& edge) : from_(from), pool_(pool), edge_(edge) {}

  /// The residual of a row; nullopt if it contains a derivative.
  std::optional<ExprId> table_row(const EquationTable& table, std::size_t row) {
    const auto unknowns = table.unknowns_of(row), parameters = table.parameters_of(row);
    bool differentiated = false;
    const ExprId result = symbolic::rewrite(from_, table.residual, pool_, [&](const Node& node) {
      if (node.op == Op::Slot) return pool_.slot(place(edge_.unknowns, unknowns[node.a]));
      if (node.op == Op::Param) return pool_.param(place(edge_.parameters, parameters[node.a]));
      differentiated |= node.op == Op::Der;
      return pool_.intern(Node(node));
    });
    return differentiated ? std::nullopt : std::optional(result);
  }
  ExprId sum(std::span<const Term> terms) {
    ExprId result = pool_.constant(0);
    for (const Term& term : terms) {
      const ExprId slot = pool_.slot(place(edge_.unknowns, term.unknown()));
      result = term.negative() ? symbolic::sub(pool_, result, slot) : symbolic::add(pool_, result, slot);
    }
    return result;
  }

 private:
  static std::uint32_t place(std::vector<std::uint32_t>& list, std::uint32_t item) {
    const auto place = static_cast<std::uint32_t>(std::ranges::find(list, item) - list.begin());
    if (place == list.size()) list.push_back(item);
    return place;
  }
  const ExprPool& from_;
  ExprPool& pool_;
  RotationEdge& edge_;
};

/// What stands on the left, from the form `to = from * turn`: a row of `from` occurs in the row of `to` only.
void find_from(const ExprPool& pool, RotationEdge& edge) {
  std::array<std::vector<std::uint32_t>, 3> rows;
  for (std::uint32_t i = 0; i < 9; ++i)
    for (const ExprId id : topological(pool, {&edge.residuals[i], 1}))
      if (const Node& node = pool[id]; node.op == Op::Slot)
        if (const std::uint32_t u = edge.unknowns[node.a]; std::ranges::find(edge.to, u) == edge.to.end())
          rows[i / 3].push_back(u);
  for (std::vector<std::uint32_t>& row : rows) {
    std::ranges::sort(row);
    row.erase(std::ranges::unique(row).begin(), row.end());
  }
  Rotation from{};
  bool complete = true;
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<std::uint32_t> own;
    for (const std::uint32_t u : rows[i])
      if (!std::ranges::binary_search(rows[(i + 1) % 3], u) &&
          !std::ranges::binary_search(rows[(i + 2) % 3], u))
        own.push_back(u);
    complete &= own.size() == 3;
    if (own.size() == 3) std::ranges::copy(own, from.begin() + static_cast<std::ptrdiff_t>(3 * i));
  }
  if (complete) edge.from = from;
  edge.free = edge.unknowns.size() - (complete ? 18 : 9);
}

/// Whether the rotation that it gives is the only one in it, on both sides: `a.rot = a.rot * turn`.
bool is_to_itself(ExprPool& pool, const RotationEdge& edge) {
  return std::ranges::all_of(edge.residuals, [&](ExprId residual) {
    const ExprId without = symbolic::rewrite(pool, residual, pool, [&](const Node& n) {
      const bool of_rotation =
          n.op == Op::Slot && std::ranges::find(edge.to, edge.unknowns[n.a]) != edge.to.end();
      return of_rotation ? pool.constant(0) : pool.intern(Node(n));
    });
    return symbolic::is_constant(pool, without, 0);
  });
}

}  // namespace

std::vector<RotationEdge> rotation_edges(const system::System& system, ExprPool& pool) {
  struct Place {
    std::uint32_t edge = 0, element = 0;
  };
  std::vector<RotationEdge> edges;
  std::unordered_map<std::uint64_t, Place> places;
  for (std::uint32_t i = 0; i < system.instances.size(); ++i) {
    const system::Instance& instance = system.instances[i];
    const system::Template& body = system.templates[instance.body];
    for (const system::RotationEquation& equation : body.rotations) {
      RotationEdge edge{};
      edge.rows.fill(EquationId{});
      edge.origin = {i, equation.sources[0]};
      edge.sources = equation.sources;
      for (std::uint32_t k = 0; k < 9; ++k) {
        const std::uint32_t column = equation.columns[k];
        const auto interface = static_cast<std::uint32_t>(body.interface.size());
        edge.to[k] = column < interface ? system.arguments[instance.first_argument + column]
                                        : instance.first_unknown + column - interface;
        places.emplace(key({i, equation.sources[k]}), Place{static_cast<std::uint32_t>(edges.size()), k});
      }
      edges.push_back(edge);
    }
  }
  if (edges.empty()) return edges;

  std::vector<std::uint16_t> found(edges.size(), 0);  // a bit for each element
  auto note = [&](Origin origin, std::uint32_t equation, auto&& residual) {
    const auto at = places.find(key(origin));
    if (at == places.end()) return;
    const auto [edge, element] = at->second;
    edges[edge].rows[element] = EquationId{equation};
    if (const std::optional<ExprId> r = residual(edges[edge])) {
      edges[edge].residuals[element] = *r;
      found[edge] = static_cast<std::uint16_t>(found[edge] ^ (1u << element));
    }
  };
  std::uint32_t next = 0;
  for (const EquationTable& table : system.equations.tables) {
    Origins::InOrder origins(table.origins);
    for (std::size_t row = 0; row < table.rows(); ++row)
      note(origins[row], next++,
           [&](RotationEdge& e) { return Joined(system.exprs, pool, e).table_row(table, row); });
  }
  const SumTable& sums = system.equations.sums;
  Origins::InOrder origins(sums.origins);
  for (std::size_t row = 0; row < sums.rows(); ++row)
    note(origins[row], next++, [&](RotationEdge& e) {
      return std::optional(Joined(system.exprs, pool, e).sum(sums.terms_of(row)));
    });

  std::vector<RotationEdge> result;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (found[e] != (1u << 9) - 1) continue;
    find_from(pool, edges[e]);
    if (!edges[e].from && is_to_itself(pool, edges[e])) edges[e].from = edges[e].to;
    result.push_back(std::move(edges[e]));
  }
  return result;
}

}  // namespace sigrel::reduce
