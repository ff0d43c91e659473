#include "compiler/session/jumps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_set>

#include "compiler/base/index_table.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/library.h"
#include "compiler/symbolic/symbolic.h"
#include "runtime/linear/sparse_qr.h"

namespace sigrel::session {
namespace {

constexpr std::uint32_t kNone = dae::kNone;
constexpr int kIterations = 20;
constexpr double kConverged = 1e-12;
// Impulses that are rounding errors, as a part of the largest one; by how much others outweigh values.
constexpr double kRounding = 1e-9, kOutweighs = 1e30;
constexpr double kAgree = 1e-6;        // jumps by the coefficients before and after the instant
constexpr double kInterrupted = 1e-4;  // of the largest flow: a smaller one is an error of the instant

/// Values of expressions at a point, node by node.
class Values {
 public:
  Values(const ExprPool& pool, std::vector<ExprId> roots) : pool_(pool), roots_(std::move(roots)) {
    nodes_ = topological(pool, roots_);
    for (std::size_t k = 0; k < nodes_.size(); ++k) place_.emplace(nodes_[k], k);
    values_.resize(nodes_.size());
  }
  /// Of the roots, for these slots and parameters.
  template <class Slot, class Parameter>
  void evaluate(double time, Slot slot, Parameter parameter, std::vector<double>& out) {
    for (std::size_t k = 0; k < nodes_.size(); ++k) {
      const Node n = pool_[nodes_[k]];
      auto operand = [&](std::uint32_t id) { return values_[place_.at(ExprId{id})]; };
      const int count = arity(n.op);
      if (n.op == Op::Slot)
        values_[k] = slot(n.a);
      else if (n.op == Op::Der)
        values_[k] = std::numeric_limits<double>::quiet_NaN();
      else if (n.op == Op::Param)
        values_[k] = parameter(n.a);
      else if (n.op == Op::Time)
        values_[k] = time;
      else if (n.op == Op::Const)
        values_[k] = n.value;
      else if (n.op == Op::PowInt)
        values_[k] = std::pow(operand(n.a), static_cast<std::int32_t>(n.b));
      else
        values_[k] = apply(pool_.library.get(), n.op, n.value, operand(n.a), count > 1 ? operand(n.b) : 0,
                           count > 2 ? operand(n.c) : 0);
    }
    out.clear();
    for (const ExprId root : roots_) out.push_back(values_[place_.at(root)]);
  }

 private:
  const ExprPool& pool_;
  std::vector<ExprId> roots_, nodes_;
  std::unordered_map<ExprId, std::size_t> place_;
  std::vector<double> values_;
};

class JumpSystem {
 public:
  JumpSystem(const dae::System& dae, double time, std::span<const double> parameters)
      : dae_(dae), pool_(dae.exprs), equations_(dae.equations), time_(time), parameters_(parameters) {
    number_variables();
    number_equations();
  }
  bool is_square() const { return leading_.size() == rows_.size(); }
  std::size_t size() const { return leading_.size(); }
  std::uint32_t leading(std::size_t column) const { return leading_[column]; }

  /// The jumps and impulses at these values of all variables: those before where they jump. `at`: the values
  /// at which the coefficients are taken. False: they are not determined; `open`: the columns.
  bool solve(const std::vector<double>& at, const std::vector<double>& from, std::vector<double>& jumps,
             std::vector<bool>& determined) {
    std::vector<runtime::SparseMatrixEntry> entries;
    std::vector<double> right(rows_.size(), 0.0), row_scale(rows_.size(), 0.0), column_scale(size(), 0.0);
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      each_coefficient(rows_[r].highest, at, [&](std::uint32_t variable, double value) {
        if (column_[variable] != kNone && value != 0) entries.push_back({r, column_[variable], value});
      });
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (rows_[r].below != kNone) right[r] = -residual(rows_[r].below, from);
    for (const auto& e : entries) row_scale[e.row] = std::max(row_scale[e.row], std::abs(e.value));
    for (auto& e : entries) {
      e.value /= row_scale[e.row];
      column_scale[e.column] = std::max(column_scale[e.column], std::abs(e.value));
    }
    for (auto& e : entries) e.value /= column_scale[e.column];
    for (std::uint32_t r = 0; r < rows_.size(); ++r)
      if (row_scale[r] > 0) right[r] /= row_scale[r];
    const runtime::SparseQr qr(rows_.size(), size(), entries);
    determined = qr.determined();
    jumps = qr.solve(right);
    for (std::size_t c = 0; c < jumps.size(); ++c)
      if (column_scale[c] > 0) jumps[c] /= column_scale[c];
    return qr.rank() == size();
  }

