// The mixed layer: singularities that 0/1 structure cannot see. Equations that have enough unknowns may still
// depend on each other, because their coefficients are not arbitrary numbers: the sum of the currents at a
// node, the difference of two potentials. A circuit without a ground has a perfect matching, and is singular
// for all values of its parameters.
//
// After Murota, Matrices and Matroids for Systems Analysis (2000): a coefficient that is an integer for all
// parameters keeps its value; every other one is a random element of the field of 2^61 - 1 elements, a fresh
// one in each equation of each instance, but n and -n in one equation are negatives of each other; the
// derivative of order k multiplies by s^k, with one random s for the whole. With equations E over hidden
// unknowns L and interface I the relation is singular in every use iff rank(E) < |E| (equations depend on
// each other) or rank(E restricted to L) < |L| (hidden unknowns are determined only in combinations). A
// regular relation is never reported as singular; one that is singular for every value of its parameters is
// overlooked with a probability of about its size / 2^61, provided that its generic coefficients are
// independent of each other.
//
// A regular matrix at one random point proves that almost all are regular, whether the numbers in it are
// distinct or not. So a component passes its equations to its users with L eliminated, drawn once for all
// uses, and a library costs as much as its definitions. Only a component that is singular in this way is
// expanded and drawn afresh in every instance. (Rescaling instead would change exact coefficients.) Anything
// larger than the budget is left undecided: the reduce stage analyses the whole model.
//
// Example: u = a - b, u = 10 with L = {u, a, b}, closed: too few equations for a matching. With i = r u, i +
// j = 0, and at the nodes i + k = 0, j + l = 0, k + l = 0 there are as many as unknowns; a = b = 1 solves
// them with u = 0.
#pragma once
#include <optional>
#include <vector>

#include "compiler/exact/sparse_elimination.h"
#include "compiler/ir/components.h"
#include "compiler/singularity/floating_potentials.h"
#include "compiler/structural_types/flat.h"

namespace sigrel::structural_types {

/// A combination that vanishes: of unknowns that only it moves, or of equations.
struct NullVector {
  std::vector<std::uint32_t> support;  // ascending
  bool floating = false;               // several, and all coefficients are equal
};

struct Singularity {
  Flat flat;
  /// Hidden columns of flat.expansion that can move together without breaking an equation.
  std::vector<NullVector> free;
  std::vector<NullVector> redundant;                    // rows that add up to nothing; the shortest first
  singularity::FloatingVerdict<std::uint32_t> verdict;  // by rows
  /// Where floating potentials are harmless: for each an equation of the definition, in the place of which
  /// one of its variables is zero. Empty otherwise.
  struct Reference {
    std::uint32_t equation, variable;
  };
  std::vector<Reference> references;
  bool harmless() const { return !references.empty(); }
};

class MixedLayer {
 public:
  explicit MixedLayer(const components::Library& library)
      : library_(library), rows_(library.components.size()) {}

  /// Checks a component that has a structural type; the components that it applies were checked before.
  /// `definition` is the component in numbers. Nothing where it is regular or undecided, and where it applies
  /// one that was singular, undecided, or not checked. One whose floating potentials are harmless counts as
  /// regular in its users.
  std::optional<Singularity> check(std::uint32_t component, const Definition& definition);

 private:
  std::optional<std::vector<exact::SparseRow>> composed(std::uint32_t component,
                                                        const Definition& definition) const;

  const components::Library& library_;
  std::vector<std::optional<std::vector<exact::SparseRow>>>
      rows_;  // by component, over its interface; absent: singular or not decided
};

}  // namespace sigrel::structural_types
