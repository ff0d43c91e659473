// The scopes of modules: builtins, the Prelude, imports.
#include "compiler/check/names/builtins.h"
#include "compiler/check/names/scopes.h"

namespace sigrel::check {
namespace {

void import_all(ModuleScope& scope, const ModuleScope& from, Priority priority) {
  for (Name name : from.own_values)
    if (auto* entry = from.value(name)) scope.add(name, entry->meaning, priority, from.name);
  for (Name name : from.own_types)
    if (auto* entry = from.type(name)) scope.add(name, entry->meaning, priority, from.name);
}

/// Everything that `from` sees; its own names hide those of open imports.
void import_visible(ModuleScope& scope, const ModuleScope& from) {
  auto copy = [&](auto& entries) {
    for (auto& [name, entry] : entries)
      scope.add(name, entry.meaning, entry.priority == Priority::Own ? Priority::Listed : entry.priority,
                entry.module);
  };
  copy(from.values);
  copy(from.types);
  scope.qualifiers = from.qualifiers;
}

}  // namespace

Scopes::Scopes(Diagnostics& diagnostics, Types& types, CoreBuilder& core)
    : diagnostics_(diagnostics), types_(types), core_(core), undefined_(diagnostics) {
  open_builtin_scope();
}

void Scopes::open_builtin_scope() {
  Name prelude = intern("Prelude");
  builtin_scope_.name = prelude;
  for (TypeConstructor* c :
       {&types_.real_constructor, &types_.integer_constructor, &types_.boolean_constructor,
        &types_.string_constructor, &types_.experiment_constructor, &types_.interpolation_constructor,
        &types_.outside_constructor})
    builtin_scope_.add(c->name, TypeName{c, nullptr}, Priority::Prelude, prelude);
  for (const Constructor* c : {&types_.false_constructor, &types_.true_constructor, &types_.linear,
                               &types_.spline, &types_.hold, &types_.extend})
    builtin_scope_.add(c->name, Value::of(*c), Priority::Prelude, prelude);
  for (const Builtin& b : builtins())
    builtin_scope_.add(intern(b.name), Value::of(b), Priority::Prelude, prelude);
}

ModuleScope& Scopes::open_module(const ast::Module& module, bool sees_previous) {
  const ModuleScope* previous = sees_previous ? &modules_.back() : nullptr;
  ModuleScope& scope = modules_.emplace_back();
  scope.name = module.name.name;
  scope.incomplete = module.incomplete;
  module_ = &scope;
  undefined_.start_module();
  import_names(module, scope, previous);
  modules_by_name_.emplace(scope.name, &scope);
  scope.qualifiers[scope.name].push_back(&scope);
  return scope;
}

void Scopes::import_names(const ast::Module& module, ModuleScope& scope, const ModuleScope* previous) {
  for (auto& [name, entry] : builtin_scope_.values) scope.values.emplace(name, entry);
  for (auto& [name, entry] : builtin_scope_.types) scope.types.emplace(name, entry);
  if (auto prelude = modules_by_name_.find(intern("Prelude")); prelude != modules_by_name_.end())
    import_all(scope, *prelude->second, Priority::Prelude);
  if (previous) import_visible(scope, *previous);
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind != ast::DeclKind::Import) continue;
    auto& import = *static_cast<const ast::ImportDecl*>(decl);
    auto at = modules_by_name_.find(import.module.name);
    if (at == modules_by_name_.end()) {
      // Loading reports a missing file; this is for a module that was not passed to the checker.
      scope.incomplete = true;
      if (!diagnostics_.has_errors())
        diagnostics_.report(Code::UnknownModule, import.module.span,
                            "there is no module `" + std::string(text(import.module.name)) + "`");
      continue;
    }
    const ModuleScope& from = *at->second;
    scope.incomplete |= from.incomplete;
    scope.qualifiers[import.has_alias ? import.alias.name : import.module.name].push_back(&from);
    // `import M as Q` brings only the qualified names; `import M` both.
    if (import.has_list && !import.hiding)
      import_list(import, scope, from);
    else if (!import.has_alias || import.hiding)
      import_open(import, scope, from);
  }
}

void Scopes::import_list(const ast::ImportDecl& import, ModuleScope& scope, const ModuleScope& from) {
  for (const ast::Ident& name : import.names) {
    auto* value = from.value(name.name);
    auto* type = from.type(name.name);
    if (!value && !type) {
      scope.incomplete = true;
      if (from.incomplete) continue;
      auto& d = diagnostics_.report(Code::NotExported, name.span,
                                    "`" + std::string(text(name.name)) + "` is not defined in " +
                                        std::string(text(import.module.name)));
      std::vector<std::string_view> candidates;
      for (Name n : from.own_values) candidates.push_back(text(n));
      for (Name n : from.own_types) candidates.push_back(text(n));
      if (auto near = did_you_mean(text(name.name), candidates))
        d.fix("did you mean `" + std::string(*near) + "`?", name.span, std::string(*near));
      continue;
    }
    if (value) scope.add(name.name, value->meaning, Priority::Listed, value->module);
    if (!type) continue;
    scope.add(name.name, type->meaning, Priority::Listed, type->module);
    if (auto* c = type->meaning.constructor; c && c->kind == NominalKind::Data)
      for (Constructor* constructor : c->constructors)
        scope.add(constructor->name, Value::of(*constructor), Priority::Listed, type->module);
  }
}

void Scopes::import_open(const ast::ImportDecl& import, ModuleScope& scope, const ModuleScope& from) {
  std::unordered_set<Name> hidden;
  for (const ast::Ident& name : import.names) {
    hidden.insert(name.name);
    if (!from.incomplete && !from.value(name.name) && !from.type(name.name))
      diagnostics_.report(Code::NotExported, name.span,
                          "`" + std::string(text(name.name)) + "` is not defined in " +
                              std::string(text(import.module.name)));
  }
  for (Name name : from.own_values)
    if (!hidden.contains(name)) scope.add(name, from.value(name)->meaning, Priority::Open, from.name);
  for (Name name : from.own_types)
    if (!hidden.contains(name)) scope.add(name, from.type(name)->meaning, Priority::Open, from.name);
}

void Scopes::add_field(Name field, TypeConstructor& record) {
  auto& records = records_by_field_[field];
  if (records.empty() || records.back() != &record) records.push_back(&record);
}

std::span<TypeConstructor* const> Scopes::records_with(Name field) const {
  auto at = records_by_field_.find(field);
  return at == records_by_field_.end() ? std::span<TypeConstructor* const>{} : at->second;
}

TypeConstructor* Scopes::unique_record_with(Name field, bool& ambiguous) const {
  ambiguous = false;
  TypeConstructor* found = nullptr;
  auto records = records_with(field);
  for (TypeConstructor* record : records) {
    auto* entry = module_->type(record->name);
    bool visible = entry && entry->meaning.constructor == record;
    if (!visible && records.size() > 1) continue;
    if (found) {
      ambiguous = true;
      return nullptr;
    }
    found = record;
  }
  return found;
}

void Scopes::suggest_field(Diagnostic& diagnostic, const ast::Ident& field) {
  std::vector<Name> names;
  for (auto& [name, records] : records_by_field_) names.push_back(name);
  suggest(diagnostic, field.name, field.span, names);
}

}  // namespace sigrel::check
