#include "compiler/reduce/states.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <ranges>
#include <string>

#include "compiler/exact/independent_columns.h"
#include "compiler/graph/dulmage_mendelsohn.h"
#include "compiler/graph/dummy_derivatives.h"
#include "compiler/graph/signed_union_find.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/local_choices.h"
#include "compiler/reduce/state_priority.h"
#include "compiler/reduce/state_sets.h"
#include "compiler/singularity/random_jacobian.h"
#include "compiler/singularity/source_names.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::reduce {
namespace {

using exact::IndependentColumns;
using Column = std::vector<IndependentColumns::Entry>;

constexpr std::uint32_t kNone = graph::kNone;
constexpr int kNever = -2, kAlways = 2;  // state_preferences()
constexpr std::uint64_t kMostWork = 200'000'000;
/// Equations that are monitored, and columns of a local choice: matrices of them are dense.
constexpr std::size_t kLargestSet = 300;
/// Selectors of a set, one per state and candidate: the equations that select states are dense.
constexpr std::size_t kMostSelectors = 90'000;
/// More candidates are cut into sets of their own where that is possible, since the equations that select
/// states from a set are dense; and how many rows the set of such a part may have. A cut that takes away all
/// choice for some equations, as for one loop of a mechanism, is made for more than the last number only.
constexpr std::size_t kUndivided = 16, kLargestLocal = 64, kLargestUncut = 300;

/// Rows and columns of a matrix that share no nonzero entry with others, ascending.
struct Part {
  std::vector<std::uint32_t> rows, columns;
};

/// The connected parts of a matrix of the `selected` columns that contain one of `seeds`, in the order of
/// these. No column is zero.
std::vector<Part> connected_parts(std::size_t rows, const std::vector<Column>& columns,
                                  const std::vector<bool>& selected,
                                  const std::vector<std::uint32_t>& seeds) {
  graph::SignedUnionFind classes(static_cast<std::uint32_t>(rows));
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (selected[k])
      for (const IndependentColumns::Entry& e : columns[k])
        classes.unite(columns[k].front().row, e.row, false);
  auto root = [&](std::uint32_t row) { return classes.find(row).root; };

  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of(rows, kNone);  // by root
  for (std::uint32_t k : seeds)
    if (std::uint32_t& number = part_of[root(columns[k].front().row)]; number == kNone) {
      number = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
  for (std::uint32_t row = 0; row < rows; ++row)
    if (const std::uint32_t number = part_of[root(row)]; number != kNone) parts[number].rows.push_back(row);
  for (std::uint32_t k = 0; k < columns.size(); ++k)
    if (selected[k])
      if (const std::uint32_t number = part_of[root(columns[k].front().row)]; number != kNone)
        parts[number].columns.push_back(k);
  return parts;
}

/// The choice of dummies for some equations among candidates, which are rows and columns of the graph. Below,
/// `k` is the place of a candidate.
struct Choice {
  std::span<const std::uint32_t> equations, candidates;
  std::vector<Column> columns;  // of the Jacobian, by candidate; rows are places in `equations`
  IndependentColumns pivots{static_cast<std::uint32_t>(equations.size())};
  std::vector<bool> dummy = std::vector<bool>(candidates.size(), false);  // by candidate
  std::vector<bool> left_open = dummy;                                    // by candidate
  std::vector<bool> in_set = std::vector<bool>(equations.size(), false);  // by row: of an open choice
  std::size_t open = 0;  // equations for which the runtime chooses the dummies
  graph::Decision decision = {};

  bool complete() const { return decision.dummies.size() + open >= equations.size(); }
  /// Makes the candidate a dummy if it is independent of the others; with a varying pivot only if `varying`.
  IndependentColumns::Answer offer(std::uint32_t k, bool varying) {
    const IndependentColumns::Answer answer = pivots.offer(columns[k], varying);
    dummy[k] = answer == IndependentColumns::Answer::Taken;
    if (dummy[k]) decision.dummies.push_back(candidates[k]);
    return answer;
  }

  /// Makes those of `first` dummies that are, of all these, the only ones in a row, and those that are so
  /// without them, and so on: with a fixed entry. Such columns form a triangular matrix, and the rows have no
  /// entry in the others. So they depend on no others of `first`, and are dummies whatever the order. In a
  /// tree of bodies all are, and to eliminate them with other pivots would fill in.
  void take_triangular(std::span<const std::uint32_t> first) {
    struct Row {
      std::uint32_t entries = 0,
                    places = 0;  // those that are left: their number, and the sum of their places
    };
    std::vector<Row> rows(equations.size());
    for (const std::uint32_t k : first)
      for (const IndependentColumns::Entry& e : columns[k]) ++rows[e.row].entries, rows[e.row].places += k;
    std::vector<std::uint32_t> single;
    for (std::uint32_t row = 0; row < rows.size(); ++row)
      if (rows[row].entries == 1) single.push_back(row);
    for (std::size_t at = 0; at < single.size(); ++at) {
      const std::uint32_t row = single[at], k = rows[row].places;
      if (rows[row].entries != 1) continue;  // another row has taken it
      const auto entry = std::ranges::find(columns[k], row, &IndependentColumns::Entry::row);
      if (!entry->fixed || entry->value.zero()) continue;
      pivots.take(columns[k], row);
      dummy[k] = true;
      decision.dummies.push_back(candidates[k]);
      for (const IndependentColumns::Entry& e : columns[k]) {
        rows[e.row].places -= k;
        if (--rows[e.row].entries == 1) single.push_back(e.row);
      }
    }
  }
};

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
    add_state_sets(system_, dae_);
    report_too_large();
  }

