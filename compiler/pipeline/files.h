// Source files, and the location of the standard library.
#pragma once
#include <string>

#include <tl/expected.hpp>

namespace sigrel::pipeline {

/// The bytes of a file, or the error message of the operating system.
tl::expected<std::string, std::string> read_file(const std::string& path);

/// The folder of the standard library: ../share/sigrel/stdlib relative to the folder of an installed
/// executable, else that of the source tree. If there is neither, the installed location.
std::string library_folder();

}  // namespace sigrel::pipeline
