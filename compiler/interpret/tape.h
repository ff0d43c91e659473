// Tape: a kernel as a list of instructions over registers. A register holds a block of rows, so that an
// instruction is decoded once per block and its loop is vectorised.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "compiler/ir/code.h"
#include "compiler/ir/expr.h"
#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel::interpret {

struct Instruction {
  Op op = Op::Const;
  bool store = false;        // an output: stores register a as output number b; the other members are unused
  std::uint32_t target = 0;  // register
  std::uint32_t a = 0, b = 0,
                c = 0;  // registers; Slot, Param: a is the column of the table; PowInt: b is the exponent
  double value = 0;     // Const; Node::value of operations that use the library
};

struct Tape {
  runtime::Role role = runtime::Role::Residual;
  std::uint32_t solved = 0;  // Solve: the column whose variable is assigned
  std::uint32_t registers = 0;
  std::uint32_t block = 0;  // rows evaluated at once
  std::vector<Instruction> code;
  std::shared_ptr<const Library> library;
};

/// Orders the expressions of the kernel and allocates registers: a leaf is loaded at its first use, and a
/// register is reused after its last one.
Tape make_tape(const plan::Kernel& kernel, const plan::Body& body, std::shared_ptr<const Library> library);

/// A runtime::Kernel::Function; `self` is a Tape.
void run_tape(const void* self, const runtime::KernelArguments* arguments);

}  // namespace sigrel::interpret
