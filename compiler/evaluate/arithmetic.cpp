// Overloaded arithmetic: Int, Real, signals, and elementwise on vectors, records and tuples of them. An
// operation on constants is evaluated at once, on captured Reals it becomes a parameter expression, and on
// signals a signal expression.
#include <fmt/format.h>

#include <cmath>

#include "compiler/evaluate/operands.h"
#include "compiler/evaluate/size_dependence.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::evaluate {

std::optional<Op> scalar_op(core::Primitive p) {
  using core::Primitive;
  switch (p) {
    case Primitive::Add: return Op::Add;
    case Primitive::Sub: return Op::Sub;
    case Primitive::Mul: return Op::Mul;
    case Primitive::Div: return Op::Div;
    case Primitive::Negate: return Op::Neg;
    case Primitive::Floor: return Op::Floor;
    case Primitive::Ceiling: return Op::Ceil;
    case Primitive::Min: return Op::Min;
    case Primitive::Max: return Op::Max;
    case Primitive::Abs: return Op::Abs;
    case Primitive::Sign: return Op::Sign;
    case Primitive::Sqrt: return Op::Sqrt;
    case Primitive::Exp: return Op::Exp;
    case Primitive::Log: return Op::Log;
    case Primitive::Log10: return Op::Log10;
    case Primitive::Sin: return Op::Sin;
    case Primitive::Cos: return Op::Cos;
    case Primitive::Tan: return Op::Tan;
    case Primitive::Asin: return Op::Asin;
    case Primitive::Acos: return Op::Acos;
    case Primitive::Atan: return Op::Atan;
    case Primitive::Atan2: return Op::Atan2;
    case Primitive::Sinh: return Op::Sinh;
    case Primitive::Cosh: return Op::Cosh;
    case Primitive::Tanh: return Op::Tanh;
    case Primitive::Asinh: return Op::Asinh;
    case Primitive::Acosh: return Op::Acosh;
    case Primitive::Atanh: return Op::Atanh;
    default: return std::nullopt;
  }
}

namespace {

/// Whether a signal, which is a double, can hold the Int and its neighbours.
bool is_exact_in_signal(std::int64_t i) {
  constexpr std::int64_t kFirstInexact = std::int64_t{1} << 53;
  return -kFirstInexact < i && i < kFirstInexact;
}

}  // namespace

ExprId Machine::to_parameter(const Value& v) {
  if (v.tag == Tag::Real && v.index != kConstant) return ExprId{v.index};
  if (depends_on_size(v)) return parameters.param(kSizeDependentReal);
  return parameters.constant(v.tag == Tag::Real ? v.real : static_cast<double>(v.integer));
}

std::optional<ExprId> Machine::to_signal(const Value& v, Span span) {
  switch (v.tag) {
    case Tag::Signal: return ExprId{v.index};
    case Tag::Int:
      if (!is_exact_in_signal(v.integer)) {
        fail(Code::IntegerOverflow, span, fmt::format("{} is too large for an Int signal", v.integer));
        if (last_) last_->note("an Int signal is exact below 2^53 = 9007199254740992 in absolute value");
        return std::nullopt;
      }
      [[fallthrough]];
    case Tag::Bool:
      if (depends_on_size(v)) return signals.param(to_parameter(v).value);
      return signals.constant(static_cast<double>(v.integer));
    case Tag::Real: return v.index == kConstant ? signals.constant(v.real) : signals.param(v.index);
    case Tag::Object:
      if (v.object->kind == ObjectKind::Member) return host->member_signal(*v.object);
      if (v.object->kind == ObjectKind::Unbound) {  // a later application may give its layout
        not_ready();
        return std::nullopt;
      }
      if (is_enumerator(v)) return signals.constant(static_cast<double>(v.object->a));
      break;
    default: break;
  }
  fail(Code::NotAScalar, span, fmt::format("a scalar signal is needed here, this is {}", kind_of(v)));
  return std::nullopt;
}

/// The negative, or the absolute value, of an Int.
std::optional<Value> Machine::negate(const Value& a, Op op, Span span) {
  if (op == Op::Abs && a.integer >= 0) return Value::of_int(a.integer);
  if (a.integer != std::numeric_limits<std::int64_t>::min()) return Value::of_int(-a.integer);
  fail(Code::IntegerOverflow, span,
       fmt::format("{}({}) does not fit into an Int", op == Op::Neg ? "-" : "abs ", a.integer));
  return std::nullopt;
}

