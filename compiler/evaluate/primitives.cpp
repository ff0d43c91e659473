// The primitive operations: those on numbers element by element (arithmetic.cpp), lists and vectors, signals,
// tables.
#include <fmt/format.h>

#include <cmath>

#include "compiler/evaluate/operands.h"
#include "compiler/evaluate/size_dependence.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::evaluate {

std::optional<Value> Machine::der(const Value& a, Span span) {
  if (is_number(a)) return Value::of_real(0);
  if (is_aggregate(a)) {
    Object* o = heap_.object(a.object->kind, a.object->size);
    o->a = a.object->a;
    for (std::uint32_t i = 0; i < o->size; ++i) {
      auto v = der(a.object->items[i], span);
      if (!v) return std::nullopt;
      o->items[i] = *v;
    }
    return Value::of(o);
  }
  auto x = to_signal(a, span);
  if (!x) return std::nullopt;
  if (auto function = symbolic::call_without_derivative(signals, *x)) {
    const ForeignFunction& f = library().functions[*function];
    fail(Code::NotDifferentiable, span, fmt::format("the derivative of `{}` is not known", f.name));
    if (last_)
      last_->also(f.declared, "a function of C, declared without one")
          .help("add it: `with { derivative = … }`");
    return std::nullopt;
  }
  return Value::of_signal(symbolic::time_derivative(signals, *x));
}

/// Of a layout of Reals and vectors of them.
std::optional<Value> Machine::zero(const Value& layout, Span span) {
  if (layout.object->b == 0) {
    fail(Code::SizeNotKnown, span, "the list is empty, so the size of its sum is not known");
    return std::nullopt;
  }
  auto of = [&](auto& self, LayoutId id) -> Value {
    const LayoutNode node = layouts_[id];
    if (node.kind != core::LayoutKind::Vector) return Value::of_real(0);
    Object* o = heap_.object(ObjectKind::Vector, node.size);
    std::ranges::fill(o->span(), self(self, node.elements[0]));
    return Value::of(o);
  };
  return of(of, LayoutId{layout.object->a});
}

std::optional<Value> Machine::append(const Value& a, const Value& b, Span span) {
  if (a.tag == Tag::String && b.tag == Tag::String) {
    heap_.count(text(Name{a.index}).size() + text(Name{b.index}).size());
    Value joined =
        Value::of_string(intern(std::string(text(Name{a.index})) + std::string(text(Name{b.index}))));
    joined.integer = a.integer != 0 ? a.integer : b.integer;
    return joined;
  }
  if (is_object(a, ObjectKind::Vector) && is_object(b, ObjectKind::Vector)) {
    Object* o = heap_.object(ObjectKind::Vector, a.object->size + b.object->size);
    std::copy_n(a.object->items, a.object->size, o->items);
    std::copy_n(b.object->items, b.object->size, o->items + a.object->size);
    return Value::of(o);
  }
  if (is_object(a, ObjectKind::Construct) && is_object(b, ObjectKind::Construct)) {
    if (size_analysis) size_analysis->pin_list(a), size_analysis->pin_list(b);
    std::vector<Value> items;
    for (const Object* cell = a.object; cell->size == 2; cell = cell->items[1].object)
      items.push_back(cell->items[0]);
    return list(items, b);
  }
  fail(Code::NotSupported, span, fmt::format("{} and {} cannot be joined", kind_of(a), kind_of(b)));
  return std::nullopt;
}

std::optional<Value> Machine::range(const Value& first, const Value& last) {
  if (size_analysis && first.index != last.index) {
    if (last.integer < first.integer)
      size_analysis->compared(first, last);
    else
      pin(first), pin(last);
  }
  Value rest = Value::of(heap_.object(ObjectKind::Construct, 0));
  if (last.integer < first.integer) return rest;
  // The number of items does not fit into 64 bits if the bounds are the smallest and the largest Int.
  const auto further = static_cast<std::uint64_t>(last.integer) - static_cast<std::uint64_t>(first.integer);
  constexpr std::size_t kCell = sizeof(Object) + 2 * sizeof(Value);
  heap_.require(further < std::numeric_limits<std::size_t>::max() / kCell
                    ? (further + 1) * kCell
                    : std::numeric_limits<std::size_t>::max());
  for (std::int64_t i = last.integer;; --i) {
    Value item = Value::of_int(i);
    item.index = first.index;
    rest = list({item}, rest);
    if (i == first.integer) return rest;
  }
}

