// The rows of a model, numbered through: one for everything that a simulation evaluates between
// initialisation and results, in the order of evaluation. For each row: what it reads and what it writes.
//
// Rows, loops, zero crossings and event handlers are seen as one graph (dependency.h). Its nodes are the
// variables, then the parameters, then the triggers; a trigger and the held parameter of a comparison are
// written as a variable is. Rows of `observed` alone are left out: nothing depends on them.
//
//   kind          reads                                    writes
//   State         derivative                               state
//   Dynamic       the slots of the row, or of the loop     the solved variables
//   Compared      the same
//   Crossing      slots                                    the parameters that it holds
//   Condition     slots                                    the trigger
//   Value         slots, trigger                           the assigned variable
//   Previous      the variable                             its `pre`
//   Clock         parameters                               the trigger
//   Alternative   the preceding trigger                    the trigger
//   Delay         the signal, the length                   the delayed signal
//   Asserted      slots                                    the solved variables
//   Assertion     slots                                    nothing
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/model.h"
#include "runtime/solve/schedule.h"

namespace runtime {

class RowIndex {
 public:
  enum class Kind : std::uint8_t {
    State,
    Dynamic,
    Compared,
    Crossing,
    Condition,
    Value,
    Previous,
    Clock,
    Alternative,
    Delay,
    Asserted,
    Assertion,
  };
  /// Consecutive rows: those of a batch, one for a loop, or all of a list of the model.
  struct Section {
    Kind kind = Kind::State;
    bool loop = false;
    std::uint32_t index = 0;     // of the batch or loop
    std::uint32_t crossing = 0;  // Crossing: of the zero crossing
    std::uint32_t tag =
        0;  // Condition, Value: place of the first row in `condition_triggers` or `assignments`
    std::uint32_t first = 0, rows = 0;
  };

  explicit RowIndex(const Model& model);

