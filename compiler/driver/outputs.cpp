#include "compiler/driver/outputs.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "compiler/session/start_file.h"

namespace sigrel::driver {
namespace {

namespace fs = std::filesystem;

/// What identifies a file.
struct Identity {
  bool exists = false;
  dev_t device = 0;
  ino_t inode = 0;
  fs::path path;  // of a file that does not exist yet
  bool operator==(const Identity&) const = default;
};

/// Nullopt for devices, pipes and folders, which hold nothing that an output could replace.
std::optional<Identity> identity_of(const std::string& path) {
  if (path.empty()) return std::nullopt;
  struct stat status{};
  const std::string name = path == "-" ? "/dev/stdout" : path;
  if (::stat(name.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return std::nullopt;
    return Identity{true, status.st_dev, status.st_ino, {}};
  }
  std::error_code error;
  Identity identity;
  identity.path = fs::weakly_canonical(name, error);
  return error ? std::nullopt : std::optional(identity);
}

}  // namespace

std::vector<NamedFile> inputs_of(const Globals& globals, const Session& session, const RunOptions& run) {
  std::vector<NamedFile> files;
  const SourceMap& sources = session.sources();
  for (std::uint32_t k = 0; k < sources.size(); ++k) {
    const FileId id(k);
    files.push_back({id == session.root() ? "the model" : "a module of the model", sources.file(id).path});
  }
  for (const data::UsedFile& file : session.data_files()) files.push_back({"data of the model", file.path});
  for (const std::string& library : globals.libraries) files.push_back({"`--library`", library});
  if (!run.init_from.empty())
    files.push_back({"`--init-from`", session::split_start_request(run.init_from).first});
  return files;
}

bool outputs_are_separate(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs,
                          Diagnostics& diagnostics) {
  struct Known {
    Identity identity;
    const NamedFile* file;
    bool input;
  };
  std::vector<Known> known;
  for (const NamedFile& input : inputs)
    if (auto identity = identity_of(input.path); identity && identity->exists)
      known.push_back({*std::move(identity), &input, true});
  for (const NamedFile& output : outputs) {
    auto identity = identity_of(output.path);
    if (!identity) continue;
    for (const Known& other : known) {
      if (other.identity != *identity) continue;
      const std::string name = output.path == "-" ? "standard output" : "`" + output.path + "`";
      Diagnostic& d = diagnostics.report(
          Code::OutputIsInput,
          fmt::format("{} of {} is {}", name, output.role,
                      other.input ? fmt::format("an input: {}", other.file->role)
                                  : fmt::format("the output of {}, too", other.file->role)));
      if (other.file->path != output.path)
        d.note(fmt::format("`{}` leads to the same file", other.file->path));
      d.note("nothing was run or written").help("choose another name for the output");
      return false;
    }
    known.push_back({*std::move(identity), &output, false});
  }
  return true;
}

}  // namespace sigrel::driver
