#include "compiler/ir/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sigrel::plan {
namespace {

using runtime::KernelBatch;
using runtime::Role;

[[noreturn]] void broken(const std::string& what) {
  std::fprintf(stderr, "internal error: plan::Plan: %s\n", what.c_str());
  std::abort();
}

/// The tables of a batch, read back.
struct Rows {
  const runtime::Model& model;
  const KernelBatch& batch;
  bool is_sum() const { return batch.kernel == runtime::kNone; }
  const std::uint32_t* table() const { return model.tables.data() + batch.table; }
  const std::uint32_t* positions() const { return table() + batch.count + 1; }
  const std::uint32_t* terms() const { return positions() + (batch.role == Role::Solve ? batch.count : 0); }
  std::uint32_t column(std::uint32_t k, std::uint32_t row) const {
    return table()[std::size_t{k} * batch.count + row];
  }
  std::uint32_t solved(std::uint32_t row) const {
    return is_sum() ? terms()[table()[row] + positions()[row]] >> 1 : column(batch.solved, row);
  }
  /// Calls visit(variable) for every variable of the row.
  template <class Visit>
  void each(std::uint32_t row, Visit visit) const {
    if (is_sum())
      for (std::uint32_t k = table()[row]; k < table()[row + 1]; ++k) visit(terms()[k] >> 1);
    else
      for (std::uint32_t k = 0; k < batch.slots; ++k) visit(column(k, row));
  }
};

void verify_batch(const Plan& plan, const KernelBatch& batch) {
  const runtime::Model& model = plan.model;
  Rows rows{model, batch};
  if (batch.count == 0) broken("an empty batch");
  if (batch.equations + batch.count > model.equations.size()) broken("a batch has no equation numbers");
  if (rows.is_sum()) {
    std::size_t size = batch.count + 1 + (batch.role == Role::Solve ? batch.count : 0);
    if (batch.table + size > model.tables.size() ||
        batch.table + size + rows.table()[batch.count] > model.tables.size())
      broken("the table of a sum batch is cut");
  } else {
    // Assertions and zero crossings are evaluated without partial derivatives.
    bool without_partials = batch.role == Role::Residual && batch.partials == runtime::kNone;
    if (batch.kernel >= plan.kernels.size() || (!without_partials && batch.partials >= plan.kernels.size()))
      broken("a batch has no kernel");
    const Kernel& kernel = plan.kernels[batch.kernel];
    if (kernel.role != batch.role) broken("a batch has a kernel of another role");
    if (kernel.slots != batch.slots || kernel.params != batch.params)
      broken("a batch and its kernel differ in slots");
    if (!without_partials) {
      const Kernel& partials = plan.kernels[batch.partials];
      if (partials.role != Role::Partials || partials.slots != batch.slots || partials.params != batch.params)
        broken("a batch and its partials differ in slots");
    }
    if (batch.role == Role::Solve && kernel.solved != batch.solved)
      broken("a batch and its kernel differ in the solved slot");
    if (batch.table + (std::size_t{batch.slots} + batch.params) * batch.count > model.tables.size())
      broken("the table of a batch is cut");
    for (std::uint32_t row = 0; row < batch.count; ++row)
      for (std::uint32_t k = 0; k < batch.params; ++k)
        if (rows.column(batch.slots + k, row) >= model.parameters.size())
          broken("a batch refers to no parameter");
  }
  for (std::uint32_t row = 0; row < batch.count; ++row)
    rows.each(row, [&](std::uint32_t v) {
      if (v >= model.variables) broken("a batch refers to no variable");
    });
}

/// Every step reads determined variables only, and determines each of its variables once.
void verify_schedule(const Plan& plan, const std::vector<runtime::Step>& steps, std::vector<bool>& known,
                     const char* name) {
  const runtime::Model& model = plan.model;
  auto determine = [&](std::uint32_t v) {
    if (known[v]) broken(fmt::format("{}: variable {} is determined twice", name, v));
    known[v] = true;
  };
  auto read = [&](std::uint32_t v) {
    if (!known[v]) broken(fmt::format("{}: variable {} is read before it is determined", name, v));
  };
  auto assign = [&](const KernelBatch& batch) {
    Rows rows{model, batch};
    // The rows of a batch are independent: they read only variables determined by earlier steps.
    for (std::uint32_t row = 0; row < batch.count; ++row)
      rows.each(row, [&](std::uint32_t v) {
        if (v != rows.solved(row)) read(v);
      });
    for (std::uint32_t row = 0; row < batch.count; ++row) determine(rows.solved(row));
  };
  for (const runtime::Step& step : steps) {
    if (step.kind == runtime::Step::Guess) {
      if (model.batches[step.index].role != Role::Solve) broken("a step of guesses does not assign");
    } else if (step.kind == runtime::Step::Assign) {
      if (model.batches[step.index].role != Role::Solve) broken("an assignment step does not assign");
      assign(model.batches[step.index]);
    } else {
      const runtime::AlgebraicLoop& loop = model.loops[step.index];
      for (std::uint32_t k = 0; k < loop.unknowns; ++k) {
        determine(model.tearing_variables[loop.first_unknown + k]);
        if (model.is_discrete(model.tearing_variables[loop.first_unknown + k]))
          broken("a discrete variable is a tearing variable");
      }
      std::uint32_t count = 0;
      for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
        const KernelBatch& batch = model.batches[r];
        if (batch.role == Role::Solve) {
          if (count > 0) broken("an inner equation of a loop follows a residual equation");
          assign(batch);
          continue;
        }
        Rows rows{model, batch};
        count += batch.count;
        for (std::uint32_t row = 0; row < batch.count; ++row) rows.each(row, read);
      }
      if (count != loop.unknowns) broken("a loop has not as many equations as unknowns");
    }
  }
}

}  // namespace

