// RowLoop: the loop over rows that every generated function is, and where its operands come from and its
// results go.
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

/// runtime::KernelArguments as LLVM sees it.
llvm::StructType* arguments_type(llvm::LLVMContext& context);
enum class Field : unsigned { Time, Values, Parameters, Table, Stride, Begin, End, Out };
llvm::Value* load_field(llvm::IRBuilderBase& at, llvm::Value* arguments, Field field);

class RowLoop {
 public:
  /// A loop from row `begin` to before row `end` in steps of `width`, which divides their difference.
  /// Operands and results are numbers, for a width above 1 vectors of them. The loop comes at the end of the
  /// unfinished block of `entry`.
  RowLoop(llvm::IRBuilderBase& entry, const plan::Kernel& kernel, llvm::Value* arguments, llvm::Value* begin,
          llvm::Value* end, std::uint32_t width);
  ~RowLoop();

  /// Where instructions of the row go.
  llvm::IRBuilderBase& row();

  // Operands of the row, loaded where the row stands now.
  llvm::Value* constant(double value);
  llvm::Value* unknown(std::uint32_t slot);
  llvm::Value* parameter(std::uint32_t index);
  llvm::Value* time();

  /// A result of the row: output `number` of the kernel.
  void store_output(std::uint32_t number, llvm::Value* value);

  /// Closes the loop; `entry` then stands after it.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sigrel::lower
