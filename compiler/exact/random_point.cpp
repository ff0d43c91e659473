#include "compiler/exact/random_point.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace sigrel::exact {

Field random_element(Coordinate kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t h = 0x9E3779B97F4A7C15ull * (static_cast<std::uint64_t>(kind) + 1);
  for (std::uint64_t x : {a, b, c}) {
    h = (h ^ x) * 0xFF51AFD7ED558CCDull;
    h ^= h >> 29;
    h *= 0xC4CEB9FE1A85EC53ull;
    h ^= h >> 32;
  }
  return Field::from_bits(h);
}

namespace {

/// Integers and short binary fractions are exact, as simplification makes 0.25 of 1 / 4.
Field number(double value) {
  constexpr std::int64_t kPlaces = 1024;
  if (std::floor(value) == value && std::fabs(value) < 1e15) return Field(static_cast<std::int64_t>(value));
  if (const double scaled = value * kPlaces; std::floor(scaled) == scaled && std::fabs(scaled) < 1e15)
    return Field(static_cast<std::int64_t>(scaled)) * Field(kPlaces).inverse();
  const Field magnitude = random_element(Coordinate::Number, std::bit_cast<std::uint64_t>(std::fabs(value)));
  return value < 0 ? -magnitude : magnitude;
}

Field integer_power(Field a, std::int32_t exponent) {
  return (exponent < 0 ? a.inverse() : a).power(static_cast<std::uint64_t>(std::abs(std::int64_t{exponent})));
}

/// An operation of up to three operands; not PowInt.
Field operation(Op op, Field a, Field b, Field c) {
  switch (op) {
    case Op::Neg: return -a;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a * b.inverse();
    case Op::Abs:
    case Op::Sign:
    case Op::Sqrt:
    case Op::Sin:
    case Op::Tan:
    case Op::Asin:
    case Op::Atan:
    case Op::Sinh:
    case Op::Tanh:
    case Op::Asinh:
    case Op::Atanh:
      if (a.zero()) return Field{};
      [[fallthrough]];
    default: {
      const int k = arity(op);
      const auto function = static_cast<Coordinate>(static_cast<std::uint64_t>(Coordinate::Function) +
                                                    static_cast<std::uint64_t>(op));
      return random_element(function, a.residue(), k > 1 ? b.residue() : 0, k > 2 ? c.residue() : 0);
    }
  }
}

}  // namespace

bool is_integer(const system::Parameter& parameter) {
  return parameter.op == Op::Const && std::floor(parameter.value) == parameter.value &&
         std::fabs(parameter.value) < 1e6;
}

std::optional<std::int32_t> integer_exponent(const system::System& system, const system::Parameter& power) {
  if (power.op != Op::Pow || !is_integer(system.parameters[power.b])) return std::nullopt;
  return static_cast<std::int32_t>(system.parameters[power.b].value);
}

std::vector<Field> parameter_values(const system::System& system) {
  std::vector<bool> named(system.parameters.size(), false);
  for (const system::NamedParameter& p : system.named_parameters) named[p.parameter] = true;
  std::vector<Field> result;
  result.reserve(named.size());
  for (std::uint32_t p = 0; p < named.size(); ++p) {
    const system::Parameter& definition = system.parameters[p];
    const int operands = arity(definition.op);
    auto operand = [&](int k, std::uint32_t of) { return k < operands ? result[of] : Field{}; };
    if (is_integer(definition) && !named[p])
      result.push_back(number(definition.value));
    else if (named[p] || definition.op == Op::Const)
      result.push_back(random_element(Coordinate::Parameter, p));
    else if (const auto exponent = integer_exponent(system, definition); exponent && !named[definition.b])
      result.push_back(integer_power(result[definition.a], *exponent));
    else
      result.push_back(operation(definition.op, operand(0, definition.a), operand(1, definition.b),
                                 operand(2, definition.c)));
  }
  return result;
}

PointEvaluator::PointEvaluator(const ExprPool& pool, const std::vector<ExprId>& roots, const Zeros* zeros)
    : zeros_(zeros) {
  const std::vector<ExprId> ids = topological(pool, roots);
  const auto place = [&](std::uint32_t id) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(ids, id, {}, &ExprId::value) - ids.begin());
  };
  nodes_.reserve(ids.size());
  for (ExprId id : ids) {
    Node& n = nodes_.emplace_back(pool[id]);
    const int k = arity(n.op);
    if (k > 0) n.a = place(n.a);
    if (k > 1) n.b = place(n.b);
    if (k > 2) n.c = place(n.c);
  }
  for (ExprId root : roots) roots_.push_back(place(root.value));
  value_.resize(nodes_.size());
}

PointEvaluator::PointEvaluator(const ExprPool& pool, const std::vector<ExprId>& roots,
                               const std::vector<Field>& parameters)
    : PointEvaluator(pool, roots) {
  parameters_ = &parameters;
}

std::vector<Field> PointEvaluator::row(std::span<const std::uint32_t> slots,
                                       std::span<const std::uint32_t> params) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) value_[i] = node(nodes_[i], slots, params);
  std::vector<Field> result;
  for (std::uint32_t root : roots_) result.push_back(value_[root]);
  return result;
}

Field PointEvaluator::node(const Node& n, std::span<const std::uint32_t> slots,
                           std::span<const std::uint32_t> params) const {
  switch (n.op) {
    case Op::Const: return number(n.value);
    case Op::Slot:
      if (zeros_ && zeros_->variable(slots[n.a])) return Field{};
      return random_element(Coordinate::Variable, slots[n.a]);
    case Op::Param:
      if (zeros_ && zeros_->parameter(params[n.a])) return Field{};
      if (parameters_ && params[n.a] < parameters_->size()) return (*parameters_)[params[n.a]];
      return random_element(Coordinate::Parameter, params[n.a]);
    case Op::Time: return random_element(Coordinate::Time, 0);
    case Op::PowInt: return integer_power(value_[n.a], static_cast<std::int32_t>(n.b));
    default: {
      const int k = arity(n.op);
      return operation(n.op, k > 0 ? value_[n.a] : Field{}, k > 1 ? value_[n.b] : Field{},
                       k > 2 ? value_[n.c] : Field{});
    }
  }
}

}  // namespace sigrel::exact
