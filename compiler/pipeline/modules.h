// The modules of a program: a root file and its transitive imports. Each module is read and parsed once.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/base/source.h"
#include "compiler/diagnostics/diagnostic.h"
#include "compiler/ir/ast.h"

namespace sigrel::pipeline {

struct SearchPath {
  std::vector<std::string> folders;  // of `--path`, searched after the root file's own folder
  std::string library;               // folder of the standard library, searched last; empty: none
};

/// Which declarations of the library are parsed.
enum class LibraryPart : std::uint8_t {
  Whole,
  Mentioned  // those that the program mentions (library_index.h), if it is small
};

struct Modules {
  std::vector<ast::Module> modules;  // imports before importers, the Prelude first, the root last
  bool complete = true;  // all imports were found; else checking would report their names as unknown
  LibraryPart part = LibraryPart::Whole;  // Mentioned: names that the program does not mention are missing
  std::string folder;                     // of the root: what it names is relative to it
  std::vector<std::string> folders;       // those of the program: data files are below them
  double read_seconds = 0, parse_seconds = 0;
};

/// Reads and parses a file and its imports. Reports unreadable files, missing modules and circular imports;
/// the modules that were parsed are returned nevertheless. Nullopt only if the root cannot be read.
std::optional<Modules> load_modules(const std::string& root, const SearchPath& path, SourceMap& sources,
                                    Diagnostics& diagnostics, LibraryPart part = LibraryPart::Whole);

/// The same for a root that is given as text; its imports are searched in `folder` first.
Modules load_modules(std::string name, std::string text, const std::string& folder, const SearchPath& path,
                     SourceMap& sources, Diagnostics& diagnostics, LibraryPart part = LibraryPart::Whole);

/// A module that defines only an expression, as core::kExpression. Nullopt after a syntax error.
std::optional<ast::Module> expression_module(FileId file, Name name, const SourceMap& sources,
                                             Diagnostics& diagnostics);

/// The names of the modules in folders and up to three levels below them, sorted.
std::vector<std::string> available_modules(const std::vector<std::string>& folders);
/// The file of a module by its name: "A.B" is A/B.sr in the first folder that has it.
std::optional<std::string> find_module(std::string_view name, const std::vector<std::string>& folders);

}  // namespace sigrel::pipeline
