#include "compiler/reduce/zero_crossings.h"

#include <algorithm>
#include <map>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

bool is_comparison(const Node& node) {
  return (node.op == Op::Less || node.op == Op::LessEqual) && node.value != kNoEvent;
}

/// Whether the expression is a + b * time, with a and b constant between events. `piecewise_constant`: the
/// slots that are.
bool linear_in_time(const ExprPool& pool, ExprId root, const std::vector<bool>& piecewise_constant) {
  std::vector<ExprId> ids = topological(pool, std::span<const ExprId>(&root, 1));
  std::vector<std::uint8_t> degree(ids.size(), 0);  // 2: something else
  auto of = [&](std::uint32_t id) {
    return degree[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin())];
  };
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const Node& node = pool[ids[k]];
    const std::uint32_t operands[] = {node.a, node.b, node.c};
    std::uint8_t largest = 0;
    for (int i = 0; i < arity(node.op); ++i) largest = std::max(largest, of(operands[i]));
    switch (node.op) {
      case Op::Time: degree[k] = 1; break;
      case Op::Slot: degree[k] = piecewise_constant[node.a] ? 0 : 2; break;
      case Op::Der: degree[k] = 2; break;
      case Op::Neg:
      case Op::Add:
      case Op::Sub: degree[k] = largest; break;
      case Op::Mul: degree[k] = std::min<std::uint8_t>(2, of(node.a) + of(node.b)); break;
      case Op::Div: degree[k] = of(node.b) == 0 ? of(node.a) : 2; break;
      case Op::Select: degree[k] = of(node.a) == 0 ? largest : 2; break;
      default: degree[k] = largest == 0 ? 0 : 2;
    }
  }
  return degree.back() < 2;
}

class ZeroCrossings {
 public:
  ZeroCrossings(const system::System& system, dae::System& dae)
      : system_(system), dae_(dae), piecewise_constant_(dae.variables.size(), false) {
    for (const EquationTable& table : dae.equations.tables)
      if (table.slots == 1 && dae.exprs[table.residual].op == Op::Slot)
        for (std::uint32_t rate : table.unknowns)
          if (dae.variables[rate].integral != dae::kNone)
            piecewise_constant_[dae.variables[rate].integral] = true;
    for (const system::Delay& d : system.delays)
      if (dae.aliases[d.unknown].kind != dae::Alias::Zero)
        piecewise_constant_[dae.aliases[d.unknown].variable] = false;
  }

  void run() {
    for (EquationTable& table : dae_.equations.tables) {
      hold(table, true);
      if (determines_discrete(table)) drop_unread_slots(table);
    }
    for (EquationTable& table : dae_.conditions.tables) hold(table, true);
    // Assigned values are computed at events only: comparisons in them do not cause events, but take the
    // value of an equal comparison that does.
    if (dae_.values.tables.empty()) return;
    for (const dae::ZeroCrossing& r : dae_.zero_crossings)
      for (std::uint32_t row = 0; row < r.differences.rows(); ++row)
        known_.try_emplace(key(r.differences, row, r.strict), r.first + row);
    for (EquationTable& table : dae_.values.tables) hold(table, false);
  }

 private:
  using Key = std::vector<std::uint32_t>;
  static Key key(const EquationTable& differences, std::uint32_t row, bool strict) {
    Key key{differences.residual.value, strict};
    for (std::uint32_t v : differences.unknowns_of(row)) key.push_back(v);
    for (std::uint32_t p : differences.parameters_of(row)) key.push_back(p);
    return key;
  }

  /// Whether the rows contain a Bool or Int.
  bool determines_discrete(const EquationTable& table) const {
    if (table.rows() == 0) return false;
    return std::ranges::any_of(table.unknowns_of(0), [&](std::uint32_t v) {
      return system::unknown_info(system_, dae_.variables[v].unknown).type != system::SignalType::Real;
    });
  }

  /// Drops the slots that only comparisons read, whose values are now parameters: `off = s < 0.0` determines
  /// `off` from a parameter, so a loop from `off` back to `s` is none. Event iteration makes both agree, as
  /// it does for a comparison in an equation of Reals.
  void drop_unread_slots(EquationTable& table) {
    ExprPool& pool = dae_.exprs;
    std::vector<std::uint32_t> number(table.slots, dae::kNone);
    std::vector<std::uint32_t> kept;
    for (const ExprId id : topological(pool, std::span<const ExprId>(&table.residual, 1)))
      if (pool[id].op == Op::Slot) number[pool[id].a] = 0;
    for (std::uint32_t slot = 0; slot < table.slots; ++slot)
      if (number[slot] != dae::kNone) {
        number[slot] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(slot);
      }
    if (kept.size() == table.slots) return;
    std::vector<std::uint32_t> unknowns;
    unknowns.reserve(table.rows() * kept.size());
    for (std::uint32_t row = 0; row < table.rows(); ++row)
      for (const std::uint32_t slot : kept) unknowns.push_back(table.unknowns_of(row)[slot]);
    table.residual = symbolic::rewrite(pool, table.residual, pool, [&](const Node& leaf) {
      return leaf.op == Op::Slot ? pool.slot(number[leaf.a]) : pool.intern(leaf);
    });
    table.unknowns = std::move(unknowns);
    table.slots = static_cast<std::uint32_t>(kept.size());
  }