/// A Real, which is known before the simulation, to the nearest Int.
std::optional<Value> Machine::round(const Value& a, Span span) {
  steer(a);
  const double r = std::round(a.real);
  if (r >= -0x1p63 && r < 0x1p63) return Value::of_int(static_cast<std::int64_t>(r));
  fail(Code::IntegerOverflow, span,
       std::isnan(r) ? "`round` of a value that is not a number"
                     : fmt::format("round ({}) does not fit into an Int", a.real));
  return std::nullopt;
}

/// `div` and `mod` of Ints: the quotient is rounded towards minus infinity.
std::optional<Value> Machine::divide(core::Primitive p, const Value& a, const Value& b, Span span) {
  pin(a);
  pin(b);
  const std::int64_t x = a.integer, y = b.integer;
  if (y == 0) {
    fail(Code::DivisionByZero, span, fmt::format("{} is divided by zero", x));
    return std::nullopt;
  }
  if (y == -1) return p == core::Primitive::IntDiv ? negate(a, Op::Neg, span) : Value::of_int(0);
  std::int64_t q = x / y;
  if (x % y != 0 && (x < 0) != (y < 0)) --q;
  return Value::of_int(p == core::Primitive::IntDiv ? q : x - q * y);
}

std::optional<Value> Machine::scalar(Op op, const Value& a, Span span) {
  if (depends_on_size(a)) {
    if (op == Op::Neg) {
      auto result = negate(a, op, span);
      if (result) result->index = size_analysis->sum(Value::of_int(0), a, -1);
      return result;
    }
    if (op != Op::Abs && op != Op::Sign) {
      ExprId real = to_parameter(a);
      return Value::of_real(apply(op, static_cast<double>(a.integer), 0, 0),
                            symbolic::simplified(parameters, {op, real.value, 0, 0, 0}).value);
    }
    size_analysis->pin(a);
  }
  if (a.tag == Tag::Int && (op == Op::Neg || op == Op::Abs)) return negate(a, op, span);
  if (a.tag == Tag::Int && op == Op::Sign) return Value::of_int((a.integer > 0) - (a.integer < 0));
  if (a.tag == Tag::Int || (a.tag == Tag::Real && a.index == kConstant))
    return Value::of_real(apply(op, a.tag == Tag::Int ? static_cast<double>(a.integer) : a.real, 0, 0));
  if (a.tag == Tag::Real)
    return Value::of_real(apply(op, a.real, 0, 0),
                          symbolic::simplified(parameters, {op, a.index, 0, 0, 0}).value);
  auto x = to_signal(a, span);
  if (!x) return std::nullopt;
  return Value::of_signal(symbolic::simplified(signals, {op, x->value, 0, 0, 0}));
}

/// Rounding of a value that only events change: it jumps with its argument, and needs no event of its own.
std::optional<Value> Machine::rounded_int(Op op, const Value& a, Span span) {
  auto result = scalar(op, a, span);
  if (!result || result->tag != Tag::Signal) return result;
  const Node node = signals[ExprId{result->index}];
  return node.op == op ? Value::of_signal(signals.intern(without_events(node))) : result;
}

std::optional<Value> Machine::scalar(Op op, const Value& a, const Value& b, Span span) {
  if (a.tag == Tag::Int && b.tag == Tag::Int && op != Op::Div && op != Op::Atan2) {
    std::int64_t r = 0;
    bool overflow = false;
    switch (op) {
      case Op::Add: overflow = __builtin_add_overflow(a.integer, b.integer, &r); break;
      case Op::Sub: overflow = __builtin_sub_overflow(a.integer, b.integer, &r); break;
      case Op::Mul: overflow = __builtin_mul_overflow(a.integer, b.integer, &r); break;
      case Op::Min: r = std::min(a.integer, b.integer); break;
      default: r = std::max(a.integer, b.integer); break;
    }
    if (overflow) {
      fail(Code::IntegerOverflow, span,
           fmt::format("{} {} {} does not fit into an Int", a.integer, spelling(op), b.integer));
      return std::nullopt;
    }
    Value result = Value::of_int(r);
    if (depends_on_size(a) || depends_on_size(b)) {
      if (op == Op::Min || op == Op::Max) {
        size_analysis->compared(a, b);
        result.index = r == a.integer ? a.index : b.index;
      } else {
        result.index =
            op == Op::Mul ? size_analysis->product(a, b) : size_analysis->sum(a, b, op == Op::Add ? 1 : -1);
      }
    }
    return result;
  }
  if (is_number(a) && is_number(b)) {
    double x = a.tag == Tag::Real ? a.real : static_cast<double>(a.integer);
    double y = b.tag == Tag::Real ? b.real : static_cast<double>(b.integer);
    double r = apply(op, x, y, 0);
    if (a.index == kConstant && b.index == kConstant) return Value::of_real(r);
    ExprId pa = to_parameter(a), pb = to_parameter(b);
    return Value::of_real(r, symbolic::simplified(parameters, {op, pa.value, pb.value, 0, 0}).value);
  }
  auto x = to_signal(a, span);
  if (!x) return std::nullopt;
  auto y = to_signal(b, span);
  if (!y) return std::nullopt;
  return Value::of_signal(symbolic::simplified(signals, {op, x->value, y->value, 0, 0}));
}

