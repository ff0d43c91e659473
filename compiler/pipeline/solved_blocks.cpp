#include "compiler/pipeline/solved_blocks.h"

#include <algorithm>

namespace sigrel::pipeline {
namespace {

/// The variable that a row of a Solve batch computes.
std::uint32_t solved(const runtime::Model& model, const runtime::KernelBatch& batch, std::uint32_t row) {
  const std::uint32_t* table = model.tables.data() + batch.table;
  if (batch.kernel != runtime::kNone) return table[std::size_t{batch.solved} * batch.count + row];
  const std::uint32_t* positions = table + batch.count + 1;
  return positions[batch.count + table[row] + positions[row]] >> 1;
}

}  // namespace

std::vector<SolvedBlock> solved_blocks(const plan::Plan& plan) {
  const runtime::Model& model = plan.model;
  std::vector<SolvedBlock> blocks;
  for (const auto* steps : {&model.invariant, &model.dynamic, &model.observed})
    for (const runtime::Step& step : *steps) {
      if (step.kind == runtime::Step::Assign) {
        const runtime::KernelBatch& batch = model.batches[step.index];
        for (std::uint32_t row = 0; row < batch.count; ++row) {
          blocks.emplace_back();
          blocks.back().inner_equations = {model.equations[batch.equations + row]};
          blocks.back().inner_variables = {solved(model, batch, row)};
        }
        continue;
      }
      const runtime::AlgebraicLoop& loop = model.loops[step.index];
      SolvedBlock& b = blocks.emplace_back();
      b.kind = loop.kind;
      for (std::uint32_t r = loop.first_batch; r < loop.first_batch + loop.batches; ++r) {
        const runtime::KernelBatch& batch = model.batches[r];
        for (std::uint32_t row = 0; row < batch.count; ++row) {
          const std::uint32_t equation = model.equations[batch.equations + row];
          if (batch.role == runtime::Role::Solve) {
            b.inner_equations.push_back(equation);
            b.inner_variables.push_back(solved(model, batch, row));
          } else {
            b.residual_equations.push_back(equation);
          }
        }
      }
      b.tearing_variables.assign(model.tearing_variables.begin() + loop.first_unknown,
                                 model.tearing_variables.begin() + loop.first_unknown + loop.unknowns);
    }
  return blocks;
}

std::vector<std::vector<std::uint32_t>> incidence_lists(const dae::System& dae) {
  std::vector<std::vector<std::uint32_t>> rows;
  auto end_row = [&] {
    std::ranges::sort(rows.back());
    rows.back().erase(std::unique(rows.back().begin(), rows.back().end()), rows.back().end());
  };
  for (const EquationTable& table : dae.equations.tables)
    for (std::size_t row = 0; row < table.rows(); ++row) {
      auto unknowns = table.unknowns_of(row);
      rows.emplace_back(unknowns.begin(), unknowns.end());
      end_row();
    }
  for (std::size_t row = 0; row < dae.equations.sums.rows(); ++row) {
    rows.emplace_back();
    for (Term term : dae.equations.sums.terms_of(row)) rows.back().push_back(term.unknown());
    end_row();
  }
  return rows;
}

}  // namespace sigrel::pipeline
