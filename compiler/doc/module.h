// What is documented of a module, taken from its tree, its checked types and its `-- |` comments.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "compiler/session/session.h"

namespace sigrel::doc {

struct Field {
  std::string name, type, unit, default_value;  // unit: of a Real, through synonyms; empty when it has none
  bool flow = false;
};

struct Entry {
  enum class Kind : std::uint8_t { Type, Record, Data, Definition, Foreign } kind{};
  std::string name;
  std::string signature;      // of a definition its type; of a type what stands right of `=`
  std::string structure;      // of a relation its structural type
  std::string units;          // of the types in a signature: "Resistance [Ohm]; Pin: v [V], i [A]"
  std::string parameters;     // of a type: `a b`
  std::vector<Field> fields;  // Record
  std::vector<std::string> constructors;  // Data: `Node (Tree a) a`
  std::string text;                       // of the comment, without its marks

  bool is_type() const { return kind == Kind::Type || kind == Kind::Record || kind == Kind::Data; }
  /// A relation, or a function that makes one.
  bool is_relation() const {
    return kind == Kind::Definition &&
           (signature.starts_with("SR ") || signature.find("-> SR ") != std::string::npos);
  }
};

struct Import {
  std::string module;
  std::string written;  // the whole line, without `import`
};

struct Module {
  std::string name;
  std::string text;  // of the `-- |` comment before `module`
  std::vector<Import> imports;
  std::vector<Entry> entries;  // in the order of the file
};

/// Reads and checks a file. What is wrong with it, or with what it imports, is in the diagnostics of the
/// session.
std::optional<Module> read_module(const std::string& path, const SessionOptions& options, Session& session);

}  // namespace sigrel::doc
