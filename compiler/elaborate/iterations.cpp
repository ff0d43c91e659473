// An equation in a loop is to its turns what a relation is to its instances: it is evaluated once for all
// turns that read the same kind of values, and a turn is columns and numbers.
//
// The compiler turns the item into a function of what it reads (OpenedItem): parts of values, `u[i + 1]`,
// numbers made of counters, and comparisons of counters. Before each turn these are read, which takes no
// evaluation, and described in words: a variable is "variable number k of those read", so that two that are
// one are told from two; a Real that changes from turn to turn is "a number" and becomes a parameter; all
// else (counters, Bools, what is a number but not in this loop) is itself. Turns of one description have the
// same rows over other columns and parameters: a Pattern.
//
// Example: `der u[i] = k[i] * (u[i - 1] - u[i])` reads u[i], k[i], u[i - 1], described as variable 0, a
// number, variable 1; the pattern is der s0 - p0 * (s1 - s0). Where k[i] is 0, 1 or -1 it is described as
// that: what a term vanishes with is not left to the run.
#include <algorithm>
#include <array>
#include <bit>

#include "compiler/elaborate/body.h"
#include "compiler/symbolic/symbolic.h"

namespace sigrel::elaborate {
namespace {

/// The parameter expressions of numbers that are read, while a pattern is made.
constexpr std::uint32_t kRead = 0x40000000;
constexpr std::size_t kMaxLeaves = 64;    // scalars of one value
constexpr std::size_t kMaxPatterns = 16;  // kept: cells inside, at edges and corners

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

/// Terms and factors vanish with these.
bool is_special(double v) { return v == 0 || v == 1 || v == -1 || v != v; }

}  // namespace

std::optional<Value> BodyBuilder::read(const Reading& r) {
  if (r.kind != Reading::Part) {
    auto left = value_of(machine_, r.left), right = value_of(machine_, r.right);
    if (!left || !right) return std::nullopt;
    return r.kind == Reading::Number ? Value::of_real(static_cast<double>(*left))
                                     : Value::of_bool(compare(r.op, *left, *right));
  }
  Value v = machine_.slot(r.local);
  if (r.member) {
    if (!is_object(v, ObjectKind::Label)) return std::nullopt;
    std::vector<Value> turns;
    for (const Affine& affine : r.iterations) {
      auto turn = value_of(machine_, affine);
      if (!turn) return std::nullopt;
      turns.push_back(Value::of_int(*turn));
    }
    auto found = member(*r.member, v, turns);
    machine_.begin_report();  // an instance that is not there yet is waited for where the item is evaluated
    if (!found) return std::nullopt;
    v = is_object(*found, ObjectKind::Member) ? Value::of_signal(member_signal(*found->object)) : *found;
  }
  for (const Reading::Step& step : r.steps) {
    if (step.is_field) {
      if (is_object(v, ObjectKind::Record)) {
        v = v.object->items[step.field];
      } else if (is_object(v, ObjectKind::Node) && is_potential(*v.object, step.field)) {
        v = *node_field(*v.object, step.field, {});
      } else {
        return std::nullopt;
      }
      continue;
    }
    auto index = value_of(machine_, step.index);
    if (!index || !is_object(v, ObjectKind::Vector)) return std::nullopt;
    // In a branch that is not taken an index may be outside; if it is taken, evaluation says so.
    if (*index < 1 || *index > v.object->size) return r.strict ? std::nullopt : std::optional<Value>(Value{});
    v = v.object->items[*index - 1];
  }
  if (v.tag == Tag::Undefined) return std::nullopt;
  return v;
}

/// Appends what the value is to the words. False where it cannot be told apart, or would take too long.
bool BodyBuilder::describe(const Value& value, std::uint32_t reading, bool general) {
  auto scalar = [&](const Value& v) {
    words_.push_back(word(kItself, static_cast<std::uint64_t>(v.tag),
                          v.tag == Tag::Int || v.tag == Tag::Bool || v.tag == Tag::Undefined ? 0 : v.index));
    words_.push_back(static_cast<std::uint64_t>(v.integer));
    return true;
  };
  auto variable = [&](const Value& v) {
    const Node& n = machine_.signals[ExprId{v.index}];
    if (n.op != Op::Slot) return false;
    const auto at = std::ranges::find(read_columns_, n.a) - read_columns_.begin();
    if (static_cast<std::size_t>(at) == read_columns_.size()) read_columns_.push_back(n.a);
    words_.push_back(word(kVariable, static_cast<std::uint64_t>(at)));
    return true;
  };
  if (value.tag == Tag::Signal) return variable(value);
  if (value.tag == Tag::Real && general && !(value.index == kConstant && is_special(value.real))) {
    words_.push_back(word(kNumber, 0));
    read_numbers_.emplace_back(reading, value);
    return true;
  }
  if (value.tag != Tag::Object) return scalar(value);
  std::vector<Value>& work = parts_;
  work.assign(1, value);
  for (std::size_t leaves = 0; !work.empty(); ++leaves) {
    const Value v = work.back();
    work.pop_back();
    if (leaves + work.size() > kMaxLeaves) return false;
    if (v.tag == Tag::Signal) {
      if (!variable(v)) return false;
    } else if (v.tag != Tag::Object) {
      scalar(v);
    } else {
      const Object& o = *v.object;
      switch (o.kind) {
        case ObjectKind::Tuple:
        case ObjectKind::Record:
        case ObjectKind::Vector:
          words_.push_back(word(kAggregate, static_cast<std::uint64_t>(o.kind), o.size));
          words_.push_back(o.a);
          for (std::uint32_t i = o.size; i-- > 0;) work.push_back(o.items[i]);
          break;
        case ObjectKind::Construct:
        case ObjectKind::Closure:
        case ObjectKind::Partial:
          scalar(v);  // this one
          break;
        case ObjectKind::Node: {
          const auto at = std::ranges::find(read_nodes_, o.a) - read_nodes_.begin();
          if (static_cast<std::size_t>(at) == read_nodes_.size()) read_nodes_.push_back(o.a);
          words_.push_back(word(kNode, static_cast<std::uint64_t>(at), nodes_[o.a].layout.value));
          break;
        }
        case ObjectKind::Relation:
        case ObjectKind::Layout:
        case ObjectKind::Member:
        case ObjectKind::Label:
        case ObjectKind::Unbound: return false;
      }
    }
  }
  return true;
}

bool BodyBuilder::describe(const Turns& turns, bool numbers) {
  words_.clear();
  read_columns_.clear();
  read_nodes_.clear();
  read_numbers_.clear();
  for (std::uint32_t k = 0; k < read_.size(); ++k)
    if (!describe(read_[k], k, numbers && turns.general[k])) return false;
  return true;
}

/// Whether a pattern has these words; it is the first one then.
bool BodyBuilder::known(Turns& turns) {
  auto& all = turns.patterns;
  auto at = std::ranges::find(all, words_, &Pattern::words);
  if (at != all.begin() && at != all.end()) {
    Pattern p = std::move(*at);
    all.erase(at);
    all.push_front(std::move(p));
    at = all.begin();
  }
  return at != all.end();
}

void BodyBuilder::keep(Turns& turns, Pattern pattern, bool is_function) {
  ++turns.recorded;
  if (!is_function || turns.recorded > kMaxPatterns + turns.fitted / 4) turns.given_up = true;
  pattern.words = words_;
  turns.patterns.push_front(std::move(pattern));
  if (turns.patterns.size() > kMaxPatterns) turns.patterns.pop_back();
}

std::optional<Machine::Status> BodyBuilder::turn(const core::EquationItem& item, Target target) {
  if (machine_.size_analysis || machine_.claims || target == Target::Guess) return std::nullopt;
  const auto found = code_->parameterised.find(&item);
  if (found == code_->parameterised.end()) return std::nullopt;
  const ParameterisedItem& opened = found->second;
  Turns& turns = turns_[&item];
  if (turns.given_up) return std::nullopt;
  if (turns.general.empty())
    for (const Reading& r : opened.readings) {
      const bool indexed =
          std::ranges::any_of(r.steps, [](const Reading::Step& s) { return !s.index.terms.empty(); });
      turns.general.push_back(r.kind == Reading::Number || indexed);
    }
  const Scratch before = scratch();
  read_.clear();
  for (const Reading& r : opened.readings) {
    auto value = read(r);
    if (!value && r.strict && retries_ == 0)
      return Status::NotReady;  // the `let` has to be evaluated, and may not be possible
    if (!value) return std::nullopt;
    read_.push_back(*value);
  }
  const RowKind kind = target == Target::Initial ? RowKind::Initial : RowKind::Equation;
  for (bool numbers : {true, false}) {
    if (!describe(turns, numbers) || !read_nodes_.empty()) return std::nullopt;
    bool is_known = known(turns);
    if (!is_known && numbers &&
        turns.last.size() == read_.size()) {  // a Real that was another in the last turn is one that changes
      bool changed = false;
      for (std::uint32_t k = 0; k < read_.size(); ++k) {
        const Value &v = read_[k], &last = turns.last[k];
        if (v.tag != Tag::Real || last.tag != Tag::Real || turns.general[k] ||
            (v.index == last.index && v.integer == last.integer))
          continue;
        turns.general[k] = changed = true;
      }
      if (changed) {
        describe(turns, true);
        is_known = known(turns);
      }
    }
    if (numbers) turns.last = read_;
    if (is_known) {
      ++turns.fitted;
    } else {
      Pattern pattern;
      bool is_function = true;
      if (auto status = record(item, opened, kind, pattern, is_function))
        return status == Status::Failed ? status : std::nullopt;
      keep(turns, std::move(pattern), is_function);
    }
    if (repeat(turns.patterns.front(), kind)) {
      release(before);
      return Status::Done;
    }
  }
  return std::nullopt;
}

/// Evaluates the item as a function of what it reads. Returns what went wrong.
std::optional<Machine::Status> BodyBuilder::record(const core::EquationItem& item,
                                                   const ParameterisedItem& opened, RowKind kind,
                                                   Pattern& pattern, bool& is_function) {
  const Scratch before = scratch();
  auto made = [&] {
    return std::array{columns_.size(), children_.size(), nodes_.size(),
                      uses_.size(),    deep_.size(),     triggers_.size()};
  };
  const auto had = made();
  const std::set<std::uint32_t> forced = forced_;
  for (std::uint32_t k = 0; k < read_.size(); ++k) machine_.slot(opened.first + k) = read_[k];
  for (std::uint32_t n = 0; n < read_numbers_.size(); ++n) {
    auto [k, v] = read_numbers_[n];
    machine_.slot(opened.first + k) = Value::of_real(v.real, machine_.parameters.param(kRead + n).value);
  }
  Value left, right;
  if (Status s = machine_.chunk(machine_.code().function(opened.left), 0, left); s != Status::Done) return s;
  if (Status s = machine_.chunk(machine_.code().function(opened.right), 0, right); s != Status::Done)
    return s;
  std::vector<std::pair<ExprId, LocalName>> residuals;
  machine_.begin_report();
  if (!equate(left, right, item.span, residuals))
    return machine_.is_not_ready() ? Status::NotReady : Status::Failed;
  std::vector<std::uint32_t> columns, numbers;
  for (auto& [residual, component] : residuals) {
    const Pattern::Row r{
        0,
        source(kind == RowKind::Initial ? system::EquationKind::Initial : system::EquationKind::Written,
               item.span, component),
        static_cast<std::uint32_t>(columns.size()), static_cast<std::uint32_t>(numbers.size())};
    pattern.rows.push_back(r);
    pattern.rows.back().table = table(residual, kind, columns, numbers);
  }
  pattern.rows.push_back(
      {0, 0, static_cast<std::uint32_t>(columns.size()), static_cast<std::uint32_t>(numbers.size())});
  is_function = add_columns(columns, pattern);
  for (std::uint32_t n : numbers) pattern.numbers.push_back(ExprId{n});
  // What a number decides is not the same for another one.
  for (auto f = forced_.lower_bound(kRead); f != forced_.end(); f = forced_.erase(f)) {
    is_function = false;
    if (const Value& v = read_numbers_[*f - kRead].second; v.index != kConstant) force(v.index);
  }
  is_function &= made() == had && forced_ == forced && machine_.cached_globals() == before.globals;
  for (std::uint32_t k = 0; k < read_.size(); ++k) machine_.slot(opened.first + k) = {};
  release(before);
  return std::nullopt;
}

/// Which of the columns that are read these are. False where one came another way: then only this turn is
/// told how.
bool BodyBuilder::add_columns(std::span<const std::uint32_t> columns, Pattern& pattern) {
  bool all_read = true;
  for (std::uint32_t c : columns) {
    const bool made = c >= kMade && !(c & kDeep);
    const auto at = std::ranges::find(read_columns_, c) - read_columns_.begin();
    if (!made && static_cast<std::size_t>(at) == read_columns_.size()) {
      all_read = false;
      read_columns_.push_back(c);
    }
    pattern.columns.push_back(made ? c : static_cast<std::uint32_t>(at));
  }
  return all_read;
}

/// The numbers of the pattern in this turn, in numbers_. False when one of them makes a term vanish.
bool BodyBuilder::numbers_of(const Pattern& pattern) {
  ExprPool& pool = machine_.parameters;
  numbers_.clear();
  for (ExprId number : pattern.numbers) {
    const ExprId given = number;
    if (!read_numbers_.empty()) {
      const Node& n = pool[number];
      auto value = [&](const Node& leaf) {
        return leaf.op == Op::Param && leaf.a >= kRead
                   ? machine_.to_parameter(read_numbers_[leaf.a - kRead].second)
                   : pool.intern(leaf);
      };
      number = arity(n.op) == 0 ? value(Node(n)) : symbolic::rewrite(pool, number, pool, value);
      const Node& now = pool[number];
      if (number != given && now.op == Op::Const && is_special(now.value)) return false;
    }
    numbers_.push_back(number.value);
  }
  return true;
}

/// Row number `row` of the pattern over the columns and numbers of this turn; `made` is the first column that
/// it made.
void BodyBuilder::add_row(const Pattern& pattern, std::size_t row, RowKind kind, std::uint32_t made) {
  const Pattern::Row &r = pattern.rows[row], &end = pattern.rows[row + 1];
  rows_[static_cast<std::size_t>(kind)].push_back({r.table, static_cast<std::uint32_t>(slots_.size()),
                                                   static_cast<std::uint32_t>(row_reals_.size()), r.source,
                                                   0});
  for (std::uint32_t k = r.first_column; k < end.first_column; ++k) {
    const std::uint32_t c = pattern.columns[k];
    slots_.push_back(c >= kMade ? made + c - kMade : read_columns_[c]);
  }
  for (std::uint32_t n = r.first_number; n < end.first_number; ++n)
    row_reals_.push_back(real(ExprId{numbers_[n]}));
}

/// The rows of the pattern. False, with nothing done, when a number makes a term vanish.
bool BodyBuilder::repeat(const Pattern& pattern, RowKind kind) {
  if (!numbers_of(pattern)) return false;
  for (std::size_t row = 0; row + 1 < pattern.rows.size(); ++row) add_row(pattern, row, kind);
  return true;
}

}  // namespace sigrel::elaborate
