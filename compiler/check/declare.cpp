// Records, data types and synonyms.
#include <functional>

#include "compiler/check/checker.h"

namespace sigrel::check {

void Checker::declare_types(const ast::Module& module, ModuleScope& scope) {
  std::unordered_map<Name, Span> seen_types, seen_constructors;
  std::vector<std::pair<TypeConstructor*, const ast::RecordDecl*>> records;
  std::vector<std::pair<TypeConstructor*, const ast::DataDecl*>> data;
  std::vector<std::pair<Synonym*, const ast::TypeSynonymDecl*>> synonyms;
  auto add_type = [&](const ast::Ident& name, const TypeName& type) {
    if (auto [at, fresh] = seen_types.emplace(name.name, name.span); !fresh) {
      duplicate(name, at->second, "the type");
      return;
    }
    scope.add(name.name, type, Priority::Own, module.name.name);
    scope.own_types.push_back(name.name);
  };
  auto add_constructor = [&](const ast::Ident& name, const Value& value) {
    if (auto [at, fresh] = seen_constructors.emplace(name.name, name.span); !fresh) {
      duplicate(name, at->second, "the constructor");
      return;
    }
    scope.add(name.name, value, Priority::Own, module.name.name);
    scope.own_values.push_back(name.name);
  };
  auto new_constructor = [&](const ast::Ident& name, NominalKind kind,
                             std::span<const ast::Ident> parameters) {
    TypeConstructor& c = constructors_.emplace_back();
    c.name = name.name;
    c.module = module.name.name;
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
      record_types_.push_back(c);
      records.emplace_back(c, &d);
      add_type(d.name, {c, nullptr});
      add_constructor(d.name, Value{Value::Record, {}, nullptr, nullptr, c});
    } else if (decl->kind == ast::DeclKind::Data) {
      auto& d = *static_cast<const ast::DataDecl*>(decl);
      TypeConstructor* c = new_constructor(d.name, NominalKind::Data, d.parameters);
      data.emplace_back(c, &d);
      add_type(d.name, {c, nullptr});
      for (const ast::DataConstructor& con : d.constructors) {
        Constructor& k = data_constructors_.emplace_back();
        k.name = con.name.name;
        k.span = con.name.span;
        k.owner = c;
        k.tag = static_cast<std::uint32_t>(c->constructors.size());
        c->constructors.push_back(&k);
        add_constructor(con.name, Value{Value::Constructor, {}, nullptr, &k, nullptr});
      }
    } else if (decl->kind == ast::DeclKind::TypeSynonym) {
      auto& d = *static_cast<const ast::TypeSynonymDecl*>(decl);
      Synonym& s = synonyms_.emplace_back();
      s.decl = &d;
      s.module = module.name.name;
      for (std::size_t i = 0; i < d.parameters.size(); ++i) s.parameters.push_back(types_.variable(kGeneric));
      synonyms.emplace_back(&s, &d);
      add_type(d.name, {nullptr, &s});
    }
  }
  for (auto& [synonym, decl] : synonyms)
    if (synonym->state != Synonym::Done) expand_synonym(*synonym, decl->span, decl->name.name);
  for (auto& [c, decl] : records) define_record(*decl, *c);
  for (auto& [c, decl] : data) define_data(*decl, *c);
  refuse_recursive_records(records);
  for (bool changed = true; changed;) {  // types may refer to each other in circles
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

bool Checker::contains_relation(Type* type) {
  type = find(type);
  if (type->kind == TypeKind::Relation || type->kind == TypeKind::Function) return true;
  if (type->kind == TypeKind::Constructor && type->constructor->holds_relation) return true;
  for (Type* arg : type->args)
    if (contains_relation(arg)) return true;
  return false;
}

void Checker::define_record(const ast::RecordDecl& decl, TypeConstructor& record) {
  TypeScope scope;
  scope.mode = TypeScope::Declaration;
  for (std::size_t i = 0; i < decl.parameters.size(); ++i)
    scope.variables.emplace_back(decl.parameters[i].name, record.parameters[i]);
  core::RecordInfo& info = program_.records[record.record.value];
  std::unordered_map<Name, Span> seen;
  for (const ast::RecordField& f : decl.fields) {
    if (auto [at, fresh] = seen.emplace(f.name.name, f.name.span); !fresh) {
      duplicate(f.name, at->second, "the field");
      continue;
    }
    Field field;
    field.name = f.name.name;
    field.span = f.name.span;
    field.flow = f.flow;
    field.type = convert(f.type, scope);
    if (f.default_value) {
      Name name = intern(std::string(text(record.name)) + "." + std::string(text(field.name)));
      core::GlobalId id = new_global(name, f.name.span);
      GlobalState& state = globals_[id.value];
      state.definition.name = name;
      state.definition.span = f.name.span;
      state.default_value = f.default_value;
      state.scheme = field.type;
      state.assumed = true;
      state.polymorphic = !record.parameters.empty();
      field.default_value = id;
    }
    record.connector |= f.flow;
    info.fields.push_back({field.name, field.flow, field.span});
    record.fields.push_back(field);
    auto& with = records_by_field_[field.name];
    if (with.empty() || with.back() != &record) with.push_back(&record);
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
    for (auto* arg : decl.constructors[i].args) args.push_back(convert(arg, scope));
    data.constructors[i]->args = type_arena_.copy(args);
  }
}

// A record holds its fields directly: one that contains itself would have no size.
void Checker::refuse_recursive_records(
    const std::vector<std::pair<TypeConstructor*, const ast::RecordDecl*>>& records) {
  enum State { New, Active, Done };
  std::unordered_map<const TypeConstructor*, State> state;
  std::function<bool(Type*)> cyclic;
  std::function<bool(TypeConstructor*)> visit = [&](TypeConstructor* c) {
    State& s = state[c];
    if (s != New) return s == Active;
    s = Active;
    for (auto& field : c->fields)
      if (cyclic(field.type)) {
        diagnostics_
            .report(Code::RecursiveType, field.span,
                    "the record `" + std::string(text(c->name)) + "` contains itself")
            .help("`data` types and lists may be recursive");
        field.type = types_.error();
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

Type* Checker::expand_synonym(Synonym& synonym, Span span, Name name) {
  if (synonym.state == Synonym::Active) {
    diagnostics_
        .report(Code::RecursiveType, span, "the synonym `" + std::string(text(name)) + "` stands for itself")
        .help("`data` types may be recursive");
    return synonym.type = types_.error();
  }
  synonym.state = Synonym::Active;
  TypeScope scope;
  scope.mode = TypeScope::Declaration;
  for (std::size_t i = 0; i < synonym.decl->parameters.size(); ++i)
    scope.variables.emplace_back(synonym.decl->parameters[i].name, synonym.parameters[i]);
  Type* type = convert(synonym.decl->type, scope);
  if (!synonym.type) synonym.type = type;
  synonym.state = Synonym::Done;
  return synonym.type;
}

}  // namespace sigrel::check
