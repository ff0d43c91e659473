// Why a type is expected at a place: carried down with the expected type, and worded by TypeMessages.
#pragma once
#include <cstddef>
#include <cstdint>

#include "compiler/base/name.h"
#include "compiler/base/source.h"
#include "compiler/ir/ast.h"

namespace sigrel::check {

enum class ReasonKind : std::uint8_t {
  None,
  Argument,
  Interface,
  LeftSide,
  Condition,
  Operand,
  Signature,
  Element,
  Branch,
  Pattern,
  FieldValue,
  DefaultValue,
  Exponent,
  IndexValue,
  Relation,
  Node,
  Target,
  Message,
  RangeEnd,
  Attribute,
  Bound,
  Mode
};

struct Reason {
  ReasonKind kind = ReasonKind::None;
  Span span{};            // of the construct that explains the type
  Name name{};            // function, interface variable, field; the operator's sign for an operand
  std::size_t index = 0;  // argument number, from 0
  const ast::Expr* other = nullptr;  // the operand, branch or side that determined the type
  bool has_span = false;
  Name parameter{};  // of an argument, where it has a name
};

}  // namespace sigrel::check
