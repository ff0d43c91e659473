// Parses numbers, strings and units.
#pragma once
#include <optional>
#include <string_view>

#include "compiler/base/arena.h"
#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::syntax {

/// Each returns nullopt after reporting an invalid text. `span` is that of `text`.
std::optional<std::int64_t> read_int(std::string_view text, Span span, Diagnostics& diagnostics);
std::optional<double> read_real(std::string_view text, Span span, Diagnostics& diagnostics);
/// `text` includes the quotes; the result has escapes resolved and lives in the arena.
std::optional<std::string_view> read_string(std::string_view text, Span span, Arena& arena,
                                            Diagnostics& diagnostics);
/// The text inside `<…>`: `kg*m^2/s`, `1/s`, `kg/(m*s^2)`. Keeps the order of the factors.
const ast::Unit* read_unit(std::string_view text, Span span, Arena& arena, Diagnostics& diagnostics);

/// A copy of the text in the arena.
std::string_view keep(std::string_view text, Arena& arena);

}  // namespace sigrel::syntax
