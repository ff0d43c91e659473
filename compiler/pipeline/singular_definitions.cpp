#include "compiler/pipeline/singular_definitions.h"

#include <algorithm>

#include "compiler/elaborate/components.h"
#include "compiler/structural_types/components.h"

namespace sigrel::pipeline {
namespace {

bool is_structural(const Diagnostic& d) {
  return d.code == Code::TooManyEquations || d.code == Code::Undetermined || d.code == Code::NoUnknown ||
         d.code == Code::NoReferenceLevel || d.code == Code::LoneNode || d.code == Code::RedundantEquation ||
         d.code == Code::ArbitraryLevel;
}

bool has_too_many_equations(const Diagnostic& d) {
  return d.code == Code::TooManyEquations || d.code == Code::RedundantEquation || d.code == Code::NoUnknown;
}

}  // namespace

void report_reduction(const core::Program& program, bool closes_loops, Diagnostics flat,
                      Diagnostics& diagnostics) {
  if (std::ranges::any_of(flat.all(), is_structural)) {
    Diagnostics definitions;
    structural_types::check(elaborate::model(program), definitions);
    // Warnings about definitions do not explain an error of the whole. By itself a definition with a loop of
    // rotations has too many equations.
    const bool of_loops = closes_loops && std::ranges::any_of(definitions.all(), has_too_many_equations);
    const bool explained =
        !of_loops && (definitions.has_errors() || (!flat.has_errors() && !definitions.all().empty()));
    if (explained) {
      diagnostics.append(definitions);
      flat.erase_if(is_structural);
    }
  }
  diagnostics.append(flat);
}

}  // namespace sigrel::pipeline
