// The values that a module defines: definitions, signatures, foreign functions.
#include <fmt/format.h>

#include <unordered_map>

#include "compiler/check/checker.h"
#include "compiler/check/types/parameter_names.h"
#include "compiler/ir/ast_print.h"

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
    if (globals_[id].definition.signature) declare_default_values(globals_[id]);
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

/// A definition without a name for each default value of a signature; read_signature gives it its type.
void Checker::declare_default_values(GlobalState& state) {
  const ast::Type* type = state.definition.signature->type;
  for (; type->kind == ast::TypeKind::Function; type = static_cast<const ast::FunctionType*>(type)->to) {
    auto* function = static_cast<const ast::FunctionType*>(type);
    if (!function->default_value) continue;
    const std::string name =
        fmt::format("{}.{}", text(state.definition.name), text(function->parameter.name));
    const core::GlobalId id = new_global(intern(name), function->default_value->span);
    globals_[id].default_value = function->default_value;
    globals_[id].parameter = function->parameter.name;
    globals_[id].scheme = types_.error();
    globals_[id].assumed = true;
    state.default_values.push_back(id);
  }
}

void Checker::read_default_values(const GlobalState& state) {
  const ast::Type* written = state.definition.signature->type;
  Type* type = find(state.scheme);
  auto id = state.default_values.begin();
  for (; id != state.default_values.end() && type->kind == TypeKind::Function; type = find(type->args[1])) {
    auto* function = static_cast<const ast::FunctionType*>(written);
    written = function->to;
    if (!function->default_value) continue;
    type->default_value = *id;
    const bool atom = function->default_value->kind == ast::ExprKind::Int ||
                      function->default_value->kind == ast::ExprKind::Real ||
                      function->default_value->kind == ast::ExprKind::Variable ||
                      function->default_value->kind == ast::ExprKind::Constructor;
    type->default_text = intern(atom ? ast::print(*function->default_value) : "…");
    GlobalState& value = globals_[*id++];
    value.scheme = type->args[0];
    value.polymorphic = is_generic(value.scheme);
    value.has_units = has_units(value.scheme);
  }
}

void Checker::read_signature(GlobalState& state) {
  if (!state.definition.signature || state.scheme) return;
  reader_.clear_scoped_variables();
  state.scheme = reader_.signature(*state.definition.signature, true, state.type_variables);
  read_default_values(state);
  state.scheme = name_parameters(types_, state.scheme, state.definition);
  state.polymorphic = is_generic(state.scheme);
  state.assumed = true;
  state.has_units = has_units(state.scheme);
  if (state.polymorphic) unifier_.collect_layout_variables(state.scheme, state.layout_variables);
}

}  // namespace sigrel::check
