#include "compiler/reduce/mechanisms/relative_rotations.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "compiler/reduce/mechanisms/row_values.h"
#include "compiler/symbolic/algebra.h"

namespace sigrel::reduce {
namespace {

constexpr double kAgree = 1e-9;
// Generic points, at which forms are compared with matrices.
constexpr std::array<std::array<double, 4>, 3> kPoints{
    {{0.7, -1.3, 0.4, 2.1}, {-2.3, 0.6, 1.9, -0.8}, {1.9, 0.2, -0.7, 1.2}}};
constexpr std::array<double, 4> kRates{1.1, -0.6, 0.9, -1.7};

/// Whether the expression is smooth, and depends on slots and parameters alone.
bool is_smooth(const ExprPool& pool, ExprId root) {
  return std::ranges::all_of(topological(pool, {&root, 1}), [&](ExprId id) {
    switch (pool[id].op) {
      case Op::Const:
      case Op::Slot:
      case Op::Param:
      case Op::Add:
      case Op::Sub:
      case Op::Mul:
      case Op::Div:
      case Op::Neg:
      case Op::PowInt:
      case Op::Sin:
      case Op::Cos: return true;
      default: return false;
    }
  });
}

/// The axial vector of a skew-symmetric matrix; nullopt if it is not one.
std::optional<std::array<double, 3>> axial_vector(const std::array<double, 9>& m) {
  double size = 0, symmetric = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      size = std::max(size, std::abs(m[3 * i + j]));
      symmetric = std::max(symmetric, std::abs(m[3 * i + j] + m[3 * j + i]));
    }
  if (!(symmetric <= kAgree * size)) return std::nullopt;
  return std::array{m[7], m[2], m[3]};
}

/// The product of the first and the transpose of the second.
std::array<double, 9> times_transpose(const std::array<double, 9>& a, const std::array<double, 9>& b) {
  std::array<double, 9> result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) result[3 * i + j] += a[3 * i + k] * b[3 * j + k];
  return result;
}

bool is_rotation(const std::array<double, 9>& m) {
  const std::array<double, 9> product = times_transpose(m, m);
  for (std::size_t k = 0; k < 9; ++k)
    if (!(std::abs(product[k] - (k % 4 == 0 ? 1.0 : 0.0)) <= kAgree)) return false;
  const double determinant = m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) +
                             m[2] * (m[3] * m[7] - m[4] * m[6]);
  return determinant > 0;  // of a reflection angular velocities have the other sign
}

/// The angular velocity of the rotation of a quaternion of any length, in the axes that it starts from.
std::array<double, 3> rate_of_quaternion(const std::array<double, 4>& q, const std::array<double, 4>& d) {
  const double scale = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  std::array<double, 3> result{};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = 1 + (i + 1) % 3, k = 1 + (i + 2) % 3;
    result[i] = scale * (q[0] * d[1 + i] - d[0] * q[1 + i] + q[j] * d[k] - q[k] * d[j]);
  }
  return result;
}

bool near(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    size = std::max({size, std::abs(a[i]), std::abs(b[i])});
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  return difference <= kAgree * size;  // false for NaN
}

}  // namespace

RelativeRotations::RelativeRotations(const system::System& system, ExprPool& pool)
    : pool_(pool), own_(parameter_values(system)), changed_(changed_parameters(system)) {}

std::optional<RelativeRotation> RelativeRotations::of(const RotationEdge& edge) {
  if (!std::ranges::all_of(edge.parameters, [&](std::uint32_t p) { return changed_.is_analytic[p]; }))
    return std::nullopt;
  const Shape& shape = this->shape(edge);
  if (!shape.is_known || !agrees(edge, shape)) return std::nullopt;
  RelativeRotation result{shape.kind, shape.determines_from, shape.axis, {}};
  for (const std::uint32_t slot : shape.free) result.coordinates.push_back(edge.unknowns[slot]);
  return result;
}

const RelativeRotations::Shape& RelativeRotations::shape(const RotationEdge& edge) {
  std::vector<std::uint32_t> key;
  for (const ExprId residual : edge.residuals) key.push_back(residual.value);
  for (const std::uint32_t unknown : edge.to) key.push_back(edge.slot_of(unknown));
  if (edge.from)
    for (const std::uint32_t unknown : *edge.from) key.push_back(edge.slot_of(unknown));
  const auto [at, fresh] = shapes_.try_emplace(std::move(key));
  if (fresh) analyse(edge, at->second);
  return at->second;
}

