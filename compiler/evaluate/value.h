// Values of the functional level. A Real is a number and, where it depends on what a relation captured, the
// parameter expression that computes it. A signal is a scalar expression over the columns of the body that is
// being built.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/evaluate/layout.h"
#include "compiler/ir/core.h"
#include "compiler/ir/expr.h"

namespace sigrel::elaborate {

struct Object;
struct RelationCode;

/// A Real whose value is the same in every instance has no parameter expression.
constexpr std::uint32_t kConstant = 0xFFFFFFFFu;

enum class Tag : std::uint8_t { Undefined, Int, Bool, Real, String, Signal, Object };

struct Value {
  Tag tag = Tag::Undefined;
  // Real: its expression in the parameter pool; Signal: in the signal pool; String: Name; Int of a sample:
  // how it moves (moving.h)
  std::uint32_t index = kConstant;
  union {
    std::int64_t integer = 0;
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
  Construct,  // `a` is the constructor's tag; lists: 0 is [], 1 is (:); a list of a sample: `b` is how its
              // length moves
  Record,     // `a` is the record's id
  Vector,
  Closure,   // `code` is a FunctionCode, items are its captures
  Partial,   // items: the function, then the arguments so far
  Relation,  // a RelationObject
  Layout,    // `a` is a LayoutId: what a layout parameter is bound to
  Node,      // `a` is a node of the body that is being built; `b` the use whose flow it shows, or kConstant
  Member,    // `a` is a deep reference of the body: a hidden variable of an instance
  Label,     // `a` is a label of the body that is being built
  Unbound,   // a signal whose layout is known only at its first application; `a` numbers it
};

struct Object {
  ObjectKind kind;
  bool open = false;  // holds a Real, a relation, or something that does
  std::uint32_t a = 0, b = kConstant;
  std::uint32_t size = 0;
  const void* code = nullptr;
  Value* items = nullptr;

  std::span<Value> span() const { return {items, size}; }
};

struct RelationObject : Object {
  std::uint32_t skeleton = kConstant;  // by relation.h, when first asked for
  std::uint32_t own_bundle =
      kConstant;                     // of a captured relation: which of the body's bundles holds its reals
  std::uint32_t bundle = kConstant;  // its bundle in the body number `bundled_in`
  std::uint32_t bundled_in = 0;
  std::uint32_t origin = kConstant;  // in a sample: the call that gave it (moving.h)
  const RelationCode& relation() const { return *static_cast<const RelationCode*>(code); }
};

/// Bump storage for the values of one elaboration.
class Heap {
 public:
  Object* object(ObjectKind kind, std::uint32_t size);
  RelationObject* relation(const RelationCode& code, std::uint32_t size);
  std::size_t bytes() const { return bytes_; }

  /// What is made from here on can be taken back, as long as it is all in one piece.
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
  /// Nobody may refer to what was made since.
  void release(const Mark& mark) {
    if (chunks_.size() != mark.chunks) return;
    next_ = mark.next;
    left_ = mark.left;
  }

 private:
  void* allocate(std::size_t bytes);
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
  std::byte* next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

inline bool is_object(const Value& v, ObjectKind kind) {
  return v.tag == Tag::Object && v.object->kind == kind;
}
inline bool is_open(const Value& v) { return v.tag == Tag::Real || (v.tag == Tag::Object && v.object->open); }

}  // namespace sigrel::elaborate
