#include "compiler/reduce/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include "compiler/exact/independent_columns.h"
#include "compiler/graph/dummy_derivatives.h"
#include "compiler/graph/signed_union_find.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/state_priority.h"
#include "compiler/singularity/random_jacobian.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

constexpr std::uint32_t kNone = graph::kNone;
constexpr int kNever = -2, kAlways = 2;  // state_preferences()
constexpr std::uint64_t kMostWork = 200'000'000;
/// Candidates, or equations that are watched: the runtime works on a dense matrix.
constexpr std::size_t kLargestSet = 300;

class Selection {
 public:
  Selection(const system::System& system, const graph::Differentiated& graph, const Numbering& numbering,
            dae::System& dae, Diagnostics& diagnostics)
      : system_(system),
        graph_(graph),
        numbering_(numbering),
        dae_(dae),
        diagnostics_(diagnostics),
        equations_(dae.equations),
        preference_(state_preferences(system, dae)),
        jacobian_(dae.exprs, equations_),
        base_(integrated_variables(dae)),
        column_of_(dae.variables.size()),
        place_(graph.variables(), kNone) {
    for (std::uint32_t c = 0; c < graph.variables(); ++c) column_of_[numbering.variable_of[c]] = c;
  }

  void run() {
    const std::vector<long> priority = state_priorities(system_, dae_, graph_, numbering_);
    graph::DummyDerivatives chosen = graph::dummy_derivatives(
        graph_, priority, [&](auto equations, auto candidates) { return decide(equations, candidates); });
    for (std::uint32_t c : chosen.states) dae_.variables[variable(c).value].state = true;
    add_sets();
    report_too_large();
  }

 private:
  /// Numbers in the reduced system of a column and of a row of the graph.
  VariableId variable(std::uint32_t column) const { return numbering_.variable_of[column]; }
  EquationId equation(std::uint32_t row) const { return numbering_.equation_of[row]; }

  /// Chooses dummies among the candidates: first those with fixed pivots, then sets to choose among at run
  /// time, then varying pivots. `state = Never` before all others, `Always` after them.
  std::optional<graph::Decision> decide(std::span<const std::uint32_t> equations,
                                        std::span<const std::uint32_t> candidates) {
    std::vector<std::vector<exact::IndependentColumns::Entry>> columns(candidates.size());
    for (std::uint32_t k = 0; k < candidates.size(); ++k) place_[candidates[k]] = k;
    for (std::uint32_t row = 0; row < equations.size(); ++row)
      jacobian_.row(equation(equations[row]), [&](VariableId v, exact::Field value, bool fixed) {
        if (std::uint32_t k = place_[column_of_[v]]; k != kNone) columns[k].push_back({row, value, fixed});
      });
    for (std::uint32_t c : candidates) place_[c] = kNone;

    exact::IndependentColumns pivots(static_cast<std::uint32_t>(equations.size()));
    graph::Decision decision;
    auto offer = [&](std::uint32_t k, bool varying) {
      exact::IndependentColumns::Answer answer = pivots.offer(columns[k], varying);
      if (answer == exact::IndependentColumns::Answer::Taken) decision.dummies.push_back(candidates[k]);
      return answer;
    };
    auto preference = [&](std::uint32_t k) { return preference_[base_[variable(candidates[k])]]; };
    const std::size_t sets = dae_.sets.size();
    std::size_t open_rows = 0;
    std::vector<bool> taken(candidates.size(), false);
    std::vector<std::uint32_t> fixed_though_varying;
    auto group = [&](auto belongs) {
      std::vector<std::uint32_t> varying;
      for (std::uint32_t k = 0;
           k < candidates.size() && decision.dummies.size() + open_rows < equations.size(); ++k) {
        if (!belongs(preference(k))) continue;
        exact::IndependentColumns::Answer answer = offer(k, false);
        taken[k] = answer == exact::IndependentColumns::Answer::Taken;
        if (answer == exact::IndependentColumns::Answer::Varies) varying.push_back(k);
      }
      open_rows += leave_open(equations, candidates, columns, taken, pivots, varying, decision);
      for (std::uint32_t k : varying)
        if (decision.dummies.size() + open_rows < equations.size() &&
            offer(k, true) == exact::IndependentColumns::Answer::Taken) {
          taken[k] = true;
          fixed_though_varying.push_back(k);
        }
    };
    group([](int p) { return p == kNever; });
    group([](int p) { return p != kNever && p != kAlways; });
    group([](int p) { return p == kAlways; });
    const bool complete = decision.dummies.size() + open_rows == equations.size(),
               fast = pivots.work() <= kMostWork;
    if (complete && fast) {
      watch(equations, candidates, columns, taken, fixed_though_varying, decision);
      return decision;
    }
    if (!complete) report_dependent(equations);
    dae_.sets.resize(sets);  // the structure decides
    return std::nullopt;
  }

