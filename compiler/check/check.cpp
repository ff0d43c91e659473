// Modules in the order given, then `main` and the samples.
#include "compiler/check/check.h"

#include <utility>

#include "compiler/check/checker.h"
#include "compiler/check/samples/samples.h"

namespace sigrel::check {

core::Program check(std::span<const ast::Module> modules, Diagnostics& diagnostics,
                    const CheckOptions& options) {
  Checker checker(diagnostics, options);
  return checker.run(modules);
}

Checker::Checker(Diagnostics& diagnostics, const CheckOptions& options)
    : OwnedParts(diagnostics),
      PartReferences(owned),
      options_(options),
      expressions_(parts_, relations_),
      relations_(parts_, expressions_) {
  reader_.set_size_checker([this](const ast::Expr* size) {
    return expressions_.check_expr(size, types_.integer(), {ReasonKind::IndexValue});
  });
  unifier_.set_largest_type(options.limits.types);
  scopes_.set_modules_with(options.modules_with);
  parts_.data = options.data;
  declare_experiment();
}

core::Program Checker::run(std::span<const ast::Module> modules) {
  for (std::size_t i = 0; i < modules.size(); ++i)
    check_module(modules[i], options_.last_sees_previous && i > 0 && i + 1 == modules.size());
  if (!modules.empty()) {
    check_main();
    if (options_.samples && !diagnostics_.has_errors()) add_samples();
  }
  return std::move(program_);
}

void Checker::check_module(const ast::Module& module, bool sees_previous) {
  scopes_.open_module(module, sees_previous);
  std::size_t first = program_.globals.size();
  declare_types(module);
  declare_definitions(module);
  std::vector<core::GlobalId> globals;
  for (std::size_t i = first; i < program_.globals.size(); ++i) {
    globals.push_back(core::GlobalId(i));
    read_signature(globals_[globals.back()]);
  }
  check_definitions(globals);
  contracts_.resolve();
}

void Checker::check_main() {
  const ModuleScope& root = scopes_.module();
  auto* entry = root.value(intern(core::kExpression));
  if (!entry) entry = root.value(intern("main"));
  if (!entry || entry->priority != Priority::Own || entry->meaning.kind != Value::Global) return;
  core::GlobalId main = entry->meaning.global;
  Type* type = find(globals_[main].scheme ? globals_[main].scheme : types_.error());
  program_.main = main;
  program_.main_is_relation = type->kind == TypeKind::Relation;
  if (!options_.last_sees_previous) check_main_type(main, type);
}

// `sigrel run` runs the `main` of a file; an expression given instead may have any type, for it may only be
// shown.
void Checker::check_main_type(core::GlobalId main, Type* type) {
  if (type->kind == TypeKind::Error || is_constructor(type, types_.experiment_constructor)) return;
  if (type->kind == TypeKind::Variable && diagnostics_.has_errors()) return;  // it reads what is damaged
  Type* interface = type->kind == TypeKind::Relation ? find(type->args[0]) : nullptr;
  if (interface && interface->kind == TypeKind::Tuple && interface->args.empty()) return;
  auto& d =
      diagnostics_.report(Code::MainType, globals_.span(main),
                          "`main` is not runnable: it must be an experiment or a complete model, and is " +
                              messages_.describe(type));
  if (interface)
    d.label("it is a part of a model")
        .help("apply it inside `sigrel () where …`, with sources for its interface");
  else if (type->kind == TypeKind::Function)
    d.label("it needs an argument").help("give it its arguments");
  else
    d.help("`simulate model` makes an experiment; give another name to a value that is only shown");
}

void Checker::add_samples() {
  Samples samples(program_, types_, core_, unifier_, globals_, contracts_, layouts_);
  const ModuleScope& root = scopes_.module();
  std::vector<core::GlobalId> own;  // those that contracts name come first
  for (const core::Contract& contract : program_.contracts)
    if (contract.form == core::Contract::Like) own.push_back(contract.like);
  for (Name name : root.own_values)
    if (auto* value = root.value(name); value && value->meaning.kind == Value::Global)
      own.push_back(value->meaning.global);
  samples.add(own);
  // A message about the argument of an imported definition needs the requirements of that definition, if the
  // root uses it: analysing all of a library takes most of the time of a small check.
  const std::vector<bool> used = globals_.reachable(own);
  auto takes_relation = [&](Type* type) {
    for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1]))
      if (find(type->args[0])->kind == TypeKind::Relation) return true;
    return false;
  };
  std::vector<core::GlobalId> imported;
  for (const ModuleScope& scope : scopes_.modules())
    for (Name name : scope.own_values) {
      auto* value = scope.value(name);
      if (&scope == &root || !value || value->meaning.kind != Value::Global) continue;
      Type* scheme = globals_[value->meaning.global].scheme;
      if (scheme && used[value->meaning.global.value] && takes_relation(scheme))
        imported.push_back(value->meaning.global);
    }
  samples.add(imported);
}

}  // namespace sigrel::check
