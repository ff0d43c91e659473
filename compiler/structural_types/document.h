// Hierarchies of definitions as a JSON document, and the same document with the structural types filled in.
//
//   {"hierarchies": [[{"name": "foo", "interface": ["x", "y"], "locals": ["z"], "equations": [["x", "z"],
//   ["y", "z"]],
//                      "applications": []}, …], …]}
//
// A definition applies earlier ones of its hierarchy: {"relation": "foo", "arguments": ["a", ["b", "c"]]}; an
// argument that is a list is an expression over these variables. Each definition receives "verdict", "ok" or
// "singular", and if it is ok "rank" and "bases", in the order of its interface. Other entries stay as they
// are, and where they are.
#pragma once
#include <optional>
#include <string>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"

namespace sigrel::structural_types {

/// One line of JSON without a newline; nullopt after errors.
std::optional<std::string> types_of_document(FileId file, const SourceMap& sources, Diagnostics& diagnostics);

}  // namespace sigrel::structural_types
