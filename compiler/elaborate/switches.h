// The switches of the body under construction. In each of them one mode is given, or it is the initial one;
// elaboration builds the system of these modes.
//
// The modes that a run has entered are part of the relation value of their instance (`with_modes`): one more
// capture, a tuple of places and modes. So bodies are shared by instances in the same modes, and the Reals of
// modes are parameters, as those of other captures are.
#pragma once
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "compiler/elaborate/ids.h"
#include "compiler/elaborate/loop_indices.h"
#include "compiler/elaborate/values.h"
#include "compiler/ir/system.h"

namespace sigrel::elaborate {

/// Where a switch is in a body: its number in the relation literal, and the indices of the loops around it.
struct SwitchPlace {
  std::uint32_t item = 0;
  std::vector<std::int64_t> loops{};
  auto operator<=>(const SwitchPlace&) const = default;
};

/// A mode that a run has entered.
struct GivenMode {
  SwitchPlace place;
  Value mode;  // with numbers
};

/// A number that a mode takes.
struct ModeNumberPlan {
  enum Kind : std::uint8_t {
    Column,
    Real,      // RealId
    Captured,  // all numbers below a captured relation, in the order of Relations::numbers
  } kind = Column;
  std::uint32_t index = 0;
};

struct SwitchPlan {
  const core::SwitchItem* item = nullptr;
  SwitchPlace place{};
  std::uint32_t source = 0;
  std::uint32_t parent = system::kNoSwitch;
  Name name{};  // of the mode
  Value mode{};
  std::vector<ModeNumberPlan> numbers{};
  std::vector<RelationObject*> captured{};  // of the Captured numbers, by order
  bool is_given = false;
};

struct TransitionPlan {
  std::uint32_t of = 0;  // of the switches of the body
  TriggerId trigger;
  Name name;  // of the mode that it leads to
  Value target;
  std::vector<ModeNumberPlan> numbers{};
  std::vector<RelationObject*> captured{};
};

/// The relation value with these modes.
RelationObject* with_modes(Heap& heap, RelationObject& relation, std::span<const GivenMode> modes);

class Switches {
 public:
  /// The modes of a relation value from `with_modes`, as its body sees them.
  void give(const Value& modes);
  const Value* given(const SwitchPlace& place) const;

  /// The switch in whose mode the current item is.
  std::uint32_t current = system::kNoSwitch;

  std::uint32_t add(SwitchPlan plan) {
    switches_.push_back(std::move(plan));
    return static_cast<std::uint32_t>(switches_.size() - 1);
  }
  const SwitchPlan& operator[](std::uint32_t k) const { return switches_[k]; }
  void add(TransitionPlan plan) { transitions_.push_back(std::move(plan)); }

  std::vector<SwitchPlan> take_switches() { return std::move(switches_); }
  std::vector<TransitionPlan> take_transitions() { return std::move(transitions_); }

 private:
  std::map<SwitchPlace, Value> given_;
  std::vector<SwitchPlan> switches_;
  std::vector<TransitionPlan> transitions_;
};

}  // namespace sigrel::elaborate
