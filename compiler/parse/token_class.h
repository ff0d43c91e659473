// Classes of token kinds that the layout filter distinguishes.
#pragma once
#include <cstdint>

namespace sigrel::syntax {

/// Continues the piece before it when a line starts with it, at the column of the block, too.
bool joins_line(std::uint16_t kind);
/// Cannot start a piece. (`-` can.)
bool is_operator(std::uint16_t kind);
/// Nests what follows one level deeper in the parser. `before` is the preceding token.
bool is_recursive(std::uint16_t kind, std::uint16_t before);
/// Neither nests nor combines operands: does not count towards the depth of an expression.
bool is_plain(std::uint16_t kind);
/// `[` directly after it starts an index.
bool is_indexable(std::uint16_t kind);
/// The closing bracket of an opening one.
std::uint16_t partner(std::uint16_t bracket);

}  // namespace sigrel::syntax
