// Tiered kernels: interpreted until they prove hot, then compiled.
//
// Each kernel counts the rows that it has evaluated. When one reaches Options::hot, the thread that called it
// compiles all kernels of the plan that have come half as far: those of one schedule become hot at nearly the
// same time, and code is generated faster for many kernels. Other threads go on with the interpreter in the
// meantime. The values do not depend on when this happens, because scalar code and the interpreter agree bit
// by bit. By then the interpreter has taken about as long as compiling does, so a run takes at most twice the
// time that it would take if the better choice were known in advance.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "compiler/interpret/row_tape.h"
#include "compiler/jit/store.h"

namespace sigrel::jit {

class TieredKernels {
 public:
  TieredKernels(std::shared_ptr<Store> store, std::shared_ptr<const Library> library);

  /// A kernel that is interpreted for now, of at most interpret::kLargestRowTape nodes. It points into this
  /// object.
  runtime::Kernel add(Source source);

  /// The groups of the plan; before the first call of a kernel.
  void set_division(Division division) { division_ = std::move(division); }

  /// Adds what was compiled by now, and the kernels that are still interpreted.
  void count(Statistics& statistics) const;

 private:
  // What a call reads. The sources are stored apart, so that the kernels and tapes of a plan are read in one
  // stream.
  struct Kernel {
    TieredKernels* owner;
    interpret::RowTape tape;
    std::atomic<runtime::Kernel::Function> code = nullptr;
    std::atomic<std::uint32_t> rows = 0;  // evaluated; approximate if several threads call the kernel
  };

  static void run(const void* self, const runtime::KernelArguments* arguments);
  void compile_hot();

  std::shared_ptr<Store> store_;
  std::shared_ptr<const Library> library_;
  std::uint32_t hot_;
  Division division_;
  std::deque<Kernel> kernels_;
  std::vector<std::uint32_t> words_;  // of the tapes
  std::vector<Source> sources_;       // for each kernel; its body is freed when the kernel is compiled
  std::vector<std::shared_ptr<const void>> owners_;  // of compiled code
  Statistics statistics_;
  std::atomic<bool> given_up_ = false;  // this machine does not allow generated code
};

}  // namespace sigrel::jit
