#include "compiler/singularity/floating_potentials.h"

#include <algorithm>

#include "compiler/exact/random_point.h"
#include "compiler/incidence/incidence.h"
#include "compiler/singularity/null_space.h"
#include "compiler/singularity/report.h"
#include "compiler/singularity/system_view.h"
#include "compiler/singularity/under_determined.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::singularity {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
constexpr std::int8_t kRaised = 1, kLowered = -1;

class Search {
 public:
  Search(const system::System& system, const dae::System& dae)
      : system_(system),
        view_(system),
        dae_(dae),
        pool_(dae.exprs),
        base_(dae.variables.size()),
        direction_(dae.variables.size(), 0) {
    for (VariableId v : ids<VariableId>(0, dae.variables.size())) {
      const std::uint32_t integral = dae.variables[v.value].integral;
      base_[v] = integral == dae::kNone ? v : base_[VariableId{integral}];
    }
  }

  FloatingPotentials run(const Redundant& redundant) {
    std::optional<std::vector<NullVector>> vectors = undetermined();
    if (!vectors || vectors->empty()) return {};
    IdVector<VariableId, std::vector<UnknownId>> unknowns_of(dae_.variables.size());
    for (UnknownId u : ids<UnknownId>(0, dae_.aliases.size()))
      if (const dae::Alias& alias = dae_.aliases[u.value]; alias.kind != dae::Alias::Zero)
        unknowns_of[VariableId{alias.variable}].push_back(u);
    for (const NullVector& vector : *vectors)
      if (!add(vector, unknowns_of)) return {};
    incidence::EquationList list;
    list.append(system_.equations);
    bool contains_floating = false;
    for (std::uint32_t e : redundant.equations)
      list.each_unknown(EquationId{e}, [&](UnknownId u) {
        const dae::Alias& alias = dae_.aliases[u.value];
        contains_floating = contains_floating ||
                            (alias.kind != dae::Alias::Zero && direction_[VariableId{alias.variable}] != 0);
      });
    if (contains_floating) return {};
    FloatingVerdict<Origin>& verdict = result_.verdict;
    verdict.floats = true;
    verdict.potentials = result_.floating.size();
    verdict.redundant = redundant.equations.size();
    if (!redundant.constant.empty()) verdict.numbers = list.origin(EquationId{redundant.constant.front()});
    find_conditions(dae_.equations, false);
    for (const Equations* conditions : {&dae_.assertions, &dae_.conditions, &dae_.values})
      find_conditions(*conditions, true);
    find_starts();
    return std::move(result_);
  }

 private:
  /// What the equations leave free, of those variables that they are too few for.
  std::optional<std::vector<NullVector>> undetermined() {
    const UnderDeterminedPart part = under_determined_part(dae_);
    if (part.missing == 0) return std::nullopt;
    return null_vectors(dae_, part.equations, part.variables);
  }

  /// Whether all unknowns of the vector move by the same amount.
  bool add(const NullVector& vector, const IdVector<VariableId, std::vector<UnknownId>>& unknowns_of) {
    if (!vector.unit) return false;
    FloatingPotential potential;
    std::optional<bool> down;
    for (std::size_t k = 0; k < vector.variables.size(); ++k)
      for (UnknownId u : unknowns_of[vector.variables[k]]) {
        bool opposite = vector.opposite[k] != (dae_.aliases[u.value].kind == dae::Alias::Negated);
        if (down && *down != opposite) return false;
        down = opposite;
        potential.unknowns.push_back(u.value);
      }
    if (potential.unknowns.size() < 2) return false;
    for (std::size_t k = 0; k < vector.variables.size(); ++k)
      direction_[vector.variables[k]] = vector.opposite[k] == *down ? kRaised : kLowered;
    std::ranges::sort(potential.unknowns);
    potential.zero = UnknownId{reference_of(view_, potential.unknowns)};
    result_.floating.push_back(std::move(potential));
    return true;
  }

  std::int8_t direction(std::uint32_t variable) const { return direction_[base_[VariableId{variable}]]; }

  void find_conditions(const Equations& equations, bool whole) {
    for (const EquationTable& table : equations.tables) {
      std::vector<bool> looks = whole ? std::vector<bool>(table.slots, true)
                                      : symbolic::slots_in_conditions(pool_, table.residual, table.slots);
      if (std::ranges::find(looks, true) == looks.end()) continue;
      for (std::size_t row = 0; row < table.rows() && !result_.verdict.condition; ++row) {
        auto slots = table.unknowns_of(row);
        for (std::size_t k = 0; k < slots.size(); ++k)
          if (looks[k] && direction(slots[k]) != 0) result_.verdict.condition = table.origins[row];
      }
    }
  }

  /// Initial equations that change when floating potentials are raised.
  void find_starts() {
    for (const EquationTable& table : dae_.initial.tables) {
      std::optional<exact::PointEvaluator> slopes;
      std::vector<bool> looks;
      for (std::size_t row = 0; row < table.rows(); ++row) {
        auto slots = table.unknowns_of(row);
        if (std::ranges::none_of(slots, [&](std::uint32_t v) { return direction(v) != 0; })) continue;
        if (!slopes) {
          slopes.emplace(pool_, symbolic::gradient(pool_, table.residual, table.slots));
          looks = symbolic::slots_in_conditions(pool_, table.residual, table.slots);
        }
        exact::Field change;
        auto values = slopes->row(slots, table.parameters_of(row));
        for (std::size_t k = 0; k < slots.size(); ++k) {
          if (direction(slots[k]) == 0) continue;
          change += direction(slots[k]) == kRaised ? values[k] : -values[k];
          if (looks[k]) result_.verdict.start = table.origins[row];
        }
        if (!change.zero()) result_.verdict.start = table.origins[row];
      }
    }
    for (std::uint32_t row = 0; row < dae_.initial.sums.rows(); ++row) {
      int change = 0;
      for (Term t : dae_.initial.sums.terms_of(row))
        change += t.negative() ? -direction(t.unknown()) : direction(t.unknown());
      if (change != 0) result_.verdict.start = dae_.initial.sums.origins[row];
    }
  }

  const system::System& system_;
  SystemView view_;
  const dae::System& dae_;
  ExprPool pool_;
  IdVector<VariableId, VariableId> base_;        // the one of order 0 of which it is a derivative
  IdVector<VariableId, std::int8_t> direction_;  // of a floating variable of order 0: kRaised, kLowered
  FloatingPotentials result_;
};

}  // namespace

FloatingPotentials find_floating_potentials(const system::System& system, const dae::System& dae,
                                            const Redundant& redundant) {
  return Search(system, dae).run(redundant);
}

}  // namespace sigrel::singularity
