#include "compiler/reduce/hidden_constraints.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "compiler/exact/sparse_elimination.h"
#include "compiler/graph/single_columns.h"
#include "compiler/incidence/incidence.h"
#include "compiler/reduce/equation_rows.h"

namespace sigrel::reduce {
namespace {

using exact::IntegerRow;

constexpr std::size_t kMostWork = 20'000'000;  // entries

/// Numbers for the variables of some rows, such that those to be eliminated come first.
class Columns {
 public:
  template <class IsEliminated>
  Columns(const std::vector<IntegerRow>& rows, std::size_t variables, IsEliminated is_eliminated)
      : column_of_(variables, graph::kNone) {
    for (const IntegerRow& row : rows)
      for (const auto& e : row) column_of_[e.column] = 0;
    for (bool eliminated : {true, false}) {
      for (std::uint32_t v = 0; v < variables; ++v)
        if (column_of_[v] != graph::kNone && is_eliminated(v) == eliminated) {
          column_of_[v] = static_cast<std::uint32_t>(variable_of_.size());
          variable_of_.push_back(v);
        }
      if (eliminated) eliminated_ = static_cast<std::uint32_t>(variable_of_.size());
    }
  }
  std::uint32_t eliminated() const { return eliminated_; }
  void to_columns(IntegerRow& row) const { renumber(row, column_of_); }
  void to_variables(IntegerRow& row) const { renumber(row, variable_of_); }

 private:
  static void renumber(IntegerRow& row, const std::vector<std::uint32_t>& numbers) {
    for (auto& e : row) e.column = numbers[e.column];
    exact::tidy(row);
  }
  std::vector<std::uint32_t> column_of_, variable_of_;
  std::uint32_t eliminated_ = 0;
};

class HiddenConstraints {
 public:
  explicit HiddenConstraints(dae::System& dae) : dae_(dae), equations_(dae.equations) {}

  std::vector<Origin> run() {
    find_linear();
    eliminate_unknowns();
    find_redundant_constraints();
    return replace();
  }

 private:
  bool unknown(std::uint32_t v) const { return dae_.variables[v].derivative == dae::kNone; }

  /// Finds the linear equations whose unknowns all occur in another one of them, with their incidence, and
  /// the linear equations without unknowns. Most models have neither, which two passes over the tables show.
  void find_linear() {
    std::vector<std::uint8_t> count(dae_.variables.size(), 0);  // 2: twice or more, or not an unknown
    for (std::uint32_t v = 0; v < dae_.variables.size(); ++v)
      if (!unknown(v)) count[v] = 2;
    auto count_one = [&](std::uint32_t v) {
      count[v] = static_cast<std::uint8_t>(count[v] + (count[v] < 2));
    };
    for (const incidence::EquationList::Section& section : equations_.sections()) {
      std::optional<std::vector<std::int64_t>> coefficients;
      if (section.table && section.rows > 0) coefficients = integer_coefficients(dae_.exprs, *section.table);
      coefficients_.push_back(coefficients);
      if (coefficients)
        for (std::uint32_t v : section.table->unknowns) count_one(v);
      if (!section.table)
        for (Term t : section.sums->terms) count_one(t.unknown());
    }
    graph_.columns = static_cast<std::uint32_t>(dae_.variables.size());
    for (SectionId number : ids<SectionId>(0, coefficients_.size())) {
      const incidence::EquationList::Section& section = equations_.sections()[number];
      if (section.table && !coefficients_[number]) continue;
      for (std::uint32_t row = 0; row < section.rows; ++row) {
        const EquationId equation = section.equation_of(row);
        bool shared = true, any = false;
        equations_.each_variable(equation, [&](VariableId v) { shared = shared && count[v.value] > 1; });
        if (!shared) continue;
        equations_.each_variable(equation, [&](VariableId v) {
          if (!unknown(v.value)) return;
          graph_.targets.push_back(v.value);
          any = true;
        });
        if (!any) {
          constraints_.push_back(equation);
          continue;
        }
        graph_.end_row();
        linear_.push_back(equation);
      }
    }
  }

  IntegerRow row_of(EquationId equation) const {
    const SectionId number = equations_.section_of(equation);
    const incidence::EquationList::Section& section = equations_.sections()[number];
    IntegerRow row;
    if (section.table) {
      auto unknowns = section.table->unknowns_of(section.row_of(equation));
      for (std::size_t k = 0; k < unknowns.size(); ++k)
        row.push_back({unknowns[k], (*coefficients_[number])[k]});
    } else {
      for (Term t : section.sums->terms_of(section.row_of(equation)))
        row.push_back({t.unknown(), t.negative() ? -1 : 1});
    }
    exact::tidy(row);
    return row;
  }

