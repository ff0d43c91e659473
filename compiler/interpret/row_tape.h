// RowTape: a kernel as a list of instructions for one row at a time. It is a quarter as long as a Tape, and
// half as many instructions are decoded, because operands are loaded by loops: a model of 10 000 different
// equations is limited by both. The tapes of a plan are stored together.
#pragma once
#include <cstdint>
#include <vector>

#include "compiler/ir/code.h"
#include "compiler/ir/library.h"
#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel::interpret {

/// The most nodes that a kernel may have.
constexpr std::uint32_t kLargestRowTape = 2'048;

/// The words of a tape:
///   for each slot and then each parameter that is used, the column of the table
///   for each constant, its bits (two words)
///   for each operation, op | a << 16, and b | c << 16 or the exponent of PowInt; for one that uses the
///   library, also the bits of Node::value
///   for each output, the position of its value
/// Values are numbered in this order; the time is before the constants.
struct RowTape {
  std::uint32_t begin = 0;  // in the words of all tapes
  std::uint16_t slots = 0, params = 0, constants = 0, operations = 0, outputs = 0;
  runtime::Role role = runtime::Role::Residual;
  std::uint32_t solved = 0;  // Solve: the column whose variable is assigned
};

/// Appends the words of the kernel, of at most `kLargestRowTape` nodes.
RowTape make_row_tape(const plan::Kernel& kernel, const plan::Body& body, std::vector<std::uint32_t>& words);

void run_row_tape(const RowTape& tape, const std::uint32_t* words, const Library* library,
                  const runtime::KernelArguments& arguments);

}  // namespace sigrel::interpret
