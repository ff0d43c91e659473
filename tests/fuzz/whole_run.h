// What must hold for a whole run of any program, and for any file of results, however broken.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace sigrel::fuzz {

struct WholeRun {
  std::string fault;   // what does not hold; empty: everything does
  std::string errors;  // diagnostics of severity error, as text
  bool compiled = false, completed = false;
};

/// Checks, compiles and runs a program: to 1 s, with 20 output intervals and at
/// most 2 000 steps of the integrator. It runs to its end, or an error says why not; every variable that the
/// run ends with is a number. Programs with foreign functions are left out: they may call anything.
WholeRun whole_run(std::string_view text);

/// Reads a file of results row by row, then its last row. The fault, if any.
std::string read_results(std::span<const char> bytes);

/// The same for a fuzzer: aborts on a fault.
void run_whole(std::string_view text);
void run_results(std::span<const char> bytes);

}  // namespace sigrel::fuzz
