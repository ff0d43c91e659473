// The values that a module defines: definitions, signatures, foreign functions.
#include <unordered_map>

#include "compiler/check/checker.h"

namespace sigrel::check {

core::GlobalId Checker::declare_value(const ast::Ident& name) {
  ModuleScope& scope = scopes_.module();
  core::GlobalId id = new_global(name.name, name.span);
  scope.add(name.name, Value::of(id), Priority::Own, scope.name);
  scope.own_values.push_back(name.name);
  return id;
}

void Checker::declare_definitions(const ast::Module& module) {
  std::unordered_map<Name, Span> seen;
  std::unordered_map<Name, core::GlobalId> defined;
  DefinitionGroup group = group_definitions(module.decls, scopes_, diagnostics_);
  for (Definition& definition : group.definitions) {
    core::GlobalId id = declare_value({definition.name, definition.span});
    seen.emplace(definition.name, definition.span);
    if (!definition.binding) defined.emplace(definition.name, id);
    globals_[id].definition = std::move(definition);
  }
  auto damaged = [&](core::GlobalId id) {
    globals_[id].scheme = types_.error();
    globals_[id].checked = true;
    program_.globals[id.value].type.assign(1, '_');  // GCC 12 warns falsely about = "_"
  };
  // A name with a signature is defined even if its definition is missing. Where a syntax error hides the
  // definition it has that type. Else the name may be the mistake, and stand for that of something else: then
  // it agrees with everything.
  for (auto& [name, signature] : group.undefined) {
    if (!seen.emplace(name.name, name.span).second) continue;
    const core::GlobalId id = declare_value(name);
    if (scopes_.module().incomplete)
      globals_[id].definition.signature = signature;
    else
      damaged(id);
    globals_[id].checked = true;
  }
  // A declaration with a syntax error defines its name, with a type that agrees with everything. So does a
  // definition of which the signature or a clause has one: what remains says too little to be checked.
  for (const ast::Ident& name : module.damaged) {
    if (auto at = defined.find(name.name); at != defined.end())
      damaged(at->second);
    else if (seen.emplace(name.name, name.span).second)
      damaged(declare_value(name));
  }
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind != ast::DeclKind::Foreign) continue;
    auto& foreign = *static_cast<const ast::ForeignDecl*>(decl);
    if (auto [at, fresh] = seen.emplace(foreign.name.name, foreign.name.span); !fresh)
      scopes_.duplicate(foreign.name, at->second, "the function");
    else
      declare_foreign(foreign);
  }
}

void Checker::read_signature(GlobalState& state) {
  if (!state.definition.signature || state.scheme) return;
  reader_.clear_scoped_variables();
  state.scheme = reader_.signature(*state.definition.signature, state.type_variables);
  state.polymorphic = is_generic(state.scheme);
  state.assumed = true;
  state.has_units = has_units(state.scheme);
  if (state.polymorphic) unifier_.collect_layout_variables(state.scheme, state.layout_variables);
}

}  // namespace sigrel::check
