#include "compiler/lower/row_loop.h"

#include <llvm/IR/IRBuilder.h>

#include <cstddef>
#include <vector>

namespace sigrel::lower {

using llvm::IRBuilder;
using llvm::Value;

llvm::StructType* arguments_type(llvm::LLVMContext& context) {
  using runtime::KernelArguments;
  static_assert(offsetof(KernelArguments, time) == 0 && offsetof(KernelArguments, values) == 8 &&
                offsetof(KernelArguments, parameters) == 16 && offsetof(KernelArguments, table) == 24 &&
                offsetof(KernelArguments, stride) == 32 && offsetof(KernelArguments, begin) == 40 &&
                offsetof(KernelArguments, end) == 48 && offsetof(KernelArguments, out) == 56 &&
                sizeof(KernelArguments) == 64);
  if (auto* known = llvm::StructType::getTypeByName(context, "KernelArguments")) return known;
  llvm::Type *number = llvm::Type::getDoubleTy(context), *size = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  return llvm::StructType::create(context, {number, pointer, pointer, pointer, size, size, size, pointer},
                                  "KernelArguments");
}

Value* load_field(llvm::IRBuilderBase& at, Value* arguments, Field field) {
  static constexpr const char* kNames[] = {"time",   "values", "parameters", "table",
                                           "stride", "begin",  "end",        "out"};
  auto index = static_cast<unsigned>(field);
  llvm::StructType* type = arguments_type(at.getContext());
  Value* place = at.CreateStructGEP(type, arguments, index);
  return at.CreateAlignedLoad(type->getElementType(index), place, llvm::Align(8), kNames[index]);
}

// entry: guard -> row -> (condition) -> row | after. Values that do not depend on the row are computed in the
// entry, and each operand at most once per row, so that the code is efficient without optimisation.
struct RowLoop::State {
  State(llvm::IRBuilderBase& entry_, const plan::Kernel& k, Value* arguments_, Value* begin_, Value* end_,
        std::uint32_t width_)
      : context(entry_.getContext()),
        kernel(k),
        arguments(arguments_),
        begin(begin_),
        end(end_),
        width(width_),
        entry(entry_),
        entry_block(entry_.GetInsertBlock()),
        row_block(llvm::BasicBlock::Create(context, "row", entry_block->getParent())),
        row(row_block) {
    index = row.CreatePHI(row.getInt64Ty(), 2, "i");
    index->addIncoming(begin, entry_block);
    table_columns.resize(kernel.slots + kernel.params);
  }

  llvm::Type* of(llvm::Type* scalar) {
    return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, width);
  }

  Value* field(Field which) {
    Value*& known = fields[static_cast<unsigned>(which)];
    if (!known) known = load_field(entry, arguments, which);
    return known;
  }

  // Column `number` of a column-major array of `element`, with the stride of the batch.
  Value* column(Field array, llvm::Type* element, std::uint32_t number) {
    if (number == 0) return field(array);
    Value* offset = entry.CreateMul(field(Field::Stride), entry.getInt64(number));
    return entry.CreateInBoundsGEP(element, field(array), offset, "column" + llvm::Twine(number));
  }

  // The address of a variable or parameter of the row. Only this function depends on the layout of the
  // tables.
  Value* place(Field array, std::uint32_t number) {
    Value*& start = table_columns[number];
    if (!start) start = column(Field::Table, entry.getInt32Ty(), number);
    Value* entry_place = row.CreateInBoundsGEP(row.getInt32Ty(), start, index);
    Value* position = row.CreateAlignedLoad(of(row.getInt32Ty()), entry_place, llvm::Align(4));
    return row.CreateInBoundsGEP(row.getDoubleTy(), field(array),
                                 row.CreateZExt(position, of(row.getInt64Ty())));
  }

  Value* load(Value* place, const llvm::Twine& name) {
    if (width == 1) return row.CreateAlignedLoad(row.getDoubleTy(), place, llvm::Align(8), name);
    return row.CreateMaskedGather(of(row.getDoubleTy()), place, llvm::Align(8), nullptr, nullptr, name);
  }

  llvm::LLVMContext& context;
  const plan::Kernel& kernel;
  Value *arguments, *begin, *end;
  std::uint32_t width;
  llvm::IRBuilderBase& entry;
  llvm::BasicBlock *entry_block, *row_block;
  IRBuilder<> row;
  llvm::PHINode* index = nullptr;
  Value* fields[8] = {};
  Value* time = nullptr;
  std::vector<Value*> table_columns;  // start addresses
};

RowLoop::RowLoop(llvm::IRBuilderBase& entry, const plan::Kernel& kernel, Value* arguments, Value* begin,
                 Value* end, std::uint32_t width)
    : state_(std::make_unique<State>(entry, kernel, arguments, begin, end, width)) {}
RowLoop::~RowLoop() = default;

llvm::IRBuilderBase& RowLoop::row() { return state_->row; }

Value* RowLoop::constant(double value) {
  return llvm::ConstantFP::get(state_->of(state_->row.getDoubleTy()), value);
}

Value* RowLoop::unknown(std::uint32_t slot) {
  return state_->load(state_->place(Field::Values, slot), "slot" + llvm::Twine(slot));
}

Value* RowLoop::parameter(std::uint32_t index) {
  return state_->load(state_->place(Field::Parameters, state_->kernel.slots + index),
                      "param" + llvm::Twine(index));
}

Value* RowLoop::time() {
  State& s = *state_;
  if (!s.time)
    s.time = s.width == 1 ? s.field(Field::Time)
                          : s.entry.CreateVectorSplat(s.width, s.field(Field::Time), "time");
  return s.time;
}

void RowLoop::store_output(std::uint32_t number, Value* value) {
  State& s = *state_;
  switch (s.kernel.role) {
    case runtime::Role::Residual:
    case runtime::Role::Partials: {
      Value* start = s.column(Field::Out, s.entry.getDoubleTy(), number);
      s.row.CreateAlignedStore(value, s.row.CreateInBoundsGEP(s.row.getDoubleTy(), start, s.index),
                               llvm::Align(8));
      break;
    }
    case runtime::Role::Solve: {
      Value* place = s.place(Field::Values, s.kernel.solved);
      if (s.width == 1)
        s.row.CreateAlignedStore(value, place, llvm::Align(8));
      else
        s.row.CreateMaskedScatter(value, place, llvm::Align(8));
      break;
    }
  }
}

void RowLoop::finish() {
  State& s = *state_;
  llvm::BasicBlock* after = llvm::BasicBlock::Create(s.context, "after", s.entry_block->getParent());
  Value* next = s.row.CreateAdd(s.index, s.row.getInt64(s.width), "next", true, true);
  s.index->addIncoming(next, s.row_block);
  s.row.CreateCondBr(s.row.CreateICmpULT(next, s.end), s.row_block, after);
  s.entry.CreateCondBr(s.entry.CreateICmpULT(s.begin, s.end), s.row_block, after);
  s.entry.SetInsertPoint(after);
}

}  // namespace sigrel::lower
