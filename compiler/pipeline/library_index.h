// Which declarations of the library a program mentions. A small program mentions a few definitions of the
// modules that it imports, and parsing and checking the others took longer than all other work. When Sigrel
// is built, index/make_library_index.cpp lists the declarations of the library, each with the names that it
// defines and mentions. A module whose file is still the one that was listed is parsed without the
// definitions that nothing mentions; its listed form is free of errors, so nothing remains unsaid. A file
// that was edited is parsed as a whole.
//
// Mentioned are all names in the other modules of the program, and in what is mentioned itself. It does not
// matter what a name refers to there, so no definition is missing. Types and imports are always parsed:
// fields are found without the name of their record.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "compiler/base/name.h"
#include "compiler/parse/skipped_text.h"

namespace sigrel::pipeline {

/// Indices into the list of modules, in alphabetical order.
using ListedModule = std::uint32_t;

/// The module with this name, if `text` is the text that was listed.
std::optional<ListedModule> listed_module(std::string_view name, std::string_view text);

/// The modules that it imports, in the order of its declarations; not the Prelude.
std::vector<std::string_view> listed_imports(ListedModule module);

/// The modules, but for the Prelude, that define a value of this name.
std::vector<std::string_view> modules_with(std::string_view name);

/// The declarations of `modules` that nothing mentions, parallel to `modules`, each in the order of the file.
/// `mentions`: whether the rest of the program mentions a name; once it is parsed, its names are interned.
std::vector<std::vector<SkippedText>> unmentioned(std::span<const ListedModule> modules,
                                                  bool (*mentions)(std::string_view name) = is_interned);

}  // namespace sigrel::pipeline
