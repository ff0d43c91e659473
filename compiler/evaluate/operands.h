// Questions about values that operations of the functional level ask.
#pragma once
#include <optional>

#include "compiler/evaluate/machine.h"

namespace sigrel::evaluate {

inline bool is_aggregate(const Value& v) {
  return v.tag == Tag::Object &&
         (v.object->kind == ObjectKind::Vector || v.object->kind == ObjectKind::Record ||
          v.object->kind == ObjectKind::Tuple);
}

/// A constructor without fields: as a signal it is its number.
inline bool is_enumerator(const Value& v) {
  return is_object(v, ObjectKind::Construct) && v.object->size == 0;
}

inline bool depends_on_size(const Value& v) { return v.tag == Tag::Int && v.index != kConstant; }

inline bool is_number(const Value& v) {
  return v.tag == Tag::Int || v.tag == Tag::Real || v.tag == Tag::Bool;
}

/// Whether a value of this kind is in it.
bool contains(const Value& value, Tag tag);

/// The operation on numbers and signals that a primitive is, element by element; nullopt for the others.
std::optional<Op> scalar_op(core::Primitive p);

}  // namespace sigrel::evaluate
