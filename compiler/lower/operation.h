// One operation of an expression as instructions.
#pragma once
#include "compiler/ir/expr.h"

namespace llvm {
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace sigrel::lower {

/// Whether the operation yields a truth value; then it is emitted by `emit_condition`.
bool is_condition(Op op);

/// A truth value (i1) from operands: numbers (double) for comparisons, truth values for Not, And, Or.
llvm::Value* emit_condition(llvm::IRBuilderBase& at, Op op, llvm::Value* a, llvm::Value* b);
/// A number (double) from operands that are numbers; the condition of a Select is a truth value.
llvm::Value* emit_number(llvm::IRBuilderBase& at, const Node& node, llvm::Value* a, llvm::Value* b, llvm::Value* c);

/// The truth of a number and the number of a truth: 0.0 is false, everything else (not-a-number too) is true; true is 1.0.
llvm::Value* to_condition(llvm::IRBuilderBase& at, llvm::Value* number);
llvm::Value* to_number(llvm::IRBuilderBase& at, llvm::Value* condition);

}  // namespace sigrel::lower
