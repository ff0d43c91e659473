// The structural type of a relation with switches, from those of its combinations of modes.
//
// A mode is an error iff no context can complete the relation in it, whatever the modes of the other switches
// are. A relation with switches, and what applies one, has alternatives: the types that it has in its
// combinations of modes. What applies them must be completed by one choice of them at least. Where there are
// too many to try, the join stands for the alternatives of a part: a type that can determine whatever one of
// them can. So no good definition is refused; what is singular for each choice among many may be overlooked,
// and is found in a run.
//
// Example: an ideal diode has {p.i; n.i} in the mode Open and {p.v n.v; p.i n.i} in the mode Closed.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/components.h"
#include "compiler/structural_types/definition.h"

namespace sigrel::structural_types {

/// A type whose B contains those of all, which is theirs where they are equal. Nothing if they determine
/// different numbers of unknowns.
std::optional<StructuralType> join(std::span<const StructuralType> types);

/// Combinations with a mode that is singular in all of them, one for each such mode. `singular` by component:
/// no context can complete it.
std::vector<std::uint32_t> refused_modes(const components::Component& component,
                                         const std::vector<bool>& singular);

/// Types that one component can have.
class Alternatives {
 public:
  void add(const StructuralType& type);
  void add(const Alternatives& more);
  bool empty() const { return types_.empty(); }
  std::span<const StructuralType> types() const { return types_; }
  std::optional<StructuralType> join() const { return structural_types::join(types_); }
  /// They contain types that no combination of modes has.
  bool approximate = false;

 private:
  std::vector<StructuralType> types_;  // different ones
};

/// Those of a definition, of which application k applies the relation with the alternatives `parts[k]`.
/// Nothing where they are not known: too many, of different ranks.
std::optional<Alternatives> alternatives_of(const Definition& definition,
                                            std::span<const Alternatives* const> parts);

}  // namespace sigrel::structural_types