 private:
  /// The variable of a column of the graph, and the equation of a row.
  VariableId variable(std::uint32_t column) const { return numbering_.variable_of[column]; }
  EquationId equation(std::uint32_t row) const { return numbering_.equation_of[row]; }
  int preference(std::uint32_t column) const { return preference_[base_[variable(column)]]; }

  /// Chooses dummies among the candidates, those with `state = Never` before all others, `Always` after them.
  std::optional<graph::Decision> decide(std::span<const std::uint32_t> equations,
                                        std::span<const std::uint32_t> candidates) {
    Choice choice{equations, candidates, columns_of(equations, candidates)};
    const std::size_t sets = dae_.sets.size();
    std::vector<std::uint32_t> unsafe;  // dummies whose pivots vary
    choice.take_triangular(first(choice));
    choose(choice, unsafe, [](int p) { return p == kNever; });
    choose(choice, unsafe, [](int p) { return p != kNever && p != kAlways; });
    choose(choice, unsafe, [](int p) { return p == kAlways; });
    if (choice.complete() && choice.pivots.work() <= kMostWork) {
      monitor(choice, unsafe);
      return std::move(choice.decision);
    }
    if (!choice.complete())
      report_dependent(equations);
    else if (!candidates.empty())
      note_too_large(candidates.size(), equations.size(), variable(candidates.front()));
    dae_.sets.resize(sets);  // the structure decides
    return std::nullopt;
  }

  /// The places of the candidates that are offered before all others, as many as there are equations: those
  /// with `state = Never`, and then those with a fixed entry. What has none never has a fixed pivot.
  std::vector<std::uint32_t> first(const Choice& choice) const {
    std::vector<std::uint32_t> never, fixed;
    for (std::uint32_t k = 0; k < choice.candidates.size(); ++k)
      if (const int p = preference(choice.candidates[k]); p == kNever)
        never.push_back(k);
      else if (p != kAlways && std::ranges::any_of(choice.columns[k], &IndependentColumns::Entry::fixed))
        fixed.push_back(k);
    never.insert(never.end(), fixed.begin(), fixed.end());
    never.resize(std::min(never.size(), choice.equations.size()));
    return never;
  }

