// Values of the functional level. A Real is a number and, where it depends on a captured Real, the parameter
// expression that computes it. A signal is a scalar expression over the columns of the body under
// construction.
#pragma once
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/evaluate/layout.h"
#include "compiler/ir/core.h"
#include "compiler/ir/expr.h"

namespace sigrel::evaluate {

struct Object;
struct RelationCode;

/// No index.
constexpr std::uint32_t kNone = 0xFFFFFFFFu;
/// The index of a Real that has the same value in every instance, and so no parameter expression; and of an
/// Int that does not depend on the size of a sample.
constexpr std::uint32_t kConstant = kNone;

enum class Tag : std::uint8_t { Undefined, Int, Bool, Real, String, Signal, Object };

struct Value {
  Tag tag = Tag::Undefined;
  // Real: its expression in the parameter pool; Signal: in the signal pool; String: Name; Int of a sample:
  // its SizeDependence, encoded
  std::uint32_t index = kConstant;
  union {
    std::int64_t integer = 0;  // of a String: 1 + the source of the literal that it begins with, or 0
    double real;
    Object* object;
  };

  static Value of_int(std::int64_t i) {
    Value v;
    v.tag = Tag::Int;
    v.integer = i;
    return v;
  }
  static Value of_bool(bool b) {
    Value v;
    v.tag = Tag::Bool;
    v.integer = b;
    return v;
  }
  static Value of_real(double r, std::uint32_t expr = kConstant) {
    Value v;
    v.tag = Tag::Real;
    v.index = expr;
    v.real = r;
    return v;
  }
  static Value of_string(Name n) {
    Value v;
    v.tag = Tag::String;
    v.index = n.value;
    return v;
  }
  /// A literal of a source: the name of a data file is relative to it.
  static Value of_string(Name n, FileId written_in) {
    Value v = of_string(n);
    v.integer = std::int64_t{written_in.value} + 1;
    return v;
  }
  static Value of_signal(ExprId e) {
    Value v;
    v.tag = Tag::Signal;
    v.index = e.value;
    return v;
  }
  static Value of(Object* o) {
    Value v;
    v.tag = Tag::Object;
    v.object = o;
    return v;
  }
};

enum class ObjectKind : std::uint8_t {
  Tuple,
  Construct,  // `a` is the constructor's tag; lists: 0 is [], 1 is (:); a list of a sample: `b` is the
              // SizeDependence of its length, encoded
  Record,     // `a` is the record's id
  Vector,
  Closure,   // `code` is a FunctionCode, items are its captures
  Partial,   // items: the function, then the arguments so far
  Relation,  // a RelationObject
  Layout,    // `a` is a LayoutId: what a layout parameter is bound to
  Node,      // `a` is a node of the body under construction; `b` the use whose flow it denotes, or kNone
  Member,    // `a` is a member reference of the body: a hidden variable of an instance
  Label,     // `a` is the slot of a label of the body
  Unbound,   // a signal whose layout is known only at its first application; `a` is its index in the body,
             // `b` its slot
};

struct Object {
  ObjectKind kind;
  std::uint32_t a = 0, b = kNone;
  std::uint32_t size = 0;
  const void* code = nullptr;
  Value* items = nullptr;

  std::span<Value> span() const { return {items, size}; }
};

/// Its items are what the literal captured; then, for each `with`, a Construct of the values for parameters,
/// whose `code` is the core::UpdateExpr; and, while a run is in later modes, a Tuple of these (elaborate).
struct RelationObject : Object {
  std::uint32_t skeleton = kNone;  // computed by Relations on first use
  /// Of a relation that the body under construction captured: the index of its captured parameters among
  /// those of the body's own captures.
  std::uint32_t own_captured = kNone;
  /// Its captured parameters in the body with the number `captured_in`.
  std::uint32_t captured = kNone;
  std::uint32_t captured_in = 0;
  std::uint32_t origin = kNone;  // in a sample: the call that returned it (SizeAnalysis::origin)
  const RelationCode& relation() const { return *static_cast<const RelationCode*>(code); }
};

/// Bump storage for the values of one elaboration.
class Heap {
 public:
  Object* object(ObjectKind kind, std::uint32_t size);
  RelationObject* relation(const RelationCode& code, std::uint32_t size);
  std::size_t bytes() const { return bytes_; }

  /// Thrown when values need more than the limit; the machine catches it where an evaluation begins.
  struct Full {};
  /// The bytes that values may take. Returns the limit before.
  std::size_t limit(std::size_t bytes) { return std::exchange(limit_, bytes); }
  /// Throws unless there is room for values of so many bytes.
  void require(std::size_t bytes) const {
    if (bytes > limit_ || bytes_ > limit_ - bytes) throw Full{};
  }
  /// Counts memory that a value uses outside of the heap: the text of a string.
  void count(std::size_t bytes) {
    require(bytes);
    bytes_ += bytes;
  }

  /// A position to which release() returns.
  struct Mark {
    std::size_t chunks;
    std::byte* next;
    std::size_t left;
  };
  Mark mark() const { return {chunks_.size(), next_, left_}; }
  bool is_since(const Mark& mark, const Object* object) const {
    const auto* at = reinterpret_cast<const std::byte*>(object);
    return chunks_.size() != mark.chunks ||
           (std::greater_equal<>{}(at, mark.next) && std::less<>{}(at, next_));
  }
  /// Frees the objects allocated since the mark, if they are in one chunk. Nothing may refer to them.
  void release(const Mark& mark) {
    if (chunks_.size() == mark.chunks) release_all(mark);
  }
  /// Frees all objects allocated since the mark. Nothing may refer to them.
  void release_all(const Mark& mark) {
    for (; chunks_.size() > mark.chunks; chunks_.pop_back()) bytes_ -= chunks_.back().size;
    next_ = mark.next;
    left_ = mark.left;
  }

 private:
  void* allocate(std::size_t bytes);
  struct Chunk {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };
  std::vector<Chunk> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
  std::size_t limit_ = std::numeric_limits<std::size_t>::max();
};

inline bool is_object(const Value& v, ObjectKind kind) {
  return v.tag == Tag::Object && v.object->kind == kind;
}

}  // namespace sigrel::evaluate
