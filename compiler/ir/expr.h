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

/// The operations; operations.def describes each.
enum class Op : std::uint8_t {
#define SIGREL_OP(op, name, arity, kind) op,
#include "compiler/ir/operations.def"
};

/// What operations of one kind have in common.
enum class OpKind : std::uint8_t {
  Leaf,
  Arithmetic,  // of numbers, each with code of its own
  Function,    // of libm
  Rounding,
  Comparison,  // of numbers; a truth value
  Logical,     // of truth values
  Lookup,      // in a table of the library
  Call         // of a C function of the library
};

struct OpTraits {
  const char* name;  // printed: "sin", "+", …
  std::uint8_t arity;
  OpKind kind;
};

inline constexpr OpTraits kOpTraits[] = {
#define SIGREL_OP(op, name, arity, kind) {name, arity, OpKind::kind},
#include "compiler/ir/operations.def"
};

constexpr const OpTraits& traits(Op op) { return kOpTraits[static_cast<std::size_t>(op)]; }

/// The `value` of an operation with jumps or kinks that is not an event (`noEvent`); of a Lookup1, whose
/// value is the order of the derivative, it is `c`.
constexpr double kNoEvent = 1;

/// Number of operands that are expressions: 0 for leaves, 1 for PowInt.
constexpr int arity(Op op) { return traits(op).arity; }
/// The printed name: "sin", "+", …
constexpr const char* spelling(Op op) { return traits(op).name; }
constexpr OpKind kind(Op op) { return traits(op).kind; }
/// Whether it yields a truth value.
constexpr bool is_condition(Op op) { return kind(op) == OpKind::Comparison || kind(op) == OpKind::Logical; }
/// Whether its values are constant between events, whatever its operands are.
constexpr bool is_piecewise_constant(Op op) {
  return is_condition(op) || kind(op) == OpKind::Rounding || op == Op::Sign;
}

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
