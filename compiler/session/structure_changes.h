// What a run continues with when transitions have changed the structure of its model: the system of the next
// modes, with the values that carry over.
//
//   modes: those of all switches, with their numbers; transitions replace some of them
//   values: those of unknowns that exist before and after, by identity; they are the guesses of the start,
//     which the equations `state = guess` take where no initial equation of an entered mode determines a
//     state
//   jumps: what is tied to a source that jumps does so, too, in the same modes
//   columns: of the results, by identity; a column of what does not exist has no value
//
// Where the start of the run contradicts itself in the initial modes, as that of an inductor whose current
// has to go through a diode, it is tried in others.
//
// Where the next modes have no start, others are searched (pipeline/mode_search.h), from the values before
// the instant: modes whose equations cannot be solved, whose jumps are not determined, that impulses leave at
// once, such as those of an open diode behind an inductor whose current would be interrupted, or that lead
// back to modes that have been tried.
#pragma once
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/explain/structure_changes.h"
#include "compiler/pipeline/mode_search.h"
#include "compiler/pipeline/pipeline.h"
#include "compiler/pipeline/results.h"
#include "compiler/session/carried_values.h"
#include "compiler/session/jumps.h"
#include "runtime/integrate/structure.h"

namespace sigrel::session {

/// The model, which its owner keeps.
inline std::shared_ptr<const pipeline::Compiled> unowned(const pipeline::Compiled& model) {
  return {std::shared_ptr<const void>(), &model};
}

class StructureChanges final : public runtime::StructureSource {
 public:
  /// `columns`: those of the results. `set`: parameters by name. The model outlives the run.
  StructureChanges(const pipeline::Compiled& start, const pipeline::Columns& columns,
                   std::vector<std::pair<std::string, double>> set, Diagnostics& diagnostics);

  std::span<const std::uint32_t> tied() const override { return facts().tied; }
  std::optional<runtime::NextStructure> next(const runtime::StructureEnd& end) override;
  Verdict started(const runtime::StructureStart& start, runtime::NextStructure& next) override;
  bool begin_otherwise(runtime::NextStructure& next) override;
  void save(runtime::Archive& archive) override { visit(archive); }
  void resume(runtime::Archive& archive, runtime::NextStructure& next) override;

  std::shared_ptr<const pipeline::Compiled> current() const { return current_; }
  /// Where the run begins in other modes than the initial ones, whose start contradicts itself: these in
  /// words, and the first such switch of the start.
  struct Begin {
    std::string modes;
    Origin origin;
  };
  std::optional<Begin> begins_in() const;
  /// After `begin_otherwise` found none: combinations of modes that were tried, with the initial one.
  std::size_t starts_tried() const { return starts_tried_; }
  /// Is called with the model of each new structure.
  std::function<void(const pipeline::Compiled&)> changed{};
  /// Is called with each change that has taken place.
  std::function<void(const explain::StructureChange&)> took_place{};

 private:
  struct ColumnOf {
    std::uint32_t identity = 0, order = 0;  // of the unknown; of differentiation
    bool known = false;
    std::string name;  // of the unknown
  };
  /// A value that is differentiated and that the start has changed, by its index in `Compiled`'s list.
  struct Broken {
    Differentiated what;
    double before = 0, after = 0;
  };
  void visit(runtime::Archive& archive);
  std::vector<Broken> broken(const runtime::StructureStart& start) const;
  Verdict jump(const runtime::StructureStart& start, runtime::NextStructure& next);
  Verdict accept();
  std::string name_of(std::uint32_t unknown, std::uint32_t order) const;
  std::optional<runtime::NextStructure> follow_transitions(const runtime::StructureEnd& end);
  std::optional<runtime::NextStructure> stay(const runtime::StructureEnd& end);
  Verdict leave_by_impulses(const runtime::StructureEnd& end, runtime::NextStructure& next);
  bool several_begin() const;
  bool same_states(const runtime::StructureEnd& end) const;
  std::optional<runtime::NextStructure> try_modes(pipeline::Modes modes, bool known);
  std::optional<runtime::NextStructure> try_others(pipeline::Refusal why,
                                                   const pipeline::SingularModes& singular = {});
  std::optional<runtime::NextStructure> try_next();
  bool compile(pipeline::SingularModes& why);
  Verdict refuse(pipeline::Refusal why, runtime::NextStructure& next);
  std::string tried() const;
  std::string text_of(const pipeline::Modes& modes, const std::set<std::uint32_t>& shown) const;
  void report_inconsistent(const Diagnostics& found, bool is_built);
  void report_cycle();
  bool has_outgrown() const;
  void report_growth();
  void report(const std::string& why, std::span<const std::uint32_t> unknowns);
  void report_interrupted(std::span<const Jump> flows);
  runtime::NextStructure begin_of(const std::vector<elaborate::ChosenMode>& modes);
  runtime::NextStructure start_of(const std::vector<elaborate::ChosenMode>& modes);
  std::vector<bool> new_switches(const std::vector<elaborate::ChosenMode>& modes) const;
  pipeline::Modes next_modes(const runtime::StructureEnd& end, std::uint32_t only) const;
  std::vector<std::uint32_t> leaving(const runtime::StructureEnd& end) const;
  double number(const system::ModeNumber& n, const runtime::StructureEnd& end) const;
  void set_numbers(const std::vector<elaborate::ChosenMode>& modes, runtime::NextStructure& next) const;
  const std::vector<std::uint32_t>& named_unknowns();
  /// What follows from a model alone, and is asked for at each change.
  struct Facts {
    std::vector<Differentiated> differentiated;
    std::size_t size = 0;                // what a transition that lets a structure grow adds to
    bool has_initial_equations = false;  // of the modes that are entered
    std::vector<std::uint32_t> tied;     // StructureSource::tied
  };
  const Facts& facts() const;
  std::vector<runtime::Column> columns();

  const pipeline::Compiled& start_;
  std::shared_ptr<const pipeline::Compiled> current_;
  std::shared_ptr<pipeline::Structures> structures_;
  std::vector<std::pair<std::string, double>> set_;
  Diagnostics& diagnostics_;
  mutable std::unordered_map<std::uint64_t, Facts> facts_;  // by model
  std::vector<ColumnOf> columns_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> named_;  // `named_unknowns`, by model
  CarriedValues values_;
  pipeline::Modes modes_;  // of the present structure
  pipeline::Modes begun_;  // those in which the run began, if not the initial ones
  bool in_begun_ = false;  // still: with the initial equations of a start
  std::size_t starts_tried_ = 0;
  double time_ = 0;                   // of the last change
  Span until_;                        // of the first transition that led to it
  std::vector<std::string> entered_;  // what led to it, in words
  bool branches_told_ = false;        // ends of the solutions of algebraic loops
  // At an instant:
  std::size_t size_before_ = 0, changes_ = 0;  // of the structure before the first change; of these
  pipeline::ModeSearch search_;
  CarriedValues before_jump_;  // `values_`
  Diagnostics refused_;        // why the first modes that were tried are not possible
  bool jumped_ = false;        // the jumps of the present structure are computed
  Jumps jumps_;                // then
  std::map<std::uint32_t, std::pair<std::string, std::string>>
      told_;  // modes by switch, as of the last change
};

}  // namespace sigrel::session
