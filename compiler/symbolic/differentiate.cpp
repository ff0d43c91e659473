// Derivatives of expressions. Forward mode follows one direction through the expression; reverse mode gives
// all partial derivatives of a residual in one pass, so that a residual with 10^5 terms costs 10^5 steps, not
// their square (Griewank and Walther, Evaluating Derivatives, chapters 2 and 3).
#include <cassert>
#include <cmath>

#include "compiler/ir/library.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::symbolic {
namespace {

/// The partial derivative of a call: its formula applied to the operands, or a finite difference of the
/// call.
ExprId call_partial(ExprPool& pool, const Node& call, std::size_t k) {
  const CallDetail detail = call_detail(call.value);
  const ForeignFunction& function = pool.library->functions[detail.function];
  if (detail.argument == 0 && !function.partials.empty()) {
    const std::uint32_t operands[] = {call.a, call.b, call.c};
    return rewrite(pool.library->formulas, function.partials[k], pool, [&](const Node& leaf) {
      return leaf.op == Op::Slot ? ExprId{operands[leaf.a]} : pool.intern(leaf);
    });
  }
  assert(detail.argument == 0 && "see call_without_derivative");
  Node slope = call;
  slope.value = encode(CallDetail{detail.function, static_cast<std::uint32_t>(k + 1)});
  return pool.intern(slope);
}

/// The derivative of a table lookup in one of its arguments; operand 0 is the number of the table.
ExprId lookup_partial(ExprPool& pool, const Node& lookup, std::size_t k) {
  Node next = lookup;
  if (lookup.op == Op::Lookup1) {
    next.value += 1;
    return k == 0 || next.value > 3 ? pool.constant(0.0) : pool.intern(next);
  }
  LookupDetail orders = lookup_detail(lookup.value);
  std::uint32_t& order = k == 1 ? orders.order_x : orders.order_y;
  if (k == 0 || ++order > 3) return pool.constant(0.0);
  next.value = encode(orders);
  return pool.intern(next);
}

/// factor * d(node)/d(operand k). Min, Max and Select yield the factor or zero: a product with 0 would
/// propagate infinities of the branch that is not taken.
ExprId times_partial(ExprPool& pool, ExprId id, std::size_t k, ExprId factor) {
  const Node n = pool[id];
  ExprId a{n.a}, b{n.b};
  ExprId zero = pool.constant(0.0), one = pool.constant(1.0);
  auto over = [&](ExprId denominator) { return div(pool, factor, denominator); };
  switch (n.op) {
    case Op::Const:
    case Op::Slot:
    case Op::Der:
    case Op::Param:
    case Op::Time: return zero;
    case Op::Neg: return neg(pool, factor);
    case Op::Abs: return mul(pool, factor, unary(pool, Op::Sign, a));
    case Op::Sqrt: return div(pool, mul(pool, pool.constant(0.5), factor), id);
    case Op::Exp: return mul(pool, factor, id);
    case Op::Log: return over(a);
    case Op::Log10: return over(mul(pool, pool.constant(std::log(10.0)), a));
    case Op::Sin: return mul(pool, factor, unary(pool, Op::Cos, a));
    case Op::Cos: return neg(pool, mul(pool, factor, unary(pool, Op::Sin, a)));
    case Op::Tan: return mul(pool, factor, add(pool, power(pool, id, 2), one));
    case Op::Asin: return over(unary(pool, Op::Sqrt, sub(pool, one, power(pool, a, 2))));
    case Op::Acos: return neg(pool, over(unary(pool, Op::Sqrt, sub(pool, one, power(pool, a, 2)))));
    case Op::Atan: return over(add(pool, power(pool, a, 2), one));
    case Op::Sinh: return mul(pool, factor, unary(pool, Op::Cosh, a));
    case Op::Cosh: return mul(pool, factor, unary(pool, Op::Sinh, a));
    case Op::Tanh: return mul(pool, factor, sub(pool, one, power(pool, id, 2)));
    case Op::Asinh: return over(unary(pool, Op::Sqrt, add(pool, power(pool, a, 2), one)));
    case Op::Acosh: return over(unary(pool, Op::Sqrt, sub(pool, power(pool, a, 2), one)));
    case Op::Atanh: return over(sub(pool, one, power(pool, a, 2)));
    case Op::Add: return factor;
    case Op::Sub: return k == 0 ? factor : neg(pool, factor);
    case Op::Mul: return k == 0 ? mul(pool, factor, b) : mul(pool, a, factor);
    case Op::Div: return k == 0 ? over(b) : neg(pool, div(pool, mul(pool, factor, id), b));
    case Op::Pow: {
      if (k == 0) return mul(pool, factor, mul(pool, b, binary(pool, Op::Pow, a, sub(pool, b, one))));
      // 0^b is 0 for all b > 0: the derivative is 0.
      ExprId slope = mul(pool, factor, mul(pool, id, unary(pool, Op::Log, a)));
      return select(pool, binary(pool, Op::Less, zero, a), slope, zero);
    }
    case Op::PowInt: {
      auto e = static_cast<std::int32_t>(n.b);
      return mul(pool, factor, mul(pool, pool.constant(e), power(pool, a, e - 1)));
    }
    case Op::Min:
      return k == 0 ? select(pool, binary(pool, Op::Less, b, a), zero, factor)
                    : select(pool, binary(pool, Op::Less, b, a), factor, zero);
    case Op::Max:
      return k == 0 ? select(pool, binary(pool, Op::Less, a, b), zero, factor)
                    : select(pool, binary(pool, Op::Less, a, b), factor, zero);
    case Op::Atan2: {  // a is y, b is x
      ExprId square = add(pool, power(pool, a, 2), power(pool, b, 2));
      return k == 0 ? div(pool, mul(pool, factor, b), square)
                    : neg(pool, div(pool, mul(pool, factor, a), square));
    }
    case Op::Lookup1:
    case Op::Lookup2: return mul(pool, factor, lookup_partial(pool, n, k));
    case Op::Call1:
    case Op::Call2:
    case Op::Call3: return mul(pool, factor, call_partial(pool, n, k));
    case Op::Select:
      return k == 0 ? zero : k == 1 ? select(pool, a, factor, zero) : select(pool, a, zero, factor);
    case Op::Sign:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Not:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::NotEqual:
    case Op::And:
    case Op::Or: return zero;
  }
  return zero;
}

/// Whether the slope of the function is infinite at the end of its domain.
bool has_infinite_slope(Op op) {
  switch (op) {
    case Op::Sqrt:
    case Op::Pow:
    case Op::Log:
    case Op::Log10:
    case Op::Asin:
    case Op::Acos: return true;
    default: return false;
  }
}

/// The directional derivative of root, where `seed(leaf)` is the tangent of a leaf. Where the argument of a
/// function rests at the end of the domain, as in `sqrt (max x 0)`, its tangent is zero, and the slope may be
/// infinite: the derivative is zero.
template <class Seed>
ExprId forward(ExprPool& pool, ExprId root, Seed seed) {
  const ExprId zero = pool.constant(0.0);
  PerNode<ExprId> tangent(pool, root, zero);
  PerNode<char> chooses(pool, root, 0);
  for (std::size_t k = 0; k < tangent.size(); ++k) {
    const ExprId id = tangent.id(k);
    const Node n = pool[id];
    auto in = operands(n);
    chooses.at(k) = n.op == Op::Select || n.op == Op::Min || n.op == Op::Max;
    for (const std::uint32_t operand : in)
      if (chooses[ExprId{operand}]) chooses.at(k) = 1;
    if (in.empty()) {
      tangent.at(k) = seed(n);
    } else if (n.op == Op::Select) {
      ExprId t = tangent[ExprId{n.b}], f = tangent[ExprId{n.c}];
      tangent.at(k) = select(pool, ExprId{n.a}, t, f);
    } else {
      ExprId total = zero;
      for (std::size_t i = 0; i < in.size(); ++i) {
        ExprId t = tangent[ExprId{in[i]}];
        if (t == zero) continue;
        ExprId change = times_partial(pool, id, i, t);
        if (has_infinite_slope(n.op) && chooses[ExprId{in[i]}])
          change = select(pool, pool.intern(without_events(Node{Op::Equal, t.value, zero.value, 0, 0})), zero,
                          change);
        total = add(pool, total, change);
      }
      tangent.at(k) = total;
    }
  }
  return tangent.at(tangent.size() - 1);
}

}  // namespace

