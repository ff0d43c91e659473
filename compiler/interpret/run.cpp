#include <cmath>
#include <memory>

#include "compiler/interpret/tape.h"
#include "compiler/ir/code.h"
#include "compiler/ir/library.h"

namespace sigrel::interpret {
namespace {

/// The rows of a block: their number, and the distance between registers.
struct Rows {
  std::size_t count, stride;
};
/// A single row, for which the compiler removes the loops.
struct OneRow {
  static constexpr std::size_t count = 1, stride = 1;
};

// One instruction for `n` rows. The target register is not one of the operands.
template <class F>
inline void each(double* __restrict d, const double* a, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) d[i] = f(a[i]);
}
template <class F>
inline void each(double* __restrict d, const double* a, const double* b, std::size_t n, F f) {
  for (std::size_t i = 0; i < n; ++i) d[i] = f(a[i], b[i]);
}

inline void store(const Tape& tape, const runtime::KernelArguments& args, std::size_t output,
                  const double* value, std::size_t row, std::size_t n) {
  switch (tape.role) {
    case runtime::Role::Residual:
    case runtime::Role::Partials: {
      double* out = args.out + output * args.stride + row;
      for (std::size_t i = 0; i < n; ++i) out[i] = value[i];
      break;
    }
    case runtime::Role::Solve: {
      const std::uint32_t* column = args.table + tape.solved * args.stride + row;
      for (std::size_t i = 0; i < n; ++i) args.values[column[i]] = value[i];
      break;
    }
  }
}

template <class Block>
void run_block(const Tape& tape, const runtime::KernelArguments& args, double* registers, std::size_t row,
               Block block) {
  const std::size_t n = block.count;
  auto at = [&](std::uint32_t index) { return registers + static_cast<std::size_t>(index) * block.stride; };
  for (const Instruction& in : tape.code) {
    if (in.store) {
      store(tape, args, in.b, at(in.a), row, n);
      continue;
    }
    double* d = at(in.target);
    switch (in.op) {
      case Op::Const:
        for (std::size_t i = 0; i < n; ++i) d[i] = in.value;
        break;
      case Op::Time:
        for (std::size_t i = 0; i < n; ++i) d[i] = args.time;
        break;
      case Op::Slot: {
        const std::uint32_t* column = args.table + in.a * args.stride + row;
        for (std::size_t i = 0; i < n; ++i) d[i] = args.values[column[i]];
        break;
      }
      case Op::Param: {
        const std::uint32_t* column = args.table + in.a * args.stride + row;
        for (std::size_t i = 0; i < n; ++i) d[i] = args.parameters[column[i]];
        break;
      }
      case Op::Der: std::abort();  // the reduce stage replaces them by slots
      case Op::Neg: each(d, at(in.a), n, [](double a) { return -a; }); break;
      case Op::Abs: each(d, at(in.a), n, [](double a) { return std::fabs(a); }); break;
      case Op::Not: each(d, at(in.a), n, [](double a) { return a == 0.0 ? 1.0 : 0.0; }); break;
      case Op::Add: each(d, at(in.a), at(in.b), n, [](double a, double b) { return a + b; }); break;
      case Op::Sub: each(d, at(in.a), at(in.b), n, [](double a, double b) { return a - b; }); break;
      case Op::Mul: each(d, at(in.a), at(in.b), n, [](double a, double b) { return a * b; }); break;
      case Op::Div: each(d, at(in.a), at(in.b), n, [](double a, double b) { return a / b; }); break;
      case Op::Min: each(d, at(in.a), at(in.b), n, [](double a, double b) { return b < a ? b : a; }); break;
      case Op::Max: each(d, at(in.a), at(in.b), n, [](double a, double b) { return a < b ? b : a; }); break;
      case Op::Less:
        each(d, at(in.a), at(in.b), n, [](double a, double b) { return a < b ? 1.0 : 0.0; });
        break;
      case Op::LessEqual:
        each(d, at(in.a), at(in.b), n, [](double a, double b) { return a <= b ? 1.0 : 0.0; });
        break;
      case Op::Equal:
        each(d, at(in.a), at(in.b), n, [](double a, double b) { return a == b ? 1.0 : 0.0; });
        break;
      case Op::NotEqual:
        each(d, at(in.a), at(in.b), n, [](double a, double b) { return a != b ? 1.0 : 0.0; });
        break;
      case Op::And:
        each(d, at(in.a), at(in.b), n,
             [](double a, double b) { return (a != 0.0) & (b != 0.0) ? 1.0 : 0.0; });
        break;
      case Op::Or:
        each(d, at(in.a), at(in.b), n,
             [](double a, double b) { return (a != 0.0) | (b != 0.0) ? 1.0 : 0.0; });
        break;
      case Op::Select: {
        const double *a = at(in.a), *b = at(in.b), *c = at(in.c);
        for (std::size_t i = 0; i < n; ++i) d[i] = a[i] != 0.0 ? b[i] : c[i];
        break;
      }
      case Op::PowInt: {
        auto exponent = static_cast<std::int32_t>(in.b);
        if (exponent == 2) {
          each(d, at(in.a), n, [](double a) { return a * a; });
        } else if (plan::is_multiplied(exponent)) {
          each(d, at(in.a), n, [exponent](double a) {
            return plan::power_steps(
                a, 1.0, exponent, [](double x, double y) { return x * y; }, [](double x) { return 1.0 / x; });
          });
        } else {
          each(d, at(in.a), n, [exponent](double a) { return apply(Op::PowInt, a, exponent, 0); });
        }
        break;
      }
      case Op::Lookup1:
      case Op::Lookup2:
      case Op::Call1:
      case Op::Call2:
      case Op::Call3: {
        const double* a = at(in.a);
        const double* b = arity(in.op) > 1 ? at(in.b) : a;
        const double* c = arity(in.op) > 2 ? at(in.c) : a;
        for (std::size_t i = 0; i < n; ++i)
          d[i] = apply(tape.library.get(), in.op, in.value, a[i], b[i], c[i]);
        break;
      }
      default:  // the cost of the call is small compared to the operation
        if (arity(in.op) == 1)
          each(d, at(in.a), n, [op = in.op](double a) { return apply(op, a, 0, 0); });
        else
          each(d, at(in.a), at(in.b), n, [op = in.op](double a, double b) { return apply(op, a, b, 0); });
        break;
    }
  }
}

// One per thread, as large as for its largest tape.
struct Scratch {
  std::unique_ptr<double[]> numbers;
  std::size_t size = 0;
  double* reserve(std::size_t wanted) {
    if (wanted > size) {
      numbers.reset(new double[wanted]);
      size = wanted;
    }
    return numbers.get();
  }
};

}  // namespace

void run_tape(const void* self, const runtime::KernelArguments* arguments) {
  thread_local Scratch scratch;
  const Tape& tape = *static_cast<const Tape*>(self);
  double* registers = scratch.reserve(static_cast<std::size_t>(tape.registers) * tape.block);
  if (arguments->end - arguments->begin == 1)
    return run_block(tape, *arguments, registers, arguments->begin, OneRow{});
  for (std::size_t row = arguments->begin; row < arguments->end; row += tape.block)
    run_block(tape, *arguments, registers, row,
              Rows{std::min<std::size_t>(tape.block, arguments->end - row), tape.block});
}

}  // namespace sigrel::interpret
