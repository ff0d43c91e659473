// Scopes and imports, the definitions of a module and their order.
#include "compiler/check/checker.h"

namespace sigrel::check {

core::Program check(std::span<const ast::Module> modules, Diagnostics& diagnostics,
                    const CheckOptions& options) {
  Checker checker(diagnostics, options);
  return checker.run(modules);
}

Checker::Checker(Diagnostics& diagnostics, const CheckOptions& options)
    : diagnostics_(diagnostics), options_(options), arena_(*program_.arena), types_(type_arena_) {
  open_builtin_scope();
}

void Checker::open_builtin_scope() {
  Name prelude = intern("Prelude");
  builtin_scope_.name = prelude;
  for (TypeConstructor* c :
       {&types_.real_constructor, &types_.integer_constructor, &types_.boolean_constructor,
        &types_.string_constructor, &types_.experiment_constructor, &types_.interpolation_constructor,
        &types_.outside_constructor})
    builtin_scope_.add(c->name, TypeName{c, nullptr}, Priority::Prelude, prelude);
  for (const Constructor* c : {&types_.false_constructor, &types_.true_constructor, &types_.linear,
                               &types_.spline, &types_.hold, &types_.extend}) {
    Value value{Value::Constructor, {}, nullptr, c, nullptr};
    builtin_scope_.add(c->name, value, Priority::Prelude, prelude);
  }
  for (const Builtin& b : builtins())
    builtin_scope_.add(intern(b.name), Value{Value::Primitive, {}, &b, nullptr, nullptr}, Priority::Prelude,
                       prelude);

  // The record of an experiment: the fields in the order of core::ExperimentField.
  TypeConstructor& experiment = types_.experiment_constructor;
  experiment.kind = NominalKind::Record;
  experiment.holds_relation = true;
  experiment.record = core::RecordId(program_.records.size());
  Type* names = types_.list(types_.string());
  const std::pair<std::string_view, Type*> fields[] = {{"model", types_.relation(types_.unit(), {})},
                                                       {"start", types_.seconds()},
                                                       {"stop", types_.seconds()},
                                                       {"tolerance", types_.number()},
                                                       {"steps", types_.integer()},
                                                       {"outputs", names},
                                                       {"plot", names},
                                                       {"solver", types_.string()}};
  core::RecordInfo info;
  info.name = experiment.name;
  for (auto& [name, type] : fields) {
    Field field;
    field.name = intern(name);
    field.type = type;
    experiment.fields.push_back(field);
    info.fields.push_back({field.name, false, {}});
  }
  program_.records.push_back(std::move(info));
  program_.experiment = experiment.record;
  record_types_.push_back(&experiment);
}

core::Program Checker::run(std::span<const ast::Module> modules) {
  for (std::size_t i = 0; i < modules.size(); ++i) {
    previous_scope_ =
        options_.last_sees_previous && i > 0 && i + 1 == modules.size() ? &scopes_.back() : nullptr;
    check_module(modules[i]);
  }
  if (!modules.empty()) {
    auto* entry = scope_->value(intern(core::kExpression));
    if (!entry) entry = scope_->value(intern("main"));
    if (entry && entry->priority == Priority::Own && entry->meaning.kind == Value::Global) {
      core::GlobalId main = entry->meaning.global;
      Type* type = find(globals_[main.value].scheme ? globals_[main.value].scheme : types_.error());
      program_.main = main;
      program_.main_is_relation = type->kind == TypeKind::Relation;
      if (!options_.last_sees_previous) check_main(main, type);
    }
    if (options_.samples && !diagnostics_.has_errors()) {
      std::vector<core::GlobalId> own;  // what contracts name comes first
      for (const core::Contract& contract : program_.contracts)
        if (contract.form == core::Contract::Like) own.push_back(contract.like);
      for (Name name : scope_->own_values)
        if (auto* value = scope_->value(name); value && value->meaning.kind == Value::Global)
          own.push_back(value->meaning.global);
      add_samples(own);
      // What a definition of another module asks of its arguments is needed to say what is wrong with one.
      std::vector<core::GlobalId> imported;
      for (const ModuleScope& scope : scopes_)
        for (Name name : scope.own_values) {
          auto* value = scope.value(name);
          if (&scope == scope_ || !value || value->meaning.kind != Value::Global) continue;
          Type* type = globals_[value->meaning.global.value].scheme;
          for (type = type ? find(type) : types_.error(); type->kind == TypeKind::Function;
               type = find(type->args[1])) {
            if (find(type->args[0])->kind != TypeKind::Relation) continue;
            imported.push_back(value->meaning.global);
            break;
          }
        }
      add_samples(imported);
    }
  }
  return std::move(program_);
}

// `main` of a file is what `sigrel run` runs; an expression given instead may be anything, for it may be
// shown only.
void Checker::check_main(core::GlobalId main, Type* type) {
  if (type->kind == TypeKind::Error || is_constructor(type, types_.experiment_constructor)) return;
  Type* interface = type->kind == TypeKind::Relation ? find(type->args[0]) : nullptr;
  if (interface && interface->kind == TypeKind::Tuple && interface->args.empty()) return;
  auto& d = diagnostics_.report(
      Code::MainType, program_.globals[main.value].span,
      "`main` is what runs: an experiment or a complete model, and this is " + describe(type));
  if (interface)
    d.label("it is a part of a model")
        .help("apply it inside `sigrel () where …`, with sources for its interface");
  else if (type->kind == TypeKind::Function)
    d.label("it waits for an argument").help("give it its arguments");
  else
    d.help("an experiment is made by `simulate model`; a value that is only to be shown has another name");
}

void Checker::import_all(ModuleScope& scope, const ModuleScope& from, Priority priority) {
  for (Name name : from.own_values)
    if (auto* entry = from.value(name)) scope.add(name, entry->meaning, priority, from.name);
  for (Name name : from.own_types)
    if (auto* entry = from.type(name)) scope.add(name, entry->meaning, priority, from.name);
}

void Checker::import_names(const ast::Module& module, ModuleScope& scope) {
  for (auto& [name, entry] : builtin_scope_.values) scope.values.emplace(name, entry);
  for (auto& [name, entry] : builtin_scope_.types) scope.types.emplace(name, entry);
  auto prelude = modules_.find(intern("Prelude"));
  if (prelude != modules_.end()) import_all(scope, *prelude->second, Priority::Prelude);
  if (previous_scope_) {
    for (auto& [name, entry] : previous_scope_->values)
      scope.add(name, entry.meaning, entry.priority == Priority::Own ? Priority::Listed : entry.priority,
                entry.module);
    for (auto& [name, entry] : previous_scope_->types)
      scope.add(name, entry.meaning, entry.priority == Priority::Own ? Priority::Listed : entry.priority,
                entry.module);
    scope.qualifiers = previous_scope_->qualifiers;
  }
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind != ast::DeclKind::Import) continue;
    auto& import = *static_cast<const ast::ImportDecl*>(decl);
    auto at = modules_.find(import.module.name);
    std::string from_name(text(import.module.name));
    if (at == modules_.end()) {
      // Loading reports a file that is not there; this is for a module that was not handed in.
      scope.incomplete = true;
      if (!diagnostics_.has_errors())
        diagnostics_.report(Code::UnknownModule, import.module.span,
                            "there is no module `" + from_name + "`");
      continue;
    }
    const ModuleScope& from = *at->second;
    scope.incomplete |= from.incomplete;
    scope.qualifiers[import.has_alias ? import.alias.name : import.module.name].push_back(&from);
    if (import.has_list && !import.hiding) {
      for (const ast::Ident& name : import.names) {
        auto* value = from.value(name.name);
        auto* type = from.type(name.name);
        if (!value && !type) {
          scope.incomplete = true;
          if (from.incomplete) continue;
          auto& d =
              diagnostics_.report(Code::NotExported, name.span,
                                  "`" + std::string(text(name.name)) + "` is not defined in " + from_name);
          std::vector<std::string_view> candidates;
          for (Name n : from.own_values) candidates.push_back(text(n));
          for (Name n : from.own_types) candidates.push_back(text(n));
          if (auto near = did_you_mean(text(name.name), candidates))
            d.fix("did you mean `" + std::string(*near) + "`?", name.span, std::string(*near));
          continue;
        }
        if (value) scope.add(name.name, value->meaning, Priority::Listed, value->module);
        if (type) {
          scope.add(name.name, type->meaning, Priority::Listed, type->module);
          if (auto* c = type->meaning.constructor; c && c->kind == NominalKind::Data)
            for (Constructor* constructor : c->constructors)
              scope.add(constructor->name, Value{Value::Constructor, {}, nullptr, constructor, nullptr},
                        Priority::Listed, type->module);
        }
      }
    } else if (!import.has_alias || import.hiding) {
      // `import M as Q` brings only the qualified names; `import M` both.
      std::unordered_set<Name> hidden;
      for (const ast::Ident& name : import.names) {
        hidden.insert(name.name);
        if (!from.incomplete && !from.value(name.name) && !from.type(name.name))
          diagnostics_.report(Code::NotExported, name.span,
                              "`" + std::string(text(name.name)) + "` is not defined in " + from_name);
      }
      for (Name name : from.own_values)
        if (!hidden.contains(name)) scope.add(name, from.value(name)->meaning, Priority::Open, from.name);
      for (Name name : from.own_types)
        if (!hidden.contains(name)) scope.add(name, from.type(name)->meaning, Priority::Open, from.name);
    }
  }
}

