// Assertions as kernel batches: one kernel per shape of condition, one row per instance.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"

namespace sigrel::order {

/// The variables that the assertions read.
std::vector<std::uint32_t> asserted_variables(const dae::System& dae);

/// Adds a batch with one result for each row of a table, with equation numbers from `first` on. Returns the
/// number of the batch.
std::uint32_t add_rows(const EquationTable& table, std::uint32_t first, Kernels& kernels, plan::Plan& plan);

/// Adds the batches to the model. The numbers of their rows are those of `dae.assertions`.
void add_assertions(const dae::System& dae, Kernels& kernels, plan::Plan& plan);

}  // namespace sigrel::order
