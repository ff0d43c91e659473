// The Jacobian of equations at the random point of exact/random_point.h, row by row: exact coefficients for
// decisions that must hold for almost all values.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/exact/random_point.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/expr.h"

namespace sigrel::singularity {

class RandomJacobian {
 public:
  /// Partial derivatives are added to `pool`, those of a table when the first of its rows is visited.
  /// `parameters`: their values, exact::parameter_values(); without them all parameters are independent.
  RandomJacobian(ExprPool& pool, const incidence::EquationList& equations,
                 std::vector<exact::Field> parameters = {})
      : pool_(pool),
        equations_(equations),
        parameters_(std::move(parameters)),
        shapes_(equations.sections().size()) {}

  /// Calls visit(variable, value, fixed) for the nonzero entries of an equation of a dae::System, in the
  /// order of its slots or terms; a variable may occur several times. `fixed`: the entry is made of numbers
  /// and parameters.
  template <class Visit>
  void row(EquationId equation, Visit visit) {
    const SectionId number = equations_.section_of(equation);
    const incidence::EquationList::Section& section = equations_.sections()[number];
    const std::uint32_t row = section.row_of(equation);
    if (!section.table) {
      for (Term t : section.sums->terms_of(row))
        visit(VariableId{t.unknown()}, exact::Field(t.negative() ? -1 : 1), true);
      return;
    }
    Shape& shape = shape_of(number, *section.table);
    auto slots = section.table->unknowns_of(row);
    auto values = shape.values.row(slots, section.table->parameters_of(row));
    for (std::size_t k = 0; k < slots.size(); ++k)
      if (!values[k].zero()) visit(VariableId{slots[k]}, values[k], shape.fixed[k]);
  }

 private:
  struct Shape {
    std::vector<bool> fixed;  // by slot
    exact::PointEvaluator values;
  };
  Shape& shape_of(SectionId section, const EquationTable& table);

  ExprPool& pool_;
  const incidence::EquationList& equations_;
  std::vector<exact::Field> parameters_;
  IdVector<SectionId, std::optional<Shape>> shapes_;
};

}  // namespace sigrel::singularity
