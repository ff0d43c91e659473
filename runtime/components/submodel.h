// A part of a model as a model of its own, with its own numbers for variables, parameters and triggers.
//
// The part consists of the rows of a component and of the shared rows that these need (dependency.h). Rows of
// one batch stay one batch, with a table of their own, and kernels are those of the whole model, so all that
// evaluates and simulates a model works on its parts. There are no initial equations: a part starts from
// values of the whole model. Two components of the same form have the same `structure` and differ in the
// numbers behind their variables and parameters only.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/components/row_index.h"
#include "runtime/failure.h"

namespace runtime {

struct Submodel {
  Model model;  // without kernels
  // By own number: the number in the whole model.
  std::vector<std::uint32_t> variables, parameters, triggers;
  std::vector<std::uint32_t> crossings, assignments;  // ZeroCrossingFunctions; Events::assignments
  // Own numbers: what is common with other parts (discrete_sinks.h).
  std::vector<std::uint32_t> foreign_variables, foreign_parameters;
  std::vector<std::uint32_t> structure;  // equal if the models are equal but for the numbers of equations

  /// Makes the part executable: the kernels that it needs, renumbered.
  void link(const Model& whole);
};

/// Replaces the numbers of a part by those of the whole model. `executed`: the part whose model was executed,
/// which may be another one of the same structure.
void renumber(Failure& failure, const Submodel& part, const Submodel& executed);

/// Extracts parts of one model; keeps its working memory from one part to the next.
class Extraction {
 public:
  explicit Extraction(const RowIndex& rows);

  /// The shared rows that these rows need, directly or through others, are added; all in ascending order.
  /// `component`, by row: kShared or a component (Dependency). False: more than `most`.
  bool close(std::vector<std::uint32_t>& rows, std::span<const std::uint32_t> component, std::size_t most);
  /// The part of these rows, ascending.
  void extract(std::span<const std::uint32_t> rows, Submodel& part);

 private:
  std::uint32_t variable(std::uint32_t number) { return local(number, part_->variables, number); }
  std::uint32_t parameter(std::uint32_t number) {
    return local(rows_.parameter_node(number), part_->parameters, number);
  }
  std::uint32_t trigger(std::uint32_t number) {
    return local(rows_.trigger_node(number), part_->triggers, number);
  }
  std::uint32_t local(std::uint32_t node, std::vector<std::uint32_t>& list, std::uint32_t number);
  std::uint32_t batch(const KernelBatch& of, std::span<const std::uint32_t> rows);
  std::uint32_t whole_batch(const KernelBatch& of);
  Step loop(std::uint32_t number);
  void section(const RowIndex::Section& section, std::span<const std::uint32_t> rows);
  void crossing(const RowIndex::Section& section, std::span<const std::uint32_t> rows);
  void write_structure();

  const RowIndex& rows_;
  const Model& whole_;
  Submodel* part_ = nullptr;
  std::vector<std::uint32_t> stamp_, number_;  // by node: the part in which it has its number
  std::vector<std::uint32_t> row_stamp_, stack_, within_;
  std::vector<BatchRow> place_;               // by row of a schedule in the part: where it is there
  std::vector<std::uint32_t> time_function_;  // by number of a zero crossing; kNone
  std::uint32_t clock_ = 0, row_clock_ = 0;
};

}  // namespace runtime
