// What the names of a text denote: definitions of modules, or the variables, parts and nodes inside of one
// definition.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/pipeline/modules.h"

namespace sigrel::lsp {

struct Uses {
  /// By the offset of a name: the module that qualifies it; empty if it is written alone.
  std::map<std::size_t, std::string> names;
  /// What is inside of a definition: by the offset of a name. Those of one clause that are spelt alike belong
  /// together, also where one hides another. A free name that a relation is applied to is here, too: a node,
  /// unless a module defines it.
  struct Local {
    std::uint32_t clause = 0;
    std::string name;
    bool is_field = false;  // of a record, as a pattern that names the variable after it
  };
  std::map<std::size_t, Local> locals;
  /// The modules whose definitions the text sees: its own, imported ones, the Prelude; those that names are
  /// qualified by, by what is written there.
  std::vector<std::string> visible;
  std::map<std::string, std::string> qualifiers;
  /// What the text defines, in source order, each once; also after errors.
  std::vector<std::string> defined;
};

Uses uses_of(const pipeline::Modules& modules);

}  // namespace sigrel::lsp
