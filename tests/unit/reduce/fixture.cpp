#include "tests/unit/reduce/fixture.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fixture {

using namespace sigrel;

Builder::Builder() {
  system::Template body;
  body.relation = intern("model");
  body.span = {FileId{0u}, 0, 22};
  system.templates.push_back(body);
  system.instances.push_back({});
}

Span Builder::line(const std::string& text) {
  auto begin = static_cast<std::uint32_t>(source.size()) + 2;
  source += "  " + text + "\n";
  return {FileId{0u}, begin, begin + static_cast<std::uint32_t>(text.size())};
}

std::uint32_t Builder::unknown(std::string name, system::UnknownKind kind) {
  Span span = line("local " + name);
  system.templates[0].locals.push_back({local_name(name), span, kind});
  return system.unknowns++;
}

std::uint32_t Builder::parameter(double value) {
  system.parameters.push_back({Op::Const, 0, 0, 0, value});
  return static_cast<std::uint32_t>(system.parameters.size() - 1);
}

std::uint32_t Builder::add_shape(Equations& to, ExprId residual) {
  EquationTable table;
  table.residual = residual;
  for (ExprId id : topological(system.exprs, std::span<const ExprId>(&residual, 1))) {
    const Node& n = system.exprs[id];
    if (n.op == Op::Slot || n.op == Op::Der) table.slots = std::max(table.slots, n.a + 1);
    if (n.op == Op::Param) table.params = std::max(table.params, n.a + 1);
  }
  to.tables.push_back(table);
  return static_cast<std::uint32_t>(to.tables.size() - 1);
}

std::uint32_t Builder::shape(ExprId residual) { return add_shape(system.equations, residual); }
std::uint32_t Builder::initial_shape(ExprId residual) { return add_shape(system.initial, residual); }

Origin Builder::next_source(system::EquationKind kind, const std::string& text) {
  system.sources.push_back({kind, line(text), {}});
  return {0, static_cast<std::uint32_t>(system.sources.size() - 1)};
}

std::string Builder::text(const EquationTable& table, const std::vector<std::uint32_t>& unknowns,
                          const std::vector<std::uint32_t>& parameters) {
  return "0 = " +
         print(
             system.exprs, table.residual,
             [&](std::uint32_t k, std::uint32_t order) {
               std::string name = sigrel::text(system.templates[0].locals.at(unknowns.at(k)).name);
               return order == 0 ? name : "der " + name;
             },
             [&](std::uint32_t k) { return std::to_string(system.parameters.at(parameters.at(k)).value); });
}

namespace {
void append(EquationTable& table, const std::vector<std::uint32_t>& unknowns,
            const std::vector<std::uint32_t>& parameters, Origin origin) {
  if (unknowns.size() != table.slots || parameters.size() != table.params)
    throw std::logic_error("row does not fit its shape");
  table.unknowns.insert(table.unknowns.end(), unknowns.begin(), unknowns.end());
  table.parameters.insert(table.parameters.end(), parameters.begin(), parameters.end());
  table.origins.push_back(origin);
}
}  // namespace

void Builder::row(std::uint32_t shape, std::vector<std::uint32_t> unknowns,
                  std::vector<std::uint32_t> parameters) {
  EquationTable& table = system.equations.tables[shape];
  append(table, unknowns, parameters,
         next_source(system::EquationKind::Written, text(table, unknowns, parameters)));
}

void Builder::initial_row(std::uint32_t shape, std::vector<std::uint32_t> unknowns,
                          std::vector<std::uint32_t> parameters) {
  EquationTable& table = system.initial.tables[shape];
  append(table, unknowns, parameters,
         next_source(system::EquationKind::Initial, "initially " + text(table, unknowns, parameters)));
}

void Builder::sum(std::initializer_list<std::pair<std::uint32_t, bool>> terms) {
  SumTable& sums = system.equations.sums;
  std::string text = "0 =";
  for (auto [u, negative] : terms) {
    sums.terms.push_back(Term::of(u, negative));
    text += (negative ? " - " : " + ") + sigrel::text(system.templates[0].locals[u].name);
  }
  sums.offsets.push_back(static_cast<std::uint32_t>(sums.terms.size()));
  sums.origins.push_back(next_source(system::EquationKind::NodeSum, text));
}

