// Alias elimination: equations `a = b`, `a = -b` and `a = 0` join the classes of a signed union–find. In the
// light of these, other equations may take one of these forms too; they are examined until nothing changes.
//
// Example: a = b, a + c = b, d = c + a: the first joins a and b, then the second makes c zero, then the third
// joins d and a.
//
// Each union visits the equations of the lighter class only, so that the time is O(n log n) whatever the
// order in which aliases are found: also for a chain of 5*10^5 of them, from either end.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/signed_union_find.h"
#include "compiler/incidence/ids.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/specialise.h"

namespace sigrel::reduce {

/// The result of alias elimination for an equation.
enum class Fate : std::uint8_t {
  Kept,
  Used,       // it made an alias or a zero
  Redundant,  // it follows from others
  Constant,   // it contains only numbers and parameters
};

class Aliases {
 public:
  /// Table t of the system's equations must be number t of `shapes`.
  Aliases(const system::System& system, Shapes& shapes);
  /// Makes an unknown zero without an equation; before `eliminate`.
  void take_as_zero(UnknownId unknown) { zero_[unknown] = true; }
  /// Leaves the equations that would make this unknown an alias or zero; before `eliminate`.
  void keep(UnknownId unknown) { kept_[unknown] = true; }
  /// Records the merges from now on; before `eliminate`.
  void note_merges() { noting_ = true; }
  void eliminate();
  /// An equation that made a and b equal or opposite, or a zero.
  struct Merge {
    EquationId equation;
    UnknownId a;
    std::optional<UnknownId> b;
    bool opposite;
  };
  const std::vector<Merge>& merges() const { return merges_; }

  /// The unknown that the class of an unknown is known by, not necessarily its representative.
  struct Member {
    UnknownId root;
    bool negative;  // the unknown is the opposite of the root
  };
  Member find(UnknownId unknown) {
    const auto member = classes_.find(unknown.value);
    return {UnknownId{member.root}, member.negative};
  }
  bool is_zero(UnknownId root) const { return zero_[root]; }
  Fate fate(EquationId equation) const { return fate_[equation]; }
  /// The equations with this fate, ascending.
  std::vector<EquationId> of_fate(Fate fate) const;
  /// The terms of a sum over roots, merged and without zeros. The span is valid until the next call.
  struct RootTerm {
    UnknownId root;
    std::int32_t coefficient;
  };
  std::span<const RootTerm> terms(std::span<const Term> sum);

 private:
  void unite(EquationId equation, UnknownId a, UnknownId b, bool opposite);
  void make_zero(EquationId equation, UnknownId a);
  void queue_equations_of_class(UnknownId root);
  void apply_form(EquationId equation, const Specialised& shape, std::span<const std::uint32_t> unknowns);
  void examine(EquationId equation);
  void examine_row(EquationId equation, std::uint32_t table, std::size_t row);
  void examine_sum(EquationId equation, std::span<const Term> sum);
  EquationId row_of_table(std::uint32_t table, std::size_t row) const {
    return EquationId{first_[table] + row};
  }
  EquationId row_of_sums(std::size_t row) const { return EquationId{first_.back() + row}; }
  void index_occurrences();

  const system::System& system_;
  Shapes& shapes_;
  graph::SignedUnionFind classes_;
  IdVector<UnknownId, bool> zero_;       // by root
  IdVector<UnknownId, bool> kept_;       // alone in its class
  IdVector<UnknownId, UnknownId> next_;  // members of a class in a ring
  std::vector<std::uint32_t> first_;     // the equation of each table's first row; then of the first sum
  IdVector<EquationId, std::uint32_t> table_of_;  // the number of tables stands for the sums
  IdVector<EquationId, Fate> fate_;
  /// By unknown: the equations that contain it, of those that are not aliases from the beginning.
  std::vector<EquationId> occurrences_;
  std::vector<std::uint32_t> occurrence_offsets_;
  /// The number of changes after which an equation is examined again, since fewer cannot give it another
  /// form.
  IdVector<EquationId, std::uint32_t> changes_left_;
  IdVector<EquationId, bool> queued_;
  std::vector<EquationId> queue_;
  std::vector<std::uint32_t> pattern_;
  IdVector<UnknownId, std::int32_t> coefficient_;  // by root: scratch, zero between calls
  IdVector<UnknownId, bool> met_;                  // the same
  std::vector<RootTerm> terms_;
  bool noting_ = false;
  std::vector<Merge> merges_;
};

}  // namespace sigrel::reduce
