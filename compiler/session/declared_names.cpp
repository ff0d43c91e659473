#include "compiler/session/declared_names.h"

#include <algorithm>

namespace sigrel::session {

void DeclaredNames::add(const ast::Decl* decl) {
  switch (decl->kind) {
    case ast::DeclKind::Import: break;
    case ast::DeclKind::TypeSynonym:
      types.insert(static_cast<const ast::TypeSynonymDecl*>(decl)->name.name);
      break;
    case ast::DeclKind::Record: types.insert(static_cast<const ast::RecordDecl*>(decl)->name.name); break;
    case ast::DeclKind::Data: types.insert(static_cast<const ast::DataDecl*>(decl)->name.name); break;
    case ast::DeclKind::Foreign: clauses.insert(static_cast<const ast::ForeignDecl*>(decl)->name.name); break;
    case ast::DeclKind::Signature:
      for (const ast::Ident& name : static_cast<const ast::SignatureDecl*>(decl)->names)
        signatures.insert(name.name);
      break;
    case ast::DeclKind::Binding: break;
    case ast::DeclKind::Clause: clauses.insert(static_cast<const ast::ClauseDecl*>(decl)->name.name); break;
  }
}

DeclaredNames names_of(const ast::Decl* decl) {
  DeclaredNames names;
  names.add(decl);
  return names;
}

DeclaredNames names_of(const ast::Module& module) {
  DeclaredNames names;
  for (const ast::Decl* decl : module.decls) names.add(decl);
  return names;
}

bool defines(const ast::Decl* decl, Name name) {
  if (decl->kind == ast::DeclKind::Data &&
      std::ranges::any_of(static_cast<const ast::DataDecl*>(decl)->constructors,
                          [&](const ast::DataConstructor& c) { return c.name.name == name; }))
    return true;
  const DeclaredNames names = names_of(decl);
  return names.clauses.contains(name) || names.signatures.contains(name) || names.types.contains(name);
}

std::vector<ast::Decl*> remaining(const ast::Module& old, const DeclaredNames& fresh, Arena& arena) {
  std::vector<ast::Decl*> kept;
  for (ast::Decl* decl : old.decls) {
    if (decl->kind == ast::DeclKind::Signature) {
      auto* signature = static_cast<ast::SignatureDecl*>(decl);
      std::vector<ast::Ident> names;
      for (const ast::Ident& name : signature->names)
        if (!fresh.clauses.contains(name.name) && !fresh.signatures.contains(name.name))
          names.push_back(name);
      if (names.empty()) continue;
      if (names.size() != signature->names.size()) {
        signature = arena.make<ast::SignatureDecl>(*signature);
        signature->names = arena.copy(names);
      }
      kept.push_back(signature);
      continue;
    }
    const DeclaredNames own = names_of(decl);
    bool replaced = std::ranges::any_of(own.clauses, [&](Name n) { return fresh.clauses.contains(n); }) ||
                    std::ranges::any_of(own.types, [&](Name n) { return fresh.types.contains(n); });
    if (!replaced) kept.push_back(decl);
  }
  return kept;
}

bool looks_like_declaration(std::string_view text) {
  std::size_t start = text.find_first_not_of(" \t\r\n");
  if (start == std::string_view::npos) return true;
  text.remove_prefix(start);
  for (std::string_view word : {"import ", "type ", "record ", "data ", "module ", "foreign "})
    if (text.starts_with(word)) return true;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size() && text[i] != '\n'; ++i) {
    char c = text[i], next = i + 1 < text.size() ? text[i + 1] : ' ';
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
      continue;
    }
    if (c == '"') quoted = true;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0) continue;
    if (c == '-' && next == '-') return false;
    if (c == ':' && next == ':') return true;
    bool operator_before = i > 0 && std::string_view("=<>/!:").find(text[i - 1]) != std::string_view::npos;
    if (c == '=' && next != '=' && !operator_before) return true;
    if (c == '\\' || text.substr(i).starts_with(" where")) return false;
  }
  return false;
}

}  // namespace sigrel::session
