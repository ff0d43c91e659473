// The structural type of a relation with switches, from those of its combinations of modes.
//
// A mode is an error iff no context can complete the relation in it, whatever the modes of the other switches
// are. What applies the relation must be completed by one combination at least, so it is analysed with a type
// that can determine whatever one of them can: the join. No good definition is refused; what is singular in
// each combination of the modes of several parts may be overlooked, and is found in a run.
//
// Example: an ideal diode has {p.i; n.i} in the mode Open and {p.v n.v; p.i n.i} in the mode Closed.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/components.h"
#include "compiler/structural_types/structural_type.h"

namespace sigrel::structural_types {

/// A type whose B contains those of all, which is theirs where they are equal. Nothing if they determine
/// different numbers of unknowns.
std::optional<StructuralType> join(std::span<const StructuralType> types);

struct JudgedCombinations {
  /// Combinations with a mode that is singular in all of them, one for each such mode.
  std::vector<std::uint32_t> refused;
  bool completable = false;            // some combination is
  bool exact = false;                  // all have the type
  std::optional<StructuralType> type;  // absent if it is not known, or a mode is refused
};
/// `types` by component; `singular` by component: no context can complete it.
JudgedCombinations judge_combinations(const components::Component& component,
                                      std::span<const std::optional<StructuralType>> types,
                                      const std::vector<bool>& singular);

}  // namespace sigrel::structural_types
