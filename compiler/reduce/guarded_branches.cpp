#include "compiler/reduce/guarded_branches.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

// Nodes that are looked at in the branches of one table: each `else if` looks at all that follow it.
constexpr std::size_t kMostNodes = 100'000;

/// A function that has values for some arguments only: its domain, as an expression without events, and its
/// value at the end of it.
struct Limited {
  ExprId domain, edge;
};

class GuardedBranches {
 public:
  explicit GuardedBranches(ExprPool& pool) : pool_(pool) {}

  ExprId continued(ExprId residual) {
    ids_ = topological(pool_, {&residual, 1});
    if (std::ranges::none_of(ids_, [&](ExprId id) { return pool_[id].op == Op::Select; })) return residual;
    contains_.assign(ids_.size(), false);
    bool any = false;
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const Node& node = pool_[ids_[k]];
      bool contains = is_limited(node.op);
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

 private:
  /// A comparison that has this value where the branch is chosen, and the slots that it depends on.
  struct Guard {
    ExprId comparison;
    bool value;
    std::vector<std::uint32_t> slots;
  };

  static bool is_limited(Op op) {
    switch (op) {
      case Op::Sqrt:
      case Op::Pow:
      case Op::Log:
      case Op::Log10:
      case Op::Asin:
      case Op::Acos:
      case Op::Acosh: return true;
      default: return false;
    }
  }

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
      if (pool_[id].op == Op::Time) slots.push_back(std::numeric_limits<std::uint32_t>::max());
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
          if (!is_constant(holds ? node.c : node.b, holds ? 0 : 1)) break;
          work.emplace_back(ExprId{node.a}, holds);
          work.emplace_back(ExprId{holds ? node.b : node.c}, holds);
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
      const Node before = node;
      std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
      for (int i = 0; i < arity(node.op); ++i)
        *operands[i] =
            image[static_cast<std::size_t>(std::ranges::lower_bound(ids, ExprId{*operands[i]}) - ids.begin())]
                .value;
      if (!(node == before)) image[k] = pool_.intern(node);
      if (is_limited(node.op)) image[k] = continued(image[k], guards);
    }
    return image.back();
  }

  ExprId continued(ExprId function, const std::vector<Guard>& guards) {
    const Node node = pool_[function];
    const std::vector<std::uint32_t> slots = slots_of(ExprId{node.a});
    std::optional<ExprId> chosen;
    for (const Guard& guard : guards) {
      if (!std::ranges::includes(slots, guard.slots)) continue;
      const ExprId holds = symbolic::without_events(pool_, guard.comparison);
      const ExprId agrees = guard.value ? holds : pool_.unary(Op::Not, holds);
      chosen = chosen ? pool_.binary(Op::And, *chosen, agrees) : agrees;
    }
    const auto limited = chosen ? limits(node) : std::nullopt;
    if (!limited) return function;
    return pool_.select(pool_.binary(Op::Or, *chosen, limited->domain), function, limited->edge);
  }

  ExprId is_less(Op op, ExprId a, ExprId b) {
    return pool_.intern(sigrel::without_events(Node{op, a.value, b.value, 0, 0}));
  }

  std::optional<Limited> limits(const Node& node) {
    const ExprId u{node.a}, zero = pool_.constant(0), one = pool_.constant(1);
    const ExprId positive = is_less(Op::LessEqual, zero, u);
    const double least = std::numeric_limits<double>::min();
    switch (node.op) {
      case Op::Sqrt: return Limited{positive, zero};
      case Op::Pow:
        if (!slots_of(ExprId{node.b}).empty()) return std::nullopt;
        return Limited{positive, pool_.binary(Op::Pow, zero, ExprId{node.b})};
      case Op::Log:
      case Op::Log10:
        return Limited{is_less(Op::LessEqual, pool_.constant(least), u),
                       pool_.constant(apply(node.op, least, 0, 0))};
      case Op::Acosh: return Limited{is_less(Op::LessEqual, one, u), zero};
      case Op::Asin:
      case Op::Acos: {
        const double low = apply(node.op, -1, 0, 0), high = apply(node.op, 1, 0, 0);
        const ExprId above = is_less(Op::LessEqual, pool_.constant(-1), u);
        return Limited{pool_.binary(Op::And, above, is_less(Op::LessEqual, u, one)),
                       pool_.select(positive, pool_.constant(high), pool_.constant(low))};
      }
      default: return std::nullopt;
    }
  }

  ExprPool& pool_;
  std::vector<ExprId> ids_;
  std::vector<bool> contains_;
  std::size_t seen_ = 0;
};

}  // namespace

void continue_guarded_branches(dae::System& dae) {
  GuardedBranches branches(dae.exprs);
  for (EquationTable& table : dae.equations.tables) table.residual = branches.continued(table.residual);
}

}  // namespace sigrel::reduce