void RelativeRotations::analyse(const RotationEdge& edge, Shape& shape) {
  if (!std::ranges::all_of(edge.residuals, [&](ExprId r) { return is_smooth(pool_, r); })) return;
  // residual = c (to - given), with c = 1 or -1; where the edge determines `from`: c (from - given).
  auto given = [&](const Rotation& result) -> std::optional<Matrix> {
    Matrix matrix;
    for (std::size_t k = 0; k < 9; ++k) {
      const std::uint32_t slot = edge.slot_of(result[k]);
      const ExprId c = symbolic::partial(pool_, edge.residuals[k], slot);
      const auto sign = symbolic::constant_value(pool_, c);
      if (!sign || std::abs(*sign) != 1) return std::nullopt;
      matrix[k] = symbolic::rewrite(
          pool_, symbolic::neg(pool_, symbolic::mul(pool_, c, edge.residuals[k])), pool_, [&](const Node& n) {
            return n.op == Op::Slot && n.a == slot ? pool_.constant(0) : pool_.intern(Node(n));
          });
    }
    return matrix;
  };
  std::vector<bool> is_free(edge.unknowns.size(), true);
  for (const std::uint32_t unknown : edge.to) is_free[edge.slot_of(unknown)] = false;
  std::optional<Matrix> matrix = given(edge.to);
  if (edge.from) {
    for (const std::uint32_t unknown : *edge.from) is_free[edge.slot_of(unknown)] = false;
    shape.determines_from = !matrix;
    if (!matrix) matrix = given(*edge.from);
    if (!matrix) return;
    const Rotation& other = shape.determines_from ? edge.to : *edge.from;
    // Each row is the row of the other rotation times the same matrix, and nothing else.
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        const ExprId element = (*matrix)[3 * i + j];
        for (std::size_t k = 0; k < 3; ++k) {
          const ExprId factor = symbolic::partial(pool_, element, edge.slot_of(other[3 * i + k]));
          ExprId& known = shape.matrix[shape.determines_from ? 3 * j + k : 3 * k + j];
          if (i == 0) known = factor;
          if (known != factor) return;
        }
        const ExprId rest = symbolic::rewrite(pool_, element, pool_, [&](const Node& n) {
          return n.op == Op::Slot && !is_free[n.a] ? pool_.constant(0) : pool_.intern(Node(n));
        });
        if (!symbolic::is_constant(pool_, rest, 0)) return;
      }
  } else {
    if (!matrix) return;
    shape.matrix = *matrix;
  }
  for (std::uint32_t slot = 0; slot < is_free.size(); ++slot)
    if (is_free[slot]) shape.free.push_back(slot);
  for (const ExprId element : shape.matrix)
    for (const ExprId id : topological(pool_, {&element, 1}))
      if (pool_[id].op == Op::Slot && !is_free[pool_[id].a]) return;
  for (const std::uint32_t slot : shape.free) {
    Matrix& partial = shape.partials.emplace_back();
    for (std::size_t k = 0; k < 9; ++k) partial[k] = symbolic::partial(pool_, shape.matrix[k], slot);
  }
  if (shape.free.empty()) {
    shape.kind = RelativeRotation::Fixed;
    shape.is_known = true;
  } else if (shape.free.size() == 1) {
    shape.kind = RelativeRotation::Axis;
    if (!find_angle(shape)) return;
    // The axis is that at 0: `agrees` finds that it is the same at other angles.
    auto at_zero = [&](ExprId element) {
      return symbolic::rewrite(pool_, element, pool_, [&](const Node& n) {
        return n.op == Op::Slot ? pool_.constant(0) : pool_.intern(Node(n));
      });
    };
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t p = (i + 2) % 3, q = (i + 1) % 3;
      ExprId sum = pool_.constant(0);
      for (std::size_t k = 0; k < 3; ++k)
        sum = symbolic::add(
            pool_, sum,
            symbolic::mul(pool_, at_zero(shape.partials[0][3 * p + k]), at_zero(shape.matrix[3 * q + k])));
      shape.axis[i] = symbolic::canonical(pool_, sum);
    }
    shape.is_known = true;
  } else if (shape.free.size() == 4) {
    shape.kind = RelativeRotation::Quaternion;
    shape.is_known = find_quaternion(edge, shape);
  }
}

