// Reports why a flat system, or the system that it solves at the start, cannot be solved.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/plan.h"
#include "compiler/ir/system.h"
#include "compiler/singularity/floating_potentials.h"

namespace sigrel::singularity {

/// Reports why the system cannot be solved. `redundant` are equations of the system that follow from
/// others, ascending; the reduced system may have an incomplete matching. `floating` is not
/// harmless.
void report_singular(const system::System& system, const dae::System& dae,
                     const std::vector<std::uint32_t>& redundant, const FloatingPotentials& floating,
                     Diagnostics& diagnostics);

/// Reports equations of the system, ascending, that depend on each other for whatever values. In the reduced
/// system the combination that shows this has replaced one of them.
void report_dependent(const system::System& system, const dae::System& dae,
                      const std::vector<std::uint32_t>& equations, Diagnostics& diagnostics);

/// A derivative that the initial equations or assertions contain and the equations do not.
struct UnsupportedDerivative {
  std::uint32_t unknown = 0;
  std::uint32_t order = 0;
  Origin origin;
};

/// Reports initial equations for derivatives that no equation contains.
void report_unsupported_derivatives(const system::System& system,
                                    const std::vector<UnsupportedDerivative>& derivatives,
                                    Diagnostics& diagnostics);

/// An equation of the start beyond the degrees of freedom, by its number in the plan, and by how much its
/// sides differ.
struct Contradiction {
  std::uint32_t equation = 0;
  double residual = 0;
};
/// "its two sides differ", for an equation that came from differentiating "the two sides of its derivative
/// differ", and so on.
const char* sides_differ(const dae::System& dae, std::uint32_t equation);

/// How many initial equations the incidence lets contradict each other: what the report below names.
std::size_t overdetermined_start_size(const dae::System& dae, const plan::Plan& plan,
                                      const std::vector<Contradiction>& contradictions);
/// Reports initial equations that cannot all hold: those that a run found not to hold, and what they
/// contradict.
void report_overdetermined_start(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                                 const std::vector<Contradiction>& contradictions, Diagnostics& diagnostics);
/// Notes that redundant initial equations hold.
void note_redundant_initial(const system::System& system, const dae::System& dae, const plan::Plan& plan,
                            Diagnostics& diagnostics);

}  // namespace sigrel::singularity
