// What a relation takes and does not use.
#pragma once
#include "compiler/check/names/globals.h"

namespace sigrel::check {

/// Warns of parameters of a relation, and of inputs, that its body does not mention: often a name is
/// misspelt, or an equation forgotten. (Structural types find what other variables of an interface lack.)
/// Lengths may be named in the signature alone, so parameters of type Int are left out. `_` says that
/// something is not used.
/// `type`: of the definition.
void warn_of_unused_formals(const Definition& definition, Type* type, const Types& types,
                            Diagnostics& diagnostics);

}  // namespace sigrel::check
