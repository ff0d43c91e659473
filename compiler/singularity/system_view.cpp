#include "compiler/singularity/system_view.h"

#include <algorithm>
#include <array>

namespace sigrel::singularity {

SystemView::SystemView(const system::System& system) : system_(system), names_(system) {
  equations_.append(system.equations);
}

SystemView::SystemView(const system::System& system, const dae::System& dae)
    : system_(system), names_(system) {
  equations_.append(dae.equations);
  for (const dae::Variable& v : dae.variables) unknown_of_.push_back(v.unknown);
}

std::vector<Origin> SystemView::origins(Numbers equations) const {
  std::vector<Origin> result;
  for (std::uint32_t e : equations) result.push_back(equations_.origin(EquationId{e}));
  return result;
}

Span SystemView::span_of(Origin origin, Scope scope) const {
  return names_.places(std::array{origin}, names_.common(scope, origin.instance)).front().span;
}

SourceView::Scope SystemView::scope_of_equations(Numbers equations) const {
  return names_.common_instance(origins(equations));
}

std::vector<Place> SystemView::places(Numbers equations, Scope scope) const {
  return names_.places(origins(equations), scope);
}

std::vector<std::uint32_t> SystemView::unknowns_of(std::uint32_t equation) const {
  std::vector<std::uint32_t> result;
  const EquationId number{equation};
  if (unknown_of_.size() == 0)
    equations_.each_unknown(number, [&](UnknownId u) { result.push_back(u.value); });
  else
    equations_.each_variable(number, [&](VariableId v) { result.push_back(unknown_of_[v]); });
  std::ranges::sort(result);
  result.erase(std::ranges::unique(result).begin(), result.end());
  return result;
}

}  // namespace sigrel::singularity
