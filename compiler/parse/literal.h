// Numbers, strings and units from their text.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/base/arena.h"
#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::syntax {

/// Each reports and returns nothing when the text has no value. `span` is that of `text`.
std::optional<std::int64_t> read_int(std::string_view text, Span span, Diagnostics& diagnostics);
std::optional<double> read_real(std::string_view text, Span span, Diagnostics& diagnostics);
/// `text` has its quotes; the result has the escapes resolved and lives in the arena.
std::optional<std::string_view> read_string(std::string_view text, Span span, Arena& arena,
                                            Diagnostics& diagnostics);
/// The inside of `<…>`: `kg*m^2/s`, `1/s`, `kg/(m*s^2)`. Factors stay in the order in which they are written.
const ast::Unit* read_unit(std::string_view text, Span span, Arena& arena, Diagnostics& diagnostics);

/// A copy of the text that lives as long as the arena.
std::string_view keep(std::string_view text, Arena& arena);

}  // namespace sigrel::syntax
