#include "compiler/evaluate/math_functions.h"

#include <math.h>

#include <algorithm>
#include <span>

namespace sigrel::evaluate {
namespace {

/// `lgamma` itself stores the sign of the gamma function in a variable that all threads share.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

MathFunction of(std::string_view symbol, double (*f)(double)) {
  return {symbol, 1, reinterpret_cast<void*>(f)};
}
MathFunction of(std::string_view symbol, double (*f)(double, double)) {
  return {symbol, 2, reinterpret_cast<void*>(f)};
}
MathFunction of(std::string_view symbol, double (*f)(double, double, double)) {
  return {symbol, 3, reinterpret_cast<void*>(f)};
}

/// ISO C 7.12 without classification, bits of the representation and results by pointer; the Bessel functions
/// of POSIX.
std::span<const MathFunction> functions() {
  using F1 = double (*)(double);
  using F2 = double (*)(double, double);
  using F3 = double (*)(double, double, double);
  static const MathFunction all[] = {
      of("acos", F1(&::acos)),
      of("acosh", F1(&::acosh)),
      of("asin", F1(&::asin)),
      of("asinh", F1(&::asinh)),
      of("atan", F1(&::atan)),
      of("atan2", F2(&::atan2)),
      of("atanh", F1(&::atanh)),
      of("cbrt", F1(&::cbrt)),
      of("ceil", F1(&::ceil)),
      of("copysign", F2(&::copysign)),
      of("cos", F1(&::cos)),
      of("cosh", F1(&::cosh)),
      of("erf", F1(&::erf)),
      of("erfc", F1(&::erfc)),
      of("exp", F1(&::exp)),
      of("exp2", F1(&::exp2)),
      of("expm1", F1(&::expm1)),
      of("fabs", F1(&::fabs)),
      of("fdim", F2(&::fdim)),
      of("floor", F1(&::floor)),
      of("fma", F3(&::fma)),
      of("fmax", F2(&::fmax)),
      of("fmin", F2(&::fmin)),
      of("fmod", F2(&::fmod)),
      of("hypot", F2(&::hypot)),
      of("j0", F1(&::j0)),
      of("j1", F1(&::j1)),
      of("lgamma", F1(&log_gamma)),
      of("log", F1(&::log)),
      of("log10", F1(&::log10)),
      of("log1p", F1(&::log1p)),
      of("log2", F1(&::log2)),
      of("logb", F1(&::logb)),
      of("nearbyint", F1(&::nearbyint)),
      of("nextafter", F2(&::nextafter)),
      of("pow", F2(&::pow)),
      of("remainder", F2(&::remainder)),
      of("rint", F1(&::rint)),
      of("round", F1(&::round)),
      of("sin", F1(&::sin)),
      of("sinh", F1(&::sinh)),
      of("sqrt", F1(&::sqrt)),
      of("tan", F1(&::tan)),
      of("tanh", F1(&::tanh)),
      of("tgamma", F1(&::tgamma)),
      of("trunc", F1(&::trunc)),
      of("y0", F1(&::y0)),
      of("y1", F1(&::y1)),
  };
  return all;
}

}  // namespace

const MathFunction* math_function(std::string_view symbol) {
  const auto at = std::ranges::find(functions(), symbol, &MathFunction::symbol);
  return at == functions().end() ? nullptr : &*at;
}

std::vector<std::string_view> math_function_names() {
  std::vector<std::string_view> names;
  for (const MathFunction& f : functions()) names.push_back(f.symbol);
  return names;
}

}  // namespace sigrel::evaluate