  /// The variables that jump, by column: the derivatives below the highest ones; kNone: an impulse.
  std::uint32_t jumping(std::size_t column) const { return dae_.variables[leading_[column]].integral; }

 private:
  // Selected states of state sets repeat candidates: they are left out, with the equations that define them.
  bool is_selected(std::uint32_t variable) const { return dae_.variables[variable].set != kNone; }

  void number_variables() {
    column_.assign(dae_.variables.size(), kNone);
    for (std::uint32_t v = 0; v < dae_.variables.size(); ++v) {
      if (dae_.variables[v].derivative != kNone || is_selected(v)) continue;
      column_[v] = static_cast<std::uint32_t>(leading_.size());
      leading_.push_back(v);
    }
  }

  void number_equations() {
    const std::uint32_t count = equations_.count();
    std::vector<bool> is_differentiated(count, false);
    const auto original = [&](std::uint32_t e) {
      return dae_.derivative_of.empty() ? kNone : dae_.derivative_of[e];
    };
    for (std::uint32_t e = 0; e < count; ++e)
      if (original(e) != kNone) is_differentiated[original(e)] = true;
    for (std::uint32_t e = 0; e < count; ++e) {
      bool selects = false;
      equations_.each_variable(EquationId{e}, [&](VariableId v) { selects |= is_selected(v.value); });
      if (!is_differentiated[e] && !selects) rows_.push_back({e, original(e)});
    }
  }

  Values& evaluator(const EquationTable& table, bool gradient) {
    auto& known = gradient ? gradients_ : residuals_;
    const auto found = known.find(&table);
    if (found != known.end()) return found->second;
    std::vector<ExprId> roots{table.residual};
    if (gradient) roots = symbolic::gradient(pool_, table.residual, table.slots);
    return known.try_emplace(&table, pool_, std::move(roots)).first->second;
  }

  template <class Visit>
  void each_coefficient(std::uint32_t equation, const std::vector<double>& at, Visit visit) {
    const incidence::EquationList::Section& s = equations_.section(EquationId{equation});
    const std::uint32_t row = s.row_of(EquationId{equation});
    if (!s.table) {
      for (const Term t : s.sums->terms_of(row)) visit(t.unknown(), t.negative() ? -1.0 : 1.0);
      return;
    }
    evaluate(evaluator(*s.table, true), *s.table, row, at);
    const auto unknowns = s.table->unknowns_of(row);
    for (std::size_t k = 0; k < unknowns.size(); ++k) visit(unknowns[k], results_[k]);
  }

  double residual(std::uint32_t equation, const std::vector<double>& at) {
    const incidence::EquationList::Section& s = equations_.section(EquationId{equation});
    const std::uint32_t row = s.row_of(EquationId{equation});
    if (s.table) {
      evaluate(evaluator(*s.table, false), *s.table, row, at);
      return results_[0];
    }
    double sum = 0;
    for (const Term t : s.sums->terms_of(row)) sum += t.negative() ? -at[t.unknown()] : at[t.unknown()];
    return sum;
  }

  void evaluate(Values& values, const EquationTable& table, std::uint32_t row,
                const std::vector<double>& at) {
    const auto unknowns = table.unknowns_of(row);
    const auto numbers = table.parameters_of(row);
    values.evaluate(
        time_, [&](std::uint32_t k) { return at[unknowns[k]]; },
        [&](std::uint32_t k) { return numbers[k] < parameters_.size() ? parameters_[numbers[k]] : 0.0; },
        results_);
  }

