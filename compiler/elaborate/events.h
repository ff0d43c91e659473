// The events of the body under construction: triggers, clocks, assignments, and the columns of `pre` and
// `delay`. The column of a discrete variable, a `pre` or a `delay` has the derivative zero: for the equations
// it is a constant, which events change, so the later stages need no further concept.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/elaborate/member_references.h"
#include "compiler/elaborate/variables.h"

namespace sigrel::elaborate {

class Events {
 public:
  Events(Machine& machine, Columns& columns, Rows& rows, ParameterExpressions& reals,
         const MemberReferences& members)
      : machine_(machine), columns_(columns), rows_(rows), reals_(reals), members_(members) {}

  /// The trigger whose block is being built.
  std::optional<TriggerId> current;
  /// Whether the current item is an initial equation of a mode, where `pre` is the value before the mode.
  bool enters_mode = false;

  TriggerId add_trigger(system::Trigger::Kind kind, Span span);
  TriggerPlan& operator[](TriggerId t) { return triggers_[t.value]; }
  std::size_t size() const { return triggers_.size(); }
  void add_clock(ClockPlan clock) { clocks_.push_back(std::move(clock)); }
  /// An assignment to the column in the block of the current trigger; the result is the tag of its row.
  std::uint32_t add_assignment(ColumnId column) {
    assignments_.push_back({*current, column});
    return static_cast<std::uint32_t>(assignments_.size() - 1);
  }
  /// Adds the equation that the column is constant between events.
  void add_constant(ColumnId column, Span span);

  /// `pre signal`, of a scalar. `word`: the operation that needs it, for messages.
  std::optional<Value> previous(const Value& signal, std::string_view word, Span span);
  /// `delay signal length`, of a scalar.
  std::optional<Value> delayed(const Value& signal, const Value& length, Span span);

  /// Moves them to the blueprint, with the final columns and reals.
  template <class FinalColumn, class FinalRef, class FinalReal>
  void move_to(Blueprint& b, FinalColumn final_column, FinalRef final_ref, FinalReal final_real) {
    for (ClockPlan& c : clocks_) {
      for (RealId* r : {&c.period, &c.offset, &c.start, &c.stop}) *r = final_real(*r);
      for (RealId& r : c.jitter) r = final_real(r);
    }
    for (AssignmentPlan& a : assignments_) a.column = final_column(a.column);
    for (PreviousPlan& p : previous_) p = {final_column(p.column), final_ref(p.of)};
    for (DelayPlan& d : delays_)
      d = {final_column(d.column), final_column(d.of), final_real(d.length), d.piecewise_constant, d.source};
    b.triggers = std::move(triggers_);
    b.clocks = std::move(clocks_);
    b.assignments = std::move(assignments_);
    b.previous = std::move(previous_);
    b.delays = std::move(delays_);
  }

 private:
  void report_continuous(const std::string& name, std::string_view word, Span span);
  ColumnId previous_column(ColumnRef of, Span span);

  Machine& machine_;
  Columns& columns_;
  Rows& rows_;
  ParameterExpressions& reals_;
  const MemberReferences& members_;
  std::vector<TriggerPlan> triggers_;
  std::vector<ClockPlan> clocks_;
  std::vector<AssignmentPlan> assignments_;
  std::vector<PreviousPlan> previous_;
  std::vector<DelayPlan> delays_;
  std::unordered_map<std::uint32_t, ColumnId> previous_of_;  // ColumnRef::slot -> the column of its `pre`
};

}  // namespace sigrel::elaborate