  /// The columns of the Jacobian of the equations.
  std::vector<Column> columns_of(std::span<const std::uint32_t> equations,
                                 std::span<const std::uint32_t> candidates) {
    std::vector<Column> columns(candidates.size());
    for (std::uint32_t k = 0; k < candidates.size(); ++k) place_[candidates[k]] = k;
    for (std::uint32_t row = 0; row < equations.size(); ++row)
      jacobian_.row(equation(equations[row]), [&](VariableId v, exact::Field value, bool fixed) {
        if (std::uint32_t k = place_[column_of_[v]]; k != kNone) columns[k].push_back({row, value, fixed});
      });
    for (std::uint32_t c : candidates) place_[c] = kNone;
    return columns;
  }

  /// Chooses dummies among the candidates of some preferences: first those with fixed pivots; then choices
  /// are left open; then those whose pivots vary, which are added to `unsafe`.
  template <class Belongs>
  void choose(Choice& choice, std::vector<std::uint32_t>& unsafe, Belongs belongs) {
    std::vector<std::uint32_t> varying;
    for (std::uint32_t k = 0; k < choice.candidates.size() && !choice.complete(); ++k)
      if (!choice.dummy[k] && belongs(preference(choice.candidates[k])) &&
          choice.offer(k, false) == IndependentColumns::Answer::Varies)
        varying.push_back(k);
    leave_open(choice, varying);
    for (std::uint32_t k : varying)
      if (!choice.complete() && choice.offer(k, true) == IndependentColumns::Answer::Taken)
        unsafe.push_back(k);
  }

  /// Leaves the choice of dummies open in the connected parts of the matrix that have more columns with
  /// varying pivots than rows without a pivot. These columns are removed from `varying`.
  void leave_open(Choice& choice, std::vector<std::uint32_t>& varying) {
    if (varying.empty()) return;
    std::vector<bool> selected = choice.dummy;
    for (std::uint32_t k : varying) selected[k] = true;
    IndependentColumns trial = choice.pivots;
    for (const Part& part : connected_parts(choice.equations.size(), choice.columns, selected, varying)) {
      std::vector<std::uint32_t> eliminated, among;
      for (std::uint32_t k : part.columns) (choice.dummy[k] ? eliminated : among).push_back(k);
      const auto open = static_cast<std::size_t>(
          std::ranges::count_if(part.rows, [&](std::uint32_t row) { return !choice.pivots.has_pivot(row); }));
      if (open == 0 || among.size() <= open) continue;
      // Candidates of another preference may share rows with those of a set.
      if (std::ranges::any_of(part.rows, [&](std::uint32_t row) { return choice.in_set[row]; })) continue;
      if (among.size() > kUndivided && leave_open_locally(choice, part, among.size())) continue;
      if ((among.size() - open) * among.size() > kMostSelectors) {
        note_too_large(among.size(), open, variable(choice.candidates[among.front()]));
        continue;
      }
      std::vector<std::uint32_t> taken;
      std::ranges::copy_if(among, std::back_inserter(taken), [&](std::uint32_t k) {
        return trial.offer(choice.columns[k], true) == IndependentColumns::Answer::Taken;
      });
      if (taken.size() == open) add_set(choice, part.rows, eliminated, among, taken);
    }
    std::erase_if(varying, [&](std::uint32_t k) { return choice.left_open[k]; });
  }

