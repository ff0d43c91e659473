#include "compiler/reduce/zero_crossings.h"

#include <algorithm>
#include <optional>

#include "compiler/ir/library.h"
#include "compiler/reduce/zero_crossing_rows.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

using Kind = runtime::ZeroCrossing::Kind;
constexpr std::uint32_t kMaxCubic = 3;

/// What a part of an expression depends on, between events.
enum class Varies : std::uint8_t {
  Never,       // parameters and numbers
  AtEvents,    // discrete variables
  WithTime,    // time as well, but no other variable
  WithStates,  // any variable
};

/// Whether each piece is a number.
bool has_steps(Op op) {
  return op == Op::Less || op == Op::LessEqual || op == Op::Floor || op == Op::Ceil || op == Op::Round ||
         op == Op::Sign;
}

}  // namespace

class ZeroCrossingPass::Implementation {
 public:
  Implementation(const system::System& system, dae::System& dae)
      : system_(system), dae_(dae), rows_(dae), piecewise_constant_(dae.variables.size(), false) {
    for (const EquationTable& table : dae.equations.tables)
      if (table.slots == 1 && dae.exprs[table.residual].op == Op::Slot)
        for (std::uint32_t rate : table.unknowns)
          if (dae.variables[rate].integral != dae::kNone)
            piecewise_constant_[dae.variables[rate].integral] = true;
    for (const system::Delay& d : system.delays)
      if (dae.aliases[d.unknown].kind != dae::Alias::Zero)
        piecewise_constant_[dae.aliases[d.unknown].variable] = false;
  }

  void hold_in_equations() {
    for (EquationTable& table : dae_.equations.tables) {
      hold(table, true);
      if (determines_discrete(table)) drop_unread_slots(table);
    }
    for (EquationTable& table : dae_.conditions.tables) hold(table, true);
  }

  /// Assigned values are computed at events only: operations in them do not cause events, but take the value
  /// of an equal one that does.
  void hold_in_values() {
    find_unassigned();
    for (std::size_t t = 0; t < dae_.values.tables.size(); ++t)
      for (std::vector<bool> others; !(others = hold(dae_.values.tables[t], false)).empty();)
        dae_.values.tables.push_back(take(dae_.values.tables[t], others));
  }

 private:
  using FirstHeld = ZeroCrossingRows::Held;

  /// No event changes a state that nothing assigns, so in an assigned value `pre` of it, or of its negative,
  /// is that itself: `same_as_` of such a variable; Zero: of another one. Empty: there is none.
  void find_unassigned() {
    std::vector<bool> assigned(dae_.variables.size(), false);
    for (const dae::Assignment& a : dae_.assignments) assigned[a.variable] = true;
    for (const system::Previous& p : system_.events.previous) {
      const dae::Alias own = dae_.aliases[p.unknown], of = dae_.aliases[p.of];
      if (own.kind != dae::Alias::Variable || of.kind == dae::Alias::Zero) continue;
      const dae::Variable& state = dae_.variables[of.variable];
      if (!state.state || state.set != dae::kNone || assigned[of.variable] ||
          piecewise_constant_[of.variable])
        continue;
      if (same_as_.empty()) same_as_.assign(dae_.variables.size(), {dae::Alias::Zero, 0});
      same_as_[own.variable] = of;
    }
  }

