// The result of building a relation body: what its instances have in common. An instance is created by
// copying rows, with its columns replaced by unknowns and its reals by parameters.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "compiler/elaborate/ids.h"
#include "compiler/elaborate/switches.h"
#include "compiler/elaborate/values.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// The source of the captured parameters of a child: those of one of the body's own captures, or a new set.
struct CapturedPlan {
  std::uint32_t own = kNone;  // the index among the captures of the body; kNone: a new set
  /// From Blueprint::captured_items: `reals` entries are RealIds, then `relations` entries are earlier
  /// CapturedIds, for the relations that the child captured; kNone stands for the set itself.
  std::uint32_t first = 0, reals = 0, relations = 0;
  bool operator==(const CapturedPlan&) const = default;
};

enum class RowKind : std::uint8_t { Equation, Initial, Assertion, Condition, Value };
constexpr std::size_t kRowKinds = 5;

struct RowPlan {
  std::uint32_t table = 0;
  std::uint32_t first_slot = 0, first_real = 0;
  std::uint32_t source = 0;
  /// Condition: of Blueprint::triggers; Value: of Blueprint::assignments; Initial: the switch in whose mode
  /// it is, or kNoSwitch.
  std::uint32_t tag = 0;
  bool operator==(const RowPlan&) const = default;
};

/// A term of a sum.
struct TermPlan {
  std::uint32_t column_ : 31 = 0;
  std::uint32_t negative : 1 = 0;
  static TermPlan of(ColumnId column, bool negative) { return {column.value, negative}; }
  ColumnId column() const { return ColumnId{column_}; }
  bool operator==(const TermPlan&) const = default;
};

struct TriggerPlan {
  system::Trigger::Kind kind{};
  std::uint32_t source = 0;
  bool initial = false, terminal = false;
  std::optional<TriggerId> preceding = {};
  bool operator==(const TriggerPlan&) const = default;
};
struct ClockPlan {
  TriggerId trigger;
  RealId period, offset, start, stop;
  std::vector<RealId> jitter;
  bool operator==(const ClockPlan&) const = default;
};
struct AssignmentPlan {
  TriggerId trigger;
  ColumnId column;
  bool operator==(const AssignmentPlan&) const = default;
};
struct PreviousPlan {
  ColumnId column;
  ColumnRef of;
  bool operator==(const PreviousPlan&) const = default;
};
struct DelayPlan {
  ColumnId column, of;
  RealId length;
  bool piecewise_constant = false;
  std::uint32_t source = 0;
  bool operator==(const DelayPlan&) const = default;
};

struct AttributePlan {
  system::AttributeKind kind{};
  ColumnRef column;
  RealId real;
  Span span;
  bool operator==(const AttributePlan&) const = default;
};

/// A hidden variable of a child, by its name there.
struct MemberReference {
  ChildId child;
  Name name;
  Span span;
  bool operator==(const MemberReference&) const = default;
};

struct ChildPlan {
  std::uint32_t first_argument = 0;  // of Blueprint::arguments
  CapturedId captured;
  bool operator==(const ChildPlan&) const = default;
};

/// The part of a body that does not depend on the relations of its children. Bodies of one relation literal
/// often share it. Columns: the scalars of the interface, then the locals.
struct Blueprint {
  std::uint32_t body = 0;  // index of system::Template
  std::uint32_t interface = 0, locals = 0;
  std::vector<RowPlan> rows[kRowKinds];  // by RowKind
  std::vector<ColumnRef> slots;
  std::vector<RealId> row_reals;
  std::vector<std::uint32_t> sum_offsets{0};  // of the first term of each sum, and an end
  std::vector<TermPlan> sum_terms;
  std::vector<std::uint32_t> sum_sources;
  /// Parameter expressions to evaluate per instance, operands first. Op::Param a: captured Real a of the
  /// instance; Op::Const a: parameter a of the system.
  std::vector<system::Parameter> reals;
  std::vector<CapturedPlan> captured;
  std::vector<std::uint32_t> captured_items;
  std::vector<ChildPlan> children;
  std::vector<ColumnRef> arguments;
  std::vector<AttributePlan> attributes;
  std::vector<MemberReference> members;
  std::vector<std::uint32_t> steady;  // sources
  std::vector<TriggerPlan> triggers;
  std::vector<ClockPlan> clocks;
  std::vector<AssignmentPlan> assignments;
  std::vector<PreviousPlan> previous;
  std::vector<DelayPlan> delays;
  std::vector<std::int32_t> places;  // of the columns, as in components::Component
};

/// Whether they are equal, except for the template.
bool same_content(const Blueprint& a, const Blueprint& b);

struct Body {
  std::shared_ptr<const Blueprint> blueprint;
  std::vector<RelationObject*> relations;  // of each child
  std::vector<LayoutId> interfaces;        // of each child
  std::vector<SwitchPlan> switches;
  std::vector<TransitionPlan> transitions;
};

}  // namespace sigrel::elaborate
