// The system Jacobian: the derivatives of the equations, each differentiated c times, with respect to the
// highest derivatives of the variables. Where it is singular for all values, the incidence of the equations
// promises more than they hold, and a structural index reduction fails although the system may be regular
// (Pryce, A simple structural analysis method for DAEs, 2001). It is evaluated at a random point of the prime
// field, so that what is found holds for all values of parameters and variables.
//
// The derivative of an equation that was differentiated c times with respect to x of order k + c is the one
// of the equation itself with respect to x of order k (Griewank's lemma): nothing needs to be differentiated.
//
// Example: 2 a' + b' = x, 2 a' + b' = y. Each equation can be matched with one of a' and b', and the
// difference of the two contains neither.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/exact/row_dependencies.h"
#include "compiler/graph/matching.h"
#include "compiler/graph/pantelides.h"
#include "compiler/incidence/incidence.h"
#include "compiler/ir/dae.h"

namespace sigrel::reduce {

/// How often equations and variables are differentiated until they determine the highest derivatives (the
/// offsets of Pryce: c, and d less the order).
struct Offsets {
  IdVector<EquationId, std::uint32_t> equation;
  IdVector<VariableId, std::uint32_t> variable;
  /// By variable: the column of its highest derivative.
  IdVector<VariableId, std::uint32_t> column;

  /// Whether a derivative of the equation contains the highest derivative of the variable, if the equation
  /// contains the variable.
  bool reaches(EquationId e, VariableId v) const { return variable[v] == equation[e]; }
};
/// Of a system in which nothing is differentiated: the columns are the variables without derivatives.
Offsets offsets_without_differentiation(const dae::System& dae);
/// Of a system whose equations and variables are the first rows and columns of the graph.
Offsets offsets_of(const dae::System& dae, const incidence::EquationList& equations,
                   const graph::Differentiated& graph);

/// Equations whose rows of the Jacobian add up to nothing, with these factors: at least one equation, with
/// the lowest offset among them, stands for the dependency and is in no other.
struct DependentEquations {
  EquationId equation;
  struct Part {
    EquationId equation;
    exact::Field factor;
  };
  std::vector<Part> parts;
  std::uint32_t block = 0;
};
struct Dependencies {
  std::vector<DependentEquations> found;
  /// By column: the block to which it belongs, kNone if it is in no block with a dependency. The sum of a
  /// dependency contains no column of its block, but may contain others.
  std::vector<std::uint32_t> block_of_column;
};

/// All dependencies, given a perfect matching of the rows of `graph`, which are the equations, with its
/// columns, and its core (graph::maximum_matching). Only blocks of the core are eliminated, each within a
/// bound of work.
Dependencies dependent_equations(const system::System& system, dae::System& dae,
                                 const incidence::EquationList& equations, const Offsets& offsets,
                                 const graph::Bipartite& graph, const graph::Matching& matching,
                                 const std::vector<std::uint32_t>& core);
/// The same with a matching of its own.
Dependencies dependent_equations(const system::System& system, dae::System& dae,
                                 const incidence::EquationList& equations, const Offsets& offsets,
                                 const graph::Differentiated& graph);

}  // namespace sigrel::reduce
