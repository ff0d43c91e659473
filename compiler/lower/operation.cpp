#include "compiler/lower/operation.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <cstdlib>

#include "compiler/ir/code.h"

namespace sigrel::lower {

using llvm::IRBuilderBase;
using llvm::Value;

namespace {

// A call of a libm function. It neither reads nor writes memory (we never look at errno), so it may be moved and vectorised.
Value* call(IRBuilderBase& at, const char* name, llvm::ArrayRef<Value*> arguments) {
  llvm::LLVMContext& context = at.getContext();
  llvm::SmallVector<llvm::Type*, 2> types(arguments.size(), at.getDoubleTy());
  llvm::AttrBuilder pure(context);
  pure.addAttribute(llvm::Attribute::NoUnwind);
  pure.addAttribute(llvm::Attribute::WillReturn);
  pure.addAttribute(llvm::Attribute::NoFree);
  pure.addAttribute(llvm::Attribute::NoSync);
  pure.addMemoryAttr(llvm::MemoryEffects::none());
  llvm::Module* module = at.GetInsertBlock()->getModule();
  llvm::FunctionCallee function =
      module->getOrInsertFunction(name, llvm::FunctionType::get(at.getDoubleTy(), types, false),
                                  llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex, pure));
  llvm::CallInst* result = at.CreateCall(function, arguments);
  // With a constant operand LLVM would turn a power into another function, of another rounding.
  for (Value* argument : arguments)
    if (arguments.size() == 2 && llvm::isa<llvm::Constant>(argument)) result->addFnAttr(llvm::Attribute::NoBuiltin);
  return result;
}

Value* power(IRBuilderBase& at, Value* base, std::int32_t exponent) {
  Value* one = llvm::ConstantFP::get(at.getDoubleTy(), 1.0);
  if (!plan::is_multiplied(exponent)) return call(at, "pow", {base, llvm::ConstantFP::get(at.getDoubleTy(), exponent)});
  return plan::power_steps(
      base, one, exponent, [&](Value* x, Value* y) { return at.CreateFMul(x, y); },
      [&](Value* x) { return at.CreateFDiv(one, x); });
}

[[noreturn]] void misplaced(Op op) {
  llvm::errs() << "sigrel: internal error: operation '" << spelling(op) << "' in a place where lowering has no use for it\n";
  std::abort();
}

}  // namespace

bool is_condition(Op op) {
  return op == Op::Not || (op >= Op::Less && op <= Op::Or);
}

Value* emit_condition(IRBuilderBase& at, Op op, Value* a, Value* b) {
  switch (op) {
    case Op::Less: return at.CreateFCmpOLT(a, b);
    case Op::LessEqual: return at.CreateFCmpOLE(a, b);
    case Op::Equal: return at.CreateFCmpOEQ(a, b);
    case Op::NotEqual: return at.CreateFCmpUNE(a, b);
    case Op::Not: return at.CreateNot(a);
    case Op::And: return at.CreateAnd(a, b);
    case Op::Or: return at.CreateOr(a, b);
    case Op::Const: case Op::Slot: case Op::Der: case Op::Param: case Op::Time: case Op::Neg: case Op::Abs: case Op::Sign:
    case Op::Sqrt: case Op::Exp: case Op::Log: case Op::Log10: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Asin:
    case Op::Acos: case Op::Atan: case Op::Sinh: case Op::Cosh: case Op::Tanh: case Op::Asinh: case Op::Acosh: case Op::Atanh:
    case Op::Floor: case Op::Ceil: case Op::Round: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Pow:
    case Op::Min: case Op::Max: case Op::Atan2: case Op::PowInt: case Op::Select: break;
  }
  misplaced(op);
}

Value* emit_number(IRBuilderBase& at, const Node& node, Value* a, Value* b, Value* c) {
  auto number = [&](double value) { return llvm::ConstantFP::get(at.getDoubleTy(), value); };
  auto intrinsic = [&](llvm::Intrinsic::ID id) { return at.CreateUnaryIntrinsic(id, a); };
  switch (node.op) {
    case Op::Neg: return at.CreateFNeg(a);
    case Op::Abs: return intrinsic(llvm::Intrinsic::fabs);
    case Op::Sign: {
      Value* negative = at.CreateSelect(at.CreateFCmpOLT(a, number(0)), number(-1), number(0));
      return at.CreateSelect(at.CreateFCmpOGT(a, number(0)), number(1), negative);
    }
    case Op::Sqrt: return intrinsic(llvm::Intrinsic::sqrt);
    case Op::Exp: return call(at, "exp", {a});
    case Op::Log: return call(at, "log", {a});
    case Op::Log10: return call(at, "log10", {a});
    case Op::Sin: return call(at, "sin", {a});
    case Op::Cos: return call(at, "cos", {a});
    case Op::Tan: return call(at, "tan", {a});
    case Op::Asin: return call(at, "asin", {a});
    case Op::Acos: return call(at, "acos", {a});
    case Op::Atan: return call(at, "atan", {a});
    case Op::Sinh: return call(at, "sinh", {a});
    case Op::Cosh: return call(at, "cosh", {a});
    case Op::Tanh: return call(at, "tanh", {a});
    case Op::Asinh: return call(at, "asinh", {a});
    case Op::Acosh: return call(at, "acosh", {a});
    case Op::Atanh: return call(at, "atanh", {a});
    case Op::Floor: return intrinsic(llvm::Intrinsic::floor);
    case Op::Ceil: return intrinsic(llvm::Intrinsic::ceil);
    case Op::Round: return intrinsic(llvm::Intrinsic::round);
    case Op::Add: return at.CreateFAdd(a, b);
    case Op::Sub: return at.CreateFSub(a, b);
    case Op::Mul: return at.CreateFMul(a, b);
    case Op::Div: return at.CreateFDiv(a, b);
    case Op::Pow: return call(at, "pow", {a, b});
    case Op::Min: return at.CreateSelect(at.CreateFCmpOLT(b, a), b, a);  // as apply: the first operand when one is not a number
    case Op::Max: return at.CreateSelect(at.CreateFCmpOLT(a, b), b, a);
    case Op::Atan2: return call(at, "atan2", {a, b});
    case Op::PowInt: return power(at, a, static_cast<std::int32_t>(node.b));
    case Op::Select: return at.CreateSelect(a, b, c);
    case Op::Const: case Op::Slot: case Op::Der: case Op::Param: case Op::Time: case Op::Less: case Op::LessEqual:
    case Op::Equal: case Op::NotEqual: case Op::And: case Op::Or: case Op::Not: break;
  }
  misplaced(node.op);
}

Value* to_condition(IRBuilderBase& at, Value* number) {
  return at.CreateFCmpUNE(number, llvm::ConstantFP::get(at.getDoubleTy(), 0.0));
}

Value* to_number(IRBuilderBase& at, Value* condition) {
  return at.CreateSelect(condition, llvm::ConstantFP::get(at.getDoubleTy(), 1.0), llvm::ConstantFP::get(at.getDoubleTy(), 0.0));
}

}  // namespace sigrel::lower
