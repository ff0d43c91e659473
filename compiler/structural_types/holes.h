// Holes: the relation parameters of a definition that is analysed by itself. Of the relation that will be the
// argument only the number of equations matters at first: among all relations with k equations over n
// interface unknowns, the one that can determine any k of them (the uniform matroid U(k, n)) completes
// everything that another one completes.
//
// Given a body and a size k for each of its holes: a larger size helps to determine the unknowns of the body,
// a smaller one leaves more unknowns to its equations. So if the body is under-determined, it is so for all
// smaller sizes, and if it is over-determined, for all larger ones. The sizes between form an interval for
// each hole with the others fixed, found by bisection; if there is none, the definition is an error for every
// argument.
//
// Example: load <> (x, m); m = 3.0 over x. With size 0 nothing is under-determined, size 1 can determine x,
// size 2 is too large: {#0} or {#1}.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "compiler/ir/components.h"
#include "compiler/structural_types/flat.h"

namespace sigrel::structural_types {

/// Any `rank` of the columns.
StructuralType uniform(std::uint32_t rank, std::uint32_t interface);

struct Interval {
  std::uint32_t first = 0, last = 0;
  bool operator==(const Interval&) const = default;
};

using Sizes = std::vector<std::uint32_t>;  // of the holes of a component, in their order

/// Which sizes the holes of a component may have.
struct Fit {
  enum Kind : std::uint8_t {
    Some,
    None,     // it cannot be completed with any arguments
    Unknown,  // too many sizes to try, or a hole that may be a different relation at each of its uses
    Spoilt    // a part of it has no type
  } kind = Unknown;
  std::vector<Interval>
      sizes;  // of Some: parallel to the component's holes; each size occurs in some combination
  std::optional<Sizes> only;  // of Some: the only combination
  std::optional<Sizes>
      nearest;  // of None: the unknowns are determined, or nearly so; absent if parts of it disagree
};

class Holes {
 public:
  /// `types` of the components without holes, as they become known.
  Holes(const components::Library& library, const std::vector<std::optional<StructuralType>>& types);

  /// Components in ascending order, each once.
  const Fit& fit(std::uint32_t component);
  const Fit& known(std::uint32_t component) const { return fits_[component]; }
  /// The component with relations of these sizes; its parts have a type there.
  Typing typing_at(std::uint32_t component, const Sizes& sizes);
  /// Whether its parts have a type there.
  bool parts_fit(std::uint32_t component, const Sizes& sizes);
  std::optional<StructuralType> type_at(std::uint32_t component, const Sizes& sizes);
  /// The type that a contract promises for a relation with that interface; nothing where it is not known.
  std::optional<StructuralType> promised(core::ContractId contract, std::uint32_t interface) const;
  std::optional<StructuralType> promised(const components::Component& hole) const;

 private:
  struct Outcome {
    std::optional<StructuralType> type;
    bool over_determined = false, under_determined = false;
    bool in_part = false;
  };
  const Outcome& evaluate(std::uint32_t component, const Sizes& sizes);
  Composition composition_at(std::uint32_t component, const Sizes& sizes) const;
  Outcome outcome_of(Composition composition);
  void compute(std::uint32_t component, const Sizes& sizes);
  Sizes restricted(std::uint32_t from, const Sizes& sizes, std::uint32_t to) const;
  const std::vector<std::uint32_t>& dependent_parts(std::uint32_t component);
  Fit search(std::uint32_t component);
  bool may_differ(std::uint32_t component) const;

  const components::Library& library_;
  const std::vector<std::optional<StructuralType>>& types_;
  std::vector<std::map<Sizes, Outcome>> outcomes_;
  // Of small compositions, by interface, hidden columns and rows: the sizes of a recursion are soon the same.
  std::map<std::vector<std::uint32_t>, Outcome> small_outcomes_;
  std::vector<std::optional<std::vector<std::uint32_t>>> parts_;  // with holes, ascending, itself last
  std::vector<std::vector<std::uint8_t>> uses_;                   // of each hole: how often, at most 2
  std::vector<Fit> fits_;
};

}  // namespace sigrel::structural_types
