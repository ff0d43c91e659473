// The analysis of a flat system, from the cheapest question to the most expensive one: is its structure
// singular? If not, which equations became redundant and which potentials float once aliases are eliminated?
#include "compiler/singularity/singular_system.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "compiler/incidence/incidence.h"
#include "compiler/singularity/report.h"
#include "compiler/singularity/structural_causes.h"
#include "compiler/singularity/system_view.h"

namespace sigrel::singularity {
namespace {

/// x and der x are one unknown, before aliases are eliminated and after.
StructuralCauses causes_in(const system::System& system, const SystemView& view) {
  return structural_causes(incidence::incidence(view.equations(), system.unknowns));
}

/// Columns of the result are unknowns of the system.
StructuralCauses causes_in(const dae::System& dae, const SystemView& view) {
  std::vector<std::uint32_t> column_of(dae.variables.size()), unknown_of;
  for (std::uint32_t v = 0; v < dae.variables.size(); ++v) {
    const dae::Variable& variable = dae.variables[v];
    if (variable.integral != dae::kNone) {
      column_of[v] = column_of[variable.integral];
    } else {
      column_of[v] = static_cast<std::uint32_t>(unknown_of.size());
      unknown_of.push_back(variable.unknown);
    }
  }
  ExprPool pool = dae.exprs;
  StructuralCauses causes = structural_causes(incidence::determining_incidence(
      pool, view.equations(), static_cast<std::uint32_t>(unknown_of.size()), column_of));
  if (causes.over)
    for (std::uint32_t& c : causes.over->set.columns) c = unknown_of[c];
  for (UnderDetermined& part : causes.under) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> renamed;
    for (std::size_t k = 0; k < part.set.columns.size(); ++k)
      renamed.emplace_back(unknown_of[part.set.columns[k]], part.occurrences[k]);
    for (std::uint32_t& c : part.undetermined) c = unknown_of[c];
    std::ranges::sort(part.undetermined);
    std::ranges::sort(renamed);
    for (std::size_t k = 0; k < renamed.size(); ++k)
      std::tie(part.set.columns[k], part.occurrences[k]) = renamed[k];
  }
  return causes;
}

std::vector<std::uint32_t> undetermined(const StructuralCauses& causes) {
  std::vector<std::uint32_t> result;
  for (const UnderDetermined& part : causes.under)
    result.insert(result.end(), part.set.columns.begin(), part.set.columns.end());
  std::ranges::sort(result);
  return result;
}

void report_floating(const SystemView& view, const FloatingPotentials& all, Diagnostics& diagnostics) {
  for (const FloatingPotential& floating : all.floating) {
    const std::uint32_t scope = view.scope_of_unknowns(floating.unknowns);
    auto span = [&](const std::optional<Origin>& origin) {
      return origin ? std::optional(view.span_of(*origin, scope)) : std::nullopt;
    };
    report_no_reference(view, floating.unknowns,
                        {span(all.verdict.condition), span(all.verdict.start), span(all.verdict.numbers)},
                        diagnostics);
  }
}

}  // namespace

void report_singular(const system::System& system, const dae::System& dae,
                     const std::vector<std::uint32_t>& redundant, const FloatingPotentials& floating,
                     Diagnostics& diagnostics) {
  const SystemView view(system), reduced(system, dae);
  if (StructuralCauses causes = causes_in(system, view); !causes.empty())
    return report_structural(view, causes, diagnostics);
  // Structurally everything is in order, but only before aliases are eliminated.
  const FloatingPotentials all = redundant.empty() ? find_floating_potentials(system, dae, {}) : floating;
  if (!all.floating.empty()) return report_floating(view, all, diagnostics);
  StructuralCauses causes = causes_in(dae, reduced);
  if (redundant.empty()) return report_structural(reduced, causes, diagnostics);
  report_redundant(view, {redundant, false, undetermined(causes)}, diagnostics);
}

void report_dependent(const system::System& system, const dae::System& dae,
                      const std::vector<std::uint32_t>& equations, Diagnostics& diagnostics) {
  RedundantEquations redundant{equations, true, undetermined(causes_in(dae, SystemView(system, dae)))};
  report_redundant(SystemView(system), redundant, diagnostics);
}

void report_floating_potentials(const system::System& system, const FloatingPotentials& floating,
                                Diagnostics& diagnostics) {
  std::vector<std::vector<std::uint32_t>> unknowns;
  for (const FloatingPotential& f : floating.floating) unknowns.push_back(f.unknowns);
  report_chosen_references(SystemView(system), unknowns, diagnostics);
}

}  // namespace sigrel::singularity
