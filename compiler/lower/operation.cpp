#include "compiler/lower/operation.h"

#include <llvm/IR/Attributes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <cassert>
#include <cstdlib>
#include <string>

#include "compiler/ir/code.h"

namespace sigrel::lower {

using llvm::IRBuilderBase;
using llvm::Value;

namespace {

std::uint32_t width_of(Value* value) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  return vector ? vector->getNumElements() : 1;
}

// A call of a pure function of numbers or vectors; errno is ignored. The result has the type of the last
// argument.
Value* call_pure(IRBuilderBase& at, const std::string& name, llvm::ArrayRef<Value*> arguments) {
  llvm::LLVMContext& context = at.getContext();
  llvm::Type* type = arguments.back()->getType();
  llvm::AttrBuilder pure(context);
  pure.addAttribute(llvm::Attribute::NoUnwind);
  pure.addAttribute(llvm::Attribute::WillReturn);
  pure.addMemoryAttr(llvm::MemoryEffects::none());
  llvm::SmallVector<llvm::Type*, 5> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  llvm::Module* module = at.GetInsertBlock()->getModule();
  llvm::FunctionCallee function = module->getOrInsertFunction(
      name, llvm::FunctionType::get(type, types, false),
      llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex, pure));
  llvm::CallInst* result = at.CreateCall(function, arguments);
  // LLVM would replace some calls of pow by other functions, with different rounding.
  result->addFnAttr(llvm::Attribute::NoBuiltin);
  return result;
}

// A call of a libm function. libmvec encodes instruction set, width and kinds of arguments in its names.
Value* call(IRBuilderBase& at, const std::string& name, llvm::ArrayRef<Value*> arguments, MathLanes math) {
  std::uint32_t width = width_of(arguments.front());
  if (math.lanes == 1) {
    assert(width == 1);
    return call_pure(at, name, arguments);
  }
  std::string vector_name =
      (math.lanes == 8 ? "_ZGVeN8" : "_ZGVdN4") + std::string(arguments.size(), 'v') + "_" + name;
  if (width == math.lanes) return call_pure(at, vector_name, arguments);
  llvm::SmallVector<Value*, 2> vectors;
  for (Value* argument : arguments) vectors.push_back(at.CreateVectorSplat(math.lanes, argument));
  return at.CreateExtractElement(call_pure(at, vector_name, vectors), std::uint64_t{0});
}

Value* power(IRBuilderBase& at, Value* base, std::int32_t exponent, MathLanes math) {
  auto number = [&](double value) { return llvm::ConstantFP::get(base->getType(), value); };
  if (!plan::is_multiplied(exponent)) return call(at, "pow", {base, number(exponent)}, math);
  return plan::power_steps(
      base, static_cast<Value*>(number(1)), exponent, [&](Value* x, Value* y) { return at.CreateFMul(x, y); },
      [&](Value* x) { return at.CreateFDiv(number(1), x); });
}

[[noreturn]] void misplaced(Op op) {
  llvm::errs() << "sigrel: internal error: operation '" << spelling(op) << "' cannot be lowered here\n";
  std::abort();
}

const char* name_in_libm(Op op) {
  switch (op) {
#define SIGREL_FUNCTION1(op, name, function) \
  case Op::op: return #function;
#define SIGREL_FUNCTION2 SIGREL_FUNCTION1
#include "compiler/ir/operations.def"
    default: misplaced(op);
  }
}

}  // namespace

bool is_library_call(const Node& node) {
  if (node.op == Op::PowInt) return !plan::is_multiplied(static_cast<std::int32_t>(node.b));
  return kind(node.op) == OpKind::Function;
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
    default: misplaced(op);
  }
}

Value* emit_library_use(IRBuilderBase& at, const Node& node, const Library& functions, Value* library,
                        Value* a, Value* b, Value* c) {
  llvm::SmallVector<Value*, 5> arguments;
  std::string name;
  if (node.op == Op::Lookup1 || node.op == Op::Lookup2) {
    name = node.op == Op::Lookup1 ? "sigrel_lookup1" : "sigrel_lookup2";
    arguments = {library, at.getInt32(static_cast<std::uint32_t>(node.value))};
  } else {
    const CallDetail detail = call_detail(node.value);
    name = foreign_symbol(functions.functions[detail.function]);
    if (detail.argument > 0) {
      auto* type = llvm::FunctionType::get(
          at.getDoubleTy(), llvm::SmallVector<llvm::Type*, 3>(arity(node.op), at.getDoubleTy()), false);
      Value* function = at.GetInsertBlock()->getModule()->getOrInsertFunction(name, type).getCallee();
      name = "sigrel_slope" + std::to_string(arity(node.op));
      arguments = {function, at.getInt32(detail.argument)};
    }
  }
  for (Value* operand : {a, b, c})
    if (operand) arguments.push_back(operand);
  return call_pure(at, name, arguments);
}

Value* emit_number(IRBuilderBase& at, const Node& node, Value* a, Value* b, Value* c, MathLanes math) {
  auto number = [&](double value) { return llvm::ConstantFP::get(a->getType(), value); };
  auto intrinsic = [&](llvm::Intrinsic::ID id) { return at.CreateUnaryIntrinsic(id, a); };
  if (kind(node.op) == OpKind::Function) {
    const char* function = name_in_libm(node.op);
    return b ? call(at, function, {a, b}, math) : call(at, function, {a}, math);
  }
  switch (node.op) {
    case Op::Neg: return at.CreateFNeg(a);
    case Op::Abs: return intrinsic(llvm::Intrinsic::fabs);
    case Op::Sign: {
      Value* negative = at.CreateSelect(at.CreateFCmpOLT(a, number(0)), number(-1), number(0));
      return at.CreateSelect(at.CreateFCmpOGT(a, number(0)), number(1), negative);
    }
    case Op::Sqrt: return intrinsic(llvm::Intrinsic::sqrt);
    case Op::Floor: return intrinsic(llvm::Intrinsic::floor);
    case Op::Ceil: return intrinsic(llvm::Intrinsic::ceil);
    case Op::Round: return intrinsic(llvm::Intrinsic::round);
    case Op::Add: return at.CreateFAdd(a, b);
    case Op::Sub: return at.CreateFSub(a, b);
    case Op::Mul: return at.CreateFMul(a, b);
    case Op::Div: return at.CreateFDiv(a, b);
    case Op::Min:
      return at.CreateSelect(at.CreateFCmpOLT(b, a), b,
                             a);  // as in apply: the first operand if one is NaN
    case Op::Max: return at.CreateSelect(at.CreateFCmpOLT(a, b), b, a);
    case Op::PowInt: return power(at, a, static_cast<std::int32_t>(node.b), math);
    case Op::Select: return at.CreateSelect(a, b, c);
    default: misplaced(node.op);
  }
}

Value* to_condition(IRBuilderBase& at, Value* number) {
  return at.CreateFCmpUNE(number, llvm::ConstantFP::get(number->getType(), 0.0));
}

Value* to_number(IRBuilderBase& at, Value* condition) {
  llvm::Type* type = at.getDoubleTy();
  if (std::uint32_t width = width_of(condition); width > 1) type = llvm::FixedVectorType::get(type, width);
  return at.CreateSelect(condition, llvm::ConstantFP::get(type, 1.0), llvm::ConstantFP::get(type, 0.0));
}

}  // namespace sigrel::lower
