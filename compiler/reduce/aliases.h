// Alias elimination: equations that say "a = b", "a = -b" or "a = 0" join classes of a signed union–find;
// what they say may turn other equations into such ones, until nothing changes.
//
// Each union visits the equations of the lighter class only, so that the whole is O(n log n) however the
// aliases arise: a chain of 5*10^5 of them, discovered from either end, included.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/graph/signed_union_find.h"
#include "compiler/ir/system.h"
#include "compiler/reduce/specialise.h"

namespace sigrel::reduce {

enum class Fate : std::uint8_t {
  Kept,
  Used,       // it made an alias or a zero
  Redundant,  // it says nothing that others did not say
  Constant,   // only numbers and parameters are left in it
};

class Aliases {
 public:
  /// Table t of the system's equations is number t of `shapes`.
  Aliases(const system::System& system, Shapes& shapes);
  /// Taken as zero, though no equation says so; before `eliminate`.
  void take_as_zero(std::uint32_t unknown) { zero_[unknown] = true; }
  /// Before `eliminate`: keeps what each equation said.
  void note_merges() { noting_ = true; }
  void eliminate();
  /// The equation made a and b equal or opposite, or a zero.
  struct Merge {
    std::uint32_t equation, a;
    std::optional<std::uint32_t> b;
    bool opposite;
  };
  const std::vector<Merge>& merges() const { return merges_; }

  graph::SignedUnionFind::Member find(std::uint32_t unknown) { return classes_.find(unknown); }
  bool is_zero(std::uint32_t root) const { return zero_[root]; }
  Fate fate(std::uint32_t equation) const { return fate_[equation]; }
  /// The equations of that fate, ascending.
  std::vector<std::uint32_t> of_fate(Fate fate) const;
  /// What is left of a sum: its terms over roots, merged. The span is valid until the next call.
  struct RootTerm {
    std::uint32_t root;
    std::int32_t coefficient;
  };
  std::span<const RootTerm> terms(std::span<const Term> sum);

 private:
  void state(std::uint32_t equation, std::uint32_t a, std::uint32_t b, bool opposite);
  void state_zero(std::uint32_t equation, std::uint32_t a);
  void make_zero(std::uint32_t root);
  void touch_class(std::uint32_t root);
  void state_form(std::uint32_t equation, const Specialised& shape, std::span<const std::uint32_t> unknowns);
  void examine(std::uint32_t equation);
  void examine_row(std::uint32_t equation, std::uint32_t table, std::size_t row);
  void examine_sum(std::uint32_t equation, std::span<const Term> sum);
  void index_occurrences();

  const system::System& system_;
  Shapes& shapes_;
  graph::SignedUnionFind classes_;
  std::vector<bool> zero_;               // by root
  std::vector<std::uint32_t> next_;      // members of a class in a ring
  std::vector<std::uint32_t> first_;     // dense number of each table's first row; then of the first sum
  std::vector<std::uint32_t> table_of_;  // by equation: which table (the number of tables: a sum)
  std::vector<Fate> fate_;
  std::vector<std::uint32_t> occurrences_,
      occurrence_offsets_;  // of an unknown in equations that are kept at first
  std::vector<std::uint32_t>
      patience_;  // how many changes an equation can see before it may say something new
  std::vector<bool> queued_;
  std::vector<std::uint32_t> queue_;
  std::vector<std::uint32_t> pattern_;
  std::vector<std::int32_t> coefficient_;  // by root: scratch of `terms`, zero between calls
  std::vector<bool> met_;
  std::vector<RootTerm> terms_;
  bool noting_ = false;
  std::vector<Merge> merges_;
};

}  // namespace sigrel::reduce
