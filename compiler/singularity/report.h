// The messages about singular systems: over-determined, under-determined, redundant equations, floating
// potentials. One wording for flat systems (`sigrel run`) and relation definitions (`sigrel check`).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/singularity/source_view.h"
#include "compiler/singularity/structural_causes.h"

namespace sigrel::singularity {

/// "`a` and `b`": in the order of their kinds, source unknowns first.
std::string listed(const SourceView& view, std::span<const std::uint32_t> unknowns, SourceView::Scope scope);
/// The over-determined set, and at most three causes of under-determined unknowns; those in the scope of the
/// over-determined set are a note of its message.
void report_structural(const SourceView& view, const StructuralCauses& causes, Diagnostics& diagnostics);

struct RedundantEquations {
  std::vector<std::uint32_t> equations;  // ascending
  /// The equations depend on each other and on no others; else each follows from others that are not listed.
  bool complete = false;
  std::vector<std::uint32_t> undetermined;  // unknowns that lack an equation because of it
};
void report_redundant(const SourceView& view, const RedundantEquations& redundant, Diagnostics& diagnostics);

/// Unknowns of which the equations determine only combinations.
void report_combination(const SourceView& view, std::span<const std::uint32_t> unknowns,
                        Diagnostics& diagnostics);

/// Why a floating potential cannot be chosen freely, with the place in the body of the scope.
struct FloatingPotentialUse {
  std::optional<Span> condition, start, numbers;
};
void report_no_reference(const SourceView& view, std::span<const std::uint32_t> unknowns,
                         const FloatingPotentialUse& use, Diagnostics& diagnostics);
/// Warns of floating potentials that are harmless: of each, its unknowns.
void report_chosen_references(const SourceView& view, std::span<const std::vector<std::uint32_t>> floating,
                              Diagnostics& diagnostics);
/// The unknown of a floating potential that is taken as zero: the last one by name that the source declares,
/// however the equations are ordered.
std::uint32_t reference_of(const SourceView& view, std::span<const std::uint32_t> unknowns);

}  // namespace sigrel::singularity
