// Models whose structure changes during a simulation: when a transition is due, another model continues.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/archive.h"
#include "runtime/events/history.h"
#include "runtime/failure.h"
#include "runtime/model.h"
#include "runtime/results/output.h"
#include "runtime/solve/parameters.h"

namespace runtime {

/// The end of a part of a simulation in which the structure is the same.
struct StructureEnd {
  double time = 0;
  std::span<const std::uint32_t> transitions;  // triggers whose condition holds, ascending
  std::span<const double> values;              // of all variables
  std::span<const double> parameters;
  std::span<const BranchJump> jumps;  // of solutions of algebraic loops in this part
  // By condition of Events::conditions: whether it holds, and whether it has held since the start of the run.
  std::span<const std::uint8_t> holding, constant;
  bool at_once = false;  // the part ends where it began, before a row of it is written
  /// Of all variables before the event, if it changed some of StructureSource::tied; else empty.
  std::span<const double> before{};
  /// Of the delays of the model, at this time; null if there are none.
  std::shared_ptr<const History> history{};
};

/// What a simulation continues with. Its start determines all values: guesses are parameters
/// (Model::start), set by `overrides`.
struct NextStructure {
  std::shared_ptr<const Model> model;
  Overrides overrides{};
  std::vector<Column> columns{};  // of the results, in the order of Output::columns
  /// By condition of Events::conditions, EventHandler::kHeld or kDidNotHold: before the change; one that did
  /// not hold and does so afterwards has become true. Others begin.
  std::vector<std::uint8_t> holding{};
  /// By condition: whether it has held since the start of the run.
  std::vector<std::uint8_t> constant{};
  /// By variable of Events::previous: the value before the change; NaN: it begins.
  std::vector<double> previous{};
  PastDelays past{};
};

/// The start of a part: all values, after initial events.
struct StructureStart {
  bool consistent = false;  // false: there is no consistent start, `values` mean nothing
  std::span<const double> values;
  std::span<const double> parameters;
  bool contradicts = false;  // not consistent: equations of the start contradict each other
};

class StructureSource {
 public:
  enum class Verdict : std::uint8_t { Accepted, Again, Inconsistent, Failed };
  virtual ~StructureSource() = default;
  /// Of the present model: variables that equations differentiate, and that are no states. A part ends where
  /// an event changes one of them although it resets no state, also without transitions: something jumps that
  /// they are tied to.
  virtual std::span<const std::uint32_t> tied() const = 0;
  /// Nullopt: an error was reported.
  virtual std::optional<NextStructure> next(const StructureEnd& end) = 0;
  /// Whether the part goes on from this start. Again: from another one, `next`. Inconsistent: the failure of
  /// the start is the error. Failed: one was reported.
  virtual Verdict started(const StructureStart& start, NextStructure& next) = 0;
  /// The equations of the first part contradict each other at the start: another structure to begin with.
  /// False: there is none; the failure of the first one is the error.
  virtual bool begin_otherwise(NextStructure& next) = 0;
  /// For a checkpoint inside of a part: what is remembered.
  virtual void save(Archive& archive) = 0;
  /// Continues from that. In `next` it gives the model and the columns; what was saved of another model is
  /// refused by the archive.
  virtual void resume(Archive& archive, NextStructure& next) = 0;
};

/// What jumps in a model whose structure stays: a source jumps at an event, and by constraints states are
/// tied to it, such as those of two capacitors in series.
class JumpSource {
 public:
  virtual ~JumpSource() = default;
  /// Variables that equations differentiate, that are no states, and that constraints tie to one.
  virtual std::span<const std::uint32_t> tied() const = 0;
  /// An event has changed one of these, and no state. `before`: states and tied variables before it;
  /// `values`: of all variables after it, in which the jump sets the states, and what then holds of tied
  /// variables. False: an error was reported.
  virtual bool jump(double time, std::span<const double> before, std::span<double> values,
                    std::span<const double> parameters) = 0;
  /// Reports that the equations give a tied variable another value than its jump.
  virtual void report_impossible(double time, std::uint32_t variable) = 0;
};

}  // namespace runtime
