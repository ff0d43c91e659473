// The names that arguments are passed by: those of the signature, else those of the definition's parameters.
#pragma once
#include "compiler/check/names/globals.h"

namespace sigrel::check {

/// The pattern of parameter `index`, in the first clause or in the lambdas of its body; or null.
const ast::Pattern* parameter_pattern(const Definition& definition, std::size_t index);
/// The name that a pattern is, if it is one.
std::optional<Name> name_of(const ast::Pattern* pattern);
/// The first name that a clause gives to a parameter; absent if none does.
std::optional<Name> parameter_name(const Definition& definition, std::size_t index);

/// `scheme` with the names of the definition's parameters where the signature gives none. They do not show in
/// messages.
Type* name_parameters(Types& types, Type* scheme, const Definition& definition);

}  // namespace sigrel::check
