// Which names of a text denote definitions of modules: not local variables, labels of parts, or parameters
// that have the same name.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "compiler/pipeline/modules.h"

namespace sigrel::lsp {

struct Uses {
  /// By the offset of a name: the module that qualifies it; empty if it is written alone.
  std::map<std::size_t, std::string> names;
  /// The modules whose definitions the text sees: its own, imported ones, the Prelude; those that names are
  /// qualified by, by what is written there.
  std::vector<std::string> visible;
  std::map<std::string, std::string> qualifiers;
  /// What the text defines, in source order, each once; also after errors.
  std::vector<std::string> defined;
};

Uses uses_of(const pipeline::Modules& modules);

}  // namespace sigrel::lsp