std::optional<Value> Machine::vector_product(const Value& a, const Value& b, Span span) {
  auto rows = a.object->span(), right = b.object->span();
  bool matrix_left = !rows.empty() && is_aggregate(rows[0]);
  bool matrix_right = !right.empty() && is_aggregate(right[0]);
  auto dot = [&](std::span<Value> x, auto element) -> std::optional<Value> {
    if (x.size() != right.size()) {
      fail(Code::SizeMismatch, span, fmt::format("a product of sizes {} and {}", x.size(), right.size()));
      return std::nullopt;
    }
    Value sum = Value::of_real(0);
    if (!take_steps(x.size(), span)) return std::nullopt;
    for (std::size_t i = 0; i < x.size(); ++i) {
      auto term = scalar(Op::Mul, x[i], element(i), span);
      if (!term) return std::nullopt;
      auto next = i == 0 ? term : scalar(Op::Add, sum, *term, span);
      if (!next) return std::nullopt;
      sum = *next;
    }
    return sum;
  };
  auto row_times = [&](std::span<Value> row) -> std::optional<Value> {
    if (!matrix_right) return dot(row, [&](std::size_t i) { return right[i]; });
    std::uint32_t columns = right[0].object->size;
    Object* o = heap_.object(ObjectKind::Vector, columns);
    for (std::uint32_t j = 0; j < columns; ++j) {
      auto v = dot(row, [&](std::size_t i) { return right[i].object->items[j]; });
      if (!v) return std::nullopt;
      o->items[j] = *v;
    }
    return Value::of(o);
  };
  if (!matrix_left) return row_times(rows);
  Object* o = heap_.object(ObjectKind::Vector, a.object->size);
  for (std::uint32_t i = 0; i < o->size; ++i) {
    auto v = row_times(rows[i].object->span());
    if (!v) return std::nullopt;
    o->items[i] = *v;
  }
  return Value::of(o);
}

std::optional<Value> Machine::arithmetic(core::Primitive p, const Value& a, const Value& b, Span span) {
  Op op = *scalar_op(p);
  bool left = is_aggregate(a), right = is_aggregate(b);
  if (!left && !right) return scalar(op, a, b, span);
  if (left && right && op == Op::Mul && is_object(a, ObjectKind::Vector)) return vector_product(a, b, span);
  std::uint32_t size = left ? a.object->size : b.object->size;
  if (left && right && b.object->size != size) {
    fail(Code::SizeMismatch, span, fmt::format("the sizes {} and {} do not agree", size, b.object->size));
    return std::nullopt;
  }
  const Object& like = left ? *a.object : *b.object;
  Object* o = heap_.object(like.kind, size);
  o->a = like.a;
  for (std::uint32_t i = 0; i < size; ++i) {
    auto v = arithmetic(p, left ? a.object->items[i] : a, right ? b.object->items[i] : b, span);
    if (!v) return std::nullopt;
    o->items[i] = *v;
  }
  return Value::of(o);
}

std::optional<Value> Machine::power(const Value& a, const Value& b, Span span) {
  bool integral = b.tag == Tag::Int || (b.tag == Tag::Real && b.index == kConstant &&
                                        b.real == std::floor(b.real) && std::fabs(b.real) < 1e6);
  std::int64_t n = b.tag == Tag::Int ? b.integer : integral ? static_cast<std::int64_t>(b.real) : 0;
  pin(b);
  if (a.tag == Tag::Int && b.tag == Tag::Int) {
    pin(a);
    if (n < 0) {
      fail(Code::IntegerOverflow, span, fmt::format("{}^({}) is not an Int", a.integer, n));
      if (last_) last_->help("a power with a negative exponent needs a Real as its base: `real x ^ n`");
      return std::nullopt;
    }
    // Powers of -1, 0 and 1 do not overflow: what matters of the exponent is whether it is zero or odd.
    const bool is_unit = a.integer >= -1 && a.integer <= 1;
    const std::int64_t factors = is_unit && n > 0 ? 2 - n % 2 : n;
    std::int64_t r = 1;
    for (std::int64_t i = 0; i < factors; ++i)
      if (__builtin_mul_overflow(r, a.integer, &r)) {
        fail(Code::IntegerOverflow, span, fmt::format("{}^{} does not fit into an Int", a.integer, n));
        return std::nullopt;
      }
    return Value::of_int(r);
  }
  if (!integral || std::abs(n) > 1'000'000) return scalar(Op::Pow, a, b, span);
  auto exponent = static_cast<std::uint32_t>(static_cast<std::int32_t>(n));
  if (is_number(a)) {
    double x = a.tag == Tag::Real ? a.real : static_cast<double>(a.integer);
    double r = apply(Op::PowInt, x, static_cast<double>(n), 0);
    if (a.index == kConstant) return Value::of_real(r);
    return Value::of_real(
        r, symbolic::simplified(parameters, {Op::PowInt, to_parameter(a).value, exponent, 0, 0}).value);
  }
  auto x = to_signal(a, span);
  if (!x) return std::nullopt;
  return Value::of_signal(symbolic::simplified(signals, {Op::PowInt, x->value, exponent, 0, 0}));
}

