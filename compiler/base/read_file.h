// Reads whole files.
#pragma once
#include <string>

#include <tl/expected.hpp>

namespace sigrel {

/// The bytes of a file, or the error message of the operating system.
tl::expected<std::string, std::string> read_file(const std::string& path);

}  // namespace sigrel
