// What a run continues with when transitions have changed the structure of its model: the system of the next
// modes, with the values that carry over.
//
//   modes: those of all switches, with their numbers; transitions replace some of them
//   values: those of unknowns that exist before and after, by identity; they are the guesses of the start,
//     which the equations `state = guess` take where no initial equation of an entered mode determines a
//     state
//   columns: of the results, by identity; a column of what does not exist has no value
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/jumps.h"
#include "runtime/integrate/structure.h"

namespace sigrel::session {

class StructureChanges final : public runtime::StructureSource {
 public:
  /// `columns`: those of the results. `set`: parameters by name. The model outlives the run.
  StructureChanges(const pipeline::Compiled& start, const pipeline::Columns& columns,
                   std::vector<std::pair<std::string, double>> set, Diagnostics& diagnostics);

  std::optional<runtime::NextStructure> next(const runtime::StructureEnd& end) override;
  Verdict started(const runtime::StructureStart& start, runtime::NextStructure& next) override;

  const pipeline::Compiled& current() const { return *current_; }
  /// Is called with the model of each new structure.
  std::function<void(const pipeline::Compiled&)> changed{};

 private:
  struct ColumnOf {
    std::uint32_t identity = 0, order = 0;  // of the unknown; of differentiation
    bool known = false;
  };
  /// A value that is differentiated and that the start has changed, by its index in `Compiled`'s list.
  struct Broken {
    Differentiated what;
    double before = 0, after = 0;
  };
  std::vector<Broken> broken(const runtime::StructureStart& start) const;
  Verdict jump(const runtime::StructureStart& start, runtime::NextStructure& next);
  const system::Transition& first_due(const runtime::StructureEnd& end) const;
  void report_inconsistent(const runtime::StructureEnd& end, const Diagnostics& found);
  void report(const std::string& why, std::span<const std::uint32_t> unknowns);
  double before(std::uint32_t identity, std::uint32_t order) const;
  runtime::NextStructure start_of(const std::vector<elaborate::ChosenMode>& modes) const;
  std::vector<bool> new_switches(const std::vector<elaborate::ChosenMode>& modes) const;
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
  std::vector<std::vector<double>> values_;   // by order of differentiation and identity; NaN: none
  std::vector<elaborate::ChosenMode> modes_;  // of the present structure
  double time_ = 0;                           // of the last change
  Span until_;                                // of the first transition that led to it
  bool jumped_ = false;                       // its jumps are computed
  bool branches_told_ = false;                // ends of the solutions of algebraic loops
};

}  // namespace sigrel::session
