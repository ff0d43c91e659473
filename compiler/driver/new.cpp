// sigrel new: creates a small runnable model to start from.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <memory>

#include "compiler/driver/command.h"
#include "compiler/pipeline/modules.h"
#include "runtime/results/output_file.h"

namespace sigrel::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kModel = R"(-- A capacitor is charged through a resistor: c der u = (u0 - u) / r.
{}import Electrical

charge :: Resistance -> Capacitance -> SR ()
charge r c = sigrel () where
  source: constantVoltage 10.0 <> (a, g)
  r1:     resistor r           <> (a, b)
  c1:     capacitor c          <> (b, g)
  ground                       <> g
  initially c1.u = 0.0

main = simulate (charge 1000.0 0.001) with {{ stop = 5.0, plot = ["source.u", "c1.u"] }}
)";

constexpr std::string_view kReadme = R"(# {0}

A model in Sigrel, in `{1}`:

```sh
sigrel run {1}    # plots it, and prints final values
sigrel run {1} --set r=500 -o results.csv
sigrel list Electrical    # what there is to build with
```
)";

/// A word of a shell command, in quotes if it needs them.
std::string shell_word(const std::string& word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_./-+:@%,=").find(c) != std::string_view::npos;
  };
  if (!word.empty() && word[0] != '-' && std::ranges::all_of(word, is_plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// "dc-motor" -> "DcMotor"; empty if this is not a valid module name.
std::string module_name(const std::string& stem) {
  std::string name;
  bool upper = true;
  for (char c : stem) {
    if (c == '-' || c == '_' || c == ' ' || c == '.') {
      upper = true;
      continue;
    }
    if (!std::isalnum(static_cast<unsigned char>(c))) return {};
    name += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return name.empty() || !std::isupper(static_cast<unsigned char>(name[0])) ? std::string() : name;
}

int create(const Globals& globals, const std::string& where) {
  fs::path path(where);
  if (!path.has_filename()) path = path.parent_path();  // "motor/"
  const bool single = path.extension() == ".sr";
  const std::string stem = single ? path.stem().string() : path.filename().string();
  const std::string module = module_name(stem);
  if (module.empty())
    throw CLI::ValidationError(
        "name", "`" + stem + "` must start with a letter and contain only letters, digits, `-` and `_`");

  Diagnostics diagnostics;
  if (pipeline::find_module(module, {globals.session_options().path.library})) {
    diagnostics.report(Code::LibraryModuleHidden, "the standard library has a module `" + module + "`")
        .help("choose another name");
    print_diagnostics(globals, diagnostics, SourceMap{});
    return kUserError;
  }
  // A module is found by the name of its file. A file of its own needs no name of a module.
  const fs::path file = single ? path : path / (module + ".sr");
  const std::string header = stem == module || !single ? "module " + module + " where\n\n" : "\n";
  std::error_code error;
  if (fs::exists(fs::symlink_status(path, error))) {
    diagnostics.report(Code::FileExists, "`" + path.string() + "` already exists")
        .help("choose another name; files are not overwritten");
  } else {
    fs::create_directories(file.has_parent_path() ? file.parent_path() : ".", error);
    std::string reason = error
                             ? error.message()
                             : runtime::write_file(file.string(), fmt::format(fmt::runtime(kModel), header));
    if (reason.empty() && !single)
      reason = runtime::write_file((path / "README.md").string(),
                                   fmt::format(fmt::runtime(kReadme), module, file.filename().string()));
    if (!reason.empty())
      diagnostics.report(Code::ResultNotWritten, "`" + file.string() + "` cannot be written").note(reason);
  }
  print_diagnostics(globals, diagnostics, SourceMap{});
  if (diagnostics.has_errors()) return kUserError;
  fmt::print("created {}; run it with\n\n  sigrel run {}\n", file.string(), shell_word(file.string()));
  return kSuccess;
}

}  // namespace

void add_new(CLI::App& app, const Globals& globals, int& exit_code) {
  auto name = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("new", "Create a new model, in a folder or a single file");
  command->add_option("name", *name, "Folder, or file ending in .sr; must not exist")
      ->required()
      ->type_name("NAME");
  command->callback([&globals, &exit_code, name] { exit_code = create(globals, *name); });
}

}  // namespace sigrel::driver
