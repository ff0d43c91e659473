// The names of parts in other libraries, above all the Modelica Standard Library, and those of ours.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace sigrel::check {

struct LibraryName {
  std::string_view theirs, ours, module;
};

/// The parts of ours that other libraries call so; upper and lower case are the same.
std::vector<LibraryName> library_names(std::string_view theirs);
std::span<const LibraryName> all_library_names();

}  // namespace sigrel::check
