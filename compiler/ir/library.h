// Library: the lookup tables and C functions that expressions refer to by number. One library belongs to a
// system; all pools of its expressions point to it. Generated code receives it at run time, so that the code
// depends neither on the data of a table nor on the address of a function.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/lookup_table.h"

namespace sigrel {

/// The maximum number of arguments of a C function: the operands of a node.
constexpr std::uint32_t kMaxForeignArguments = 3;

struct ForeignFunction {
  std::string name;    // in the source
  std::string symbol;  // in C
  Span declared;
  std::uint32_t arity = 1;
  void* address = nullptr;  // double (*)(double, …); null in a check, which calls no shared libraries
  /// The partial derivative for each argument, in Library::formulas, with the arguments as slots 0, 1, …
  /// Empty if not given: partial derivatives are then finite differences, and time derivatives are not
  /// available.
  std::vector<ExprId> partials;
};

/// The symbol that generated code calls.
inline std::string foreign_symbol(const ForeignFunction& function) {
  return "sigrel_foreign_" + function.symbol;
}

struct Library {
  std::vector<LookupTable> tables;
  std::vector<ForeignFunction> functions;
  ExprPool formulas;
};

/// Op::Call1 … Call3: the function, and the argument of the partial derivative (0: the value, k: argument
/// k).
struct CallDetail {
  std::uint32_t function = 0, argument = 0;
};
inline double encode(CallDetail d) {
  return static_cast<double>(d.function * (kMaxForeignArguments + 1) + d.argument);
}
inline CallDetail call_detail(double value) {
  auto code = static_cast<std::uint32_t>(value);
  return {code / (kMaxForeignArguments + 1), code % (kMaxForeignArguments + 1)};
}

/// Op::Lookup2: the order of the derivative for each argument. Of Lookup1 the order is the value itself.
struct LookupDetail {
  std::uint32_t order_x = 0, order_y = 0;
};
constexpr std::uint32_t kLookupOrders = 8;  // from the fourth on a derivative is zero
inline double encode(LookupDetail d) { return static_cast<double>(d.order_x * kLookupOrders + d.order_y); }
inline LookupDetail lookup_detail(double value) {
  auto code = static_cast<std::uint32_t>(value);
  return {code / kLookupOrders, code % kLookupOrders};
}

/// Whether an operation uses the library.
inline bool uses_library(Op op) { return kind(op) == OpKind::Lookup || kind(op) == OpKind::Call; }

/// The value of any operation; `detail` is Node::value. Operations that do not use the library are those of
/// sigrel::apply.
double apply(const Library* library, Op op, double detail, double a, double b, double c);

// Called by generated code; `apply` uses the same functions.
extern "C" {
double sigrel_lookup1(const sigrel::Library* library, std::uint32_t order, double table, double x);
double sigrel_lookup2(const sigrel::Library* library, std::uint32_t orders, double table, double x, double y);
/// The partial derivative by the central difference, with a step of about the cube root of the precision.
double sigrel_slope1(double (*f)(double), std::uint32_t argument, double x);
double sigrel_slope2(double (*f)(double, double), std::uint32_t argument, double x, double y);
double sigrel_slope3(double (*f)(double, double, double), std::uint32_t argument, double x, double y,
                     double z);
}

}  // namespace sigrel
