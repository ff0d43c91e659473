#include "compiler/reduce/mechanisms/row_values.h"

#include <algorithm>
#include <array>
#include <random>
#include <unordered_map>

#include "compiler/ir/library.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {

namespace {

/// With another value where `changes` is not zero: the value of the parameter is multiplied by it, and it is
/// added.
std::vector<double> parameter_values(const system::System& system, std::span<const double> changes) {
  std::vector<double> values;
  values.reserve(system.parameters.size());
  for (const system::Parameter& p : system.parameters) {
    const int n = arity(p.op);
    const double value = n == 0 ? p.value
                                : apply(system.exprs.library.get(), p.op, p.value, values[p.a],
                                        n > 1 ? values[p.b] : 0, n > 2 ? values[p.c] : 0);
    const double change = changes.empty() ? 0 : changes[values.size()];
    values.push_back(change == 0 ? value : value * change + change);
  }
  return values;
}

/// Whether the operation is analytic where it is defined, and is defined on a connected set. The root of a
/// sum is, as that of squares; that of one square is its magnitude.
bool is_analytic(const system::System& system, const system::Parameter& p) {
  switch (p.op) {
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::PowInt:
    case Op::Sin:
    case Op::Cos:
    case Op::Exp:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh:
    case Op::Atan: return true;
    case Op::Sqrt: return system.parameters[p.a].op == Op::Add || arity(system.parameters[p.a].op) == 0;
    default: return false;
  }
}

}  // namespace

std::vector<double> parameter_values(const system::System& system) { return parameter_values(system, {}); }

bool has_changeable_parameters(const system::System& system) {
  return std::ranges::any_of(system.named_parameters,
                             [](const system::NamedParameter& named) { return !named.structural; });
}

ChangedParameters changed_parameters(const system::System& system) {
  constexpr std::size_t kSets = 4;
  ChangedParameters result;
  std::minstd_rand random(1);
  for (std::size_t set = 0; set < kSets; ++set) {
    std::vector<double> changes(system.parameters.size(), 0.0);
    for (const system::NamedParameter& named : system.named_parameters) {
      if (named.structural) continue;
      const double size = 0.5 + static_cast<double>(random() % 1000) / 1000.0;
      const bool negative = set > 0 && random() % 2 == 1;
      changes[named.parameter] = negative ? -size : size;
    }
    result.values.push_back(parameter_values(system, changes));
  }
  std::vector<bool> changes(system.parameters.size(), false);
  for (const system::NamedParameter& named : system.named_parameters)
    changes[named.parameter] = changes[named.parameter] || !named.structural;
  result.is_analytic.assign(system.parameters.size(), true);
  for (std::size_t k = 0; k < system.parameters.size(); ++k) {
    const system::Parameter& p = system.parameters[k];
    bool of_changes = false;
    const std::array operands{p.a, p.b, p.c};
    for (int i = 0; i < arity(p.op); ++i) {
      const std::uint32_t operand = operands[static_cast<std::size_t>(i)];
      of_changes = of_changes || changes[operand];
      if (!result.is_analytic[operand]) result.is_analytic[k] = false;
    }
    if (of_changes && !is_analytic(system, p)) result.is_analytic[k] = false;
    changes[k] = changes[k] || of_changes;
  }
  return result;
}

RowValues::RowValues(system::System& system, const Equations& equations, double time)
    : system_(system),
      time_(time),
      equations_(equations),
      shapes_(equations.tables.size()),
      parameters_(parameter_values(system)) {
  for (std::uint32_t t = 0; t < equations.tables.size(); ++t)
    for (std::uint32_t row = 0; row < equations.tables[t].rows(); ++row) rows_.push_back({t, row});
  for (std::uint32_t row = 0; row < equations.sums.rows(); ++row) {
    rows_.push_back({static_cast<std::uint32_t>(equations.tables.size()), row});
    first_of_sum_.push_back(unknowns_of_sums_.size());
    for (const Term& term : equations.sums.terms_of(row)) unknowns_of_sums_.push_back(term.unknown());
  }
  first_of_sum_.push_back(unknowns_of_sums_.size());
}

Origin RowValues::origin(std::uint32_t equation) const {
  const Row at = rows_[equation];
  return at.table < equations_.tables.size() ? equations_.tables[at.table].origins[at.row]
                                             : equations_.sums.origins[at.row];
}

std::span<const std::uint32_t> RowValues::unknowns(std::uint32_t equation) const {
  const Row at = rows_[equation];
  if (at.table < equations_.tables.size()) return equations_.tables[at.table].unknowns_of(at.row);
  return std::span(unknowns_of_sums_)
      .subspan(first_of_sum_[at.row], first_of_sum_[at.row + 1] - first_of_sum_[at.row]);
}