std::optional<Value> Machine::select(const Value& condition, const Value& a, const Value& b, Span span) {
  if (is_aggregate(a) && is_aggregate(b) && a.object->size == b.object->size) {
    Object* o = heap_.object(a.object->kind, a.object->size);
    o->a = a.object->a;
    for (std::uint32_t i = 0; i < o->size; ++i) {
      auto v = select(condition, a.object->items[i], b.object->items[i], span);
      if (!v) return std::nullopt;
      o->items[i] = *v;
    }
    return Value::of(o);
  }
  if (is_enumerator(a) && is_enumerator(b) && a.object->a == b.object->a) return a;
  auto is_scalar = [](const Value& v) {
    return v.tag != Tag::Object || v.object->kind == ObjectKind::Member || is_enumerator(v);
  };
  if (!is_scalar(a) || !is_scalar(b)) {
    fail(Code::SignalSteersStructure, span,
         fmt::format("a condition that changes with time chooses between {} and {}", kind_of(a), kind_of(b)));
    if (last_)
      last_->help(
          "only signals can be chosen during the simulation; a choice of structure needs a condition that is "
          "known before it");
    return std::nullopt;
  }
  auto c = to_signal(condition, span);
  auto x = c ? to_signal(a, span) : std::nullopt;
  auto y = x ? to_signal(b, span) : std::nullopt;
  if (!y) return std::nullopt;
  return Value::of_signal(symbolic::simplified(signals, {Op::Select, c->value, x->value, y->value, 0}));
}

std::optional<Value> Machine::previous(const Value& value, std::string_view word, Span span) {
  if (!is_aggregate(value)) return host->previous(value, word, span);
  Object* o = heap_.object(value.object->kind, value.object->size);
  o->a = value.object->a;
  for (std::uint32_t i = 0; i < o->size; ++i) {
    const auto v = previous(value.object->items[i], word, span);
    if (!v) return std::nullopt;
    o->items[i] = *v;
  }
  return Value::of(o);
}

