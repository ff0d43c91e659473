// The scope of a module: the meaning of each name.
#pragma once
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/check/types/types.h"
#include "compiler/ir/ast.h"
#include "compiler/ir/core.h"

namespace sigrel::check {

struct Builtin;

/// A value in a module scope.
struct Value {
  enum Kind : std::uint8_t { Global, Primitive, Constructor, Record } kind = Global;
  core::GlobalId global;
  const Builtin* builtin = nullptr;
  const check::Constructor* constructor = nullptr;
  TypeConstructor* record = nullptr;
  bool operator==(const Value&) const = default;

  static Value of(core::GlobalId global) { return {Global, global, nullptr, nullptr, nullptr}; }
  static Value of(const Builtin& builtin) { return {Primitive, {}, &builtin, nullptr, nullptr}; }
  static Value of(const check::Constructor& constructor) {
    return {Constructor, {}, nullptr, &constructor, nullptr};
  }
  static Value of(TypeConstructor& record) { return {Record, {}, nullptr, nullptr, &record}; }
};

struct Synonym {
  const ast::TypeSynonymDecl* decl = nullptr;
  std::vector<Type*> parameters;
  Type* type = nullptr;
  enum State : std::uint8_t { New, Active, Done } state = New;
  Name module;
};

struct TypeName {
  TypeConstructor* constructor = nullptr;
  Synonym* synonym = nullptr;
  bool operator==(const TypeName&) const = default;
};

/// A later entry of higher priority hides an earlier one; two different ones of equal priority are ambiguous.
/// Of a name that a module defines twice, which is reported, the first counts.
enum class Priority : std::uint8_t { Prelude, Open, Listed, Own };

template <class Meaning>
struct Entry {
  Meaning meaning;
  Priority priority = Priority::Prelude;
  Name module;  // where it was defined
  bool ambiguous = false;
  Name other_module{};  // of another meaning, which is hidden unless the name is ambiguous
};

struct ModuleScope {
  Name name;
  bool incomplete = false;  // a syntax error here or in an import: it may be why a name is missing
  std::unordered_map<Name, Entry<Value>> values;
  std::unordered_map<Name, Entry<TypeName>> types;
  std::unordered_map<Name, std::vector<const ModuleScope*>> qualifiers;
  std::vector<Name> own_values, own_types;  // in the order of definition

  void add(Name name, const Value& value, Priority priority, Name module) {
    insert(values, name, value, priority, module);
  }
  void add(Name name, const TypeName& type, Priority priority, Name module) {
    insert(types, name, type, priority, module);
  }
  const Entry<Value>* value(Name name) const { return lookup(values, name); }
  const Entry<TypeName>* type(Name name) const { return lookup(types, name); }

 private:
  template <class Meaning>
  static void insert(std::unordered_map<Name, Entry<Meaning>>& table, Name name, const Meaning& meaning,
                     Priority priority, Name module) {
    auto [at, fresh] = table.try_emplace(name, Entry<Meaning>{meaning, priority, module, false, {}});
    if (fresh || at->second.meaning == meaning) {
      if (priority > at->second.priority) at->second.priority = priority;
      return;
    }
    if (priority > at->second.priority) {
      at->second = {meaning, priority, module, false, at->second.module};
    } else if (priority == at->second.priority && priority != Priority::Own) {
      at->second.ambiguous = true;
      at->second.other_module = module;
    } else if (!at->second.ambiguous) {
      at->second.other_module = module;
    }
  }
  template <class Meaning>
  static const Entry<Meaning>* lookup(const std::unordered_map<Name, Entry<Meaning>>& table, Name name) {
    auto at = table.find(name);
    return at == table.end() ? nullptr : &at->second;
  }
};

}  // namespace sigrel::check