void verify(const Plan& plan) {
  const runtime::Model& model = plan.model;
  for (const auto* given : {&model.start, &model.first_iterate, &model.nominal})
    if (!given->empty() && given->size() != model.variables) broken("start or nominal is missing");
  for (std::uint32_t i = 0; i < model.parameters.size(); ++i) {
    const runtime::ParameterRule& rule = model.parameters[i];
    if (rule.op != 0 && rule.a >= i) broken("a parameter is computed from a later one");
  }
  for (const Kernel& kernel : plan.kernels) {
    if (kernel.outputs.size() != (kernel.role == Role::Partials ? kernel.slots : 1))
      broken("a kernel has wrong outputs");
    for (ExprId id : topological(plan.exprs, kernel.outputs)) {
      const Node& node = plan.exprs[id];
      if (node.op == Op::Der) broken("a kernel has a derivative");
      if (node.op == Op::Slot && node.a >= kernel.slots) broken("a kernel reads a slot that it lacks");
      if (node.op == Op::Slot && kernel.role == Role::Solve && node.a == kernel.solved)
        broken("a kernel reads the slot that it assigns");
      if (node.op == Op::Param && node.a >= kernel.params) broken("a kernel reads a parameter that it lacks");
    }
  }
  for (const KernelBatch& batch : model.batches) verify_batch(plan, batch);
  std::vector<bool> known(model.variables, false);
  verify_schedule(plan, model.initial, known, "initial");
  for (std::uint32_t v = 0; v < model.variables && !plan.initial_assign.empty(); ++v)
    if (!known[v]) broken(fmt::format("the start does not determine variable {}", v));
  known.assign(model.variables, false);
  for (const runtime::State& s : model.states) known[s.variable] = true;
  for (std::uint32_t v : model.constants) known[v] = true;
  verify_schedule(plan, model.invariant, known, "invariant");
  verify_schedule(plan, model.dynamic, known, "dynamic");
  for (const runtime::State& s : model.states)
    if (!known[s.derivative]) broken(fmt::format("the derivative {} is not determined", s.derivative));
  std::vector<bool> here = known;
  auto verify_reader = [&](std::uint32_t r, const char* what) {
    Rows rows{model, model.batches[r]};
    for (std::uint32_t row = 0; row < rows.batch.count; ++row)
      rows.each(row, [&](std::uint32_t v) {
        if (!here[v]) broken(fmt::format("{} reads variable {}, which is not determined", what, v));
      });
  };
  verify_schedule(plan, model.asserted, here, "asserted");
  for (std::uint32_t r : model.assertions) verify_reader(r, "an assertion");
  here = known;
  verify_schedule(plan, model.compared, here, "compared");
  for (const runtime::ZeroCrossing& r : model.zero_crossings) {
    verify_reader(r.batch, "a zero crossing");
    if (r.first + runtime::held_width(r.kind) * std::uint64_t{model.batches[r.batch].count} >
        model.parameters.size())
      broken("a zero crossing has no parameter");
  }
  for (std::uint32_t r : model.events.conditions) verify_reader(r, "a condition");
  std::vector<bool> assigned(model.batches.size(), false);
  for (std::uint32_t r : model.events.values) {
    verify_reader(r, "an assignment");
    assigned[r] = true;
  }
  std::vector<bool> kept(model.variables, false);
  for (const runtime::State& s : model.states) kept[s.variable] = true;
  for (std::uint32_t v : model.constants) kept[v] = true;
  // The numbers may be anything here.
  auto in = [&](const std::vector<bool>& set, std::uint32_t v) { return v < model.variables && set[v]; };
  for (const runtime::Assignment& a : model.events.assignments) {
    if (!in(kept, a.variable) || a.trigger >= model.events.triggers)
      broken(fmt::format("variable {} cannot be assigned", a.variable));
    if (a.value.batch >= assigned.size() || !assigned[a.value.batch] ||
        a.value.row >= model.batches[a.value.batch].count)
      broken("an assignment has no value");
  }
  for (const auto* triggers :
       {&model.events.condition_triggers, &model.events.initial, &model.events.terminal})
    for (const std::uint32_t t : *triggers)
      if (t >= model.events.triggers) broken("an event has no trigger");
  for (const runtime::Events::Alternative& a : model.events.alternatives)
    if (a.preceding >= a.trigger || a.trigger >= model.events.triggers)
      broken("an alternative is before its preceding trigger");
  for (const runtime::Events::Previous& p : model.events.previous)
    if (!in(kept, p.variable) || (p.of != runtime::kNone && !in(here, p.of)))
      broken("the argument of `pre` is not determined");
  for (const runtime::Delay& d : model.delays)
    if (!in(kept, d.variable) || (d.of != runtime::kNone && !in(here, d.of)) ||
        d.length >= model.parameters.size())
      broken("what is delayed is not known");
  verify_schedule(plan, model.observed, known, "observed");
  for (std::uint32_t v = 0; v < model.variables; ++v)
    if (!known[v]) broken(fmt::format("variable {} is not determined", v));
}

