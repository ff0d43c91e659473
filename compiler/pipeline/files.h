// Source files, and the location of the standard library.
#pragma once
#include <string>

#include "compiler/base/read_file.h"

namespace sigrel::pipeline {

using sigrel::read_file;

/// The folder of the standard library: ../share/sigrel/stdlib relative to the folder of an installed
/// executable, else that of the source tree. If there is neither, the installed location.
std::string library_folder();

/// The folder of machine code: $SIGREL_CACHE, or that of the XDG base directory specification; empty if none
/// is known.
std::string cache_folder();

}  // namespace sigrel::pipeline
