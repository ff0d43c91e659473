// From a matched system to steps: blocks in BLT order, gathered into kernel batches.
//
// Equations of one level (graph/blt.h) are independent of each other; those of one level, shape and solved
// slot make one batch, in ascending order of their numbers. A ladder of 10^5 equal stages is a dozen batches.
// The assignments inside a torn block (torn_block.h) are gathered in the same way. Rows that make a batch in
// two schedules, as the dynamic equations do at the start, have one table.
#pragma once
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/graph/bipartite.h"
#include "compiler/graph/blt.h"
#include "compiler/incidence/ids.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"
#include "compiler/order/torn_block.h"

namespace sigrel::order {

using BlockId = Id<struct BlockTag>;  // of a Scheduler, in BLT order

/// Batches by their rows, for all schedules of a plan whose equations have the same numbers.
class KnownBatches {
 public:
  /// Rows: to write a smaller table again takes less time than to find it.
  static constexpr std::uint32_t kFewest = 8;
  /// A batch of the same rows with the same table; for sums this requires that they are solved for the same
  /// terms. nullptr when there is none; then the next batch of the model is known from now on.
  const runtime::KernelBatch* find_or_add(const runtime::Model& model, const runtime::KernelBatch& batch,
                                          std::span<const EquationId> rows,
                                          std::span<const std::uint32_t> positions);

 private:
  std::vector<std::uint32_t> batches_;
  IndexTable index_;  // of batches_, by their rows
};

/// Loops by their equations and unknowns, for all schedules of a plan: a block that is a loop in several of
/// them is torn once, and the runtime orders and factorises one matrix for all.
class KnownLoops {
 public:
  /// What a schedule needs to know of a loop: its number, and its equations, ascending, with the variables
  /// that they determine as it is torn.
  struct Loop {
    std::uint32_t number = 0;
    std::vector<EquationId> equations;
    std::vector<VariableId> variables;
  };
  /// Equations and variables of a block, both ascending. nullptr: it has not been added.
  const Loop* find(std::span<const EquationId> equations, std::span<const VariableId> variables) const;
  /// A loop that is not known. The order of the equations does not matter.
  void add(std::uint32_t number, const TornBlock& torn);

 private:
  std::vector<Loop> loops_;
  IndexTable index_;  // of loops_, by their equations
};

class Scheduler {
 public:
  /// `row_of_variable` matches variables with equations of the list, by their numbers; kNone: the variable is
  /// known. It must outlive the scheduler.
  Scheduler(plan::Plan& plan, Kernels& kernels, KnownBatches& known, KnownLoops& loops,
            const incidence::EquationList& equations, std::span<const std::uint32_t> row_of_variable,
            const TearingHints& hints);

  std::uint32_t block_count() const { return blocks_.count(); }
  /// The equations of a block.
  auto equations(BlockId block) const {
    return blocks_.block(block.value) | std::views::transform([](std::uint32_t e) { return EquationId{e}; });
  }
  /// The variable that a matched equation determines.
  VariableId variable_of(EquationId equation) const { return variable_of_[equation]; }
  /// Whether the given variables, numbers in the reduced system, need the block.
  IdVector<BlockId, bool> needed_for(std::span<const std::uint32_t> variables) const;
  /// Whether the block reads `constants`, parameters and such blocks alone, so that it keeps the values of
  /// the start. Blocks that determine one of `rates` do not, because an integrator writes there.
  IdVector<BlockId, bool> invariant_blocks(std::span<const std::uint32_t> constants,
                                           std::span<const std::uint32_t> rates) const;
  /// Adds Residual batches of these equations, in ascending order of their numbers. Returns the first batch
  /// and the number of batches.
  std::pair<std::uint32_t, std::uint32_t> residuals(std::vector<EquationId> equations);
  /// Whether an equation can be solved for one of its variables, whatever it is matched with.
  bool solvable(EquationId equation, VariableId variable) { return key_of(equation, variable) != kLoop; }
  /// The same where its coefficient, which may be a signal, is not zero.
  bool mostly_solvable(EquationId equation, VariableId variable) {
    return guess_key_of(equation, variable) != kLoop;
  }
  /// Adds a batch that solves it for this variable, with a result that is not finite where the coefficient is
  /// zero. Its number.
  std::uint32_t guess(EquationId equation, VariableId variable);
  /// From now on batches have a Residual kernel, where the equation could have no solution for its variable.
  void keep_residuals() { keep_residuals_ = true; }
  /// Appends the steps of the blocks that are selected.
  void schedule(const IdVector<BlockId, bool>& selected, std::vector<runtime::Step>& steps);

 private:
  // The equations of a batch have a level and a key in common: the kernel, kSum for sums, kLoop for
  // simultaneous blocks.
  static constexpr std::uint32_t kLoop = 0xFFFFFFFFu;

  std::uint32_t key_of(EquationId equation, VariableId variable);
  std::uint32_t guess_key_of(EquationId equation, VariableId variable);
  std::uint32_t key_of(EquationId equation) { return key_of(equation, variable_of(equation)); }
  /// The first slot or term of the variable in the equation, and whether there is no other.
  std::pair<std::uint32_t, bool> position_of(EquationId equation, VariableId variable) const;
  /// Blocks that make one batch, or one step each when `key` is kLoop.
  struct Group {
    std::uint32_t level, key;
    std::uint32_t end, size;  // among the blocks by group
  };
  std::vector<Group> grouped(const IdVector<BlockId, bool>& selected, std::vector<BlockId>& blocks);
  void emit_assign(std::span<const EquationId> rows, std::uint32_t key);
  void emit_loop(BlockId block, std::vector<runtime::Step>& steps);
  void emit_batch(std::span<const EquationId> rows, runtime::Role role, std::uint32_t kernel,
                  std::uint32_t solved);
  void add_sums(std::span<const EquationId> rows, std::span<const std::uint32_t> positions);
  void add_table(std::span<const EquationId> rows, std::uint32_t slots, std::uint32_t parameters);

  plan::Plan& plan_;
  Kernels& kernels_;
  const incidence::EquationList& equations_;
  KnownBatches& known_;
  KnownLoops& loops_;
  const TearingHints& hints_;
  IdVector<SectionId, ShapeId> shape_of_section_;  // meaningful for tables with rows
  std::span<const std::uint32_t> row_of_variable_;
  IdVector<EquationId, VariableId> variable_of_;  // meaningful for matched equations
  graph::Bipartite graph_;                        // for tearing, when there is something to tear
  graph::Blocks blocks_;
  IdVector<BlockId, std::uint32_t> levels_;
  std::unique_ptr<BlockTearing> tearing_;  // when the first block needs it
  bool keep_residuals_ = false;
};

}  // namespace sigrel::order
