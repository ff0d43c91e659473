#include "compiler/reduce/mechanisms/close_loops.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "compiler/reduce/equation_rows.h"
#include "compiler/reduce/mechanisms/redundant_constraints.h"
#include "compiler/reduce/mechanisms/rotation_edges.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kWorld = 0;  // vertex
constexpr double kNotSingular = 1e-6;

/// Adds rows over the unknowns and parameters of an edge.
class NewRows {
 public:
  explicit NewRows(system::System& system) : system_(system) {}

  void add(Equations& equations, ExprId residual, const RotationEdge& edge, Origin origin) {
    ExprPool& pool = system_.exprs;
    std::vector<std::uint32_t> unknowns, parameters;
    std::unordered_map<std::uint32_t, std::uint32_t> slots, params;
    auto place = [](auto& places, std::vector<std::uint32_t>& list, std::uint32_t index, std::uint32_t item) {
      const auto [at, fresh] = places.try_emplace(index, static_cast<std::uint32_t>(list.size()));
      if (fresh) list.push_back(item);
      return at->second;
    };
    const ExprId shape = symbolic::rewrite(pool, residual, pool, [&](const Node& node) {
      if (node.op == Op::Slot) return pool.slot(place(slots, unknowns, node.a, edge.unknowns[node.a]));
      if (node.op == Op::Param) return pool.param(place(params, parameters, node.a, edge.parameters[node.a]));
      return pool.intern(Node(node));
    });
    add_row(equations, shape, unknowns, parameters, origin);
  }

 private:
  system::System& system_;
};

class Forest {
 public:
  Forest(system::System& system, std::vector<RotationEdge> edges)
      : system_(system), pool_(system.exprs), edges_(std::move(edges)), rows_(system) {
    ends_.resize(edges_.size());
    for (std::size_t e = 0; e < edges_.size(); ++e)
      ends_[e] = {edges_[e].from ? vertex((*edges_[e].from)[0]) : kWorld, vertex(edges_[e].to[0])};
  }

