// The names that declarations define, for modules that grow by input (session/interactive.h).
#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include "compiler/base/arena.h"
#include "compiler/ir/ast.h"

namespace sigrel::session {

/// Values and types have separate namespaces.
struct DeclaredNames {
  std::unordered_set<Name> clauses, signatures, types;

  void add(const ast::Decl* decl);
};

DeclaredNames names_of(const ast::Decl* decl);
DeclaredNames names_of(const ast::Module& module);

/// Whether a declaration defines a name: a value, a type or a constructor.
bool defines(const ast::Decl* decl, Name name);

/// The declarations of `old` that remain when `fresh` names are defined. A new definition replaces the old
/// signature, too; a new signature replaces only the old one.
std::vector<ast::Decl*> remaining(const ast::Module& old, const DeclaredNames& fresh, Arena& arena);

/// Whether an input that parses neither as declarations nor as an expression was meant as declarations: it
/// starts with a keyword of declarations, or has `=` or `::` outside brackets in its first line.
bool looks_like_declaration(std::string_view text);

}  // namespace sigrel::session
