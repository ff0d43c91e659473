// Assignments of event handlers that need each other's new values.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/dae.h"
#include "compiler/ir/system.h"
#include "runtime/model.h"

namespace sigrel::pipeline {

/// Reports a cycle of assignments (rows of dae::System::values), in the order in which each needs the new
/// value of the next one. `when`: " at t = 1 s", or empty.
Diagnostic& report_cyclic_assignments(const system::System& system, const dae::System& dae,
                                      std::span<const std::uint32_t> assignments, std::string_view when,
                                      Diagnostics& diagnostics);

/// Reports the first cycle of assignments of one handler: it needs no run. Those of several handlers are one
/// only if they fire together.
void check_assignments(const system::System& system, const dae::System& dae, const runtime::Model& model,
                       Diagnostics& diagnostics);

}  // namespace sigrel::pipeline
