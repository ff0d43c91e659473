// Errors about the structure of a model: reported at the definition that causes them, where there is one.
#pragma once
#include <span>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::pipeline {

/// Adds the diagnostics `flat` of the reduction to `diagnostics`. If the flat system is structurally
/// singular, the definitions that the model uses are analysed one by one, with the numbers of the model; if
/// one of them is singular by itself, this is reported instead of the structural errors of the whole.
/// `with_loops`: where relations with a loop of rotations are written. Only the flat system, in which these
/// are closed, shows whether they have too many equations.
void report_reduction(const core::Program& program, std::span<const Span> with_loops, Diagnostics flat,
                      Diagnostics& diagnostics);

}  // namespace sigrel::pipeline
