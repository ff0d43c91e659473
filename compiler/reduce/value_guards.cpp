#include "compiler/reduce/value_guards.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "compiler/reduce/limited_domain.h"
#include "runtime/model.h"

namespace sigrel::reduce {
namespace {

// The sum of a variable and a constant below this, a count, is exact for every variable that is: it would
// have to be this close to 2^53.
constexpr double kSmall = 0x1p31;

class Guards {
 public:
  explicit Guards(system::System& system) : system_(system), pool_(system.exprs) {}

  /// What the residual of a row is: a sum that is zero, a value, or a Bool that is needed as such, which is
  /// guarded as a whole: so what it compares keeps its form.
  enum class Form : std::uint8_t { Equation, Value, Condition };

  void guard(Equations& equations, Form form) {
    for (EquationTable& table : equations.tables) guard(table, form);
  }

 private:
  void guard(EquationTable& table, Form form) {
    if (table.rows() == 0) return;
    form_ = form;
    ids_ = topological(pool_, {&table.residual, 1});
    partial_.clear();
    if (!find_integers(table)) return;
    if (form != Form::Equation) find_partial();
    found_.assign(ids_.size(), {});
    in_sum_.assign(ids_.size(), false);
    if (form == Form::Equation) mark_sum(table.residual);
    for (std::size_t k = 0; k < ids_.size(); ++k) examine(k);
    const Found& root = found_.back();
    table.residual = root.of_operands ? guarded(root.image, *root.of_operands) : root.image;
  }

  /// Of a node: its image, whether it is an Int, and the largest magnitudes of the results in it that are not
  /// guarded yet, without and with its own.
  struct Found {
    ExprId image{};
    bool integer = false;
    std::optional<ExprId> of_operands{}, largest{};
  };

  bool find_integers(const EquationTable& table) {
    integer_.assign(table.slots, true);
    for (std::uint32_t slot = 0; slot < table.slots; ++slot)
      for (std::size_t row = 0; row < table.rows() && integer_[slot]; ++row) {
        const std::uint32_t unknown = table.unknowns_of(row)[slot];
        integer_[slot] = system::unknown_info(system_, unknown).type == system::SignalType::Int;
      }
    return std::ranges::find(integer_, true) != integer_.end();
  }

