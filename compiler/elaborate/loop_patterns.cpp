#include "compiler/elaborate/loop_patterns.h"

#include <algorithm>
#include <array>

#include "compiler/elaborate/loop_recording.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

constexpr std::size_t kMaxLeaves = 64;    // scalars of one value
constexpr std::size_t kMaxPatterns = 16;  // of one item: cells inside, at edges and corners

enum Word : std::uint64_t { kItself, kVariable, kNumber, kAggregate, kNode };
std::uint64_t word(Word kind, std::uint64_t a, std::uint64_t b = 0) { return kind | a << 4 | b << 32; }

std::optional<std::int64_t> value_of(Machine& machine, const Affine& affine) {
  std::int64_t sum = affine.offset;
  for (auto [slot, factor] : affine.terms) {
    const Value& v = machine.slot(slot);
    std::int64_t term = 0;
    if (v.tag != Tag::Int || __builtin_mul_overflow(v.integer, factor, &term) ||
        __builtin_add_overflow(sum, term, &sum))
      return std::nullopt;
  }
  return sum;
}

bool compare(core::Primitive op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case core::Primitive::Equal: return a == b;
    case core::Primitive::NotEqual: return a != b;
    case core::Primitive::Less: return a < b;
    case core::Primitive::LessEqual: return a <= b;
    case core::Primitive::Greater: return a > b;
    default: return a >= b;
  }
}

/// Simplification removes terms and factors with these values.
bool is_special(double v) { return v == 0 || v == 1 || v == -1 || v != v; }

/// The position of the element, which is added if it is not there.
template <class T>
std::size_t position(std::vector<T>& list, const T& element) {
  const auto at = static_cast<std::size_t>(std::ranges::find(list, element) - list.begin());
  if (at == list.size()) list.push_back(element);
  return at;
}

}  // namespace

LoopPatterns::ItemPatterns* LoopPatterns::patterns_of(const core::Item& item,
                                                      const ParameterisedItem*& parameterised) {
  if (machine_.size_analysis || machine_.claims) return nullptr;
  const auto found = parts_.code.parameterised.find(&item);
  if (found == parts_.code.parameterised.end()) return nullptr;
  parameterised = &found->second;
  ItemPatterns& patterns = patterns_[&item];
  return patterns.given_up ? nullptr : &patterns;
}

std::optional<Value> LoopPatterns::read(const Reading& r) {
  if (r.kind == Reading::Part) return read_part(r);
  auto left = value_of(machine_, r.left), right = value_of(machine_, r.right);
  if (!left || !right) return std::nullopt;
  return r.kind == Reading::Number ? Value::of_real(static_cast<double>(*left))
                                   : Value::of_bool(compare(r.op, *left, *right));
}

std::optional<Value> LoopPatterns::read_part(const Reading& r) {
  Value v = machine_.slot(r.local);
  if (r.member) {
    if (!is_object(v, ObjectKind::Label)) return std::nullopt;
    std::vector<Value> iterations;
    for (const Affine& affine : r.iterations) {
      auto iteration = value_of(machine_, affine);
      if (!iteration) return std::nullopt;
      iterations.push_back(Value::of_int(*iteration));
    }
    auto found = parts_.applications.member(*r.member, v, iterations);
    machine_.begin_report();  // if the instance does not exist yet, the evaluation of the item waits for it
    if (!found) return std::nullopt;
    v = is_object(*found, ObjectKind::Member)
            ? Value::of_signal(machine_.signals.slot(ColumnRef(member_of(*found->object)).slot()))
            : *found;
  }
  for (const Reading::Step& step : r.steps) {
    if (step.is_field) {
      if (is_object(v, ObjectKind::Record))
        v = v.object->items[step.field];
      else if (is_object(v, ObjectKind::Node) && parts_.nodes.is_potential(*v.object, step.field))
        v = parts_.nodes.field(*v.object, step.field, {});
      else
        return std::nullopt;
      continue;
    }
    auto index = value_of(machine_, step.index);
    if (!index || !is_object(v, ObjectKind::Vector)) return std::nullopt;
    // In a branch that is not taken an index may be out of range; in one that is taken, evaluation reports
    // it.
    if (*index < 1 || *index > v.object->size) return r.strict ? std::nullopt : std::optional<Value>(Value{});
    v = v.object->items[*index - 1];
  }
  if (v.tag == Tag::Undefined) return std::nullopt;
  return v;
}

void LoopPatterns::describe_scalar(const Value& v) {
  const bool is_number = v.tag == Tag::Int || v.tag == Tag::Bool || v.tag == Tag::Undefined;
  inputs_.key.push_back(word(kItself, static_cast<std::uint64_t>(v.tag), is_number ? 0 : v.index));
  inputs_.key.push_back(static_cast<std::uint64_t>(v.integer));
}

bool LoopPatterns::describe_variable(const Value& v) {
  const Node& n = machine_.signals[ExprId{v.index}];
  if (n.op != Op::Slot) return false;
  inputs_.key.push_back(word(kVariable, position(inputs_.columns, ColumnRef::of_slot(n.a))));
  return true;
}

