// The checker: ast::Module -> core::Program. Resolves every name, infers every type (Hindley–Milner),
// desugars.
//
// Order of work per module: its scope (scopes.h), its types, its signatures, then its definitions in
// dependency order (strong_components.h). A group of mutually recursive definitions is inferred and lowered
// in one walk over its trees: checker.h walks over modules and definitions, expression_checker.h over
// expressions, relation_checker.h over relation literals. Constraints on types that become known later are
// deferred to the end of the group (deferred.h), and layouts are filled in there (layout.h). parts.h lists
// the parts that the walks share. A definition with an error gets the error type, which agrees with
// everything: one cause, one error.
//
// Imports. `import M` brings the definitions of M itself. An import list may name anything that M sees,
// imported names included: `import Electrical (Pin, Voltage)` finds `Voltage` of the Prelude. `M.x` works
// likewise. Own definitions hide imported ones, names in import lists hide those of open imports, and these
// hide the Prelude.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "compiler/base/limits.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::data {
class Files;
}

namespace sigrel::check {

struct CheckOptions {
  /// The last module defines `core::kExpression`, an expression given on the command line: it sees everything
  /// that the module before it sees, `main` too. The program is then that expression; it may have any type.
  bool last_sees_previous = false;
  /// Fill Program::samples.
  bool samples = false;
  /// The modules that define a value and can be imported: for the help of an unknown name. Null: not known.
  std::vector<std::string_view> (*modules_with)(std::string_view name) = nullptr;
  Limits limits = {};
  /// The data files that the modules name. Null: none can be opened.
  data::Files* data = nullptr;
};

/// Checks `modules`, which come in dependency order: imports first, the root last. A module named `Prelude`
/// is visible everywhere. After errors the program is partial: definitions with errors have no body.
core::Program check(std::span<const ast::Module> modules, Diagnostics& diagnostics,
                    const CheckOptions& options = {});

}  // namespace sigrel::check
