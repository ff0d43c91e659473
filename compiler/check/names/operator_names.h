// The binary operators: the primitive that each one is.
#pragma once
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// Of an operator other than `:`, which is a constructor, and a named one.
core::Primitive primitive_of(ast::BinaryOp op);

}  // namespace sigrel::check
