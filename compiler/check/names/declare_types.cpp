// The types that a module declares: records, data types, synonyms.
#include <functional>
#include <unordered_map>
#include <utility>

#include "compiler/check/checker.h"

namespace sigrel::check {
namespace {

bool contains_relation(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Relation || type->kind == TypeKind::Function) return true;
  if (type->kind == TypeKind::Constructor && type->constructor->holds_relation) return true;
  for (Type* arg : type->args)
    if (contains_relation(arg)) return true;
  return false;
}

/// A record holds its fields directly: one that contains itself would have no size.
void report_recursive_records(const std::vector<std::pair<TypeConstructor*, const ast::RecordDecl*>>& records,
                              Types& types, Diagnostics& diagnostics) {
  enum State { New, Active, Done };
  std::unordered_map<const TypeConstructor*, State> state;
  std::function<bool(Type*)> cyclic;
  std::function<bool(TypeConstructor*)> visit = [&](TypeConstructor* c) {
    State& s = state[c];
    if (s != New) return s == Active;
    s = Active;
    for (auto& field : c->fields)
      if (cyclic(field.type)) {
        diagnostics
            .report(Code::RecursiveType, field.span,
                    "the record `" + std::string(text(c->name)) + "` contains itself")
            .help("`data` types and lists may be recursive");
        field.type = types.error();
      }
    state[c] = Done;
    return false;
  };
  cyclic = [&](Type* type) {
    type = find(type);
    if (type->kind == TypeKind::Constructor)
      return type->constructor->kind == NominalKind::Record &&
             visit(const_cast<TypeConstructor*>(type->constructor));
    if (type->kind == TypeKind::Tuple)
      for (Type* arg : type->args)
        if (cyclic(arg)) return true;
    return type->kind == TypeKind::Vector && cyclic(type->args[0]);
  };
  for (auto& [c, decl] : records) visit(c);
}

/// Sets `holds_relation`, to a fixed point: types may refer to each other in circles.
template <class Records, class Data>
void mark_relation_holders(const Records& records, const Data& data) {
  for (bool changed = true; changed;) {
    changed = false;
    auto visit = [&](TypeConstructor* c) {
      if (c->holds_relation) return;
      bool holds = false;
      for (auto& f : c->fields) holds |= contains_relation(f.type);
      for (auto* k : c->constructors)
        for (Type* arg : k->args) holds |= contains_relation(arg);
      if (holds) c->holds_relation = changed = true;
    };
    for (auto& [c, decl] : records) visit(c);
    for (auto& [c, decl] : data) visit(c);
  }
}

}  // namespace

/// The fields in the order of core::ExperimentField.
void Checker::declare_experiment() {
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
                                                       {"plot", types_.list(names)},
                                                       {"solver", types_.string()},
                                                       {"events", types_.boolean()},
                                                       {"maxStep", types_.seconds()},
                                                       {"assertBounds", types_.boolean()}};
  core::RecordInfo info;
  info.name = experiment.name;
  for (auto& [name, type] : fields) {
    Field field;
    field.name = intern(name);
    field.type = type;
    experiment.add_field(field);
    info.fields.push_back({field.name, false, false, {}});
  }
  program_.records.push_back(std::move(info));
  program_.experiment = experiment.record;
}