ExprId partial(ExprPool& pool, ExprId root, std::uint32_t slot, std::uint32_t order) {
  return forward(pool, root, [&](const Node& leaf) {
    bool it = order == 0 ? leaf.op == Op::Slot && leaf.a == slot
                         : leaf.op == Op::Der && leaf.a == slot && leaf.b == order;
    return pool.constant(it ? 1.0 : 0.0);
  });
}

ExprId time_derivative(ExprPool& pool, ExprId root) {
  return forward(pool, root, [&](const Node& leaf) {
    switch (leaf.op) {
      case Op::Slot: return pool.der(leaf.a, 1);
      case Op::Der: return pool.der(leaf.a, leaf.b + 1);
      case Op::Time: return pool.constant(1.0);
      default: return pool.constant(0.0);
    }
  });
}

std::optional<std::uint32_t> call_without_derivative(const ExprPool& pool, ExprId root) {
  PerNode<char> varies(pool, root, 0);
  for (std::size_t k = 0; k < varies.size(); ++k) {
    const Node& n = pool[varies.id(k)];
    bool any = n.op == Op::Slot || n.op == Op::Der || n.op == Op::Time;
    for (std::uint32_t operand : operands(n)) any = any || varies[ExprId{operand}];
    varies.at(k) = any;
    if (!any || n.op < Op::Call1 || n.op > Op::Call3) continue;
    const CallDetail detail = call_detail(n.value);
    if (detail.argument != 0 || pool.library->functions[detail.function].partials.empty())
      return detail.function;
  }
  return std::nullopt;
}

