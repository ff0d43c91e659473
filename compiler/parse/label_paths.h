// Paths that start with a label in capitals. `C1.u` reads like a name `u` of a module `C1`, and the builder
// takes it as one, because a label may stand below its uses. Once the body of a relation is complete, its
// labels are known, and such names become paths: fields of the variable `C1`.
//
// A label with the name of an imported module would leave open what `C1.u` is: that is reported.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::syntax {

/// Rewrites the uses of the capital labels of a relation body, in place. Relations inside it have labels of
/// their own. `imports`: the declarations before this one.
void read_label_paths(std::span<ast::Item*> body, std::span<ast::Decl* const> imports, Arena& arena,
                      Diagnostics& diagnostics);

}  // namespace sigrel::syntax
