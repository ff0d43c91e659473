#include "compiler/interpret/row_tape.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace sigrel::interpret {
namespace {

void append_bits(std::vector<std::uint32_t>& words, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  words.push_back(static_cast<std::uint32_t>(bits));
  words.push_back(static_cast<std::uint32_t>(bits >> 32));
}

double read_bits(const std::uint32_t*& at) {
  const std::uint64_t low = *at++, high = *at++;
  return std::bit_cast<double>(low | high << 32);
}

double power(double a, std::int32_t exponent) {
  if (exponent == 2) return a * a;
  if (!plan::is_multiplied(exponent)) return apply(Op::PowInt, a, exponent, 0);
  return plan::power_steps(
      a, 1.0, exponent, [](double x, double y) { return x * y; }, [](double x) { return 1.0 / x; });
}

// `at` is behind the operands.
double operation(Op op, const double* values, std::uint32_t operand, const std::uint32_t*& at,
                 const Library* library) {
  const std::uint32_t others = *at++;
  const double a = values[operand];
  if (op == Op::PowInt) return power(a, static_cast<std::int32_t>(others));
  const double b = values[others & 0xFFFF];
  switch (op) {
    case Op::Neg: return -a;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Exp: return std::exp(a);
    case Op::Select: return a != 0.0 ? b : values[others >> 16];
    default: break;
  }
  if (!uses_library(op)) return apply(op, a, b, values[others >> 16]);
  const double detail = read_bits(at);
  return apply(library, op, detail, a, b, values[others >> 16]);
}

void run_row(const RowTape& tape, const std::uint32_t* at, const Library* library,
             const runtime::KernelArguments& args, std::size_t row) {
  double values[kLargestRowTape + 1];
  double* next = values;
  for (std::uint32_t k = 0; k < tape.slots; ++k) *next++ = args.values[args.table[*at++ * args.stride + row]];
  for (std::uint32_t k = 0; k < tape.params; ++k)
    *next++ = args.parameters[args.table[*at++ * args.stride + row]];
  *next++ = args.time;
  for (std::uint32_t k = 0; k < tape.constants; ++k) *next++ = read_bits(at);
  for (std::uint32_t k = 0; k < tape.operations; ++k) {
    const std::uint32_t word = *at++;
    *next++ = operation(static_cast<Op>(word & 0xFFFF), values, word >> 16, at, library);
  }
  if (tape.role == runtime::Role::Solve) {
    args.values[args.table[tape.solved * args.stride + row]] = values[*at];
    return;
  }
  for (std::uint32_t k = 0; k < tape.outputs; ++k) args.out[k * args.stride + row] = values[*at++];
}

}  // namespace

RowTape make_row_tape(const plan::Kernel& kernel, const plan::Body& body, std::vector<std::uint32_t>& words) {
  RowTape tape{
      .begin = static_cast<std::uint32_t>(words.size()), .role = kernel.role, .solved = kernel.solved};
  tape.outputs = static_cast<std::uint16_t>(body.outputs.size());
  std::vector<std::uint32_t> place(body.nodes.size());
  std::uint32_t values = 0;
  auto leaves = [&](Op op, std::uint16_t& count, auto add) {
    for (std::uint32_t i = 0; i < body.nodes.size(); ++i) {
      if (body.nodes[i].op != op) continue;
      add(body.nodes[i]);
      place[i] = values++;
      ++count;
    }
  };
  leaves(Op::Slot, tape.slots, [&](const Node& node) { words.push_back(node.a); });
  leaves(Op::Param, tape.params, [&](const Node& node) { words.push_back(kernel.slots + node.a); });
  for (std::uint32_t i = 0; i < body.nodes.size(); ++i)
    if (body.nodes[i].op == Op::Time) place[i] = values;
  ++values;
  leaves(Op::Const, tape.constants, [&](const Node& node) { append_bits(words, node.value); });

  for (std::uint32_t i = 0; i < body.nodes.size(); ++i) {
    const Node& node = body.nodes[i];
    const int operands = arity(node.op);
    if (operands == 0) continue;
    words.push_back(static_cast<std::uint32_t>(node.op) | place[node.a] << 16);
    const std::uint32_t b = operands > 1 ? place[node.b] : place[node.a];
    const std::uint32_t c = operands > 2 ? place[node.c] : place[node.a];
    words.push_back(node.op == Op::PowInt ? node.b : b | c << 16);
    if (uses_library(node.op)) append_bits(words, node.value);
    place[i] = values++;
    ++tape.operations;
  }
  for (std::uint32_t output : body.outputs) words.push_back(place[output]);
  return tape;
}

void run_row_tape(const RowTape& tape, const std::uint32_t* words, const Library* library,
                  const runtime::KernelArguments& arguments) {
  for (std::size_t row = arguments.begin; row < arguments.end; ++row)
    run_row(tape, words + tape.begin, library, arguments, row);
}

}  // namespace sigrel::interpret