/// Whether the matrix is one of sines and cosines of an angle that is linear in the slot for all parameters.
bool RelativeRotations::find_angle(Shape& shape) {
  const std::uint32_t slot = shape.free[0];
  std::optional<ExprId> angle;
  std::unordered_map<std::uint32_t, bool> depends;  // of nodes: outside of these sines and cosines
  for (const ExprId id : topological(pool_, shape.matrix)) {
    const Node& n = pool_[id];
    bool& here = depends[id.value];
    here = n.op == Op::Slot && n.a == slot;
    for (const std::uint32_t operand : symbolic::operands(n)) here = here || depends.at(operand);
    if (!here || (n.op != Op::Sin && n.op != Op::Cos)) continue;
    if (angle && *angle != ExprId{n.a}) return false;
    angle = ExprId{n.a};
    here = false;
  }
  if (!angle || std::ranges::any_of(shape.matrix, [&](ExprId id) { return depends.at(id.value); }))
    return false;
  shape.angle = *angle;
  shape.ratio = symbolic::partial(pool_, *angle, slot);
  return !symbolic::depends_on(pool_, shape.ratio, slot);
}

bool RelativeRotations::find_quaternion(const RotationEdge& edge, Shape& shape) {
  for (const ExprId id : topological(pool_, shape.matrix))
    if (pool_[id].op == Op::Param) return false;
  const std::vector<std::uint32_t> slots = shape.free;
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  do {
    std::vector<Matrix> partials;
    for (std::size_t k = 0; k < 4; ++k) {
      shape.free[k] = slots[order[k]];
      partials.push_back(shape.partials[order[k]]);
    }
    std::swap(partials, shape.partials);
    if (agrees(edge, shape)) return true;
    std::swap(partials, shape.partials);
  } while (std::ranges::next_permutation(order).found);
  return false;
}

bool RelativeRotations::agrees(const RotationEdge& edge, const Shape& shape) {
  if (!agrees_with_numbers(edge, shape, own_)) return false;
  return std::ranges::all_of(changed_.values, [&](const std::vector<double>& parameters) {
    const bool are_numbers =
        std::ranges::all_of(edge.parameters, [&](std::uint32_t p) { return std::isfinite(parameters[p]); });
    return !are_numbers || agrees_with_numbers(edge, shape, parameters);
  });
}

bool RelativeRotations::agrees_with_numbers(const RotationEdge& edge, const Shape& shape,
                                            const std::vector<double>& parameters) {
  auto value = [&](ExprId expr, std::span<const double> slots) {
    return this->value(expr, slots, edge, parameters);
  };
  auto values = [&](const Matrix& matrix, std::span<const double> slots) {
    Numbers result{};
    for (std::size_t k = 0; k < 9; ++k) result[k] = value(matrix[k], slots);
    return result;
  };
  std::vector<double> slots(edge.unknowns.size(), 0.0);
  for (const std::array<double, 4>& point : kPoints) {
    for (std::size_t k = 0; k < shape.free.size(); ++k) slots[shape.free[k]] = point[k];
    if (shape.kind == RelativeRotation::Axis) {  // at this angle
      slots[shape.free[0]] = 0;
      slots[shape.free[0]] = (point[0] - value(shape.angle, slots)) / value(shape.ratio, slots);
      if (!std::isfinite(slots[shape.free[0]])) return false;
    }
    const Numbers rotation = values(shape.matrix, slots);
    if (!is_rotation(rotation)) return false;
    if (shape.kind == RelativeRotation::Fixed) return true;
    Numbers rate{};
    for (std::size_t k = 0; k < shape.free.size(); ++k) {
      const Numbers partial = values(shape.partials[k], slots);
      for (std::size_t i = 0; i < 9; ++i)
        rate[i] += partial[i] * (shape.kind == RelativeRotation::Axis ? 1.0 : kRates[k]);
    }
    const auto velocity = axial_vector(times_transpose(rate, rotation));
    if (!velocity) return false;
    std::array<double, 3> expected{};
    if (shape.kind == RelativeRotation::Axis)
      for (std::size_t i = 0; i < 3; ++i) expected[i] = value(shape.axis[i], slots);
    else
      expected = rate_of_quaternion(point, kRates);
    if (!near(*velocity, expected)) return false;
  }
  return true;
}

double RelativeRotations::value(ExprId expr, std::span<const double> slots, const RotationEdge& edge,
                                const std::vector<double>& parameters) {
  const std::size_t before = pool_.size();
  const ExprId result = symbolic::rewrite(pool_, expr, pool_, [&](const Node& n) {
    if (n.op == Op::Slot) return pool_.constant(slots[n.a]);
    if (n.op == Op::Param) return pool_.constant(parameters[edge.parameters[n.a]]);
    return pool_.intern(Node(n));
  });
  const double number = symbolic::constant_value(pool_, result).value_or(std::nan(""));
  pool_.truncate(before);
  return number;
}

}  // namespace sigrel::reduce