  /// The same in a part with many candidates, as many small sets (local_choices.h). False: there is no such
  /// partition, or it forces candidates among which a single set that is small enough could still choose.
  bool leave_open_locally(Choice& choice, const Part& part, std::size_t candidates) {
    std::vector<std::uint32_t> place(choice.equations.size(), kNone);
    for (std::uint32_t r = 0; r < part.rows.size(); ++r) place[part.rows[r]] = r;
    std::vector<std::vector<std::uint32_t>> columns(part.columns.size());
    for (std::uint32_t c = 0; c < columns.size(); ++c) {
      for (const IndependentColumns::Entry& e : choice.columns[part.columns[c]])
        columns[c].push_back(place[e.row]);
      std::ranges::sort(columns[c]);
      columns[c].erase(std::ranges::unique(columns[c]).begin(), columns[c].end());
    }
    auto globally = [&](LocalChoice local) {
      for (std::uint32_t& row : local.rows) row = part.rows[row];
      for (std::uint32_t& column : local.columns) column = part.columns[column];
      return local;
    };
    std::vector<bool> has_choice(choice.candidates.size(), true);  // by candidate: in a single set
    for (std::uint32_t k : forced_part(choice, {part.rows, part.columns}).columns) has_choice[k] = false;
    // The equations of a set that forces candidates, though they have a choice.
    auto forcing = [&](const LocalChoice& set) {
      LocalChoice forced = forced_part(choice, set);
      const bool any = std::ranges::any_of(
          forced.columns, [&](std::uint32_t k) { return has_choice[k] && !choice.dummy[k]; });
      return any ? std::optional(std::move(forced)) : std::nullopt;
    };
    const auto cut = [&](bool may_force) {
      return local_choices(static_cast<std::uint32_t>(part.rows.size()), columns, kLargestLocal,
                           [&](const LocalChoice& local) {
                             const LocalChoice set = globally(local);
                             return determined(choice, set) && (may_force || !forcing(set));
                           });
    };
    auto sets = cut(false);
    if (!sets && candidates > kLargestUncut) sets = cut(true);
    if (!sets) return false;
    std::vector<LocalChoice> globals;
    for (const LocalChoice& local : *sets) globals.push_back(globally(local));
    for (const LocalChoice& set : globals)
      if (const auto forced = forcing(set))
        dae_.sets.push_back(set_of(choice, forced->rows, forced->columns));
    for (const LocalChoice& set : globals) {
      std::vector<std::uint32_t> eliminated, among;
      for (std::uint32_t k : set.columns) (choice.dummy[k] ? eliminated : among).push_back(k);
      if (!among.empty()) add_set(choice, set.rows, eliminated, among, among);
    }
    return true;
  }

  /// The well-determined part of a group (Dulmage and Mendelsohn): its columns are dummies under every
  /// selection.
  static LocalChoice forced_part(const Choice& choice, const LocalChoice& local) {
    graph::Bipartite columns;  // a row for each column
    columns.columns = static_cast<std::uint32_t>(local.rows.size());
    for (std::uint32_t k : local.columns) {
      for (const IndependentColumns::Entry& e : choice.columns[k])
        if (const auto at = std::ranges::lower_bound(local.rows, e.row);
            at != local.rows.end() && *at == e.row)
          columns.targets.push_back(static_cast<std::uint32_t>(at - local.rows.begin()));
      columns.end_row();
    }
    const graph::Bipartite rows = graph::transpose(columns);
    const graph::Parts parts = graph::dulmage_mendelsohn(rows, graph::maximum_matching(rows));
    LocalChoice forced;
    for (std::size_t r = 0; r < local.rows.size(); ++r)
      if (parts.rows[r] == graph::Part::Well) forced.rows.push_back(local.rows[r]);
    for (std::size_t c = 0; c < local.columns.size(); ++c)
      if (parts.columns[c] == graph::Part::Well) forced.columns.push_back(local.columns[c]);
    return forced;
  }

  /// Whether the rows determine all dummies among the columns, and as many others as rows are left, of which
  /// there are more.
  static bool determined(const Choice& choice, const LocalChoice& local) {
    const bool chooses =
        std::ranges::any_of(local.columns, [&](std::uint32_t k) { return !choice.dummy[k]; });
    if (local.columns.size() < local.rows.size() + (chooses ? 1 : 0)) return false;
    if (local.columns.size() > kLargestSet) return false;
    IndependentColumns trial(static_cast<std::uint32_t>(local.rows.size()));
    std::size_t rank = 0;
    for (const bool dummies : {true, false})
      for (std::uint32_t k : local.columns) {
        if (choice.dummy[k] != dummies) continue;
        Column column;  // without rows of other choices
        for (const IndependentColumns::Entry& e : choice.columns[k])
          if (const auto at = std::ranges::lower_bound(local.rows, e.row);
              at != local.rows.end() && *at == e.row)
            column.push_back({static_cast<std::uint32_t>(at - local.rows.begin()), e.value, e.fixed});
        const bool taken = trial.offer(column, true) == IndependentColumns::Answer::Taken;
        if (dummies && !taken) return false;
        rank += taken;
      }
    return rank == local.rows.size();
  }

