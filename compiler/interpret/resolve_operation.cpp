#include "compiler/interpret/resolve_operation.h"

#include <algorithm>
#include <cmath>

namespace sigrel::interpret {
namespace {

using runtime::Enclosure;
using runtime::Interval;

constexpr double kSlopes = 30;   // slopes of one operation may differ by this factor
constexpr double kPart = 0.5;    // values may vary by this part of their magnitude
constexpr double kScale = 0.25;  // or by this one of a scale of 1
constexpr double kTurn = 1.1;    // functions with f'' of 1 are within 0.15 of a straight line over this
constexpr double kEvenExponent = 0.69;  // exponentials of less vary by less than kPart: -log(1 - kPart)
constexpr double kTail = 1e-6;          // exponentials below this one are no pulse
constexpr double kHuge = 1e100;         // above this one, a quotient by them is zero

bool within_factor(Interval a, double factor) {
  return (a.low > 0 && a.high <= factor * a.low) || (a.high < 0 && a.low >= factor * a.high);
}

/// `scale`: variations below it are none.
bool is_even(const Enclosure& e, double scale) {
  if (!e.value.is_bounded()) return false;
  const double size = std::max(std::abs(e.value.low), std::abs(e.value.high));
  return e.value.width() <= std::max(scale, kPart * size) || within_factor(e.derivative, kSlopes);
}

bool is_huge(Interval a) { return a.low > kHuge || a.high < -kHuge; }

/// Whether a divisor to this power is so even that the slopes of the quotient are.
bool divides_evenly(Interval divisor, double power) {
  return divisor.is_point() || is_huge(divisor) || within_factor(divisor, std::pow(kSlopes, 1 / (power + 1)));
}

/// Whether the table is one polynomial over an interval, or two that join.
bool is_smooth(const LookupTable& table, Interval x) {
  if (!x.is_bounded()) return false;
  const auto more = std::ranges::upper_bound(table.x, x.high) - std::ranges::upper_bound(table.x, x.low);
  return more <= (table.jumps ? 0 : 1);
}

}  // namespace

bool is_sharp(const Node& node) {
  switch (node.op) {
    case Op::Exp:
    case Op::Sinh:
    case Op::Cosh:
    case Op::Sin:
    case Op::Cos:
    case Op::Atan:
    case Op::Tanh:
    case Op::Atan2:
    case Op::Tan:
    case Op::Div:
    case Op::Pow:
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Sign:
    case Op::Select:
    case Op::Lookup1: return true;
    case Op::PowInt: return static_cast<std::int32_t>(node.b) < 0;
    default: return false;
  }
}

bool is_resolved_by_operands(const Node& node, const Enclosure& a, const Enclosure& b) {
  const Interval x = a.value;
  switch (node.op) {
    case Op::Sin:
    case Op::Cos:
    case Op::Atan:
    case Op::Tanh: return x.width() <= kTurn;
    case Op::Exp: return x.width() <= kEvenExponent;
    case Op::Div: return divides_evenly(b.value, 1);
    default: return false;
  }
}

void resolve(const Library* library, const Node& node, const Enclosure& a, const Enclosure& b,
             const Enclosure& result, runtime::Resolution& resolution) {
  const Interval x = a.value, y = b.value;
  bool resolved = true, pole = false;
  switch (node.op) {
    case Op::Exp:
    case Op::Sinh:
    case Op::Cosh: resolved = x.is_point() || is_huge(result.value) || is_even(result, kTail); break;
    case Op::Sin:
    case Op::Cos:
    case Op::Atan:
    case Op::Tanh:
    case Op::Atan2: resolved = is_even(result, kScale); break;
    case Op::Tan:
      resolved = is_even(result, kScale);
      pole = !result.value.is_bounded();
      break;
    case Op::Div:
      resolved = divides_evenly(y, 1);
      pole = y.is_bounded() && y.contains(0) && !x.contains(0);
      break;
    case Op::PowInt:
      if (static_cast<std::int32_t>(node.b) >= 0) return;
      resolved = divides_evenly(x, -static_cast<double>(static_cast<std::int32_t>(node.b)));
      pole = x.is_bounded() && x.contains(0);
      break;
    case Op::Pow:
      if (y.low >= 0) return;
      resolved = y.is_point() ? divides_evenly(x, -y.low) : is_even(result, 0);
      pole = y.high < 0 && x.is_bounded() && x.contains(0);
      break;
    case Op::Floor:
    case Op::Ceil:
    case Op::Round:
    case Op::Sign: resolved = result.value.is_point(); break;
    case Op::Select: resolved = !x.contains(0) || x.is_point(); break;
    case Op::Lookup1:
      resolved = is_even(result, 0) || is_smooth(library->tables[static_cast<std::size_t>(x.low)], y);
      break;
    default: return;
  }
  resolution.resolved = resolution.resolved && resolved;
  resolution.pole = resolution.pole || (!resolved && pole);
}

}  // namespace sigrel::interpret
