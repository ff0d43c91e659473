#include "compiler/structure/blame.h"

namespace sigrel::structure {
void report_singular(const system::System&, const dae::System&, const std::vector<std::uint32_t>&, Diagnostics& d) {
  d.report(Code::TooManyEquations, "singular");
}
void report_strange_derivatives(const system::System&, const std::vector<StrangeDerivative>&, Diagnostics& d) {
  d.report(Code::TooManyEquations, "singular");
}
void report_overdetermined_start(const system::System&, const dae::System&, const std::vector<std::uint32_t>&,
                                 const std::vector<std::uint32_t>&, Diagnostics& d) {
  d.report(Code::TooManyInitialEquations, "singular");
}
}  // namespace sigrel::structure
