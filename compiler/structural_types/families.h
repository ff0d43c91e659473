// The types of a definition for all sizes, from those of a few.
//
// A family has the components of a definition for n = 0, 1, 2, … Where the component of k is the same for all
// larger sizes (known from its evaluation: Component::holds_beyond), the next sample shows how its parts
// move: a part stays what it is, or is the component of the size one, two, … below, or moves in the same way
// itself. Then T(n) = F(T(n - 1), …) for all n from k on, with one F, and as soon as the types of the samples
// repeat they repeat forever. What is not shown in this way is claimed of the samples only.
//
// Example: a ladder of n stages is a stage and a ladder of n - 1 stages for n ≥ 2. Its samples have the
// types A, B, B: all ladders of two stages and more have B. With an equation too many in the stage, sizes
// 1, 2, 3 have none: all are singular.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/components.h"
#include "compiler/structural_types/components.h"

namespace sigrel::structural_types {

struct FamilyType {
  /// Consecutive members of the same type.
  struct Range {
    std::size_t first, last;  // of Family::members
    bool beyond = false;      // and every larger size
  };
  std::vector<Range> ranges;
  /// The member from which on all are singular: all larger sizes if `proved`, else those of the family.
  std::optional<std::size_t> singular_from;
  bool proved = false;

  /// From some size on none can be completed. Where that is not proved, the error is reported at a use.
  bool refused() const { return singular_from && proved; }
};

std::vector<FamilyType> types_of_families(const components::Library& library, const Checked& checked);

/// Reports the definitions all of whose families are refused, with the message for the smallest size; each
/// cause once. `withheld`: what check() found in components that only families use.
void report_families(const components::Library& library, std::span<const std::optional<StructuralType>> types,
                     std::span<const FamilyType> family_types, const Withheld& withheld,
                     Diagnostics& diagnostics);

/// "{p.v p.i n.v; p.i n.i} for all n >= 1": the types of the families of one definition, once where they
/// agree; empty if nothing is known.
std::string to_text(std::span<const components::Family> families, std::span<const FamilyType> family_types,
                    const Checked& checked, const components::Library& library);

}  // namespace sigrel::structural_types