  const Model& model() const { return model_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t nodes() const { return nodes_; }
  std::uint32_t parameter_node(std::uint32_t parameter) const { return model_.variables + parameter; }
  std::uint32_t trigger_node(std::uint32_t trigger) const { return first_trigger_ + trigger; }
  std::span<const Section> sections() const { return sections_; }
  const Section& section_of(std::uint32_t row) const { return sections_[section_of_[row]]; }
  /// The batch of a row that is not of a loop nor of a list without batches.
  const KernelBatch& batch_of(const Section& section) const { return model_.batches[section.index]; }

  /// The row of a step of a schedule that assigns a row of this batch.
  std::uint32_t row_of(BatchRow place) const {
    return sections_[section_of_batch_[place.batch]].first + place.row;
  }
  /// The number of a Crossing row among all zero crossings (ZeroCrossingFunctions).
  std::uint32_t crossing_number(std::uint32_t row) const { return row - first_crossing_; }
  std::uint32_t crossings() const { return crossings_; }

  /// Calls visit(node) for what a row reads, perhaps more than once.
  template <class Visit>
  void each_read(std::uint32_t row, const Visit& visit) const;
  /// Calls visit(node) for what it writes.
  template <class Visit>
  void each_written(std::uint32_t row, const Visit& visit) const;
  /// The rows that write a node.
  std::span<const std::uint32_t> writers(std::uint32_t node) const {
    return std::span(writers_).subspan(first_writer_[node], first_writer_[node + 1] - first_writer_[node]);
  }

 private:
  void add(Section section, std::uint32_t rows);
  void add(Kind kind, std::span<const Step> steps);
  void find_writers();
  template <class Visit>
  void each_slot(const KernelBatch& batch, std::uint32_t row, bool with_solved, const Visit& visit) const;

  const Model& model_;
  std::uint32_t size_ = 0, nodes_ = 0, first_trigger_ = 0, first_crossing_ = 0, crossings_ = 0;
  std::vector<Section> sections_;
  std::vector<std::uint32_t> section_of_;              // by row
  std::vector<std::uint32_t> section_of_batch_;        // by batch of a schedule
  std::vector<std::uint32_t> first_writer_, writers_;  // by node
};

template <class Visit>
void RowIndex::each_slot(const KernelBatch& batch, std::uint32_t row, bool with_solved,
                         const Visit& visit) const {
  if (batch.kernel == kNone) {
    const SumTable sums(model_, batch);
    for (std::uint32_t k = sums.offsets[row]; k < sums.offsets[row + 1]; ++k)
      if (with_solved || batch.role != Role::Solve || k - sums.offsets[row] != sums.positions[row])
        visit(sums.terms[k] >> 1);
    return;
  }
  for (std::uint32_t slot = 0; slot < batch.slots; ++slot)
    if (with_solved || batch.role != Role::Solve || slot != batch.solved)
      visit(slot_variable(model_, batch, slot, row));
  for (std::uint32_t k = 0; k < batch.params; ++k)
    visit(parameter_node(slot_variable(model_, batch, batch.slots + k, row)));
}

template <class Visit>
void RowIndex::each_read(std::uint32_t row, const Visit& visit) const {
  const Section& section = section_of(row);
  const std::uint32_t at = row - section.first;
  switch (section.kind) {
    case Kind::State: visit(model_.states[at].derivative); break;
    case Kind::Dynamic:
    case Kind::Compared:
    case Kind::Asserted:
      if (section.loop)
        for (const KernelBatch& batch : loop_batches(model_, model_.loops[section.index]))
          for (std::uint32_t k = 0; k < batch.count; ++k) each_slot(batch, k, true, visit);
      else
        each_slot(batch_of(section), at, false, visit);
      break;
    case Kind::Value:
      visit(trigger_node(model_.events.assignments[section.tag + at].trigger));
      [[fallthrough]];
    case Kind::Crossing:
    case Kind::Condition:
    case Kind::Assertion: each_slot(batch_of(section), at, false, visit); break;
    case Kind::Previous:
      if (model_.events.previous[at].of != kNone) visit(model_.events.previous[at].of);
      break;
    case Kind::Clock: break;  // its parameters never change
    case Kind::Alternative: visit(trigger_node(model_.events.alternatives[at].preceding)); break;
    case Kind::Delay:
      if (model_.delays[at].of != kNone) visit(model_.delays[at].of);
      break;
  }
}

template <class Visit>
void RowIndex::each_written(std::uint32_t row, const Visit& visit) const {
  const Section& section = section_of(row);
  const std::uint32_t at = row - section.first;
  switch (section.kind) {
    case Kind::State: visit(model_.states[at].variable); break;
    case Kind::Dynamic:
    case Kind::Compared:
    case Kind::Asserted:
      if (section.loop) {
        const AlgebraicLoop& loop = model_.loops[section.index];
        for (std::uint32_t k = 0; k < loop.unknowns; ++k)
          visit(model_.tearing_variables[loop.first_unknown + k]);
        for (const KernelBatch& batch : loop_batches(model_, loop))
          for (std::uint32_t k = 0; k < batch.count && batch.role == Role::Solve; ++k)
            visit(solved_variable(model_, batch, k));
      } else {
        visit(solved_variable(model_, batch_of(section), at));
      }
      break;
    case Kind::Crossing: {
      const ZeroCrossing& crossing = model_.zero_crossings[section.crossing];
      for (std::uint32_t j = 0; j < held_width(crossing.kind); ++j)
        visit(parameter_node(crossing.first + j * section.rows + at));
      break;
    }
    case Kind::Condition: visit(trigger_node(model_.events.condition_triggers[section.tag + at])); break;
    case Kind::Value: visit(model_.events.assignments[section.tag + at].variable); break;
    case Kind::Previous: visit(model_.events.previous[at].variable); break;
    case Kind::Clock: visit(trigger_node(model_.events.clocks[at].trigger)); break;
    case Kind::Alternative: visit(trigger_node(model_.events.alternatives[at].trigger)); break;
    case Kind::Delay: visit(model_.delays[at].variable); break;
    case Kind::Assertion: break;
  }
}

}  // namespace runtime