core::GlobalId Checker::new_global(Name name, Span span) {
  core::GlobalId id(program_.globals.size());
  core::Global& global = program_.globals.emplace_back();
  global.name = name;
  global.module = scope_->name;
  global.span = span;
  globals_.emplace_back();
  return id;
}

void Checker::check_module(const ast::Module& module) {
  ModuleScope& scope = scopes_.emplace_back();
  scope.name = module.name.name;
  scope.incomplete = module.incomplete;
  scope_ = &scope;
  import_names(module, scope);
  modules_.emplace(module.name.name, &scope);
  scope.qualifiers[module.name.name].push_back(&scope);
  std::size_t first = program_.globals.size();
  declare_types(module, scope);
  declare_definitions(module, scope);
  std::vector<core::GlobalId> globals;
  for (std::size_t i = first; i < program_.globals.size(); ++i) {
    globals.push_back(core::GlobalId(i));
    read_signature(globals_[i]);
  }
  check_definitions(globals);
  resolve_contracts();
}

void Checker::declare_definitions(const ast::Module& module, ModuleScope& scope) {
  std::unordered_map<Name, Span> seen;
  for (Definition& definition : group_definitions(module.decls)) {
    core::GlobalId id = new_global(definition.name, definition.span);
    scope.add(definition.name, Value{Value::Global, id, nullptr, nullptr, nullptr}, Priority::Own,
              module.name.name);
    scope.own_values.push_back(definition.name);
    seen.emplace(definition.name, definition.span);
    globals_[id.value].definition = std::move(definition);
  }
  // What has a type is there, whatever became of its definition.
  for (auto& [name, signature] : without_definition_) {
    if (!seen.emplace(name.name, name.span).second) continue;
    core::GlobalId id = new_global(name.name, name.span);
    scope.add(name.name, Value{Value::Global, id, nullptr, nullptr, nullptr}, Priority::Own,
              module.name.name);
    scope.own_values.push_back(name.name);
    GlobalState& state = globals_[id.value];
    state.definition.name = name.name;
    state.definition.span = name.span;
    state.definition.signature = signature;
    state.checked = true;
  }
  // What has a syntax error is there, with a type that agrees with everything.
  for (const ast::Ident& name : module.damaged) {
    if (!seen.emplace(name.name, name.span).second) continue;
    core::GlobalId id = new_global(name.name, name.span);
    scope.add(name.name, Value{Value::Global, id, nullptr, nullptr, nullptr}, Priority::Own,
              module.name.name);
    scope.own_values.push_back(name.name);
    globals_[id.value].definition.name = name.name;
    globals_[id.value].definition.span = name.span;
    globals_[id.value].scheme = types_.error();
    globals_[id.value].checked = true;
    program_.globals[id.value].type = "_";
  }
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind != ast::DeclKind::Foreign) continue;
    auto& foreign = *static_cast<const ast::ForeignDecl*>(decl);
    if (auto [at, fresh] = seen.emplace(foreign.name.name, foreign.name.span); !fresh) {
      duplicate(foreign.name, at->second, "the function");
      continue;
    }
    std::optional<core::GlobalId> derivative = declare_derivative(foreign);
    core::GlobalId id = new_global(foreign.name.name, foreign.name.span);
    scope.add(foreign.name.name, Value{Value::Global, id, nullptr, nullptr, nullptr}, Priority::Own,
              module.name.name);
    scope.own_values.push_back(foreign.name.name);
    GlobalState& state = globals_[id.value];
    state.definition.name = foreign.name.name;
    state.definition.span = foreign.name.span;
    TypeScope types;
    types.mode = TypeScope::Signature;
    state.scheme = convert(foreign.type, types);
    state.polymorphic = find(state.scheme)->generic;
    state.has_units = has_units(state.scheme);
    state.checked = state.assumed = true;
    program_.globals[id.value].type = print(state.scheme);
    program_.globals[id.value].foreign =
        core::Foreign{intern(foreign.symbol), foreign_arity(foreign, state.scheme), derivative};
  }
}

