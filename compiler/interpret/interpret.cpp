#include "compiler/interpret/interpret.h"

#include "compiler/interpret/tape.h"

namespace sigrel::interpret {
namespace {

class Tapes final : public KernelCode {
 public:
  Tapes(const ExprPool& exprs, std::span<const plan::Kernel> specs) {
    tapes_.reserve(specs.size());  // the kernels point into it
    for (const plan::Kernel& spec : specs) {
      tapes_.push_back(make_tape(spec, plan::body(exprs, spec), exprs.library));
      kernels.push_back({run_tape, &tapes_.back()});
    }
  }

 private:
  std::vector<Tape> tapes_;
};

}  // namespace

std::unique_ptr<KernelCode> interpret(const plan::Plan& plan) {
  return std::make_unique<Tapes>(plan.exprs, plan.kernels);
}

std::unique_ptr<KernelCode> interpret(const ExprPool& exprs, const plan::Kernel& kernel) {
  return std::make_unique<Tapes>(exprs, std::span(&kernel, 1));
}

}  // namespace sigrel::interpret
