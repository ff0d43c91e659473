#include "compiler/ir/library.h"

#include <cmath>

namespace sigrel {
namespace {

using Function1 = double (*)(double);
using Function2 = double (*)(double, double);
using Function3 = double (*)(double, double, double);

template <class F>
double central_difference(double at, F f) {
  // A step that is exact in binary: the distance of the two points equals the divisor.
  double wanted = 6.0554544523933429e-06 * std::fmax(1.0, std::fabs(at));
  volatile double right = at + wanted, left = at - wanted;
  return (f(right) - f(left)) / (right - left);
}

}  // namespace

extern "C" {

double sigrel_lookup1(const Library* library, std::uint32_t order, double table, double x) {
  return interpolate(library->tables[static_cast<std::size_t>(table)], order, x);
}

double sigrel_lookup2(const Library* library, std::uint32_t orders, double table, double x, double y) {
  LookupDetail d = lookup_detail(orders);
  return interpolate(library->tables[static_cast<std::size_t>(table)], d.order_x, d.order_y, x, y);
}

double sigrel_slope1(Function1 f, std::uint32_t, double x) { return central_difference(x, f); }

double sigrel_slope2(Function2 f, std::uint32_t argument, double x, double y) {
  if (argument == 1) return central_difference(x, [&](double v) { return f(v, y); });
  return central_difference(y, [&](double v) { return f(x, v); });
}

double sigrel_slope3(Function3 f, std::uint32_t argument, double x, double y, double z) {
  if (argument == 1) return central_difference(x, [&](double v) { return f(v, y, z); });
  if (argument == 2) return central_difference(y, [&](double v) { return f(x, v, z); });
  return central_difference(z, [&](double v) { return f(x, y, v); });
}

}  // extern "C"

double apply(const Library* library, Op op, double detail, double a, double b, double c) {
  switch (op) {
    case Op::Lookup1: return sigrel_lookup1(library, static_cast<std::uint32_t>(detail), a, b);
    case Op::Lookup2: return sigrel_lookup2(library, static_cast<std::uint32_t>(detail), a, b, c);
    case Op::Call1:
    case Op::Call2:
    case Op::Call3: {
      CallDetail d = call_detail(detail);
      void* address = library->functions[d.function].address;
      if (op == Op::Call1) {
        auto f = reinterpret_cast<Function1>(address);
        return d.argument ? sigrel_slope1(f, d.argument, a) : f(a);
      }
      if (op == Op::Call2) {
        auto f = reinterpret_cast<Function2>(address);
        return d.argument ? sigrel_slope2(f, d.argument, a, b) : f(a, b);
      }
      auto f = reinterpret_cast<Function3>(address);
      return d.argument ? sigrel_slope3(f, d.argument, a, b, c) : f(a, b, c);
    }
    default: return apply(op, a, b, c);
  }
}

}  // namespace sigrel
