// The formatter changes spacing and indentation only. Tokens, comments, their order and line breaks are kept,
// except that a comment at the start of a line gets the line for itself. The style is that of the standard
// library:
//
//   - a block is indented by two columns; a continuation line is deeper than its item and keeps its
//   alignment;
//   - one blank around operators, `<>`, `=`, `::`, `->`, and inside the braces of records; none inside other
//     brackets; `^`, and inside brackets `+ - * /`, may be written without blanks: `chain (n-1) part`,
//     `x[i+1]`;
//   - columns that are aligned in consecutive lines stay aligned: the text after labels, `<>`, `=`, `::`,
//   `->`,
//     comments;
//   - at most one empty line inside a block, two between declarations; no trailing blanks.
#pragma once
#include <optional>
#include <string>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::format {

/// The formatted text; nullopt after a syntax error. Formatting is idempotent. Aborts if the tokens or the
/// tree of the result differ from those of the input, which is a bug of the formatter.
std::optional<std::string> format(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

}  // namespace sigrel::format
