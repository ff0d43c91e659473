// The parser: text of a file to ast::Module.
//
//   text --lexer--> tokens --layout--> pieces --piece parser--> parse trees --builder--> ast
//
// A piece is one declaration, item, alternative or mode. Each is parsed at its end, inner pieces first; its
// tokens and parse tree are then released, so that only the AST stays in memory.
#pragma once
#include <span>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"
#include "compiler/parse/skipped_text.h"

namespace sigrel {

/// Parses a whole file. Reports all errors in source order; the result contains the declarations without
/// errors, and the names of the others in `Module::damaged`. Passes over the declarations `skipped`, which
/// are in source order.
ast::Module parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics,
                  std::span<const SkippedText> skipped = {});

/// Parses a source that consists of one expression, such as the argument of `sigrel run -e EXPR`. The nodes
/// live in the arena of `into`. Null after an error.
ast::Expr* parse_expression(FileId file, const SourceMap& sources, ast::Module& into,
                            Diagnostics& diagnostics);

}  // namespace sigrel
