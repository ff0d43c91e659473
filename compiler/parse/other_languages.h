// Items and declarations as Modelica, Python and MATLAB write them, recognised by their tokens. Those that
// would parse as something else, such as `parameter Real k = 2.0`, an equation, are found before they are
// parsed; the others where the parser stops.
#pragma once
#include <cstddef>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/parse/layout.h"

namespace sigrel::syntax {

/// How much of the source an error stands for: nothing was recognised; this piece; all that follows as well,
/// since the file is in another language.
enum class Foreign : std::uint8_t { None, Piece, Rest };

/// Reports a piece that is no item or declaration whatever its names mean.
Foreign report_foreign_piece(const Piece& piece, FileId file, const SourceMap& sources,
                             Diagnostics& diagnostics);
/// Reports what the parser stopped at, token `at` of the piece. Whether it is of another language.
bool report_foreign_token(const Piece& piece, std::size_t at, FileId file, const SourceMap& sources,
                          Diagnostics& diagnostics);

}  // namespace sigrel::syntax
