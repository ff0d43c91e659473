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

/// The definition at the top level that the span is in: the last one before it.
const core::Global* definition_of(const core::Program& program, Span span) {
  const core::Global* result = nullptr;
  for (const core::Global& g : program.globals)
    if (g.span.file == span.file && g.span.begin <= span.begin &&
        (!result || g.span.begin > result->span.begin))
      result = &g;
  return result;
}

bool has_too_many_equations(const Diagnostic& d) {
  return d.code == Code::TooManyEquations || d.code == Code::RedundantEquation || d.code == Code::NoUnknown;
}

}  // namespace

void report_reduction(const core::Program& program, std::span<const Span> with_loops, Diagnostics flat,
                      Diagnostics& diagnostics) {
  if (std::ranges::any_of(flat.all(), is_structural)) {
    Diagnostics definitions;
    structural_types::check(elaborate::model(program), definitions);
    definitions.erase_if([&](const Diagnostic& d) {
      return has_too_many_equations(d) && d.primary && std::ranges::any_of(with_loops, [&](Span relation) {
               return definition_of(program, relation) == definition_of(program, d.primary->span);
             });
    });
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
