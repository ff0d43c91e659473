// From the text of a file to ast::Module.
//
//   text --lexer--> tokens --layout--> pieces --piece parser--> parse trees --builder--> ast
//
// A piece is one declaration, item, alternative or mode. Each is parsed when the layout has seen its end,
// inner pieces first, and its tokens and its parse tree are released at once: what stays in memory is the
// AST.
#pragma once
#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel {

/// Parses a whole file. Reports every error, in the order of the text; declarations without errors are in the
/// result, and the names of the others in `Module::damaged`.
ast::Module parse(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

/// Parses a source that is one expression, such as the argument of `sigrel run file.sr -e EXPR`. The nodes
/// live in the arena of `into`. Null after an error.
ast::Expr* parse_expression(FileId file, const SourceMap& sources, ast::Module& into,
                            Diagnostics& diagnostics);

}  // namespace sigrel