  /// The edges that close loops.
  std::vector<std::uint32_t> span() {
    // Joints with few coordinates belong to the forest: then the loop determines those with many.
    std::vector<std::uint32_t> order(edges_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t e) { return edges_[e].free; });
    std::vector<std::uint32_t> parent(vertices_.size() + 1);
    std::iota(parent.begin(), parent.end(), 0u);
    auto root = [&](std::uint32_t v) {
      while (parent[v] != v) v = parent[v] = parent[parent[v]];
      return v;
    };
    std::vector<std::uint32_t> closing;
    neighbours_.assign(vertices_.size() + 1, {});
    for (const std::uint32_t e : order) {
      const auto [from, to] = ends_[e];
      const std::uint32_t a = root(from), b = root(to);
      if (a == b) {
        (from == to ? to_itself_ : closing).push_back(e);
        continue;
      }
      parent[a] = b;
      neighbours_[from].push_back(e);
      neighbours_[to].push_back(e);
    }
    std::ranges::sort(closing);
    return closing;
  }

  /// The edges from a frame to itself, which `span` finds as well.
  std::span<const std::uint32_t> to_itself() const { return to_itself_; }

  /// Lets the equations of the forest determine rotations from the world outwards.
  void direct(IdVector<EquationId, bool>& removed) {
    std::vector<bool> seen(vertices_.size() + 1, false);
    std::vector<std::uint32_t> queue{kWorld};
    branch_.assign(vertices_.size() + 1, kWorld);
    seen[kWorld] = true;
    for (std::size_t k = 0; k < queue.size(); ++k)
      for (const std::uint32_t e : neighbours_[queue[k]]) {
        const auto [from, to] = ends_[e];
        const std::uint32_t next = from == queue[k] ? to : from;
        if (seen[next]) continue;
        seen[next] = true;
        queue.push_back(next);
        const bool is_rotating = branch_[queue[k]] != kWorld || edges_[e].free > 0;
        branch_[next] = branch_[queue[k]] != kWorld ? branch_[queue[k]] : is_rotating ? next : kWorld;
        if (next == from) invert(edges_[e], removed);
      }
  }

  /// The rotations of frames that turn, if there is a loop in which all frames turn.
  std::vector<Rotation> axes_of_loops(std::span<const std::uint32_t> closing) const {
    const bool moves = std::ranges::any_of(closing, [&](std::uint32_t e) {
      const auto [from, to] = ends_[e];
      return branch_[from] != kWorld && branch_[from] == branch_[to];
    });
    std::vector<Rotation> result;
    for (std::size_t e = 0; e < edges_.size() && moves; ++e)
      if (branch_[ends_[e].second] != kWorld) result.push_back(edges_[e].to);
    return result;
  }

  /// The rotation that the equations of an edge give, without its sign in them.
  Matrix given(const RotationEdge& edge) {
    Matrix result;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::uint32_t slot = edge.slot_of(edge.to[k]);
      const ExprId r = edge.residuals[k], c = symbolic::partial(pool_, r, slot);
      // residual = c (to - given), with c = 1 or -1
      const ExprId scaled = symbolic::mul(pool_, c, r);
      result[k] = symbolic::rewrite(pool_, symbolic::neg(pool_, scaled), pool_, [&](const Node& n) {
        return n.op == Op::Slot && n.a == slot ? pool_.constant(0) : pool_.intern(Node(n));
      });
    }
    return result;
  }

  void close(const RotationEdge& edge, IdVector<EquationId, bool>& removed) {
    for (const EquationId row : edge.rows) removed[row] = true;
    const Matrix given = this->given(edge);
    auto to = [&](std::size_t i, std::size_t j) { return pool_.slot(edge.slot_of(edge.to[3 * i + j])); };
    auto product = [&](std::size_t p, std::size_t q) {  // of `given` and the transpose of `to`
      ExprId sum = pool_.constant(0);
      for (std::size_t j = 0; j < 3; ++j)
        sum = symbolic::add(pool_, sum, symbolic::mul(pool_, given[3 * p + j], to(q, j)));
      return sum;
    };
    const ExprId trace =
        symbolic::add(pool_, symbolic::add(pool_, product(0, 0), product(1, 1)), product(2, 2));
    // Of a rotation by t about the axis e the antisymmetric part is sin t e, and this is tan (t / 2) e: it
    // grows up to nearly half a turn, so that Newton's method is led to t = 0.
    const ExprId scale = symbolic::add(pool_, pool_.constant(1 + kNotSingular), trace);
    for (const auto& [p, q, k] : {std::array<std::size_t, 3>{1, 2, 0}, {2, 0, 4}, {0, 1, 8}}) {
      const Origin origin{edge.origin.instance, edge.sources[k]};
      const ExprId residual = symbolic::div(pool_, symbolic::sub(pool_, product(p, q), product(q, p)), scale);
      rows_.add(system_.equations, residual, edge, origin);
    }
    // Half a turn itself satisfies the three equations, too, because the divisor is not zero there.
    const ExprId condition = symbolic::binary(pool_, Op::Less, pool_.constant(0), trace);
    rows_.add(system_.assertions, condition, edge, {edge.origin.instance, half_turn_source(edge.origin)});
  }

  const RotationEdge& edge(std::uint32_t e) const { return edges_[e]; }

 private:
  std::uint32_t vertex(std::uint32_t first_unknown) {
    return vertices_.try_emplace(first_unknown, static_cast<std::uint32_t>(vertices_.size()) + 1)
        .first->second;
  }
  std::uint32_t half_turn_source(Origin of) {
    const auto [at, fresh] =
        half_turns_.try_emplace(of.source, static_cast<std::uint32_t>(system_.sources.size()));
    if (fresh)
      system_.sources.push_back(
          {system::EquationKind::Assertion, system_.sources[of.source].span,
           local_name("the loop of joints closes with half a turn too much: start from other "
                      "angles, or add guesses for them")});
    return at->second;
  }

  // to = from * T becomes from = to * transpose of T.
  void invert(const RotationEdge& edge, IdVector<EquationId, bool>& removed) {
    const Matrix given = this->given(edge);
    Matrix relative;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t j = 0; j < 3; ++j)
        relative[3 * k + j] = symbolic::partial(pool_, given[j], edge.slot_of((*edge.from)[k]));
    for (const EquationId row : edge.rows) removed[row] = true;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        ExprId sum = pool_.constant(0);
        for (std::size_t j = 0; j < 3; ++j)
          sum = symbolic::add(
              pool_, sum,
              symbolic::mul(pool_, relative[3 * k + j], pool_.slot(edge.slot_of(edge.to[3 * i + j]))));
        const ExprId from = pool_.slot(edge.slot_of((*edge.from)[3 * i + k]));
        rows_.add(system_.equations, symbolic::sub(pool_, from, sum), edge,
                  {edge.origin.instance, edge.sources[3 * i + k]});
      }
  }

  system::System& system_;
  ExprPool& pool_;
  std::vector<RotationEdge> edges_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ends_;
  std::unordered_map<std::uint32_t, std::uint32_t> vertices_;  // of the first unknown of a rotation
  std::vector<std::uint32_t> to_itself_;
  std::vector<std::vector<std::uint32_t>> neighbours_;  // edges of the forest, of each vertex
  std::vector<std::uint32_t> branch_;  // of each vertex: the first one on its way from the world that turns
  std::unordered_map<std::uint32_t, std::uint32_t> half_turns_;
  NewRows rows_;
};

