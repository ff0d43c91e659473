// Files on disk: reading sources, and where the standard library is.
#pragma once
#include <string>

#include <tl/expected.hpp>

namespace sigrel::session {

/// The bytes of a file; the error says why there are none, in the words of the operating system.
tl::expected<std::string, std::string> read_file(const std::string& path);

/// The folder of the standard library: ../share/sigrel/stdlib beside the executable's folder when installed,
/// else the source tree's. When there is neither, where it should be.
std::string library_folder();

}  // namespace sigrel::session
