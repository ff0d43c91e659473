#include "compiler/pipeline/files.h"

#include <sys/auxv.h>

#include <cstdlib>
#include <filesystem>

namespace sigrel::pipeline {

std::string library_folder() {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (error)  // a system without /proc
    executable = fs::canonical(reinterpret_cast<const char*>(getauxval(AT_EXECFN)), error);
  const fs::path installed = executable.parent_path().parent_path() / "share" / "sigrel" / "stdlib";
  if (fs::is_directory(installed, error)) return installed.string();
  // Run from a build folder below the source tree.
  for (fs::path folder = executable.parent_path(); folder.has_relative_path(); folder = folder.parent_path())
    if (fs::is_regular_file(folder / "compiler" / "pipeline" / "files.cpp", error) &&
        fs::is_directory(folder / "stdlib", error))
      return (folder / "stdlib").string();
  return installed.string();
}

std::string cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (const auto own = variable("SIGREL_CACHE"); !own.empty()) return own;
  if (const auto cache = variable("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "sigrel";
  if (const auto home = variable("HOME"); home.is_absolute()) return home / ".cache" / "sigrel";
  return {};
}

}  // namespace sigrel::pipeline
