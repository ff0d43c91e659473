// Units of measurement: one table of the SI and common units, with prefixes, factors and offsets to SI.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/check/types/linear.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::check {

/// The meaning of a written unit: a number x of it is `x * factor + offset` in SI.
struct UnitValue {
  Dimension dimension{};
  double factor = 1;
  double offset = 0;
  bool coherent = true;                           // made of SI units without a factor
  bool known = true;                              // no error was reported of it
  std::vector<std::pair<Name, Ratio>> variables;  // `Real<u>` in a signature: any unit
};

/// The meaning of `unit`; an unknown name is reported. With `variables`, a name of one letter that is no unit
/// stands for any unit. A unit with an offset (degC, degF) must stand alone, else it counts as a difference
/// (kelvin).
UnitValue resolve_unit(const ast::Unit& unit, bool variables, Diagnostics& diagnostics);

/// `x` of `unit` as a number in SI units.
double to_si(double x, const UnitValue& unit);

/// As the user wrote it.
std::string unit_text(const ast::Unit& unit);

/// `kg*m^2/s` with the fewest unit names: `V`, `V/s`, `N*m`; `1` for a number.
std::string dimension_text(const Dimension& dimension);

/// "" for 1, "^2", "^(1/2)".
std::string exponent_text(Ratio exponent);

/// The quantity of this dimension: "a voltage", "a time"; empty if there is no common word.
std::string quantity_name(const Dimension& dimension);

}  // namespace sigrel::check
