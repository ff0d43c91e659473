#include "runtime/solve/layout.h"

#include <utility>

#include "runtime/solve/schedule.h"

namespace runtime {

Layout explicit_layout(const Model& model) {
  Layout layout;
  layout.column.assign(model.variables, kNone);
  layout.rate_column.assign(model.variables, kNone);
  layout.retained.assign(model.variables, 0);
  for (const State& state : model.states) {
    layout.column[state.variable] = static_cast<std::uint32_t>(layout.unknowns.size());
    layout.unknowns.push_back(state.variable);
  }
  return layout;
}

Layout implicit_layout(const Model& model, std::vector<std::uint8_t> retained) {
  Layout layout = explicit_layout(model);
  layout.implicit = true;
  layout.retained = std::move(retained);
  std::vector<std::uint32_t> state_of(model.variables, kNone);  // of a derivative that is not a state itself
  for (std::uint32_t s = 0; s < model.states.size(); ++s) {
    const std::uint32_t derivative = model.states[s].derivative;
    if (layout.column[derivative] == kNone && state_of[derivative] == kNone) state_of[derivative] = s;
  }
  auto retain = [&](std::uint32_t variable) {
    if (state_of[variable] != kNone) {
      layout.rate_column[variable] = state_of[variable];
      return true;
    }
    if (layout.column[variable] == kNone) {
      layout.column[variable] = static_cast<std::uint32_t>(layout.unknowns.size());
      layout.unknowns.push_back(variable);
    }
    return false;
  };
  std::vector<std::uint32_t> free_rows;
  auto retain_assigned = [&](const KernelBatch& batch) {
    for (std::uint32_t row = 0; row < batch.count; ++row) {
      const std::uint32_t variable = solved_variable(model, batch, row);
      if (layout.retained[variable]) retain(variable);
    }
  };
  for (const Step& step : model.dynamic) {
    if (step.kind == Step::Assign) {
      retain_assigned(model.batches[step.index]);
    } else {
      const AlgebraicLoop& loop = model.loops[step.index];
      for (const KernelBatch& batch : loop_batches(model, loop))
        if (batch.role == Role::Solve) retain_assigned(batch);
      for (std::uint32_t k = 0; k < loop.unknowns; ++k) {
        const std::uint32_t variable = model.tearing_variables[loop.first_unknown + k];
        if (retain(variable))
          free_rows.push_back(layout.rate_column[variable]);
        else
          free_rows.push_back(layout.column[variable]);
      }
    }
  }
  layout.loop_rows = std::move(free_rows);
  return layout;
}

}  // namespace runtime