  /// Which nodes may be no number, by operations that are not defined everywhere. Only of Ints and
  /// parameters: a continuous signal lies behind its crossing by rounding errors, so in
  /// `x > 0.0 && sqrt x > 0.7` the root may have no value where x is zero.
  void find_partial() {
    partial_.assign(ids_.size(), false);
    std::vector<bool> varies(ids_.size(), false);
    for (std::size_t k = 0; k < ids_.size(); ++k) {
      const Node& node = pool_[ids_[k]];
      varies[k] = node.op == Op::Time || node.op == Op::Der || (node.op == Op::Slot && !integer_[node.a]);
      bool partial = node.op == Op::Div || has_limited_domain(node.op);
      const std::uint32_t operands[] = {node.a, node.b, node.c};
      for (int i = 0; i < arity(node.op); ++i) {
        partial = partial || partial_[place(operands[i])];
        varies[k] = varies[k] || varies[place(operands[i])];
      }
      partial_[k] = partial && !varies[k] && !is_condition(node.op);
    }
  }
  std::size_t place(std::uint32_t id) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ids_, ExprId{id}) - ids_.begin());
  }

  /// The sums of a residual are no results.
  void mark_sum(ExprId root) {
    std::vector<std::uint32_t> work{root.value};
    while (!work.empty()) {
      const std::size_t at = place(work.back());
      const Node& node = pool_[ExprId{work.back()}];
      work.pop_back();
      if (in_sum_[at] || (node.op != Op::Add && node.op != Op::Sub && node.op != Op::Neg)) continue;
      in_sum_[at] = true;
      work.push_back(node.a);
      if (node.op != Op::Neg) work.push_back(node.b);
    }
  }

  bool is_integer(const Node& node, std::size_t at) const {
    auto operand = [&](std::uint32_t id) { return found_[place(id)].integer; };
    switch (node.op) {
      case Op::Slot: return integer_[node.a];
      case Op::Neg:
      case Op::Abs:
      case Op::PowInt: return !in_sum_[at] && operand(node.a);
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Min:
      case Op::Max: return !in_sum_[at] && (operand(node.a) || operand(node.b));
      case Op::Select: return operand(node.b) || operand(node.c);
      case Op::Round: return !operand(node.a);  // of an Int it is the conversion to a Real
      case Op::Div: return operand(node.a) || operand(node.b);
      case Op::Floor: return pool_[ExprId{node.a}].op == Op::Div && operand(node.a);  // `div`
      default: return false;
    }
  }

  bool is_count(const Node& sum) const {
    auto is = [&](std::uint32_t a, std::uint32_t b) {
      const Op op = pool_[ExprId{a}].op;
      const Node& other = pool_[ExprId{b}];
      return (op == Op::Slot || op == Op::Param) && other.op == Op::Const && std::abs(other.value) < kSmall;
    };
    return (sum.op == Op::Add || sum.op == Op::Sub) && (is(sum.a, sum.b) || is(sum.b, sum.a));
  }

  ExprId join(std::optional<ExprId> all, ExprId one) {
    return all && *all != one ? pool_.intern(without_events({Op::Max, all->value, one.value, 0, 0})) : one;
  }

  /// Whether a node leaves the guards of its operands to what reads it.
  bool defers(const Node& node, const Found& found) const {
    return form_ == Form::Condition || node.op == Op::Select || kind(node.op) == OpKind::Comparison ||
           kind(node.op) == OpKind::Logical || (found.integer && node.op != Op::Round);
  }

  void examine(std::size_t k) {
    const Node original = pool_[ids_[k]];
    Node node = original;
    Found& found = found_[k];
    found.integer = is_integer(node, k);
    const bool deferred = defers(node, found),
               chooses = node.op == Op::Select || node.op == Op::And || node.op == Op::Or;
    std::uint32_t* operands[] = {&node.a, &node.b, &node.c};
    for (int i = 0; i < arity(node.op); ++i) {
      const Found& operand = found_[place(*operands[i])];
      *operands[i] =
          (deferred || !operand.largest ? operand.image : guarded(operand.image, *operand.largest)).value;
      if (deferred && operand.largest && (!chooses || i == 0))
        found.of_operands = join(found.of_operands, *operand.largest);
    }
    const ExprId first{node.a};
    if (node.op == Op::Select) join_choice(found, first, largest_of(original.b), largest_of(original.c));
    if (node.op == Op::And) join_choice(found, first, largest_of(original.b), std::nullopt);
    if (node.op == Op::Or) join_choice(found, first, std::nullopt, largest_of(original.b));
    found.image = arity(node.op) > 0 ? pool_.intern(node) : ids_[k];
    if (!partial_.empty() && kind(node.op) == OpKind::Comparison &&
        (partial_[place(original.a)] || partial_[place(original.b)]))
      join_sides(found, original, node);
    found.largest = found.of_operands;
    if (found.integer && node.op == Op::Div) join_quotient(found, node);
    const bool can_be_large =
        node.op == Op::Mul || node.op == Op::PowInt || node.op == Op::Add || node.op == Op::Sub;
    if (found.integer && can_be_large && !is_count(original))
      found.largest =
          join(found.largest, pool_.intern(without_events({Op::Abs, found.image.value, 0, 0, 0})));
  }

  std::optional<ExprId> largest_of(std::uint32_t id) const { return found_[place(id)].largest; }

  /// Of a choice only the operand counts that is chosen.
  void join_choice(Found& found, ExprId condition, std::optional<ExprId> yes, std::optional<ExprId> no) {
    if (!yes && !no) return;
    const ExprId none = pool_.constant(0);
    found.of_operands =
        join(found.of_operands, pool_.select(condition, yes.value_or(none), no.value_or(none)));
  }

  /// A division by zero is infinite, which `min` and `max` would hide.
  void join_quotient(Found& found, const Node& quotient) {
    const ExprId divisor{quotient.b};
    if (pool_[divisor].op == Op::Const && pool_[divisor].value != 0) return;
    const ExprId infinite = pool_.constant(std::numeric_limits<double>::infinity());
    const Node is_not_zero{Op::NotEqual, divisor.value, pool_.constant(0).value, 0, 0};
    found.largest = join(
        found.largest, pool_.select(pool_.intern(without_events(is_not_zero)), pool_.constant(0), infinite));
  }

  /// A comparison has no value if one side is no number; infinite sides can be compared.
  void join_sides(Found& found, const Node& original, const Node& image) {
    const ExprId infinite = pool_.constant(std::numeric_limits<double>::infinity());
    auto join_side = [&](std::uint32_t side, std::uint32_t of_image) {
      if (!partial_[place(side)]) return;
      const ExprId size = pool_.intern(without_events({Op::Abs, of_image, 0, 0, 0}));
      const ExprId known = pool_.intern(without_events({Op::LessEqual, size.value, infinite.value, 0, 0}));
      found.of_operands = join(found.of_operands, pool_.select(known, pool_.constant(0), infinite));
    };
    join_side(original.a, image.a);
    join_side(original.b, image.b);
  }

  /// Infinite where `largest` may have been rounded; not a number where it is infinite.
  ExprId guarded(ExprId value, ExprId largest) {
    using Limits = std::numeric_limits<double>;
    const ExprId limit = pool_.constant(runtime::kFirstInexact), last = pool_.constant(Limits::max());
    const ExprId exact = pool_.intern(without_events({Op::Less, largest.value, limit.value, 0, 0})),
                 finite = pool_.intern(without_events({Op::LessEqual, largest.value, last.value, 0, 0}));
    const ExprId none =
        pool_.select(finite, pool_.constant(Limits::infinity()), pool_.constant(Limits::quiet_NaN()));
    return pool_.select(exact, value, none);
  }

  const system::System& system_;
  ExprPool& pool_;
  Form form_ = Form::Value;
  std::vector<bool> integer_;  // by slot
  std::vector<ExprId> ids_;
  std::vector<Found> found_;  // by place in `ids_`
  std::vector<bool> in_sum_;
  std::vector<bool> partial_;  // by place; empty: none
};

}  // namespace

void guard_values(system::System& system) {
  Guards guards(system);
  guards.guard(system.equations, Guards::Form::Equation);
  guards.guard(system.events.values, Guards::Form::Value);
  guards.guard(system.events.conditions, Guards::Form::Condition);
  guards.guard(system.assertions, Guards::Form::Condition);
}

}  // namespace sigrel::reduce
