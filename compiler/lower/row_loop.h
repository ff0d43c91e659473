// RowLoop: the loop over rows in every generated function, with access to its operands and results.
#pragma once
#include <cstdint>
#include <memory>

#include "compiler/ir/plan.h"

namespace llvm {
class Function;
class IRBuilderBase;
class LLVMContext;
class StructType;
class Value;
}  // namespace llvm

namespace sigrel::lower {

/// The LLVM type of runtime::KernelArguments.
llvm::StructType* arguments_type(llvm::LLVMContext& context);
enum class Field : unsigned { Time, Values, Parameters, Table, Stride, Begin, End, Out };
llvm::Value* load_field(llvm::IRBuilderBase& at, llvm::Value* arguments, Field field);

class RowLoop {
 public:
  /// A loop from row `begin` to `end` (exclusive) in steps of `width`, which divides their difference.
  /// Operands and results are numbers, or vectors of them for widths above 1. The loop is appended to the
  /// unfinished block of `entry`.
  RowLoop(llvm::IRBuilderBase& entry, const plan::Kernel& kernel, llvm::Value* arguments, llvm::Value* begin,
          llvm::Value* end, std::uint32_t width);
  ~RowLoop();

  /// The insertion point for instructions of the row.
  llvm::IRBuilderBase& row();

  // Operands of the row, loaded at the insertion point.
  llvm::Value* constant(double value);
  llvm::Value* unknown(std::uint32_t slot);
  llvm::Value* parameter(std::uint32_t index);
  llvm::Value* time();

  /// Stores a result of the row as output `number` of the kernel.
  void store_output(std::uint32_t number, llvm::Value* value);

  /// Closes the loop; `entry` then inserts after it.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sigrel::lower
