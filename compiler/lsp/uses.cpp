#include "compiler/lsp/uses.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/check/names/free_variables.h"

namespace sigrel::lsp {
namespace {

/// The free variables of one definition, but for the labels of its parts.
class Free final : public check::FreeVariables {
 public:
  void add_to(Uses& uses) const {
    for (const ast::QualifiedIdent& name : found_)
      if (name.qualified || !labels_.contains(name.ident.name.value))
        uses.names.emplace(name.ident.span.begin, name.qualified ? std::string(text(name.qualifier)) : "");
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override { found_.push_back(name); }
  void label(const ast::Ident& name, const void*) override { labels_.insert(name.name.value); }

 private:
  std::vector<ast::QualifiedIdent> found_;
  std::unordered_set<std::uint32_t> labels_;
};

}  // namespace

Uses uses_of(const pipeline::Modules& modules) {
  const ast::Module& root = modules.modules.back();
  Uses uses;
  uses.visible = {std::string(text(root.name.name)), "Prelude"};
  const auto defines = [&](const ast::Ident& name) {
    uses.names.emplace(name.span.begin, "");
    std::string defined(text(name.name));
    if (std::ranges::find(uses.defined, defined) == uses.defined.end())
      uses.defined.push_back(std::move(defined));
  };
  for (const ast::Decl* decl : root.decls) {
    if (decl->kind == ast::DeclKind::Import) {
      const auto& import = *static_cast<const ast::ImportDecl*>(decl);
      const std::string module(text(import.module.name));
      uses.visible.push_back(module);
      uses.qualifiers.emplace(import.has_alias ? std::string(text(import.alias.name)) : module, module);
      for (const ast::Ident& name : import.names) uses.names.emplace(name.span.begin, "");
    } else if (decl->kind == ast::DeclKind::Signature) {
      for (const ast::Ident& name : static_cast<const ast::SignatureDecl*>(decl)->names) defines(name);
    } else if (decl->kind == ast::DeclKind::Clause) {
      const auto& clause = *static_cast<const ast::ClauseDecl*>(decl);
      defines(clause.name);
      Free free;
      free.clause(clause);
      free.add_to(uses);
    }
  }
  return uses;
}

}  // namespace sigrel::lsp
