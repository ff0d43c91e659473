#include "compiler/evaluate/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "compiler/evaluate/operands.h"
#include "compiler/evaluate/size_dependence.h"

namespace sigrel::evaluate {
namespace {

// A sample of a size that the definition does not accept may recurse without end.
constexpr std::size_t kMaxSampleFrames = 10'000;
constexpr std::uint64_t kMaxSampleSteps = 1'000'000;
constexpr std::uint64_t kMaxSampleMemory = std::uint64_t{512} << 20;

}  // namespace

bool contains(const Value& value, Tag tag) {
  std::vector<Value> work{value};
  std::unordered_set<const Object*> seen;
  while (!work.empty()) {
    Value v = work.back();
    work.pop_back();
    if (v.tag == tag) return true;
    if (v.tag != Tag::Object || v.object->size == 0 || !seen.insert(v.object).second) continue;
    work.insert(work.end(), v.object->items, v.object->items + v.object->size);
  }
  return false;
}

void Machine::fail(Code code, Span span, std::string message) {
  if (reported_) return;
  reported_ = true;
  Diagnostic& d = diagnostics_.report(code, span, std::move(message));
  last_ = &d;
  // The innermost calls, one line per function.
  const FunctionCode* shown = nullptr;
  int lines = 0;
  for (std::size_t i = frames_.size(); i-- > 0 && lines < 4;) {
    const Frame& f = frames_[i];
    if (f.call.begin == f.call.end || f.call == span || f.function == shown) continue;
    shown = f.function;
    d.also(f.call,
           fmt::format("called from here{}",
                       f.function->name == Name{} ? "" : fmt::format(" (`{}`)", text(f.function->name))));
    ++lines;
  }
}

void Machine::fail_limit(std::string_view limit, Span span, std::string message) {
  fail(Code::LimitExceeded, span, std::move(message));
  if (!last_) return;
  const auto info = std::ranges::find(kLimits, limit, &LimitInfo::name);
  last_->note(fmt::format("the limit `{}` is {}", limit, limits.*info->value));
  last_->help(fmt::format("if this is intended, raise it with `--limit {}=VALUE`", limit));
}

/// Counts work of an evaluation; false (reported) when it is more than the limit.
bool Machine::take_steps(std::uint64_t steps, Span span) {
  steps_ += steps;
  if (steps_ <= (size_analysis ? kMaxSampleSteps : limits.steps)) return true;
  fail(Code::EvaluationTooLong, span, "the evaluation does not come to an end");
  if (last_)
    last_->note(fmt::format("it was stopped after {} steps", limits.steps))
        .help("if it only takes long, raise the limit with `--limit steps=VALUE`");
  return false;
}

/// Runs the frames above the boundary. Values beyond the limit of memory end it with an error where it is.
Machine::Status Machine::run() {
  const std::size_t before =
      heap_.limit(size_analysis ? std::min<std::uint64_t>(limits.memory, kMaxSampleMemory) : limits.memory);
  Status status = Status::Failed;
  try {
    status = execute();
  } catch (const Heap::Full&) {
    const Frame& frame = frames_.back();
    fail_limit("memory", frame.function->spans[frame.pc - 1],
               fmt::format("the values of this evaluation take more than {} MB", limits.memory >> 20));
  }
  heap_.limit(before);
  return status;
}

void Machine::begin_body(std::uint32_t slots) {
  frames_.clear();
  stack_.assign(slots, Value{});
  parameters.truncate(0);
  signals.truncate(0);
  equalities.clear();
  reported_ = false;
}

Machine::Status Machine::global(core::GlobalId id, Span span, Value& result) {
  reported_ = false;
  steps_ = 0;
  GlobalState& g = globals_[id.value];
  if (g.state == GlobalState::Done) {
    result = g.value;
    return Status::Done;
  }
  if (!g.compiled) {
    g.code = code_.compile(id);
    g.compiled = true;
  }
  g.state = GlobalState::Evaluating;
  auto base = static_cast<std::uint32_t>(stack_.size());
  const FunctionCode& f = code_.function(g.code);
  frames_.push_back({&f, 0, base, nullptr, id.value + 1, kNoStop, true, nullptr, span});
  stack_.resize(base + f.slots);
  Status status = run();
  if (status == Status::Done) {
    result = stack_.back();
    stack_.pop_back();
  }
  return status;
}

void Machine::replace_globals(std::span<const std::pair<core::GlobalId, Value>> values) {
  for (GlobalState& g : globals_) g.state = GlobalState::Unknown;
  for (const auto& [id, value] : values) {
    globals_[id.value].state = GlobalState::Done;
    globals_[id.value].value = value;
  }
}

/// The relation with further values for parameters in it, which are on the stack: an item behind its
/// captures. Null (reported) if it is known only as a parameter of the body under construction.
RelationObject* Machine::with_parameters(const RelationObject& relation, const core::UpdateExpr& update) {
  const auto count = static_cast<std::uint32_t>(update.updates.size());
  if (relation.own_captured != kNone) {
    fail(Code::NotSupported, update.span, "`with` cannot change a relation that was passed as an argument");
    if (last_) last_->help("change it where it is passed: `f (r with { … })`");
    return nullptr;
  }
  Object* values = heap_.object(ObjectKind::Construct, count);
  values->code = &update;
  std::copy_n(stack_.end() - count, count, values->items);
  RelationObject* result = heap_.relation(relation.relation(), relation.size + 1);
  std::ranges::copy(relation.span(), result->items);
  result->items[relation.size] = Value::of(values);
  result->origin = relation.origin;
  return result;
}

Machine::Status Machine::chunk(const FunctionCode& f, std::uint32_t base, Value& result) {
  reported_ = false;
  steps_ = 0;
  std::size_t depth = frames_.size(), height = stack_.size();
  frames_.push_back({&f, 0, base, nullptr, 0, kNoStop, true, nullptr, {}});
  Status status = run();
  if (status == Status::Done) {
    result = stack_.back();
    stack_.pop_back();
  } else {
    frames_.resize(depth);
    stack_.resize(height);
  }
  return status;
}

bool Machine::read_members(Value& value) {
  auto is_aggregate = [](const Value& v) {
    return is_object(v, ObjectKind::Construct) || is_object(v, ObjectKind::Tuple) ||
           is_object(v, ObjectKind::Record) || is_object(v, ObjectKind::Vector) ||
           is_object(v, ObjectKind::Closure) || is_object(v, ObjectKind::Partial);
  };
  bool any = false;
  std::unordered_set<const Object*> seen;  // a closure may capture itself
  std::vector<Value*> open{&value};
  while (!open.empty()) {
    Value& v = *open.back();
    open.pop_back();
    if (is_object(v, ObjectKind::Member)) {
      v = Value::of_signal(host->member_signal(*v.object));
      any = true;
    } else if (is_aggregate(v) && seen.insert(v.object).second) {
      for (std::uint32_t k = 0; k < v.object->size; ++k) open.push_back(&v.object->items[k]);
    }
  }
  return any;
}

// The captures of a relation become slots of its body's frame; those of a function are a separate array.
std::optional<Value> Machine::capture_relation(const RelationCode& code, const Frame& frame, Span span) {
  RelationObject* o = heap_.relation(code, static_cast<std::uint32_t>(code.captures.size()));
  for (std::uint32_t i = 0; i < o->size; ++i) {
    o->items[i] = captured(code.captures[i], frame);
    if (captures_signals) read_members(o->items[i]);
    const Value& v = o->items[i];
    if ((v.tag == Tag::Signal && !captures_signals) || is_object(v, ObjectKind::Node) ||
        is_object(v, ObjectKind::Unbound) || is_object(v, ObjectKind::Member)) {
      fail(Code::SignalOutOfReach, span,
           fmt::format("the relation uses the signal `{}` of the relation around it",
                       text(code.global->local_names[code.captured[i].value])));
      if (last_)
        last_->help("signals are not values: pass it through the interface of the relation with `<>`");
      return std::nullopt;
    }
  }
  return Value::of(o);
}

void Machine::patch(Value closure) {
  Frame frame{nullptr, 0, 0, nullptr, 0, kNoStop, false, nullptr, {}};
  const std::vector<CaptureSource>* sources = nullptr;
  if (is_object(closure, ObjectKind::Closure))
    sources = &static_cast<const FunctionCode*>(closure.object->code)->captures;
  else if (is_object(closure, ObjectKind::Relation))
    sources = &static_cast<RelationObject*>(closure.object)->relation().captures;
  else
    return;
  for (std::uint32_t i = 0; i < closure.object->size; ++i)
    if ((*sources)[i].local) closure.object->items[i] = captured((*sources)[i], frame);
}

bool Machine::is_defined(const Value& value) const {
  return !captured_undefined_ || !contains(value, Tag::Undefined);
}

void Machine::steer(const Value& real) {
  if (real.index == kConstant || !host) return;
  if (size_analysis) {
    ExprId root{real.index};
    bool only_sizes = true;
    for (ExprId id : topological(parameters, {&root, 1}))
      if (parameters[id].op == Op::Param) only_sizes &= parameters[id].a == kSizeDependentReal;
    if (only_sizes) {
      size_analysis->pin({1, 0});
      return size_analysis->pin({0, 1});
    }
  }
  host->force(real.index);
}

void Machine::pin(const Value& value) {
  if (size_analysis && value.tag == Tag::Int && value.index != kConstant) size_analysis->pin(value);
}

bool Machine::call(std::uint32_t count, Span span, bool tail) {
  for (;;) {
    std::size_t at = stack_.size() - count - 1;
    Value callee = stack_[at];
    if (callee.tag == Tag::Undefined) {
      not_ready_ = true;
      return false;
    }
    if (is_object(callee, ObjectKind::Partial)) {
      Object* p = callee.object;
      stack_.insert(stack_.begin() + static_cast<std::ptrdiff_t>(at) + 1, p->items + 1, p->items + p->size);
      stack_[at] = p->items[0];
      count += p->size - 1;
      continue;
    }
    if (!is_object(callee, ObjectKind::Closure)) {
      fail(Code::NotSupported, span, fmt::format("{} is applied to an argument", kind_of(callee)));
      return false;
    }
    const auto& f = *static_cast<const FunctionCode*>(callee.object->code);
    if (count < f.arity) {
      Object* p = heap_.object(ObjectKind::Partial, count + 1);
      std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end(), p->items);
      stack_.resize(at);
      stack_.push_back(Value::of(p));
      return true;
    }
    Object* pending = nullptr;
    if (count > f.arity) {
      pending = heap_.object(ObjectKind::Tuple, count - f.arity);
      std::copy(stack_.end() - (count - f.arity), stack_.end(), pending->items);
      stack_.resize(stack_.size() - (count - f.arity));
    }
    if (tail && !pending && !size_analysis) {
      Frame& frame = frames_.back();
      if (!frame.pending && !frame.global && frame.closure) {  // the frame's own callee slot is base - 1
        std::copy(stack_.begin() + static_cast<std::ptrdiff_t>(at), stack_.end(),
                  stack_.begin() + frame.base - 1);
        stack_.resize(frame.base + f.arity);
        stack_.resize(frame.base + f.slots);  // the rest undefined
        frame.function = &f;
        frame.pc = 0;
        frame.stop = kNoStop;
        frame.closure = callee.object;
        return true;
      }
    }
    if (frames_.size() >= (size_analysis ? kMaxSampleFrames : limits.calls)) {
      fail(Code::EvaluationTooDeep, span, fmt::format("`{}` calls itself without end", text(f.name)));
      if (last_) {
        last_->note(
            fmt::format("the evaluation stopped at a depth of {} calls (`--limit calls`)", limits.calls));
        last_->help("check that every call comes nearer to a case that does not call again");
      }
      return false;
    }
    auto base = static_cast<std::uint32_t>(at + 1);
    frames_.push_back({&f, 0, base, callee.object, 0, kNoStop, false, pending, span});
    if (size_analysis)
      size_analysis->enter(frames_.size(), *callee.object, std::span(stack_).subspan(base, f.arity));
    stack_.resize(base + f.slots);
    return true;
  }
}

}  // namespace sigrel::evaluate
