#include "compiler/order/propagate_guesses.h"

#include <algorithm>
#include <utility>

namespace sigrel::order {
namespace {

using runtime::Step;

class GuessPropagation {
 public:
  GuessPropagation(Ordering& o, const incidence::EquationList& equations, Scheduler& scheduler)
      : model_(o.plan.model),
        equations_(equations),
        scheduler_(scheduler),
        value_(model_.variables, Value::None),
        assignment_of_(model_.variables, kNone),
        open_(o.dae.equations.count() + o.dae.initial.count(), 0) {
    for (EquationId e : ids<EquationId>(0, open_.size()))
      equations_.each_variable(e, [&](VariableId) { ++open_[e]; });
    index_equations();
    for (VariableId v : ids<VariableId>(0, value_.size()))
      if (model_.start_of(v.value) != runtime::kNone) set(v, Value::Guess);
  }

  std::vector<VariableId> run() {
    std::vector<Step> steps;
    for (const Step& step : std::vector<Step>(model_.initial)) {
      if (step.kind == Step::Solve && model_.loops[step.index].kind == runtime::AlgebraicLoop::Nonlinear) {
        propagate();
        emit(model_.loops[step.index], steps);
      }
      steps.push_back(step);
      if (step.kind == Step::Solve)
        execute(model_.loops[step.index].first_batch, model_.loops[step.index].batches);
      else
        execute(step.index, 1);
    }
    model_.initial = std::move(steps);
    return used_;
  }

 private:
  static constexpr std::uint32_t kNone = runtime::kNone;
  enum class Value : std::uint8_t { None, Guess, Computed };
  struct Assignment {
    EquationId equation;
    VariableId variable;
    bool emitted = false;
  };

  /// By variable: the equations that contain it.
  void index_equations() {
    first_.assign(value_.size() + 1, 0);
    for (EquationId e : ids<EquationId>(0, open_.size()))
      equations_.each_variable(e, [&](VariableId v) { ++first_[v.value + 1]; });
    for (std::size_t v = 0; v < value_.size(); ++v) first_[v + 1] += first_[v];
    containing_.resize(first_.back());
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    for (EquationId e : ids<EquationId>(0, open_.size()))
      equations_.each_variable(e, [&](VariableId v) { containing_[next[v.value]++] = e; });
  }

  void set(VariableId v, Value value) {
    const bool fresh = value_[v] == Value::None;
    value_[v] = value;
    if (!fresh) return;
    for (std::uint32_t k = first_[v.value]; k < first_[v.value + 1]; ++k)
      if (--open_[containing_[k]] == 1) ready_.push_back(containing_[k]);
  }

  /// The variables of the equations of these batches have their values.
  void execute(std::uint32_t first_batch, std::uint32_t batches) {
    for (std::uint32_t b = first_batch; b < first_batch + batches; ++b)
      for (std::uint32_t row = 0; row < model_.batches[b].count; ++row)
        set(scheduler_.variable_of(EquationId{model_.equations[model_.batches[b].equations + row]}),
            Value::Computed);
  }

  /// Equations of which the values but one are known, and some of these are guesses. Those whose coefficient
  /// may vanish come last.
  void propagate() {
    while (!ready_.empty() || !last_.empty()) {
      const bool last = ready_.empty();
      std::vector<EquationId>& from = last ? last_ : ready_;
      const EquationId e = from.back();
      from.pop_back();
      VariableId open;
      bool any_open = false, guess = false;
      equations_.each_variable(e, [&](VariableId v) {
        if (value_[v] == Value::None) open = v, any_open = true;
        guess = guess || value_[v] == Value::Guess;
      });
      if (!any_open || !guess || model_.is_discrete(open.value)) continue;
      if (!(last ? scheduler_.mostly_solvable(e, open) : scheduler_.solvable(e, open))) {
        if (!last) last_.push_back(e);
        continue;
      }
      assignment_of_[open] = static_cast<std::uint32_t>(assignments_.size());
      assignments_.push_back({e, open});
      set(open, Value::Guess);
    }
  }

  /// Those that the unknowns of the loop need, in the order in which they were found. A first iterate is the
  /// solution for a mechanism near its guesses, and better than what follows from these.
  void emit(const runtime::AlgebraicLoop& loop, std::vector<Step>& steps) {
    std::vector<std::uint32_t> needed;
    auto need = [&](VariableId v) {
      const std::uint32_t a = assignment_of_[v];
      if (a == kNone || value_[v] == Value::Computed || std::exchange(assignments_[a].emitted, true)) return;
      needed.push_back(a);
    };
    for (std::uint32_t k = 0; k < loop.unknowns; ++k)
      need(VariableId{model_.tearing_variables[loop.first_unknown + k]});
    for (std::size_t k = 0; k < needed.size(); ++k) {
      const Assignment a = assignments_[needed[k]];
      equations_.each_variable(a.equation, [&](VariableId v) {
        if (v == a.variable) return;
        need(v);
        if (value_[v] == Value::Guess && model_.start_of(v.value) != runtime::kNone) used_.push_back(v);
      });
    }
    std::ranges::sort(needed);
    for (const std::uint32_t a : needed) {
      const auto [equation, variable, emitted] = assignments_[a];
      if (model_.first_iterate.empty() || model_.first_iterate[variable.value] == kNone)
        steps.push_back({Step::Guess, scheduler_.guess(equation, variable)});
    }
  }

  runtime::Model& model_;
  const incidence::EquationList& equations_;
  Scheduler& scheduler_;
  IdVector<VariableId, Value> value_;
  IdVector<VariableId, std::uint32_t> assignment_of_;
  IdVector<EquationId, std::uint32_t> open_;  // variables without a value
  std::vector<std::uint32_t> first_;
  std::vector<EquationId> containing_, ready_, last_;
  std::vector<Assignment> assignments_;
  std::vector<VariableId> used_;
};

/// Whether Newton's method has an unknown without a guess, and any variable has one.
bool worthwhile(const runtime::Model& model) {
  bool any = false;
  for (std::uint32_t v = 0; v < model.variables && !any; ++v) any = model.start_of(v) != runtime::kNone;
  return any && std::ranges::any_of(model.initial, [&](const Step& step) {
           if (step.kind != Step::Solve) return false;
           const runtime::AlgebraicLoop& loop = model.loops[step.index];
           if (loop.kind != runtime::AlgebraicLoop::Nonlinear) return false;
           for (std::uint32_t k = 0; k < loop.unknowns; ++k)
             if (model.start_of(model.tearing_variables[loop.first_unknown + k]) == runtime::kNone)
               return true;
           return false;
         });
}

}  // namespace

std::vector<VariableId> propagate_guesses(Ordering& o, const incidence::EquationList& equations,
                                          Scheduler& scheduler) {
  if (!worthwhile(o.plan.model)) return {};
  return GuessPropagation(o, equations, scheduler).run();
}

}  // namespace sigrel::order