std::string print(const system::System& system, const dae::System& dae, const Plan& plan) {
  const runtime::Model& model = plan.model;
  auto name = [&](std::uint32_t v) { return dae::variable_name(system, dae, v); };
  std::string out;
  auto print_row = [&](const KernelBatch& batch, std::uint32_t row) {
    Rows rows{model, batch};
    auto slot = [&](std::uint32_t k, std::uint32_t) { return name(rows.column(k, row)); };
    auto param = [&](std::uint32_t k) { return fmt::format("p{}", rows.column(batch.slots + k, row)); };
    bool assertion =
        std::ranges::find(model.assertions, &batch - model.batches.data()) != model.assertions.end();
    bool crossing = std::ranges::find(model.zero_crossings, &batch - model.batches.data(),
                                      &runtime::ZeroCrossing::batch) != model.zero_crossings.end();
    const auto number = static_cast<std::uint32_t>(&batch - model.batches.data());
    bool of_event = std::ranges::find(model.events.conditions, number) != model.events.conditions.end() ||
                    std::ranges::find(model.events.values, number) != model.events.values.end();
    std::string left = batch.role == Role::Solve ? name(rows.solved(row)) + " :="
                       : assertion               ? "assert"
                       : crossing                ? "compare"
                       : of_event                ? "value"
                                                 : "0 =";
    if (!rows.is_sum()) {
      out += fmt::format("    {} {}\n", left,
                         sigrel::print(plan.exprs, plan.kernels[batch.kernel].outputs[0], slot, param));
      return;
    }
    bool flip = false;  // solved for a positive term: the other terms change signs
    const std::uint32_t begin = rows.table()[row], end = rows.table()[row + 1];
    std::uint32_t solved = end;
    if (batch.role == Role::Solve) {
      solved = begin + rows.positions()[row];
      flip = !(rows.terms()[solved] & 1);
    }
    out += "    " + left;
    for (std::uint32_t k = begin; k < end; ++k)
      if (k != solved)
        out += fmt::format(" {}{}", ((rows.terms()[k] & 1) != 0) != flip ? "- " : "+ ",
                           name(rows.terms()[k] >> 1));
    out += "\n";
  };
  auto print_batch = [&](const KernelBatch& batch) {
    for (std::uint32_t row = 0; row < batch.count && row < 20; ++row) print_row(batch, row);
    if (batch.count > 20) out += fmt::format("    … and {} more rows\n", batch.count - 20);
  };
  auto schedule = [&](const char* title, const std::vector<runtime::Step>& steps) {
    out += fmt::format("{}\n", title);
    for (const runtime::Step& step : steps) {
      if (step.kind != runtime::Step::Solve) {
        const KernelBatch& batch = model.batches[step.index];
        if (step.kind == runtime::Step::Guess) out += "  guesses from other guesses\n";
        out += batch.kernel == runtime::kNone
                   ? fmt::format("  batch of {} sums\n", batch.count)
                   : fmt::format("  batch of {} rows, kernel {}\n", batch.count, batch.kernel);
        print_batch(batch);
      } else {
        const runtime::AlgebraicLoop& loop = model.loops[step.index];
        std::uint32_t equations = 0;
        for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r)
          equations += model.batches[r].count;
        static constexpr const char* kKinds[] = {"nonlinear", "linear", "linear with constant coefficients"};
        out += fmt::format("  algebraic loop of {} equations, {}\n    tearing variables", equations,
                           kKinds[loop.kind]);
        for (std::uint32_t k = 0; k < loop.unknowns && k < 20; ++k)
          out += fmt::format("{} {}", k ? "," : "", name(model.tearing_variables[loop.first_unknown + k]));
        out += loop.unknowns > 20 ? fmt::format(" and {} more\n", loop.unknowns - 20) : "\n";
        for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r)
          print_batch(model.batches[r]);
      }
    }
  };
  out += fmt::format("kernels {}\n", plan.kernels.size());
  for (std::size_t k = 0; k < plan.kernels.size(); ++k) {
    const Kernel& kernel = plan.kernels[k];
    switch (kernel.role) {
      case Role::Residual: out += fmt::format("  {}: residual", k); break;
      case Role::Solve: out += fmt::format("  {}: s{} :=", k, kernel.solved); break;
      case Role::Partials: out += fmt::format("  {}: partials", k); break;
    }
    for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
      out += fmt::format("{} {}", i ? "," : "", sigrel::print(plan.exprs, kernel.outputs[i]));
    out += "\n";
  }
  if (!model.constants.empty()) {
    out += "constants";
    for (std::uint32_t v : model.constants) out += " " + name(v);
    out += "\n";
  }
  schedule("initial", model.initial);
  if (!model.initial_checks.empty()) {
    out += "initial checks\n";
    for (std::uint32_t r : model.initial_checks) {
      out += fmt::format("  batch of {} rows, kernel {}\n", model.batches[r].count, model.batches[r].kernel);
      print_batch(model.batches[r]);
    }
  }
  if (!model.invariant.empty()) schedule("invariant", model.invariant);
  schedule("dynamic", model.dynamic);
  schedule("observed", model.observed);
  if (!model.assertions.empty()) {
    schedule("for assertions", model.asserted);
    out += "assertions\n";
    for (std::uint32_t r : model.assertions) {
      out += fmt::format("  batch of {} rows, kernel {}\n", model.batches[r].count, model.batches[r].kernel);
      print_batch(model.batches[r]);
    }
  }
  if (!model.zero_crossings.empty()) {
    schedule("for zero crossings", model.compared);
    out += "zero crossings\n";
    for (const runtime::ZeroCrossing& r : model.zero_crossings) {
      out += fmt::format("  batch of {} rows, kernel {}: parameters from p{}, {}\n",
                         model.batches[r.batch].count, model.batches[r.batch].kernel, r.first,
                         r.kind == runtime::ZeroCrossing::Comparison ? (r.strict ? "< 0" : "<= 0")
                                                                     : dae::held_text(r.kind, r.strict, "…"));
      print_batch(model.batches[r.batch]);
    }
  }
  auto of_events = [&](const char* title, const std::vector<std::uint32_t>& batches) {
    if (!batches.empty()) out += title;
    for (std::uint32_t r : batches) {
      out += fmt::format("  batch of {} rows, kernel {}\n", model.batches[r].count, model.batches[r].kernel);
      print_batch(model.batches[r]);
    }
  };
  of_events("event conditions\n", model.events.conditions);
  of_events("assigned values\n", model.events.values);
  if (!model.events.assignments.empty()) out += "assignments\n";
  for (std::size_t k = 0; k < model.events.assignments.size() && k < 20; ++k) {
    const runtime::Assignment& a = model.events.assignments[k];
    out +=
        fmt::format("  trigger {}: {}{} := value {}\n", a.trigger, a.negated ? "-" : "", name(a.variable), k);
  }
  if (!model.delays.empty()) out += "delays\n";
  for (std::size_t k = 0; k < model.delays.size() && k < 20; ++k) {
    const runtime::Delay& d = model.delays[k];
    out += fmt::format("  {} = {}delay({}, p{}){}\n", name(d.variable), d.negated ? "-" : "",
                       d.of == runtime::kNone ? "0" : name(d.of), d.length,
                       d.piecewise_constant ? ", held" : "");
  }
  return out;
}

}  // namespace sigrel::plan
