// Interval kernels: the expressions of a kernel evaluated on enclosures of value and time derivative
// (runtime/interval.h), for what the runtime has to know over a whole interval of time.
#pragma once
#include <memory>
#include <vector>

#include "compiler/ir/plan.h"
#include "runtime/model.h"

namespace sigrel::interpret {

/// Owns the data of its kernels.
class EnclosureCode {
 public:
  virtual ~EnclosureCode() = default;
  std::vector<runtime::EnclosureKernel> kernels;  // by number of the kernel; empty where none is needed
};

/// Kernels for the rows of Model::time_functions and Model::time_rows, and for sharp ones of the dynamic
/// schedule; null if there are none. Callable from several threads.
std::unique_ptr<EnclosureCode> enclosures(const plan::Plan& plan);
/// For one kernel, of role Residual or Solve, all operations of which have enclosures.
std::unique_ptr<EnclosureCode> enclosures(const ExprPool& exprs, const plan::Kernel& kernel);

}  // namespace sigrel::interpret