  /// `watch`: comparisons that are not known yet become relations.
  void hold(EquationTable& table, bool watch) {
    ExprPool& pool = dae_.exprs;
    std::vector<ExprId> ids = topological(pool, std::span<const ExprId>(&table.residual, 1));
    std::vector<std::uint8_t> moves(ids.size(), 0);
    std::vector<ExprId> replacement(ids.size());
    auto place = [&](std::uint32_t id) {
      return static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin());
    };
    std::vector<std::vector<std::uint32_t>> held;  // by comparison: the parameter of each row
    for (std::size_t k = 0; k < ids.size(); ++k) {
      Node node = pool[ids[k]];
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      moves[k] = node.op == Op::Slot || node.op == Op::Time;
      for (int i = 0; i < arity(node.op); ++i) {
        const std::size_t at = place(*operands[i]);
        moves[k] = moves[k] || moves[at];
        *operands[i] = replacement[at].value;
      }
      std::vector<std::uint32_t> parameters;
      if (moves[k] && is_comparison(node)) parameters = comparison(table, node, held, watch);
      if (parameters.empty()) {
        replacement[k] = arity(node.op) > 0 ? pool.intern(node) : ids[k];
        continue;
      }
      moves[k] = 0;  // constant between events
      replacement[k] = pool.param(table.params + static_cast<std::uint32_t>(held.size()));
      held.push_back(std::move(parameters));
    }
    if (held.empty()) return;
    const auto added = static_cast<std::uint32_t>(held.size());
    std::vector<std::uint32_t> parameters;
    parameters.reserve(table.rows() * (table.params + added));
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      auto own = table.parameters_of(row);
      parameters.insert(parameters.end(), own.begin(), own.end());
      for (const auto& list : held) parameters.push_back(list[row]);
    }
    table.residual = replacement.back();
    table.parameters = std::move(parameters);
    table.params += added;
  }

  /// Adds the zero crossings for one comparison in the rows of a table, which may read the comparisons before
  /// it. Returns the parameter of each row. Without `watch` no zero crossings are added, and the result is
  /// empty unless all of them exist.
  std::vector<std::uint32_t> comparison(const EquationTable& table, const Node& node,
                                        const std::vector<std::vector<std::uint32_t>>& held, bool watch) {
    ExprPool& pool = dae_.exprs;
    dae::ZeroCrossing to;
    to.strict = node.op == Op::Less;
    to.first = static_cast<std::uint32_t>(system_.parameters.size()) + dae_.discrete_parameters;
    ExprId difference = symbolic::simplified(pool, {Op::Sub, node.a, node.b, 0, 0});
    std::vector<std::uint32_t> slots, params;
    for (ExprId id : topological(pool, std::span<const ExprId>(&difference, 1))) {
      if (pool[id].op == Op::Slot) slots.push_back(pool[id].a);
      if (pool[id].op == Op::Param) params.push_back(pool[id].a);
    }
    std::ranges::sort(slots);
    std::ranges::sort(params);
    auto number = [](const std::vector<std::uint32_t>& in, std::uint32_t of) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(in, of) - in.begin());
    };
    EquationTable& rows = to.differences;
    rows.residual = symbolic::rewrite(pool, difference, pool, [&](const Node& leaf) {
      if (leaf.op == Op::Slot) return pool.slot(number(slots, leaf.a));
      if (leaf.op == Op::Param) return pool.param(number(params, leaf.a));
      return pool.intern(leaf);
    });
    rows.slots = static_cast<std::uint32_t>(slots.size());
    rows.params = static_cast<std::uint32_t>(params.size());
    rows.origins = table.origins;
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      for (std::uint32_t slot : slots) rows.unknowns.push_back(table.unknowns_of(row)[slot]);
      for (std::uint32_t p : params)
        rows.parameters.push_back(p < table.params ? table.parameters_of(row)[p]
                                                   : held[p - table.params][row]);
    }
    std::vector<std::uint32_t> result;
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      if (watch) {
        result.push_back(to.first + row);
        continue;
      }
      auto known = known_.find(key(rows, row, to.strict));
      if (known == known_.end()) return {};
      result.push_back(known->second);
    }
    if (!watch) return result;
    std::vector<bool> piecewise_constant(slots.size(), true);
    for (std::uint32_t row = 0; row < table.rows(); ++row)
      for (std::size_t k = 0; k < slots.size(); ++k)
        piecewise_constant[k] = piecewise_constant[k] && piecewise_constant_[rows.unknowns_of(row)[k]];
    to.linear_in_time = linear_in_time(pool, rows.residual, piecewise_constant);
    dae_.discrete_parameters += static_cast<std::uint32_t>(table.rows());
    dae_.zero_crossings.push_back(std::move(to));
    return result;
  }

  const system::System& system_;
  dae::System& dae_;
  std::vector<bool> piecewise_constant_;  // by variable: changes at events only
  std::map<Key, std::uint32_t> known_;
};

}  // namespace

void hold_zero_crossings(const system::System& system, dae::System& dae) { ZeroCrossings(system, dae).run(); }

}  // namespace sigrel::reduce
