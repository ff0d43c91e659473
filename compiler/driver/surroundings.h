// What the process finds at its start, made fit for work: standard files that are closed, a small stack, a
// limit of the size of files.
#pragma once
#include <functional>

namespace sigrel::driver {

/// Opens closed standard files, so that no other file gets their numbers and with them the messages. Writing
/// to a standard output that was closed remains an error; messages to a standard error that was closed are
/// dropped.
void open_standard_files();

/// Lets a write beyond the largest size of a file (`ulimit -f`) fail, as on a full disk; by default the
/// signal SIGXFSZ ends the process without a word.
void let_large_writes_fail();

/// Runs `work` with a stack that suffices for the deepest source that the parser accepts, also where the
/// limit of the process is smaller. Threads that it starts get such stacks, too.
int with_large_stack(const std::function<int()>& work);

}  // namespace sigrel::driver