  void eliminate_unknowns() {
    for (std::uint32_t r : graph::rows_without_single_columns(graph_)) {
      equation_of_.push_back(linear_[r]);
      rows_.push_back(row_of(linear_[r]));
    }
    if (rows_.empty()) return;
    const Columns columns(rows_, dae_.variables.size(), [&](std::uint32_t v) { return unknown(v); });
    for (IntegerRow& row : rows_) columns.to_columns(row);
    auto echelon = exact::eliminate(std::move(rows_), columns.eliminated(), kMostWork);
    rows_ = std::move(echelon.rows);
    for (IntegerRow& row : rows_) columns.to_variables(row);
    retained_.assign(rows_.size(), false);
    for (const auto& pivot : echelon.pivots) retained_[pivot.row] = true;
    for (std::uint32_t r : echelon.given_up) retained_[r] = true;
  }

  /// Among the equations between states alone: those that follow from others.
  void find_redundant_constraints() {
    for (EquationId e : constraints_) {
      equation_of_.push_back(e);
      rows_.push_back(row_of(e));
      retained_.push_back(true);
    }
    redundant_.assign(rows_.size(), false);
    graph::Bipartite graph;
    graph.columns = graph_.columns;
    std::vector<std::uint32_t> of_states;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      const bool states = std::ranges::none_of(rows_[r], [&](const auto& e) { return unknown(e.column); });
      redundant_[r] = rows_[r].empty();
      if (!states || rows_[r].empty()) continue;
      of_states.push_back(r);
      for (const auto& e : rows_[r]) graph.targets.push_back(e.column);
      graph.end_row();
    }
    if (of_states.size() < 2) return;
    const std::vector<std::uint32_t> candidates = graph::rows_without_single_columns(graph);
    std::vector<IntegerRow> copies;
    for (std::uint32_t k : candidates) copies.push_back(rows_[of_states[k]]);
    copies = exact::eliminate(std::move(copies), graph.columns, kMostWork).rows;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (copies[k].empty()) redundant_[of_states[candidates[k]]] = true;
  }

  /// New rows without unknowns take the places of their equations as sums; redundant equations are removed,
  /// and their origins returned.
  std::vector<Origin> replace() {
    IdVector<EquationId, bool> removed(equations_.count(), false);
    std::vector<std::uint32_t> found, redundant;
    for (std::uint32_t r = 0; r < rows_.size(); ++r) {
      if (redundant_[r]) {
        removed[equation_of_[r]] = true;
        redundant.push_back(r);
        continue;
      }
      std::int64_t terms = 0;
      for (const auto& e : rows_[r]) terms += std::abs(e.value);
      if (retained_[r] || terms > kMostTerms) continue;
      removed[equation_of_[r]] = true;
      found.push_back(r);
    }
    if (found.empty() && redundant.empty()) return {};
    const std::vector<Origin> origins = origins_of(found), dropped = origins_of(redundant);
    remove_equations(dae_.equations, removed);
    for (std::size_t k = 0; k < found.size(); ++k) {
      std::vector<Term> terms;
      for (const auto& e : rows_[found[k]])
        for (std::int64_t n = std::abs(e.value); n > 0; --n) terms.push_back(Term::of(e.column, e.value < 0));
      add_sum(dae_.equations.sums, terms, origins[k]);
    }
    return dropped;
  }

  std::vector<Origin> origins_of(const std::vector<std::uint32_t>& rows) const {
    std::vector<Origin> result;
    for (std::uint32_t r : rows) result.push_back(dae::origin(dae_.equations, equation_of_[r].value));
    return result;
  }

  dae::System& dae_;
  incidence::EquationList equations_;
  IdVector<SectionId, std::optional<std::vector<std::int64_t>>> coefficients_;
  std::vector<EquationId> linear_, constraints_;  // with unknowns, and without
  graph::Bipartite graph_;                        // of `linear_`, over unknowns
  std::vector<IntegerRow> rows_;                  // over variables: from the elimination, then `constraints_`
  std::vector<EquationId> equation_of_;           // by row
  std::vector<bool> retained_;   // by row: its equation stays (a pivot row, given up, or in `constraints_`)
  std::vector<bool> redundant_;  // by row
};

}  // namespace

std::vector<Origin> expose_constraints(dae::System& dae) { return HiddenConstraints(dae).run(); }

}  // namespace sigrel::reduce
