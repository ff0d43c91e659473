// The rows of the body under construction: equations of all kinds, sums and attributes.
#pragma once
#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <vector>

#include "compiler/elaborate/equalities.h"
#include "compiler/elaborate/parameters.h"
#include "compiler/elaborate/shapes.h"

namespace sigrel::elaborate {

class Rows {
 public:
  Rows(Machine& machine, Shapes& shapes, ParameterExpressions& reals)
      : machine_(machine), shapes_(shapes), reals_(reals) {}

  /// The switch in whose mode rows are added; the tag of initial equations.
  std::uint32_t owner = system::kNoSwitch;

  /// A row for the residual, an expression of Machine::signals.
  void add(ExprId residual, std::uint32_t source, RowKind kind, std::uint32_t tag = 0);
  /// Begins a row of a known table; its columns and parameter expressions follow.
  void begin(std::uint32_t table, std::uint32_t source, RowKind kind, std::uint32_t tag = 0) {
    rows_[static_cast<std::size_t>(kind)].push_back({table, static_cast<std::uint32_t>(slots_.size()),
                                                     static_cast<std::uint32_t>(row_reals_.size()), source,
                                                     kind == RowKind::Initial ? owner : tag});
  }
  void add_slot(ColumnRef column) { slots_.push_back(column); }
  void add_number(ExprId number) { row_reals_.push_back(reals_.add(number)); }
  /// A term of the sum that end_sum() completes: their sum is zero.
  void add_term(ColumnId column, bool negative) { sum_terms_.push_back(TermPlan::of(column, negative)); }
  void end_sum(std::uint32_t source);
  void add_attribute(system::AttributeKind kind, ColumnRef column, RealId real, Span span) {
    attributes_.push_back({kind, column, real, span});
  }
  /// The source of an `initially steady` item.
  void add_steady(std::uint32_t source) { steady_.push_back(source); }

  std::uint32_t source(system::EquationKind kind, Span span, LocalName component) {
    return shapes_.source(kind, span, component);
  }
  std::uint32_t own_source(system::EquationKind kind, Span span, LocalName component) {
    return shapes_.own_source(kind, span, component);
  }
  std::uint32_t source(system::EquationKind kind, Span span, std::string_view component) {
    return shapes_.source(kind, span, local_name(component));
  }
  /// As Shapes::table, of an expression of Machine::signals.
  std::uint32_t table(ExprId residual, RowKind kind, std::vector<ColumnRef>& columns,
                      std::vector<ExprId>& numbers) {
    if (!machine_.equalities.empty() && kind != RowKind::Initial) equalities_.add(machine_, residual);
    return shapes_.table(machine_.signals, residual, kind, columns, numbers);
  }

  /// Equations of rotations: the columns of the rotation that each gives.
  struct Rotation {
    std::array<ColumnId, 9> columns;
    std::array<std::uint32_t, 9> sources;
  };
  std::vector<Rotation> rotations;

  /// Reports comparisons of continuous signals for equality, when the types of all columns are known.
  void check_equalities(Columns& columns) const { equalities_.report(machine_, columns); }

  /// Moves them to the blueprint, with the final columns and reals.
  template <class FinalColumn, class FinalRef, class FinalReal>
  void move_to(Blueprint& b, FinalColumn final_column, FinalRef final_ref, FinalReal final_real) {
    for (std::size_t kind = 0; kind < kRowKinds; ++kind) b.rows[kind] = std::move(rows_[kind]);
    for (ColumnRef& c : slots_) c = final_ref(c);
    for (RealId& r : row_reals_) r = final_real(r);
    for (TermPlan& t : sum_terms_) t = TermPlan::of(final_column(t.column()), t.negative);
    for (AttributePlan& a : attributes_) {
      a.column = final_ref(a.column);
      a.real = final_real(a.real);
    }
    b.slots = std::move(slots_);
    b.row_reals = std::move(row_reals_);
    b.sum_offsets = std::move(sum_offsets_);
    b.sum_terms = std::move(sum_terms_);
    b.sum_sources = std::move(sum_sources_);
    // Of several guesses of one unknown the first one counts, here the last one that is written; those of
    // parts come later.
    const auto is_guess = [](const AttributePlan& a) { return a.kind == system::AttributeKind::Guess; };
    std::ranges::reverse(std::ranges::stable_partition(attributes_, std::not_fn(is_guess)));
    b.attributes = std::move(attributes_);
    b.steady = std::move(steady_);
  }

  template <class Visitor>
  void for_each_list(Visitor&& visit) {
    visit(slots_);
    visit(row_reals_);
    visit(rows_[static_cast<std::size_t>(RowKind::Equation)]);
    visit(rows_[static_cast<std::size_t>(RowKind::Initial)]);
  }

 private:
  Machine& machine_;
  Shapes& shapes_;
  ParameterExpressions& reals_;
  std::vector<RowPlan> rows_[kRowKinds];  // by RowKind
  std::vector<ColumnRef> slots_;
  std::vector<RealId> row_reals_;
  std::vector<std::uint32_t> sum_offsets_{0};
  std::vector<TermPlan> sum_terms_;
  std::vector<std::uint32_t> sum_sources_;
  std::vector<AttributePlan> attributes_;
  std::vector<std::uint32_t> steady_;
  std::vector<ExprId> numbers_;  // scratch
  Equalities equalities_;
};

}  // namespace sigrel::elaborate
