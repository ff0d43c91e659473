// Dumps of ast::Module for `sigrel dump ast` and for tests.
#pragma once
#include <string>
#include <string_view>

#include "compiler/ir/ast.h"

namespace sigrel::ast {

/// As it is written: "+", "/="; "`…`" for a named operator.
std::string_view spelling(BinaryOp op);

/// One line for each declaration and item, blocks indented. Expressions, types and patterns are fully
/// parenthesised on one line, so that the dump shows how the text was read: `(+ (* a b) c)`, `(f x y)`,
/// `(index a 1 2..n)`.
std::string print(const Module& module);
std::string print(const Expr& expr);
std::string print(const Type& type);
std::string print(const Pattern& pattern);

/// The same as one JSON object: {"module", "declarations": [{"span": [begin, end], "name", "doc", "text"}]}.
std::string print_json(const Module& module);

}  // namespace sigrel::ast