std::vector<ExprId> gradient(ExprPool& pool, ExprId root, std::uint32_t slots) {
  const ExprId zero = pool.constant(0.0);
  std::vector<ExprId> result(slots, zero);
  PerNode<char> varies(pool, root, 0);
  bool branches = false;
  for (std::size_t k = 0; k < varies.size(); ++k) {
    const Node n = pool[varies.id(k)];
    bool any = n.op == Op::Slot;
    for (std::uint32_t operand : operands(n)) any = any || varies[ExprId{operand}];
    varies.at(k) = any;
    branches =
        branches || (any && (n.op == Op::Select || n.op == Op::Min || n.op == Op::Max || n.op == Op::Pow));
  }
  // The derivative of a branch that is not taken may be infinite. Forward mode never multiplies by it,
  // reverse mode would.
  if (branches && varies.size() * slots <= 10'000'000) {
    for (std::uint32_t k = 0; k < slots; ++k) result[k] = partial(pool, root, k);
    return result;
  }
  PerNode<ExprId> adjoint(pool, root, zero);
  adjoint.at(adjoint.size() - 1) = pool.constant(1.0);
  for (std::size_t k = adjoint.size(); k-- > 0;) {
    const ExprId id = adjoint.id(k);
    const ExprId sensitivity = adjoint.at(k);
    if (sensitivity == zero || !varies.at(k)) continue;
    const Node n = pool[id];
    if (n.op == Op::Slot) {
      if (n.a < slots) result[n.a] = sensitivity;
      continue;
    }
    auto in = operands(n);
    for (std::size_t i = 0; i < in.size(); ++i) {
      ExprId operand{in[i]};
      if (!varies[operand]) continue;
      ExprId contribution = times_partial(pool, id, i, sensitivity);
      ExprId& total = adjoint[operand];
      total = add(pool, total, contribution);
    }
  }
  return result;
}

std::vector<bool> slots_in_conditions(const ExprPool& pool, ExprId root, std::uint32_t slots) {
  std::vector<ExprId> looked_at;
  for (ExprId id : topological(pool, {&root, 1})) {
    const Node& n = pool[id];
    if (is_piecewise_constant(n.op)) looked_at.push_back(id);
    if (n.op == Op::Select) looked_at.push_back(ExprId{n.a});
  }
  std::vector<bool> result(slots, false);
  for (ExprId id : topological(pool, looked_at))
    if (pool[id].op == Op::Slot || pool[id].op == Op::Der) result[pool[id].a] = true;
  return result;
}

bool homogeneous(const ExprPool& pool, ExprId root) {
  ExprPool scratch;
  scratch.library = pool.library;
  ExprId at_zero = rewrite(pool, root, scratch, [&](const Node& leaf) {
    return leaf.op == Op::Slot || leaf.op == Op::Der ? scratch.constant(0.0) : scratch.intern(leaf);
  });
  return scratch[at_zero].op == Op::Const && scratch[at_zero].value == 0;
}

}  // namespace sigrel::symbolic
