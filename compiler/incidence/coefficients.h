// Coefficients of unknowns in equations: whether an equation is linear in an unknown, and on what the
// coefficient depends.
//
// Example: in p x + x y = 0 the equation is linear in y with coefficient x, and in x with coefficient p + y.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/library.h"

namespace sigrel::incidence {

/// The coefficient of one slot of a shape.
struct Coefficient {
  bool linear = false;               // the residual is coefficient * slot + rest, without the slot in either
  bool varies_in_time = false;       // it contains `time`
  std::vector<std::uint32_t> slots;  // on which it depends
  bool fixed() const { return linear && !varies_in_time && slots.empty(); }
};

/// The coefficients of all slots of one shape, each computed on its first use.
class Coefficients {
 public:
  Coefficients(ExprPool& pool, const EquationTable& table)
      : pool_(pool), root_(table.residual), slots_(table.slots) {}
  const Coefficient& of(std::uint32_t slot) { return entry(slot).coefficient; }
  /// The value of a fixed coefficient; `row` has the parameters of the row.
  double value(std::uint32_t slot, std::span<const std::uint32_t> row, std::span<const double> parameters);

 private:
  struct Entry {
    Coefficient coefficient;
    ExprId factor;
    std::vector<Node> program = {};  // operands first, by their places in it
  };
  const Entry& entry(std::uint32_t slot);

  ExprPool& pool_;
  ExprId root_;
  std::vector<std::optional<Entry>> slots_;
  std::vector<double> values_;
};

}  // namespace sigrel::incidence