/// Joints, and other parts between two frames, of which both ends are one frame.
void report_to_itself(const system::System& system, const Forest& forest, Diagnostics& diagnostics) {
  const singularity::SourceNames names(system);
  std::set<Span> reported;
  for (const std::uint32_t e : forest.to_itself()) {
    const RotationEdge& edge = forest.edge(e);
    const Span place = names.use_in_model(edge.origin).value_or(system.sources[edge.origin.source].span);
    if (!reported.insert(place).second) continue;
    const std::uint32_t instance = names.instance_in_model(edge.origin);
    std::string frame = names.name(edge.to[0], system.instances[instance].parent);
    frame.resize(std::min(frame.size(), frame.rfind('.')));
    const std::string part =
        instance == system::kRoot ? "a part" : "`" + system::instance_name(system, instance) + "`";
    diagnostics
        .report(Code::LoopNotClosed, place, fmt::format("both ends of {} are the frame `{}`", part, frame))
        .help("connect one of them to the frame of another body");
  }
}

}  // namespace

ClosedLoops close_loops(system::System& system, double start_time, Diagnostics& diagnostics) {
  std::vector<RotationEdge> edges = rotation_edges(system, system.exprs);
  if (edges.empty()) {  // in the plane angles add up
    if (std::ranges::any_of(system.templates, [](const system::Template& t) { return !t.poses.empty(); }))
      return {{}, remove_redundant_constraints(system, start_time, {}, {}, diagnostics)};
    return {};
  }
  const std::size_t before = system.equations.count();
  Forest forest(system, std::move(edges));
  const std::vector<std::uint32_t> closing = forest.span();
  report_to_itself(system, forest, diagnostics);
  if (!forest.to_itself().empty()) return {};
  // New tables come before the sums, so what is removed is removed at once, by its number before.
  IdVector<EquationId, bool> removed(before, false);
  Equations old = std::exchange(system.equations, {});
  forest.direct(removed);
  for (const std::uint32_t e : closing) forest.close(forest.edge(e), removed);
  remove_equations(old, removed);
  for (EquationTable& table : system.equations.tables) old.tables.push_back(std::move(table));
  system.equations = std::move(old);
  std::vector<Origin> loops;
  for (const std::uint32_t e : closing) loops.push_back(forest.edge(e).origin);
  auto reassembly =
      remove_redundant_constraints(system, start_time, loops, forest.axes_of_loops(closing), diagnostics);
  std::set<Span> around;
  for (const Origin loop : loops)
    for (std::uint32_t i = loop.instance; i != system::kRoot;) {
      i = system.instances[i].parent;
      around.insert(system.templates[system.instances[i].body].span);
    }
  return {{around.begin(), around.end()}, std::move(reassembly)};
}

}  // namespace sigrel::reduce
