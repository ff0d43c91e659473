#include "compiler/lower/lower.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <vector>

#include "compiler/ir/code.h"
#include "compiler/ir/library.h"
#include "compiler/lower/operation.h"
#include "compiler/lower/row_loop.h"

namespace sigrel::lower {
namespace {

using llvm::Value;

// Emits the expressions of a kernel in the loop of its function. A node is emitted once per row, as a number
// or a truth value, and converted where necessary; a leaf is emitted at its first use.
class BodyEmitter {
 public:
  /// `library`: the C functions; the kernel receives the data at run time.
  BodyEmitter(const plan::Body& body, RowLoop& loop, MathLanes math, const Library* functions, Value* library)
      : body_(body),
        loop_(loop),
        math_(math),
        functions_(functions),
        library_(library),
        emitted_(body.nodes.size()) {}

  void emit() {
    for (std::uint32_t i = 0; i < body_.nodes.size(); ++i)
      if (arity(body_.nodes[i].op) > 0) operation(i);
    for (std::uint32_t k = 0; k < body_.outputs.size(); ++k) loop_.store_output(k, number(body_.outputs[k]));
  }

 private:
  struct Emitted {
    Value *number = nullptr, *condition = nullptr;
  };

  void operation(std::uint32_t i) {
    const Node& node = body_.nodes[i];
    Emitted& result = emitted_[i];
    llvm::IRBuilderBase& at = loop_.row();
    bool binary = arity(node.op) > 1;
    if (node.op == Op::Not || node.op == Op::And || node.op == Op::Or) {
      result.condition = emit_condition(at, node.op, condition(node.a), binary ? condition(node.b) : nullptr);
    } else if (is_condition(node.op)) {
      result.condition = emit_condition(at, node.op, number(node.a), number(node.b));
    } else if (uses_library(node.op)) {
      result.number =
          emit_library_use(at, node, *functions_, library_, number(node.a), binary ? number(node.b) : nullptr,
                           arity(node.op) > 2 ? number(node.c) : nullptr);
    } else if (node.op == Op::Select) {
      result.number = emit_number(at, node, condition(node.a), number(node.b), number(node.c), math_);
    } else {
      result.number =
          emit_number(at, node, number(node.a), binary ? number(node.b) : nullptr, nullptr, math_);
    }
  }

  Value* number(std::uint32_t node) {
    Emitted& known = emitted_[node];
    if (!known.number)
      known.number = known.condition ? to_number(loop_.row(), known.condition) : leaf(body_.nodes[node]);
    return known.number;
  }

  Value* condition(std::uint32_t node) {
    Emitted& known = emitted_[node];
    if (!known.condition) known.condition = to_condition(loop_.row(), number(node));
    return known.condition;
  }

  Value* leaf(const Node& node) {
    switch (node.op) {
      case Op::Slot: return loop_.unknown(node.a);
      case Op::Param: return loop_.parameter(node.a);
      case Op::Time: return loop_.time();
      default: return loop_.constant(node.value);
    }
  }

  const plan::Body& body_;
  RowLoop& loop_;
  MathLanes math_;
  const Library* functions_;
  Value* library_;
  std::vector<Emitted> emitted_;
};

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const Request& request, const Options& options)
      : module_(module),
        context_(module.getContext()),
        spec_(request.kernel),
        library_(request.library),
        options_(options),
        body_(request.body),
        name_(request.name) {}

  // void name(self, arguments); `self` is the library
  void emit(std::uint32_t width) {
    if (!options_.vector_math &&
        std::ranges::any_of(body_.nodes, [](const Node& node) { return is_library_call(node); }))
      width = 1;
    if (options_.vector_math) math_.lanes = width;
    if (std::ranges::any_of(body_.nodes, [](const Node& node) { return uses_library(node.op); })) width = 1;
    llvm::Type* pointer = llvm::PointerType::getUnqual(context_);
    llvm::Function& function = declare(name_, {pointer, pointer}, llvm::GlobalValue::ExternalLinkage);
    function.getArg(0)->setName("self");
    llvm::Argument* arguments = function.getArg(1);
    arguments->setName("arguments");
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(context_, "entry", &function));
    Value* begin = load_field(at, arguments, Field::Begin);
    Value* end = load_field(at, arguments, Field::End);
    if (width == 1) {
      rows(at, arguments, begin, end, 1, function.getArg(0));
    } else {
      // Full vectors first, then the remaining rows one by one.
      Value* count = at.CreateSelect(at.CreateICmpULT(begin, end), at.CreateSub(end, begin), at.getInt64(0));
      Value* middle =
          at.CreateAdd(begin, at.CreateAnd(count, at.getInt64(~std::uint64_t{width - 1})), "middle");
      rows(at, arguments, begin, middle, width, nullptr);
      at.CreateCall(&rest(), {arguments, middle, end});
    }
    at.CreateRetVoid();
  }

 private:
  // void name_rest(arguments, begin, end)
  llvm::Function& rest() {
    llvm::Type *pointer = llvm::PointerType::getUnqual(context_), *size = llvm::Type::getInt64Ty(context_);
    llvm::Function& function =
        declare(name_ + "_rest", {pointer, size, size}, llvm::GlobalValue::InternalLinkage);
    function.getArg(0)->setName("arguments");
    function.getArg(1)->setName("begin");
    function.getArg(2)->setName("end");
    llvm::IRBuilder<> at(llvm::BasicBlock::Create(context_, "entry", &function));
    rows(at, function.getArg(0), function.getArg(1), function.getArg(2), 1, nullptr);
    at.CreateRetVoid();
    return function;
  }

  void rows(llvm::IRBuilderBase& at, Value* arguments, Value* begin, Value* end, std::uint32_t width,
            Value* library) {
    RowLoop loop(at, spec_, arguments, begin, end, width);
    BodyEmitter(body_, loop, math_, library_, library).emit();
    loop.finish();
  }

  llvm::Function& declare(const std::string& name, llvm::ArrayRef<llvm::Type*> types,
                          llvm::GlobalValue::LinkageTypes linkage) {
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), types, false);
    llvm::Function* function = llvm::Function::Create(type, linkage, name, module_);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    return *function;
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const plan::Kernel& spec_;
  const Library* library_;
  const Options& options_;
  MathLanes math_;
  const plan::Body& body_;
  const std::string& name_;
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

std::unique_ptr<llvm::Module> lower(std::span<const Request> kernels, llvm::LLVMContext& context,
                                    const Options& options) {
  auto module = std::make_unique<llvm::Module>("model", context);
  for (const Request& request : kernels) KernelEmitter(*module, request, options).emit(request.width);
  return module;
}

std::string print_llvm(const plan::Plan& plan) {
  llvm::LLVMContext context;
  std::vector<plan::Body> bodies;
  for (const plan::Kernel& kernel : plan.kernels) bodies.push_back(plan::body(plan.exprs, kernel));
  std::vector<Request> all;
  for (std::uint32_t k = 0; k < plan.kernels.size(); ++k)
    all.push_back({plan.kernels[k], bodies[k], plan.exprs.library.get(), 1, kernel_name(plan, k)});
  std::string text;
  llvm::raw_string_ostream(text) << *lower(all, context);
  return text;
}

}  // namespace sigrel::lower
