#include "compiler/lower/lower.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "compiler/ir/code.h"
#include "compiler/lower/operation.h"
#include "compiler/lower/pieces.h"
#include "compiler/lower/row_loop.h"

namespace sigrel::lower {
namespace {

using llvm::Value;

// The nodes of one piece, in the loop of its function. A node is emitted once per row, as a number or as a truth value,
// and converted where the other is needed.
class PieceEmitter {
 public:
  PieceEmitter(const plan::Body& body, const Piece& piece, RowLoop& loop)
      : body_(body), piece_(piece), loop_(loop), here_(piece.last - piece.first), elsewhere_(piece.in.size()) {}

  void emit() {
    for (std::uint32_t i = piece_.first; i < piece_.last; ++i)
      if (arity(body_.nodes[i].op) > 0) operation(i);
    // Stores come last: no load of the row has to wait for one.
    for (auto [node, cell] : piece_.out) loop_.store_cell(cell, number(node));
    for (auto [output, node] : piece_.outputs) loop_.store_output(output, number(node));
  }

 private:
  struct Emitted {
    Value *number = nullptr, *condition = nullptr;
  };

  Emitted& emitted(std::uint32_t node) {
    if (node >= piece_.first) return here_[node - piece_.first];
    if (arity(body_.nodes[node].op) == 0) return leaves_before_[node];
    return elsewhere_[std::ranges::lower_bound(piece_.in, node, {}, &Piece::Cell::node) - piece_.in.begin()];
  }

  void operation(std::uint32_t i) {
    const Node& node = body_.nodes[i];
    Emitted& result = emitted(i);
    llvm::IRBuilderBase& at = loop_.row();
    if (node.op == Op::Not || node.op == Op::And || node.op == Op::Or) {
      result.condition = emit_condition(at, node.op, condition(node.a), arity(node.op) > 1 ? condition(node.b) : nullptr);
    } else if (is_condition(node.op)) {
      result.condition = emit_condition(at, node.op, number(node.a), number(node.b));
    } else if (node.op == Op::Select) {
      result.number = emit_number(at, node, condition(node.a), number(node.b), number(node.c));
    } else {
      result.number = emit_number(at, node, number(node.a), arity(node.op) > 1 ? number(node.b) : nullptr, nullptr);
    }
  }

  Value* number(std::uint32_t node) {
    Emitted& known = emitted(node);
    if (!known.number) known.number = known.condition ? to_number(loop_.row(), known.condition) : operand(node);
    return known.number;
  }

  Value* condition(std::uint32_t node) {
    Emitted& known = emitted(node);
    if (!known.condition) known.condition = to_condition(loop_.row(), number(node));
    return known.condition;
  }

  // What is not computed in this piece.
  Value* operand(std::uint32_t index) {
    const Node& node = body_.nodes[index];
    if (node.op == Op::Const) return llvm::ConstantFP::get(loop_.row().getDoubleTy(), node.value);
    if (node.op == Op::Slot) return loop_.unknown(node.a);
    if (node.op == Op::Param) return loop_.parameter(node.a);
    if (node.op == Op::Time) return loop_.time();
    return loop_.cell(std::ranges::lower_bound(piece_.in, index, {}, &Piece::Cell::node)->cell);
  }

  const plan::Body& body_;
  const Piece& piece_;
  RowLoop& loop_;
  std::vector<Emitted> here_, elsewhere_;                     // by position in the piece, in piece.in
  std::unordered_map<std::uint32_t, Emitted> leaves_before_;  // leaves with numbers of earlier pieces
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const plan::Plan& plan, std::uint32_t number, const Options& options)
      : module_(module), context_(module.getContext()), spec_(plan.kernels[number]), body_(plan::body(plan.exprs, spec_)),
        pieces_(cut(body_, options.piece)), name_(kernel_name(plan, number)) {}

  void emit() {
    llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
    llvm::Function& function = declare(name_, {pointer, pointer}, llvm::GlobalValue::ExternalLinkage);
    llvm::Argument* arguments = function.getArg(1);
    function.getArg(0)->setName("self");
    describe_arguments(arguments);
    if (pieces_.pieces.size() > 1) {
      blocks(function, arguments);
    } else {
      RowLoop loop(function, spec_, arguments);
      PieceEmitter(body_, pieces_.pieces.front(), loop).emit();
      loop.finish();
    }
  }