/// The number of arguments; a type that no function of C has is reported.
std::uint32_t Checker::foreign_arity(const ast::ForeignDecl& foreign, Type* type) {
  std::uint32_t arity = 0;
  bool reals = true;
  for (type = find(type); type->kind == TypeKind::Function; type = find(type->args[1]), ++arity)
    reals &= is_constructor(type->args[0], types_.real_constructor);
  if (is_error(type)) return 1;
  if (reals && is_constructor(type, types_.real_constructor) && arity >= 1 && arity <= 3) return arity;
  diagnostics_
      .report(Code::ForeignType, foreign.type->span,
              "`" + std::string(text(foreign.name.name)) + "` has no type that a function of C can have here")
      .label(arity > 3 ? "this has " + std::to_string(arity) + " arguments"
                       : "this is not a function from Reals to a Real")
      .help("one, two or three arguments are Real, and so is the result: `Real -> Real -> Real`");
  return 1;
}

/// The type of each partial derivative of a function of Reals: its arguments, and its unit over that of one
/// of them.
std::vector<Type*> Checker::partial_types(Type* function) {
  std::vector<Type*> arguments, partials;
  Type* result = function;
  for (; result->kind == TypeKind::Function; result = find(result->args[1]))
    arguments.push_back(result->args[0]);
  auto is_real = [&](Type* t) { return is_constructor(t, types_.real_constructor); };
  for (Type* argument : arguments) {
    if (!is_real(argument) || !is_real(result)) return {types_.error()};
    Linear slope;
    slope.add(find(result)->args[0], {1, 1});
    slope.add(find(argument)->args[0], {-1, 1});
    Type* partial = types_.real(types_.form(slope, Sort::Unit));
    for (auto it = arguments.rbegin(); it != arguments.rend(); ++it) partial = types_.function(*it, partial);
    partials.push_back(partial);
  }
  return partials.empty() ? std::vector<Type*>{types_.error()} : partials;
}

