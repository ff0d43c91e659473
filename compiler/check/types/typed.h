// A checked expression: its core form and its type.
#pragma once
#include "compiler/check/types/types.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

struct Typed {
  core::Expr* expr;
  Type* type;
};

}  // namespace sigrel::check