  /// Groups the columns whose pivots vary by connected parts of the matrix. Where a part has more of them
  /// than rows without a pivot, the choice of its dummies is left open, and its columns are removed from
  /// `varying`. Returns the number of these rows.
  std::size_t leave_open(std::span<const std::uint32_t> equations, std::span<const std::uint32_t> candidates,
                         const std::vector<std::vector<exact::IndependentColumns::Entry>>& columns,
                         const std::vector<bool>& taken, const exact::IndependentColumns& pivots,
                         std::vector<std::uint32_t>& varying, graph::Decision& decision) {
    if (varying.empty()) return 0;
    graph::SignedUnionFind parts(static_cast<std::uint32_t>(equations.size()));
    auto connect = [&](std::uint32_t k) {
      for (const exact::IndependentColumns::Entry& e : columns[k])
        parts.unite(columns[k].front().row, e.row, false);
    };
    for (std::uint32_t k = 0; k < candidates.size(); ++k)
      if (taken[k]) connect(k);
    for (std::uint32_t k : varying) connect(k);
    struct Part {
      std::vector<std::uint32_t> rows, eliminated, candidates;
      std::size_t open = 0;  // rows without a pivot
    };
    std::map<std::uint32_t, Part> by_root;
    for (std::uint32_t k : varying) by_root[parts.find(columns[k].front().row).root].candidates.push_back(k);
    for (std::uint32_t row = 0; row < equations.size(); ++row)
      if (auto at = by_root.find(parts.find(row).root); at != by_root.end()) {
        at->second.rows.push_back(row);
        at->second.open += !pivots.has_pivot(row);
      }
    for (std::uint32_t k = 0; k < candidates.size(); ++k)
      if (taken[k] && !columns[k].empty())
        if (auto at = by_root.find(parts.find(columns[k].front().row).root); at != by_root.end())
          at->second.eliminated.push_back(k);
    std::size_t rows = 0;
    std::vector<bool> left_open(candidates.size(), false);
    exact::IndependentColumns trial = pivots;
    for (auto& [root, part] : by_root) {
      if (part.open == 0 || part.candidates.size() <= part.open) continue;
      if (part.candidates.size() > kLargestSet) {
        if (!too_large_ || part.candidates.size() > too_large_->candidates)
          too_large_ =
              TooLarge{part.candidates.size(), part.open, variable(candidates[part.candidates.front()])};
        continue;
      }
      auto rank = std::ranges::count_if(part.candidates, [&](std::uint32_t k) {
        return trial.offer(columns[k], true) == exact::IndependentColumns::Answer::Taken;
      });
      if (static_cast<std::size_t>(rank) != part.open) continue;
      rows += part.open;
      dae::StateSet set;
      for (std::uint32_t row : part.rows) set.equations.push_back(equation(equations[row]).value);
      for (std::uint32_t k : part.eliminated) set.eliminated.push_back(variable(candidates[k]).value);
      // The most wanted first: the runtime prefers the first of equals.
      std::ranges::reverse(part.candidates);
      for (std::uint32_t k : part.candidates) {
        const VariableId rate = variable(candidates[k]);
        set.candidates.push_back(rate.value);
        set.weights.push_back(std::pow(10.0, -preference_[base_[rate]]));
        decision.open.push_back(candidates[k]);
      }
      set.states.resize(part.candidates.size() - part.open);
      dae_.sets.push_back(std::move(set));
      for (std::uint32_t k : part.candidates) left_open[k] = true;
    }
    std::erase_if(varying, [&](std::uint32_t k) { return left_open[k]; });
    return rows;
  }

