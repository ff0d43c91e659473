#include "compiler/lower/row_loop.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>

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
                offsetof(KernelArguments, end) == 48 && offsetof(KernelArguments, out) == 56 && sizeof(KernelArguments) == 64);
  if (auto* known = llvm::StructType::getTypeByName(context, "KernelArguments")) return known;
  llvm::Type *number = llvm::Type::getDoubleTy(context), *size = llvm::Type::getInt64Ty(context);
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  return llvm::StructType::create(context, {number, pointer, pointer, pointer, size, size, size, pointer}, "KernelArguments");
}

Value* load_field(llvm::IRBuilderBase& at, Value* arguments, Field field) {
  static constexpr const char* kNames[] = {"time", "values", "parameters", "table", "stride", "begin", "end", "out"};
  auto index = static_cast<unsigned>(field);
  llvm::StructType* type = arguments_type(at.getContext());
  return at.CreateLoad(type->getElementType(index), at.CreateStructGEP(type, arguments, index), kNames[index]);
}

// The loop is rotated, so that no pass has to: entry -> (guard) -> loop -> (condition) -> loop | exit.
struct RowLoop::State {
  State(llvm::Function& f, const plan::Kernel& k, Value* arguments_, Value* begin_, Value* end_, Value* frame_)
      : context(f.getContext()), kernel(k), arguments(arguments_), begin(begin_), end(end_), frame(frame_),
        entry_block(llvm::BasicBlock::Create(context, "entry", &f)), loop_block(llvm::BasicBlock::Create(context, "row", &f)),
        exit_block(llvm::BasicBlock::Create(context, "exit", &f)), entry(entry_block), row(loop_block),
        access_group(llvm::MDNode::getDistinct(context, {})) {
    if (!begin) begin = load_field(entry, arguments, Field::Begin);
    if (!end) end = load_field(entry, arguments, Field::End);
    index = row.CreatePHI(row.getInt64Ty(), 2, "i");
    index->addIncoming(begin, entry_block);
    columns.resize(kernel.slots + kernel.params);
  }

  // Arguments are loaded once, before the loop.
  Value* field(Field which) {
    Value*& known = fields[static_cast<unsigned>(which)];
    if (!known) known = load_field(entry, arguments, which);
    return known;
  }

  template <class Access>
  Access* grouped(Access* access) {
    access->setMetadata(llvm::LLVMContext::MD_access_group, access_group);
    return access;
  }

  // The row's entry of a table column: the position of a variable or parameter. The one place that knows how a run stores it.
  Value* position(std::uint32_t column) {
    Value*& start = columns[column];
    if (!start) {
      Value* offset = entry.CreateMul(field(Field::Stride), entry.getInt64(column));
      start = entry.CreateInBoundsGEP(entry.getInt32Ty(), field(Field::Table), offset, "column" + llvm::Twine(column));
    }
    Value* place = row.CreateInBoundsGEP(row.getInt32Ty(), start, index);
    return row.CreateZExt(grouped(row.CreateLoad(row.getInt32Ty(), place)), row.getInt64Ty());
  }

  Value* element(Value* array, Value* at) { return row.CreateInBoundsGEP(row.getDoubleTy(), array, at); }

  Value* frame_cell(std::uint32_t cell) {
    if (!frame_row) frame_row = row.CreateSub(index, begin);
    Value* start = entry.CreateInBoundsGEP(entry.getDoubleTy(), frame, entry.getInt64(std::uint64_t{cell} * kFrameRows));
    return element(start, frame_row);
  }

  llvm::LLVMContext& context;
  const plan::Kernel& kernel;
  Value *arguments, *begin, *end, *frame;
  llvm::BasicBlock *entry_block, *loop_block, *exit_block;
  IRBuilder<> entry, row;
  // All accesses of the loop are in one group, and the loop is said to be parallel in it: rows are independent of each other
  // (compiler/ir/code.h), also where a Solve kernel reads and writes `values`. The vectoriser needs no checks at run time.
  llvm::MDNode* access_group;
  llvm::PHINode* index = nullptr;
  Value* frame_row = nullptr;
  Value* fields[8] = {};
  std::vector<Value*> columns;
};

RowLoop::RowLoop(llvm::Function& function, const plan::Kernel& kernel, Value* arguments, Value* begin, Value* end, Value* frame)
    : state_(std::make_unique<State>(function, kernel, arguments, begin, end, frame)) {}
RowLoop::~RowLoop() = default;

llvm::IRBuilderBase& RowLoop::row() { return state_->row; }

Value* RowLoop::unknown(std::uint32_t slot) {
  State& s = *state_;
  Value* place = s.element(s.field(Field::Values), s.position(slot));
  return s.grouped(s.row.CreateLoad(s.row.getDoubleTy(), place, "slot" + llvm::Twine(slot)));
}

Value* RowLoop::parameter(std::uint32_t index) {
  State& s = *state_;
  Value* place = s.element(s.field(Field::Parameters), s.position(s.kernel.slots + index));
  return s.grouped(s.row.CreateLoad(s.row.getDoubleTy(), place, "param" + llvm::Twine(index)));
}

Value* RowLoop::time() { return state_->field(Field::Time); }

Value* RowLoop::cell(std::uint32_t index) {
  State& s = *state_;
  return s.grouped(s.row.CreateLoad(s.row.getDoubleTy(), s.frame_cell(index), "cell" + llvm::Twine(index)));
}

void RowLoop::store_output(std::uint32_t number, Value* value) {
  State& s = *state_;
  Value* place = nullptr;
  switch (s.kernel.role) {
    case runtime::Role::Residual:
      place = s.element(s.field(Field::Out), s.index);
      break;
    case runtime::Role::Partials: {
      Value* offset = s.entry.CreateMul(s.field(Field::Stride), s.entry.getInt64(number));
      Value* start = s.entry.CreateInBoundsGEP(s.entry.getDoubleTy(), s.field(Field::Out), offset, "partial" + llvm::Twine(number));
      place = s.element(start, s.index);
      break;
    }
    case runtime::Role::Solve:
      place = s.element(s.field(Field::Values), s.position(s.kernel.solved));
      break;
  }
  s.grouped(s.row.CreateStore(value, place));
}

void RowLoop::store_cell(std::uint32_t index, Value* value) {
  state_->grouped(state_->row.CreateStore(value, state_->frame_cell(index)));
}

void RowLoop::finish() {
  State& s = *state_;
  Value* next = s.row.CreateAdd(s.index, s.row.getInt64(1), "next", true, true);
  s.index->addIncoming(next, s.loop_block);
  llvm::BranchInst* again = s.row.CreateCondBr(s.row.CreateICmpULT(next, s.end), s.loop_block, s.exit_block);
  llvm::MDNode* parallel =
      llvm::MDNode::get(s.context, {llvm::MDString::get(s.context, "llvm.loop.parallel_accesses"), s.access_group});
  llvm::MDNode* loop = llvm::MDNode::getDistinct(s.context, {nullptr, parallel});
  loop->replaceOperandWith(0, loop);  // a loop's name refers to itself
  again->setMetadata(llvm::LLVMContext::MD_loop, loop);
  s.entry.CreateCondBr(s.entry.CreateICmpULT(s.begin, s.end), s.loop_block, s.exit_block);
  IRBuilder<>(s.exit_block).CreateRetVoid();
}

}  // namespace sigrel::lower