std::optional<Value> Machine::primitive(core::Primitive p, std::span<Value> args, Span span) {
  using core::Primitive;
  switch (p) {
    case Primitive::Add:
    case Primitive::Sub:
    case Primitive::Mul:
    case Primitive::Div:
    case Primitive::Min:
    case Primitive::Max:
    case Primitive::Atan2: return arithmetic(p, args[0], args[1], span);
    case Primitive::Pow: return power(args[0], args[1], span);
    case Primitive::Equal:
    case Primitive::NotEqual:
    case Primitive::Less:
    case Primitive::LessEqual:
    case Primitive::Greater:
    case Primitive::GreaterEqual: return compare(p, args[0], args[1], span);
    case Primitive::And:
    case Primitive::Or:
      if (args[0].tag == Tag::Bool && args[1].tag == Tag::Bool)
        return Value::of_bool(p == Primitive::And ? args[0].integer && args[1].integer
                                                  : args[0].integer || args[1].integer);
      return scalar(p == Primitive::And ? Op::And : Op::Or, args[0], args[1], span);
    case Primitive::Not:
      if (args[0].tag == Tag::Bool) return Value::of_bool(!args[0].integer);
      return scalar(Op::Not, args[0], span);
    case Primitive::Append: return append(args[0], args[1], span);
    case Primitive::Range: return range(args[0], args[1]);
    case Primitive::ToReal:
      // A signal is rounded: the same value, as an expression whose derivative is zero.
      if (depends_on_size(args[0]))
        return Value::of_real(static_cast<double>(args[0].integer), to_parameter(args[0]).value);
      return args[0].tag == Tag::Int ? Value::of_real(static_cast<double>(args[0].integer))
                                     : rounded_int(Op::Round, args[0], span);
    case Primitive::Round:
      return args[0].tag == Tag::Real ? round(args[0], span) : scalar(Op::Round, args[0], span);
    case Primitive::IntDiv:
    case Primitive::IntMod: {
      if (args[0].tag != Tag::Int || args[1].tag != Tag::Int) {
        const auto dividend = to_signal(args[0], span), divisor = to_signal(args[1], span);
        if (!dividend || !divisor) return std::nullopt;
        // Not simplified: the quotient of the parts of a sum hides whether the sum is exact.
        const ExprId parts = signals.binary(Op::Div, *dividend, *divisor);
        auto quotient = rounded_int(Op::Floor, Value::of_signal(parts), span);
        if (!quotient || p == Primitive::IntDiv) return quotient;
        auto whole = scalar(Op::Mul, *quotient, args[1], span);
        return whole ? scalar(Op::Sub, args[0], *whole, span) : std::nullopt;
      }
      return divide(p, args[0], args[1], span);
    }
    case Primitive::ToVector: {
      if (!is_object(args[0], ObjectKind::Construct)) break;
      if (size_analysis) size_analysis->pin_list(args[0]);
      std::uint32_t size = 0;
      for (const Object* cell = args[0].object; cell->size == 2; cell = cell->items[1].object) ++size;
      Object* o = heap_.object(ObjectKind::Vector, size);
      std::uint32_t i = 0;
      for (const Object* cell = args[0].object; cell->size == 2; cell = cell->items[1].object)
        o->items[i++] = cell->items[0];
      return Value::of(o);
    }
    case Primitive::ToMatrix: {
      auto outer = primitive(Primitive::ToVector, args, span);
      if (!outer) return std::nullopt;
      for (Value& row : outer->object->span()) {
        auto inner = primitive(Primitive::ToVector, {&row, 1}, span);
        if (!inner) return std::nullopt;
        row = *inner;
      }
      return outer;
    }
    case Primitive::Zero: return zero(args[0], span);
    case Primitive::Der: return der(args[0], span);
    case Primitive::Table1: return table1(args, span);
    case Primitive::Table2: return table2(args, span);
    case Primitive::Column: return data_column(args, span);
    case Primitive::DataTable: return data_table(args, span);
    case Primitive::Grid: return data_grid(args, span);
    case Primitive::Fail:
      fail(Code::FailedByModel, span, std::string(text(Name{args[0].index})));
      return std::nullopt;
    case Primitive::Time: return Value::of_signal(signals.time());
    case Primitive::Claim:
      if (claims)
        claims->push_back({core::ContractId(static_cast<std::uint32_t>(args[0].integer)), args[1], span});
      return args[1];
    case Primitive::AnyReal: return Value::of_real(1.0, parameters.param(0).value);
    case Primitive::AnySize: {
      Value size = args[0];
      size.index = SizeDependence{1, 0}.encode();
      return size;
    }
    case Primitive::AnyList: {
      Object* empty = heap_.object(ObjectKind::Construct, 0);
      empty->b = args[0].index;
      Value result =
          list(std::vector<Value>(static_cast<std::size_t>(args[0].integer), args[1]), Value::of(empty));
      for (Object* cell = result.object; cell->size == 2; cell = cell->items[1].object)
        cell->b = args[0].index;
      return result;
    }
    case Primitive::Smooth:
    case Primitive::NoEvent: {
      const Value& value = args[args.size() - 1];
      if (value.tag == Tag::Signal)
        return Value::of_signal(symbolic::without_events(signals, ExprId{value.index}));
      if (!is_aggregate(value)) return value;
      Object* o = heap_.object(value.object->kind, value.object->size);
      o->a = value.object->a;
      for (std::uint32_t i = 0; i < o->size; ++i) {
        o->items[i] = *primitive(Primitive::NoEvent, {&value.object->items[i], 1}, span);
      }
      return Value::of(o);
    }
    case Primitive::Size:
      if (is_object(args[0], ObjectKind::Vector)) return Value::of_int(args[0].object->size);
      break;
    case Primitive::Show:
      switch (args[0].tag) {
        case Tag::Int: pin(args[0]); return Value::of_string(intern(std::to_string(args[0].integer)));
        case Tag::Bool: return Value::of_string(intern(args[0].integer ? "True" : "False"));
        case Tag::Real: return Value::of_string(intern(fmt::format("{}", args[0].real)));
        case Tag::String: return args[0];
        default: break;
      }
      break;
    case Primitive::Pre: return previous(args[0], "pre", span);
    case Primitive::Edge: {
      if (args[0].tag == Tag::Bool) return Value::of_bool(false);
      const auto before = previous(args[0], "edge", span);
      const auto was_false = before ? scalar(Op::Not, *before, span) : std::nullopt;
      return was_false ? scalar(Op::And, args[0], *was_false, span) : std::nullopt;
    }
    case Primitive::Change: {
      const auto before = previous(args[0], "change", span);
      return before ? compare(Primitive::NotEqual, args[0], *before, span) : std::nullopt;
    }
    case Primitive::Initial:
    case Primitive::Terminal: {
      const std::string name = p == Primitive::Initial ? "initial" : "terminal";
      fail(Code::MomentOutsideWhen, span, fmt::format("`{}` is only a condition of `when`", name));
      if (last_)
        last_->help(fmt::format(
            "write `when {0} do`, or list it with other conditions, `when {0}, x > 1.0 do`", name));
      return std::nullopt;
    }
    case Primitive::Delay: {
      if (!is_aggregate(args[0])) return host->delayed(args[0], args[1], span);
      Object* o = heap_.object(args[0].object->kind, args[0].object->size);
      o->a = args[0].object->a;
      for (std::uint32_t i = 0; i < o->size; ++i) {
        Value part[] = {args[0].object->items[i], args[1]};
        auto v = primitive(p, part, span);
        if (!v) return std::nullopt;
        o->items[i] = *v;
      }
      return Value::of(o);
    }
    default: {
      auto op = scalar_op(p);
      if (!op) break;
      if (!is_aggregate(args[0])) return scalar(*op, args[0], span);
      Object* o = heap_.object(args[0].object->kind, args[0].object->size);
      o->a = args[0].object->a;
      for (std::uint32_t i = 0; i < o->size; ++i) {
        auto v = primitive(p, {&args[0].object->items[i], 1}, span);
        if (!v) return std::nullopt;
        o->items[i] = *v;
      }
      return Value::of(o);
    }
  }
  fail(Code::NotAScalar, span,
       fmt::format("this operation does not apply to {}", args.empty() ? "nothing" : kind_of(args[0])));
  return std::nullopt;
}

}  // namespace sigrel::evaluate
