// Instructions for one operation of an expression. Values are numbers (double) or truth values (i1), or
// vectors of them.
#pragma once
#include "compiler/ir/expr.h"

#include "compiler/ir/library.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace sigrel::lower {

/// The width of the kernel if libm functions use libmvec, else 1. Single rows of such a kernel use the same
/// functions, so that the result of a row does not depend on its position.
struct MathLanes {
  std::uint32_t lanes = 1;
};

/// Whether the operation calls a libm function.
bool is_library_call(const Node& node);

/// The value of an operation with `is_condition`, from operands: numbers for comparisons, truth values for
/// Not, And, Or.
llvm::Value* emit_condition(llvm::IRBuilderBase& at, Op op, llvm::Value* a, llvm::Value* b);
/// A number from operands that are numbers; the condition of a Select is a truth value.
llvm::Value* emit_number(llvm::IRBuilderBase& at, const Node& node, llvm::Value* a, llvm::Value* b,
                         llvm::Value* c, MathLanes math);

/// An operation that uses the library, on single numbers: a table lookup calls a function of Sigrel with the
/// library, a C function is called by its `foreign_symbol`.
llvm::Value* emit_library_use(llvm::IRBuilderBase& at, const Node& node, const Library& functions,
                              llvm::Value* library, llvm::Value* a, llvm::Value* b, llvm::Value* c);

/// Conversions between numbers and truth values: 0.0 is false, all other values (including NaN) are true;
/// true is 1.0.
llvm::Value* to_condition(llvm::IRBuilderBase& at, llvm::Value* number);
llvm::Value* to_number(llvm::IRBuilderBase& at, llvm::Value* condition);

}  // namespace sigrel::lower
