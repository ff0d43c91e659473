// What must hold for every text, however broken: the front end reads, checks and formats it without a crash,
// and a text that parses is formatted to one with the same tree, which formatting does not change again.
#pragma once
#include <string>
#include <string_view>

namespace sigrel::fuzz {

struct FrontEnd {
  std::string fault;   // what does not hold; empty: everything does
  std::string errors;  // diagnostics of severity error, as text
  bool parses = false, checks = false;
  std::string formatted;  // of a text that parses
};

/// Parses, checks (with the library modules that the text imports), renders every diagnostic as text and
/// JSON, and formats twice.
FrontEnd front_end(std::string_view text);

/// The same for a fuzzer: aborts on a fault.
void run_front_end(std::string_view text);

}  // namespace sigrel::fuzz
