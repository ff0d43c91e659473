#include "compiler/check/names/builtins.h"

namespace sigrel::check {
namespace {

using core::Primitive;
using S = BuiltinShape;

constexpr Builtin kBuiltins[] = {
    {"time", S::Time, Primitive::Time, 0},
    {"pi", S::Pi, Primitive::Time, 0},
    {"der", S::Derivative, Primitive::Der, 1},
    {"pre", S::Signal, Primitive::Pre, 1},
    {"edge", S::Not, Primitive::Edge, 1},
    {"change", S::Change, Primitive::Change, 1},
    {"initial", S::Moment, Primitive::Initial, 0},
    {"terminal", S::Moment, Primitive::Terminal, 0},
    {"noEvent", S::Signal, Primitive::NoEvent, 1},
    {"smooth", S::Smooth, Primitive::Smooth, 2},
    {"delay", S::Delay, Primitive::Delay, 2},
    {"sin", S::RealToReal, Primitive::Sin, 1},
    {"cos", S::RealToReal, Primitive::Cos, 1},
    {"tan", S::RealToReal, Primitive::Tan, 1},
    {"asin", S::RealToReal, Primitive::Asin, 1},
    {"acos", S::RealToReal, Primitive::Acos, 1},
    {"atan", S::RealToReal, Primitive::Atan, 1},
    {"atan2", S::Angle, Primitive::Atan2, 2},
    {"sinh", S::RealToReal, Primitive::Sinh, 1},
    {"cosh", S::RealToReal, Primitive::Cosh, 1},
    {"tanh", S::RealToReal, Primitive::Tanh, 1},
    {"asinh", S::RealToReal, Primitive::Asinh, 1},
    {"acosh", S::RealToReal, Primitive::Acosh, 1},
    {"atanh", S::RealToReal, Primitive::Atanh, 1},
    {"exp", S::RealToReal, Primitive::Exp, 1},
    {"log", S::RealToReal, Primitive::Log, 1},
    {"log10", S::RealToReal, Primitive::Log10, 1},
    {"sqrt", S::Root, Primitive::Sqrt, 1},
    {"abs", S::NumberToSame, Primitive::Abs, 1},
    {"sign", S::Sign, Primitive::Sign, 1},
    {"min", S::NumberPair, Primitive::Min, 2},
    {"max", S::NumberPair, Primitive::Max, 2},
    {"floor", S::RealToReal, Primitive::Floor, 1},
    {"ceiling", S::RealToReal, Primitive::Ceiling, 1},
    {"round", S::RealToInt, Primitive::Round, 1},
    {"real", S::IntToReal, Primitive::ToReal, 1},
    {"div", S::IntPair, Primitive::IntDiv, 2},
    {"mod", S::IntPair, Primitive::IntMod, 2},
    {"not", S::Not, Primitive::Not, 1},
    {"show", S::Show, Primitive::Show, 1},
    {"size", S::Size, Primitive::Size, 1},
    {"vector", S::Vector, Primitive::ToVector, 1},
    {"sum", S::Sum, Primitive::Zero, 1},
    {"table1", S::Table1, Primitive::Table1, 4},
    {"table2", S::Table2, Primitive::Table2, 7},
    {"column", S::Column, Primitive::Column, 2},
    {"table", S::DataTable, Primitive::DataTable, 3},
    {"dataGrid", S::Grid, Primitive::Grid, 1},
    {"fail", S::Fail, Primitive::Fail, 1},
    {"simulate", S::Simulate, Primitive::Time, 1},
};

}  // namespace

std::span<const Builtin> builtins() { return kBuiltins; }

Type* builtin_type(const Builtin& builtin, Types& types, std::uint32_t level) {
  Type* number = types.number();
  Type* n = types.integer();
  auto any_real = [&] { return types.real(types.variable(level, 0, Sort::Unit)); };
  switch (builtin.shape) {
    case S::Time: return types.seconds();
    case S::Pi: return number;
    case S::RealToReal: return types.function(number, number);
    case S::Root: {
      Type* unit = types.variable(level, 0, Sort::Unit);
      Linear root;
      root.add(unit, {1, 2});
      return types.function(types.real(unit), types.real(types.form(root, Sort::Unit)));
    }
    case S::Sign: return types.function(any_real(), number);
    case S::Angle: {
      Type* real = any_real();
      return types.function(real, types.function(real, number));
    }
    case S::NumberToSame: {
      Type* a = types.variable(level, kNumber | kScalar);
      return types.function(a, a);
    }
    case S::NumberPair: {
      Type* a = types.variable(level, kNumber | kScalar);
      return types.function(a, types.function(a, a));
    }
    case S::Derivative: {
      // The result is the argument's type per second: DeferredConstraints::add_rate.
      return types.function(types.variable(level, kNumber | kReal), types.variable(level, kNumber));
    }
    case S::Signal: {
      Type* a = types.variable(level, kSignal);
      return types.function(a, a);
    }
    case S::Smooth: {
      Type* a = types.variable(level, kSignal);
      return types.function(n, types.function(a, a));
    }
    case S::Delay: {
      Type* a = types.variable(level, kSignal);
      return types.function(a, types.function(types.seconds(), a));
    }
    case S::IntToReal: return types.function(n, number);
    case S::RealToInt: return types.function(number, n);
    case S::IntPair: return types.function(n, types.function(n, n));
    case S::Not: return types.function(types.boolean(), types.boolean());
    case S::Moment: return types.boolean();
    case S::Change: return types.function(types.variable(level, kSignal | kEquality), types.boolean());
    case S::Show: return types.function(types.variable(level, kEquality), types.string());
    case S::Size:
      return types.function(types.vector(types.variable(level), types.variable(level, 0, Sort::Size)), n);
    case S::Vector: {
      Type* a = types.variable(level, kSignal);
      return types.function(types.list(a), types.vector(a, types.variable(level, 0, Sort::Size)));
    }
    case S::Sum: {
      Type* a = types.variable(level, kNumber | kReal | kSignal);
      return types.function(types.list(a), a);
    }
    case S::Table1:
    case S::Table2: {
      bool one = builtin.shape == S::Table1;
      Type *x = any_real(), *y = any_real(), *z = one ? y : any_real();
      Type* t = types.function(x, one ? z : types.function(y, z));
      if (one)
        t = types.function(types.list(types.tuple({x, z})), t);
      else
        t = types.function(types.list(x),
                           types.function(types.list(y), types.function(types.list(types.list(z)), t)));
      return types.function(types.apply(&types.interpolation_constructor, {}),
                            types.function(types.apply(&types.outside_constructor, {}), t));
    }
    case S::Column:
      return types.function(types.string(), types.function(types.string(), types.list(any_real())));
    case S::DataTable: {
      Type* points = types.list(types.tuple({any_real(), any_real()}));
      for (int k = 0; k < 3; ++k) points = types.function(types.string(), points);
      return points;
    }
    case S::Grid:
      return types.function(types.string(), types.tuple({types.list(any_real()), types.list(any_real()),
                                                         types.list(types.list(any_real()))}));
    case S::Fail: return types.function(types.string(), types.variable(level));
    case S::Simulate: return types.function(types.relation(types.unit(), {}), types.experiment());
  }
  return types.error();
}

}  // namespace sigrel::check
