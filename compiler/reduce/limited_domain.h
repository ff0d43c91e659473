// Which functions have values for some arguments only.
#pragma once
#include "compiler/ir/expr.h"

namespace sigrel::reduce {

constexpr bool has_limited_domain(Op op) {
  switch (op) {
    case Op::Sqrt:
    case Op::Pow:
    case Op::Log:
    case Op::Log10:
    case Op::Asin:
    case Op::Acos:
    case Op::Acosh:
    case Op::Atanh: return true;
    default: return false;
  }
}

}  // namespace sigrel::reduce
