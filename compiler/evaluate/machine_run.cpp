// The loop over the instructions of bytecode, and matching of values with patterns.
#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "compiler/evaluate/operands.h"
#include "compiler/evaluate/size_dependence.h"

namespace sigrel::evaluate {
namespace {

constexpr int kMaxSignalBranches = 2000;

}  // namespace

bool Machine::match(std::uint32_t root, const Value& value, std::uint32_t base, Span span, bool& matched) {
  std::vector<std::pair<std::uint32_t, Value>> work{{root, value}};
  matched = true;
  while (!work.empty()) {
    auto [at, v] = work.back();
    work.pop_back();
    const PatternNode& p = code_.patterns[at];
    using core::PatternKind;
    const bool is_signal = v.tag == Tag::Signal || is_object(v, ObjectKind::Member);
    // `Choose` has decided all constructors but the last one, which is what remains.
    if (p.kind == PatternKind::Construct && is_signal && at == root && p.count == 0) continue;
    bool literal = p.kind == PatternKind::Construct || p.kind == PatternKind::Int ||
                   p.kind == PatternKind::Real || p.kind == PatternKind::Bool ||
                   p.kind == PatternKind::String;
    if (literal && is_signal) {
      fail(Code::SignalSteersStructure, span, "a signal is compared with a pattern");
      if (last_)
        last_->help(
            "a `case` that chooses during the simulation has constructors without fields as patterns; use "
            "`if` "
            "for other choices that change with time");
      return false;
    }
    switch (p.kind) {
      case PatternKind::Wildcard: break;
      case PatternKind::Variable: stack_[base + p.slot] = v; break;
      case PatternKind::Int:
        matched = v.tag == Tag::Int ? v.integer == p.integer
                                    : v.tag == Tag::Real && v.real == static_cast<double>(p.integer);
        if (size_analysis && v.tag == Tag::Int) size_analysis->compared(v, Value::of_int(p.integer));
        if (v.tag == Tag::Real) steer(v);
        break;
      case PatternKind::Bool: matched = v.tag == Tag::Bool && v.integer == p.integer; break;
      case PatternKind::Real:
        matched = v.tag == Tag::Real ? v.real == p.real
                                     : v.tag == Tag::Int && static_cast<double>(v.integer) == p.real;
        if (v.tag == Tag::Real) steer(v);
        pin(v);
        break;
      case PatternKind::String: matched = v.tag == Tag::String && v.index == p.string.value; break;
      case PatternKind::Record: {  // of a connector too: only the fields that the pattern names are read
        const core::RecordInfo& record = code_.program().records[p.tag];
        for (std::uint32_t i = p.count; i-- > 0;) {
          if (code_.patterns[p.first + i].kind == PatternKind::Wildcard) continue;
          auto part = field(v, i, record.fields[i].name, span);
          if (!part) return false;
          work.push_back({p.first + i, *part});
        }
        break;
      }
      case PatternKind::Tuple:
      case PatternKind::Construct:
        if (size_analysis && is_object(v, ObjectKind::Construct) && v.object->b != kNone) {
          std::int64_t length = 0;
          for (const Object* cell = v.object; cell->size == 2; cell = cell->items[1].object) ++length;
          Value size = Value::of_int(length);
          size.index = v.object->b;
          size_analysis->compared(size, Value::of_int(0));
        }
        if (v.tag != Tag::Object || (p.kind == PatternKind::Construct && v.object->a != p.tag)) {
          matched = false;
        } else {
          for (std::uint32_t i = p.count; i-- > 0;) work.push_back({p.first + i, v.object->items[i]});
        }
        break;
    }
    if (!matched) return true;
  }
  return true;
}

/// Evaluates both sides of a choice that a signal decides, each in a copy of the current frame, up to `stop`:
/// both become part of the expression. The second one starts with `kept` on the stack, if there is any.
Machine::Status Machine::both_sides(std::array<std::uint32_t, 2> starts, std::uint32_t stop,
                                    const Value* kept, Span span, Value (&sides)[2]) {
  if (!frames_.empty() && branch_depth_ >= kMaxSignalBranches) {
    fail(Code::EvaluationTooDeep, span,
         "a function calls itself under a condition that only the simulation decides");
    if (last_)
      last_->help("recursion must end by a condition on values that are known before the simulation");
    return Status::Failed;
  }
  ++branch_depth_;
  const Frame here = frames_.back();
  for (int side = 0; side < 2; ++side) {
    const auto height = static_cast<std::uint32_t>(stack_.size());
    const std::uint32_t size = here.closure || here.global ? here.function->slots : 0;
    Frame copy = here;
    if (size || here.closure) {
      stack_.push_back(here.closure ? stack_[here.base - 1] : Value{});
      for (std::uint32_t i = 0; i < size; ++i) stack_.push_back(stack_[here.base + i]);
      copy.base = height + 1;
    }
    if (kept && side == 1) stack_.push_back(*kept);
    copy.pc = starts[static_cast<std::size_t>(side)];
    copy.stop = stop;
    copy.boundary = true;
    copy.global = 0;
    copy.pending = nullptr;
    frames_.push_back(copy);
    if (const Status status = run(); status != Status::Done) {
      --branch_depth_;
      return status;
    }
    sides[side] = stack_.back();
    stack_.resize(height);
  }
  --branch_depth_;
  return Status::Done;
}

Machine::Status Machine::execute() {
  not_ready_ = false;
  auto failed = [&] {
    Status s = not_ready_ ? Status::NotReady : Status::Failed;
    return s;
  };
  auto collect = [&](ObjectKind kind, std::uint32_t count) {
    Object* o = heap_.object(kind, count);
    std::copy(stack_.end() - count, stack_.end(), o->items);
    stack_.resize(stack_.size() - count);
    return o;
  };
  for (;;) {
    Frame& frame = frames_.back();
    const FunctionCode& f = *frame.function;
    const Instruction in = f.code[frame.pc];
    const Span span = f.spans[frame.pc];
    ++frame.pc;
    if (!take_steps(1, span)) return Status::Failed;
    switch (in.op) {
      case Opcode::Constant: stack_.push_back(code_.constants[in.a]); break;
      case Opcode::Local: {
        Value v = stack_[frame.base + in.a];
        if (v.tag == Tag::Undefined) {
          not_ready_ = true;
          return Status::NotReady;
        }
        stack_.push_back(v);
        break;
      }
      case Opcode::Capture: {
        Value v = frame.closure->items[in.a];
        if (v.tag == Tag::Undefined) {
          not_ready_ = true;
          return Status::NotReady;
        }
        stack_.push_back(v);
        break;
      }
      case Opcode::Global: {
        GlobalState& g = globals_[in.a];
        if (g.state == GlobalState::Done) {
          stack_.push_back(g.value);
          break;
        }
        if (g.state == GlobalState::Evaluating) {
          fail(Code::DefinedByItself, span,
               fmt::format("the value of `{}` is needed to compute itself",
                           text(code_.program().globals[in.a].name)));
          return Status::Failed;
        }
        if (!g.compiled) {
          g.code = code_.compile(core::GlobalId{in.a});
          g.compiled = true;
        }
        g.state = GlobalState::Evaluating;
        auto base = static_cast<std::uint32_t>(stack_.size());
        const FunctionCode& gf = code_.function(g.code);
        frames_.push_back({&gf, 0, base, nullptr, in.a + 1, kNoStop, false, nullptr, span});
        stack_.resize(base + gf.slots);
        break;
      }
      case Opcode::Store:
        stack_[frame.base + in.a] = stack_.back();
        stack_.pop_back();
        break;
      case Opcode::Closure: {
        const FunctionCode& g = code_.function(in.a);
        Object* o = heap_.object(ObjectKind::Closure, static_cast<std::uint32_t>(g.captures.size()));
        o->code = &g;
        for (std::uint32_t i = 0; i < o->size; ++i) {
          o->items[i] = captured(g.captures[i], frame);
        }
        stack_.push_back(Value::of(o));
        break;
      }
      case Opcode::Relation: {
        auto v = capture_relation(code_.relation(in.a), frame, span);
        if (!v) return failed();
        stack_.push_back(*v);
        break;
      }
      case Opcode::Patch: {
        Value closure = stack_[frame.base + in.a];
        auto* sources = is_object(closure, ObjectKind::Closure)
                            ? &static_cast<const FunctionCode*>(closure.object->code)->captures
                            : &static_cast<RelationObject*>(closure.object)->relation().captures;
        for (std::uint32_t i = 0; i < closure.object->size; ++i)
          if ((*sources)[i].local) closure.object->items[i] = captured((*sources)[i], frame);
        break;
      }
      case Opcode::Call:
        if (!call(in.a, span, false)) return failed();
        break;
      case Opcode::TailCall:
        if (!call(in.a, span, true)) return failed();
        // If the frame was not replaced (a partial application, or a frame that must return), Return follows.
        break;
      case Opcode::Return: {
        Value result = stack_.back();
        Frame done = frame;
        if (size_analysis) size_analysis->leave(frames_.size(), result);
        if (done.global) {
          GlobalState& g = globals_[done.global - 1];
          g.value = result;
          ++cached_globals_;
          // A signal belongs to the body under construction, so the next body evaluates the global again.
          g.state = contains(result, Tag::Signal) ? GlobalState::Unknown : GlobalState::Done;
        }
        frames_.pop_back();
        if (done.closure)
          stack_.resize(done.base - 1);
        else if (done.global)
          stack_.resize(done.base);
        else
          stack_.pop_back();  // a chunk: only its result is above the body's frame
        stack_.push_back(result);
        if (done.boundary) return Status::Done;
        if (done.pending) {
          stack_.insert(stack_.end(), done.pending->items, done.pending->items + done.pending->size);
          if (!call(done.pending->size, done.call, false)) return failed();
        }
        break;
      }
      case Opcode::Jump: frame.pc = in.a; break;
      case Opcode::Branch: {
        Value condition = stack_.back();
        stack_.pop_back();
        if (condition.tag == Tag::Bool) {
          if (!condition.integer) frame.pc = in.a;
          break;
        }
        if (condition.tag != Tag::Signal && !is_object(condition, ObjectKind::Member)) {
          fail(Code::NotSupported, span, fmt::format("the condition of an `if` is {}", kind_of(condition)));
          return Status::Failed;
        }
        Value sides[2];
        if (Status s = both_sides({frame.pc, in.a}, in.b, nullptr, span, sides); s != Status::Done) return s;
        auto joined = select(condition, sides[0], sides[1], span);
        if (!joined) return failed();
        stack_.push_back(*joined);
        Frame& now = frames_.back();
        // In a tail position the code after the Join is unreachable: the joined value is this frame's result.
        now.pc = in.b;
        break;
      }
      case Opcode::Choose: {
        const Value top = stack_.back();
        const Instruction match = f.code[frame.pc];
        if (top.tag != Tag::Signal && !is_object(top, ObjectKind::Member)) break;
        const auto is_this = scalar(Op::Equal, top, Value::of_int(code_.patterns[match.a].tag), span);
        if (!is_this) return failed();
        Value sides[2];
        if (Status s = both_sides({frame.pc + 1, match.b}, in.a, &top, span, sides); s != Status::Done)
          return s;
        auto joined = select(*is_this, sides[0], sides[1], span);
        if (!joined) return failed();
        stack_.back() = *joined;
        frames_.back().pc = in.a;
        break;
      }
      case Opcode::Join:
        if (frame.stop == frame.pc - 1) {
          Value result = stack_.back();
          frames_.pop_back();
          stack_.push_back(result);
          return Status::Done;
        }
        break;
      case Opcode::Match: {
        bool matched = false;
        if (!match(in.a, stack_.back(), frame.base, span, matched)) return failed();
        if (matched)
          stack_.pop_back();
        else
          frame.pc = in.b;
        break;
      }
      case Opcode::Pop: stack_.pop_back(); break;
      case Opcode::MatchFailure:
        fail(Code::NotSupported, span,
             fmt::format("no case matches: the value is {}", kind_of(stack_.back())));
        return Status::Failed;
      case Opcode::Tuple: stack_.push_back(Value::of(collect(ObjectKind::Tuple, in.a))); break;
      case Opcode::Vector: stack_.push_back(Value::of(collect(ObjectKind::Vector, in.a))); break;
      case Opcode::Construct: {
        Object* o = collect(ObjectKind::Construct, in.b);
        o->a = in.a;
        stack_.push_back(Value::of(o));
        break;
      }
      case Opcode::Record: {
        Object* o = collect(ObjectKind::Record, in.b);
        o->a = in.a;
        stack_.push_back(Value::of(o));
        break;
      }
      case Opcode::Update: {
        const core::UpdateExpr& u = *code_.updates[in.a];
        std::size_t count = u.updates.size();
        Value base = stack_[stack_.size() - count - 1];
        if (is_object(base, ObjectKind::Relation)) {
          RelationObject* changed = with_parameters(*static_cast<RelationObject*>(base.object), u);
          if (!changed) return Status::Failed;
          stack_.resize(stack_.size() - count - 1);
          stack_.push_back(Value::of(changed));
          break;
        }
        if (!is_object(base, ObjectKind::Record)) {
          fail(Code::NotSupported, span, fmt::format("`with` updates a record; this is {}", kind_of(base)));
          return Status::Failed;
        }
        Object* o = heap_.object(ObjectKind::Record, base.object->size);
        o->a = base.object->a;
        std::copy_n(base.object->items, o->size, o->items);
        for (std::size_t i = 0; i < count; ++i)
          o->items[u.updates[i].index] = stack_[stack_.size() - count + i];
        stack_.resize(stack_.size() - count - 1);
        stack_.push_back(Value::of(o));
        break;
      }
      case Opcode::Field: {
        auto v = field(stack_.back(), in.a, Name{in.b}, span);
        if (!v) return failed();
        stack_.back() = *v;
        break;
      }
      case Opcode::Primitive: {
        auto v =
            primitive(static_cast<core::Primitive>(in.a), {stack_.data() + stack_.size() - in.b, in.b}, span);
        if (!v) return failed();
        stack_.resize(stack_.size() - in.b);
        stack_.push_back(*v);
        break;
      }
      case Opcode::Foreign: {
        auto function = foreign_function(
            core::GlobalId{in.a});  // may evaluate its derivative: `frame` is no longer valid
        auto v = function ? foreign_call(*function, {stack_.data() + stack_.size() - in.b, in.b}, span)
                          : std::nullopt;
        if (!v) return failed();
        stack_.resize(stack_.size() - in.b);
        stack_.push_back(*v);
        break;
      }
      case Opcode::List: {
        Value rest = stack_.back();
        stack_.pop_back();
        std::vector<Value> items(stack_.end() - in.a, stack_.end());
        stack_.resize(stack_.size() - in.a);
        stack_.push_back(list(items, rest));
        break;
      }
      case Opcode::Index: {
        const IndexShape& shape = code_.indices[in.a];
        std::size_t bounds = 1;
        for (bool slice : shape.slices) bounds += slice ? 2 : 1;
        auto v = index(shape, {stack_.data() + stack_.size() - bounds, bounds}, span);
        if (!v) return failed();
        stack_.resize(stack_.size() - bounds);
        stack_.push_back(*v);
        break;
      }
      case Opcode::Member: {
        std::vector<Value> values(stack_.end() - in.b, stack_.end());
        stack_.resize(stack_.size() - in.b);
        Value base = stack_.back();
        stack_.pop_back();
        auto v = host->member(*code_.members[in.a], base, values);
        if (!v) return failed();
        stack_.push_back(*v);
        break;
      }
      case Opcode::Expand: {
        const Value layout = stack_.back();
        stack_.pop_back();
        auto v = expand(stack_.back(), *layout.object, span);
        if (!v) return failed();
        stack_.back() = *v;
        break;
      }
      case Opcode::BlockApply: {
        Value inputs = stack_.back();
        stack_.pop_back();
        Value relation = stack_.back();
        stack_.pop_back();
        auto v = host->block_apply(relation, inputs, span);
        if (!v) return failed();
        stack_.push_back(*v);
        break;
      }
      case Opcode::Layout: {
        std::vector<Value> values(stack_.end() - in.b, stack_.end());
        stack_.resize(stack_.size() - in.b);
        auto v = build_layout(code_.layouts[in.a], values, span);
        if (!v) return failed();
        stack_.push_back(*v);
        break;
      }
    }
  }
}

}  // namespace sigrel::evaluate