 private:
  llvm::Function& declare(const std::string& name, llvm::ArrayRef<llvm::Type*> types, llvm::GlobalValue::LinkageTypes linkage) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
    llvm::Function* function = llvm::Function::Create(type, linkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    return *function;
  }

  void describe_arguments(llvm::Argument* arguments) {
    arguments->setName("arguments");
    arguments->addAttr(llvm::Attribute::NoAlias);
    arguments->addAttr(llvm::Attribute::ReadOnly);
    arguments->addAttr(llvm::Attribute::NonNull);
    arguments->addAttr(llvm::Attribute::getWithDereferenceableBytes(context_, sizeof(runtime::KernelArguments)));
  }

  // void piece(arguments, begin, end, frame)
  llvm::Function& piece(std::size_t number) {
    llvm::Type *pointer = llvm::PointerType::getUnqual(context_), *size = llvm::Type::getInt64Ty(context_);
    llvm::Function& function = declare(name_ + "_piece" + std::to_string(number), {pointer, size, size, pointer},
                                       llvm::GlobalValue::InternalLinkage);
    function.addFnAttr(llvm::Attribute::NoInline);
    describe_arguments(function.getArg(0));
    function.getArg(1)->setName("begin");
    function.getArg(2)->setName("end");
    function.getArg(3)->setName("frame");
    function.getArg(3)->addAttr(llvm::Attribute::NoAlias);
    RowLoop loop(function, spec_, function.getArg(0), function.getArg(1), function.getArg(2), function.getArg(3));
    PieceEmitter(body_, pieces_.pieces[number], loop).emit();
    loop.finish();
    return function;
  }

  // for (begin …; begin < end; begin += kFrameRows) for each piece: piece(arguments, begin, min(begin + kFrameRows, end), frame)
  void blocks(llvm::Function& function, Value* arguments) {
    auto* entry_block = llvm::BasicBlock::Create(context_, "entry", &function);
    auto* loop_block = llvm::BasicBlock::Create(context_, "block", &function);
    auto* exit_block = llvm::BasicBlock::Create(context_, "exit", &function);
    llvm::IRBuilder<> entry(entry_block), block(loop_block);
    Value* frame = entry.CreateAlloca(entry.getDoubleTy(), entry.getInt64(std::uint64_t{pieces_.cells} * kFrameRows), "frame");
    Value* begin = load_field(entry, arguments, Field::Begin);
    Value* end = load_field(entry, arguments, Field::End);
    entry.CreateCondBr(entry.CreateICmpULT(begin, end), loop_block, exit_block);
    llvm::PHINode* at = block.CreatePHI(block.getInt64Ty(), 2, "at");
    at->addIncoming(begin, entry_block);
    Value* next = block.CreateAdd(at, block.getInt64(kFrameRows), "next", true, true);
    Value* stop = block.CreateSelect(block.CreateICmpULT(next, end), next, end, "stop");
    for (std::size_t p = 0; p < pieces_.pieces.size(); ++p) block.CreateCall(&piece(p), {arguments, at, stop, frame});
    at->addIncoming(next, loop_block);
    block.CreateCondBr(block.CreateICmpULT(next, end), loop_block, exit_block);
    llvm::IRBuilder<>(exit_block).CreateRetVoid();
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const plan::Kernel& spec_;
  plan::Body body_;
  Pieces pieces_;
  std::string name_;
};

}  // namespace

std::string kernel_name(const plan::Plan& plan, std::uint32_t kernel) {
  const plan::Kernel& spec = plan.kernels[kernel];
  std::string number = std::to_string(kernel);
  switch (spec.role) {
    case runtime::Role::Residual: return "residual" + number;
    case runtime::Role::Partials: return "partials" + number;
    case runtime::Role::Solve: return "solve" + number + "_slot" + std::to_string(spec.solved);
  }
  return "kernel" + number;
}

std::unique_ptr<llvm::Module> lower(const plan::Plan& plan, std::span<const std::uint32_t> kernels, llvm::LLVMContext& context,
                                    const Options& options) {
  auto module = std::make_unique<llvm::Module>("model", context);
  for (std::uint32_t number : kernels) KernelEmitter(*module, plan, number, options).emit();
  return module;
}

std::string print_llvm(const plan::Plan& plan, const Options& options) {
  llvm::LLVMContext context;
  std::vector<std::uint32_t> all(plan.kernels.size());
  std::iota(all.begin(), all.end(), 0u);
  std::string text;
  llvm::raw_string_ostream(text) << *lower(plan, all, context, options);
  return text;
}

}  // namespace sigrel::lower
