// Builds a runtime::Model by hand: shapes are C++ functions of one row, kernels loop over them.
#pragma once
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "runtime/integrate/simulate.h"
#include "runtime/model.h"
#include "runtime/results/output.h"
#include "runtime/results/trajectory.h"

namespace runtime::test {

using Values = const double*;

/// F(time, slots, params), linear in any slot that is solved for.
struct Shape {
  std::uint32_t slots = 0, params = 0;
  std::function<double(double, Values, Values)> residual;
  std::function<void(double, Values, Values, double*)> partials;
};

struct Row {
  std::vector<std::uint32_t> slots, params;
};

class ModelBuilder {
 public:
  Model model;

  ModelBuilder() = default;
  ModelBuilder(const ModelBuilder&) = delete;

  std::uint32_t parameter(double value) {
    model.parameters.push_back({0, 0, 0, 0, value});
    return static_cast<std::uint32_t>(model.parameters.size() - 1);
  }
  std::uint32_t variable(double start = 0, double nominal = 1) {
    model.start.push_back(start == 0 ? kNone : parameter(start));
    model.nominal.push_back(nominal == 1 ? kNone : parameter(nominal));
    return model.variables++;
  }
  /// A state and its derivative; the initial schedule takes the state from its guess.
  std::pair<std::uint32_t, std::uint32_t> state(double start, double nominal = 1) {
    const std::uint32_t x = variable(start, nominal), dx = variable();
    model.states.push_back({x, dx});
    return {x, dx};
  }

  const Shape* shape(std::uint32_t slots, std::uint32_t params,
                     std::function<double(double, Values, Values)> residual,
                     std::function<void(double, Values, Values, double*)> partials) {
    shapes_.push_back({slots, params, std::move(residual), std::move(partials)});
    return &shapes_.back();
  }

  std::uint32_t run(Role role, const Shape* shape, std::uint32_t solved, const std::vector<Row>& rows) {
    KernelBatch batch;
    batch.role = role;
    batch.slots = shape->slots;
    batch.params = shape->params;
    batch.solved = solved;
    batch.count = static_cast<std::uint32_t>(rows.size());
    batch.table = model.tables.size();
    for (std::uint32_t k = 0; k < shape->slots; ++k)
      for (const Row& row : rows) model.tables.push_back(row.slots[k]);
    for (std::uint32_t k = 0; k < shape->params; ++k)
      for (const Row& row : rows) model.tables.push_back(row.params[k]);
    batch.kernel = kernel(shape, role, solved);
    batch.partials = kernel(shape, Role::Partials, 0);
    return finish(batch);
  }

  /// Terms are (variable, negative); `solved` is a position in each row.
  std::uint32_t sums(Role role, const std::vector<std::vector<std::pair<std::uint32_t, bool>>>& rows,
                     const std::vector<std::uint32_t>& solved = {}) {
    KernelBatch batch;
    batch.role = role;
    batch.count = static_cast<std::uint32_t>(rows.size());
    batch.table = model.tables.size();
    std::uint32_t offset = 0;
    model.tables.push_back(0);
    for (const auto& row : rows) model.tables.push_back(offset += static_cast<std::uint32_t>(row.size()));
    if (role == Role::Solve)
      for (std::size_t i = 0; i < rows.size(); ++i) model.tables.push_back(solved[i]);
    for (const auto& row : rows)
      for (const auto& [variable, negative] : row)
        model.tables.push_back(variable << 1 | (negative ? 1u : 0u));
    return finish(batch);
  }

  /// All batches from `first_batch` on as one algebraic loop.
  Step loop(std::uint32_t first_batch, const std::vector<std::uint32_t>& unknowns) {
    AlgebraicLoop loop;
    loop.first_batch = first_batch;
    loop.batches = static_cast<std::uint32_t>(model.batches.size()) - first_batch;
    loop.first_unknown = static_cast<std::uint32_t>(model.tearing_variables.size());
    loop.unknowns = static_cast<std::uint32_t>(unknowns.size());
    model.tearing_variables.insert(model.tearing_variables.end(), unknowns.begin(), unknowns.end());
    model.loops.push_back(loop);
    return {Step::Solve, static_cast<std::uint32_t>(model.loops.size() - 1)};
  }
  static Step assign(std::uint32_t batch) { return {Step::Assign, batch}; }

 private:
  struct Code {
    const Shape* shape;
    Role role;
    std::uint32_t solved;
  };

  std::uint32_t finish(KernelBatch batch) {
    batch.equations = model.equations.size();
    for (std::uint32_t i = 0; i < batch.count; ++i) model.equations.push_back(next_equation_++);
    model.batches.push_back(batch);
    return static_cast<std::uint32_t>(model.batches.size() - 1);
  }

  std::uint32_t kernel(const Shape* shape, Role role, std::uint32_t solved) {
    codes_.push_back({shape, role, solved});
    model.kernels.push_back({&ModelBuilder::execute, &codes_.back()});
    return static_cast<std::uint32_t>(model.kernels.size() - 1);
  }

  static void execute(const void* self, const KernelArguments* a) {
    const Code& code = *static_cast<const Code*>(self);
    const Shape& shape = *code.shape;
    std::vector<double> slots(shape.slots), params(shape.params), out(shape.slots);
    for (std::size_t i = a->begin; i < a->end; ++i) {
      for (std::uint32_t k = 0; k < shape.slots; ++k) slots[k] = a->values[a->table[k * a->stride + i]];
      for (std::uint32_t k = 0; k < shape.params; ++k)
        params[k] = a->parameters[a->table[(shape.slots + k) * a->stride + i]];
      if (code.role == Role::Residual) {
        a->out[i] = shape.residual(a->time, slots.data(), params.data());
      } else if (code.role == Role::Partials) {
        shape.partials(a->time, slots.data(), params.data(), out.data());
        for (std::uint32_t k = 0; k < shape.slots; ++k) a->out[k * a->stride + i] = out[k];
      } else {
        slots[code.solved] = 0;
        shape.partials(a->time, slots.data(), params.data(), out.data());
        const double at_zero = shape.residual(a->time, slots.data(), params.data());
        a->values[a->table[code.solved * a->stride + i]] = -at_zero / out[code.solved];
      }
    }
  }

  std::deque<Shape> shapes_;
  std::deque<Code> codes_;
  std::uint32_t next_equation_ = 0;
};

/// Records every variable, in memory.
struct Recording {
  Trajectory trajectory;
  Output output;

  explicit Recording(const Model& model) {
    for (std::uint32_t v = 0; v < model.variables; ++v) {
      output.columns.push_back({v, false});
      output.names.push_back("v" + std::to_string(v));
    }
    output.sinks = {&trajectory};
  }
};

}  // namespace runtime::test