std::optional<Value> Machine::compare(core::Primitive p, const Value& a, const Value& b, Span span) {
  using core::Primitive;
  auto is_signal = [](const Value& v) { return v.tag == Tag::Signal || is_object(v, ObjectKind::Member); };
  if (is_signal(a) || is_signal(b)) {
    bool swap = p == Primitive::Greater || p == Primitive::GreaterEqual;
    Op op = p == Primitive::Equal                             ? Op::Equal
            : p == Primitive::NotEqual                        ? Op::NotEqual
            : p == Primitive::Less || p == Primitive::Greater ? Op::Less
                                                              : Op::LessEqual;
    const std::optional<Value> result = swap ? scalar(op, b, a, span) : scalar(op, a, b, span);
    if (result && result->tag == Tag::Signal && (op == Op::Equal || op == Op::NotEqual))
      equalities.push_back({ExprId{result->index}, span});
    return result;
  }
  for (const Value* v : {&a, &b}) {
    if (v->tag == Tag::Real) steer(*v);
    if (a.tag != b.tag) pin(*v);
  }
  auto decide = [&](auto x, auto y) {
    switch (p) {
      case Primitive::Equal: return x == y;
      case Primitive::NotEqual: return x != y;
      case Primitive::Less: return x < y;
      case Primitive::LessEqual: return x <= y;
      case Primitive::Greater: return x > y;
      default: return x >= y;
    }
  };
  if (a.tag == Tag::Int && b.tag == Tag::Int) {
    if (size_analysis) size_analysis->compared(a, b);
    return Value::of_bool(decide(a.integer, b.integer));
  }
  if (is_number(a) && is_number(b)) {
    double x = a.tag == Tag::Real ? a.real : static_cast<double>(a.integer);
    double y = b.tag == Tag::Real ? b.real : static_cast<double>(b.integer);
    return Value::of_bool(decide(x, y));
  }
  if (a.tag == Tag::String && b.tag == Tag::String)
    return Value::of_bool(decide(text(Name{a.index}), text(Name{b.index})));
  // Data are compared structurally.
  bool equal = true;
  std::optional<Value> later;  // the conjunction of comparisons of signals
  std::vector<std::pair<Value, Value>> work{{a, b}};
  while (!work.empty() && equal) {
    auto [x, y] = work.back();
    work.pop_back();
    if (!take_steps(1, span)) return std::nullopt;
    if (x.tag == Tag::Object && y.tag == Tag::Object) {
      if (size_analysis) size_analysis->pin_list(x), size_analysis->pin_list(y);
      bool data =
          x.object->kind == y.object->kind && (is_aggregate(x) || x.object->kind == ObjectKind::Construct);
      if (!data) {
        fail(Code::NotSupported, span, fmt::format("{} cannot be compared", kind_of(x)));
        return std::nullopt;
      }
      equal = x.object->a == y.object->a && x.object->size == y.object->size;
      if (equal)
        for (std::uint32_t i = 0; i < x.object->size; ++i)
          work.push_back({x.object->items[i], y.object->items[i]});
    } else {
      auto v = compare(Primitive::Equal, x, y, span);
      if (!v) return std::nullopt;
      if (v->tag == Tag::Bool) {
        equal = v->integer;
      } else {
        later = later ? scalar(Op::And, *later, *v, span) : v;
        if (!later) return std::nullopt;
      }
    }
  }
  if (equal && later) return p == Primitive::NotEqual ? scalar(Op::Not, *later, span) : later;
  return Value::of_bool(p == Primitive::NotEqual ? !equal : equal);
}

}  // namespace sigrel::evaluate
