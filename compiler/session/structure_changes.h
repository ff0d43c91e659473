// What a run continues with when transitions have changed the structure of its model: the system of the next
// modes, with the values that carry over.
//
//   modes: those of all switches, with their numbers; transitions replace some of them
//   values: those of unknowns that exist before and after, by identity; they are the guesses of the start,
//     which the equations `state = guess` take where no initial equation of an entered mode determines a state
//   columns: of the results, by identity; a column of what does not exist has no value
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "runtime/integrate/structure.h"

namespace sigrel::session {

class StructureChanges final : public runtime::StructureSource {
 public:
  /// `columns`: those of the results. `set`: parameters by name. The model outlives the run.
  StructureChanges(const pipeline::Compiled& start, const pipeline::Columns& columns,
                   std::vector<std::pair<std::string, double>> set, Diagnostics& diagnostics);

  std::optional<runtime::NextStructure> next(const runtime::StructureEnd& end) override;

  const pipeline::Compiled& current() const { return *current_; }
  /// Is called with the model of each new structure.
  std::function<void(const pipeline::Compiled&, double time)> changed{};

 private:
  struct ColumnOf {
    std::uint32_t identity = 0, order = 0;  // of the unknown; of differentiation
    bool known = false;
  };
  void record(const runtime::StructureEnd& end);
  std::vector<elaborate::ChosenMode> next_modes(const runtime::StructureEnd& end) const;
  double number(const system::ModeNumber& n, const runtime::StructureEnd& end) const;
  void carry_over(const std::vector<elaborate::ChosenMode>& modes, runtime::NextStructure& next) const;
  void set_numbers(const std::vector<elaborate::ChosenMode>& modes, runtime::NextStructure& next) const;
  std::vector<runtime::Column> columns() const;

  const pipeline::Compiled* current_;
  std::shared_ptr<pipeline::Structures> structures_;
  std::vector<std::pair<std::string, double>> set_;
  Diagnostics& diagnostics_;
  std::vector<ColumnOf> columns_;
  std::vector<std::vector<double>> values_;  // by order of differentiation and identity; NaN: none
};

}  // namespace sigrel::session
