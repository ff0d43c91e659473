// The functions that the compiler implements. The rest of the standard library is written in Sigrel.
#pragma once
#include <span>
#include <string_view>

#include "compiler/check/types/types.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

enum class BuiltinShape : std::uint8_t {
  Time,          // Real
  RealToReal,    // of numbers
  Root,          // Real<u> -> Real<u^(1/2)>
  Sign,          // Real<u> -> Real<1>
  Angle,         // Real<u> -> Real<u> -> Real<1>
  NumberToSame,  // a -> a, a scalar number
  NumberPair,    // a -> a -> a, scalar numbers
  Derivative,    // a -> a per second, Reals
  Signal,        // a -> a, any signal
  Smooth,        // Int -> a -> a
  Delay,         // a -> Real<s> -> a
  IntToReal,
  RealToInt,
  IntPair,   // Int -> Int -> Int
  Not,       // Bool -> Bool
  Moment,    // Bool
  Change,    // a -> Bool, any signal
  Show,      // a -> String
  Size,      // a^n -> Int
  Simulate,  // SR () -> Experiment
  Pi,
  Vector,     // [a] -> a^n
  Sum,        // [a] -> a, Reals or vectors of them
  Table1,     // Interpolation -> Outside -> [(Real<u>, Real<v>)] -> Real<u> -> Real<v>
  Column,     // String -> String -> [Real<u>]
  DataTable,  // String -> String -> String -> [(Real<u>, Real<v>)]
  Grid,       // String -> ([Real<u>], [Real<v>], [[Real<w>]])
  Fail,       // String -> a
  Table2,     // … -> [Real<u>] -> [Real<v>] -> [[Real<w>]] -> Real<u> -> Real<v> -> Real<w>
};

struct Builtin {
  std::string_view name;
  BuiltinShape shape;
  core::Primitive op;
  std::uint32_t arity;
};

std::span<const Builtin> builtins();

/// The type of a use of `builtin`, with variables at `level`.
Type* builtin_type(const Builtin& builtin, Types& types, std::uint32_t level);

}  // namespace sigrel::check
