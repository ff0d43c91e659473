// Errors about the structure of a model: reported at the definition that causes them, where there is one.
#pragma once
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/core.h"

namespace sigrel::pipeline {

/// Adds the diagnostics `flat` of the reduction to `diagnostics`. If the flat system is structurally
/// singular, the definitions that the model uses are analysed one by one, with the numbers of the model; if
/// one of them is singular by itself, this is reported instead of the structural errors of the whole.
/// `closes_loops`: loops of rotations have been closed in the flat system, which alone shows whether
/// equations are too many then.
void report_reduction(const core::Program& program, bool closes_loops, Diagnostics flat,
                      Diagnostics& diagnostics);

}  // namespace sigrel::pipeline
