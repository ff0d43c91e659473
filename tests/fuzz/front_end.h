// What must hold of every text, however broken: it is read, checked and formatted without a crash, and a text
// that parses is formatted to one with the same tree that formatting leaves alone. What does not hold aborts,
// for the fuzzer to see.
#pragma once
#include <string_view>

namespace sigrel::fuzz {

/// Parse, check (with the library that the text imports), render every diagnostic as text and JSON, format
/// twice.
void run_front_end(std::string_view text);

}  // namespace sigrel::fuzz