  /// A set of which some candidates become dummies, one for each row that eliminates nothing; these could be
  /// `taken`, so candidates of other preferences depend on them.
  void add_set(Choice& choice, const std::vector<std::uint32_t>& rows,
               const std::vector<std::uint32_t>& eliminated, const std::vector<std::uint32_t>& among,
               const std::vector<std::uint32_t>& taken) {
    for (std::uint32_t row : rows) choice.in_set[row] = true;
    for (std::uint32_t k : taken) choice.pivots.offer(choice.columns[k], true);
    const std::size_t open = rows.size() - eliminated.size();
    dae::StateSet set = set_of(choice, rows, eliminated);
    // The most preferred states first: the runtime takes the first of equals.
    for (std::uint32_t k : among | std::views::reverse) {
      const std::uint32_t column = choice.candidates[k];
      set.candidates.push_back(variable(column).value);
      set.weights.push_back(std::pow(10.0, -preference(column)));
      choice.decision.open.push_back(column);
      choice.left_open[k] = true;
    }
    set.states.resize(among.size() - open);
    dae_.sets.push_back(std::move(set));
    choice.open += open;
  }

  /// Dummies whose pivots vary, though others could take their place: the runtime must detect when such a
  /// choice becomes singular. For this they become, with all that is connected to them, a set without states.
  void monitor(const Choice& choice, const std::vector<std::uint32_t>& unsafe) {
    if (unsafe.empty()) return;
    std::vector<bool> alternative(choice.equations.size(), false);  // by row: of another possible dummy
    for (std::size_t k = 0; k < choice.candidates.size(); ++k)
      if (!choice.dummy[k] && !choice.left_open[k])
        for (const IndependentColumns::Entry& e : choice.columns[k]) alternative[e.row] = true;
    for (const Part& part : connected_parts(choice.equations.size(), choice.columns, choice.dummy, unsafe)) {
      const bool other = std::ranges::any_of(part.rows, [&](std::uint32_t row) { return alternative[row]; });
      if (!other || part.rows.size() != part.columns.size()) continue;
      if (part.rows.size() <= kLargestSet)
        dae_.sets.push_back(set_of(choice, part.rows, part.columns));
      else
        note_too_large(part.columns.size() + alternatives(choice, part.rows), part.rows.size(),
                       variable(choice.candidates[unsafe.front()]));
    }
  }

  dae::StateSet set_of(const Choice& choice, const std::vector<std::uint32_t>& rows,
                       const std::vector<std::uint32_t>& eliminated) const {
    dae::StateSet set;
    for (std::uint32_t row : rows) set.equations.push_back(equation(choice.equations[row]).value);
    for (std::uint32_t k : eliminated) set.eliminated.push_back(variable(choice.candidates[k]).value);
    return set;
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

  /// How many candidates, with entries in these rows, have not become dummies.
  static std::size_t alternatives(const Choice& choice, const std::vector<std::uint32_t>& rows) {
    std::size_t count = 0;
    for (std::size_t k = 0; k < choice.candidates.size(); ++k)
      count += !choice.dummy[k] && !choice.left_open[k] &&
               std::ranges::any_of(choice.columns[k], [&](const IndependentColumns::Entry& e) {
                 return std::ranges::binary_search(rows, e.row);
               });
    return count;
  }

  void note_too_large(std::size_t candidates, std::size_t dummies, VariableId example) {
    if (!too_large_ || candidates > too_large_->candidates)
      too_large_ = TooLarge{candidates, dummies, example};
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
