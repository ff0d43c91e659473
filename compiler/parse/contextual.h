// Tokens whose kind depends on their neighbours.
#pragma once
#include <span>

#include "compiler/parse/layout.h"

namespace sigrel::syntax {

/// Turns contextual keywords (`type`, `record`, `mode`, …) into names where they are not keywords, and marks
/// operator names, sections and labels, so that the grammar needs little lookahead. `tokens` is one piece of
/// a block.
void resolve_contextual(BlockKind block, std::span<Token> tokens);

}  // namespace sigrel::syntax