  /// Dummies whose pivots vary, though others could take their place: the runtime must detect when such a
  /// choice becomes singular. For this they become, with all that is connected to them, a set without states.
  void watch(std::span<const std::uint32_t> equations, std::span<const std::uint32_t> candidates,
             const std::vector<std::vector<exact::IndependentColumns::Entry>>& columns,
             const std::vector<bool>& taken, const std::vector<std::uint32_t>& varying,
             const graph::Decision& decision) {
    if (varying.empty()) return;
    graph::SignedUnionFind parts(static_cast<std::uint32_t>(equations.size()));
    for (std::uint32_t k = 0; k < candidates.size(); ++k)
      for (const exact::IndependentColumns::Entry& e : columns[k])
        if (taken[k]) parts.unite(columns[k].front().row, e.row, false);
    struct Part {
      dae::StateSet set;
      bool other = false;  // another choice is possible
    };
    std::map<std::uint32_t, Part> by_root;
    for (std::uint32_t k : varying) by_root.try_emplace(parts.find(columns[k].front().row).root);
    auto part_of = [&](std::uint32_t row) {
      auto at = by_root.find(parts.find(row).root);
      return at == by_root.end() ? nullptr : &at->second;
    };
    for (std::uint32_t row = 0; row < equations.size(); ++row)
      if (Part* part = part_of(row)) part->set.equations.push_back(equation(equations[row]).value);
    for (std::uint32_t k = 0; k < candidates.size(); ++k) {
      if (taken[k]) {
        if (Part* part = columns[k].empty() ? nullptr : part_of(columns[k].front().row))
          part->set.eliminated.push_back(variable(candidates[k]).value);
      } else if (std::ranges::find(decision.open, candidates[k]) == decision.open.end()) {
        for (const exact::IndependentColumns::Entry& e : columns[k])
          if (Part* part = part_of(e.row)) part->other = true;
      }
    }
    for (auto& [root, part] : by_root)
      if (part.other && part.set.equations.size() == part.set.eliminated.size() &&
          part.set.equations.size() <= kLargestSet)
        dae_.sets.push_back(std::move(part.set));
  }

  /// Adds the states of sets, their derivatives, and the equations of both, which come after the other
  /// tables: the numbers of sums increase.
  void add_sets() {
    if (dae_.sets.empty()) return;
    std::uint32_t before = 0;
    for (const EquationTable& table : dae_.equations.tables)
      before += static_cast<std::uint32_t>(table.rows());
    std::map<std::size_t, EquationTable> tables;  // by number of candidates
    std::uint32_t rows = 0;
    for (std::uint32_t number = 0; number < dae_.sets.size(); ++number) {
      dae::StateSet& set = dae_.sets[number];
      if (set.states.empty()) continue;
      set.first_selector = static_cast<std::uint32_t>(system_.parameters.size()) + dae_.discrete_parameters;
      const auto candidates = static_cast<std::uint32_t>(set.candidates.size());
      const std::uint32_t unknown = dae_.variables[set.candidates.front()].unknown;
      const Origin origin = equations_.origin(EquationId{set.equations.front()});
      for (std::uint32_t& state : set.states) {
        state = static_cast<std::uint32_t>(dae_.variables.size());
        dae_.variables.push_back({.unknown = unknown, .state = true, .derivative = state + 1, .set = number});
        dae_.variables.push_back({.unknown = unknown, .order = 1, .integral = state, .set = number});
      }
      auto [at, fresh] = tables.try_emplace(candidates);
      EquationTable& table = at->second;
      if (fresh) {
        ExprPool& pool = dae_.exprs;
        table.slots = candidates + 1;
        table.params = candidates;
        table.residual = pool.slot(0);
        for (std::uint32_t k = 0; k < candidates; ++k)
          table.residual =
              pool.binary(Op::Sub, table.residual, pool.binary(Op::Mul, pool.param(k), pool.slot(k + 1)));
      }
      for (std::uint32_t s = 0; s < set.states.size(); ++s)
        for (bool rate : {false, true}) {
          table.unknowns.push_back(set.states[s] + (rate ? 1 : 0));
          for (std::uint32_t candidate : set.candidates)
            table.unknowns.push_back(rate ? candidate : dae_.variables[candidate].integral);
          for (std::uint32_t k = 0; k < candidates; ++k)
            table.parameters.push_back(set.first_selector + s * candidates + k);
          table.origins.push_back(origin);
          ++rows;
        }
      dae_.discrete_parameters += static_cast<std::uint32_t>(set.states.size()) * candidates;
    }
    for (auto& [size, table] : tables) dae_.equations.tables.push_back(std::move(table));
    auto moved = [&](std::uint32_t& e) {
      if (e != dae::kNone && e >= before) e += rows;
    };
    for (dae::StateSet& set : dae_.sets)
      for (std::uint32_t& e : set.equations) moved(e);
    for (std::uint32_t& e : dae_.derivative_of) moved(e);
    dae_.derivative_of.insert(dae_.derivative_of.begin() + before, rows, dae::kNone);
  }

