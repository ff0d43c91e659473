#include "compiler/reduce/guarded_branches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "compiler/reduce/limited_domain.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

// Nodes that are looked at in the branches of one table: each `else if` looks at all that follow it.
constexpr std::size_t kMostNodes = 100'000;

constexpr std::uint32_t kTime = std::numeric_limits<std::uint32_t>::max();  // as a slot

// Sides of a comparison, and what it guards, are computed in different ways.
constexpr double kRounding = 1e-13;

/// A function that has values for some arguments only. Expressions without events: by how much the argument
/// is beyond the end of the domain, negative inside, and the value there; `finite`: which is that of the
/// function.
struct Limited {
  ExprId beyond, edge;
  bool finite = true;
};

class GuardedBranches {
 public:
  explicit GuardedBranches(dae::System& dae) : dae_(dae), pool_(dae.exprs) {}

  void run() {
    for (table_ = 0; table_ < dae_.equations.tables.size(); ++table_) {
      const ExprId residual = continued(table().residual);
      table().residual = residual;
    }
  }

 private:
  EquationTable& table() { return dae_.equations.tables[table_]; }

  ExprId continued(ExprId residual) {
    ids_ = topological(pool_, {&residual, 1});
    if (std::ranges::none_of(ids_, [&](ExprId id) { return pool_[id].op == Op::Select; })) return residual;
    contains_.assign(ids_.size(), false);
    bool any = false;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const Node& node = pool_[ids_[k]];
      bool contains = has_limited_domain(node.op);
      const std::uint32_t operands[] = {node.a, node.b, node.c};
      for (int i = 0; i < arity(node.op); ++i) contains = contains || contains_[place(operands[i])];
      contains_[k] = contains;
      any = any || contains;
    }
    if (!any) return residual;
    seen_ = 0;
    std::vector<ExprId> image(ids_);
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      Node node = pool_[ids_[k]];
      if (!contains_[k]) continue;
      const bool choice = node.op == Op::Select;
      const ExprId condition{node.a};
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      for (int i = 0; i < arity(node.op); ++i) {
        const std::size_t at = place(*operands[i]);
        const ExprId own = image[at];
        *operands[i] = choice && i > 0 && contains_[at] ? guarded(own, condition, i == 1).value : own.value;
      }
      image[k] = pool_.intern(node);
    }
    return image.back();
  }

  /// A comparison that has this value where the branch is chosen, and the slots that it depends on.
  struct Guard {
    ExprId comparison;
    bool value;
    std::vector<std::uint32_t> slots;
  };

  std::size_t place(std::uint32_t id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ids_, ExprId{id}) - ids_.begin());
  }

  bool is_constant(std::uint32_t id, double value) const {
    return pool_[ExprId{id}].op == Op::Const && pool_[ExprId{id}].value == value;
  }

  /// Ascending. The time has a number behind all slots.
  std::vector<std::uint32_t> slots_of(ExprId root) {
    std::vector<std::uint32_t> slots;
    for (const ExprId id : topological(pool_, {&root, 1})) {
      ++seen_;
      if (pool_[id].op == Op::Slot) slots.push_back(pool_[id].a);
      if (pool_[id].op == Op::Time) slots.push_back(kTime);
    }
    std::ranges::sort(slots);
    return slots;
  }

  std::vector<Guard> guards_of(ExprId condition, bool value) {
    std::vector<Guard> guards;
    std::vector<std::pair<ExprId, bool>> work{{condition, value}};
    while (!work.empty()) {
      const auto [id, holds] = work.back();
      work.pop_back();
      const Node node = pool_[id];
      switch (node.op) {
        case Op::Not: work.emplace_back(ExprId{node.a}, !holds); break;
        case Op::And:
        case Op::Or:
          if (holds != (node.op == Op::And)) break;
          work.emplace_back(ExprId{node.a}, holds);
          work.emplace_back(ExprId{node.b}, holds);
          break;
        case Op::Select:  // what `&&` and `||` become
          if (is_constant(node.b, holds ? 0 : 1)) {
            work.emplace_back(ExprId{node.a}, false);
            work.emplace_back(ExprId{node.c}, holds);
          } else if (is_constant(node.c, holds ? 0 : 1)) {
            work.emplace_back(ExprId{node.a}, true);
            work.emplace_back(ExprId{node.b}, holds);
          }
          break;
        case Op::Slot:
          for (const Guard& g : guards_of_definition(node.a, holds)) guards.push_back(g);
          break;
        case Op::Less:
        case Op::LessEqual:
          if (!is_without_events(node)) guards.push_back({id, holds, slots_of(id)});
          break;
        default: break;
      }
    }
    std::erase_if(guards, [](const Guard& g) { return g.slots.empty(); });
    return guards;
  }

  /// The guards that the definition of a Bool gives, `forward = dp > 0.0`, over slots of the table at hand.
  /// If all rows have such a definition, of one table, and its unknowns.
  std::vector<Guard> guards_of_definition(std::uint32_t slot, bool value) {
    if (table().rows() == 0 || defining_) return {};
    find_definitions();
    const std::uint32_t of = definitions_[table().unknowns_of(0)[slot]].table;
    if (of == dae::kNone || of == table_) return {};
    for (std::size_t row = 0; row < table().rows(); ++row)
      if (definitions_[table().unknowns_of(row)[slot]].table != of) return {};
    const Node& root = pool_[dae_.equations.tables[of].residual];
    const ExprId condition{pool_[ExprId{root.a}].op == Op::Slot ? root.b : root.a};
    defining_ = true;
    std::vector<Guard> guards = guards_of(condition, value);
    defining_ = false;
    std::erase_if(guards, [&](Guard& guard) {
      const auto own = over_own_slots(guard, slot, dae_.equations.tables[of]);
      if (own) guard = {*own, guard.value, slots_of(*own)};
      return !own;
    });
    return guards;
  }

  void find_definitions() {
    if (!definitions_.empty()) return;
    definitions_.resize(dae_.variables.size());
    for (std::uint32_t t = 0; t < dae_.equations.tables.size(); ++t) {
      const EquationTable& of = dae_.equations.tables[t];
      const Node& root = pool_[of.residual];
      if (root.op != Op::Sub) continue;
      const Node &a = pool_[ExprId{root.a}], &b = pool_[ExprId{root.b}];
      const std::uint32_t defined = a.op == Op::Slot ? a.a : b.a;
      const Op chosen = a.op == Op::Slot ? b.op : b.op == Op::Slot ? a.op : Op::Const;
      if (!is_condition(chosen) && chosen != Op::Select) continue;
      for (std::uint32_t row = 0; row < of.rows(); ++row)
        definitions_[of.unknowns_of(row)[defined]] = {t, row};
    }
  }

  /// The comparison of a definition with slots and parameters of the table at hand, which gets those that it
  /// lacks. nullopt: it has not all unknowns, or not in the same slots in each row.
  std::optional<ExprId> over_own_slots(const Guard& guard, std::uint32_t slot, const EquationTable& of) {
    EquationTable& own = table();
    const auto row_of = [&](std::size_t row) { return definitions_[own.unknowns_of(row)[slot]].row; };
    std::vector<std::uint32_t> slots(of.slots, dae::kNone), params;
    for (const std::uint32_t s : guard.slots) {
      if (s == kTime) continue;
      const auto first = own.unknowns_of(0);
      const auto at = std::ranges::find(first, of.unknowns_of(row_of(0))[s]);
      if (at == first.end()) return std::nullopt;
      slots[s] = static_cast<std::uint32_t>(at - first.begin());
      for (std::size_t row = 0; row < own.rows(); ++row)
        if (own.unknowns_of(row)[slots[s]] != of.unknowns_of(row_of(row))[s]) return std::nullopt;
    }
    for (const ExprId id : topological(pool_, {&guard.comparison, 1}))
      if (pool_[id].op == Op::Param) params.push_back(pool_[id].a);
    const std::uint32_t before = own.params;
    if (!params.empty()) {
      std::vector<std::uint32_t> all;
      for (std::size_t row = 0; row < own.rows(); ++row) {
        const auto own_row = own.parameters_of(row), other = of.parameters_of(row_of(row));
        all.insert(all.end(), own_row.begin(), own_row.end());
        for (const std::uint32_t p : params) all.push_back(other[p]);
      }
      own.parameters = std::move(all);
      own.params += static_cast<std::uint32_t>(params.size());
    }
    return symbolic::rewrite(pool_, guard.comparison, pool_, [&](const Node& leaf) {
      if (leaf.op == Op::Slot) return pool_.slot(slots[leaf.a]);
      if (leaf.op != Op::Param) return pool_.intern(leaf);
      return pool_.param(before +
                         static_cast<std::uint32_t>(std::ranges::find(params, leaf.a) - params.begin()));
    });
  }

  /// The branch that is chosen where the condition has this value.
  ExprId guarded(ExprId branch, ExprId condition, bool value) {
    if (seen_ > kMostNodes) return branch;
    const std::vector<Guard> guards = guards_of(condition, value);
    if (guards.empty()) return branch;
    const std::vector<ExprId> ids = topological(pool_, {&branch, 1});
    seen_ += ids.size();
    std::vector<ExprId> image(ids);
    for (std::size_t k = 0; k < ids.size(); ++k) {
      Node node = pool_[ids[k]];
      if (is_condition(node.op)) continue;  // a zero crossing, the same as elsewhere
      const Node before = node;
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      for (int i = 0; i < arity(node.op); ++i)
        *operands[i] =
            image[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{*operands[i]}) - ids.begin())]
                .value;
      if (!(node == before)) image[k] = pool_.intern(node);
      if (has_limited_domain(node.op)) image[k] = continued(image[k], guards);
    }
    return image.back();
  }

  ExprId continued(ExprId function, const std::vector<Guard>& guards) {
    const Node node = pool_[function];
    const auto limited = limits(node);
    if (!limited) return function;
    const std::vector<std::uint32_t> slots = slots_of(ExprId{node.a});
    std::optional<ExprId> behind;
    for (const Guard& guard : guards) {
      if (!std::ranges::all_of(guard.slots, [&](std::uint32_t s) {
            return std::ranges::binary_search(slots, s) || is_state(s);
          }))
        continue;
      const ExprId is_behind = is_behind_crossing(guard, *limited);
      behind = behind ? pool_.binary(Op::Or, *behind, is_behind) : is_behind;
    }
    if (!behind) return function;
    // At the end itself the slope may be infinite, which no iteration of Newton's method can use.
    const ExprId outside = is_less(Op::LessEqual, pool_.constant(0), limited->beyond);
    return pool_.select(pool_.binary(Op::And, outside, *behind), limited->edge, function);
  }

  /// Whether the slot is a variable that is differentiated, or the time, in all rows. Then the guard adds no
  /// algebraic dependence.
  bool is_state(std::uint32_t slot) {
    if (slot == kTime) return true;
    for (std::size_t row = 0; row < table().rows(); ++row)
      if (dae_.variables[table().unknowns_of(row)[slot]].derivative == dae::kNone) return false;
    return true;
  }

  ExprId is_less(Op op, ExprId a, ExprId b) {
    return pool_.intern(sigrel::without_events(Node{op, a.value, b.value, 0, 0}));
  }

  /// Whether the sides of the comparison are behind the crossing. At equality, up to rounding, a state may
  /// rest: there the argument must be beyond the end of the domain by rounding alone. False where one is no
  /// number.
  ExprId is_behind_crossing(const Guard& guard, const Limited& limited) {
    const ExprId comparison = symbolic::without_events(pool_, guard.comparison);
    ExprId low{pool_[comparison].a}, high{pool_[comparison].b};  // low < high before the crossing
    if (!guard.value) std::swap(low, high);
    const auto size = [&](ExprId id) {
      return pool_.intern(sigrel::without_events(Node{Op::Abs, id.value, 0, 0, 0}));
    };
    const ExprId rounding =
        pool_.binary(Op::Mul, pool_.constant(kRounding), pool_.binary(Op::Add, size(low), size(high)));
    const ExprId behind = is_less(Op::Less, pool_.binary(Op::Add, high, rounding), low);
    if (!limited.finite) return behind;
    const ExprId equal = is_less(Op::LessEqual, high, pool_.binary(Op::Add, low, rounding));
    return pool_.binary(Op::Or, behind,
                        pool_.binary(Op::And, equal, is_less(Op::LessEqual, limited.beyond, rounding)));
  }

  std::optional<Limited> limits(const Node& node) {
    const ExprId u{node.a}, zero = pool_.constant(0), one = pool_.constant(1);
    const double least = std::numeric_limits<double>::min();
    switch (node.op) {
      case Op::Sqrt: return Limited{pool_.unary(Op::Neg, u), zero};
      case Op::Pow:
        if (!slots_of(ExprId{node.b}).empty()) return std::nullopt;
        return Limited{pool_.unary(Op::Neg, u), pool_.binary(Op::Pow, zero, ExprId{node.b})};
      case Op::Log:
      case Op::Log10:
        return Limited{pool_.unary(Op::Neg, u), pool_.constant(apply(node.op, least, 0, 0)), false};
      case Op::Acosh: return Limited{pool_.binary(Op::Sub, one, u), zero};
      case Op::Asin:
      case Op::Acos:
      case Op::Atanh: {
        const bool finite = node.op != Op::Atanh;
        const double last = finite ? 1.0 : std::nextafter(1.0, 0.0);
        const ExprId size = pool_.intern(sigrel::without_events(Node{Op::Abs, u.value, 0, 0, 0}));
        const ExprId edge =
            pool_.select(is_less(Op::Less, u, zero), pool_.constant(apply(node.op, -last, 0, 0)),
                         pool_.constant(apply(node.op, last, 0, 0)));
        return Limited{pool_.binary(Op::Sub, size, one), edge, finite};
      }
      default: return std::nullopt;
    }
  }

  struct Definition {
    std::uint32_t table = dae::kNone, row = 0;
  };

  dae::System& dae_;
  ExprPool& pool_;
  std::uint32_t table_ = 0;              // at hand
  std::vector<Definition> definitions_;  // of Bools, by variable
  bool defining_ = false;                // in the definition of another table
  std::vector<ExprId> ids_;
  std::vector<bool> contains_;
  std::size_t seen_ = 0;
};

}  // namespace

void continue_guarded_branches(dae::System& dae) { GuardedBranches(dae).run(); }

}  // namespace sigrel::reduce
