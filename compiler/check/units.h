// Units of measurement: one table of the SI and common units, with prefixes, factors and offsets to SI.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::check {

/// Exponents of m, kg, s, A, K, mol, cd. Angles are numbers.
using Dimension = std::array<std::int8_t, 7>;

/// A unit as written, and what it means: a number x of it is `x * factor + offset` in SI.
struct UnitValue {
  Dimension dimension{};
  double factor = 1;
  double offset = 0;
  bool has_variables = false;  // `Real<u>` in a signature: any unit
  const ast::Unit* written = nullptr;
};

/// The meaning of `unit`; an unknown name is reported. With `variables`, a name of one letter that is no unit stands for
/// any unit. A unit with an offset (degC, degF) must stand alone, else it counts as a difference (kelvin).
UnitValue resolve_unit(const ast::Unit& unit, bool variables, Diagnostics& diagnostics);

/// `x` of `unit` as a number in SI units.
double to_si(double x, const UnitValue& unit);

/// As the user wrote it: `kg*m^2/s`.
std::string unit_text(const UnitValue& unit);

}  // namespace sigrel::check
