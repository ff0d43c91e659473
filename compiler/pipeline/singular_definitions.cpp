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

}  // namespace

void report_reduction(const core::Program& program, Diagnostics flat, Diagnostics& diagnostics) {
  if (std::ranges::any_of(flat.all(), is_structural)) {
    Diagnostics definitions;
    structural_types::check(elaborate::model(program), definitions);
    // Warnings about definitions do not explain an error of the whole.
    const bool explained = definitions.has_errors() || (!flat.has_errors() && !definitions.all().empty());
    if (explained) {
      diagnostics.append(definitions);
      flat.erase_if(is_structural);
    }
  }
  diagnostics.append(flat);
}

}  // namespace sigrel::pipeline