/// `with { derivative = … }` as a definition without a name.
std::optional<core::GlobalId> Checker::declare_derivative(const ast::ForeignDecl& foreign) {
  std::optional<core::GlobalId> result;
  for (const ast::Setting& s : foreign.settings) {
    if (text(s.name.name) != "derivative") {
      diagnostics_
          .report(Code::UnknownField, s.name.span,
                  "a foreign function has no setting `" + std::string(text(s.name.name)) + "`")
          .help("there is one: `derivative`");
      continue;
    }
    core::GlobalId id = new_global(intern(std::string(text(foreign.name.name)) + ".derivative"), s.name.span);
    TypeScope types;
    types.mode = TypeScope::Signature;
    Type* type = convert(foreign.type, types);
    std::vector<Type*> partials = partial_types(find(type));
    GlobalState& state = globals_[id.value];
    state.definition.name = program_.globals[id.value].name;
    state.definition.span = s.name.span;
    state.default_value = s.value;
    state.scheme = partials.size() == 1 ? partials[0] : types_.tuple(partials);
    state.polymorphic = find(state.scheme)->generic;
    state.has_units = has_units(state.scheme);
    state.assumed = true;
    result = id;
  }
  return result;
}

/// The uses that definitions make of each other.
class Dependencies : public UseWalker {
 public:
  Dependencies(Checker& checker, std::uint32_t first, std::uint32_t count)
      : checker_(checker), first_(first), count_(count) {}
  DependencyGraph all, immediate;

  void definition(const GlobalState& state) {
    if (state.default_value) expr(state.default_value);
    for (auto* c : state.definition.clauses) clause(*c);
    all.finish_vertex();
    immediate.finish_vertex();
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool delayed) override {
    auto* entry = checker_.lookup_value(name, false);
    if (!entry || entry->meaning.kind != Value::Global) return;
    std::uint32_t id = entry->meaning.global.value;
    if (id < first_ || id >= first_ + count_) return;
    all.add(id - first_);
    if (!delayed) immediate.add(id - first_);
  }

 private:
  Checker& checker_;
  std::uint32_t first_, count_;
};

void Checker::check_definitions(const std::vector<core::GlobalId>& globals) {
  if (globals.empty()) return;
  Dependencies dependencies(*this, globals.front().value, static_cast<std::uint32_t>(globals.size()));
  std::vector<const Definition*> definitions;
  for (core::GlobalId id : globals) {
    dependencies.definition(globals_[id.value]);
    definitions.push_back(&globals_[id.value].definition);
  }
  refuse_evaluation_cycles(dependencies.immediate, definitions);
  for (auto& component : components(dependencies.all)) {
    std::vector<core::GlobalId> group;
    for (std::uint32_t v : component)
      if (!globals_[globals[v].value].checked) group.push_back(globals[v]);
    if (!group.empty()) check_group(group);
  }
}

}  // namespace sigrel::check
