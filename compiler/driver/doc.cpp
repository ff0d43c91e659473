// sigrel doc: HTML pages from the `-- |` comments of modules.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "compiler/doc/page.h"
#include "compiler/driver/command.h"
#include "compiler/driver/pages.h"

namespace sigrel::driver {
namespace {

namespace fs = std::filesystem;

struct DocOptions {
  std::string source;
  std::string folder;
};

/// The file itself, or all sources in the folder and its subfolders, sorted by path.
std::vector<std::string> sources_of(const std::string& source, Diagnostics& diagnostics) {
  std::error_code error;
  if (!fs::is_directory(source, error)) return {source};
  std::vector<std::string> found;
  fs::recursive_directory_iterator at(source, fs::directory_options::skip_permission_denied, error), end;
  for (; !error && at != end; at.increment(error))
    if (at->path().extension() == ".sr" && at->is_regular_file(error)) found.push_back(at->path().string());
  if (error)
    diagnostics.report(Code::FileNotFound, "`" + source + "` cannot be read").note(error.message());
  else if (found.empty())
    diagnostics.report(Code::FileNotFound, "`" + source + "` contains no Sigrel files")
        .help("name a folder that contains `.sr` files");
  std::ranges::sort(found);
  return found;
}

int document(const Globals& globals, const DocOptions& options) {
  Diagnostics diagnostics;
  std::vector<doc::Module> modules;
  std::vector<NamedFile> inputs;
  bool fine = true;
  SessionOptions session_options = globals.session_options();
  std::error_code error;
  // Modules in subfolders are found by their full names from the top.
  if (fs::is_directory(options.source, error))
    session_options.path.folders.insert(session_options.path.folders.begin(), options.source);
  for (const std::string& file : sources_of(options.source, diagnostics)) {
    Session session(session_options);
    auto module = doc::read_module(file, session_options, session);
    print_diagnostics(globals, session);
    for (NamedFile& input : inputs_of(globals, session)) inputs.push_back(std::move(input));
    if (module)
      modules.push_back(std::move(*module));
    else
      fine = false;
  }
  if (fine && !diagnostics.has_errors())
    write_pages(options.folder, doc::pages(modules), inputs, diagnostics);
  print_diagnostics(globals, diagnostics, SourceMap{});
  return fine && !diagnostics.has_errors() ? kSuccess : kUserError;
}

}  // namespace

void add_doc(CLI::App& app, const Globals& globals, int& exit_code) {
  auto options = std::make_shared<DocOptions>();
  CLI::App* command = app.add_subcommand("doc", "Write HTML pages from the `-- |` comments of modules");
  command->add_option("source", options->source, "A file, or a folder of modules")
      ->required()
      ->type_name("FILE|FOLDER");
  command->add_option("-o,--output", options->folder, "Output folder")->required()->type_name("DIR");
  command->callback([&globals, &exit_code, options] { exit_code = document(globals, *options); });
}

}  // namespace sigrel::driver