  void report_dependent(std::span<const std::uint32_t> equations) {
    if (diagnostics_.has_errors()) return;  // later choices of the block fail for the same reason
    singularity::SourceNames terms(system_);
    std::vector<Origin> origins;
    for (std::uint32_t e : equations) origins.push_back(equations_.origin(equation(e)));
    std::uint32_t where = terms.common_instance(origins);
    auto places = terms.places(origins, where);
    Diagnostic& d =
        diagnostics_.report(Code::DependentConstraints, places.back().span,
                            fmt::format("constraints of {} depend on each other", terms.relation(where)));
    d.label("the derivative of this follows from the others, or contradicts them");
    singularity::label_others(d, places, "together with this");
    terms.note_instance(d, where);
    d.help("one of them is not needed: drop it, or let it contain another unknown");
  }

  void report_too_large() {
    if (!too_large_) return;
    const std::uint32_t unknown = dae_.variables[base_[too_large_->example].value].unknown;
    singularity::SourceNames terms(system_);
    diagnostics_
        .report(Code::StatesChosenOnce, terms.declaration(unknown, system::kRoot),
                fmt::format("{} variables could be states, too many to choose among while the model runs",
                            too_large_->candidates))
        .label(fmt::format("`{}` is one of them; equations make {} of them dependent on the others",
                           system::unknown_name(system_, unknown), too_large_->dummies))
        .note(
            "the choice made at the start is kept; a simulation that reaches a point where it is singular "
            "stops")
        .help(
            "coordinates of which fewer are tied to each other (an angle in place of two lengths) need no "
            "such choice");
  }

  const system::System& system_;
  const graph::Differentiated& graph_;
  const Numbering& numbering_;
  dae::System& dae_;
  Diagnostics& diagnostics_;
  incidence::EquationList equations_;
  IdVector<VariableId, int> preference_;
  singularity::RandomJacobian jacobian_;
  IdVector<VariableId, VariableId> base_;  // integrated_variables()
  IdVector<VariableId, std::uint32_t> column_of_;
  std::vector<std::uint32_t> place_;  // scratch, by column
  struct TooLarge {
    std::size_t candidates, dummies;
    VariableId example;
  };
  std::optional<TooLarge> too_large_;  // the largest set that was not left open because of its size
};

}  // namespace

void select_states(const system::System& system, const graph::Differentiated& graph,
                   const Numbering& numbering, dae::System& dae, Diagnostics& diagnostics) {
  Selection(system, graph, numbering, dae, diagnostics).run();
}

}  // namespace sigrel::reduce