  /// Takes these rows out of a table of values.
  static EquationTable take(EquationTable& from, const std::vector<bool>& rows) {
    EquationTable parts[2];
    for (EquationTable& part : parts) {
      part.residual = from.residual;
      part.slots = from.slots;
      part.params = from.params;
    }
    Origins::InOrder origins(from.origins);
    for (std::size_t row = 0; row < from.rows(); ++row) {
      EquationTable& to = parts[rows[row] ? 1 : 0];
      const auto unknowns = from.unknowns_of(row), parameters = from.parameters_of(row);
      to.unknowns.insert(to.unknowns.end(), unknowns.begin(), unknowns.end());
      to.parameters.insert(to.parameters.end(), parameters.begin(), parameters.end());
      to.origins.push_back(origins[row]);
      to.tags.push_back(from.tags[row]);
    }
    from = std::move(parts[0]);
    return std::move(parts[1]);
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

  /// The table at hand, and the parameters that were added to its rows so far: `held[k][row]`.
  struct Work {
    EquationTable& table;
    bool watch = true;  // operations that are not known yet become zero crossings
    std::vector<std::vector<std::uint32_t>> held = {};
    // Without `watch`: the rows that have a zero crossing of an operation, if not all have one.
    std::vector<bool> others = {};
  };

  bool is_piecewise_constant(const EquationTable& table, std::uint32_t slot) const {
    for (std::uint32_t row = 0; row < table.rows(); ++row)
      if (!piecewise_constant_[table.unknowns_of(row)[slot]]) return false;
    return true;
  }

  /// Without `watch`: the rows that are to become a table of their own before this can be done for the
  /// others.
  std::vector<bool> hold(EquationTable& table, bool watch) {
    ExprPool& pool = dae_.exprs;
    const std::vector<ExprId> ids = topological(pool, std::span<const ExprId>(&table.residual, 1));
    std::vector<Varies> varies(ids.size(), Varies::Never);
    std::vector<ExprId> replacement(ids.size());
    auto place = [&](std::uint32_t id) {
      return static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{id}) - ids.begin());
    };
    Work work{table, watch};
    for (std::size_t k = 0; k < ids.size(); ++k) {
      Node node = pool[ids[k]];
      if (node.op == Op::Slot)
        varies[k] = is_piecewise_constant(table, node.a) ? Varies::AtEvents : Varies::WithStates;
      if (node.op == Op::Time) varies[k] = Varies::WithTime;
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      for (int i = 0; i < arity(node.op); ++i) {
        const std::size_t at = place(*operands[i]);
        varies[k] = std::max(varies[k], varies[at]);
        *operands[i] = replacement[at].value;
      }
      if (auto piece = smooth_piece(work, node, varies[k])) {
        if (has_steps(node.op)) varies[k] = Varies::Never;  // nothing but parameters
        replacement[k] = *piece;
      } else {
        replacement[k] = arity(node.op) > 0 ? pool.intern(node) : ids[k];
      }
      if (!work.others.empty()) return work.others;
    }
    if (work.held.empty()) return {};
    const auto added = static_cast<std::uint32_t>(work.held.size());
    std::vector<std::uint32_t> parameters;
    parameters.reserve(table.rows() * (table.params + added));
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      auto own = table.parameters_of(row);
      parameters.insert(parameters.end(), own.begin(), own.end());
      for (const auto& list : work.held) parameters.push_back(list[row]);
    }
    table.residual = replacement.back();
    table.parameters = std::move(parameters);
    table.params += added;
    return {};
  }

  /// The piece of an operation that holds between two events; nullopt if the operation is smooth, or
  /// generates no events. Its operands are replaced already.
  std::optional<ExprId> smooth_piece(Work& work, const Node& node, Varies varies) {
    ExprPool& pool = dae_.exprs;
    const ExprId a{node.a}, b{node.b}, zero = pool.constant(0);
    if (is_without_events(node) || varies == Varies::Never) return std::nullopt;
    auto less = [&](ExprId x, ExprId y) { return comparison(work, x, y, true); };
    auto choose = [&](std::optional<ExprId> condition, ExprId x, ExprId y) -> std::optional<ExprId> {
      if (!condition) return std::nullopt;
      return symbolic::simplified(pool, {Op::Select, condition->value, x.value, y.value, 0});
    };
    auto negative = [&](ExprId x) { return symbolic::simplified(pool, {Op::Neg, x.value, 0, 0, 0}); };
    if (node.op == Op::Less || node.op == Op::LessEqual) return comparison(work, a, b, node.op == Op::Less);
    if (varies == Varies::AtEvents) return std::nullopt;  // evaluated again at every event anyway
    switch (node.op) {
      case Op::Floor: return first_held(work, zero_crossing(work, Kind::Floor, a));
      case Op::Ceil: {
        auto floor = first_held(work, zero_crossing(work, Kind::Floor, negative(a)));
        return floor ? std::optional(negative(*floor)) : std::nullopt;
      }
      case Op::Round: return first_held(work, zero_crossing(work, Kind::Round, a));
      case Op::Sign: {
        auto positive = less(zero, a), below = positive ? less(a, zero) : std::nullopt;
        return below ? std::optional(pool.binary(Op::Sub, *positive, *below)) : std::nullopt;
      }
      case Op::Lookup1: return table_piece(work, node);
      case Op::Abs: return varies == Varies::WithTime ? choose(less(a, zero), negative(a), a) : std::nullopt;
      case Op::Min: return varies == Varies::WithTime ? choose(less(b, a), b, a) : std::nullopt;
      case Op::Max: return varies == Varies::WithTime ? choose(less(a, b), b, a) : std::nullopt;
      default: return std::nullopt;
    }
  }

  std::optional<ExprId> comparison(Work& work, ExprId a, ExprId b, bool strict) {
    ExprPool& pool = dae_.exprs;
    const ExprId difference = symbolic::simplified(pool, {Op::Sub, a.value, b.value, 0, 0});
    if (work.watch) return first_held(work, zero_crossing(work, Kind::Comparison, difference, strict));
    if (const auto held = known_rows(work, argument_of(difference), Kind::Comparison, strict))
      return first_held(work, held);
    if (!work.others.empty()) return std::nullopt;
    // Where a < b is watched, b <= a is known, too.
    const ExprId complement = symbolic::simplified(pool, {Op::Sub, b.value, a.value, 0, 0});
    const auto held = known_rows(work, argument_of(complement), Kind::Comparison, !strict);
    if (!held) return std::nullopt;
    return pool.binary(Op::Sub, pool.constant(1), column(work, *held, 0));
  }

  /// The polynomial of the piece, or its derivative of the order of the lookup.
  std::optional<ExprId> table_piece(Work& work, const Node& lookup) {
    ExprPool& pool = dae_.exprs;
    const std::uint32_t number = pool[ExprId{lookup.a}].a;
    if (!has_kinks(work, number)) return std::nullopt;
    const std::optional<std::vector<FirstHeld>> held =
        zero_crossing(work, Kind::Table, ExprId{lookup.b}, false, number);
    if (!held) return std::nullopt;
    ExprId knot = column(work, *held, 1);
    const ExprId u = symbolic::simplified(pool, {Op::Sub, lookup.b, knot.value, 0, 0});
    const auto order = static_cast<std::uint32_t>(lookup.value);
    ExprId value = pool.constant(0);
    for (std::uint32_t power = kMaxCubic + 1; power-- > order;) {
      double factor = 1;
      for (std::uint32_t k = 0; k < order; ++k) factor *= power - k;
      const ExprId term = symbolic::simplified(
          pool, {Op::Mul, pool.constant(factor).value, column(work, *held, 2 + power).value, 0, 0});
      value = symbolic::simplified(pool, {Op::Mul, value.value, u.value, 0, 0});
      value = symbolic::simplified(pool, {Op::Add, term.value, value.value, 0, 0});
    }
    return value;
  }

  /// Whether the value or the slope of a table in the rows jumps at a knot.
  bool has_kinks(const Work& work, std::uint32_t parameter) const {
    for (std::uint32_t row = 0; row < work.table.rows(); ++row) {
      const std::uint32_t p = work.table.parameters_of(row)[parameter];
      const auto number = static_cast<std::size_t>(system_.parameters[p].value);
      if (!dae_.exprs.library->tables[number].smooth) return true;
    }
    return false;
  }

  std::optional<ExprId> first_held(Work& work, const std::optional<std::vector<FirstHeld>>& held) {
    if (!held) return std::nullopt;
    return column(work, *held, 0);
  }

  /// Value j that the rows hold, as a new parameter of the table.
  ExprId column(Work& work, const std::vector<FirstHeld>& held, std::uint32_t j) {
    std::vector<std::uint32_t> parameters;
    parameters.reserve(held.size());
    for (const FirstHeld& h : held) parameters.push_back(h.first + j * h.stride);
    work.held.push_back(std::move(parameters));
    return dae_.exprs.param(work.table.params + static_cast<std::uint32_t>(work.held.size()) - 1);
  }

  /// Adds zero crossings of the argument in the rows of the table, which may read what is held before it.
  /// Without `watch` none are added, and the result is that of `known_rows`. `number`: the parameter with the
  /// number of the table.
  std::optional<std::vector<FirstHeld>> zero_crossing(Work& work, Kind kind, ExprId argument,
                                                      bool strict = false,
                                                      std::optional<std::uint32_t> number = std::nullopt) {
    Argument own = argument_of(argument);
    if (number) own.params.push_back(*number);  // the residual does not read it
    if (!work.watch) return known_rows(work, own, kind, strict);
    dae::ZeroCrossing to;
    to.strict = strict;
    to.kind = kind;
    to.first = first_free();
    to.differences.residual = own.residual;
    to.differences.slots = static_cast<std::uint32_t>(own.slots.size());
    to.differences.params = static_cast<std::uint32_t>(own.params.size());
    return held_rows(work, std::move(to), own);
  }

  std::uint32_t first_free() const {
    return static_cast<std::uint32_t>(system_.parameters.size()) + dae_.discrete_parameters;
  }

  /// The argument of a zero crossing, with slots and parameters of its own: which ones of a table these are.
  struct Argument {
    ExprId residual;
    std::vector<std::uint32_t> slots, params;
  };

  Argument argument_of(ExprId expression) const {
    ExprPool& pool = dae_.exprs;
    Argument result;
    for (ExprId id : topological(pool, std::span<const ExprId>(&expression, 1))) {
      if (pool[id].op == Op::Slot) result.slots.push_back(pool[id].a);
      if (pool[id].op == Op::Param) result.params.push_back(pool[id].a);
    }
    std::ranges::sort(result.slots);
    std::ranges::sort(result.params);
    auto number_in = [](const std::vector<std::uint32_t>& in, std::uint32_t of) {
      return static_cast<std::uint32_t>(std::ranges::lower_bound(in, of) - in.begin());
    };
    result.residual = symbolic::rewrite(pool, expression, pool, [&](const Node& leaf) {
      if (leaf.op == Op::Slot) return pool.slot(number_in(result.slots, leaf.a));
      if (leaf.op == Op::Param) return pool.param(number_in(result.params, leaf.a));
      return pool.intern(leaf);
    });
    return result;
  }

  /// The zero crossing of the argument in a row of the table, or kMissing.
  std::uint32_t find(const Work& work, const Argument& argument, std::uint32_t row, Kind kind, bool strict) {
    const EquationTable& table = work.table;
    variables_.clear();
    parameters_.clear();
    bool negated = false;
    const auto same_as = [&](std::uint32_t slot) -> dae::Alias {
      const std::uint32_t v = table.unknowns_of(row)[argument.slots[slot]];
      const bool other = !same_as_.empty() && same_as_[v].kind != dae::Alias::Zero;
      return other ? same_as_[v] : dae::Alias{dae::Alias::Variable, v};
    };
    for (std::uint32_t slot = 0; slot < argument.slots.size(); ++slot) {
      const dae::Alias same = same_as(slot);
      variables_.push_back(same.variable);
      negated = negated || same.kind == dae::Alias::Negated;
    }
    ExprPool& pool = dae_.exprs;
    const ExprId residual =
        negated ? symbolic::rewrite(pool, argument.residual, pool,
                                    [&](const Node& leaf) {
                                      const bool negative =
                                          leaf.op == Op::Slot && same_as(leaf.a).kind == dae::Alias::Negated;
                                      return negative ? pool.unary(Op::Neg, pool.slot(leaf.a))
                                                      : pool.intern(leaf);
                                    })
                : argument.residual;
    for (const std::uint32_t p : argument.params)
      parameters_.push_back(p < table.params ? table.parameters_of(row)[p]
                                             : work.held[p - table.params][row]);
    return rows_.find({residual, strict, kind, variables_, parameters_});
  }

  /// What the rows of a table of assigned values hold, or nullopt if they have no zero crossings. Some may:
  /// then these are `work.others`.
  std::optional<std::vector<FirstHeld>> known_rows(Work& work, const Argument& argument, Kind kind,
                                                   bool strict) {
    std::vector<FirstHeld> result;
    work.others.assign(work.table.rows(), false);
    bool missing = false;
    for (std::uint32_t row = 0; row < work.table.rows(); ++row) {
      const std::uint32_t number = find(work, argument, row, kind, strict);
      work.others[row] = number != ZeroCrossingRows::kMissing;
      if (work.others[row])
        result.push_back(rows_.held(number));
      else
        missing = true;
    }
    if (missing && !result.empty()) return std::nullopt;
    work.others.clear();
    return missing ? std::nullopt : std::optional(std::move(result));
  }

  /// Adds the rows of a zero crossing of the argument in the rows of the table, but for those that exist
  /// already; returns what the rows hold.
  std::vector<FirstHeld> held_rows(const Work& work, dae::ZeroCrossing crossing, const Argument& argument) {
    const EquationTable& table = work.table;
    const std::vector<std::uint32_t>&slots = argument.slots, &params = argument.params;
    const bool strict = crossing.strict;
    const Kind kind = crossing.kind;
    dae_.zero_crossings.push_back(std::move(crossing));
    std::vector<std::uint32_t> variables(slots.size()), parameters(params.size()), numbers;
    Origins::InOrder origins(table.origins);
    for (std::uint32_t row = 0; row < table.rows(); ++row) {
      for (std::size_t k = 0; k < slots.size(); ++k) variables[k] = table.unknowns_of(row)[slots[k]];
      for (std::size_t k = 0; k < params.size(); ++k)
        parameters[k] = params[k] < table.params ? table.parameters_of(row)[params[k]]
                                                 : work.held[params[k] - table.params][row];
      numbers.push_back(
          rows_.find_or_append({argument.residual, strict, kind, variables, parameters}, origins[row]));
    }
    const dae::ZeroCrossing& added = dae_.zero_crossings.back();
    dae_.discrete_parameters += added.held();
    if (added.differences.rows() == 0) dae_.zero_crossings.pop_back();
    std::vector<FirstHeld> result;
    for (const std::uint32_t number : numbers) result.push_back(rows_.held(number));
    return result;
  }

  const system::System& system_;
  dae::System& dae_;
  ZeroCrossingRows rows_;
  std::vector<bool> piecewise_constant_;               // by variable: changes at events only
  std::vector<dae::Alias> same_as_;                    // find_unassigned
  std::vector<std::uint32_t> variables_, parameters_;  // of a row
};

ZeroCrossingPass::ZeroCrossingPass(const system::System& system, dae::System& dae)
    : implementation_(std::make_unique<Implementation>(system, dae)) {}
ZeroCrossingPass::~ZeroCrossingPass() = default;
void ZeroCrossingPass::hold_in_equations() { implementation_->hold_in_equations(); }
void ZeroCrossingPass::hold_in_values() { implementation_->hold_in_values(); }

}  // namespace sigrel::reduce
