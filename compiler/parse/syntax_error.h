// What is said about a piece that does not parse: in terms of the language, with a help where the text looks
// like a form of another language. One report for each piece.
#pragma once
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/layout.h"

namespace sigrel::syntax {

/// Where the parser stopped.
struct Fault {
  std::size_t offending =
      0;  // index into the tokens of the piece; their number when the piece ends too early
  std::vector<std::size_t> expected;  // token kinds; empty when not known
  std::vector<std::size_t> rules;     // of the grammar, innermost first
};

void report_fault(const Fault& fault, const Piece& piece, FileId file, const SourceMap& sources,
                  Diagnostics& diagnostics);

}  // namespace sigrel::syntax
