// Reports the error of a piece that does not parse, in terms of the language, with a help for syntax of other
// languages. One report per piece.
#pragma once
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/layout.h"

namespace sigrel::syntax {

/// Where the parser stopped.
struct Fault {
  std::size_t offending = 0;  // index into the tokens of the piece; their number if the piece ends too early
  std::vector<std::size_t> expected;  // token kinds; empty if unknown
  std::vector<std::size_t> rules;     // of the grammar, innermost first
};

void report_fault(const Fault& fault, const Piece& piece, FileId file, const SourceMap& sources,
                  Diagnostics& diagnostics);

}  // namespace sigrel::syntax