void Builder::guess(std::uint32_t unknown, double value) {
  system.attributes.push_back({system::AttributeKind::Guess, unknown, parameter(value), {}});
}

namespace {

double eval(const plan::Plan& plan, ExprId root, const std::vector<double>& slots,
            const std::vector<double>& params, double time) {
  auto ids = topological(plan.exprs, std::span<const ExprId>(&root, 1));
  std::vector<double> value(root.value + 1);
  for (ExprId id : ids) {
    const Node& n = plan.exprs[id];
    double& v = value[id.value];
    switch (n.op) {
      case Op::Const: v = n.value; break;
      case Op::Slot: v = slots.at(n.a); break;
      case Op::Param: v = params.at(n.a); break;
      case Op::Time: v = time; break;
      case Op::Der: throw std::logic_error("a derivative in a kernel");
      case Op::PowInt: v = apply(n.op, value[n.a], static_cast<std::int32_t>(n.b), 0); break;
      default: {
        int k = arity(n.op);
        v = apply(n.op, value[n.a], k > 1 ? value[n.b] : 0, k > 2 ? value[n.c] : 0);
      }
    }
  }
  return value[root.value];
}

struct Row {
  std::vector<std::uint32_t> variables;
  std::vector<double> slots, params;
};

Row row_of(const plan::Plan& plan, const Evaluation& e, const runtime::KernelBatch& run, std::uint32_t i) {
  Row row;
  const auto* table = plan.model.tables.data() + run.table;
  for (std::uint32_t k = 0; k < run.slots; ++k) {
    row.variables.push_back(table[std::size_t{k} * run.count + i]);
    row.slots.push_back(e.values[row.variables.back()]);
  }
  for (std::uint32_t k = 0; k < run.params; ++k)
    row.params.push_back(e.parameters[table[std::size_t{run.slots + k} * run.count + i]]);
  return row;
}

/// Dense Newton on one loop, its inner variables among the unknowns.
void solve_loop(const plan::Plan& plan, Evaluation& e, const runtime::AlgebraicLoop& loop, double time) {
  const auto& m = plan.model;
  std::vector<std::uint32_t> unknowns(m.tearing_variables.begin() + loop.first_unknown,
                                      m.tearing_variables.begin() + loop.first_unknown + loop.unknowns);
  for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
    const auto& run = m.batches[r];
    const auto* table = m.tables.data() + run.table;
    for (std::uint32_t i = 0; i < run.count && run.role == runtime::Role::Solve; ++i)
      unknowns.push_back(run.kernel == runtime::kNone
                             ? (table + 2 * run.count + 1)[table[i] + table[run.count + 1 + i]] >> 1
                             : table[std::size_t{run.solved} * run.count + i]);
  }
  std::size_t n = unknowns.size();
  std::vector<int> column(m.variables, -1);
  for (std::size_t k = 0; k < n; ++k) column[unknowns[k]] = static_cast<int>(k);
  for (int iteration = 0; iteration < 50; ++iteration) {
    std::vector<std::vector<double>> a(n, std::vector<double>(n + 1, 0.0));
    std::size_t at = 0;
    for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
      const auto& run = m.batches[r];
      for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
        if (run.kernel == runtime::kNone) {
          const auto* offsets = m.tables.data() + run.table;
          const auto* terms = offsets + run.count + 1 + (run.role == runtime::Role::Solve ? run.count : 0);
          for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) {
            double sign = terms[k] & 1 ? -1 : 1;
            a[at][n] += sign * e.values[terms[k] >> 1];
            if (int c = column[terms[k] >> 1]; c >= 0) a[at][c] += sign;
          }
          continue;
        }
        Row row = row_of(plan, e, run, i);
        a[at][n] = eval(plan, plan.kernels[run.kernel].outputs[0], row.slots, row.params, time);
        if (run.role == runtime::Role::Solve)  // F = slope * (v - what the equation gives for v)
          a[at][n] = eval(plan, plan.kernels[run.partials].outputs[run.solved], row.slots, row.params, time) *
                     (row.slots[run.solved] - a[at][n]);
        for (std::uint32_t k = 0; k < run.slots; ++k)
          if (int c = column[row.variables[k]]; c >= 0)
            a[at][c] += eval(plan, plan.kernels[run.partials].outputs[k], row.slots, row.params, time);
      }
    }
    for (std::size_t k = 0; k < n; ++k) {  // Gauss with row pivoting
      std::size_t best = k;
      for (std::size_t i = k; i < n; ++i)
        if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
      std::swap(a[k], a[best]);
      if (a[k][k] == 0) throw std::runtime_error("singular loop");
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        double f = a[i][k] / a[k][k];
        for (std::size_t j = k; j <= n; ++j) a[i][j] -= f * a[k][j];
      }
    }
    double change = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double step = a[k][n] / a[k][k];
      e.values[unknowns[k]] -= step;
      change = std::max(change, std::fabs(step));
    }
    if (change < 1e-13) return;
  }
  throw std::runtime_error("a loop does not converge");
}

