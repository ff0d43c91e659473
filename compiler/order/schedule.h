// From a matched system to steps: blocks in BLT order, gathered into runs.
//
// Equations of one level (graph/blt.h) are independent of each other; those of one level, shape and solved
// slot make one run, in ascending order of their numbers. A ladder of 10^5 equal stages is a dozen runs. The
// assignments inside a torn block (torn_block.h) are gathered in the same way. Rows that make a run in two
// schedules, as the dynamic equations do at the start, have one table.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compiler/base/index_table.h"
#include "compiler/graph/bipartite.h"
#include "compiler/graph/blt.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/plan.h"
#include "compiler/order/kernels.h"
#include "compiler/order/torn_block.h"

namespace sigrel::order {

/// Runs by their rows, for all schedules of a plan whose equations have the same numbers.
class KnownBatches {
 public:
  static constexpr std::uint32_t kFewest =
      8;  // rows: a smaller table is written again sooner than it is found
  /// A run of the same rows with the same table: of sums the ones that are solved for the same terms. When
  /// there is none, the next run of the model is known from now on.
  const runtime::KernelBatch* find_or_add(const runtime::Model& model, const runtime::KernelBatch& batch,
                                          std::span<const std::uint32_t> rows,
                                          std::span<const std::uint32_t> positions);

 private:
  std::vector<std::uint32_t> batches_;
  IndexTable index_;  // of batches_, by their rows
};

class Scheduler {
 public:
  /// `row_of_variable` matches variables with equations of the list, kNone: the variable is known. It stays
  /// with the caller.
  Scheduler(plan::Plan& plan, Kernels& kernels, KnownBatches& known, const incidence::EquationList& equations,
            std::span<const std::uint32_t> row_of_variable, const TearingHints& hints);

  const graph::Blocks& blocks() const { return blocks_; }
  const std::vector<std::uint32_t>& variable_of_row() const { return variable_of_row_; }
  /// Which blocks the given variables need, themselves included.
  std::vector<bool> needed_for(const std::vector<std::uint32_t>& variables) const;
  /// Which blocks read nothing but `constants`, parameters and each other: they keep the values of the start.
  /// Those that give one of `rates` do not count, because an integrator writes there.
  std::vector<bool> invariant_blocks(const std::vector<std::uint32_t>& constants,
                                     const std::vector<std::uint32_t>& rates) const;
  /// Adds Residual runs of these equations, in ascending order of their numbers; the first run, and how many.
  std::pair<std::uint32_t, std::uint32_t> residuals(std::vector<std::uint32_t> rows);
  /// Appends the steps of the blocks that are selected.
  void schedule(const std::vector<bool>& selected, std::vector<runtime::Step>& steps);

 private:
  // A run has a level and a key in common: its kernel, kSum for sums, kLoop for simultaneous blocks.
  static constexpr std::uint32_t kLoop = 0xFFFFFFFFu;

  std::uint32_t key_of(std::uint32_t row);
  std::uint32_t position_in_row(std::uint32_t row, std::uint32_t variable, bool& once) const;
  /// Blocks that make a run, or stand for themselves when `key` is kLoop.
  struct Group {
    std::uint32_t level, key;
    std::uint32_t end, size;  // among the blocks by group
  };
  std::vector<Group> grouped(const std::vector<bool>& selected, std::vector<std::uint32_t>& blocks);
  void emit_assign(std::span<const std::uint32_t> rows, std::uint32_t key);
  void emit_loop(std::uint32_t block, std::vector<runtime::Step>& steps);
  void emit_batch(std::span<const std::uint32_t> rows, runtime::Role role, std::uint32_t kernel,
                  std::uint32_t solved);
  void add_sums(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> positions);
  void add_table(std::span<const std::uint32_t> rows, std::uint32_t slots, std::uint32_t parameters);

  plan::Plan& plan_;
  Kernels& kernels_;
  const incidence::EquationList& equations_;
  KnownBatches& known_;
  const TearingHints& hints_;
  std::vector<std::uint32_t> shape_of_section_;  // of tables
  std::span<const std::uint32_t> row_of_variable_;
  std::vector<std::uint32_t> variable_of_row_;
  graph::Bipartite graph_;  // for tearing, when there is something to tear
  graph::Blocks blocks_;
  std::vector<std::uint32_t> levels_;
  std::unique_ptr<BlockTearing> tearing_;  // when the first block needs it
};

}  // namespace sigrel::order
