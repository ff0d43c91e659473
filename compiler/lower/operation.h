// One operation of an expression as instructions. Values are numbers (double) or truth values (i1), or
// vectors of them.
#pragma once
#include "compiler/ir/expr.h"

#include "compiler/ir/library.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace sigrel::lower {

/// The kernel's width when functions of libm go to libmvec, otherwise 1. Single rows of such a kernel use the
/// same function, so that a row's result does not depend on where the vectors end.
struct MathLanes {
  std::uint32_t lanes = 1;
};

/// Whether the operation yields a truth value; then it is emitted by `emit_condition`.
bool is_condition(Op op);

/// Whether the operation is a call of a libm function.
bool is_library_call(const Node& node);

/// A truth value from operands: numbers for comparisons, truth values for Not, And, Or.
llvm::Value* emit_condition(llvm::IRBuilderBase& at, Op op, llvm::Value* a, llvm::Value* b);
/// A number from operands that are numbers; the condition of a Select is a truth value.
llvm::Value* emit_number(llvm::IRBuilderBase& at, const Node& node, llvm::Value* a, llvm::Value* b,
                         llvm::Value* c, MathLanes math);

/// An operation that uses the library, of single numbers: a table by a function of ours that gets the
/// library, a function of C by its name, `foreign_symbol`.
llvm::Value* emit_library_use(llvm::IRBuilderBase& at, const Node& node, const Library& functions,
                              llvm::Value* library, llvm::Value* a, llvm::Value* b, llvm::Value* c);

/// The truth of a number and the number of a truth: 0.0 is false, everything else (not-a-number too) is true;
/// true is 1.0.
llvm::Value* to_condition(llvm::IRBuilderBase& at, llvm::Value* number);
llvm::Value* to_number(llvm::IRBuilderBase& at, llvm::Value* condition);

}  // namespace sigrel::lower
