// Scalar expressions over slots: the residual of a shape, its derivatives and its solutions.
//
// A pool hash-conses nodes: equal expressions have equal ids, children have smaller ids than their parents,
// so a pass over an expression is a loop over ids in ascending order. A `Slot` is the k-th unknown of a
// shape's table row, a `Param` the k-th parameter of the row. Conditions are numbers too: 0.0 is false, 1.0
// is true.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/base/ids.h"

namespace sigrel {

using ExprId = Id<struct ExprTag>;

enum class Op : std::uint8_t {
  // leaves
  Const,  // value
  Slot,   // index a
  Der,    // the b-th time derivative of slot a (b >= 1); gone after the reduce stage
  Param,  // index a
  Time,
  // unary: operand a
  Neg,
  Abs,
  Sign,
  Sqrt,
  Exp,
  Log,
  Log10,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Asinh,
  Acosh,
  Atanh,
  Floor,
  Ceil,
  Round,
  Not,
  // binary: operands a, b
  Add,
  Sub,
  Mul,
  Div,
  Pow,
  Min,
  Max,
  Atan2,
  Less,
  LessEqual,
  Equal,
  NotEqual,
  And,
  Or,
  PowInt,  // operand a to the integer power static_cast<int32_t>(b)
  // ternary
  Select,  // a != 0 ? b : c
  // tables and functions of the library (ir/library.h); `value` has details
  Lookup1,  // table number a at b; `value`: the order of the derivative
  Lookup2,  // table number a at b, c; `value`: the orders, as LookupDetail
  Call1,
  Call2,
  Call3,  // a C function of a, b, c; `value`: a CallDetail
};

/// The `value` of an operation with jumps or kinks that is not an event (`noEvent`); of a Lookup1, whose
/// value is the order of the derivative, it is `c`.
constexpr double kNoEvent = 1;

/// Number of operands that are expressions: 0 for leaves, 1 for PowInt.
int arity(Op op);
/// The printed name: "sin", "+", …
const char* spelling(Op op);

struct Node {
  Op op = Op::Const;
  std::uint32_t a = 0, b = 0, c = 0;
  double value = 0;
  bool operator==(const Node&) const = default;
};

/// Whether the value or the slope of the operation jumps, so that it may be an event.
bool has_jumps(Op op);
/// Whether it is marked with kNoEvent.
bool is_without_events(const Node& node);
/// The node, marked if it has jumps.
Node without_events(Node node);

/// The value of an operation: shared by the interpreter, constant folding and the parameter program. For
/// operations that use the library see the other `apply` in ir/library.h.
double apply(Op op, double a, double b, double c);

struct Library;

class ExprPool {
 public:
  /// The library that operations refer to; null if there are none.
  std::shared_ptr<const Library> library;

  /// The id of the node; the same for equal nodes (constants compare by bits).
  ExprId intern(const Node& node);
  const Node& operator[](ExprId id) const { return nodes_[id.value]; }
  std::size_t size() const { return nodes_.size(); }
  /// Removes all nodes from `size` on, for temporary nodes. Keeps the capacity.
  void truncate(std::size_t size);

  // Plain constructors: no simplification (compiler/symbolic simplifies).
  ExprId constant(double value) { return intern({Op::Const, 0, 0, 0, value}); }
  ExprId slot(std::uint32_t index) { return intern({Op::Slot, index, 0, 0, 0}); }
  ExprId der(std::uint32_t index, std::uint32_t order) { return intern({Op::Der, index, order, 0, 0}); }
  ExprId param(std::uint32_t index) { return intern({Op::Param, index, 0, 0, 0}); }
  ExprId time() { return intern({Op::Time, 0, 0, 0, 0}); }
  ExprId unary(Op op, ExprId a) { return intern({op, a.value, 0, 0, 0}); }
  ExprId binary(Op op, ExprId a, ExprId b) { return intern({op, a.value, b.value, 0, 0}); }
  ExprId power(ExprId a, std::int32_t n) {
    return intern({Op::PowInt, a.value, static_cast<std::uint32_t>(n), 0, 0});
  }
  ExprId select(ExprId c, ExprId t, ExprId f) { return intern({Op::Select, c.value, t.value, f.value, 0}); }

 private:
  void grow();
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> buckets_;  // open addressing, node index + 1
};

/// All nodes reachable from `roots`, each once, operands first.
std::vector<ExprId> topological(const ExprPool& pool, std::span<const ExprId> roots);

/// Infix text; `slot_name(k, order)` names a slot or its derivative, `param_name(k)` a parameter.
template <class SlotName, class ParamName>
std::string print(const ExprPool& pool, ExprId root, SlotName slot_name, ParamName param_name);
/// With slots printed as s0, der(s0), and parameters as p0.
std::string print(const ExprPool& pool, ExprId root);

}  // namespace sigrel

#include "compiler/ir/expr_print.h"
