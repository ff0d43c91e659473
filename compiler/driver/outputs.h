// Refuses to write a file that the same command reads, or writes for another purpose.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "compiler/diagnostics/diagnostic.h"
#include "compiler/driver/command.h"

namespace sigrel::driver {

/// A file of the command line. An empty path is none, `-` is a standard stream.
struct NamedFile {
  std::string role;  // "`-o`", "a module of the model"
  std::string path;
};

/// The files that a session has read, and those that its options name: modules, shared libraries, initial
/// values.
std::vector<NamedFile> inputs_of(const Globals& globals, const Session& session, const RunOptions& run = {});

/// Whether no output is an input or another output. Regular files are compared by device and inode, so that
/// links count; files that do not exist yet by their paths. Otherwise reports the first such output.
bool outputs_are_separate(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs,
                          Diagnostics& diagnostics);

}  // namespace sigrel::driver
