// The shape of a linear combination of equations, over what the members of the combination have in common.
//
// Example: u - a + b and a - b - p0, whose leaves are a, b, u: with the factors 1 and 1 the shape is
// s0 - p0, over the leaf u.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/incidence/incidence.h"
#include "compiler/ir/dae.h"
#include "compiler/reduce/parameter_definitions.h"
#include "compiler/reduce/symbolic_dependency.h"

namespace sigrel::reduce {

/// An equation in a combination, differentiated `order` times. The factors of a group differ from each other
/// by numbers, and `factor` is what they differ by; the factors of groups differ by expressions.
struct Member {
  EquationId equation;
  std::int64_t factor = 1;
  std::uint32_t order = 0, group = 0;
  bool replaceable = false;
};

/// A derivative of a variable, which need not be a variable yet: `order` more than the variable's own.
struct Derived {
  std::uint32_t variable = 0, order = 0;
  auto operator<=>(const Derived&) const = default;
};
/// Follows the derivatives that are variables.
Derived derived(const dae::System& dae, std::uint32_t variable, std::uint32_t order);

/// What the members of a combination refer to, ascending. The slots and parameters of a shape are places in
/// these lists.
struct Leaves {
  std::vector<Derived> variables;
  std::vector<bool> highest;  // by variable: a highest derivative that should cancel
  std::vector<std::uint32_t> parameters;

  std::uint32_t place(Derived leaf) const { return place(variables, leaf); }
  std::uint32_t place(std::uint32_t parameter) const { return place(parameters, parameter); }
  template <class T>
  static std::uint32_t place(const std::vector<T>& sorted, const T& item) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(sorted, item) - sorted.begin());
  }
};

struct CombinationShape {
  std::size_t replaced = 0;  // the member in whose place a row stands
  EquationTable table;
  std::optional<std::vector<std::int64_t>> integers;  // coefficients of the slots: its rows become sums
  std::vector<std::uint32_t> leaves, parameters;      // of the slots and parameters: places in Leaves
};

class CombinationShapes {
 public:
  CombinationShapes(dae::System& dae, const incidence::EquationList& equations,
                    ParameterDefinitions& definitions)
      : dae_(dae), equations_(equations), definitions_(definitions) {}

  /// The slots of a table, and their derivatives, that an equation of it contains after differentiation:
  /// slot and order.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& slots(SectionId table, std::uint32_t order) {
    return source(table, order).slots;
  }
  /// Nothing where highest derivatives cannot be removed from the sum, or an equation has no derivative.
  std::optional<CombinationShape> make(const std::vector<Member>& members, const Leaves& leaves);

 private:
  struct Source {
    ExprId residual;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> slots;
  };
  const Source& source(SectionId table, std::uint32_t order);
  ExprId expression(const Member& member, const Leaves& leaves);
  std::optional<std::size_t> weigh(std::vector<ExprId>& groups, const std::vector<Member>& members,
                                   const Leaves& leaves);
  bool remove_highest(ExprId& residual, const Leaves& leaves);
  CombinationShape over_own_slots(ExprId residual);
  std::vector<Valued> gradient(ExprId residual, const Leaves& leaves);
  ExprId simplified(Op op, ExprId a, ExprId b);

  dae::System& dae_;
  const incidence::EquationList& equations_;
  ParameterDefinitions& definitions_;
  std::map<std::pair<SectionId, std::uint32_t>, Source> sources_;
};

}  // namespace sigrel::reduce
