// Groups of mutually recursive definitions, in dependency order: inferred together, then generalised.
#include "compiler/check/checker.h"
#include "compiler/check/names/unused_formals.h"
#include "compiler/check/types/parameter_names.h"

namespace sigrel::check {
namespace {

/// The uses that the definitions of a module make of each other.
class Dependencies : public FreeVariables {
 public:
  Dependencies(Scopes& scopes, std::uint32_t first, std::uint32_t count)
      : scopes_(scopes), first_(first), count_(count) {}
  DependencyGraph all, immediate;

  void definition(const GlobalState& state) {
    if (state.default_value) expr(state.default_value);
    for (auto* c : state.definition.clauses) clause(*c);
    all.finish_vertex();
    immediate.finish_vertex();
  }

 protected:
  void use(const ast::QualifiedIdent& name, bool delayed) override {
    auto* entry = scopes_.lookup_value(name, false);
    if (!entry || entry->meaning.kind != Value::Global) return;
    std::uint32_t id = entry->meaning.global.value;
    if (id < first_ || id >= first_ + count_) return;
    all.add(id - first_);
    if (!delayed) immediate.add(id - first_);
  }

 private:
  Scopes& scopes_;
  std::uint32_t first_, count_;
};

}  // namespace

void Checker::check_definitions(const std::vector<core::GlobalId>& globals) {
  if (globals.empty()) return;
  Dependencies dependencies(scopes_, globals.front().value, static_cast<std::uint32_t>(globals.size()));
  std::vector<const Definition*> definitions;
  for (core::GlobalId id : globals) {
    dependencies.definition(globals_[id]);
    definitions.push_back(&globals_[id].definition);
  }
  report_evaluation_cycles(dependencies.immediate, definitions, diagnostics_);
  for (auto& component : strong_components(dependencies.all)) {
    std::vector<core::GlobalId> group;
    for (std::uint32_t v : component)
      if (!globals_[globals[v]].checked) group.push_back(globals[v]);
    if (!group.empty()) check_group(group);
  }
}

void Checker::check_group(const std::vector<core::GlobalId>& group) {
  std::size_t errors = diagnostics_.error_count();
  if (!infer_group(group)) {
    // A relation over signals of any type without a signature: its layout parameters are known only now, so
    // it is checked again with the inferred type as its signature.
    for (core::GlobalId id : group) {
      core::Global& global = program_.globals[id.value];
      global.local_count = 0;
      global.local_names.clear();
      globals_[id].inside.clear();
    }
    infer_group(group);
  }
  bool failed = diagnostics_.error_count() != errors;
  const bool contradiction = relations_.take_contradiction();
  for (core::GlobalId id : group) failed |= globals_[id].definition.broken;
  for (core::GlobalId id : group) {
    GlobalState& state = globals_[id];
    core::Global& global = program_.globals[id.value];
    state.checked = true;
    if (failed) {
      global.body = nullptr;
      if (contradiction || (!state.definition.signature && !state.default_value)) {
        state.scheme = types_.error();
        state.polymorphic = false;
        state.layout_variables.clear();
      }
    }
    global.layout_parameters = static_cast<std::uint32_t>(state.layout_variables.size());
    global.type = messages_.print(state.scheme);
    blocks_.describe(id);
  }
}

/// False if the group must be checked again with its inferred schemes.
bool Checker::infer_group(const std::vector<core::GlobalId>& group) {
  globals_.enter(group);
  std::size_t errors = diagnostics_.error_count();
  unifier_.set_level(1);
  units_.begin_group();
  deferred_.begin_group();
  for (core::GlobalId id : group) {
    GlobalState& state = globals_[id];
    if (!state.assumed) state.scheme = unifier_.fresh();
    units_.note(state.has_units);
    for (auto& [name, variable] : state.type_variables) units_.note(find(variable)->sort == Sort::Unit);
  }
  std::vector<Skolems> skolems(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) infer_body(group[i], skolems[i]);
  deferred_.solve();
  units_.end_group();
  unifier_.set_level(0);
  const bool new_layout_parameters = generalise(group, skolems);
  bool sound = diagnostics_.error_count() == errors;
  if (new_layout_parameters && sound) {
    for (core::GlobalId id : group) globals_[id].assumed = true;
    discard_group();
    return false;
  }
  for (core::GlobalId id : group) sound &= !globals_[id].definition.broken;
  layouts_.finish();
  data_units_.finish();
  if (sound && !scopes_.module().incomplete) {  // else an alternative or an equation may be missing
    matches_.finish();
    blocks_.check();
  }
  discard_group();
  return true;
}

void Checker::discard_group() {
  layouts_.discard();
  data_units_.discard();
  matches_.discard();
  blocks_.discard();
}

void Checker::infer_body(core::GlobalId id, Skolems& skolems) {
  GlobalState& state = globals_[id];
  if (state.definition.broken) return;  // its clauses may belong to other definitions
  core_.enter(id);
  reader_.clear_scoped_variables();
  layouts_.begin_definition();
  sizes_.begin_definition();
  Type* type = state.scheme;
  std::vector<Type*> sizes;
  if (state.assumed && state.polymorphic) {
    type = unifier_.skolemise(state.scheme, skolems, sizes);
    for (Type* variable : state.layout_variables)
      for (auto& [from, skolem] : skolems)
        if (from == variable) layouts_.add_parameter(skolem, core_.new_local(intern("layout")));
    for (auto& [name, variable] : state.type_variables)
      for (auto& [from, skolem] : skolems)
        if (from == find(variable)) reader_.add_scoped_variable(name, skolem);
  }
  Type* result = find(type);
  while (result->kind == TypeKind::Function) result = find(result->args[1]);
  contracts_.set_own_result(result);
  const bool of_parameter = state.parameter != Name{};
  const Reason default_reason{of_parameter ? ReasonKind::DefaultValue : ReasonKind::FieldValue,
                              state.definition.span,
                              of_parameter ? state.parameter : state.definition.name,
                              0,
                              nullptr,
                              !of_parameter};
  const std::size_t errors = diagnostics_.error_count();
  program_.globals[id.value].body =
      state.default_value ? expressions_.check_expr(state.default_value, type, default_reason)
                          : expressions_.check_definition(state.definition, type, state.assumed, true, sizes);
  if (!state.default_value && diagnostics_.error_count() == errors)
    warn_of_unused_formals(state.definition, type, types_, diagnostics_);
  contracts_.set_own_result(nullptr);
  layouts_.end_definition();
}

/// True if a definition without a signature got layout parameters.
bool Checker::generalise(const std::vector<core::GlobalId>& group, const std::vector<Skolems>& skolems) {
  bool new_layout_parameters = false;
  for (std::size_t i = 0; i < group.size(); ++i) {
    GlobalState& state = globals_[group[i]];
    // The requirements of the body on its type variables are part of the scheme.
    for (auto& [variable, skolem] : skolems[i])
      if (skolem->kind == TypeKind::Skolem) variable->needs |= skolem->needs & (kEquality | kOrder | kSignal);
    if (state.assumed) {
      share_inside(state, skolems[i]);
      continue;
    }
    unifier_.default_numbers(state.scheme);
    if (units_.units_forgotten()) units_.forget_units(state.scheme);
    state.has_units = has_units(state.scheme, false);
    state.scheme = name_parameters(types_, state.scheme, state.definition);
    state.polymorphic = unifier_.quantify(state.scheme, 0);
    if (state.polymorphic) unifier_.collect_layout_variables(state.scheme, state.layout_variables);
    new_layout_parameters |= !state.layout_variables.empty();
  }
  return new_layout_parameters;
}

/// The names inside a definition with type variables get types over the variables of its scheme.
void Checker::share_inside(GlobalState& state, const Skolems& skolems) {
  struct Replace {
    Types& types;
    const Skolems& skolems;
    Type* operator()(Type* type) {
      type = find(type);
      for (auto& [variable, skolem] : skolems)
        if (type == skolem) return variable;
      if (type->args.empty()) return type;
      Type copy = *type;
      copy.generic = false;
      std::vector<Type*> args;
      for (Type* arg : type->args) {
        args.push_back((*this)(arg));
        copy.generic |= is_generic(args.back());
      }
      copy.args = types.arena().copy(args);
      return types.arena().make<Type>(copy);
    }
  };
  if (!state.polymorphic) return;
  Replace replace{types_, skolems};
  for (auto& name : state.inside) name.type = replace(name.type);
}

}  // namespace sigrel::check
