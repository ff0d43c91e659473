#include "runtime/solve/untorn_loop.h"

#include <algorithm>

#include "runtime/solve/schedule.h"

namespace runtime {

namespace {

/// Copies the table of a batch, in the layout of a Residual batch.
void add_table(const Model& from, const KernelBatch& batch, Model& to) {
  if (batch.kernel == kNone) {
    const SumTable table(from, batch);
    to.tables.insert(to.tables.end(), table.offsets, table.offsets + batch.count + 1);
    to.tables.insert(to.tables.end(), table.terms, table.terms + table.offsets[batch.count]);
  } else {
    const auto first = from.tables.begin() + static_cast<std::ptrdiff_t>(batch.table);
    const std::size_t columns = std::size_t{batch.slots} + batch.params;
    to.tables.insert(to.tables.end(), first, first + static_cast<std::ptrdiff_t>(columns * batch.count));
  }
}

}  // namespace

bool can_untear(const Model& model, const AlgebraicLoop& loop) {
  bool torn = false;
  for (const KernelBatch& batch : loop_batches(model, loop)) {
    if (batch.role != Role::Solve) continue;
    torn = true;
    if (batch.kernel != kNone && batch.residual == kNone) return false;
  }
  return torn;
}

Model untorn_loop(const Model& model, const AlgebraicLoop& loop) {
  Model untorn;
  untorn.variables = model.variables;
  untorn.kernels = model.kernels;
  const auto unknowns = model.tearing_variables.begin() + loop.first_unknown;
  untorn.tearing_variables.assign(unknowns, unknowns + loop.unknowns);
  for (const KernelBatch& torn : loop_batches(model, loop)) {
    for (std::uint32_t row = 0; row < torn.count && torn.role == Role::Solve; ++row)
      untorn.tearing_variables.push_back(solved_variable(model, torn, row));
    KernelBatch batch = torn;
    batch.table = untorn.tables.size();
    batch.equations = untorn.equations.size();
    add_table(model, torn, untorn);
    if (torn.role == Role::Solve && torn.kernel != kNone) batch.kernel = torn.residual;
    batch.role = Role::Residual;
    untorn.batches.push_back(batch);
    const auto first = model.equations.begin() + static_cast<std::ptrdiff_t>(torn.equations);
    untorn.equations.insert(untorn.equations.end(), first, first + torn.count);
  }
  untorn.loops.push_back({.batches = static_cast<std::uint32_t>(untorn.batches.size()),
                          .unknowns = static_cast<std::uint32_t>(untorn.tearing_variables.size()),
                          .kind = loop.kind});
  return untorn;
}

}  // namespace runtime
