// sigrel structure types: structural types of definitions given as JSON, without models.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "compiler/driver/command.h"
#include "compiler/pipeline/files.h"
#include "compiler/structural_types/document.h"

namespace sigrel::driver {
namespace {

int print_types(const Globals& globals, const std::string& path) {
  SourceMap sources;
  Diagnostics diagnostics;
  if (auto text = pipeline::read_file(path); !text) {
    diagnostics.report(Code::FileNotFound, "`" + path + "` cannot be read").note(text.error());
  } else if (auto document = structural_types::types_of_document(sources.add(path, std::move(*text)), sources,
                                                                 diagnostics)) {
    fmt::print("{}\n", *document);
  }
  print_diagnostics(globals, diagnostics, sources);
  return diagnostics.has_errors() ? kUserError : kSuccess;
}

}  // namespace

void add_structure(CLI::App& app, const Globals& globals, int& exit_code) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand(
      "structure", "Compute structural types of definitions given as JSON, without models");
  command->require_subcommand(1);
  CLI::App* types = command->add_subcommand(
      "types", "Print a JSON document of definitions with verdict, rank and bases filled in");
  types->add_option("file", *path, "JSON document; see `sigrel explain SR0620`")
      ->required()
      ->type_name("FILE.json");
  types->callback([&globals, &exit_code, path] { exit_code = print_types(globals, *path); });
}

}  // namespace sigrel::driver
