// The documentation of a module: from its syntax tree, its checked types and its `-- |` comments.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace sigrel::doc {

struct Field {
  std::string name, type, unit, default_value;  // the unit of a Real, through synonyms; empty if it has none
  bool flow = false, rotation = false;
};

struct Entry {
  enum class Kind : std::uint8_t { Type, Record, Data, Definition, Foreign } kind{};
  std::string name;
  std::string signature;      // the type of a definition; the right side of a type declaration
  std::string structure;      // structural type of a relation
  std::string application;    // of a function of several arguments, by their names: "wrap period x"; or empty
  std::string units;          // of the types in the signature: "Resistance [Ohm]; Pin: v [V], i [A]"
  std::string parameters;     // of a type: "a b"
  std::vector<Field> fields;  // Record
  std::vector<std::string> constructors;  // Data: `Node (Tree a) a`
  std::string text;                       // the comment without its marks

  bool is_type() const { return kind == Kind::Type || kind == Kind::Record || kind == Kind::Data; }
  /// A relation, or a function that returns one.
  bool is_relation() const {
    return kind == Kind::Definition &&
           (signature.starts_with("SR ") || signature.find("-> SR ") != std::string::npos);
  }
};

struct Import {
  std::string module;
  std::string written;  // the whole line without `import`
};

struct Module {
  std::string name;
  std::string text;  // the `-- |` comment before `module`
  std::vector<Import> imports;
  std::vector<Entry> entries;  // in source order
};

/// Reads and checks a file. Errors in it or in its imports are reported to the diagnostics of the session.
std::optional<Module> read_module(const std::string& path, const SessionOptions& options, Session& session);

}  // namespace sigrel::doc
