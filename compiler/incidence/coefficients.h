// What multiplies an unknown in an equation: whether the equation is linear in it, and what the coefficient
// is made of.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/equations.h"
#include "compiler/ir/library.h"

namespace sigrel::incidence {

/// The coefficient of one slot of a shape.
struct Coefficient {
  bool linear = false;               // the residual is coefficient * slot + what does not depend on the slot
  bool varies_in_time = false;       // it contains `time`
  std::vector<std::uint32_t> slots;  // that it contains
  bool fixed() const { return linear && !varies_in_time && slots.empty(); }
};

/// Of all slots of one shape; each is looked at when it is first asked for.
class Coefficients {
 public:
  Coefficients(ExprPool& pool, const EquationTable& table)
      : pool_(pool), root_(table.residual), slots_(table.slots) {}
  const Coefficient& of(std::uint32_t slot) { return entry(slot).coefficient; }
  /// The value of a coefficient that is fixed; `row` has the parameters of the row.
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