void run_steps(const plan::Plan& plan, Evaluation& e, const std::vector<runtime::Step>& steps, double time) {
  const auto& m = plan.model;
  for (const auto& step : steps) {
    if (step.kind == runtime::Step::Solve) {
      solve_loop(plan, e, m.loops[step.index], time);
      continue;
    }
    const auto& run = m.batches[step.index];
    const auto* table = m.tables.data() + run.table;
    for (std::uint32_t i = 0; i < run.count; ++i) {
      if (run.kernel == runtime::kNone) {
        const auto* positions = table + run.count + 1;
        const auto* terms = positions + run.count;
        std::uint32_t solved = table[i] + positions[i];
        double rest = 0;
        for (std::uint32_t k = table[i]; k < table[i + 1]; ++k)
          if (k != solved) rest += (terms[k] & 1 ? -1 : 1) * e.values[terms[k] >> 1];
        e.values[terms[solved] >> 1] = terms[solved] & 1 ? rest : -rest;
      } else {
        Row row = row_of(plan, e, run, i);
        e.values[row.variables[run.solved]] =
            eval(plan, plan.kernels[run.kernel].outputs[0], row.slots, row.params, time);
      }
    }
  }
}

}  // namespace

Evaluation evaluate_start(const plan::Plan& plan) {
  Evaluation e;
  for (const auto& rule : plan.model.parameters) {
    auto operand = [&](std::uint32_t k) { return k < e.parameters.size() ? e.parameters[k] : 0.0; };
    e.parameters.push_back(rule.op == 0
                               ? rule.value
                               : plan.model.operation(plan.model.library.get(), rule, operand(rule.a),
                                                      operand(rule.b), operand(rule.c)));
  }
  e.values.assign(plan.model.variables, 0.0);
  for (std::uint32_t v = 0; v < plan.model.variables; ++v)
    if (plan.model.start_of(v) != runtime::kNone) e.values[v] = e.parameters[plan.model.start_of(v)];
  run_steps(plan, e, plan.model.initial, 0);
  return e;
}

void evaluate_rates(const plan::Plan& plan, Evaluation& e, double time) {
  run_steps(plan, e, plan.model.dynamic, time);
  run_steps(plan, e, plan.model.observed, time);
}

double value_of(const dae::System& dae, const Evaluation& e, std::uint32_t unknown) {
  dae::Alias a = dae.aliases.at(unknown);
  if (a.kind == dae::Alias::Zero) return 0;
  return a.kind == dae::Alias::Negated ? -e.values[a.variable] : e.values[a.variable];
}

double rate_of(const dae::System& dae, const Evaluation& e, std::uint32_t unknown) {
  dae::Alias a = dae.aliases.at(unknown);
  if (a.kind == dae::Alias::Zero) return 0;
  double v = e.values.at(dae.variables.at(a.variable).derivative);
  return a.kind == dae::Alias::Negated ? -v : v;
}

}  // namespace fixture
