// Units of types and literals, as they are written in the source.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/base/units.h"
#include "compiler/check/types/linear.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::check {

struct UnitValue : UnitScale {
  bool known = true;                              // no error was reported of it
  std::vector<std::pair<Name, Ratio>> variables;  // `Real<u>` in a signature: any unit
};

/// The meaning of `unit`; an unknown name is reported. With `variables`, a name of one letter that is no unit
/// stands for any unit.
UnitValue resolve_unit(const ast::Unit& unit, bool variables, Diagnostics& diagnostics);

/// As the user wrote it.
std::string unit_text(const ast::Unit& unit);

}  // namespace sigrel::check