// Pushes the parts of the object on `work_`.
bool LoopPatterns::describe_object(const Object& o) {
  switch (o.kind) {
    case ObjectKind::Tuple:
    case ObjectKind::Record:
    case ObjectKind::Vector:
      inputs_.key.push_back(word(kAggregate, static_cast<std::uint64_t>(o.kind), o.size));
      inputs_.key.push_back(o.a);
      for (std::uint32_t i = o.size; i-- > 0;) work_.push_back(o.items[i]);
      return true;
    case ObjectKind::Construct:
    case ObjectKind::Closure:
    case ObjectKind::Partial: describe_scalar(Value::of(const_cast<Object*>(&o))); return true;
    case ObjectKind::Node: {
      const NodeId node = node_of(o);
      inputs_.key.push_back(word(kNode, position(inputs_.nodes, node), parts_.nodes[node].layout.value));
      return true;
    }
    case ObjectKind::Relation:
    case ObjectKind::Layout:
    case ObjectKind::Member:
    case ObjectKind::Label:
    case ObjectKind::Unbound: return false;
  }
  return false;
}

/// Appends the description of the value to the key. `general`: a Real may be described as "a number". False
/// if the value cannot be described, or has too many parts.
bool LoopPatterns::describe(const Value& value, std::uint32_t reading, bool general) {
  if (value.tag == Tag::Signal) return describe_variable(value);
  if (value.tag == Tag::Real && general && !(value.index == kConstant && is_special(value.real))) {
    inputs_.key.push_back(word(kNumber, 0));
    inputs_.numbers.push_back({reading, value});
    return true;
  }
  if (value.tag != Tag::Object) {
    describe_scalar(value);
    return true;
  }
  work_.assign(1, value);
  for (std::size_t leaves = 0; !work_.empty(); ++leaves) {
    const Value v = work_.back();
    work_.pop_back();
    if (leaves + work_.size() > kMaxLeaves) return false;
    if (v.tag == Tag::Signal) {
      if (!describe_variable(v)) return false;
    } else if (v.tag != Tag::Object) {
      describe_scalar(v);
    } else if (!describe_object(*v.object)) {
      return false;
    }
  }
  return true;
}

/// Describes all inputs; `numbers`: Reals that change from iteration to iteration as "a number".
bool LoopPatterns::describe(const ItemPatterns& patterns, bool numbers) {
  inputs_.key.clear();
  inputs_.columns.clear();
  inputs_.nodes.clear();
  inputs_.numbers.clear();
  for (std::uint32_t k = 0; k < inputs_.values.size(); ++k)
    if (!describe(inputs_.values[k], k, numbers && patterns.general[k])) return false;
  return true;
}

/// Whether there is a pattern with the key of the inputs; it becomes the first one.
bool LoopPatterns::find(ItemPatterns& patterns) {
  auto& all = patterns.patterns;
  auto at = std::ranges::find(all, inputs_.key, &LoopPattern::key);
  if (at == all.end()) return false;
  if (at != all.begin()) {
    LoopPattern p = std::move(*at);
    all.erase(at);
    all.push_front(std::move(p));
  }
  return true;
}

/// A pattern that is not a function of the inputs holds for one iteration, and there is no use in recording
/// more of them; nor where most iterations need one.
void LoopPatterns::keep(ItemPatterns& patterns, LoopPattern pattern, bool is_function) {
  ++patterns.recorded;
  if (!is_function || patterns.recorded > kMaxPatterns + patterns.fitted / 4) patterns.given_up = true;
  pattern.key = inputs_.key;
  patterns.patterns.push_front(std::move(pattern));
  if (patterns.patterns.size() > kMaxPatterns) patterns.patterns.pop_back();
}

/// Sets numbers_ to the numbers of the pattern in this iteration. False if simplification would remove a term
/// for one of them.
bool LoopPatterns::set_numbers(const LoopPattern& pattern) {
  ExprPool& pool = machine_.parameters;
  numbers_.clear();
  for (ExprId number : pattern.numbers) {
    const ExprId recorded = number;
    if (!inputs_.numbers.empty()) {
      const Node& n = pool[number];
      auto value = [&](const Node& leaf) {
        return leaf.op == Op::Param && InputNumber::is(leaf.a)
                   ? machine_.to_parameter(inputs_.numbers[InputNumber::index(leaf.a)].value)
                   : pool.intern(leaf);
      };
      number = arity(n.op) == 0 ? value(Node(n)) : symbolic::rewrite(pool, number, pool, value);
      const Node& now = pool[number];
      if (number != recorded && now.op == Op::Const && is_special(now.value)) return false;
    }
    numbers_.push_back(number);
  }
  return true;
}

/// Adds a row of the pattern over the columns and numbers_ of this iteration.
void LoopPatterns::add_row(const LoopPattern& pattern, std::size_t row, RowKind kind, ColumnId first_new) {
  const LoopPattern::Row &r = pattern.rows[row], &end = pattern.rows[row + 1];
  parts_.rows.begin(r.table, r.source, kind);
  for (std::uint32_t k = r.first_slot; k < end.first_slot; ++k) {
    const LoopPattern::Slot slot = pattern.slots[k];
    parts_.rows.add_slot(slot.is_new ? ColumnRef(ColumnId{first_new.value + slot.index})
                                     : inputs_.columns[slot.index]);
  }
  for (std::uint32_t n = r.first_number; n < end.first_number; ++n) parts_.rows.add_number(numbers_[n]);
}

}  // namespace sigrel::elaborate
