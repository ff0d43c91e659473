// The formatter: spacing and indentation of a text, nothing else. Tokens and comments stay as they are and in
// their order, and so do line breaks, except that a comment which starts a line gets the line for itself. The
// style is that of the standard library:
//
//   - a block is indented by two columns; a line that continues is deeper than its item and keeps what it is
//   aligned to;
//   - one blank around operators, `<>`, `=`, `::`, `->`, and inside the braces of records; none inside other
//   brackets;
//     `^`, and inside brackets `+ - * /`, may be written without blanks: `chain (n-1) part`, `x[i+1]`;
//   - columns that are aligned in consecutive lines stay aligned: the text after labels, `<>`, `=`, `::`,
//   `->`, comments;
//   - at most one empty line inside a block, two between declarations; no blanks at ends of lines.
#pragma once
#include <optional>
#include <string>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::format {

/// The formatted text; nullopt after errors, which are those of the parser. Formatting the result gives the
/// same text. Aborts when the result does not have the tokens and the tree of the text: that is a fault of
/// the formatter.
std::optional<std::string> format(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

}  // namespace sigrel::format
