// Failures of Sigrel itself end with a short message and exit code 70, never silently and never with the exit
// code of a user error.
#pragma once

namespace sigrel::driver {

/// Catches fatal signals (including stack overflow), failed assertions and unhandled exceptions.
void install_internal_error_handler();

/// Writes the message to stderr; async-signal-safe.
void print_internal_error(const char* what);

}  // namespace sigrel::driver
