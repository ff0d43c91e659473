#include "compiler/lsp/uses.h"

#include <algorithm>
#include <unordered_set>

#include "compiler/check/names/free_variables.h"

namespace sigrel::lsp {
namespace {

/// The names in one clause of a definition.
class Names final : public check::FreeVariables {
 public:
  Names(Uses& uses, std::uint32_t clause) : uses_(uses), clause_(clause) {}

  void add(const ast::ClauseDecl& decl) {
    clause(decl);
    for (const ast::QualifiedIdent& name : found_) {
      const bool is_label = !name.qualified && labels_.contains(name.ident.name.value);
      if (!is_label)
        uses_.names.emplace(name.ident.span.begin, name.qualified ? std::string(text(name.qualifier)) : "");
      if (is_label || (!name.qualified && nodes_.contains(name.ident.name.value))) add_local(name.ident);
    }
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool) override {
    found_.push_back(name);
    if (node_arguments_ > 0) nodes_.insert(name.ident.name.value);
  }
  void binding(const ast::Ident& name) override { add_local(name); }
  void use_bound(const ast::Ident& name) override { add_local(name); }
  void field_variable(const ast::Ident& name) override { add_local(name).is_field = true; }
  void label(const ast::Ident& name, const void*) override {
    labels_.insert(name.name.value);
    add_local(name);
  }
  void type(const ast::Type& type) override { sizes(type); }

 private:
  Uses::Local& add_local(const ast::Ident& name) {
    return uses_.locals
        .try_emplace(name.span.begin, Uses::Local{clause_, std::string(text(name.name)), false})
        .first->second;
  }

  Uses& uses_;
  const std::uint32_t clause_;
  std::vector<ast::QualifiedIdent> found_;
  std::unordered_set<std::uint32_t> labels_;
  std::unordered_set<std::uint32_t> nodes_;  // what relations are applied to
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
  std::uint32_t clauses = 0;
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
      Names(uses, clauses++).add(clause);
    }
  }
  return uses;
}

}  // namespace sigrel::lsp
