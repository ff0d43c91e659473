// Well-typed programs that shrink: every expression is made for a type, from names in scope.
#pragma once
#include <string>

#include "tests/property/property.h"

namespace property {

/// A module of constants, functions and relations with `main`; its layout, comments and blank lines vary too.
/// `comments` gets the texts of its comments, in order.
std::string program(Choices& choices, std::vector<std::string>& comments);

}  // namespace property