void Checker::declare_types(const ast::Module& module) {
  ModuleScope& scope = scopes_.module();
  std::unordered_map<Name, Span> seen_types, seen_constructors;
  std::vector<std::pair<TypeConstructor*, const ast::RecordDecl*>> records;
  std::vector<std::pair<TypeConstructor*, const ast::DataDecl*>> data;
  std::vector<std::pair<Synonym*, const ast::TypeSynonymDecl*>> synonyms;
  auto add_type = [&](const ast::Ident& name, const TypeName& type) {
    if (auto [at, fresh] = seen_types.emplace(name.name, name.span); !fresh) {
      scopes_.duplicate(name, at->second, "the type");
      return false;
    }
    scope.add(name.name, type, Priority::Own, scope.name);
    scope.own_types.push_back(name.name);
    return true;
  };
  auto add_constructor = [&](const ast::Ident& name, const Value& value) {
    if (auto [at, fresh] = seen_constructors.emplace(name.name, name.span); !fresh) {
      scopes_.duplicate(name, at->second, "the constructor");
      return;
    }
    scope.add(name.name, value, Priority::Own, scope.name);
    scope.own_values.push_back(name.name);
  };
  auto new_constructor = [&](const ast::Ident& name, NominalKind kind,
                             std::span<const ast::Ident> parameters) {
    TypeConstructor& c = constructors_.emplace_back();
    c.name = name.name;
    c.module = scope.name;
    c.span = name.span;
    c.kind = kind;
    for (std::size_t i = 0; i < parameters.size(); ++i) c.parameters.push_back(types_.variable(kGeneric));
    return &c;
  };
  for (const ast::Decl* decl : module.decls) {
    if (decl->kind == ast::DeclKind::Record) {
      auto& d = *static_cast<const ast::RecordDecl*>(decl);
      TypeConstructor* c = new_constructor(d.name, NominalKind::Record, d.parameters);
      c->record = core::RecordId(program_.records.size());
      core::RecordInfo info;
      info.name = d.name.name;
      info.span = d.name.span;
      program_.records.push_back(std::move(info));
      records.emplace_back(c, &d);
      if (add_type(d.name, {c, nullptr})) add_constructor(d.name, Value::of(*c));
    } else if (decl->kind == ast::DeclKind::Data) {
      auto& d = *static_cast<const ast::DataDecl*>(decl);
      TypeConstructor* c = new_constructor(d.name, NominalKind::Data, d.parameters);
      data.emplace_back(c, &d);
      const bool fresh = add_type(d.name, {c, nullptr});
      for (const ast::DataConstructor& con : d.constructors) {
        Constructor& k = data_constructors_.emplace_back();
        k.name = con.name.name;
        k.span = con.name.span;
        k.owner = c;
        k.tag = static_cast<std::uint32_t>(c->constructors.size());
        c->constructors.push_back(&k);
        if (fresh) add_constructor(con.name, Value::of(k));
      }
    } else if (decl->kind == ast::DeclKind::TypeSynonym) {
      auto& d = *static_cast<const ast::TypeSynonymDecl*>(decl);
      Synonym& s = synonyms_.emplace_back();
      s.decl = &d;
      s.module = scope.name;
      for (std::size_t i = 0; i < d.parameters.size(); ++i) s.parameters.push_back(types_.variable(kGeneric));
      synonyms.emplace_back(&s, &d);
      add_type(d.name, {nullptr, &s});
    }
  }
  for (auto& [synonym, decl] : synonyms)
    if (synonym->state != Synonym::Done) reader_.expand_synonym(*synonym, decl->span, decl->name.name);
  for (auto& [c, decl] : records) define_record(*decl, *c);
  for (auto& [c, decl] : data) define_data(*decl, *c);
  report_recursive_records(records, types_, diagnostics_);
  mark_relation_holders(records, data);
}

/// A rotation is stored as a matrix.
void Checker::check_rotation(const ast::RecordField& field, Type* type) {
  Types& types = types_;
  Type* const three = types.size_literal(3);
  if (is_error(type) || unifier_.unify(types.vector(types.vector(types.number(), three), three), type))
    return;
  diagnostics_.report(Code::TypeMismatch, field.type->span, "a rotation is a matrix of 3 by 3 numbers")
      .help("write `rotation rot :: Real<1>^(3,3)`");
}

void Checker::define_record(const ast::RecordDecl& decl, TypeConstructor& record) {
  TypeScope scope;
  scope.mode = TypeScope::Declaration;
  for (std::size_t i = 0; i < decl.parameters.size(); ++i)
    scope.variables.emplace_back(decl.parameters[i].name, record.parameters[i]);
  core::RecordInfo& info = program_.records[record.record.value];
  std::unordered_map<Name, Span> seen;
  bool repeated = false;  // the field before: a line that stands there twice is one mistake
  for (const ast::RecordField& f : decl.fields) {
    if (auto [at, fresh] = seen.emplace(f.name.name, f.name.span); !fresh) {
      if (!std::exchange(repeated, true)) scopes_.duplicate(f.name, at->second, "the field");
      continue;
    }
    repeated = false;
    Field field;
    field.name = f.name.name;
    field.span = f.name.span;
    field.flow = f.flow;
    field.rotation = f.rotation;
    field.type = reader_.convert(f.type, scope);
    if (f.rotation) check_rotation(f, field.type);
    if (f.default_value) {
      Name name = intern(std::string(text(record.name)) + "." + std::string(text(field.name)));
      core::GlobalId id = new_global(name, f.name.span);
      GlobalState& state = globals_[id];
      state.default_value = f.default_value;
      state.scheme = field.type;
      state.assumed = true;
      state.polymorphic = !record.parameters.empty();
      field.default_value = id;
    }
    record.connector |= f.flow;
    info.fields.push_back({field.name, field.flow, field.rotation, field.span});
    record.add_field(field);
    scopes_.add_field(field.name, record);
  }
  info.connector = record.connector;
}

void Checker::define_data(const ast::DataDecl& decl, TypeConstructor& data) {
  TypeScope scope;
  scope.mode = TypeScope::Declaration;
  for (std::size_t i = 0; i < decl.parameters.size(); ++i)
    scope.variables.emplace_back(decl.parameters[i].name, data.parameters[i]);
  for (std::size_t i = 0; i < decl.constructors.size(); ++i) {
    std::vector<Type*> args;
    const std::size_t errors = diagnostics_.error_count();
    for (auto* arg : decl.constructors[i].args) args.push_back(reader_.convert(arg, scope));
    data.constructors[i]->damaged = diagnostics_.error_count() != errors;
    if (!data.constructors[i]->damaged) data.constructors[i]->args = types_.arena().copy(args);
  }
}

}  // namespace sigrel::check
