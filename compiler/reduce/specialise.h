// Shapes specialised by a pattern, which gives for each slot of a row whether its unknown is zero, opposite
// to its representative, or equal to another slot of the row. A pattern is applied to a shape once; the rows
// that have it move to the table of the result.
//
// Example: shape s0 - s1 - p0 * s2 with the pattern "s1 is zero, s2 is the opposite of s0" becomes s0 + p0 *
// s0.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/expr.h"
#include "compiler/symbolic/work_pool.h"

namespace sigrel::reduce {

/// The value of a slot in terms of other slots, as one number.
struct SlotPattern {
  static constexpr std::uint32_t kItself = 0, kOpposite = 1, kZero = 2;
  /// The value of slot `earlier` without its own sign, or the opposite of it.
  static std::uint32_t same_as(std::uint32_t earlier, bool opposite) {
    return 4 + 2 * earlier + (opposite ? 1 : 0);
  }
};

/// The forms of an equation that decide about unknowns directly.
enum class Form : std::uint8_t {
  General,
  Equal,      // slot a = slot b
  Opposite,   // slot a = -slot b
  Zero,       // slot a = 0
  Nothing,    // 0 = 0
  NoUnknown,  // it contains no unknown: p0 = 0, or 1 = 0
};

struct Leaf {
  std::uint32_t slot = 0, order = 0;
  auto operator<=>(const Leaf&) const = default;
};

struct Specialised {
  ExprId residual;  // over the slots of the original shape, in Shapes::exprs
  Form form = Form::General;
  std::uint32_t a = 0, b = 0;         // slots of the form
  std::vector<Leaf> leaves;           // those that occur, ascending
  std::vector<std::uint32_t> params;  // those that occur, ascending
};

class Shapes {
 public:
  explicit Shapes(const ExprPool& source) : source_(source) { exprs_.library = source.library; }

  /// Adds a table and returns its number.
  std::uint32_t add(const EquationTable& table);
  /// The number of the shape of a table under a pattern, which has one entry per slot.
  std::uint32_t specialise(std::uint32_t table, std::span<const std::uint32_t> pattern);
  const Specialised& operator[](std::uint32_t specialised) const { return specialised_[specialised]; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(specialised_.size()); }
  ExprPool& exprs() { return exprs_; }

 private:
  struct Entry {
    std::uint32_t table;
    std::uint32_t first;  // into patterns_
    std::uint32_t specialised;
  };
  std::uint32_t make(const EquationTable& table, std::span<const std::uint32_t> pattern);
  void grow();

  const ExprPool& source_;
  ExprPool exprs_;
  symbolic::WorkPool work_{exprs_};
  std::vector<const EquationTable*> tables_;
  std::vector<std::uint32_t> latest_;  // per table: the entry that was used last
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> patterns_;
  std::vector<std::uint32_t> buckets_;  // open addressing, entry + 1
  std::vector<Specialised> specialised_;
};

}  // namespace sigrel::reduce
