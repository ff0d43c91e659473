// The modules of a program: a root file and, transitively, what it imports. Each module is read and parsed
// once.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::session {

struct SearchPath {
  std::vector<std::string> folders;  // of `--path`, searched after the root file's own folder
  std::string library;               // the standard library, searched last; empty: none
};

struct Modules {
  std::vector<ast::Module> modules;  // imports before importers, the Prelude first, the root last
  bool complete = true;  // every import was found: else their names would be reported as unknown, too
  double read_seconds = 0, parse_seconds = 0;
};

/// Reads and parses the file and what it imports. Reports files that cannot be read, imports that are not
/// found and imports in a circle; the modules that could be parsed are returned all the same. Nullopt only
/// when the root cannot be read.
std::optional<Modules> load_modules(const std::string& root, const SearchPath& path, SourceMap& sources,
                                    Diagnostics& diagnostics);

/// The same for a root that is text; its imports are sought in `folder`.
Modules load_modules(std::string name, std::string text, const std::string& folder, const SearchPath& path,
                     SourceMap& sources, Diagnostics& diagnostics);

/// The names of the modules in folders and up to three levels below them, sorted.
std::vector<std::string> available_modules(const std::vector<std::string>& folders);
/// The file of a module by its name: "A.B" is A/B.sr in the first folder that has it.
std::optional<std::string> find_module(std::string_view name, const std::vector<std::string>& folders);

}  // namespace sigrel::session
