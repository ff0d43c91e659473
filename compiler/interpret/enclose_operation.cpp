#include "compiler/interpret/enclose_operation.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace sigrel::interpret {
namespace {

using runtime::Enclosure;
using runtime::Interval;
using runtime::kLibraryUlps;
using runtime::outward;

constexpr Interval kOne{1, 1};

bool is_zero(Interval a) { return a.low == 0 && a.high == 0; }
bool is_whole(Interval a) { return std::isinf(a.low) && std::isinf(a.high) && a.low < a.high; }
bool excludes_zero(Interval a) { return !a.contains(0); }

/// f(a), where `slope` encloses f'. Constants stay constant, whatever the slope.
Enclosure chain(Interval value, Interval slope, const Enclosure& a) {
  return {value, is_zero(a.derivative) ? Interval{} : slope * a.derivative};
}

/// A function that rises wherever it is defined.
Interval rising(double (*f)(double), Interval a) { return outward(f(a.low), f(a.high), kLibraryUlps); }

bool is_within(Interval a, double low, double high) { return a.low >= low && a.high <= high; }

/// Values that jump: constant where they cannot, else anything about the derivative.
Enclosure steps(double low, double high) {
  return {{low, high}, low == high ? Interval{} : Interval::whole()};
}

/// Whether one of two alternatives is certain: 1 the first, 2 the second, else 0.
Enclosure either(int certain, const Enclosure& a, const Enclosure& b) {
  if (certain == 1) return a;
  if (certain == 2) return b;
  return {hull(a.value, b.value), hull(a.derivative, b.derivative)};
}

/// Truth: [0, 0], [1, 1], or [0, 1].
Enclosure truth(bool never, bool always) { return steps(always ? 1 : 0, never ? 0 : 1); }

bool is_true(Interval a) { return excludes_zero(a); }

/// A table of one argument: the hull of its pieces.
Interval table_range(const LookupTable& table, std::uint32_t order, Interval x) {
  if (!x.is_bounded()) return Interval::whole();
  const auto first = std::ranges::upper_bound(table.x, x.low) - table.x.begin();
  // The piece that ends at x.high counts too: its derivative is another one.
  const auto last = std::ranges::upper_bound(table.x, x.high) - table.x.begin();
  Interval range;
  for (auto piece = first; piece <= last; ++piece) {
    const double knot = table.x[static_cast<std::size_t>(piece == 0 ? 0 : piece - 1)];
    Interval part = x;
    if (piece > 0) part.low = std::max(part.low, knot);
    if (piece < static_cast<std::ptrdiff_t>(table.x.size()))
      part.high = std::min(part.high, table.x[static_cast<std::size_t>(piece)]);
    const Interval u = part - Interval::of(knot);
    const double* c = &table.coefficients[4 * static_cast<std::size_t>(piece)];
    Interval value{};
    for (std::uint32_t power = 4; power-- > order;) {
      double factor = 1;
      for (std::uint32_t k = 0; k < order; ++k) factor *= power - k;
      value = value * u + Interval::of(factor) * Interval::of(c[power]);
    }
    range = piece == first ? value : hull(range, value);
  }
  return range;
}

Enclosure enclose_operation(const Library* library, const Node& node, const Enclosure& a, const Enclosure& b,
                            const Enclosure& c) {
  const Interval x = a.value, y = b.value;
  const Enclosure unknown{Interval::whole(), Interval::whole()};
  // The whole line may stand for NaN, which an operation must not turn into a number.
  const bool reads_b = arity(node.op) > 1 && node.op != Op::Select;
  if (!is_condition(node.op) && (is_whole(x) || (reads_b && is_whole(y)))) return unknown;
  switch (node.op) {
    case Op::Neg: return {-x, -a.derivative};
    case Op::Add: return {x + y, a.derivative + b.derivative};
    case Op::Sub: return {x - y, a.derivative - b.derivative};
    case Op::Mul:
      if (node.a == node.b) return chain(power(x, 2), Interval{2, 2} * x, a);
      return {x * y, a.derivative * y + x * b.derivative};
    case Op::Div: {
      const Interval value = x / y;
      if (y.contains(0)) return unknown;
      return {value, (a.derivative - value * b.derivative) / y};
    }
    case Op::Abs:
      if (x.low >= 0) return a;
      if (x.high <= 0) return {-x, -a.derivative};
      return {abs(x), hull(a.derivative, -a.derivative)};
    case Op::Min: {
      Enclosure result = either(x.high < y.low ? 1 : y.high < x.low ? 2 : 0, a, b);
      result.value = {std::min(x.low, y.low), std::min(x.high, y.high)};
      return result;
    }
    case Op::Max: {
      Enclosure result = either(x.low > y.high ? 1 : y.low > x.high ? 2 : 0, a, b);
      result.value = {std::max(x.low, y.low), std::max(x.high, y.high)};
      return result;
    }
    case Op::Sign: return steps(apply(Op::Sign, x.low, 0, 0), apply(Op::Sign, x.high, 0, 0));
    case Op::Floor: return steps(std::floor(x.low), std::floor(x.high));
    case Op::Ceil: return steps(std::ceil(x.low), std::ceil(x.high));
    case Op::Round: return steps(std::round(x.low), std::round(x.high));
    case Op::Sqrt: {
      const Interval root = sqrt(x);
      return chain(root, Interval{0.5, 0.5} / root, a);
    }
    case Op::Exp: {
      const Interval value = exp(x);
      return chain(value, value, a);
    }
    case Op::Log: return chain(log(x), x.low > 0 ? kOne / x : Interval::whole(), a);
    case Op::Log10: {
      if (x.low <= 0) return unknown;
      return chain(rising([](double v) { return std::log10(v); }, x), kOne / (log(Interval{10, 10}) * x), a);
    }
    case Op::Sin: return chain(sin(x), cos(x), a);
    case Op::Cos: return chain(cos(x), -sin(x), a);
    case Op::Tan: return chain(tan(x), kOne / power(cos(x), 2), a);
    case Op::Asin:
    case Op::Acos: {
      if (!is_within(x, -1, 1)) return unknown;
      const Interval slope = kOne / sqrt(kOne - power(x, 2));
      if (node.op == Op::Asin) return chain(rising([](double v) { return std::asin(v); }, x), slope, a);
      return chain(-rising([](double v) { return -std::acos(v); }, x), -slope, a);
    }
    case Op::Atan:
      return chain(rising([](double v) { return std::atan(v); }, x), kOne / (kOne + power(x, 2)), a);
    case Op::Sinh: {
      const Interval value = rising([](double v) { return std::sinh(v); }, x);
      return chain(value, sqrt(kOne + power(value, 2)), a);
    }
    case Op::Cosh: {
      const Interval size = abs(x), slope = rising([](double v) { return std::sinh(v); }, x);
      return chain(rising([](double v) { return std::cosh(v); }, size), slope, a);
    }
    case Op::Tanh: {
      const Interval value = rising([](double v) { return std::tanh(v); }, x);
      return chain(value, kOne - power(value, 2), a);
    }
    case Op::Asinh:
      return chain(rising([](double v) { return std::asinh(v); }, x), kOne / sqrt(kOne + power(x, 2)), a);
    case Op::Acosh:
      if (x.low < 1) return unknown;
      return chain(rising([](double v) { return std::acosh(v); }, x), kOne / sqrt(power(x, 2) - kOne), a);
    case Op::Atanh:
      if (!is_within(x, -1, 1)) return unknown;
      return chain(rising([](double v) { return std::atanh(v); }, x), kOne / (kOne - power(x, 2)), a);
    case Op::PowInt: {
      const auto n = static_cast<std::int32_t>(node.b);
      if (n == 0) return Enclosure::constant(1);
      return chain(power(x, n), Interval::of(n) * power(x, n - 1), a);
    }
    case Op::Pow: {
      const Interval value = power(x, y);
      Interval derivative{};
      if (!is_zero(a.derivative)) derivative = derivative + y * power(x, y - kOne) * a.derivative;
      if (!is_zero(b.derivative)) derivative = derivative + value * log(x) * b.derivative;
      return {value, derivative};
    }
    case Op::Atan2: {  // a is y, b is x
      const Interval square = power(x, 2) + power(y, 2);
      const Interval derivative =
          y.low <= 0 && x.contains(0) ? Interval::whole() : (y * a.derivative - x * b.derivative) / square;
      return {atan2(x, y), is_zero(a.derivative) && is_zero(b.derivative) ? Interval{} : derivative};
    }
    case Op::Less: return truth(x.low >= y.high, x.high < y.low);
    case Op::LessEqual: return truth(x.low > y.high, x.high <= y.low);
    case Op::Equal:
      return truth(x.high < y.low || y.high < x.low, x.is_point() && y.is_point() && x.low == y.low);
    case Op::NotEqual:
      return truth(x.is_point() && y.is_point() && x.low == y.low, x.high < y.low || y.high < x.low);
    case Op::And: return truth(is_zero(x) || is_zero(y), is_true(x) && is_true(y));
    case Op::Or: return truth(is_zero(x) && is_zero(y), is_true(x) || is_true(y));
    case Op::Not: return truth(is_true(x), is_zero(x));
    case Op::Select: {
      if (is_true(x)) return b;
      if (is_zero(x)) return c;
      return {hull(y, c.value), Interval::whole()};  // it may jump
    }
    case Op::Lookup1: {
      const LookupTable& table = library->tables[static_cast<std::size_t>(x.low)];
      const auto order = static_cast<std::uint32_t>(node.value);
      Enclosure result = chain(table_range(table, order, y), table_range(table, order + 1, y), b);
      const bool jumps = order >= 2 || (order == 1 && !table.smooth) || table.jumps;
      if (jumps && !y.is_point()) result.derivative = Interval::whole();
      return result;
    }
    case Op::Const:
    case Op::Slot:
    case Op::Der:
    case Op::Param:
    case Op::Time:
    case Op::Lookup2:
    case Op::Call1:
    case Op::Call2:
    case Op::Call3: break;
  }
  std::abort();
}

}  // namespace

/// What is computed from constants is constant, also where rounding leaves open which value it has, as of
/// floor (n / 4) for a discrete n.
Enclosure enclose(const Library* library, const Node& node, const Enclosure& a, const Enclosure& b,
                  const Enclosure& c) {
  Enclosure result = enclose_operation(library, node, a, b, c);
  const int operands = arity(node.op);
  if (is_zero(a.derivative) && (operands < 2 || is_zero(b.derivative)) &&
      (operands < 3 || is_zero(c.derivative)))
    result.derivative = {};
  return result;
}

}  // namespace sigrel::interpret