  struct Row {
    std::uint32_t highest, below;  // the equation differentiated c times, and c - 1 times; kNone if c = 0
  };
  const dae::System& dae_;
  ExprPool pool_;  // gradients are added
  incidence::EquationList equations_;
  double time_;
  std::span<const double> parameters_;
  std::vector<std::uint32_t> column_, leading_;  // by variable; by column: the highest derivative
  std::vector<Row> rows_;
  std::unordered_map<const EquationTable*, Values> residuals_, gradients_;
  std::vector<double> results_;
};

/// By unknown: whether it is the flow of a node, or equal to one or to its negative.
std::vector<bool> flows(const system::System& system) {
  std::vector<std::uint32_t> parent(system.unknowns);
  std::iota(parent.begin(), parent.end(), std::uint32_t{0});
  const auto set_of = [&](std::uint32_t u) {
    while (parent[u] != u) u = parent[u] = parent[parent[u]];
    return u;
  };
  const SumTable& sums = system.equations.sums;
  for (std::size_t row = 0; row < sums.rows(); ++row)
    if (const auto terms = sums.terms_of(row); terms.size() == 2)
      parent[set_of(terms[0].unknown())] = set_of(terms[1].unknown());
  const auto is_slot = [&](std::uint32_t id) { return system.exprs[ExprId{id}].op == Op::Slot; };
  for (const EquationTable& table : system.equations.tables) {
    const Node& residual = system.exprs[table.residual];
    if (table.slots != 2 || (residual.op != Op::Sub && residual.op != Op::Add) || !is_slot(residual.a) ||
        !is_slot(residual.b))
      continue;
    for (std::size_t row = 0; row < table.rows(); ++row)
      parent[set_of(table.unknowns_of(row)[0])] = set_of(table.unknowns_of(row)[1]);
  }
  std::vector<bool> result(system.unknowns, false);
  for (const system::Instance& self : system.instances) {
    const auto& locals = system.templates[self.body].locals;
    for (std::uint32_t k = 0; k < locals.size(); ++k)
      if (locals[k].kind == system::UnknownKind::Flow) result[set_of(self.first_unknown + k)] = true;
  }
  for (std::uint32_t u = 0; u < result.size(); ++u) result[u] = result[set_of(u)];
  return result;
}

}  // namespace

std::vector<Differentiated> differentiated(const system::System& system) {
  std::vector<Differentiated> result;
  std::unordered_set<std::uint64_t> seen;
  for (const EquationTable& table : system.equations.tables) {
    if (table.rows() == 0) continue;
    std::vector<std::uint32_t> order(table.slots, 0);
    for (const ExprId id : topological(system.exprs, {&table.residual, 1})) {
      const Node n = system.exprs[id];
      if (n.op == Op::Der) order[n.a] = std::max(order[n.a], n.b);
    }
    for (std::uint32_t slot = 0; slot < table.slots; ++slot) {
      Origins::InOrder origins(table.origins);
      for (std::size_t row = 0; row < table.rows() && order[slot] > 0; ++row) {
        const bool discrete = system.sources[origins[row].source].kind == system::EquationKind::Event;
        for (std::uint32_t k = 0; k < order[slot]; ++k)
          if (const std::uint32_t u = table.unknowns_of(row)[slot];
              seen.insert(std::uint64_t{u} << 32 | k).second)
            result.push_back({u, k, discrete});
      }
    }
  }
  return result;
}

std::vector<std::uint32_t> tied_to_states(const dae::System& dae, std::span<const runtime::State> states) {
  std::vector<std::uint32_t> result;
  if (dae.derivative_of.empty()) return result;
  const auto variables = static_cast<std::uint32_t>(dae.variables.size());
  std::vector<bool> is_state(variables, false), with_state(variables, false), known(variables, false);
  for (const runtime::State& s : states) is_state[s.variable] = true;
  // Each set of variables that constraints tie to each other has one that represents it.
  std::vector<std::uint32_t> parent(variables);
  std::iota(parent.begin(), parent.end(), std::uint32_t{0});
  const auto set_of = [&](std::uint32_t v) {
    while (parent[v] != v) v = parent[v] = parent[parent[v]];
    return v;
  };
  incidence::EquationList equations(dae.equations);
  std::vector<std::uint32_t> tied;
  for (const std::uint32_t constraint : dae.derivative_of) {
    if (constraint == kNone) continue;
    std::uint32_t first = kNone;
    equations.each_variable(EquationId{constraint}, [&](VariableId v) {
      if (dae.variables[v.value].derivative == kNone && !is_state[v.value]) return;
      if (first == kNone) first = v.value;
      parent[set_of(v.value)] = set_of(first);
      if (!known[v.value] && !is_state[v.value]) tied.push_back(v.value);
      known[v.value] = true;
    });
  }
  for (const dae::StateSet& set : dae.sets)
    for (const std::uint32_t candidate : set.candidates)
      for (const std::uint32_t selected : set.states)
        parent[set_of(dae.variables[candidate].integral)] = set_of(selected);
  for (const runtime::State& s : states) with_state[set_of(s.variable)] = true;
  for (const std::uint32_t v : tied)
    if (with_state[set_of(v)]) result.push_back(v);
  return result;
}

Jumps solve_jumps(const dae::System& kept, double time, std::span<const double> parameters,
                  const std::function<double(std::uint32_t, std::uint32_t, bool)>& value,
                  const std::function<double(std::uint32_t)>& nominal) {
  Jumps result;
  JumpSystem jumps(kept, time, parameters);
  if (!jumps.is_square()) {
    result.failure = "the equations of the new structure do not determine them";
    return result;
  }
  std::vector<double> before(kept.variables.size());
  for (std::uint32_t v = 0; v < before.size(); ++v) {
    const dae::Variable& variable = kept.variables[v];
    before[v] = value(variable.unknown, variable.order, variable.derivative != kNone);
  }
  auto is_open = [&](const std::vector<bool>& determined) {
    for (std::size_t c = 0; c < jumps.size(); ++c)
      if (!determined[c]) result.unknowns.push_back(kept.variables[jumps.leading(c)].unknown);
    result.failure = "the equations of the new structure do not determine them";
  };
  // Newton's method: constraints may be nonlinear in what jumps. Coefficients are those before.
  std::vector<double> after = before, step;
  std::vector<bool> determined;
  std::vector<double> total(jumps.size(), 0.0);
  auto size_of = [&](std::uint32_t v) {
    return std::max({std::abs(before[v]), std::abs(after[v]), nominal(kept.variables[v].unknown)});
  };
  auto iterate = [&](bool coefficients_before) {
    after = before;
    std::ranges::fill(total, 0.0);
    for (int iteration = 0; iteration < kIterations; ++iteration) {
      if (!jumps.solve(coefficients_before ? before : after, after, step, determined)) return false;
      double largest = 0;
      for (std::size_t c = 0; c < jumps.size(); ++c) {
        // An equation without constraint has the right-hand side zero: its unknowns are those of the whole
        // jump.
        const std::uint32_t v = jumps.jumping(c);
        total[c] += step[c];
        if (v == kNone) continue;
        after[v] += step[c];
        largest = std::max(largest, std::abs(step[c]) / size_of(v));
      }
      if (largest <= kConverged) return true;
    }
    return true;
  };
  if (!iterate(true)) {
    is_open(determined);
    return result;
  }
  const std::vector<double> first = after, impulses = total;
  if (!iterate(false)) {
    is_open(determined);
    return result;
  }
  for (std::size_t c = 0; c < jumps.size(); ++c) {
    const std::uint32_t v = jumps.jumping(c);
    if (v == kNone || std::abs(after[v] - first[v]) <= kAgree * size_of(v)) continue;
    result.failure =
        "what they depend on changes at the same instant, so that the order of changes would matter";
    result.unknowns.push_back(kept.variables[v].unknown);
  }
  for (std::size_t c = 0; c < jumps.size(); ++c) {
    const std::uint32_t v = jumps.jumping(c);
    const dae::Variable& variable = kept.variables[v == kNone ? jumps.leading(c) : v];
    if (v == kNone)
      result.impulses.push_back({variable.unknown, impulses[c]});
    else
      result.jumps.push_back({variable.unknown, variable.order, before[v], first[v]});
  }
  return result;
}

std::vector<std::uint32_t> due_by_impulses(const system::System& system, const dae::System& kept,
                                           const Jumps& jumps, double time,
                                           std::span<const double> parameters,
                                           const std::function<double(std::uint32_t)>& value) {
  double largest = 0;
  for (const Impulse& i : jumps.impulses) largest = std::max(largest, std::abs(i.value));
  std::vector<double> impulse_of(kept.variables.size(), 0.0);
  for (const Impulse& i : jumps.impulses) {
    const dae::Alias alias = kept.aliases[i.unknown];
    if (alias.kind != dae::Alias::Zero && std::abs(i.value) > kRounding * largest)
      impulse_of[alias.variable] = alias.kind == dae::Alias::Negated ? -i.value : i.value;
  }
  const auto impulse = [&](std::uint32_t unknown) {
    const dae::Alias alias = kept.aliases[unknown];
    if (alias.kind == dae::Alias::Zero) return 0.0;
    return alias.kind == dae::Alias::Negated ? -impulse_of[alias.variable] : impulse_of[alias.variable];
  };
  std::vector<bool> is_transition(system.events.triggers.size(), false);
  for (const system::Transition& t : system.transitions) is_transition[t.trigger] = true;
  std::vector<std::uint32_t> due;
  std::vector<double> result;
  for (const EquationTable& table : system.events.conditions.tables) {
    Values condition(system.exprs, {table.residual});
    for (std::size_t row = 0; row < table.rows(); ++row) {
      const auto unknowns = table.unknowns_of(row);
      const auto numbers = table.parameters_of(row);
      if (!is_transition[table.tags[row]] ||
          std::ranges::none_of(unknowns, [&](std::uint32_t u) { return impulse(u) != 0; }))
        continue;
      condition.evaluate(
          time, [&](std::uint32_t k) { return value(unknowns[k]) + impulse(unknowns[k]) * kOutweighs; },
          [&](std::uint32_t k) { return numbers[k] < parameters.size() ? parameters[numbers[k]] : 0.0; },
          result);
      if (result[0] != 0 && !std::isnan(result[0])) due.push_back(table.tags[row]);
    }
  }
  std::ranges::sort(due);
  return due;
}

std::vector<Jump> interrupted(const system::System& system, const dae::System& kept, const Jumps& jumps,
                              double time, std::span<const double> parameters,
                              const std::function<double(std::uint32_t, std::uint32_t, bool)>& value,
                              const std::function<double(std::uint32_t)>& nominal) {
  const auto vanishes = [](const Jump& j) { return std::abs(j.after) <= kRounding * std::abs(j.before); };
  const auto stops = [&](const Jump& j) { return j.order == 0 && j.before != 0 && vanishes(j); };
  std::vector<Jump> found;
  if (std::ranges::none_of(jumps.jumps, stops)) return found;
  const std::vector<bool> is_flow = flows(system);
  double largest = 0;
  for (const Jump& j : jumps.jumps)
    if (j.order == 0 && is_flow[j.unknown]) largest = std::max(largest, std::abs(j.before));
  for (const Jump& j : jumps.jumps)
    if (stops(j) && is_flow[j.unknown] &&
        std::abs(j.before) > kInterrupted * std::max(largest, nominal(j.unknown)))
      found.push_back(j);
  if (found.empty()) return found;
  // Flows that meet at zero by chance, such as those of two equal inductors with opposite currents, do so no
  // more with other values.
  const Jumps others = solve_jumps(
      kept, time, parameters,
      [&](std::uint32_t unknown, std::uint32_t order, bool before) {
        const double part = std::fmod(0.6180339887 * (unknown + 1.0), 1.0);
        return value(unknown, order, before) * (before ? 1.0 + part : 1.0);
      },
      nominal);
  if (!others.failure.empty()) return {};
  std::erase_if(found, [&](const Jump& j) {
    const auto other = std::ranges::find_if(
        others.jumps, [&](const Jump& o) { return o.unknown == j.unknown && o.order == j.order; });
    return other == others.jumps.end() || !vanishes(*other);
  });
  return found;
}

}  // namespace sigrel::session
