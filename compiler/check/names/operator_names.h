// The binary operators: the primitive that each one is, and its sign.
#pragma once
#include <string_view>

#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

/// Of an operator other than `:`, which is a constructor, and a named one.
core::Primitive primitive_of(ast::BinaryOp op);
std::string_view sign_of(ast::BinaryOp op);

}  // namespace sigrel::check
