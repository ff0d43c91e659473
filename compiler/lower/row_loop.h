// RowLoop: the loop over rows that every generated function is, and where its operands come from and its results go.
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

/// Rows that a block of a kernel in pieces has: the frame holds that many numbers per cell.
constexpr std::uint32_t kFrameRows = 8;

/// runtime::KernelArguments as LLVM sees it.
llvm::StructType* arguments_type(llvm::LLVMContext& context);
enum class Field : unsigned { Time, Values, Parameters, Table, Stride, Begin, End, Out };
llvm::Value* load_field(llvm::IRBuilderBase& at, llvm::Value* arguments, Field field);

class RowLoop {
 public:
  /// Rows [begin, end); null: those of the arguments. `function` is empty; it returns after `finish`.
  RowLoop(llvm::Function& function, const plan::Kernel& kernel, llvm::Value* arguments, llvm::Value* begin = nullptr,
          llvm::Value* end = nullptr, llvm::Value* frame = nullptr);
  ~RowLoop();

  /// Where instructions of the row go.
  llvm::IRBuilderBase& row();

  // Operands of the row, loaded where the row stands now.
  llvm::Value* unknown(std::uint32_t slot);
  llvm::Value* parameter(std::uint32_t index);
  llvm::Value* time();
  llvm::Value* cell(std::uint32_t index);

  // Results of the row.
  void store_output(std::uint32_t number, llvm::Value* value);
  void store_cell(std::uint32_t index, llvm::Value* value);

  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sigrel::lower