bool RowValues::is_explicit(std::uint32_t equation, std::size_t k) {
  return rows_[equation].table >= equations_.tables.size() || shape(equation).is_constant[k];
}

bool RowValues::is_linear(std::uint32_t equation, std::size_t k) {
  return rows_[equation].table >= equations_.tables.size() || shape(equation).is_linear[k];
}

std::optional<std::size_t> RowValues::left_side(std::uint32_t equation) {
  const std::uint32_t table = rows_[equation].table;
  if (table >= equations_.tables.size()) return std::nullopt;
  const ExprPool& pool = system_.exprs;
  const Node& root = pool[equations_.tables[table].residual];
  if (root.op != Op::Sub) return std::nullopt;
  const Node& left = pool[ExprId{root.a}];
  if (left.op != Op::Slot || !is_explicit(equation, left.a)) return std::nullopt;
  return left.a;
}

const RowValues::Shape& RowValues::shape(std::uint32_t equation) {
  const std::uint32_t table = rows_[equation].table;
  if (table >= equations_.tables.size()) {
    sum_.slot_differentiated.resize(std::max(sum_.slot_differentiated.size(), unknowns(equation).size()),
                                    false);
    return sum_;
  }
  if (!shapes_[table]) build(equations_.tables[table], shapes_[table].emplace());
  return *shapes_[table];
}

void RowValues::build(const EquationTable& table, Shape& shape) {
  ExprPool& pool = system_.exprs;
  const std::size_t before = pool.size();
  shape.slot_differentiated.assign(table.slots, false);
  for (const ExprId id : topological(pool, {&table.residual, 1})) {
    shape.reads_time |= pool[id].op == Op::Time;
    if (pool[id].op == Op::Der) shape.differentiated = shape.slot_differentiated[pool[id].a] = true;
  }
  const ExprId residual = symbolic::rewrite(pool, table.residual, pool, [&](const Node& node) {
    return node.op == Op::Der    ? pool.constant(0)
           : node.op == Op::Time ? pool.constant(time_)
                                 : pool.intern(Node(node));
  });
  std::vector<ExprId> roots{residual};
  for (const ExprId partial : symbolic::gradient(pool, residual, table.slots)) {
    roots.push_back(partial);
    shape.is_constant.push_back(pool[partial].op == Op::Const && pool[partial].value != 0);
    const std::vector<ExprId> parts = topological(pool, {&partial, 1});
    shape.is_linear.push_back(
        std::ranges::none_of(parts, [&](ExprId id) { return pool[id].op == Op::Slot; }));
  }
  std::unordered_map<std::uint32_t, std::uint32_t> places;
  for (const ExprId id : topological(pool, roots)) {
    Node node = pool[id];
    const int n = arity(node.op);
    if (n > 0) node.a = places.at(node.a);
    if (n > 1) node.b = places.at(node.b);
    if (n > 2) node.c = places.at(node.c);
    places.emplace(id.value, static_cast<std::uint32_t>(shape.program.size()));
    shape.program.push_back(node);
  }
  for (const ExprId root : roots) shape.results.push_back(places.at(root.value));
  pool.truncate(before);
}

double RowValues::evaluate(std::uint32_t equation, std::span<const double> values,
                           std::vector<double>& gradient) {
  const Row at = rows_[equation];
  gradient.clear();
  if (at.table >= equations_.tables.size()) {
    double sum = 0;
    for (const Term& term : equations_.sums.terms_of(at.row)) {
      const double sign = term.negative() ? -1.0 : 1.0;
      sum += sign * values[term.unknown()];
      gradient.push_back(sign);
    }
    return sum;
  }
  const EquationTable& table = equations_.tables[at.table];
  const auto unknowns = table.unknowns_of(at.row), parameters = table.parameters_of(at.row);
  const Shape& shape = this->shape(equation);
  work_.clear();
  for (const Node& node : shape.program) {
    double v = 0;
    switch (node.op) {
      case Op::Const: v = node.value; break;
      case Op::Slot: v = values[unknowns[node.a]]; break;
      case Op::Param: v = parameters_[parameters[node.a]]; break;
      case Op::Time: v = time_; break;
      case Op::PowInt:
        v = apply(node.op, work_[node.a], static_cast<double>(static_cast<std::int32_t>(node.b)), 0);
        break;
      default: {
        const int n = arity(node.op);
        v = apply(system_.exprs.library.get(), node.op, node.value, work_[node.a], n > 1 ? work_[node.b] : 0,
                  n > 2 ? work_[node.c] : 0);
      }
    }
    work_.push_back(v);
  }
  for (std::size_t k = 1; k < shape.results.size(); ++k) gradient.push_back(work_[shape.results[k]]);
  return work_[shape.results[0]];
}

}  // namespace sigrel::reduce
