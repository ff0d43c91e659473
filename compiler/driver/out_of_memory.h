// The error for memory that ends although the limits of base/limits.h hold: the model is too large for the
// machine, or for a limit of the system.
#pragma once
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::driver {

/// Says what Sigrel was working at, how much memory it used, and the limit, if the system has one.
Diagnostics out_of_memory();

/// From now on a failed allocation is remembered for memory_is_exhausted().
void watch_allocations();

/// Whether an allocation has failed, or a small one would: then a crash has this reason, for libraries such
/// as LLVM do not survive it, nor does a stack that cannot grow. Async-signal-safe, as is print_exhausted().
bool memory_is_exhausted();
/// The first line of out_of_memory(), on stderr.
void print_exhausted();

}  // namespace sigrel::driver
