// Declarations to definitions: the clauses of a name are one definition, with its signature.
#pragma once
#include <span>
#include <vector>

#include "compiler/check/names/free_variables.h"
#include "compiler/check/names/globals.h"
#include "compiler/check/names/scopes.h"
#include "compiler/check/names/strong_components.h"

namespace sigrel::check {

struct DefinitionGroup {
  std::vector<Definition> definitions;  // in source order
  /// Names with a signature but no definition; reported.
  std::vector<std::pair<ast::Ident, const ast::SignatureDecl*>> undefined;
};

/// Reports clauses and signatures that do not fit together.
DefinitionGroup group_definitions(std::span<ast::Decl* const> decls, Scopes& scopes,
                                  Diagnostics& diagnostics);

/// The variables that a pattern binds, in source order.
void bound_names(const ast::Pattern* pattern, std::vector<ast::Ident>& out);

/// `immediate`: an edge where a definition needs the value of another one to be evaluated. Circles are
/// reported.
void report_evaluation_cycles(const DependencyGraph& immediate,
                              const std::vector<const Definition*>& definitions, Diagnostics& diagnostics);

/// Whether every way through `e` ends at a relation literal.
bool only_relation_literals(const ast::Expr* e);
/// Whether some way through `e`, functions excepted, ends at a relation literal.
bool makes_relation(const ast::Expr* e);

}  // namespace sigrel::check
