// A failure of Sigrel itself ends with a short message and exit code 70, never silently and never with the
// code of a user's error.
#pragma once

namespace sigrel::driver {

/// Catches fatal signals (also the stack's end), failed assertions and exceptions that nobody handles.
void install_internal_error_handler();

/// The message on stderr; async-signal-safe.
void print_internal_error(const char* what);

}  // namespace sigrel::driver
