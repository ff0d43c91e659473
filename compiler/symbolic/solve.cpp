// Linear forms and explicit solutions.
#include "compiler/symbolic/algebra.h"

namespace sigrel::symbolic {
namespace {

/// Whether the factor of an unknown is nonzero wherever the equation determines the unknown: a nonzero
/// number, an expression of parameters only (if it vanishes, the equation does not determine the unknown,
/// however it is solved), an exponential, or a product or quotient of these.
bool is_pivot(const ExprPool& pool, ExprId root) {
  if (is_constant(pool, root, 0)) return false;
  std::vector<ExprId> work{root};
  while (!work.empty()) {
    ExprId id = work.back();
    work.pop_back();
    const Node& n = pool[id];
    switch (n.op) {
      case Op::Mul:
      case Op::Div:
        work.push_back(ExprId{n.a});
        work.push_back(ExprId{n.b});
        continue;
      case Op::Neg:
      case Op::Abs:
      case Op::Sqrt:
      case Op::PowInt: work.push_back(ExprId{n.a}); continue;
      case Op::Exp:
      case Op::Cosh: continue;
      default: break;
    }
    for (ExprId part : topological(pool, std::span<const ExprId>(&id, 1))) {
      Op op = pool[part].op;
      if (op == Op::Slot || op == Op::Der || op == Op::Time) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Linear> linear_in(ExprPool& pool, ExprId root, std::uint32_t slot) {
  const ExprId zero = pool.constant(0.0), one = pool.constant(1.0);
  PerNode<Linear> form(pool, root, {zero, zero});
  for (std::size_t k = 0; k < form.size(); ++k) {
    const ExprId id = form.id(k);
    const Node n = pool[id];
    auto in = operands(n);
    Linear& f = form.at(k);
    if (in.empty()) {
      if (n.op == Op::Der && n.a == slot) return std::nullopt;
      f = n.op == Op::Slot && n.a == slot ? Linear{one, zero} : Linear{zero, id};
      continue;
    }
    Linear x[3];
    bool depends = false;
    for (std::size_t i = 0; i < in.size(); ++i) {
      x[i] = form[ExprId{in[i]}];
      depends = depends || x[i].factor != zero;
    }
    if (!depends) {  // the slot may occur and cancel
      Node rest = n;
      rest.a = x[0].rest.value;
      if (in.size() > 1) rest.b = x[1].rest.value;
      if (in.size() > 2) rest.c = x[2].rest.value;
      f = {zero, rest == n ? id : simplified(pool, rest)};
      continue;
    }
    switch (n.op) {
      case Op::Neg: f = {neg(pool, x[0].factor), neg(pool, x[0].rest)}; break;
      case Op::Add: f = {add(pool, x[0].factor, x[1].factor), add(pool, x[0].rest, x[1].rest)}; break;
      case Op::Sub: f = {sub(pool, x[0].factor, x[1].factor), sub(pool, x[0].rest, x[1].rest)}; break;
      case Op::Mul:
        if (x[0].factor != zero && x[1].factor != zero) return std::nullopt;
        if (x[1].factor != zero) std::swap(x[0], x[1]);
        f = {mul(pool, x[0].factor, x[1].rest), mul(pool, x[0].rest, x[1].rest)};
        break;
      case Op::Div:
        if (x[1].factor != zero) return std::nullopt;
        f = {div(pool, x[0].factor, x[1].rest), div(pool, x[0].rest, x[1].rest)};
        break;
      case Op::Select:
        if (x[0].factor != zero) return std::nullopt;
        f = {select(pool, x[0].rest, x[1].factor, x[2].factor),
             select(pool, x[0].rest, x[1].rest, x[2].rest)};
        break;
      default: return std::nullopt;
    }
  }
  return form.at(form.size() - 1);
}

namespace {

/// The solution of factor * slot + rest = 0.
ExprId solution(ExprPool& pool, const Linear& linear) {
  const Node factor = pool[linear.factor];
  if (factor.op == Op::Neg) return div(pool, linear.rest, ExprId{factor.a});
  if (factor.op == Op::Const && factor.value < 0) return div(pool, linear.rest, pool.constant(-factor.value));
  return div(pool, neg(pool, linear.rest), linear.factor);
}

}  // namespace

std::optional<ExprId> solve_for(ExprPool& pool, ExprId root, std::uint32_t slot) {
  const auto linear = linear_in(pool, root, slot);
  if (!linear || !is_pivot(pool, linear->factor)) return std::nullopt;
  return solution(pool, *linear);
}

bool is_solvable_for(ExprPool& pool, ExprId root, std::uint32_t slot) {
  const auto linear = linear_in(pool, root, slot);
  return linear && is_pivot(pool, linear->factor);
}

std::optional<ExprId> quotient_for(ExprPool& pool, ExprId root, std::uint32_t slot) {
  const auto linear = linear_in(pool, root, slot);
  if (!linear) return std::nullopt;
  return solution(pool, *linear);
}

}  // namespace sigrel::symbolic
