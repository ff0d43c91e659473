// Systems of equations as graphs: which equation contains which variable.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "compiler/graph/bipartite.h"
#include "compiler/incidence/ids.h"
#include "compiler/ir/equations.h"

namespace sigrel::incidence {

/// Several sets of equations one after the other, in one dense numbering, with access by number. Their slots
/// are unknowns of a system::System or variables of a dae::System.
class EquationList {
 public:
  struct Section {
    const EquationTable* table = nullptr;  // or else
    const SumTable* sums = nullptr;
    EquationId first;
    std::uint32_t rows = 0;

    std::uint32_t row_of(EquationId equation) const { return equation.value - first.value; }
    EquationId equation_of(std::uint32_t row) const { return EquationId{first.value + row}; }
  };

  EquationList() = default;
  explicit EquationList(const Equations& equations) { append(equations); }
  void append(const Equations& equations);
  void append(const EquationTable& table);

  std::uint32_t count() const {
    return sections_.empty() ? 0 : sections_.back().first.value + sections_.back().rows;
  }
  /// Slots and terms of all equations.
  std::size_t entries() const;
  const IdVector<SectionId, Section>& sections() const { return sections_; }
  /// The section that contains the equation.
  SectionId section_of(EquationId equation) const {
    // The last that begins there or before: an empty section begins where the next one does.
    return SectionId{static_cast<std::size_t>(
        std::ranges::upper_bound(sections_, equation, {}, &Section::first) - sections_.begin() - 1)};
  }
  const Section& section(EquationId equation) const { return sections_[section_of(equation)]; }
  Origin origin(EquationId equation) const;
  /// The same graph as `incidence` without a copy; valid as long as the equations do not change.
  graph::TableGraph graph(std::uint32_t columns) const;
  /// Calls visit(variable) for every slot or term of an equation of a dae::System, in order.
  template <class Visit>
  void each_variable(EquationId equation, Visit visit) const {
    each_slot(equation, [&](std::uint32_t v) { visit(VariableId{v}); });
  }
  /// Calls visit(unknown) for every slot or term of an equation of a system::System, in order.
  template <class Visit>
  void each_unknown(EquationId equation, Visit visit) const {
    each_slot(equation, [&](std::uint32_t u) { visit(UnknownId{u}); });
  }

 private:
  template <class Visit>
  void each_slot(EquationId equation, Visit visit) const {
    const Section& s = section(equation);
    const std::uint32_t row = s.row_of(equation);
    if (s.table) {
      for (std::uint32_t v : s.table->unknowns_of(row)) visit(v);
    } else {
      for (Term t : s.sums->terms_of(row)) visit(t.unknown());
    }
  }

  IdVector<SectionId, Section> sections_;
};

/// One row per equation; variable v is column `column_of[v]`, or none where that is graph::kNone. An empty
/// `column_of` is the identity.
graph::Bipartite incidence(const EquationList& equations, std::uint32_t columns,
                           std::span<const std::uint32_t> column_of = {});

/// As above, without the slots with respect to which the partial derivative of the residual is zero
/// everywhere (`floor x`, a condition): such an equation does not determine the unknown.
graph::Bipartite determining_incidence(ExprPool& pool, const EquationList& equations, std::uint32_t columns,
                                       std::span<const std::uint32_t> column_of = {});

}  // namespace sigrel::incidence
