#include "compiler/order/assertions.h"

namespace sigrel::order {

std::vector<std::uint32_t> asserted_variables(const dae::System& dae) {
  std::vector<std::uint32_t> result;
  for (const EquationTable& table : dae.assertions.tables)
    result.insert(result.end(), table.unknowns.begin(), table.unknowns.end());
  return result;
}

std::uint32_t add_rows(const EquationTable& table, std::uint32_t first, Kernels& kernels, plan::Plan& plan) {
  runtime::Model& model = plan.model;
  const std::size_t count = table.rows();
  runtime::KernelBatch batch;
  batch.role = runtime::Role::Residual;
  batch.kernel = kernels.residual(kernels.shape(table)).value;
  batch.slots = table.slots;
  batch.params = table.params;
  batch.count = static_cast<std::uint32_t>(count);
  batch.table = model.tables.size();
  batch.equations = model.equations.size();
  for (std::uint32_t k = 0; k < table.slots; ++k)
    for (std::size_t row = 0; row < count; ++row) model.tables.push_back(table.unknowns_of(row)[k]);
  for (std::uint32_t k = 0; k < table.params; ++k)
    for (std::size_t row = 0; row < count; ++row) model.tables.push_back(table.parameters_of(row)[k]);
  for (std::uint32_t row = 0; row < count; ++row) model.equations.push_back(first + row);
  model.batches.push_back(batch);
  return static_cast<std::uint32_t>(model.batches.size() - 1);
}

void add_assertions(const dae::System& dae, Kernels& kernels, plan::Plan& plan) {
  std::uint32_t number = 0;
  for (const EquationTable& table : dae.assertions.tables) {
    if (table.rows() == 0) continue;
    plan.model.assertions.push_back(add_rows(table, number, kernels, plan));
    number += static_cast<std::uint32_t>(table.rows());
  }
}

}  // namespace sigrel::order
